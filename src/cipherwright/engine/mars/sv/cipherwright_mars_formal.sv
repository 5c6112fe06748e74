// Rules of the MARS engine's bus and control (cipherwright_mars.sv), with any mixer, any core, any
// key expander and any memory behind them: checked by SymbiYosys (mars.sby) by induction for all
// times, with and without two blocks at once. That these states are reached is what every
// simulation shows.
//
// No write is lost: what is taken is in its register until it is used; as many blocks end as
// were begun; a result stays until its last word is read. Reset is free: one cycle of it at any
// time leaves no block, no result and no key. No read returns a key: two engines with other keys,
// other memories of keys and another key expander, but the same results, show the same on the bus
// in every cycle (with READABLE, wherever they do not read the key storage).
//
// Lint: the file holds the abstract modules as well.
// verilator lint_off DECLFILENAME
module cipherwright_mars_keys #(
    parameter READ   = 1,
    parameter LOOKUP = 1,
    parameter STEP   = 0,
    parameter SPLIT  = 0
) (
    input  wire        clk,
    input  wire        restart_i,
    input  wire        start_i,
    input  wire [ 3:0] words_i,
    output wire        busy_o,
    output wire        last_o,
    output wire [ 5:0] a_address_o,
    input  wire [31:0] a_data_i,
    output wire [ 5:0] b_address_o,
    input  wire [31:0] b_data_i,
    output wire        write_o,
    output wire [ 5:0] write_address_o,
    output wire [31:0] write_data_o,
    output wire [ 8:0] s_address_o,
    input  wire [31:0] s_data_i
);
    // Its time does not depend on the key (a test): s_data_i[0] of the bench is the end for both
    // copies.
    (* anyseq *) wire [31:0] any_data;
    (* anyseq *) wire [26:0] any_addresses;
    (* anyseq *) wire any_write;
    reg running = 1'b0;
    wire ends = s_data_i[0];
    always @(posedge clk) running <= !restart_i && (start_i || (running && !ends));
    assign busy_o = running;
    assign last_o = running && ends;
    assign {a_address_o, b_address_o, write_address_o, s_address_o} = any_addresses;
    assign write_data_o = any_data;
    assign write_o = running && any_write;
endmodule

module cipherwright_mars_core (
    input  wire [127:0] state,
    input  wire [ 31:0] k_add,
    input  wire [ 31:0] k_mul,
    input  wire         second_half,
    input  wire         last,
    input  wire         decrypt,
    input  wire [ 31:0] word,
    output wire [  8:0] address,
    output wire [127:0] next
);
    (* anyseq *) wire [8:0] any_address;
    (* anyseq *) wire [127:0] any_next;
    assign address = any_address;
    assign next = any_next;
endmodule

module cipherwright_mars_mixer (
    input  wire [127:0] state,
    input  wire [127:0] keys,
    input  wire [  3:0] operation,
    input  wire         half,
    input  wire [ 31:0] s0_first,
    input  wire [ 31:0] s0_second,
    input  wire [ 31:0] s1_first,
    input  wire [ 31:0] s1_second,
    output wire [  7:0] s0_first_address,
    output wire [  7:0] s0_second_address,
    output wire [  7:0] s1_first_address,
    output wire [  7:0] s1_second_address,
    output wire [127:0] next
);
    (* anyseq *) wire [31:0] any_addresses;
    (* anyseq *) wire [127:0] any_next;
    assign {s0_first_address, s0_second_address, s1_first_address, s1_second_address} =
        any_addresses;
    assign next = any_next;
endmodule

