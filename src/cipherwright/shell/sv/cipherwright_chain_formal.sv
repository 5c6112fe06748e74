// Rules of cipherwright_chain, by induction for all times: any pattern of blocks, streams and
// directions, of resets and zeroising.
//
// Every stream, block for block, is what the mode of operation says: what goes into the loop with a
// block, and what leaves, given what the loop made of it. The loop is any that keeps a slot's block
// for a number of turns, any number, in CTR more than PIECES; so what it computes is free, and so
// is what the other slots do. After zeroising all words are 0.
//
// Checked by SymbiYosys (chain.sby), with a slot that is any of SLOTS. SLOTS and WIDTH are
// parameters. The rules speak of the watched slot in its turns only, and each proof assumes and
// shows them over one round of SLOTS cycles, in which its words only move; nothing else depends on
// the number of slots.
`default_nettype none
module cipherwright_chain_formal #(
    parameter integer WIDTH     = 32,
    parameter integer SLOTS     = 2,
    parameter integer SLOT_BITS = 4,
    parameter integer MODE      = 0,
    parameter integer DIRECTION = 2,
    parameter integer COUNT     = 32,
    parameter integer PIECES    = 8
) (
    input wire             clk,
    input wire             rst_i,
    input wire             zeroise_i,
    input wire             offer_i,
    input wire             first_i,
    input wire             decrypt_i,
    input wire [WIDTH-1:0] iv_i,
    input wire [WIDTH-1:0] block_i
);
    localparam CBC = 0, CFB = 1, OFB = 2, CTR = 3;
    localparam integer PIECE = WIDTH / PIECES;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);
    wire clear = rst_i | zeroise_i;

    // The loop, as the watched slot sees it: a block, the turns that it has been there, what comes
    // out; other slots do anything.
    (* anyconst *) wire [SLOT_BITS-1:0] watched;
    always @(*) assume (watched < SLOTS);
    (* anyseq *) wire ends, other_load, other_done;
    (* anyseq *) wire [WIDTH-1:0] made_of_it, garbage;
    wire [SLOT_BITS-1:0] slot;
    wire mine = slot == watched;
    reg busy, known, clean;
    reg [4:0] turns;
    reg [WIDTH-1:0] made;
    wire done = mine ? busy && ends && (MODE != CTR || turns > PIECES) : other_done;
    wire load = mine ? offer_i && (!busy || done) : other_load;

    wire [WIDTH-1:0] core_block, block, chain, held;
    wire decrypted, carry;
    wire [4:0] left;
    cipherwright_chain #(
        .WIDTH(WIDTH),
        .SLOTS(SLOTS),
        .SLOT_BITS(SLOT_BITS),
        .MODE(MODE),
        .DIRECTION(DIRECTION),
        .COUNT(COUNT),
        .PIECES(PIECES),
        .LEFT_BITS(5)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .valid_i(load),
        .first_i(first_i),
        .decrypt_i(decrypt_i),
        .iv_i(iv_i),
        .block_i(block_i),
        .slot_o(slot),
        .block_o(block),
        .core_block_o(core_block),
        .core_valid_i(done),
        .core_block_i(mine && done ? made : garbage),
        .f_chain_o(chain),
        .f_held_o(held),
        .f_decrypted_o(decrypted),
        .f_carry_o(carry),
        .f_left_o(left)
    );

    // The stream as its mode's definition has it: the word that the next block is chained to.
    wire decrypts = DIRECTION == 2 ? decrypt_i : DIRECTION == 1;
    reg [WIDTH-1:0] link, from_q, block_q;
    reg decrypts_q;
    wire [WIDTH-1:0] counts = {WIDTH{1'b1}} >> (WIDTH - COUNT);
    wire [WIDTH-1:0] from = first_i ? iv_i : link;
    wire [WIDTH-1:0] result = MODE == CBC && !decrypts ? made_of_it :
        MODE == CBC ? made_of_it ^ from : made_of_it ^ block_i;
    // a sum without a carry chain
    wire [WIDTH-1:0] counted = from ^ (below_are_ones(from) & counts);
    // bit i: whether all bits below bit i are ones
    function automatic [WIDTH-1:0] below_are_ones(input [WIDTH-1:0] x);
        integer i;
        begin
            below_are_ones[0] = 1'b1;
            for (i = 1; i < WIDTH; i = i + 1) below_are_ones[i] = below_are_ones[i-1] & x[i-1];
        end
    endfunction
    wire [WIDTH-1:0] ones = below_are_ones(from_q);
    reg [WIDTH-1:0] expected, counted_q;
    always @(posedge clk) begin
        if (mine && load) begin
            made <= made_of_it;
            expected <= result;
            from_q <= from;
            block_q <= block_i;
            decrypts_q <= decrypts;
            counted_q <= counted;
            link <= MODE == CTR ? counted : MODE == OFB ? made_of_it : decrypts ? block_i : result;
        end
        if (clear) begin
            busy <= 1'b0;
            known <= 1'b0;
        end else if (mine) begin
            busy <= load || (busy && !done);
            known <= known || load;
        end
        if (mine) turns <= load ? 5'd1 : turns > PIECES ? turns : turns + 5'd1;
        if (rst_i) clean <= 1'b0;
        else if (zeroise_i) clean <= 1'b1;
        else if (mine && load) clean <= 1'b0;
    end
    // a stream begins with its first block, after a reset again
    always @(*) if (mine && load && !clear) assume (first_i || known);
    always @(*)
        if (started)
            assert (((from + 1'b1) & counts) == ((from ^ below_are_ones(from)) & counts));
    // The claim.
    always @(*)
        if (started && mine && !clear) begin
            if (load)
                assert (core_block == (MODE != CBC ? from : decrypts ? block_i : block_i ^ from));
            if (done) assert (block == expected);
        end

    // What holds in every turn of the slot, which carries the induction.
    // of which the word shows what begins a piece higher every turn
    wire [2*WIDTH-1:0] both = {counted_q, from_q};
    integer j;
    always @(*)
        if (started) begin
            assert (slot < SLOTS);
            assert (!busy || (known && turns != 5'd0 && turns <= PIECES + 1));
            assert (!clean || !known);
            if (mine && known && !busy) assert (chain == link && (MODE != CTR || left == 5'd0));
            if (mine && busy) begin
                if (DIRECTION != 2)
                    assert (decrypts_q == (DIRECTION == 1));
                    else if (MODE == CBC || MODE == CFB) assert (decrypted == decrypts_q);
                if (MODE == CBC && decrypts_q) assert (chain == from_q && held == block_q);
                if (MODE == CBC)
                    assert (link == (decrypts_q ? block_q : made) &&
                            expected == (decrypts_q ? made ^ from_q : made));
                if (MODE != CBC) assert (held == block_q && expected == (made ^ block_q));
                if (MODE == CFB) assert (link == (decrypts_q ? block_q : expected));
                if (MODE == OFB) assert (link == made);
                if (MODE == CTR) begin
                    assert (link == counted_q && counted_q == (from_q ^ (ones & counts)));
                    assert (left == PIECES + 1 - turns);
                    for (j = 0; j <= PIECES; j = j + 1) begin
                        if (turns == j + 1) begin
                            assert (chain == both[PIECE*j+:WIDTH]);
                            if (j < PIECES)
                                assert (carry == (ones[PIECE*j] && (j == 0 || PIECE * j < COUNT)));
                        end
                    end
                end
            end
            if (mine && clean) assert (chain == 0 && held == 0 && (MODE != CTR || !carry));
        end
endmodule
`default_nettype wire
