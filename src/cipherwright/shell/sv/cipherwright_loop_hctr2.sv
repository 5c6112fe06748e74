// HCTR2 (IACR ePrint 2021/1441) around a loop: one packet after the other, in both directions. A
// packet is a tweak and a text of one block or more; the result is as long as the text.
//
// Words are taken into a memory, one a cycle: the tweak (aad_i) into its upper half, the text into
// its lower one. With last_i the work begins:
//   hash_q    the hash of the lengths, the tweak and the text behind its first block
//   middle_q  the block in the middle, and beside it the hash of the lengths and the tweak
//   stream_q  the text plus the key stream, in place, and the hash of what it becomes
//   out_q     the first block leaves, and then the others
// Blocks of the key stream go into the loop INTERVAL cycles apart, so that each finds the
// multiplier free when it comes back.
//
// Numbers are little-endian: bit k of a word inside is bit k of the standard's number, and byte 0
// is the least significant one. At the ports byte 0 is the most significant one.
//
// The hash is H(x) = (H + x) h x^-n, in GF(2^n) (RFC 8452, section 3). The register of h holds it
// times a constant, FACTOR, so that a product needs no x^-n. The multiplier takes DIGIT
// coefficients of the other factor a cycle, the highest ones first. With REFLECTED = 1 coefficients
// are those of the reflected words (RFC 8452, appendix A).
//
// A packet that breaks a rule leaves nothing but one word with error_o: one with a text shorter
// than a block, with more words of tweak or text than the memory has, with a word that is not whole
// within the tweak or the text, with a word without a byte, or with a tweak behind its text.
`default_nettype none
module cipherwright_loop_hctr2 #(
    parameter integer WIDTH      = 128,
    parameter integer BYTES      = 16,
    parameter integer BYTES_LOG2 = 4,
    parameter integer DEPTH_LOG2 = 8,    // of the words of a text, and of a tweak
    parameter integer DIGIT      = 8,    // coefficients in a cycle, a divisor of WIDTH
    parameter integer STEPS      = 16,   // cycles of a product: WIDTH over DIGIT
    parameter integer INTERVAL   = 19,   // cycles between two blocks of the key stream
    parameter integer REFLECTED  = 1,
    parameter integer TAP_1      = 7,    // the polynomial: x^n, these, and 1
    parameter integer TAP_2      = 2,
    parameter integer TAP_3      = 1
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire             drop_i,          // everything of a packet is forgotten
    input  wire             renew_i,         // a key is taken, or keys of zeros are
    input  wire             expanded_i,      // the loop can use the key
    output wire             complete_o,      // what is made of the key is there
    input  wire             open_i,          // words are taken
    input  wire             valid_i,
    input  wire             aad_i,           // the word is of the tweak
    input  wire             last_i,
    input  wire             decrypt_i,       // with a packet's first word
    input  wire [BYTES-1:0] keep_i,
    input  wire [WIDTH-1:0] block_i,
    output wire             ready_o,
    output wire             inside_o,        // a packet has begun, and its last word has not left
    output wire             valid_o,
    input  wire             ready_i,
    output wire [WIDTH-1:0] block_o,         // 0 without valid_o
    output wire [BYTES-1:0] keep_o,
    output wire             last_o,
    output wire             error_o,
    // The loop: a block goes in with core_valid_o, and its result comes out, some time later.
    output wire             core_valid_o,
    output wire             core_decrypt_o,
    output wire [WIDTH-1:0] core_block_o,
    input  wire             core_ready_i,
    input  wire             core_valid_i,
    input  wire [WIDTH-1:0] core_block_i
);
    // What h is multiplied by: x^-n, or x of reflected words.
    localparam [WIDTH-1:0] HALVED = ({{WIDTH - 1{1'b0}}, 1'b1} << (WIDTH - 1)) |
        ({{WIDTH - 1{1'b0}}, 1'b1} << (TAP_1 - 1)) | ({{WIDTH - 1{1'b0}}, 1'b1} << (TAP_2 - 1)) |
        ({{WIDTH - 1{1'b0}}, 1'b1} << (TAP_3 - 1));
    function automatic [WIDTH-1:0] factor_of(input integer halvings);
        integer n;
        begin
            factor_of = {{WIDTH - 1{1'b0}}, 1'b1};
            for (n = 0; n < halvings; n = n + 1)
            factor_of = (factor_of >> 1) ^ (HALVED & {WIDTH{factor_of[0]}});
        end
    endfunction
    localparam [WIDTH-1:0] FACTOR = REFLECTED != 0 ? {{WIDTH - 2{1'b0}}, 2'd2} : factor_of(WIDTH);
    localparam integer COUNT = $clog2(STEPS + 1);
    localparam integer GAP = $clog2(INTERVAL);
    localparam integer ENTRIES = 2 << DEPTH_LOG2;
    localparam integer LENGTH = DEPTH_LOG2 + 1 + BYTES_LOG2;
    localparam integer FIRST_GAP = INTERVAL - 1;

    // The packet: it has begun; its last word was taken; it breaks a rule.
    reg begun_q, work_q, error_q, decrypt_q;
    reg texts_q, short_q;  // a word of the text was taken; the tweak has a word that is not whole
    reg [DEPTH_LOG2:0] tweaks_q;  // words of the tweak
    reg [LENGTH-1:0] tweak_q;  // bytes of the tweak
    reg [DEPTH_LOG2-1:0] end_q;  // the last word of the text
    reg [BYTES-1:0] keep_q;
    // What is done.
    reg hash_q, middle_q, stream_q, out_q;
    reg lengths_q, ended_q, stale_q, full_q;
    reg asks_q, waits_q, issues_q;
    reg first_q, more_q, held_q, held_last_q, valid_q, last_q;
    // The key.
    reg pending_q, made_q, turns_q, complete_q;
    reg drop_q;
    reg [DEPTH_LOG2-1:0] number_q;
    reg [GAP-1:0] gap_q;
    // The place in the memory: a word of the tweak or of the text.
    reg area_q;
    reg [DEPTH_LOG2:0] at_q;
    reg [WIDTH-1:0] word_q;  // what is hashed next, or leaves
    reg [WIDTH-1:0] start_q, middle_block_q, mask_q;
    reg [WIDTH-1:0] read_q;
    (* ram_style = (DEPTH_LOG2 < 5) ? "distributed" : "block", no_rw_check *)
    reg [WIDTH-1:0] memory[0:ENTRIES-1];
    // The multiplier.
    reg [WIDTH-1:0] key_q, factor_q, sum_q;
    reg [WIDTH+DIGIT-2:0] row_q;
    reg [COUNT-1:0] step_q;
    reg run_q;

    wire clear = drop_i | renew_i;

    // Words that are taken.
    wire take = valid_i & open_i & ready_o;
    wire whole = keep_i[0];
    wire some = keep_i[BYTES-1];
    wire [DEPTH_LOG2:0] place = ~aad_i & ~texts_q ? {DEPTH_LOG2 + 1{1'b0}} : at_q;
    wire beyond = place[DEPTH_LOG2];
    wire wrong_tweak = texts_q | short_q | last_i;
    wire wrong_text = ~whole & (~last_i | ~texts_q);
    wire wrong = beyond | ~some | (aad_i ? wrong_tweak : wrong_text);
    wire ends = take & last_i;
    wire fails = ends & (error_q | wrong);
    wire single = end_q == {DEPTH_LOG2{1'b0}};  // the text is one word
    wire alone = place == {DEPTH_LOG2 + 1{1'b0}};  // the last word is the first one of the text
    wire tweaked = tweaks_q != {DEPTH_LOG2 + 1{1'b0}};
    wire [DEPTH_LOG2:0] next_place = place + 1'b1;

    // Bytes that are not there are 0; behind the text there is a one (section 3, pad).
    wire [WIDTH-1:0] taken, kept;
    wire [BYTES-1:0] edge_at;
    wire [BYTES_LOG2-1:0] rest;
    genvar i, j;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : g_byte
            // Byte i is there, and with edge_at it is the first one that is not.
            if (i == 0) begin : g_first
                assign edge_at[i] = 1'b0;
            end else begin : g_edge
                assign edge_at[i] = ~keep_i[BYTES-1-i] & keep_i[BYTES-i];
            end
            assign taken[8*i+:8] = keep_i[BYTES-1-i] ?
                block_i[WIDTH-8-8*i+:8] : {7'd0, edge_at[i] & ~aad_i};
            assign kept[8*i+:8] = {8{keep_q[BYTES-1-i]}};
        end
        for (i = 0; i < BYTES_LOG2; i = i + 1) begin : g_rest
            wire [BYTES-1:0] chosen;
            for (j = 0; j < BYTES; j = j + 1) begin : g_chosen
                assign chosen[j] = edge_at[j] & ((j >> i) % 2 == 1);
            end
            assign rest[i] = |chosen;
        end
    endgenerate

    // What is hashed: lengths, words of the memory, and those that were just made.
    wire [DEPTH_LOG2:0] next_at = at_q + 1'b1;
    wire at_end = at_q[DEPTH_LOG2-1:0] == end_q;
    wire tweak_end = area_q & next_at == tweaks_q;
    wire fetch = (hash_q | middle_q) & ~full_q & ~lengths_q & ~ended_q & ~stale_q;
    wire last_fetch = middle_q ? tweak_end : area_q ? tweak_end & single : at_end;
    wire idle = step_q == {COUNT{1'b0}} & ~run_q;
    wire load = full_q & idle & (hash_q | middle_q | stream_q);
    wire quiet = ended_q & ~lengths_q & ~full_q & idle;
    wire hashed = hash_q & quiet;
    wire begins_stream = middle_q & quiet & ~asks_q & ~waits_q;
    wire finishes = stream_q & quiet;
    wire comes = stream_q & core_valid_i;
    wire middle_comes = waits_q & core_valid_i;
    wire made = made_q & core_valid_i;
    wire turned = turns_q & idle;

    // Results.
    wire tells = valid_q & ~drop_i;
    wire shows = tells & ~error_q;

    // The loop.
    wire asks_key = pending_q & expanded_i & ~renew_i;
    wire issues = issues_q & gap_q == {GAP{1'b0}};
    assign core_valid_o = core_ready_i & (asks_key | asks_q | issues);
    assign core_decrypt_o = decrypt_q & asks_q;
    wire [WIDTH-1:0] asked = start_q ^ {{WIDTH - DEPTH_LOG2{1'b0}}, number_q};
    wire [WIDTH-1:0] result;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : g_swap
            assign core_block_o[8*i+:8] = asked[WIDTH-8-8*i+:8];
            assign result[8*i+:8] = core_block_i[WIDTH-8-8*i+:8];
            assign block_o[8*i+:8] = word_q[WIDTH-8-8*i+:8] & {8{shows}};
        end
    endgenerate

    wire move = ~valid_q | ready_i;
    wire leaves = held_q & move & ~first_q;
    wire pull = out_q & more_q & (~held_q | leaves);
    wire done = valid_q & ready_i & last_q;
    assign valid_o = tells;
    assign last_o = tells & last_q;
    assign error_o = tells & error_q;
    assign keep_o = {BYTES{shows}} & (keep_q | {BYTES{~last_q}});

    // The memory.
    wire store = (take & ~beyond) | (load & stream_q) | drop_i;
    wire own = work_q | drop_i;
    wire [DEPTH_LOG2:0] where = own ?
        {work_q ? area_q : at_q[DEPTH_LOG2], at_q[DEPTH_LOG2-1:0]} : {aad_i, place[DEPTH_LOG2-1:0]};
    wire [WIDTH-1:0] stored = own ? word_q : taken;
    always @(posedge clk) begin
        if (store) memory[where] <= stored;
        if (~out_q | pull) read_q <= memory[{area_q, at_q[DEPTH_LOG2-1:0]}];
    end

    wire [WIDTH-1:0] length_block = {{WIDTH - LENGTH - 4{1'b0}}, tweak_q, 3'd1, ~keep_q[0]};
    wire [WIDTH-1:0] sum;
    wire [WIDTH-1:0] shown = held_last_q ? kept : {WIDTH{1'b1}};
    wire [WIDTH-1:0] streamed = at_end ? kept : {WIDTH{1'b1}};
    always @(posedge clk) begin
        if (clear) word_q <= {WIDTH{1'b0}};
        else if (lengths_q) word_q <= length_block;
        else if (fetch) word_q <= read_q;
        else if (comes) word_q <= read_q ^ (result & streamed);
        else if (first_q) word_q <= middle_block_q;
        else if (leaves) word_q <= read_q & shown;
        if (clear | done) start_q <= {WIDTH{1'b0}};
        else if (hashed) start_q <= read_q ^ sum;
        else if (middle_comes) start_q <= start_q ^ result ^ mask_q;
        if (clear | done) middle_block_q <= {WIDTH{1'b0}};
        else if (middle_comes) middle_block_q <= result;
        else if (finishes) middle_block_q <= middle_block_q ^ sum;
        if (renew_i) mask_q <= {WIDTH{1'b0}};
        else if (made & number_q[0]) mask_q <= result;
    end

    always @(posedge clk) begin
        if (take & aad_i) begin
            tweak_q <= {place + {{DEPTH_LOG2{1'b0}}, whole}, rest};
        end else if (clear | done) tweak_q <= {LENGTH{1'b0}};
        if (rst_i | clear) keep_q <= {BYTES{1'b0}};
        else if (take) keep_q <= keep_i;
        if (rst_i | clear) end_q <= {DEPTH_LOG2{1'b0}};
        else if (take) end_q <= place[DEPTH_LOG2-1:0];
        if (rst_i | clear) decrypt_q <= 1'b0;
        else if (take & ~begun_q) decrypt_q <= decrypt_i;
    end

    always @(posedge clk) begin
        if (rst_i) begin
            begun_q <= 1'b0;
            work_q <= 1'b0;
            error_q <= 1'b0;
            texts_q <= 1'b0;
            short_q <= 1'b0;
            tweaks_q <= {DEPTH_LOG2 + 1{1'b0}};
            hash_q <= 1'b0;
            middle_q <= 1'b0;
            stream_q <= 1'b0;
            out_q <= 1'b0;
            lengths_q <= 1'b0;
            ended_q <= 1'b0;
            stale_q <= 1'b0;
            full_q <= 1'b0;
            asks_q <= 1'b0;
            waits_q <= 1'b0;
            issues_q <= 1'b0;
            first_q <= 1'b0;
            more_q <= 1'b0;
            held_q <= 1'b0;
            held_last_q <= 1'b0;
            valid_q <= 1'b0;
            last_q <= 1'b0;
            pending_q <= 1'b0;
            made_q <= 1'b0;
            turns_q <= 1'b0;
            complete_q <= 1'b0;
            drop_q <= 1'b0;
            number_q <= {DEPTH_LOG2{1'b0}};
            gap_q <= {GAP{1'b0}};
            area_q <= 1'b0;
            at_q <= {DEPTH_LOG2 + 1{1'b0}};
            step_q <= {COUNT{1'b0}};
            run_q <= 1'b0;
        end else begin
            drop_q <= drop_i;
            begun_q <= ~clear & ~done & (begun_q | take);
            work_q <= ~clear & ~done & (work_q | ends);
            error_q <= ~clear & ~done & (error_q | (take & wrong));
            texts_q <= ~clear & ~done & (texts_q | (take & ~aad_i));
            short_q <= ~clear & ~done & (short_q | (take & ~whole));
            if (clear | done) tweaks_q <= {DEPTH_LOG2 + 1{1'b0}};
            else if (take & aad_i) tweaks_q <= next_place;

            hash_q <= ~clear & ((ends & ~fails) | (hash_q & ~hashed));
            middle_q <= ~clear & (hashed | (middle_q & ~begins_stream));
            stream_q <= ~clear & (begins_stream | (stream_q & ~finishes));
            out_q <= ~clear & (finishes | fails | (out_q & ~done));
            lengths_q <= ~clear & ((ends & ~fails) | hashed);
            if (ends) ended_q <= ~tweaked & alone;
            else if (hashed) ended_q <= ~tweaked;
            else if (begins_stream) ended_q <= single;
            else if (stream_q) ended_q <= ended_q | (load & at_end);
            else ended_q <= ended_q | (fetch & last_fetch);
            stale_q <= fetch | ends | hashed;
            full_q <= ~clear & (lengths_q | fetch | comes | (full_q & ~load));

            asks_q <= ~clear & (hashed | (asks_q & ~core_ready_i));
            waits_q <= ~clear & ((asks_q & core_ready_i) | (waits_q & ~core_valid_i));
            issues_q <= ~clear &
                (begins_stream ? ~single : issues_q & ~(issues & core_ready_i & number_q == end_q));
            if (issues & core_ready_i) gap_q <= FIRST_GAP[GAP-1:0];
            else if (gap_q != {GAP{1'b0}}) gap_q <= gap_q - 1'b1;

            pending_q <= renew_i | turned | (pending_q & ~(asks_key & core_ready_i));
            made_q <= ~renew_i & ((asks_key & core_ready_i) | (made_q & ~core_valid_i));
            turns_q <= ~renew_i & ((made & ~number_q[0]) | (turns_q & ~idle));
            complete_q <= ~renew_i & (complete_q | (made & number_q[0]));
            if (renew_i | finishes | (made & number_q[0])) number_q <= {DEPTH_LOG2{1'b0}};
            else if (turned | begins_stream) number_q <= {{DEPTH_LOG2 - 1{1'b0}}, 1'b1};
            else if (issues & core_ready_i) number_q <= number_q + 1'b1;

            first_q <= ~clear & (finishes | fails);
            more_q <= ~clear & (finishes ? ~single : more_q & ~(pull & at_end));
            held_q <= ~clear & (pull | (held_q & ~leaves));
            if (pull) held_last_q <= at_end;
            valid_q <= ~clear & (first_q | leaves | (valid_q & ~ready_i));
            if (first_q) last_q <= single | error_q;
            else if (leaves) last_q <= held_last_q;

            // Where the next word is.
            if (drop_i ^ drop_q) at_q <= {DEPTH_LOG2 + 1{1'b0}};
            else if (drop_i) at_q <= next_at;
            else if (renew_i | done | (fetch & last_fetch)) at_q <= {DEPTH_LOG2 + 1{1'b0}};
            else if (ends | hashed) at_q <= {{DEPTH_LOG2{1'b0}}, ~tweaked & ~alone};
            else if (take) at_q <= next_place;
            else if (begins_stream | finishes | (fetch & tweak_end))
                at_q <= {{DEPTH_LOG2{1'b0}}, 1'b1};
            else if (fetch | pull | (load & stream_q)) at_q <= next_at;
            if (clear | done) area_q <= 1'b0;
            else if (ends | hashed) area_q <= tweaked;
            else if (fetch & tweak_end) area_q <= 1'b0;

            if (renew_i) step_q <= {COUNT{1'b0}};
            else if (load | (made & ~number_q[0])) step_q <= STEPS[COUNT-1:0];
            else if (step_q != {COUNT{1'b0}}) step_q <= step_q - 1'b1;
            run_q <= ~renew_i & step_q != {COUNT{1'b0}};
        end
    end

    // The product: bit k is the coefficient of x^k.
    wire [WIDTH-1:0] loaded;
    wire [WIDTH+DIGIT-1:0] raised = {sum_q, {DIGIT{1'b0}}} ^ {1'b0, row_q};
    wire [WIDTH-1:0] high = {{WIDTH - DIGIT{1'b0}}, raised[WIDTH+DIGIT-1:WIDTH]};
    wire [WIDTH-1:0] folded = high ^ (high << TAP_1) ^ (high << TAP_2) ^ (high << TAP_3);
    wire [WIDTH-1:0] reduced = raised[WIDTH-1:0] ^ folded;
    wire [WIDTH-1:0] added = made_q ? result : word_q ^ sum;
    reg [WIDTH+DIGIT-2:0] row;
    integer r;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : g_coefficient
            assign loaded[i] = added[REFLECTED!=0?WIDTH-1-i : i];
            assign sum[i] = sum_q[REFLECTED!=0?WIDTH-1-i : i];
        end
    endgenerate
    always @(*) begin
        row = {WIDTH + DIGIT - 1{1'b0}};
        for (r = 0; r < DIGIT; r = r + 1)
        row = row ^ ({{DIGIT - 1{1'b0}}, key_q & {WIDTH{factor_q[WIDTH-DIGIT+r]}}} << r);
    end
    always @(posedge clk) begin
        if (renew_i) key_q <= FACTOR;
        else if (turned) key_q <= sum_q;
        if (renew_i) factor_q <= {WIDTH{1'b0}};
        else if (load | (made & ~number_q[0])) factor_q <= loaded;
        else factor_q <= factor_q << DIGIT;
        if (renew_i) row_q <= {WIDTH + DIGIT - 1{1'b0}};
        else row_q <= row;
        if (renew_i | load | hashed | done | turned) sum_q <= {WIDTH{1'b0}};
        else if (run_q) sum_q <= reduced;
    end

    assign ready_o = complete_q & ~work_q;
    assign inside_o = begun_q;
    assign complete_o = complete_q;
endmodule
`default_nettype wire
