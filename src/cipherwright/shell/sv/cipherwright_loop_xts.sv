// XTS (IEEE 1619, NIST SP 800-38E) around a loop: one data unit after the other, with ciphertext
// stealing. P_j, C_j and T are the standard's plaintext, ciphertext and tweak of block j.
//
// A unit's number is encrypted under K2 while the unit before goes on; then it is the tweak of the
// first block, and waits for the end of that unit. A word is held until the next one is offered,
// since only then it is known whether its result gives bytes away; the last whole word goes by
// itself. So a word goes into the loop in the cycle in which the next one is taken.
//
// Where the last word is short, the block before it goes first, in decryption with the tweak of the
// word behind it. Its result, cut to the short word's length, is the short word's result. What is
// cut off fills the short word up, and that goes through the loop with the other one of the two
// tweaks: its result is late. Until it is in the loop, no other word is taken; numbers are.
//
// A block is in one of the loop's places, and each place comes by every PLACES cycles. What belongs
// to the place that comes by is the same for a block and for its result: the tweak is in
// late_tweak_i, which is wait_tweak_o of PLACES cycles before; what is special about the block is
// in kind_q.
//
// drop_i ends every unit. A key is taken while there is none.
`default_nettype none
module cipherwright_loop_xts #(
    parameter integer BOTH   = 0,         // 1: units are decrypted as well
    parameter integer PLACES = 1,         // of the loop
    parameter integer BYTES  = 16,        // of a block
    parameter integer WIDTH  = 8 * BYTES  // of a block
) (
    input  wire                clk,
    input  wire                rst_i,
    input  wire                drop_i,          // everything of a unit is forgotten
    input  wire                renew_i,         // a key is taken, or keys of zeros are
    input  wire                expanded_i,      // the loop can use the key
    output wire                complete_o,      // so can the mode
    input  wire                open_i,          // words are taken
    input  wire                may_i,           // unit numbers are taken
    input  wire                unit_valid_i,
    input  wire [   WIDTH-1:0] unit_i,
    output wire                unit_ready_o,
    input  wire                valid_i,
    input  wire                last_i,          // the unit ends with this word
    input  wire                decrypt_i,       // the unit is decrypted
    input  wire [   BYTES-1:0] keep_i,          // bytes that are there, from the left
    input  wire [   WIDTH-1:0] block_i,
    output wire                ready_o,
    output wire                pending_o,       // a unit's last word was not taken
    output wire                valid_o,
    output wire [   WIDTH-1:0] block_o,         // 0 without valid_o
    output wire [   BYTES-1:0] keep_o,
    output wire                last_o,
    output wire                late_o,          // it is that of the last whole word
    // The loop: a block goes in with core_valid_o, under K2 with core_second_o, and its result
    // comes out, in the order of the blocks.
    output wire                core_valid_o,
    output wire [   WIDTH-1:0] core_block_o,
    output wire                core_second_o,
    output wire                core_decrypt_o,
    input  wire                core_ready_i,
    input  wire                core_valid_i,
    // The tweak of the place that comes by.
    output wire [   WIDTH-1:0] wait_tweak_o,
    input  wire [   WIDTH-1:0] late_tweak_i,
`ifdef FORMAL
    // What the rules in cipherwright_loop_xts_formal.sv speak of.
    output wire [         9:0] f_state_o,
    output wire [   WIDTH-1:0] f_next_o,
    output wire [   WIDTH-1:0] f_tweak_o,
    output wire [   WIDTH-1:0] f_text_o,
    output wire [   BYTES-1:0] f_keep_o,
    output wire [4*PLACES-1:0] f_kind_o,
