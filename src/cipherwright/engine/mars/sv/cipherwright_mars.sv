// The MARS engine of Satoh, Ooba, Takano and D'Avignon without its memories: a bus of 32 bits, a
// mixer and a cryptographic core that work on two blocks at once (OVERLAP) or one after the other,
// and the key expander.
//
// Words of the bus (address, word):
//   000-1ff  S-box           written while the engine is idle, read too
//   200-23f  key storage     written while it is idle; the key's words go to 228, 229 ...; reads
//                            as 0 unless READABLE; 230-23f hold the blocks and the initial value
//                            of CBC
//   240-243  message         a block starts when its four words are written; a write waits while
//                            the block before it waits
//   244-247  result          a read waits for a result, and reading 247 takes it; while idle they
//                            are written with the initial value, after the command and after
//                            every key
//   248      command         bit 0 expand the key, bit 1 decrypt, bits 3:2 mode (0 ECB, 1 CBC),
//                            bits 7:4 words of the key; waits for idle
//   249      status          bit 0 expanding, 1 key there, 2 message may be written, 3 result
//                            there, 4 idle
// An access is done in the cycle in which select_i and ready_o are both 1. One cycle of reset drops
// the key, the blocks in work, the message and the result; the S-box stays.
module cipherwright_mars #(
    parameter OVERLAP  = 1,
    parameter HALVES   = 0,  // a mixing round takes two cycles: one read of S0 and of S1 at a time
    parameter KEY_WAIT = 0,  // a cycle more before the first core round
    // the key storage reads two words at once only where one is even and the other odd
    parameter SPLIT    = 0,
    parameter READABLE = 0
) (
    input wire clk,
    input wire rst_i,
    // bus: four control signals
    input wire select_i,
    input wire write_i,
    output wire ready_o,
    output wire done_o,  // a result is there
    input wire [9:0] address_i,
    input wire [31:0] data_i,
    output wire [31:0] data_o,
    // S-box: reads of S0 and S1 by the mixer, one of both by the core, and writes
    output wire [7:0] s0_first_address_o,
    input wire [31:0] s0_first_i,
    output wire [7:0] s0_second_address_o,
    input wire [31:0] s0_second_i,
    output wire [7:0] s1_first_address_o,
    input wire [31:0] s1_first_i,
    output wire [7:0] s1_second_address_o,
    input wire [31:0] s1_second_i,
    output wire mixing_o,  // the mixer reads in this cycle
    output wire [8:0] s_address_o,
    input wire [31:0] s_i,
    output wire s_write_o,
    output wire [8:0] s_write_address_o,
    output wire [31:0] s_write_data_o,
    // key storage: two reads, a cycle from address to word, and a write
    output wire [5:0] a_address_o,
    input wire [31:0] a_data_i,
    output wire [5:0] b_address_o,
    input wire [31:0] b_data_i,
    output wire key_write_o,
    output wire [5:0] key_write_address_o,
`ifdef FORMAL
    output wire [1074:0] f_o,  // what the rules in cipherwright_mars_formal.sv speak of
`endif
    output wire [31:0] key_write_data_o
);
    localparam [1:0] EMPTY = 2'd0, FORWARD = 2'd1, BACKWARD = 2'd2;
    localparam [1:0] REST = 2'd0, WAIT = 2'd1, RUN = 2'd2, DONE = 2'd3;
    // place of the initial value: no step of the key's expansion writes there
    localparam [1:0] INITIAL = 2'd3;
    localparam [4:0] LAST = HALVES ? 5'd16 : 5'd8;

    // -- registers --------------------------------------------------------------------------------
    (* fsm_encoding = "none" *)
    reg [1:0] mix_state;
    (* fsm_encoding = "none" *)
    reg [1:0] core_state;
    reg [4:0] count;  // steps of the mixer's phase
    reg [3:0] round;  // of the core
    reg [127:0] message, mix_q, core_q, result;  // word 0 at the top
    reg result_there, key_there, decrypt, chained;
    reg [3:0] written;  // words of the message that are there
    reg turned;  // the result is of a decryption
    reg [127:0] start_keys, end_keys;  // K0 to K3 and K36 to K39
    reg [3:0] key_words;
    // blocks in the key storage: where the next message goes; what the next result is chained to
    reg [1:0] newest, oldest;
    // it is in the result register (encryption: the result itself does)
    reg chain_there;
    // its first half was asked for; a half comes from the storage in this cycle
    reg half_there, arrives;

    wire message_there = &written;

    // -- bus --------------------------------------------------------------------------------------
    wire expanding, key_last;
    wire idle = mix_state == EMPTY && core_state == REST && !message_there && !expanding;
    wire at_s = !address_i[9];
    wire at_key = address_i[9:6] == 4'b1000;
    wire at_message = address_i[9:2] == 8'h90;
    wire at_result = address_i[9:2] == 8'h91;
    wire at_command = address_i == 10'h248;
    wire at_status = address_i == 10'h249;
    // decryption has its words in reverse order
    wire [1:0] word = decrypt ? ~address_i[1:0] : address_i[1:0];
    wire read_done;
    assign ready_o = write_i ? (at_message ? !message_there && key_there : at_result ? idle &&
                                !result_there : at_s || at_key || at_command ? idle : 1'b1) :
        (at_result ? result_there : at_s ? idle : (at_key && READABLE != 0) ? read_done : 1'b1);
    wire writes = select_i && write_i && ready_o;
    wire reads = select_i && !write_i && ready_o;
    wire command = writes && at_command;
    wire [3:0] word_now = {3'd0, writes && at_message} << word;
    wire expand = command && data_i[0];
    wire [1:0] place = turned ? ~address_i[1:0] : address_i[1:0];
    wire [63:0] pair_shown = place[1] ? result[63:0] : result[127:64];
    wire [31:0] shown = place[0] ? pair_shown[31:0] : pair_shown[63:32];
    assign done_o = result_there;
    assign
        data_o = at_s ? s_i : at_result ? shown : (at_key && READABLE != 0) ? a_data_i : at_status ?
        {27'd0, idle, result_there, !message_there && key_there, key_there, expanding} : 32'd0;

    // -- key expander -----------------------------------------------------------------------------
    wire [5:0] e_a_address, e_b_address, e_write_address;
    wire [31:0] e_write_data;
    wire [8:0] e_s_address;
    wire e_write;
    cipherwright_mars_keys #(
        .READ(1),
        .LOOKUP(0),
        .STEP(0),
        .SPLIT(SPLIT)
    ) u_expander (
        .clk(clk),
        .restart_i(rst_i),
        .start_i(expand),
        .words_i(key_words),
        .busy_o(expanding),
        .last_o(key_last),
        .a_address_o(e_a_address),
        .a_data_i(a_data_i),
        .b_address_o(e_b_address),
        .b_data_i(b_data_i),
        .write_o(e_write),
        .write_address_o(e_write_address),
        .write_data_o(e_write_data),
        .s_address_o(e_s_address),
        .s_data_i(s_i)
    );
    assign key_write_o = e_write || (writes && (at_key || at_message || at_result));
    assign key_write_address_o = expanding ? e_write_address :
        at_key ? address_i[5:0] : {2'b11, at_message ? newest : INITIAL, word};
    assign key_write_data_o = expanding ? e_write_data : data_i;
    assign s_write_o = writes && at_s;
    assign s_write_address_o = address_i[8:0];
    assign s_write_data_o = data_i;

    // -- core -------------------------------------------------------------------------------------
    wire core_last = core_state == RUN && round == 4'd15;
    wire core_gives = core_state == DONE || core_last;
    wire mix_last = count == LAST;
    // the mixer's block comes to the core
    wire leaves = mix_state == FORWARD && mix_last && (core_state == REST || core_gives);
    wire [127:0] core_next;
    wire [127:0] core_out = core_last ? core_next : core_q;
    wire [8:0] core_address;
    wire [3:0] next_round = (core_state == RUN) ? round + 4'd1 : 4'd0;
    wire [3:0] pair = decrypt ? ~next_round : next_round;
    wire [5:0] pair_address = {1'b0, pair, 1'b0} + 6'd4;
    // The storage is free where no round follows: half a block is read that CBC needs.
    wire follows = leaves || core_state == WAIT || (core_state == RUN && !core_last);
    wire asks = chained && !chain_there && !result_there && !(arrives && !half_there) && !follows &&
        !expanding;
    wire [5:0] read_address = asks ? {2'b11, oldest, half_there, 1'b0} : pair_address;
    generate
        if (READABLE != 0) begin : g_readable
            reg waited;
            always @(posedge clk)
                waited <= select_i && !write_i && at_key && idle && !asks && !waited && !rst_i;
            assign read_done = waited;
        end else begin : g_hidden
            assign read_done = 1'b0;
        end
    endgenerate
    assign a_address_o = expanding ?
        e_a_address : (READABLE != 0 && idle && !asks) ? address_i[5:0] : read_address;
    assign b_address_o = expanding ? e_b_address : {read_address[5:1], 1'b1};
    assign
        s_address_o = expanding ? e_s_address : (core_state == RUN) ? core_address : address_i[8:0];
    cipherwright_mars_core u_core (
        .state(core_q),
        .k_add(a_data_i),
        .k_mul(b_data_i),
        .second_half(round[3]),
        .last(round == 4'd15),
        .decrypt(decrypt),
        .word(s_i),
        .address(core_address),
        .next(core_next)
    );

    // -- mixer ------------------------------------------------------------------------------------
    wire backward = mix_state == BACKWARD;
    wire with_keys = backward ? mix_last : count == 5'd0;
    wire [2:0] step = backward ? count[2:0] : count[2:0] - 3'd1;
    wire [1:0] index = (HALVES != 0) ? step[2:1] : step[1:0];  // modulo 4
    wire half = step[0];
    wire [1:0] following = index + 2'd1;
    wire with_a = backward ? following[1] : !index[1];
    wire near = with_a && (backward ? !following[0] : !index[0]);
    // The step with key words leaves the state turned by a word, so the block comes in turned, and
    // its key words with it.
    wire [127:0]
        straight = (backward ^ decrypt) ? end_keys : {start_keys[31:0], start_keys[127:32]};
    wire [127:0] keys = {
        straight[127:96],
        decrypt ? straight[31:0] : straight[95:64],
        straight[63:32],
        decrypt ? straight[95:64] : straight[31:0]
    };
    wire [127:0] mix_next;
    wire [127:0] mixed = {mix_next[31:0], mix_next[127:32]};  // of the last step
    cipherwright_mars_mixer u_mixer (
        .state(mix_q),
        .keys(keys),
        .operation({near, with_a, with_keys, backward}),
        .half(half),
        .s0_first(s0_first_i),
        .s0_second(s0_second_i),
        .s1_first(s1_first_i),
        .s1_second(s1_second_i),
        .s0_first_address(s0_first_address_o),
        .s0_second_address(s0_second_address_o),
        .s1_first_address(s1_first_address_o),
        .s1_second_address(s1_second_address_o),
        .next(mix_next)
    );
    assign mixing_o = mix_state != EMPTY;

    wire ends = backward && mix_last && !result_there &&
        (chain_there || !(chained && decrypt));  // to the result
    // from the core
    wire takes = core_gives && (mix_state == EMPTY || leaves);
    wire may_start = message_there && key_there && !expanding &&
        (ends || chain_there || !chained || decrypt);
    wire starts = may_start &&
        (ends ? (OVERLAP != 0 && !(chained && !decrypt)) || core_state == REST : mix_state ==
         EMPTY && !core_gives && (core_state == REST || (OVERLAP != 0 && !(chained && !decrypt))));
    wire moves = mix_state == FORWARD ? !mix_last || leaves : !mix_last || ends;
    wire [127:0] unchained = mixed ^ ((chained && decrypt) ? result : 128'd0);
    wire [127:0] first = message ^ ((chained && !decrypt) ? (ends ? mixed : result) : 128'd0);

`ifdef FORMAL
    assign f_o = {
        ends,
        starts,
        leaves,
        takes,
        moves,
        message_there,
        result_there,
        writes,
        reads,
        at_message,
        at_result,
        expanding,
        mix_last,
        key_there,
        decrypt,
        chained,
        turned,
        mix_state,
        core_state,
        newest,
        word,
        count,
        round,
        written,
        message,
        result,
        mix_q,
        core_q,
        mix_next,
        core_out,
        first,
        unchained,
        asks,
        arrives,
        half_there,
        chain_there,
        oldest,
        e_write,
        e_write_address
    };
`endif

    integer j;
    always @(posedge clk) begin
        // mixer
        if (starts) begin
            mix_state <= FORWARD;
            count <= 5'd0;
            mix_q <= {first[31:0], first[127:32]};
        end else if (takes) begin
            mix_state <= BACKWARD;
            count <= 5'd0;
            mix_q <= core_out;
        end else if (leaves || ends) begin
            mix_state <= EMPTY;
        end else if (mix_state != EMPTY && moves) begin
            count <= count + 5'd1;
            mix_q <= mix_next;
        end
        // core
        if (leaves) begin
            core_state <= (KEY_WAIT != 0) ? WAIT : RUN;
            round <= 4'd0;
            core_q <= {
                decrypt ? {mix_next[108:96], mix_next[127:109]} : mix_next[127:96], mix_next[95:0]
            };
        end else if (takes) begin
            core_state <= REST;
        end else if (core_state == WAIT) begin
            core_state <= RUN;
        end else if (core_state == RUN) begin
            core_state <= core_last ? DONE : RUN;
            round <= round + 4'd1;
            core_q <= core_next;
        end
        // message and result
        for (j = 0; j < 4; j = j + 1)
        if (writes && at_message && word == j[1:0]) message[32*(3-j)+:32] <= data_i;
        written <= (starts || command || (writes && at_result)) ? 4'd0 : written | word_now;
        if (ends) turned <= decrypt;
        if (ends) result <= unchained;
        else begin
            if (arrives && half_there) result[127:64] <= {a_data_i, b_data_i};
            if (arrives && !half_there) result[63:0] <= {a_data_i, b_data_i};
        end
        result_there <= ends || (result_there && !(reads && at_result && address_i[1:0] == 2'd3));
        // CBC: messages stand in the key storage until the blocks behind them end
        arrives <= asks;
        half_there <= half_there ^ asks;
        chain_there <= ends ? chain_there && !decrypt : chain_there || (arrives && !half_there);
        newest <= newest + {1'b0, writes && at_message && &(written | word_now)};
        oldest <= oldest + {1'b0, ends};
        // keys and command
        for (j = 0; j < 4; j = j + 1) begin
            if (e_write && e_write_address == j[5:0]) start_keys[32*(3-j)+:32] <= e_write_data;
            if (e_write && e_write_address == 6'd36 + j[5:0])
                end_keys[32*(3-j)+:32] <= e_write_data;
        end
        key_there <= (key_there || key_last) && !expand && !(writes && at_key);
        if (command) begin
            decrypt <= data_i[1];
            chained <= data_i[2];
            key_words <= data_i[7:4];
        end
        if (rst_i || expand || (writes && at_result)) begin
            arrives <= 1'b0;
            half_there <= 1'b0;
            chain_there <= 1'b0;
            newest <= INITIAL + 2'd1;
            oldest <= INITIAL;
        end
        if (rst_i) begin
            mix_state <= EMPTY;
            core_state <= REST;
            count <= 5'd0;
            round <= 4'd0;
            written <= 4'd0;
            result_there <= 1'b0;
            key_there <= 1'b0;
            decrypt <= 1'b0;
            chained <= 1'b0;
        end
    end
endmodule
