// CMAC (NIST SP 800-38B) around a loop: the tag of one message after the other, under subkeys that
// are made here from E(K, 0).
//
// One register, `sum`, holds what the next block of the loop adds up: the result of the block
// before, and the word that was taken, padded and with its subkey. It is cleared when a block
// begins, and the result of a message's last block is not added to it. So it is 0 when a message
// begins.
//
// A word is taken while the loop works on the one before. So the loop begins a block in the second
// cycle after the result before. After a reset, and from renew_i until the subkeys of the new key
// are there, no word is taken. drop_i and renew_i end every message.
`default_nettype none
module cipherwright_mac #(
    parameter integer WIDTH    = 128,  // of a block: 64 or 128
    parameter integer BYTES    = 16,   // of a block
    parameter integer RB       = 135,  // R_b of section 5.3: 27 for 64 bits, 135 for 128
    parameter integer TAG_BITS = 128   // of the tag that are shown, its first ones
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire             drop_i,        // everything of a message is forgotten
    input  wire             renew_i,       // a key is taken, or keys of zeros are
    input  wire             expanded_i,    // the loop can use the key
    output wire             complete_o,    // its subkeys are there
    input  wire             open_i,        // words are taken
    input  wire             valid_i,
    input  wire             last_i,        // the message ends with this word
    input  wire [BYTES-1:0] keep_i,        // bytes that are there; all in a word before the last
    input  wire [WIDTH-1:0] block_i,
    output wire             ready_o,
    output wire             inside_o,      // a message has begun, and its last word is not taken
    output wire             tag_valid_o,
    output wire [WIDTH-1:0] tag_o,         // 0 without tag_valid_o
    // The loop: a block goes in with core_valid_o, and its result comes out, some time later.
    output wire             core_valid_o,
    output wire [WIDTH-1:0] core_block_o,
    input  wire             core_ready_i,
    input  wire             core_valid_i,
`ifdef FORMAL
    // What the rules in cipherwright_mac_formal.sv speak of.
    output wire [WIDTH-1:0] f_sum_o,
    output wire [WIDTH-1:0] f_k1_o,
    output wire [WIDTH-1:0] f_k2_o,
    output wire             f_word_o,
    output wire             f_last_o,
    output wire             f_run_o,
    output wire             f_chain_o,
    output wire             f_final_o,
    output wire             f_setup_o,
    output wire             f_pending_o,
`endif
    input  wire [WIDTH-1:0] core_block_i
);
    localparam [WIDTH-1:0] R_B = {{WIDTH - 8{1'b0}}, RB[7:0]};
    // Section 6.1, steps 2 and 3: a block times x in GF(2^WIDTH).
    function automatic [WIDTH-1:0] doubled(input [WIDTH-1:0] x);
        doubled = {x[WIDTH-2:0], 1'b0} ^ ({WIDTH{x[WIDTH-1]}} & R_B);
    endfunction
    localparam [WIDTH-1:0] SHOWN = {WIDTH{1'b1}} << (WIDTH - TAG_BITS);

    reg [WIDTH-1:0] sum_q, k1_q;
    // sum_q holds a word, the last of its message; a message has begun.
    reg word_q, last_q, inside_q;
    // In the loop: a block; one whose result is added, is the tag, gives the subkeys.
    reg run_q, chain_q, final_q, setup_q;
    reg pending_q, complete_q;

    wire clear = drop_i | renew_i;
    wire take = valid_i & open_i & ready_o;
    wire begins = core_ready_i & ~run_q & word_q;
    wire asks = core_ready_i & ~run_q & pending_q & expanded_i & ~renew_i;
    wire made = core_valid_i & setup_q;

    // Section 6.2, steps 1 to 4: the bytes that are there, then a one and zeros; the last word has
    // a subkey.
    wire [WIDTH-1:0] padded;
    generate
        genvar i;
        for (i = 0; i < BYTES; i = i + 1) begin : g_byte
            wire first_absent = ~keep_i[i] & (i == BYTES - 1 ? 1'b1 : keep_i[(i+1)%BYTES]);
            assign padded[8*i+:8] = keep_i[i] ? block_i[8*i+:8] : {first_absent, 7'd0};
        end
    endgenerate
    wire whole = keep_i[0];
    wire [WIDTH-1:0] k2 = doubled(k1_q);
    wire [WIDTH-1:0] subkey = (k1_q & {WIDTH{last_i & whole}}) ^ (k2 & {WIDTH{last_i & ~whole}});
    wire [WIDTH-1:0] taken = (padded ^ subkey) & {WIDTH{take}};
    wire [WIDTH-1:0] added = core_block_i & {WIDTH{core_valid_i & chain_q}};

    always @(posedge clk) begin
        if (rst_i | clear | begins) sum_q <= {WIDTH{1'b0}};
        else sum_q <= sum_q ^ taken ^ added;
        if (rst_i | renew_i) k1_q <= {WIDTH{1'b0}};
        else if (made) k1_q <= doubled(core_block_i);
        if (rst_i) begin
            word_q <= 1'b0;
            last_q <= 1'b0;
            inside_q <= 1'b0;
            run_q <= 1'b0;
            chain_q <= 1'b0;
            final_q <= 1'b0;
            setup_q <= 1'b0;
            pending_q <= 1'b0;
            complete_q <= 1'b0;
        end else begin
            word_q <= ~clear & (take | (word_q & ~begins));
            last_q <= ~clear & (take ? last_i : last_q);
            inside_q <= ~clear & (take ? ~last_i : inside_q);
            run_q <= core_valid_o | (run_q & ~core_valid_i);
            chain_q <= ~clear & (begins ? ~last_q : chain_q & ~core_valid_i);
            final_q <= ~clear & (begins ? last_q : final_q & ~core_valid_i);
            setup_q <= ~renew_i & (asks | (setup_q & ~core_valid_i));
            pending_q <= renew_i | (pending_q & ~asks);
            complete_q <= ~renew_i & (complete_q | made);
        end
    end

    assign ready_o = complete_q & ~word_q;
    assign inside_o = inside_q;
    assign complete_o = complete_q;
    assign tag_valid_o = core_valid_i & final_q & ~drop_i;
    assign tag_o = core_block_i & SHOWN & {WIDTH{tag_valid_o}};
    assign core_valid_o = begins | asks;
    assign core_block_o = sum_q;
`ifdef FORMAL
    assign f_sum_o = sum_q;
    assign f_k1_o = k1_q;
    assign f_k2_o = k2;
    assign f_word_o = word_q;
    assign f_last_o = last_q;
    assign f_run_o = run_q;
    assign f_chain_o = chain_q;
    assign f_final_o = final_q;
    assign f_setup_o = setup_q;
    assign f_pending_o = pending_q;
`endif
endmodule
`default_nettype wire
