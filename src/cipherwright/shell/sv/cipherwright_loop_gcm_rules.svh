// Rules of cipherwright_loop_gcm, by induction for all times: any packets, any pauses, resets,
// keys and zeroising in any cycle. They are put inside the module, after its own text
// (tests/shell/loop_gcm_rules.py).
//
// A counter block has its packet's IV, and for its n-th word of data the number n more than that
// in J0, modulo 2^32; E(K, J0) goes into the loop once, behind the packet's last word. H is what
// the loop made of 0 under the key that was taken last, and no word is taken before it is there. A
// word is given into the loop, and into the delay beside it, as it was taken, its absent bytes 0.
// What comes out of both is its result, and is added to the packet's hash: additional data and
// ciphertext in either direction. The hash begins with 0; each word, and the block of the packet's
// lengths at its end, makes one product, whose factor is the sum before and that word; a product
// takes the factor's digits each once, the highest powers first (Horner's rule), reduced by t^128
// = t^7 + t^2 + t + 1. The tag is the last product and the packet's own E(K, J0); the verdict is
// that it is the expected one in the bits that are shown. An IV that is hashed is the J0 of the
// packet behind it, and of no other. No word is lost, and none is used twice. At no other time the
// ports show anything, but for the cycle after a reset. After a new key or zeroising every
// register of packets is 0 three cycles later, until a word is taken. A block goes in where the
// loop is ready, and J0 is in it before the lengths are read.
//
// Assumed of the loop and the delay: PLACES blocks in turn, each for F_TURNS turns, after which
// its result comes out beside what went in with it; what it computes is free. A place is ready
// where it has no block, and not where its block stays; where it leaves just then, either.
// Somebody else puts blocks in only when packets are forgotten for two cycles and the key is
// complete. While such a block or one of a packet that was forgotten is in the loop, no word is
// taken, and the key is not said to be expanded, or is still being renewed. The control around the
// module sees to these: its rules (cipherwright_control_rules.svh) are that no key is taken while
// a block is in flight, that no block is taken until a key was taken after zeroising, and that a
// phase of zeroising, the first of which renews the key, is as long as a block is in flight. Words
// are as the guide says: bytes from the left, short words only at the end of additional data or
// data, no data before additional data, a word without bytes only as a packet.
//
// DIGIT, STEPS, PLACES and F_TURNS are narrow in the proof; the text is the same for any. Where
// DIGIT * STEPS is less than 128, a factor has so many coefficients, the lowest.
//
// Not shown: how long anything takes; that the loop is E (verify's proof of the datapath).
localparam integer F_CIPHER = PLACES * `F_TURNS;  // cycles of a block in the loop
localparam integer F_DONE = F_CIPHER - 1;  // the place of a block whose result comes out
localparam integer F_BEHIND = 2 * STEPS + 7 > 2 * PLACES ? 2 * STEPS + 7 : 2 * PLACES;
localparam integer F_LINE = F_CIPHER + F_BEHIND;
localparam integer F_GAP = STEPS + 2;
localparam [127:0] F_SHOWN = {128{1'b1}} << (128 - TAG_BITS);
integer f_i, f_k;
reg f_started = 1'b0;
always @(posedge clk) f_started <= 1'b1;
always @(*) if (!f_started) assume (rst_i);

function automatic [127:0] f_mask(input [15:0] keep);
    integer i;
    for (i = 0; i < 16; i = i + 1) f_mask[8*i+:8] = {8{keep[i]}};
endfunction
function automatic [4:0] f_count(input [15:0] keep);
    integer i;
    begin
        f_count = 5'd0;
        for (i = 0; i < 16; i = i + 1) f_count = keep[15-i] ? i[4:0] + 5'd1 : f_count;
    end
endfunction
// In SP 800-38D bit 127 of a block is the coefficient of t^0.
function automatic [127:0] f_reversed(input [127:0] a);
    integer k;
    for (k = 0; k < 128; k = k + 1) f_reversed[127-k] = a[k];
endfunction
// t^128 = t^7 + t^2 + t + 1
function automatic [127:0] f_fold(input [TOP-1:0] a);
    reg [127:0] high;
    begin
        high = a >> 128;
        f_fold = a[127:0] ^ high ^ (high << 1) ^ (high << 2) ^ (high << 7);
    end
endfunction

// -- the loop: what is in it, the youngest block first, and for how long it is out of it
reg [F_LINE-1:0] f_any, f_word, f_last, f_zero, f_setup;
reg [146*F_CIPHER-1:0] f_beside;
reg f_forget, f_forgot, f_renew;
// -- the packet
reg f_in, f_inside, f_close, f_aad, f_decrypt, f_iv_words, f_derived, f_short;
reg [95:0] f_iv;
reg [31:0] f_base, f_number;
reg [35:0] f_aad_bytes, f_data_bytes;
reg [127:0] f_wanted;
// -- the word that waits; whether J0 does
reg f_waits, f_waits_last, f_waits_aad, f_waits_zero;
reg [15:0] f_waits_keep;
reg [127:0] f_waits_text;
// -- the key
reg f_keyed;
reg [127:0] f_key;
// -- a word after its result, by cycles
reg f_shows_1, f_shows_2, f_shows_3, f_last_3;
reg [127:0] f_text_1, f_text_2, f_made_1, f_made_2, f_shown_3;
reg [15:0] f_keep_1, f_keep_2, f_keep_3;
// -- the sum, the product, E(K, J0), the tag
reg [TOP-1:0] f_sum;  // what the sum has to be
reg f_begun;  // the packet's first product has
reg [127:0] f_factor, f_mark, f_tag;
reg [15:0] f_step;
reg f_tail, f_sealed, f_multiplied, f_tag_0, f_tag_1, f_tag_2, f_tag_3;

wire f_take = valid_i & open_i & ready_o;
wire f_first = f_take & ~f_in;
wire f_begins_word = core_valid_o & f_waits;
wire f_begins_zero = core_valid_o & ~f_waits & f_waits_zero;
wire f_begins_setup = core_valid_o & ~f_waits & ~f_waits_zero;
wire f_settles = f_tag_1 & f_iv_words;
wire [145:0] f_late = f_beside[146*F_DONE+:146];

// What is assumed.
wire f_stray = |(f_any[F_DONE:0] & ~(f_word[F_DONE:0] | f_zero[F_DONE:0] | f_setup[F_DONE:0]));
reg f_vacant, f_taken;  // the place that comes by has no block, and one that stays
always @(*) begin
    f_taken = 1'b0;
    for (f_k = 1; f_k < `F_TURNS; f_k = f_k + 1) f_taken = f_taken | f_any[f_k*PLACES-1];
    f_vacant = ~f_taken & ~f_any[F_DONE];