`endif
    input  wire [   WIDTH-1:0] core_block_i
);
    // A block is one of these, or a word's with nothing special.
    localparam integer NUMBER = 0;  // a unit's number
    localparam integer STEALS = 1;  // its result gives bytes away
    localparam integer LATE = 2;  // it has taken bytes in
    localparam integer LAST = 3;  // its result is the unit's last

    // A block times alpha (section 5.2): byte 0 is the least significant one.
    function automatic [WIDTH-1:0] doubled(input [WIDTH-1:0] x);
        integer k;
        begin
            for (k = 0; k < BYTES; k = k + 1) begin
                doubled[8*k+:8] = {x[8*k+:7], k < BYTES - 1 && x[8*((k+1)%BYTES)+7]};
            end
            doubled[WIDTH-1-:8] = doubled[WIDTH-1-:8] ^ ({8{x[7]}} & 8'h87);
        end
    endfunction

    // The next unit: its number is here, is in the loop, has become its tweak.
    reg asked_q, making_q, there_q;
    reg [WIDTH-1:0] next_q;
    // The unit that goes on: it has a tweak, its last word was taken. tweak_q is that of the word
    // which goes next.
    reg unit_q, closed_q;
    reg [WIDTH-1:0] tweak_q;
    // The word that is held, whether it ends its unit and is decrypted.
    reg word_q, last_q, decrypt_q;
    reg [WIDTH-1:0] text_q;
    // A short word is held: it waits for the bytes, it has them.
    reg short_q, filled_q;
    reg [BYTES-1:0] keep_q;
    reg complete_q;

    wire announce = unit_valid_i & unit_ready_o;
    wire take = valid_i & open_i & ready_o;
    wire short = last_i & ~keep_i[0];

    // What goes into the loop: a number first, then a short word that is filled up, then a word.
    wire asks = core_ready_i & asked_q;
    wire free = core_ready_i & ~asked_q & word_q;
    wire fills = free & short_q & filled_q;
    wire can = free & ~short_q;
    wire goes = can & (last_q | (valid_i & open_i));
    wire steals = goes & ~last_q & short;
    wire ends = fills | (goes & last_q);  // the unit's last block goes
    wire turns = there_q & (ends | ~unit_q);  // the next unit begins
    // In decryption the block in front of a short word has the short word's tweak.
    wire back = BOTH != 0 & decrypt_q & ~last_q & ~short_q & short;
    wire [WIDTH-1:0] following = doubled(tweak_q);
    wire [WIDTH-1:0] used = back ? following : tweak_q;

    // What leaves it.
    reg [4*PLACES-1:0] kind_q;
    wire [3:0] kind = kind_q[4*PLACES-1-:4];
    wire made = core_valid_i & kind[NUMBER];
    wire gives = core_valid_i & kind[STEALS];
    wire [WIDTH-1:0] result = core_block_i ^ late_tweak_i;
    wire [WIDTH-1:0] stolen;
    wire [3:0] going = {goes & last_q, fills, steals, asks};
    integer n;
    wire [3:0] kept = core_valid_o | drop_i ? going : kind;
    generate
        genvar i;
        for (i = 0; i < BYTES; i = i + 1) begin : g_byte
            assign stolen[8*i+:8] = keep_q[i] ? text_q[8*i+:8] : result[8*i+:8];
        end
    endgenerate

    always @(posedge clk) begin
        if (rst_i) begin
            asked_q <= 1'b0;
            making_q <= 1'b0;
            there_q <= 1'b0;
            unit_q <= 1'b0;
            closed_q <= 1'b0;
            word_q <= 1'b0;
            last_q <= 1'b0;
            short_q <= 1'b0;
            filled_q <= 1'b0;
            complete_q <= 1'b0;
        end else begin
            asked_q <= ~drop_i & (announce | (asked_q & ~asks));
            making_q <= ~drop_i & (asks | (making_q & ~made));
            there_q <= ~drop_i & (made | (there_q & ~turns));
            unit_q <= ~drop_i & (turns | (unit_q & ~ends));
            closed_q <= ~drop_i & (take ? last_i : closed_q & ~ends);
            word_q <= ~drop_i & (take | (word_q & ~goes & ~fills));
            last_q <= ~drop_i & (take ? last_i & ~(short & word_q) : last_q & ~goes);
            short_q <= ~drop_i & (steals | (short_q & ~fills));
            filled_q <= ~drop_i & (gives | (filled_q & ~fills));
            complete_q <= ~renew_i & expanded_i;
        end

        // The ring of the places: what comes by goes to its end.
        for (n = 0; n < PLACES; n = n + 1) begin
            if (rst_i) kind_q[4*n+:4] <= 4'd0;
            else kind_q[4*n+:4] <= n == 0 ? kept : kind_q[4*(n==0?0 : n-1)+:4];
        end

        if (drop_i) begin
            next_q <= {WIDTH{1'b0}};
            tweak_q <= {WIDTH{1'b0}};
            text_q <= {WIDTH{1'b0}};
            keep_q <= {BYTES{1'b0}};
            decrypt_q <= 1'b0;
        end else begin
            if (announce) next_q <= unit_i;
            else if (made) next_q <= core_block_i;
            if (turns) tweak_q <= next_q;
            else if (goes & ~back) tweak_q <= following;
            if (take) text_q <= block_i;
            else if (gives) text_q <= stolen;
            if (take) keep_q <= keep_i;
            if (take) decrypt_q <= decrypt_i;
        end
    end

    // Results pass a register.
    reg valid_q, late_q, ended_q;
    reg [WIDTH-1:0] block_q;
    reg [BYTES-1:0] kept_q;
    wire shows = core_valid_i & ~kind[NUMBER] & ~drop_i & ~rst_i;
    always @(posedge clk) begin
        if (rst_i) begin
            valid_q <= 1'b0;
            late_q <= 1'b0;
            ended_q <= 1'b0;
        end else begin
            valid_q <= shows;
            late_q <= shows & kind[LATE];
            ended_q <= shows & (kind[LAST] | kind[STEALS]);
        end
        kept_q <= {BYTES{shows}} & (keep_q | {BYTES{~kind[STEALS]}});
    end
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : g_shown
            wire shown = shows & (keep_q[i] | ~kind[STEALS]);
            always @(posedge clk) block_q[8*i+:8] <= result[8*i+:8] & {8{shown}};
        end
    endgenerate

`ifdef FORMAL
    assign f_state_o = {
        asked_q, making_q, there_q, unit_q, closed_q, word_q, last_q, decrypt_q, short_q, filled_q
    };
    assign f_next_o = next_q;
    assign f_tweak_o = tweak_q;
    assign f_text_o = text_q;
    assign f_keep_o = keep_q;
    assign f_kind_o = kind_q;
`endif

    assign complete_o = complete_q;
    assign unit_ready_o = may_i & ~drop_i & ~asked_q & ~making_q & ~there_q;
    assign ready_o = unit_q & ~closed_q & (~word_q | can);
    assign pending_o = asked_q | making_q | there_q | (unit_q & ~closed_q);
    assign valid_o = valid_q;
    assign block_o = block_q;
    assign keep_o = kept_q;
    assign last_o = ended_q;
    assign late_o = late_q;
    assign core_valid_o = asks | fills | goes;
    assign core_second_o = asked_q;
    assign core_block_o = asked_q ? next_q : text_q ^ used;
    assign core_decrypt_o = decrypt_q & ~asked_q;
    assign wait_tweak_o = core_valid_o | drop_i ? used : late_tweak_i;
endmodule
`default_nettype wire
