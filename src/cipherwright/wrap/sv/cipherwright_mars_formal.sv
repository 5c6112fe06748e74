// Rules of the MARS engine's bus and control (cipherwright_mars.sv), with any mixer, any core, any key expander and any memory behind
// them: checked by SymbiYosys (mars.sby) by induction for all times, with and without two blocks at once. That these states are reached is
// what every simulation shows.
//
// No write is lost: what is taken stands in its register until it is used; as many blocks end as were begun; a result stays until its
// last word is read. No read returns a key: two engines with other keys, other memories of keys and another key expander, but the same
// results, show the same on the bus in every cycle.
//
// Lint: the file holds the abstract modules as well.
// verilator lint_off DECLFILENAME
module cipherwright_mars_keys #(
    parameter READ = 1,
    parameter LOOKUP = 1,
    parameter STEP = 0,
    parameter SPLIT = 0
) (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        start_i,
    input  wire [3:0]  words_i,
    output wire        busy_o,
    output wire        last_o,
    output wire [5:0]  a_address_o,
    input  wire [31:0] a_data_i,
    output wire [5:0]  b_address_o,
    input  wire [31:0] b_data_i,
    output wire        write_o,
    output wire [5:0]  write_address_o,
    output wire [31:0] write_data_o,
    output wire [8:0]  s_address_o,
    input  wire [31:0] s_data_i
);
    // Its time does not depend on the key (a test): s_data_i[0] of the bench is the end for both copies.
    (* anyseq *) wire [31:0] any_data;
    (* anyseq *) wire [26:0] any_addresses;
    (* anyseq *) wire any_write;
    reg running = 1'b0;
    wire ends = s_data_i[0];
    always @(posedge clk) running <= !rst_i && (start_i || (running && !ends));
    assign busy_o = running;
    assign last_o = running && ends;
    assign {a_address_o, b_address_o, write_address_o, s_address_o} = any_addresses;
    assign write_data_o = any_data;
    assign write_o = running && any_write;
endmodule

module cipherwright_mars_core (
    input  wire [127:0] state,
    input  wire [31:0]  k_add,
    input  wire [31:0]  k_mul,
    input  wire         second_half,
    input  wire         decrypt,
    input  wire [31:0]  word,
    output wire [8:0]   address,
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
    input  wire [3:0]   operation,
    input  wire         half,
    input  wire [31:0]  s0_first,
    input  wire [31:0]  s0_second,
    input  wire [31:0]  s1_first,
    input  wire [31:0]  s1_second,
    output wire [7:0]   s0_first_address,
    output wire [7:0]   s0_second_address,
    output wire [7:0]   s1_first_address,
    output wire [7:0]   s1_second_address,
    output wire [127:0] next
);
    (* anyseq *) wire [31:0] any_addresses;
    (* anyseq *) wire [127:0] any_next;
    assign {s0_first_address, s0_second_address, s1_first_address, s1_second_address} = any_addresses;
    assign next = any_next;
endmodule

