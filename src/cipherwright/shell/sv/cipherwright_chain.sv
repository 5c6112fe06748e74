// A mode of operation around a loop with SLOTS blocks in flight: as many streams of blocks,
// interleaved cycle by cycle.
//
// In the turn of a slot (slot_o) its result comes out of the loop and its next block goes in, so a
// stream's next block is chained to the result that leaves in the same cycle. What a slot keeps
// goes round in a ring of SLOTS words, in step with the loop: `chain`, the word that chaining
// starts from, and where that is needed while the loop computes, `held`, the block that came in.
//
// A counter (CTR) goes up while the loop computes, a piece a turn: its lowest piece leaves at the
// bottom and comes back, counted, at the top, so that it stands as before when all PIECES have
// passed.
//
// After a reset every stream begins anew: its next block comes with first_i. zeroise_i also clears
// all words; the loop drops its blocks in the same cycle.
//
// Lint: the file holds the ring as well; which inputs have readers depends on the mode.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off UNUSEDPARAM
`default_nettype none
module cipherwright_chain #(
    parameter integer WIDTH     = 128,
    parameter integer SLOTS     = 1,
    parameter integer SLOT_BITS = 1,    // of the number of a slot
    parameter integer MODE      = 0,    // 0 CBC, 1 CFB with whole blocks, 2 OFB, 3 CTR
    // 0 encryption, 1 decryption, 2 both, told by decrypt_i with the block
    parameter integer DIRECTION = 0,
    // CTR: bits that count, and the pieces that a counter block is counted in
    parameter integer COUNT     = 128,
    parameter integer PIECES    = 8,
    parameter integer LEFT_BITS = 4     // of a number of pieces
) (
    input  wire                 clk,
    input  wire                 rst_i,
    input  wire                 zeroise_i,
    input  wire                 valid_i,        // only with the loop's ready
    // this block is the first of its stream: chaining starts from iv_i
    input  wire                 first_i,
    input  wire                 decrypt_i,
    input  wire [    WIDTH-1:0] iv_i,
    input  wire [    WIDTH-1:0] block_i,
    output wire [SLOT_BITS-1:0] slot_o,
    output wire [    WIDTH-1:0] block_o,        // with the loop's valid
    // The loop: what goes in with valid_i, what came out, and whether it did.
    output wire [    WIDTH-1:0] core_block_o,
    input  wire                 core_valid_i,
`ifdef FORMAL
    // What the rules in cipherwright_chain_formal.sv speak of, of the active slot.
    output wire [    WIDTH-1:0] f_chain_o,
    output wire [    WIDTH-1:0] f_held_o,
    output wire                 f_decrypted_o,
    output wire                 f_carry_o,
    output wire [LEFT_BITS-1:0] f_left_o,
`endif
    input  wire [    WIDTH-1:0] core_block_i
);
    localparam CBC = 0, CFB = 1, OFB = 2, CTR = 3;
    // whether `held` is a word of its own
    localparam APART = MODE == CTR || (MODE == CBC && DIRECTION != 0);

    wire [WIDTH-1:0] chain, held;
    wire decrypts = DIRECTION == 2 ? decrypt_i : DIRECTION == 1;  // the block that comes
    wire decrypted;  // the block in the loop

    // The block that leaves, and what the next one is chained to.
    wire [WIDTH-1:0]
        leaves = core_block_i ^ (MODE != CBC ? held : decrypted ? chain : {WIDTH{1'b0}});
    wire [WIDTH-1:0] after = MODE == CTR ? chain :
        MODE == OFB ? core_block_i : decrypted ? held : MODE == CBC ? core_block_i : leaves;
    wire [WIDTH-1:0] now = core_valid_i ? after : chain;
    wire [WIDTH-1:0] used = first_i ? iv_i : now;
`ifdef FORMAL
    assign f_chain_o = chain;
    assign f_held_o = held;
    assign f_decrypted_o = decrypted;