module cipherwright_mars_formal #(
    parameter OVERLAP  = 1,
    parameter HALVES   = 0,
    parameter KEY_WAIT = 0,
    parameter SPLIT    = 0,
    parameter READABLE = 0
) (
    input wire        clk,
    input wire        rst_i,
    input wire        select_i,
    input wire        write_i,
    input wire [ 9:0] address_i,
    input wire [31:0] data_i,
    input wire [31:0] s_word,
    input wire [63:0] key_words,
    input wire [63:0] other_key_words
);
    wire ready, done, other_ready, other_done;
    wire [31:0] data, other_data;
    wire [5:0] a_address;
    // The insides of both, in the order of f_o.
    wire [1074:0] d_all, o_all;
    wire d_ends, d_starts, d_leaves, d_takes, d_moves, d_message_there, d_result_there, d_writes;
    wire d_reads, d_at_message, d_at_result, d_expanding, d_mix_last, d_key_there, d_decrypt;
    wire d_chained, d_turned;
    wire [1:0] d_mix_state, d_core_state, d_newest, d_word;
    wire [4:0] d_count;
    wire [3:0] d_round, d_written;
    wire [127:0] d_message, d_result, d_mix_q, d_core_q, d_mix_next, d_core_out, d_first;
    wire [127:0] d_unchained;
    wire d_asks, d_arrives, d_half_there, d_chain_there;
    wire [1:0] d_oldest;
    wire d_e_write;
    wire [5:0] d_e_write_address;
    wire o_ends, o_starts, o_leaves, o_takes, o_moves, o_message_there, o_result_there, o_writes;
    wire o_reads, o_at_message, o_at_result, o_expanding, o_mix_last, o_key_there, o_decrypt;
    wire o_chained, o_turned;
    wire [1:0] o_mix_state, o_core_state, o_newest, o_word;
    wire [4:0] o_count;
    wire [3:0] o_round, o_written;
    wire [127:0] o_message, o_result, o_mix_q, o_core_q, o_mix_next, o_core_out, o_first;
    wire [127:0] o_unchained;
    wire o_asks, o_arrives, o_half_there, o_chain_there;
    wire [1:0] o_oldest;
    wire o_e_write;
    wire [5:0] o_e_write_address;
    // verilog_format: off
    assign {
        d_ends, d_starts, d_leaves, d_takes, d_moves, d_message_there, d_result_there, d_writes,
        d_reads, d_at_message, d_at_result, d_expanding, d_mix_last, d_key_there, d_decrypt,
        d_chained, d_turned, d_mix_state, d_core_state, d_newest, d_word, d_count, d_round,
        d_written, d_message, d_result, d_mix_q, d_core_q, d_mix_next, d_core_out, d_first,
        d_unchained, d_asks, d_arrives, d_half_there, d_chain_there, d_oldest, d_e_write,
        d_e_write_address
    } = d_all;
    // verilog_format: on
    // verilog_format: off
    assign {
        o_ends, o_starts, o_leaves, o_takes, o_moves, o_message_there, o_result_there, o_writes,
        o_reads, o_at_message, o_at_result, o_expanding, o_mix_last, o_key_there, o_decrypt,
        o_chained, o_turned, o_mix_state, o_core_state, o_newest, o_word, o_count, o_round,
        o_written, o_message, o_result, o_mix_q, o_core_q, o_mix_next, o_core_out, o_first,
        o_unchained, o_asks, o_arrives, o_half_there, o_chain_there, o_oldest, o_e_write,
        o_e_write_address
    } = o_all;
    // verilog_format: on
    cipherwright_mars #(
        .OVERLAP(OVERLAP),
        .HALVES(HALVES),
        .KEY_WAIT(KEY_WAIT),
        .SPLIT(SPLIT),
        .READABLE(READABLE)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .select_i(select_i),
        .write_i(write_i),
        .ready_o(ready),
        .done_o(done),
        .address_i(address_i),
        .data_i(data_i),
        .data_o(data),
        .s0_first_i(32'd0),
        .s0_second_i(32'd0),
        .s1_first_i(32'd0),
        .s1_second_i(32'd0),
        .s_i(s_word),
        .a_address_o(a_address),
        .a_data_i(key_words[31:0]),
        .b_data_i(key_words[63:32]),
        .f_o(d_all),
        .s0_first_address_o(),
        .s0_second_address_o(),
        .s1_first_address_o(),
        .s1_second_address_o(),
        .mixing_o(),
        .s_address_o(),
        .s_write_o(),
        .s_write_address_o(),
        .s_write_data_o(),
        .b_address_o(),
        .key_write_o(),
        .key_write_address_o(),
        .key_write_data_o()
    );
    cipherwright_mars #(
        .OVERLAP(OVERLAP),
        .HALVES(HALVES),
        .KEY_WAIT(KEY_WAIT),
        .SPLIT(SPLIT),
        .READABLE(READABLE)
    ) other (
        .clk(clk),
        .rst_i(rst_i),
        .select_i(select_i),
        .write_i(write_i),
        .ready_o(other_ready),
        .done_o(other_done),
        .address_i(address_i),
        .data_i(data_i),
        .data_o(other_data),
        .s0_first_i(32'd0),
        .s0_second_i(32'd0),
        .s1_first_i(32'd0),
        .s1_second_i(32'd0),
        .s_i(s_word),
        .a_data_i(other_key_words[31:0]),
        .b_data_i(other_key_words[63:32]),
        .f_o(o_all),
        .a_address_o(),
        .s0_first_address_o(),
        .s0_second_address_o(),
        .s1_first_address_o(),
        .s1_second_address_o(),
        .mixing_o(),
        .s_address_o(),
        .s_write_o(),
        .s_write_address_o(),
        .s_write_data_o(),
        .b_address_o(),
        .key_write_o(),
        .key_write_address_o(),
        .key_write_data_o()
    );

    integer j;
    reg known = 1'b0;
    always @(posedge clk) known <= 1'b1;
    always @(*) if (!known) assume (rst_i);
    // Before the first reset both hold the same, but for keys and what is in the mixer and the
    // core.
    always @(*)
        if (!known)
            assume (d_message == o_message && d_result == o_result && !d_arrives && !o_arrives &&
                    !select_i);
    always @(*)
        if (!known)
            assume (d_mix_state == 2'd0 && o_mix_state == 2'd0 && d_written == 4'd0 &&
                    o_written == 4'd0 && d_turned == o_turned);

    // The expander writes K[0..39] and T[0..14] (a test). What it wrote is a key; every other word
    // of the storage is the same in both, as long as both are given the same.
    always @(*) assume (d_e_write_address < 6'd55 && o_e_write_address < 6'd55);
    // words 30 to 3f that the expander did not write since they were given
    reg [15:0] clean = 16'hff80;
    reg [5:0] was_address = 6'd0;
    reg was_clean = 1'b0;  // both words that arrive now were such when they were read
    wire [3:0] place = {d_at_message ? d_newest : 2'd3, d_word};
    always @(posedge clk) begin
        was_address <= a_address;
        was_clean <= a_address[5:4] == 2'b11 && clean[a_address[3:0]] &&
            clean[{a_address[3:1], 1'b1}];
        if (d_expanding) clean[6:0] <= 7'd0;
        if (d_writes && (d_at_message || d_at_result)) clean[place] <= 1'b1;
    end
    always @(*) if (was_clean) assume (key_words == other_key_words);

    // The same results: what leaves the mixer when a block ends. In between, and in the core,
    // anything may differ.
    always @(*) if (d_ends) assume (d_mix_next == o_mix_next);

    always @(*)
        if (known) begin
            // no key on the bus
            assert (ready == other_ready);
            assert (done == other_done);
            assert (!(ready && !write_i) || data == other_data ||
                    (READABLE != 0 && address_i[9:6] == 4'b1000));
        end

    // Blocks that were begun and have not ended are in the mixer and in the core, and nowhere else.
    wire [1:0] held = {1'b0, d_mix_state != 2'd0} + {1'b0, d_core_state != 2'd0};
    always @(*)
        if (known) begin
            assert (d_mix_state != 2'd3);
            // Places in the key storage: what the next block to end is chained to, the blocks
            // begun, a message; none of them of the expander.
            assert (d_newest == d_oldest + 2'd1 + held + {1'b0, d_message_there});
            assert (&clean[{d_oldest, 2'd0}+:4]);
            assert (held + {1'b0, d_message_there} < 2'd1 || &clean[{d_oldest+2'd1, 2'd0}+:4]);
            assert (held + {1'b0, d_message_there} < 2'd2 || &clean[{d_oldest+2'd2, 2'd0}+:4]);
            assert (held + {1'b0, d_message_there} < 2'd3 || &clean[{d_oldest+2'd3, 2'd0}+:4]);
            for (j = 0; j < 4; j = j + 1) begin
                assert (d_message_there || !d_written[j] || clean[{d_newest, j[1:0]}]);
            end
            assert (&clean[15:7]);
            // the result register takes in what a block is chained to while nobody needs it for
            // anything else
            assert (!(d_arrives && d_result_there));
            assert (!(d_chained && !d_decrypt && held != 2'd0 && !d_chain_there));
            assert (!d_expanding || (d_oldest == 2'd3 && d_newest == 2'd0));
            assert (!d_arrives || was_address == {2'b11, d_oldest, !d_half_there, 1'b0});
            assert (d_newest == o_newest && d_oldest == o_oldest && d_arrives == o_arrives &&
                    d_half_there == o_half_there && d_chain_there == o_chain_there);
            assert (OVERLAP != 0 || held <= 2'd1);
            assert (KEY_WAIT != 0 || d_core_state != 2'd1);
            assert (d_mix_state == 2'd0 || d_count <= (HALVES != 0 ? 5'd16 : 5'd8));
            // both copies are in the same state
            assert (d_mix_state == o_mix_state && d_core_state == o_core_state &&
                    (d_mix_state == 2'd0 || d_count == o_count));
            assert (d_core_state != 2'd2 || d_round == o_round);
            assert (d_message == o_message && d_written == o_written && d_result == o_result);
            assert (d_result_there == o_result_there && d_key_there == o_key_there &&
                    d_decrypt == o_decrypt);
            assert (d_chained == o_chained && d_turned == o_turned);
            assert (d_expanding == o_expanding);
            assert (!d_expanding || (held == 2'd0 && !d_message_there && !d_key_there));
            // an old block is never met by a new one
            assert (!(d_leaves && d_core_state != 2'd0 && !d_takes));
            assert (!(d_starts && (d_takes || d_leaves)));
            assert (!(d_ends && d_result_there));
            assert (!(d_writes && d_at_message && d_message_there));
        end

    // One cycle of reset at any time: all control is as after the first one, so nothing of before
    // is shown, and no key is there.
    always @(posedge clk)
        if (known && $past(rst_i)) begin
            assert (!done && d_mix_state == 2'd0 && d_core_state == 2'd0 && d_count == 5'd0 &&
                    d_round == 4'd0 && d_written == 4'd0);
            assert (!d_result_there && !d_key_there && !d_decrypt && !d_chained && !d_expanding);
            assert (!d_arrives && !d_half_there && !d_chain_there && d_newest == 2'd0 &&
                    d_oldest == 2'd3);
        end

    // What is taken stays until it is used: one word of a message and one of a result are followed.
    always @(posedge clk)
        if (known && !rst_i && !$past(rst_i)) begin
            if ($past(d_message_there && !d_starts))
                assert (d_message_there && d_message == $past(d_message));
            if ($past(d_starts))
                assert (!d_message_there && d_mix_state == 2'd1 && d_mix_q == {$past(
                    d_first[31:0]
                ), $past(
                    d_first[127:32]
                )});
            if ($past(d_writes && d_at_message))
                assert (d_message[32*(3-$past(d_word))+:32] == $past(data_i));
            if ($past(d_writes && d_at_message))
                assert (d_written == ($past(d_written) | 4'd1 << $past(d_word)));
            if (d_written != 4'd0 && $past(d_written) == 4'd0)
                assert ($past(d_writes && d_at_message));
            if ($past(d_result_there && !(d_reads && d_at_result && address_i[1:0] == 2'd3)))
                assert (d_result_there && d_result == $past(d_result));
            if ($past(d_ends)) assert (d_result_there && d_result == $past(d_unchained));
            // what a result is chained to comes whole, and never over a result that was not read
            if (d_chain_there && !$past(d_chain_there)) assert ($past(d_arrives && !d_half_there));
            // from mixer to core and back without loss
            if ($past(d_leaves))
                assert (d_core_q[95:0] == $past(d_mix_next[95:0]) && d_core_state != 2'd0);
            if ($past(d_leaves))
                assert (d_core_q[127:96] == ($past(
                    d_decrypt
                ) ? {$past(
                    d_mix_next[108:96]
                ), $past(
                    d_mix_next[127:109]
                )} : $past(
                    d_mix_next[127:96]
                )));
            if ($past(d_takes)) assert (d_mix_q == $past(d_core_out) && d_mix_state == 2'd2);
        end

    // Every block comes to its end where results are read: a rank falls, or a block waits for the
    // result before it to be read, or for what it is chained to, which comes in two halves as soon
    // as no round of the core follows.
    always @(posedge clk)
        if (known && !rst_i && !$past(rst_i)) begin
            if ($past(d_mix_state) != 2'd0 && !$past(d_moves))
                assert ($past(
                    d_mix_state == 2'd2 ? d_result_there || !d_chain_there :
                        d_core_state == 2'd1 || d_core_state == 2'd2
                ));
            if ($past(
                    d_chained && !d_chain_there && !d_result_there && d_core_state != 2'd1 &&
                        d_core_state != 2'd2 && !d_leaves && !d_expanding &&
                        !(d_writes && d_at_result)
                ))
                assert (d_arrives || d_chain_there || d_expanding);
            if ($past(d_core_state == 2'd2))
                assert (d_core_state != 2'd2 || d_round == $past(
                    d_round
                ) + 4'd1 || $past(
                    d_leaves
                ));
        end
endmodule