module cipherwright_mars_formal #(
    parameter OVERLAP = 1,
    parameter HALVES = 0,
    parameter KEY_WAIT = 0
) (
    input wire        clk,
    input wire        rst_i,
    input wire        select_i,
    input wire        write_i,
    input wire [9:0]  address_i,
    input wire [31:0] data_i,
    input wire [31:0] s_word,
    input wire [63:0] key_words,
    input wire [63:0] other_key_words
);
    wire ready, done, other_ready, other_done;
    wire [31:0] data, other_data;
    cipherwright_mars #(.OVERLAP(OVERLAP), .HALVES(HALVES), .KEY_WAIT(KEY_WAIT)) dut (
        .clk(clk), .rst_i(rst_i), .select_i(select_i), .write_i(write_i), .ready_o(ready), .done_o(done), .address_i(address_i),
        .data_i(data_i), .data_o(data), .s0_first_i(32'd0), .s0_second_i(32'd0), .s1_first_i(32'd0), .s1_second_i(32'd0),
        .s_i(s_word), .a_data_i(key_words[31:0]), .b_data_i(key_words[63:32]), .f_o(d_all)
    );
    cipherwright_mars #(.OVERLAP(OVERLAP), .HALVES(HALVES), .KEY_WAIT(KEY_WAIT)) other (
        .clk(clk), .rst_i(rst_i), .select_i(select_i), .write_i(write_i), .ready_o(other_ready), .done_o(other_done), .address_i(address_i),
        .data_i(data_i), .data_o(other_data), .s0_first_i(32'd0), .s0_second_i(32'd0), .s1_first_i(32'd0), .s1_second_i(32'd0),
        .s_i(s_word), .a_data_i(other_key_words[31:0]), .b_data_i(other_key_words[63:32]), .f_o(o_all)
    );

    // The insides of both, in the order of f_o.
    wire [1441:0] d_all, o_all;
    wire d_ends = d_all[1441];
    wire d_starts = d_all[1440];
    wire d_leaves = d_all[1439];
    wire d_takes = d_all[1438];
    wire d_moves = d_all[1437];
    wire d_message_there = d_all[1436];
    wire o_message_there = o_all[1436];
    wire d_result_there = d_all[1435];
    wire o_result_there = o_all[1435];
    wire d_writes = d_all[1434];
    wire d_reads = d_all[1433];
    wire d_at_message = d_all[1432];
    wire d_at_result = d_all[1431];
    wire d_expanding = d_all[1430];
    wire o_expanding = o_all[1430];
    wire d_mix_last = d_all[1429];
    wire d_key_there = d_all[1428];
    wire o_key_there = o_all[1428];
    wire d_decrypt = d_all[1427];
    wire o_decrypt = o_all[1427];
    wire d_chained = d_all[1426];
    wire o_chained = o_all[1426];
    wire d_turned = d_all[1425];
    wire o_turned = o_all[1425];
    wire [1:0] d_mix_state = d_all[1424:1423];
    wire [1:0] o_mix_state = o_all[1424:1423];
    wire [1:0] d_core_state = d_all[1422:1421];
    wire [1:0] o_core_state = o_all[1422:1421];
    wire [1:0] d_flying = d_all[1420:1419];
    wire [1:0] o_flying = o_all[1420:1419];
    wire [1:0] d_word = d_all[1418:1417];
    wire [4:0] d_count = d_all[1416:1412];
    wire [4:0] o_count = o_all[1416:1412];
    wire [3:0] d_round = d_all[1411:1408];
    wire [3:0] o_round = o_all[1411:1408];
    wire [127:0] d_message = d_all[1407:1280];
    wire [127:0] o_message = o_all[1407:1280];
    wire [127:0] d_result = d_all[1279:1152];
    wire [127:0] o_result = o_all[1279:1152];
    wire [127:0] d_mix_q = d_all[1151:1024];
    wire [127:0] d_core_q = d_all[1023:896];
    wire [127:0] d_mix_next = d_all[895:768];
    wire [127:0] o_mix_next = o_all[895:768];
    wire [127:0] d_core_out = d_all[767:640];
    wire [127:0] d_first = d_all[639:512];
    wire [127:0] d_unchained = d_all[511:384];
    wire [383:0] d_earlier = d_all[383:0];
    wire [383:0] o_earlier = o_all[383:0];
    reg known = 1'b0;
    always @(posedge clk) known <= 1'b1;
    always @(*) if (!known) assume (rst_i);
    // Before the first reset both hold the same, but for keys and what is in the mixer and the core.
    always @(*) if (!known) assume (d_message == o_message && d_result == o_result && d_earlier == o_earlier && !select_i);
    always @(*) if (!known) assume (d_mix_state == 2'd0 && o_mix_state == 2'd0 && !d_message_there && !o_message_there && d_turned == o_turned);

    // The same results: what leaves the mixer when a block ends. In between, and in the core, anything may differ.
    always @(*) if (d_ends) assume (d_mix_next == o_mix_next);

    always @(*) if (known) begin
        // no key on the bus
        assert (ready == other_ready);
        assert (done == other_done);
        assert (!(ready && !write_i) || data == other_data);
    end

    // Blocks that were begun and have not ended are in the mixer and in the core, and nowhere else.
    wire [1:0] held = {1'b0, d_mix_state != 2'd0} + {1'b0, d_core_state != 2'd0};
    always @(*) if (known) begin
        assert (d_mix_state != 2'd3);
        assert (d_flying == held);
        assert (OVERLAP != 0 || held <= 2'd1);
        assert (KEY_WAIT != 0 || d_core_state != 2'd1);
        assert (d_mix_state == 2'd0 || d_count <= (HALVES != 0 ? 5'd16 : 5'd8));
        // both copies are in the same state
        assert (d_mix_state == o_mix_state && d_core_state == o_core_state && (d_mix_state == 2'd0 || d_count == o_count));
        assert (d_core_state != 2'd2 || d_round == o_round);
        assert (d_message == o_message && d_message_there == o_message_there && d_result == o_result);
        assert (d_result_there == o_result_there && d_key_there == o_key_there && d_decrypt == o_decrypt);
        assert (d_chained == o_chained && d_turned == o_turned && d_flying == o_flying && d_earlier == o_earlier);
        assert (d_expanding == o_expanding);
        assert (!d_expanding || (held == 2'd0 && !d_message_there && !d_key_there));
        // an old block is never met by a new one
        assert (!(d_leaves && d_core_state != 2'd0 && !d_takes));
        assert (!(d_starts && (d_takes || d_leaves)));
        assert (!(d_ends && d_result_there));
        assert (!(d_writes && d_at_message && d_message_there));
    end

    // What is taken stays until it is used: one word of a message and one of a result are followed.
    always @(posedge clk) if (known && !rst_i && !$past(rst_i)) begin
        if ($past(d_message_there && !d_starts)) assert (d_message_there && d_message == $past(d_message));
        if ($past(d_starts)) assert (!d_message_there && d_mix_state == 2'd1 && d_mix_q == $past(d_first));
        if ($past(d_writes && d_at_message)) assert (d_message[32 * (3 - $past(d_word)) +: 32] == $past(data_i));
        if ($past(d_writes && d_at_message && address_i[1:0] == 2'd3)) assert (d_message_there);
        if ($past(d_result_there && !(d_reads && d_at_result && address_i[1:0] == 2'd3))) assert (d_result_there && d_result == $past(d_result));
        if ($past(d_ends)) assert (d_result_there && d_result == $past(d_unchained));
        // from mixer to core and back without loss
        if ($past(d_leaves)) assert (d_core_q == $past(d_mix_next) && d_core_state != 2'd0);
        if ($past(d_takes)) assert (d_mix_q == $past(d_core_out) && d_mix_state == 2'd2);
    end

    // Every block comes to its end where results are read: a rank falls, or a block waits for the result before it to be read.
    always @(posedge clk) if (known && !rst_i && !$past(rst_i)) begin
        if ($past(d_mix_state) != 2'd0 && !$past(d_moves)) assert ($past(d_mix_state == 2'd2 ? d_result_there : d_core_state == 2'd1 || d_core_state == 2'd2));
        if ($past(d_core_state == 2'd2)) assert (d_core_state != 2'd2 || d_round == $past(d_round) + 4'd1 || $past(d_leaves));
    end
endmodule
