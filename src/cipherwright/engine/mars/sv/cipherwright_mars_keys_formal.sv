// Rules of the key expansion (cipherwright_mars_keys.sv), with any step and any S-box: checked by
// SymbiYosys (mars_keys.sby) by induction for all times and all keys, with reset at any time.
//
// Steps are counted from 0 to 370 as the specification counts them, and a step's operands are told
// by that number alone: FILL, then four times LINEAR, four times STIR, STORE, and at the end MASK.
// The expansion does these steps, each once and in this order: every step has the operands that its
// number says, STEP cycles before its end, out of a store and an S-box of any content of which any
// one word is followed, and writes its result where its number says. What a step computes, and that
// these steps are the cipher's key expansion, is shown apart.
//
// Lint: the file holds the abstract module as well.
// verilator lint_off DECLFILENAME
module cipherwright_mars_key_step (
    input  wire        clk,
    input  wire [ 1:0] kind,
    input  wire [31:0] a,
    input  wire [31:0] b,
    input  wire [31:0] s,
    input  wire [31:0] before2,
    input  wire [ 5:0] number,
    output wire [31:0] y
);
    (* anyseq *) wire [31:0] any_result;
    assign y = any_result;
endmodule

module cipherwright_mars_keys_formal #(
    parameter READ   = 1,
    parameter LOOKUP = 0,
    parameter STEP   = 0,
    parameter SPLIT  = 0,
    parameter LATE   = 0   // cycles that a written word is on its way to the store
) (
    input wire        clk,
    input wire        rst_i,
    input wire        start_i,
    input wire [ 3:0] words_i,
    input wire [31:0] a_data_i,
    input wire [31:0] b_data_i,
    input wire [31:0] s_data_i
);
    localparam [2:0] IDLE = 3'd0,
        FILL = 3'd1, LINEAR = 3'd2, STIR = 3'd3, STORE = 3'd4, MASK = 3'd5;
    localparam [8:0] LAST = 9'd370;

    wire busy, last, write, done, row_end;
    wire [5:0] a_address, b_address, write_address, k;
    wire [31:0] write_data;
    wire [8:0] s_address;
    wire [34:0] control;
    wire [63:0] earlier;
    wire [135:0] operands;
    wire [3:0] wait_q, i4, i7, i, length;
    wire [1:0] pass, round;
    wire [2:0] phase;
    cipherwright_mars_keys #(
        .READ(READ),
        .LOOKUP(LOOKUP),
        .STEP(STEP),
        .SPLIT(SPLIT)
    ) dut (
        .clk(clk),
        .restart_i(rst_i),
        .start_i(start_i),
        .words_i(words_i),
        .busy_o(busy),
        .last_o(last),
        .a_address_o(a_address),
        .a_data_i(a_data_i),
        .b_address_o(b_address),
        .b_data_i(b_data_i),
        .write_o(write),
        .write_address_o(write_address),
        .write_data_o(write_data),
        .s_address_o(s_address),
        .s_data_i(s_data_i),
        .f_o(control),
        .f_before_o(earlier),
        .f_operands_o(operands)
    );
    assign {done, wait_q, k, i4, i7, i, pass, round, phase, row_end, length} = control;

    reg known = 1'b0;
    always @(posedge clk) known <= 1'b1;
    always @(*) if (!known) assume (rst_i);

    // -- the steps as the specification counts them -----------------------------------------------
    reg runs = 1'b0;
    reg [8:0] number = 9'd0;
    reg [3:0] words = 4'd0;  // of the key, which stays as it is while it is expanded
    always @(posedge clk) begin
        if (rst_i || (runs && write && number == LAST)) runs <= 1'b0;
        else if (start_i && !runs) runs <= 1'b1;
        if (rst_i || !runs || (write && number == LAST)) number <= 9'd0;
        else if (write) number <= number + 9'd1;
        if (!runs) words <= words_i;
    end
    always @(*) if (runs) assume (words_i == words);

    wire [8:0] turn = number - 9'd15;  // of the four turns of 85 steps each
    wire [1:0] j = turn < 9'd85 ? 2'd0 : turn < 9'd170 ? 2'd1 : turn < 9'd255 ? 2'd2 : 2'd3;
    wire [8:0] in_turn = turn - 9'd85 * {7'd0, j};
    wire fills = number < 9'd15;
    wire masks = number >= 9'd355;
    wire linear = !fills && !masks && in_turn < 9'd15;
    wire stirs = !fills && !masks && in_turn >= 9'd15 && in_turn < 9'd75;
    wire stores = !fills && !masks && in_turn >= 9'd75;
    wire [8:0] stirred = in_turn - 9'd15;
    wire [1:0] q = stirred < 9'd15 ? 2'd0 : stirred < 9'd30 ? 2'd1 : stirred < 9'd45 ? 2'd2 : 2'd3;
    wire [8:0] at = fills ? number :
        linear ? in_turn : stirs ? stirred - 9'd15 * {7'd0, q} : stores ? in_turn - 9'd75 : 9'd0;
    wire [8:0] mask_at = 9'd5 + 9'd2 * (number - 9'd355);
    wire [8:0] stored = 9'd10 * {7'd0, j} + at;
    wire [8:0] four = 9'd4 * at;
    // 4 i modulo 15
    wire [8:0] from = four >= 9'd30 ? four - 9'd30 : four >= 9'd15 ? four - 9'd15 : four;
    // i - 7 modulo 15
    wire [8:0] seventh = at < 9'd7 ? at + 9'd8 : at - 9'd7;
    wire [8:0] first_back = at < 9'd1 ? at + 9'd14 : at - 9'd1;
    wire [8:0] second_back = at < 9'd2 ? at + 9'd13 : at - 9'd2;
    // Places in the store: K[n] at n, T[n] at 40 + n.
    wire [5:0] a_place = masks ? mask_at[5:0] : 6'd40 + (stores ? from[5:0] : at[5:0]);
    wire [5:0] b_place = masks ? mask_at[5:0] - 6'd1 : 6'd40 + seventh[5:0];
    wire [5:0] to_place = masks ? mask_at[5:0] : stores ? stored[5:0] : 6'd40 + at[5:0];
    wire [1:0] does = linear ? 2'd0 : stirs ? 2'd1 : masks ? 2'd2 : 2'd3;

    // -- any one word of the store, and any one of the S-box --------------------------------------
    (* anyconst *) wire [5:0] pick;
    (* anyconst *) wire [8:0] s_pick;
    (* anyconst *) wire [31:0] s_word;
    reg [31:0] word;
    (* anyseq *) wire other_write;  // while nothing is expanded others write as well
    (* anyseq *) wire [31:0] other_word;
    always @(posedge clk) begin
        if (write && write_address == pick) word <= write_data;
        else if (other_write && !busy) word <= other_word;
    end
    // Addresses of the cycles before, and the word as it stood when it was read.
    reg [6*READ-1:0] a_was, b_was;
    reg [32*(LATE+READ)-1:0] word_was;
    always @(posedge clk) begin
        a_was <= {a_was, a_address};
        b_was <= {b_was, b_address};
        word_was <= {word_was, word};
    end
    always @(*) begin
        if (a_was[6*READ-1-:6] == pick) assume (a_data_i == word_was[32*LATE+:32]);
        if (b_was[6*READ-1-:6] == pick) assume (b_data_i == word_was[32*LATE+:32]);
    end
    generate
        if (LOOKUP == 0) begin : g_now
            always @(*) if (s_address == s_pick) assume (s_data_i == s_word);
        end else begin : g_later
            reg [9*LOOKUP-1:0] s_was;
            always @(posedge clk) s_was <= {s_was, s_address};
            always @(*) if (s_was[9*LOOKUP-1-:9] == s_pick) assume (s_data_i == s_word);
        end
    endgenerate

    // A step's operands stand still from the cycle `ready` of the step until its end, which is STEP
    // cycles later.
    wire [3:0] ready = linear ? ((SPLIT != 0) ? 2 * READ : READ) :
        stirs ? ((READ > LOOKUP) ? READ : LOOKUP) : masks ? READ + LOOKUP : READ;
    wire [1:0] kind = operands[135:134];
    wire [31:0] a = operands[127:96], b = operands[95:64], s = operands[63:32],
        before2 = operands[31:0];
    wire [31:0] t1 = earlier[63:32], t2 = earlier[31:0];  // T[i-1], T[i-2]

    always @(*)
        if (known) begin
            // The control is that of the step's number, and a step takes as long as its kind says,
            // whatever the key.
            assert (busy == runs && number <= LAST);
            assert (!write || runs);
            assert (last == (write && number == LAST));
            if (runs) begin
                assert (phase ==
                        (fills ? FILL : linear ? LINEAR : stirs ? STIR : stores ? STORE : MASK));
                assert (fills || masks || round == j);
                assert (!fills || (round == 2'd0 && pass == 2'd0));
                assert (!masks || (round == 2'd0 && pass == 2'd0));
                assert (stirs ? pass == q : pass == 2'd0);
                assert (masks || {5'd0, i} == at);
                assert (masks || stores || {5'd0, i7} == seventh);
                assert (!stores || {5'd0, i4} == from);
                assert (stores || i4 == 4'd0);
                assert (masks ? k == mask_at[5:0] :
                        stores ? k == stored[5:0] : {3'd0, k} == 9'd10 * {7'd0, fills ? 2'd0 : j});
                assert (done ? wait_q == length : wait_q < length);
            end else begin
                assert (!done && phase == IDLE && wait_q == 4'd0);
            end
            // Every step: its operands, and where its result goes.
            if (write) assert (write_address == to_place && wait_q == ready + STEP);
            if (runs && wait_q >= ready) begin
                assert (kind == does);
                if (fills) begin
                    if (at < {5'd0, words}) begin
                        if (pick == a_place) assert (a == word);
                    end else assert (a == (at == {5'd0, words} ? {28'd0, words} : 32'd0));
                end else if (pick == a_place) assert (a == word);
                if ((linear || masks) && pick == b_place) assert (b == word);
                if (linear) assert (operands[133:128] == {at[3:0], j});
                if (linear && pick == 6'd40 + second_back[5:0]) assert (before2 == word);
                if (stirs && t1[8:0] == s_pick) assert (s == s_word);
                if (masks && pick == a_place && 9'd265 + {7'd0, a[1:0]} == s_pick)
                    assert (s == s_word);
            end
            // T[i-1] and T[i-2] are kept beside the store.
            if (runs && !(fills && at < 9'd1) &&
                pick == 6'd40 + (stores || masks ? 6'd14 : first_back[5:0]))
                assert (t1 == word);
            if (runs && !(fills && at < 9'd2) &&
                pick == 6'd40 + (stores || masks ? 6'd13 : second_back[5:0]))
                assert (t2 == word);
        end

    // One cycle of reset at any time: as after the first one.
    always @(posedge clk)
        if (known && $past(rst_i))
            assert (!runs && phase == IDLE && {done, wait_q, k, i4, i7, i, pass, round} ==
                    {1'b0, 4'd0, 6'd0, 4'd0, 4'd8, 4'd0, 2'd0, 2'd0});
endmodule