end
always @(*) begin
    assume (core_valid_i == f_any[F_DONE]);
    if (f_vacant) assume (core_ready_i);
    if (f_taken) assume (!core_ready_i);
    if (f_word[F_DONE]) assume ({late_word_i, late_shows_i, late_last_i} == f_late);
    if (f_stray) assume (!open_i && (!expanded_i || f_renew));
    if (core_fill_i) assume (f_forget && f_forgot && complete_o);
    // Words.
    if (ANY_IV == 0) assume (!iv_word_i);
    if (valid_i) begin
        assume ((~keep_i & (~keep_i + 16'd1)) == 16'd0);
        if (f_in) assume (iv_word_i == f_iv_words);
        if (f_in && !f_iv_words && !f_aad) assume (!aad_i);
        if (f_in && f_short) assume (!aad_i);
        if (!keep_i[0]) assume (last_i || (aad_i && !iv_word_i));
        if (!keep_i[15]) assume (last_i && !f_in && !iv_word_i);
        if (f_derived) assume (!iv_word_i);
    end
end

always @(posedge clk) begin
    f_renew <= !rst_i && renew_i;
    f_forget <= !rst_i && (drop_i || renew_i);
    f_forgot <= !rst_i && f_forget;

    f_in <= !rst_i && !f_forget && (f_take ? !last_i : f_in);
    f_inside <= !rst_i && !f_forget && (f_take ? !last_i || iv_word_i : f_inside);
    f_close <= !rst_i && !f_forget && (f_take ? last_i : f_close && !f_tag_2 && !f_settles);
    f_iv_words <= !rst_i && !f_forget && (f_first ? iv_word_i : f_iv_words);
    f_derived <= !rst_i && !f_forget && !f_tag_2 && (f_settles || f_derived);
    if (f_take) begin
        f_aad <= aad_i && !iv_word_i;
        f_short <= !keep_i[0];
        f_waits_last <= last_i;
        f_waits_aad <= aad_i && !iv_word_i;
        f_waits_keep <= keep_i;
        f_waits_text <= block_i & f_mask(keep_i);
        if (last_i) f_wanted <= tag_i;
    end
    if (f_first) begin
        f_decrypt <= decrypt_i;
        f_number <= 32'd0;
        f_aad_bytes <= 36'd0;
        f_data_bytes <= 36'd0;
        if (!f_derived) begin
            f_iv <= iv_i;
            f_base <= 32'd1;
        end
    end else if (f_begins_word) begin
        if (f_waits_aad) f_aad_bytes <= f_aad_bytes + f_count(f_waits_keep);
        else f_data_bytes <= f_data_bytes + f_count(f_waits_keep);
        if (!f_waits_aad) f_number <= f_number + 32'd1;
    end
    if (f_settles) {f_iv, f_base} <= f_tag;
    f_waits <= !rst_i && !f_forget && (f_take || (f_waits && !f_begins_word));
    f_waits_zero <= !rst_i && !f_forget &&
        ((f_begins_word && f_waits_last && !f_iv_words) || (f_waits_zero && !f_begins_zero));

    // The loop.
    if (rst_i) begin
        f_any <= {F_LINE{1'b0}};
        f_setup <= {F_LINE{1'b0}};
    end else begin
        f_any <= {f_any[F_LINE-2:0], core_valid_o | (core_fill_i & core_ready_i)};
        f_setup <= f_renew ? {F_LINE{1'b0}} : {f_setup[F_LINE-2:0], f_begins_setup};
    end
    if (rst_i || f_forget) begin
        f_word <= {F_LINE{1'b0}};
        f_last <= {F_LINE{1'b0}};
        f_zero <= {F_LINE{1'b0}};
    end else begin
        f_word <= {f_word[F_LINE-2:0], f_begins_word};
        f_last <= {f_last[F_LINE-2:0], f_begins_word & f_waits_last};
        f_zero <= {f_zero[F_LINE-2:0], f_begins_zero};
    end
    f_beside <= {f_beside[146*F_DONE-1:0], wait_word_o, wait_shows_o, wait_last_o};
    f_keyed <= !rst_i && !f_renew && (f_keyed || f_setup[F_DONE+1]);
    if (f_setup[F_DONE]) f_key <= core_block_i;

    // Words with their key stream.
    {f_text_1, f_keep_1, f_shows_1} <= f_late[145:1];
    f_made_1 <= core_block_i;
    {f_text_2, f_keep_2, f_shows_2} <= {f_text_1, f_keep_1, f_shows_1};
    f_made_2 <= f_made_1;
    f_shows_3 <= !rst_i && !f_forget && f_word[F_DONE+2] && f_shows_2;
    f_shown_3 <= (f_text_2 ^ f_made_2) & f_mask(f_keep_2);
    f_keep_3 <= f_keep_2;
    f_last_3 <= f_last[F_DONE+2];
    if (f_zero[F_DONE]) f_mark <= core_block_i;

    // GHASH.
    f_begun <= !f_first && (f_begun || f_word[F_DONE+2]);
    if (f_forget || f_word[F_DONE+2] || f_last[F_DONE+4+STEPS] || f_tag_0) f_sum <= {TOP{1'b0}};
    else if (f_step >= 1 && f_step <= STEPS) f_sum <= f_next;
    else f_sum <= sum_q;
    if (f_word[F_DONE+2])
        f_factor <= f_value ^ (f_shows_2 && !f_decrypt ? (f_text_2 ^ f_made_2) & f_mask(
            f_keep_2
        ) : f_text_2 & f_mask(
            f_keep_2
        ));
    else if (f_last[F_DONE+4+STEPS]) f_factor <= f_value;
    if (rst_i || f_forget) f_step <= STEPS + 1;
    else if (f_word[F_DONE+2] || f_last[F_DONE+4+STEPS]) f_step <= 16'd0;
    else if (f_step <= STEPS) f_step <= f_step + 16'd1;

    // The tag.
    f_tail <= !rst_i && !f_forget && !f_tag_2 && (f_tail || (f_last[F_DONE+1] && !f_iv_words));
    f_sealed <= !rst_i && !f_forget && !f_tag_2 && (f_sealed || f_zero[F_DONE+1]);
    f_multiplied <= !rst_i && !f_forget && (f_last[F_DONE+5+2*STEPS] || (f_multiplied && !f_tag_0));
    f_tag_0 <= !rst_i && !f_forget && f_multiplied && !f_tag_0 && (f_sealed || f_iv_words);
    f_tag_1 <= !rst_i && !f_forget && f_tag_0;
    if (f_tag_0) f_tag <= f_value ^ (f_iv_words ? 128'd0 : f_mark);
    f_tag_2 <= !rst_i && !f_forget && f_tag_1 && !f_iv_words;
    f_tag_3 <= !rst_i && !f_forget && f_tag_2;
end
wire [127:0] f_lengths = {25'd0, f_aad_bytes, 3'd0, 25'd0, f_data_bytes, 3'd0};
// Digit d of the factor, the highest powers first; coefficient k of it is t^k.
function automatic [DIGIT-1:0] f_digit(input [127:0] a, input integer d);
    integer k;
    for (k = 0; k < DIGIT; k = k + 1)
    f_digit[k] = DIGIT * (STEPS - 1 - d) + k < 128 && a[127-(DIGIT*(STEPS-1-d)+k)];
endfunction
reg [TOP-1:0] f_next;
always @(*) begin
    f_next = {f_fold(sum_q), {DIGIT{1'b0}}} ^
        (f_last[F_DONE+3+STEPS] ? f_reversed(f_lengths) : 128'd0);
    for (f_i = 0; f_i < DIGIT; f_i = f_i + 1)
    f_next = f_next ^ ({{DIGIT{1'b0}}, products_q[128*f_i+:128]} << f_i);
end
wire [127:0] f_value = f_reversed(f_fold(sum_q));

// The claim.
wire [31:0] f_counter = f_base + 32'd1 + f_number;
always @(*)
    if (f_started && !rst_i) begin
        if (core_valid_o) assert (core_ready_i && !core_fill_i);
        if (f_begins_word) begin
            if (!f_forget && !f_iv_words && !f_waits_aad)
                assert (core_block_o == {f_iv, f_counter});
            if (!f_forget) begin
                assert (wait_word_o == {f_waits_text, f_waits_keep});
                assert (wait_shows_o == (!f_iv_words && !f_waits_aad && f_waits_keep[15]));
                assert (wait_last_o == f_waits_last);
            end
        end
        if (f_begins_zero && !f_forget) assert (core_block_o == {f_iv, f_base});
        if (f_begins_setup) assert (core_block_o == 128'd0 && !f_keyed && expanded_i && !f_renew);
        if (f_take) assert (f_keyed && !f_waits && !f_close);
        assert (complete_o == (f_keyed && !f_renew));
        assert (inside_o == f_inside);
        assert (valid_o == f_shows_3);
        assert (tag_valid_o == (f_tag_3 && !drop_i));
        if (!f_reset) begin
            assert (block_o == (valid_o ? f_shown_3 : 128'd0));
            assert (keep_o == (valid_o ? f_keep_3 : 16'd0));
            assert (last_o == (valid_o && f_last_3));
            assert (tag_o == (f_tag_3 && !f_decrypt_3 ? f_tag_4 : 128'd0));
        end
        assert (good_o == (tag_valid_o && f_decrypt_3 && f_equal_3));
    end
reg f_decrypt_3, f_equal_3, f_reset;
reg [127:0] f_tag_4;
always @(posedge clk) begin
    f_reset <= rst_i;
    f_decrypt_3 <= f_decrypt;
    f_tag_4 <= f_tag & F_SHOWN;
    f_equal_3 <= (f_tag & F_SHOWN) == (f_wanted & F_SHOWN);
end


// What holds at all times, which carries the induction.
localparam integer F_END = F_DONE + 5 + 2 * STEPS;  // a packet's last product ends
wire f_packet = f_in | f_close | f_derived;
wire f_aims = f_close & ~f_waits;  // the last word has begun
wire f_open = f_in | f_close;
wire [F_LINE-1:0] f_live = f_word | f_zero | f_setup;
wire [F_LINE-1:0] f_old = f_any & ~f_word & ~f_zero;
reg [F_LINE-1:0] f_younger;  // there is a younger word
reg [2:0] f_erased;  // cycles since everything was forgotten, while nothing is taken
always @(*) begin
    f_younger[0] = 1'b0;
    for (f_k = 1; f_k < F_LINE; f_k = f_k + 1) f_younger[f_k] = f_younger[f_k-1] | f_word[f_k-1];
end
always @(posedge clk)
    f_erased <= rst_i ? 3'd0 : f_forget ? 3'd1 :
        f_take ? 3'd0 : f_erased == 3'd0 || f_erased == 3'd3 ? f_erased : f_erased + 3'd1;
genvar f_j, f_d;
generate
    // The places of the loop: one that is not free has a block, or had one a turn ago.
    for (f_j = 0; f_j < PLACES; f_j = f_j + 1) begin : g_f_place
        wire [`F_TURNS:0] blocks;
        for (f_d = 0; f_d <= `F_TURNS; f_d = f_d + 1) assign blocks[f_d] = f_any[f_d*PLACES+f_j];
        always @(*)
            if (f_started) begin
                if (places_q[f_j])
                    assert (!(|blocks[`F_TURNS-1:0]));
                    else assert (|blocks);
            end
    end
    // J0 waits: so many cycles no place was free.
    for (f_j = 1; f_j <= PLACES; f_j = f_j + 1) begin : g_f_wait
        wire [`F_TURNS:0] blocks;
        for (f_d = 0; f_d <= `F_TURNS; f_d = f_d + 1)
            assign blocks[f_d] = f_any[(f_d+1)*PLACES-1+f_j];
        for (f_d = STEPS + 1 + f_j; f_d <= F_END; f_d = f_d + 1)
        always @(*) if (f_started && f_waits_zero && f_last[f_d]) assert (|blocks);
    end
    // Words are apart.
    for (f_j = 0; f_j < F_LINE; f_j = f_j + 1)
    for (f_d = 1; f_d < F_GAP && f_j + f_d < F_LINE; f_d = f_d + 1)
    always @(*) if (f_started) assert (!((f_word[f_j] || f_zero[f_j]) && f_word[f_j+f_d]));
    for (f_j = 0; f_j <= STEPS; f_j = f_j + 1)
    always @(*) if (f_started && f_word[f_j]) assert (gap_q == STEPS - f_j && !free_q);
    for (f_j = STEPS + 1; f_j <= F_END; f_j = f_j + 1)
    always @(*) if (f_started && f_last[f_j]) assert (gap_q == 0 && free_q);
    // What is in the loop.
    for (f_j = 0; f_j < F_LINE; f_j = f_j + 1)
    always @(*)
        if (f_started) begin
            if (f_live[f_j]) assert (f_any[f_j]);
            assert (!(f_word[f_j] && f_zero[f_j]) &&
                    !(f_setup[f_j] && (f_word[f_j] || f_zero[f_j])));
            if (f_last[f_j]) assert (f_word[f_j]);
            if (f_word[f_j]) begin
                assert ((f_old >> (f_j + 1)) % (1 << F_CIPHER) == 0);
                assert (f_j > F_END || (f_old & ((1 << f_j) - 1)) == 0);
            end
            if (f_word[f_j] || f_zero[f_j])
                assert ((f_zero >> (f_j + 1)) % (1 << (F_CIPHER + 3)) == 0);
            if (f_j <= F_END && f_word[f_j]) assert (f_open);
            if (f_j <= F_END && f_last[f_j]) assert (f_aims && !f_younger[f_j]);
            if (f_j <= F_DONE + 3 && f_zero[f_j])
                assert (f_aims && !f_iv_words && !f_waits_zero && !f_younger[f_j] &&
                        f_zero[F_DONE+3:0] == (1 << f_j) && f_sealed == (f_j > F_DONE + 1));
            if (f_j <= F_DONE + 1 && f_setup[f_j]) assert (f_any[F_DONE+1:0] == (1 << f_j));
        end
    for (f_j = 0; f_j <= F_DONE; f_j = f_j + 1)
    always @(*)
        if (f_started && f_word[f_j]) begin
            assert (f_beside[146*f_j] == f_last[f_j]);
            assert (!f_beside[146*f_j+1] || !f_iv_words);
            assert ((f_beside[146*f_j+18+:128] & ~f_mask(f_beside[146*f_j+2+:16])) == 128'd0);
        end
    // The product: digit f_j of the factor.
    for (f_j = 0; f_j <= STEPS; f_j = f_j + 1)
    always @(*)
        if (f_started) begin
            if (f_word[F_DONE+3+f_j] || f_last[F_DONE+5+STEPS+f_j]) assert (f_step == f_j);
        end
    for (f_j = 0; f_j < STEPS; f_j = f_j + 1) begin : g_f_digit
        wire [DIGIT-1:0] digit = f_digit(f_factor, f_j);
        always @(*)
            if (f_started && run_q && f_step == f_j) begin
                assert (factor_q == f_factor >> (DIGIT * f_j));
                assert (zeros_q == ~digit && step_q == f_j + 1);
            end
        for (f_d = 0; f_d < DIGIT; f_d = f_d + 1)
        always @(*)
            if (f_started && rows_q && f_step == f_j + 1)
                assert (products_q[128*f_d+:128] == (digit[f_d] ? key_t : 128'd0));
    end
    for (f_j = 0; f_j < 16; f_j = f_j + 1)
    always @(*)
        if (f_started && f_tag_2)
            assert (unequal_q[f_j] ==
                    (((f_tag[8*f_j+:8] ^ f_wanted[8*f_j+:8]) & F_SHOWN[8*f_j+:8]) != 8'd0));
endgenerate
always @(*)
    if (f_started) begin
        // The key.
        assert (complete_q == f_keyed && renew_q == f_renew && clear_q == f_forget);
        assert (!f_renew || f_forget);
        assert (setup_q == |f_setup[F_DONE+1:0] && done_q == f_any[F_DONE+1]);
        assert (!(pending_q && setup_q) && !(pending_q && f_keyed) && !(setup_q && f_keyed));
        if (f_keyed) assert (key_q == f_key);
        if (pending_q || setup_q) assert ({key_q, iv_q, number_q} == 0);
        if (f_setup[F_DONE+1]) assert (f_key == result_q);
        if (f_packet) assert (f_keyed);

        // The packet.
        assert (packet_q == f_packet && inside_q == f_inside && close_q == f_close);
        assert (word_q == f_waits && initial_q == f_waits_zero);
        assert (!(f_in && f_close) && f_inside == (f_in || f_iv_words));
        assert (derives == f_iv_words && derived == f_derived && begun == (ANY_IV != 0 && f_in));
        if (f_iv_words)
            assert (f_packet && f_derived == !f_open);
            else assert (!f_derived || f_open);
        if (ANY_IV == 0) assert (!f_iv_words && !f_derived);
        if (f_waits) assert (f_open && f_waits_last == f_close);
        if (f_waits_zero) assert (f_aims && !f_iv_words);
        if (f_open) begin
            assert (last_q == f_close && aad_q == f_aad && keep_q == f_waits_keep);
            assert (f_waits_aad == f_aad && f_waits_last == f_close && f_short == !keep_q[0]);
            assert (text_q == f_waits_text && decrypt_q == f_decrypt);
            assert ((f_waits_text & ~f_mask(f_waits_keep)) == 128'd0);
            assert ((~keep_q & (~keep_q + 16'd1)) == 16'd0);
            if (!f_iv_words) begin
                assert (iv_q == f_iv && initial_number == f_base);
                assert (number_q == (f_aims ? f_base : f_counter));
            end
            if (f_close) assert (expected_q == f_wanted);
        end else assert (!f_waits);
        if (f_derived) assert (iv_q == f_iv && initial_number == f_base);
        if (f_derived && f_iv_words) assert (number_q == f_base);
        if (!f_derived && (f_keyed || pending_q || setup_q)) assert (initial_number == 32'd1);

        // Lengths.
        if (f_open) begin
            if (f_aad && (!f_aims || f_waits_zero)) begin
                assert ({words_q, rest_q} == f_aad_bytes && {aad_words_q, aad_rest_q} == 36'd0);
                assert (f_data_bytes == 36'd0);
            end else begin
                assert ({words_q, rest_q} == f_data_bytes);
                assert ({aad_words_q, aad_rest_q} == f_aad_bytes);
            end
            if (f_aad) assert (f_data_bytes == 36'd0 && !f_iv_words);
            if (f_iv_words) assert (f_aad_bytes == 36'd0);
            if (f_in && f_short) assert (f_aad);
            if (f_waits || !f_short)
                assert ((f_aad ? f_aad_bytes[3:0] : f_data_bytes[3:0]) == 4'd0);
        end
        if (f_aad && !f_iv_words && |f_last[F_END:F_DONE+2+STEPS]) assert (!f_waits_zero);
        if (f_multiplied || f_tag_1 || f_tag_2) assert (!f_aad || !f_waits_zero);

        // What comes out of the loop.
        if (f_packet)
            assert ((f_any[F_DONE+1:0] & ~(f_word[F_DONE+1:0] | f_zero[F_DONE+1:0])) == 0);
        assert (arrives_q == (f_word[F_DONE+1] || f_zero[F_DONE+1]));
        assert (arrives_word_q == f_word[F_DONE+1] && came_q == f_word[F_DONE+2]);
        if (f_word[F_DONE+1]) begin
            assert (result_q == f_made_1 && back_q == {f_text_1, f_keep_1});
            assert (shows_q == f_shows_1 && ended_q == f_last[F_DONE+1]);
            assert (used_q == (f_shows_1 ? f_keep_1 : 16'd0) && !(f_shows_1 && f_iv_words));
            assert ((f_text_1 & ~f_mask(f_keep_1)) == 128'd0);
        end
        if (f_zero[F_DONE+1]) assert (result_q == f_mark && used_q == 16'hffff);
        if (f_word[F_DONE+2]) begin
            assert (stream_q == (f_shows_2 ? f_made_2 & f_mask(f_keep_2) : 128'd0));
            assert (late_q == f_text_2 && late_keep_q == f_keep_2 && data_q == f_shows_2);
            assert (last_word_q == f_last[F_DONE+2] && !(f_shows_2 && f_iv_words));
            assert ((f_text_2 & ~f_mask(f_keep_2)) == 128'd0);
        end else if (f_packet) assert (late_q == 128'd0);
        if (f_sealed) assert (stream_q == f_mark && used_q == 16'hffff);
        if (f_iv_words && (|f_last[F_END:F_DONE+2] || f_multiplied)) assert (stream_q == 128'd0);
        assert (tail_q == f_tail && sealed_q == f_sealed);
        if (f_tail) assert (f_aims && !f_iv_words && !(|f_word[F_DONE+1:0]));
        if (f_aims && !f_iv_words) begin
            assert (f_tail || |f_last[F_DONE+1:0]);
            assert (f_waits_zero + |f_zero[F_DONE+1:0] + f_sealed == 2'd1);
        end
        if (f_sealed) assert (f_tail);

        // The product and the tag.
        assert (load_q == (f_word[F_DONE+2] || f_last[F_DONE+4+STEPS] || f_tag_0));
        assert (adds_stream_q == (f_tag_0 || (f_word[F_DONE+2] && !f_decrypt)));
        assert (run_q == (|f_word[F_DONE+3+:STEPS] || |f_last[F_DONE+5+STEPS+:STEPS]));
        assert (rows_q == (|f_word[F_DONE+4+:STEPS] || |f_last[F_DONE+6+STEPS+:STEPS]));
        assert (lengths_q == f_last[F_DONE+4+STEPS] && product_q == f_multiplied &&
                tag_q == f_tag_0);
        assert (last_product_q == |f_last[F_DONE+3+:STEPS+2]);
        assert (length_product_q == (|f_last[F_DONE+5+STEPS+:STEPS+1] || f_multiplied));
        assert (f_step <= STEPS + 1);
        assert ((f_step <= STEPS) ==
                (|f_word[F_DONE+3+:STEPS+1] || |f_last[F_DONE+5+STEPS+:STEPS+1]));
        if (rows_q) assert (added_t == (f_last[F_DONE+3+STEPS] ? f_reversed(f_lengths) : 128'd0));
        if (f_tag_1 || f_tag_2 || (!f_open && (f_keyed || pending_q || setup_q)))
            assert (sum_q == 0);
        if (f_open && !f_begun) assert (sum_q == 0);
        if (|f_word[F_END:F_DONE+3] || f_multiplied || f_tag_1 || f_tag_2) assert (f_begun);
        if (!f_reset) assert (sum_q == f_sum);
        if (f_open && !f_aims) assert (!f_multiplied && !f_tag_1 && !f_tag_2);
        if (f_aims)
            assert (|f_last[F_END:0] + f_multiplied + f_tag_1 + f_tag_2 == 2'd1);
            else assert (!f_multiplied && !f_tag_1 && !f_tag_2);
        if (f_multiplied || f_tag_1 || f_tag_2) assert (!(|f_word[F_END:0]));
        if (f_tag_0) assert (f_multiplied && !(|f_zero[F_DONE+2:0]));
        if (f_tag_1) assert (!(|f_zero[F_DONE+3:0]));
        if (f_tag_2) assert (!(|f_zero[F_DONE+4:0]));
        if (f_tag_0 || f_tag_1 || f_tag_2) assert (f_iv_words || f_sealed);
        if (f_tag_2) assert (!f_iv_words);
        assert (final_q == f_tag_1 && compare_q == f_tag_2 && tag_valid_q == f_tag_3);
        if (f_tag_1 || f_tag_2) assert (factor_q == f_tag);

        // Forgotten.
        if (f_erased != 0) begin
            assert (!f_packet && {text_q, keep_q, iv_q, number_q, expected_q} == 0);
            assert ({words_q, rest_q, aad_words_q, aad_rest_q} == 0);
            assert ({stream_q, late_q, sum_q, factor_q, shown_q, tag_out_q} == 0);
        end
        if (f_erased > 1) assert (added_q == 0 && &zeros_q && unequal_q == 0);
        if (f_erased > 2) assert (products_q == 0);
    end

// Reached: a packet with additional data and data, decrypted, whose tag is right; and, where there
// are such, with an IV that was hashed.
reg f_both;
always @(posedge clk)
    f_both <= !rst_i && (f_take ? f_in && f_aad && !aad_i && (ANY_IV == 0 || f_derived) : f_both);
always @(*) if (f_started) cover (good_o && f_both);
