// GCM (NIST SP 800-38D) around a loop: one packet after the other, in both directions, under a hash
// key H that is made here from E(K, 0).
//
// A word waits in a register until the loop takes its counter block; then it waits beside the loop,
// in a delay as long as a block is in the loop. Words begin at least INTERVAL cycles apart, so each
// finds the multiplier free when it comes back. After a packet's last word the loop takes J0; no
// word of the next packet is taken before the tag is out.
//
// The multiplier takes DIGIT coefficients of one factor a cycle, the highest powers first (Horner's
// rule). A row of registers holds H where its coefficient is 1, and is cleared where it is 0. The
// accumulator has DIGIT coefficients above those of a block, which are reduced in the next step.
// The block of lengths is added in the last step of a packet's last word, and makes one more
// product. What is compared with the expected tag, or shown, is the factor's register.
//
// An IV of 96 bits comes with a packet's first word. With ANY_IV one of another length comes before
// the packet, in words that are hashed as data are. Where a packet's tag would be, the factor is
// then J0 (section 7.1, step 2), of which the next packet's counter blocks are made.
`default_nettype none
module cipherwright_loop_gcm #(
    parameter integer DIGIT    = 9,    // coefficients in a cycle
    parameter integer STEPS    = 15,   // cycles of a product: 128 over DIGIT, rounded up
    parameter integer PLACES   = 11,   // blocks that the loop holds
    parameter integer TAG_BITS = 128,  // of the tag that are shown and compared, its first ones
    parameter integer ANY_IV   = 0     // whether words of an IV are taken (0: iv_word_i is 0)
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         drop_i,        // everything of a packet is forgotten
    input  wire         renew_i,       // a key is taken, or keys of zeros are
    input  wire         expanded_i,    // the loop can use the key
    output wire         complete_o,    // its hash key is there
    input  wire         open_i,        // words are taken
    input  wire         valid_i,
    input  wire [ 15:0] keep_i,
    input  wire         last_i,
    input  wire         aad_i,
    input  wire         iv_word_i,     // the word is of an IV, which ends with last_i
    input  wire         decrypt_i,
    input  wire [ 95:0] iv_i,
    input  wire [127:0] tag_i,
    input  wire [127:0] block_i,
    output wire         ready_o,
    output wire         inside_o,      // a packet has begun, and its last word is not taken
    output wire         valid_o,
    output wire [127:0] block_o,
    output wire [ 15:0] keep_o,
    output wire         last_o,
    output wire         tag_valid_o,
    output wire [127:0] tag_o,
    output wire         good_o,
    // The loop: a block goes in with core_valid_o, and its result comes out, some time later.
    output wire         core_valid_o,
    output wire [127:0] core_block_o,
    input  wire         core_ready_i,
    input  wire         core_fill_i,   // somebody else puts blocks into the loop
    input  wire         core_valid_i,
    input  wire [127:0] core_block_i,
    // What waits beside the loop, with a block that goes in, and with the one that comes out.
    output wire [143:0] wait_word_o,   // the word, and which of its bytes are there
    output wire         wait_shows_o,  // it has a result
    output wire         wait_last_o,   // it is its packet's last
    input  wire [143:0] late_word_i,
    input  wire         late_shows_i,
    input  wire         late_last_i
);
    // Where this decides, both forms are written out whole, so that none leaves logic to the other.
    localparam ANY = ANY_IV != 0;
    localparam integer COUNT = $clog2(STEPS + 1);
    localparam integer FINAL = STEPS;
    localparam integer GAP = $clog2(STEPS + 1);
    localparam [127:0] SHOWN = {128{1'b1}} << (128 - TAG_BITS);

    // The packet, from its first word to its tag.
    reg packet_q, inside_q, close_q, decrypt_q, aad_q;
    reg [95:0] iv_q;
    reg [31:0] number_q;
    reg [127:0] expected_q;
    // The word that waits for the loop; J0 does.
    reg word_q, last_q, initial_q;
    reg [15:0] keep_q;
    reg [127:0] text_q;
    reg [GAP-1:0] gap_q;
    reg free_q;
    // The key: E(K, 0) is asked for, is in the loop, is there.
    reg pending_q, setup_q, complete_q;
    reg [127:0] key_q;

    reg renew_q, clear_q;
    wire clear = clear_q;
    wire take = valid_i & open_i & ready_o;
    wire begun, derives, derived;  // a packet or an IV has begun; an IV is hashed; J0 is there
    wire settles;  // an IV becomes J0
    wire [127:0] initial_block;  // J0 in that cycle
    wire [31:0] initial_number;  // the number in the packet's J0
    wire first = take & ~(ANY ? begun : inside_q);
    // The places of the loop come by in turn. One that was free and has not been taken is free when
    // it comes by again.
    reg [PLACES-1:0] places_q;
    wire place = places_q[PLACES-1];
    wire begins = place & word_q & free_q;
    wire unused = core_ready_i & ~core_valid_o & ~core_fill_i;
    wire begins_initial = place & initial_q & free_q;
    wire asks = place & pending_q & expanded_i & ~renew_q;
    wire ends;

    // What comes out of the loop and of the delay beside it: a word with its key stream, or
    // E(K, J0), which comes after the last word (tail_q). used_q: the result's bytes that are used.
    reg done_q, arrives_q, arrives_word_q, shows_q, ended_q, tail_q;
    reg [127:0] result_q;
    reg [143:0] back_q;
    reg [15:0] used_q;
    wire [15:0] keep_late = late_word_i[15:0];
    always @(posedge clk) begin
        done_q <= ~rst_i & core_valid_i;
        arrives_q <= ~rst_i & core_valid_i & packet_q & ~clear;
        arrives_word_q <= ~rst_i & core_valid_i & packet_q & ~clear & ~tail_q;
        shows_q <= ~rst_i & late_shows_i;
        ended_q <= ~rst_i & late_last_i;
        result_q <= core_block_i;
        back_q <= late_word_i;
        used_q <= {16{tail_q}} | ({16{late_shows_i}} & keep_late);
    end

    generate
        if (PLACES > 1) begin : g_places
            always @(posedge clk)
                if (rst_i) places_q <= {PLACES{1'b1}};
                else places_q <= {places_q[PLACES-2:0], unused};
        end else begin : g_place
            always @(posedge clk)
                if (rst_i) places_q <= 1'b1;
                else places_q <= unused;
        end
    endgenerate

    always @(posedge clk) begin
        if (rst_i) begin
            packet_q <= 1'b0;
            inside_q <= 1'b0;
            close_q <= 1'b0;
            word_q <= 1'b0;
            initial_q <= 1'b0;
            free_q <= 1'b0;
            pending_q <= 1'b0;
            setup_q <= 1'b0;
            complete_q <= 1'b0;
            renew_q <= 1'b0;
            clear_q <= 1'b0;
            aad_q <= 1'b0;
            last_q <= 1'b0;
            decrypt_q <= 1'b0;
            keep_q <= 16'd0;
        end else begin
            renew_q <= renew_i;
            clear_q <= drop_i | renew_i;
            packet_q <= ~clear & (take | (packet_q & ~ends));
            inside_q <= ~clear & (take ? (ANY ? ~last_i | iv_word_i : ~last_i) : inside_q);
            close_q <= ~clear & (take ? last_i : close_q & (ANY ? ~ends & ~settles : ~ends));
            word_q <= ~clear & (take | (word_q & ~begins));
            initial_q <= ~clear & ((ANY ? begins & last_q & ~derives : begins & last_q) |
                                   (initial_q & ~begins_initial));
            free_q <= gap_q == {GAP{1'b0}} & ~begins;
            pending_q <= renew_q | (pending_q & ~asks);
            setup_q <= ~renew_q & (asks | (setup_q & ~done_q));
            complete_q <= ~renew_q & (complete_q | (setup_q & done_q));
            if (take) aad_q <= ANY ? aad_i & ~iv_word_i : aad_i;
            if (take) last_q <= last_i;
            if (first) decrypt_q <= decrypt_i;
            if (clear) keep_q <= 16'd0;
            else if (take) keep_q <= keep_i;
        end
        if (rst_i | clear) gap_q <= {GAP{1'b0}};
        else if (begins) gap_q <= STEPS[GAP-1:0];
        else if (gap_q != {GAP{1'b0}}) gap_q <= gap_q - 1'b1;

        if (clear) iv_q <= 96'd0;
        else if (ANY ? settles | (first & ~derived) : first)
            iv_q <= ANY ? (settles ? initial_block[127:32] : iv_i) : iv_i;
        if (clear) number_q <= 32'd0;
        else if (ANY ? settles | (first & ~derived) : first)
            number_q <= ANY ? (settles ? initial_block[31:0] : 32'd2) : 32'd2;
        else if (begins & last_q) number_q <= ANY ? initial_number : 32'd1;
        else if (ANY ? (begins & ~aad_q) | (first & derived) : begins & ~aad_q)
            number_q <= number_q + 1'b1;
        if (clear) expected_q <= 128'd0;
        else if (take & last_i) expected_q <= tag_i;
        if (renew_q) key_q <= 128'd0;
        else if (setup_q & done_q) key_q <= result_q;
    end

    // Bytes that are not there are 0.
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : g_text
            always @(posedge clk)
                if (clear | (take & ~keep_i[i])) text_q[8*i+:8] <= 8'd0;
                else if (take) text_q[8*i+:8] <= block_i[8*i+:8];
        end
    endgenerate

    // Lengths: whole words, and bytes of one that is not; additional data before data.
    reg [31:0] words_q, aad_words_q;
    reg [3:0] rest_q, aad_rest_q;
    wire turn = (take & inside_q & aad_q & ~aad_i) | (begins_initial & aad_q);
    wire [3:0] rest;
    assign rest[3] = keep_q[8] & ~keep_q[0];
    assign rest[2] = (keep_q[12] & ~keep_q[8]) | (keep_q[4] & ~keep_q[0]);
    assign rest[1] = (keep_q[14] & ~keep_q[12]) | (keep_q[10] & ~keep_q[8]) |
        (keep_q[6] & ~keep_q[4]) | (keep_q[2] & ~keep_q[0]);
    assign rest[0] = (keep_q[15] & ~keep_q[14]) | (keep_q[13] & ~keep_q[12]) |
        (keep_q[11] & ~keep_q[10]) | (keep_q[9] & ~keep_q[8]) | (keep_q[7] & ~keep_q[6]) |
        (keep_q[5] & ~keep_q[4]) | (keep_q[3] & ~keep_q[2]) | (keep_q[1] & ~keep_q[0]);
    always @(posedge clk) begin
        if (clear | first | turn) begin
            words_q <= 32'd0;
            rest_q <= 4'd0;
        end else if (begins) begin
            words_q <= words_q + {31'd0, keep_q[0]};
            rest_q <= rest;
        end
        if (clear | first) begin
            aad_words_q <= 32'd0;
            aad_rest_q <= 4'd0;
        end else if (turn) begin
            aad_words_q <= words_q;
            aad_rest_q <= rest_q;
        end
    end
    wire [127:0] lengths = {25'd0, aad_words_q, aad_rest_q, 3'd0, 25'd0, words_q, rest_q, 3'd0};

    // The same a cycle later, as the multiplier and the result read it.
    reg came_q, data_q, last_word_q, sealed_q;
    reg [127:0] stream_q, late_q;
    reg [15:0] late_keep_q;
    wire [127:0] late_block;
    wire [15:0] late_keep;
    assign {late_block, late_keep} = back_q;
    wire word_comes = arrives_word_q & ~clear;
    always @(posedge clk) begin
        came_q <= ~rst_i & word_comes;
        tail_q <= ~rst_i & ~clear & ~ends &
            (tail_q | (ANY ? arrives_q & ended_q & ~derives : arrives_q & ended_q));
        sealed_q <= ~rst_i & ~clear & ~ends & (sealed_q | (arrives_q & tail_q));
        data_q <= ~rst_i & shows_q;
        last_word_q <= ~rst_i & ended_q & word_comes;
        late_keep_q <= late_keep;
        late_q <= word_comes ? late_block : 128'd0;
    end
    generate
        for (i = 0; i < 16; i = i + 1) begin : g_stream
            always @(posedge clk)
                if (clear | ~used_q[i]) stream_q[8*i+:8] <= 8'd0;
                else if (arrives_q) stream_q[8*i+:8] <= result_q[8*i+:8];
        end
    endgenerate

    // Results.
    reg valid_q, shown_last_q;
    reg [15:0] shown_keep_q;
    reg [127:0] shown_q;
    wire shows = came_q & data_q & ~clear;
    always @(posedge clk) begin
        valid_q <= ~rst_i & shows;
        if (shows) begin
            shown_q <= stream_q ^ late_q;
            shown_keep_q <= late_keep_q;
            shown_last_q <= last_word_q;
        end else begin
            shown_q <= 128'd0;
            shown_keep_q <= 16'd0;
            shown_last_q <= 1'b0;
        end
    end
    assign valid_o = valid_q;
    assign block_o = shown_q;
    assign keep_o = shown_keep_q;
    assign last_o = shown_last_q;

    // The product of a factor and the hash key. In digits and the accumulator, bit j is the
    // coefficient of t^j; in words it is bit 127 - j.
    localparam integer TOP = 128 + DIGIT;
    reg [127:0] factor_q;
    reg [DIGIT-1:0] zeros_q;  // coefficients of the digit, inverted: a row that is cleared
    reg [COUNT-1:0] step_q;
    reg run_q, rows_q, product_q, lengths_q, tag_q;
    reg [TOP-1:0] sum_q;
    reg [127:0] added_q;
    // The factor's register is loaded, in the cycle of came_q, lengths_q or tag_q; the key stream
    // is part of what it is loaded with. Both go far, so each is a register.
    reg load_q, adds_stream_q;
    wire last_step = step_q == FINAL[COUNT-1:0];

    wire [127:0] reduced, factor;
    generate
        genvar j, k;
        for (j = 0; j < 128; j = j + 1) begin : g_reduced
            wire [DIGIT-1:0] high = sum_q[TOP-1:128];
            wire folded = (j < DIGIT ? high[j<DIGIT?j : 0] : 1'b0) ^
                (j >= 1 && j < DIGIT + 1 ? high[j>=1&&j<DIGIT+1?j-1 : 0] : 1'b0) ^
                (j >= 2 && j < DIGIT + 2 ? high[j>=2&&j<DIGIT+2?j-2 : 0] : 1'b0) ^
                (j >= 7 && j < DIGIT + 7 ? high[j>=7&&j<DIGIT+7?j-7 : 0] : 1'b0);
            assign reduced[j] = sum_q[j] ^ folded;
            assign factor[127-j] = reduced[j] ^ late_q[127-j] ^ (stream_q[127-j] & adds_stream_q);
        end
    endgenerate

    // Digits of the factor, from the highest powers on. The first one is taken while the factor is
    // loaded; then the factor moves up by a digit a cycle, and the next one is always at NEXT.
    localparam integer NEXT = DIGIT * (STEPS - 2);
    wire [DIGIT-1:0] loaded, chosen;
    wire [127:0] moved;
    generate
        for (k = 0; k < DIGIT; k = k + 1) begin : g_digit
            localparam integer HIGHEST = DIGIT * (STEPS - 1) + k;
            assign chosen[k] = factor_q[127-NEXT-k];
            assign loaded[k] = HIGHEST < 128 ? factor[HIGHEST<128?127-HIGHEST : 0] : 1'b0;
        end
    endgenerate
    assign moved = factor_q >> DIGIT;  // bit 127 - j is the coefficient of t^j

    // Row k is H where the digit's coefficient k is 1.
    reg [128*DIGIT-1:0] products_q;
    reg [TOP-1:0] next;
    wire [127:0] key_t, added_t;
    integer r;
    generate
        for (j = 0; j < 128; j = j + 1) begin : g_reversed
            assign key_t[j] = key_q[127-j];
            assign added_t[j] = added_q[127-j];
        end
    endgenerate
    always @(posedge clk)
        for (r = 0; r < DIGIT; r = r + 1)
            products_q[128*r+:128] <= zeros_q[r] ? 128'd0 : key_t;
    always @(*) begin
        next = {reduced, {DIGIT{1'b0}}} ^ {{DIGIT{1'b0}}, added_t};
        for (r = 0; r < DIGIT; r = r + 1)
        next = next ^ ({{DIGIT{1'b0}}, products_q[128*r+:128]} << r);
    end

    reg last_product_q, length_product_q;
    wire done = rows_q & ~run_q;
    wire lengths_next = ~clear & done & last_product_q;
    wire tag_next = ~clear & product_q & ~tag_q & (ANY ? sealed_q | derives : sealed_q);
    always @(posedge clk) begin
        run_q <= ~rst_i & ~clear & ((came_q | lengths_q) | (run_q & ~last_step));
        rows_q <= ~rst_i & ~clear & run_q;
        lengths_q <= ~rst_i & lengths_next;
        product_q <= ~rst_i & ~clear & ((done & length_product_q) | (product_q & ~tag_q));
        tag_q <= ~rst_i & tag_next;
        load_q <= ~rst_i & (word_comes | lengths_next | tag_next);
        adds_stream_q <= ~rst_i & (tag_next | (word_comes & ~decrypt_q));
        last_product_q <= ~rst_i & ~clear & (came_q ? last_word_q : last_product_q & ~lengths_q);
        length_product_q <= ~rst_i & ~clear & (lengths_q | (length_product_q & ~tag_q));
        step_q <= rst_i ? {COUNT{1'b0}} : load_q ? {COUNT{1'b0}} + 1'b1 : step_q + 1'b1;
        zeros_q <= ~(load_q ? loaded : chosen);
        if (clear) factor_q <= 128'd0;
        else if (load_q) factor_q <= factor;
        else if (run_q) factor_q <= moved;
        if (run_q & last_product_q & last_step) added_q <= lengths;
        else added_q <= 128'd0;
        if (clear | load_q) sum_q <= {TOP{1'b0}};
        else if (rows_q) sum_q <= next;
    end

    // The tag and the verdict.
    reg final_q, compare_q, tag_valid_q, good_q;
    reg [15:0] unequal_q;
    reg [127:0] tag_out_q;
    always @(posedge clk) begin
        final_q <= ~rst_i & ~clear & tag_q;
        compare_q <= ~rst_i & ~clear & (ANY ? final_q & ~derives : final_q);
        tag_valid_q <= ~rst_i & ~clear & compare_q;
        good_q <= ~rst_i & ~clear & compare_q & decrypt_q & ~(|unequal_q);
        if (compare_q & ~decrypt_q & ~clear) tag_out_q <= factor_q & SHOWN;
        else tag_out_q <= 128'd0;
    end
    generate
        for (i = 0; i < 16; i = i + 1) begin : g_unequal
            always @(posedge clk)
                unequal_q[i] <= |((factor_q[8*i+:8] ^ expected_q[8*i+:8]) & SHOWN[8*i+:8]);
        end
    endgenerate
    assign ends = compare_q;
    assign tag_valid_o = tag_valid_q & ~drop_i;
    assign tag_o = tag_out_q;
    assign good_o = good_q & ~drop_i;

    // An IV is hashed, and then the factor's register has J0.
    generate
        if (ANY_IV != 0) begin : g_any_iv
            reg begun_q, derives_q, derived_q;
            reg [31:0] initial_number_q;
            always @(posedge clk) begin
                if (rst_i) begin
                    begun_q <= 1'b0;
                    derives_q <= 1'b0;
                    derived_q <= 1'b0;
                end else begin
                    begun_q <= ~clear & (take ? ~last_i : begun_q);
                    derives_q <= ~clear & (first ? iv_word_i : derives_q);
                    derived_q <= ~clear & ~ends & (settles | derived_q);
                end
                if (clear | ends) initial_number_q <= 32'd1;
                else if (settles) initial_number_q <= factor_q[31:0];
            end
            assign begun = begun_q;
            assign derives = derives_q;
            assign derived = derived_q;
            assign settles = final_q & derives_q;
            assign initial_block = factor_q;
            assign initial_number = initial_number_q;
        end else begin : g_iv_of_96_bits
            assign begun = 1'b0;
            assign derives = 1'b0;
            assign derived = 1'b0;
            assign settles = 1'b0;
            assign initial_block = 128'd0;
            assign initial_number = 32'd1;
        end
    endgenerate

    assign ready_o = complete_q & ~word_q & ~close_q;
    assign inside_o = inside_q;
    assign complete_o = complete_q & ~renew_q;
    assign core_valid_o = begins | begins_initial | asks;
    assign core_block_o = {iv_q, number_q};
    assign wait_word_o = {text_q, keep_q};
    assign wait_shows_o = ~aad_q & (ANY ? ~derives & keep_q[15] : keep_q[15]);
    assign wait_last_o = last_q;
endmodule
`default_nettype wire