`endif
    assign block_o = leaves;
    assign core_block_o = MODE != CBC ? used : decrypts ? block_i : block_i ^ used;

    generate
        if (APART) begin : g_held
            cipherwright_chain_ring #(
                .WIDTH(WIDTH),
                .SLOTS(SLOTS)
            ) u_held (
                .clk(clk),
                .clear_i(zeroise_i),
                .d_i(valid_i ? block_i : held),
                .q_o(held)
            );
        end else begin : g_shared
            assign held = chain;
        end
        if (DIRECTION == 2) begin : g_direction
            cipherwright_chain_ring #(
                .WIDTH(1),
                .SLOTS(SLOTS)
            ) u_direction (
                .clk(clk),
                .clear_i(1'b0),
                .d_i(valid_i ? decrypt_i : decrypted),
                .q_o(decrypted)
            );
        end else begin : g_one_way
            assign decrypted = decrypts;
        end
        if (MODE == CTR) begin : g_counter
            localparam PIECE = WIDTH / PIECES;
            // pieces left when the carry has passed all that counts
            localparam LAST = PIECES - COUNT / PIECE;
            wire [LEFT_BITS-1:0] left;
            wire carry;
            wire [PIECE:0] sum = {1'b0, chain[PIECE-1:0]} + {{PIECE{1'b0}}, carry};
            wire counts = left != {LEFT_BITS{1'b0}};
`ifdef FORMAL
            assign f_carry_o = carry;
            assign f_left_o = left;
`endif
            wire [LEFT_BITS-1:0] fewer = left - {{LEFT_BITS - 1{1'b0}}, counts};
            wire [WIDTH-1:0] turned = counts ? {sum[PIECE-1:0], chain[WIDTH-1:PIECE]} : chain;
            cipherwright_chain_ring #(
                .WIDTH(WIDTH),
                .SLOTS(SLOTS)
            ) u_chain (
                .clk(clk),
                .clear_i(zeroise_i),
                .d_i(valid_i ? used : turned),
                .q_o(chain)
            );
            cipherwright_chain_ring #(
                .WIDTH(LEFT_BITS),
                .SLOTS(SLOTS)
            ) u_left (
                .clk(clk),
                .clear_i(1'b0),
                .d_i(valid_i ? PIECES[LEFT_BITS-1:0] : fewer),
                .q_o(left)
            );
            cipherwright_chain_ring #(
                .WIDTH(1),
                .SLOTS(SLOTS)
            ) u_carry (
                .clk(clk),
                .clear_i(zeroise_i),
                .d_i(valid_i | (sum[PIECE] & (fewer != LAST[LEFT_BITS-1:0]))),
                .q_o(carry)
            );
        end else if (MODE == CBC) begin : g_chain
            cipherwright_chain_ring #(
                .WIDTH(WIDTH),
                .SLOTS(SLOTS)
            ) u_chain (
                .clk(clk),
                .clear_i(zeroise_i),
                .d_i(APART && valid_i ? used : now),
                .q_o(chain)
            );
        end else begin : g_block
            cipherwright_chain_ring #(
                .WIDTH(WIDTH),
                .SLOTS(SLOTS)
            ) u_chain (
                .clk(clk),
                .clear_i(zeroise_i),
                .d_i(valid_i ? block_i : now),
                .q_o(chain)
            );
        end
        if (SLOTS > 1) begin : g_slots
            reg [SLOT_BITS-1:0] slot;
            always @(posedge clk)
                slot <= rst_i || slot == SLOTS[SLOT_BITS-1:0] - 1'b1 ? {SLOT_BITS{1'b0}} :
                    slot + 1'b1;
            assign slot_o = slot;
        end else begin : g_slot
            assign slot_o = 1'b0;
        end
    endgenerate
endmodule

// A word for each slot; the one that is shown is that of the active slot. clear_i makes all of them
// 0.
module cipherwright_chain_ring #(
    parameter integer WIDTH = 1,
    parameter integer SLOTS = 1
) (
    input  wire             clk,
    input  wire             clear_i,
    input  wire [WIDTH-1:0] d_i,
    output wire [WIDTH-1:0] q_o
);
    reg [SLOTS*WIDTH-1:0] words;
    assign q_o = words[SLOTS*WIDTH-1:(SLOTS-1)*WIDTH];
    generate
        if (SLOTS > 1) begin : g_ring
            always @(posedge clk)
                words <= clear_i ? {SLOTS * WIDTH{1'b0}} : {words[(SLOTS-1)*WIDTH-1:0], d_i};
        end else begin : g_word
            always @(posedge clk) words <= clear_i ? {WIDTH{1'b0}} : d_i;
        end
    endgenerate
endmodule
`default_nettype wire
