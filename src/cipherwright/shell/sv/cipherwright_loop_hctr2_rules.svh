// Rules of cipherwright_loop_hctr2, by induction for all times: any packets, any pauses, resets,
// keys and zeroising in any cycle. They are put inside the module, after its own text
// (tests/shell/loop_hctr2_rules.py).
//
// The blocks of a key are 0 and 1, each once, and no word is taken before both came back. The
// register of h takes the product that began with the first of them, and L is the second.
//
// Two hashes are made for a packet. Each begins with a sum of 0 and takes, each once and in this
// order: the block of the lengths, the words of the tweak, and those of the text behind its first
// block, or in the second hash those of the result. A word is added to the product before, and is
// loaded when the multiplier is free. The first hash is added to the first block of the text; this
// goes into the loop once, in the packet's direction. From what comes back, with it and with L,
// come the blocks of the key stream, with the numbers from 1 on, each once, in the packet's order.
// The result is what came back with the second hash, and then the words with the key stream. Words
// leave as they must, each once, in their order, and stay until they are taken. A packet that
// breaks a rule leaves one word that says so.
//
// A word is taken under a complete key while no packet is at work. Its absent bytes are 0; behind a
// text there is a one. Each place of the memory has the word of its number, of this packet. No word
// goes beyond it. Nothing of a packet is in the next one.
//
// Assumed of the loop: each block comes back after F_CIPHER cycles; what it makes of it is free.
// It may be ready in any cycle. Somebody else puts blocks in only while everything is being
// forgotten and a key is complete. While such a block, or one of what was forgotten, is in the
// loop, no word is taken and no key is said to be expanded. No word is taken in the cycle in which
// a key is, nor from zeroising until a key is taken. The control around the module sees to these
// (cipherwright_control_rules.svh). Words have their bytes from the left.
//
// The product itself is proven for the built core (verify/hash_multiplier.py). What it is told of
// the control there is a rule here: while a product runs nothing else uses the multiplier.
//
// Parameters are narrow in the proof; the text is the same for any.
localparam integer F_D = 1 << DEPTH_LOG2;  // words of a text, and of a tweak
localparam integer F_N = DEPTH_LOG2 + 3;  // bits of numbers of words
localparam integer F_CIPHER = `F_CIPHER;
localparam integer F_LINE = F_CIPHER + 2 + STEPS;
integer f_k;
reg f_started = 1'b0;
always @(posedge clk) f_started <= 1'b1;
always @(*) if (!f_started) assume (rst_i);

function automatic [WIDTH-1:0] f_swap(input [WIDTH-1:0] a);
    integer i;
    for (i = 0; i < BYTES; i = i + 1) f_swap[8*i+:8] = a[WIDTH-8-8*i+:8];
endfunction
// Ones for the bytes that are there, as inside.
function automatic [WIDTH-1:0] f_mask(input [BYTES-1:0] keep);
    integer i;
    for (i = 0; i < BYTES; i = i + 1) f_mask[8*i+:8] = {8{keep[BYTES-1-i]}};
endfunction
function automatic [BYTES_LOG2:0] f_count(input [BYTES-1:0] keep);
    integer i;
    begin
        f_count = {BYTES_LOG2 + 1{1'b0}};
        for (i = 0; i < BYTES; i = i + 1) f_count = f_count + {{BYTES_LOG2{1'b0}}, keep[i]};
    end
endfunction

// -- the loop: the youngest block first; those of keys, in the middle, of the key stream
(* anyseq *) reg f_fill;
reg [F_CIPHER-1:0] f_any, f_keys, f_mids;
reg [F_LINE-1:0] f_streams;
wire [F_CIPHER-1:0] f_stray = f_any & ~f_keys & ~f_mids & ~f_streams[F_CIPHER-1:0];
// -- the key: blocks that were asked for and that came back; since zeroising none was taken
reg [1:0] f_asked, f_came;
reg f_renewed, f_shut, f_erased;
reg [WIDTH-1:0] f_key, f_l;
// -- the packet
reg f_in, f_work, f_bad, f_short, f_decrypt;
reg [F_N-1:0] f_t, f_m;  // words of the tweak and of the text
reg [LENGTH-1:0] f_tweak_bytes;
reg [BYTES-1:0] f_keep;  // of its last word
reg [WIDTH*F_D-1:0] f_tweak, f_text, f_made;
// -- the hash
reg f_second;
reg [F_N-1:0] f_index;  // words that were loaded
reg [WIDTH-1:0] f_product;
// -- the block in the middle, what came back, the second hash; numbers of the key stream
reg [WIDTH-1:0] f_middle, f_back, f_first;
reg f_middle_asked, f_middle_came;
reg [F_N-1:0] f_number, f_streamed;
// -- the results
reg f_leaves;
reg [F_N-1:0] f_left;
reg f_held;
reg [WIDTH-1:0] f_held_block;
reg [BYTES+1:0] f_held_beside;

wire f_take = valid_i & open_i & ready_o;
wire f_asks_key = core_valid_o & ~complete_o;
wire f_asks_middle = core_valid_o & complete_o & ~f_middle_asked;
wire f_asks_stream = core_valid_o & complete_o & f_middle_asked;
wire f_key_comes = f_keys[F_CIPHER-1];
wire f_comes = f_streams[F_CIPHER-1];
wire f_ends = f_take & last_i;
// The rules of a packet.
wire [F_N-1:0] f_tweaks = f_in ? f_t : {F_N{1'b0}};
wire [F_N-1:0] f_texts = f_in ? f_m : {F_N{1'b0}};
wire f_whole = keep_i[0];
wire f_none = ~keep_i[BYTES-1];
wire f_wrong = f_none | (aad_i ? last_i | f_texts != 0 | (f_in & f_short) | f_tweaks == F_D :
                         f_texts == F_D | (~f_whole & (~last_i | f_texts == 0)));
wire f_over = aad_i ? f_tweaks == F_D && f_texts == 0 : f_texts == F_D;  // no place is left
wire f_broken = (f_in & f_bad) | f_wrong;
wire [WIDTH-1:0] f_absent = ~f_mask(keep_i);
// The one behind a text is the lowest bit of its first absent byte.
wire [WIDTH-1:0] f_word = (f_swap(
    block_i
) & ~f_absent) | (aad_i ? {WIDTH{1'b0}} : f_absent & (~f_absent + 1'b1));
wire [WIDTH-1:0] f_lengths = ({{WIDTH - LENGTH{1'b0}}, f_tweak_bytes} << 4) |
    {{WIDTH - 2{1'b0}}, 1'b1, ~f_keep[0]};
wire [WIDTH-1:0] f_last_mask = f_mask(f_keep);

// Words of the hash and of the result, by number.
reg [WIDTH-1:0] f_next, f_text_now, f_shown;
always @(*) begin
    f_next = f_lengths;
    f_text_now = {WIDTH{1'b0}};
    f_shown = f_first;
    for (f_k = 0; f_k < F_D; f_k = f_k + 1) begin
        if (f_k < f_t && f_index == f_k + 1) f_next = f_tweak[WIDTH*f_k+:WIDTH];
        if (f_k > 0 && f_index == f_t + f_k)
            f_next = f_second ? f_made[WIDTH*f_k+:WIDTH] : f_text[WIDTH*f_k+:WIDTH];
        if (f_streamed == f_k) f_text_now = f_text[WIDTH*f_k+:WIDTH];
        if (f_k > 0 && f_left == f_k)
            f_shown = f_made[WIDTH*f_k+:WIDTH] & (f_k + 1 == f_m ? f_last_mask : {WIDTH{1'b1}});
    end
end
wire [F_N-1:0] f_all = f_t + f_m;  // words of a hash

always @(*) begin
    assume (core_valid_i == f_any[F_CIPHER-1]);
    if (|f_stray) assume (!open_i && !expanded_i);
    if (drop_i || renew_i || f_shut) assume (!open_i);
    if (f_fill) assume (drop_i && f_shut && complete_o);
    assume ((~keep_i & (~keep_i + 1'b1)) == {BYTES{1'b0}});
end

always @(posedge clk) begin
    f_erased <= !rst_i && clear;
    f_shut <= !rst_i && (drop_i || (f_shut && !renew_i));
    // The loop.
    f_any <= rst_i ? 0 : {f_any[F_CIPHER-2:0], core_valid_o | f_fill};
    f_keys <= rst_i || renew_i ? 0 : {f_keys[F_CIPHER-2:0], f_asks_key};
    f_mids <= rst_i || clear ? 0 : {f_mids[F_CIPHER-2:0], f_asks_middle};
    f_streams <= rst_i || clear ? 0 : {f_streams[F_LINE-2:0], f_asks_stream};
    // The key.
    f_renewed <= !rst_i && (renew_i || f_renewed);
    if (rst_i || renew_i) begin
        f_asked <= 0;
        f_came <= 0;
    end else begin
        f_asked <= f_asked + f_asks_key;
        f_came <= f_came + f_key_comes;
    end
    if (f_key_comes && f_came == 1) f_l <= f_swap(core_block_i);
    if (turned) f_key <= sum_q;
    // The packet.
    if (f_take) begin
        f_in <= 1'b1;
        f_bad <= f_broken;
        f_short <= ~f_whole | (f_in & f_short);
        f_keep <= keep_i;
        if (!f_in) f_decrypt <= decrypt_i;
        f_t <= f_tweaks + (aad_i & !f_broken);
        f_m <= f_texts + (~aad_i & !f_broken);
        f_tweak_bytes <= (f_in ? f_tweak_bytes : {LENGTH{1'b0}}) + (aad_i ? f_count(keep_i) : 0);
        for (f_k = 0; f_k < F_D; f_k = f_k + 1) begin
            if (aad_i && f_tweaks == f_k) f_tweak[WIDTH*f_k+:WIDTH] <= f_word;
            if (!aad_i && f_texts == f_k) f_text[WIDTH*f_k+:WIDTH] <= f_word;
        end
    end
    if (rst_i || clear || done) f_in <= 1'b0;
    f_work <= !rst_i && !clear && !done && (f_work || f_ends);
    // The hash.
    if (f_ends || hashed) f_index <= 0;
    else if (load) f_index <= f_index + 1'b1;
    if (f_ends) f_second <= 1'b0;
    else if (hashed) f_second <= 1'b1;
    if (run_q && step_q == 0) f_product <= reduced;
    // The block in the middle and the key stream.
    if (hashed) f_middle <= f_text[WIDTH-1:0] ^ sum;
    if (f_mids[F_CIPHER-1]) f_back <= f_swap(core_block_i);
    if (finishes) f_first <= f_back ^ sum;
    f_middle_asked <= !rst_i && !clear && !f_ends && (f_asks_middle || f_middle_asked);
    f_middle_came <= !rst_i && !clear && !f_ends && (f_mids[F_CIPHER-1] || f_middle_came);
    if (f_ends) begin
        f_number <= 1;
        f_streamed <= 1;
    end else begin
        f_number <= f_number + f_asks_stream;
        f_streamed <= f_streamed + f_comes;
    end
    for (f_k = 0; f_k < F_D; f_k = f_k + 1)
    if (f_comes && f_streamed == f_k)
        f_made[WIDTH*f_k+:WIDTH] <= f_text_now ^ (f_swap(
            core_block_i
        ) & (f_k + 1 == f_m ? f_last_mask : {WIDTH{1'b1}}));
    // The results.
    f_leaves <= !rst_i && !clear && !done && (finishes || fails || f_leaves);
    if (f_ends) f_left <= 0;
    else if (valid_o && ready_i) f_left <= f_left + 1'b1;
    f_held <= !rst_i && !clear && valid_o && !ready_i;
    f_held_block <= block_o;
    f_held_beside <= {keep_o, last_o, error_o};
end

// The claim.
always @(*)
    if (f_started && !rst_i) begin
        // Blocks that go into the loop.
        if (core_valid_o) assert (core_ready_i && !f_fill);
        if (f_asks_key) begin
            assert (expanded_i && f_asked == f_came && f_asked < 2 && !core_decrypt_o);
            assert (core_block_o == f_swap({{WIDTH - 1{1'b0}}, f_asked[0]}));
        end
        if (f_asks_middle) begin
            assert (f_work && f_second && core_decrypt_o == f_decrypt);
            assert (core_block_o == f_swap(f_middle));
        end
        if (f_asks_stream) begin
            assert (f_middle_came && f_number < f_m && !core_decrypt_o);
            assert (core_block_o == f_swap(
                f_middle ^ f_back ^ f_l ^ {{WIDTH - F_N{1'b0}}, f_number}
            ));
        end
        // Words that are taken.
        assert (complete_o == (f_came == 2));
        if (f_take) assert (f_came == 2 && !f_work);
        if (f_take) assert (wrong == f_wrong || (f_in && f_bad));
        if (f_take && !f_broken) assert (store && where == {aad_i, place[DEPTH_LOG2-1:0]});
        if (f_take && !f_broken) assert (place == (aad_i ? f_tweaks : f_texts) && stored == f_word);
        if (f_take && !(f_in && f_bad) && f_over) assert (!store);
        assert (inside_o == f_in);
        // Words that are hashed.
        if (load) begin
            assert (f_work && !f_bad && idle && word_q == f_next && f_index < f_all);
            assert (sum_q == (f_index == 0 ? {WIDTH{1'b0}} : f_product) && key_q == f_key);
        end
        if (hashed) assert (f_work && !f_second && f_index == f_all && sum_q == f_product);
        if (finishes) begin
            assert (f_second && f_middle_came && f_index == f_all && sum_q == f_product);
            assert (f_streamed == f_m && f_number == f_m);
        end
        if (!idle) assert (!load && !hashed && !finishes && !turned && !done && !begins_stream);
        // Results.
        assert (valid_o == (valid_q && !drop_i));
        if (valid_o) begin
            assert (f_leaves && error_o == f_bad && f_left < (f_bad ? 1 : f_m));
            assert (last_o == (f_bad || f_left + 1 == f_m));
            assert (block_o == (f_bad ? {WIDTH{1'b0}} : f_swap(f_shown)));
            assert (keep_o == (f_bad ? {BYTES{1'b0}} : last_o ? f_keep : {BYTES{1'b1}}));
        end else assert (block_o == 0 && keep_o == 0 && !last_o && !error_o);
        if (f_held && !drop_i) begin
            assert (valid_o && block_o == f_held_block);
            assert ({keep_o, last_o, error_o} == f_held_beside);
        end
    end

// What holds at all times, which carries the induction.
wire f_hashes = hash_q | middle_q | stream_q;
wire f_free = complete_q & ~f_shut;  // a packet may come
wire [F_N-1:0] f_fetched = f_index + full_q + lengths_q;
wire [F_N-1:0] f_wanted = middle_q ? f_t + 1'b1 : f_all;
reg [F_N-1:0] f_flying;  // blocks of the key stream that are not yet loaded
reg f_product_runs;
always @(*) begin
    f_flying = 0;
    for (f_k = 0; f_k <= F_CIPHER; f_k = f_k + 1) f_flying = f_flying + f_streams[f_k];
    f_product_runs = |f_streams[F_LINE-1:F_CIPHER+1];
end
genvar f_j, f_d;
generate
    for (f_j = 0; f_j < F_D; f_j = f_j + 1) begin : g_f_memory
        always @(*)
            if (f_started && f_in && f_free && !f_bad) begin
                if (f_j < f_t) assert (memory[F_D+f_j] == f_tweak[WIDTH*f_j+:WIDTH]);
                if (f_j < f_m && !(f_j != 0 && f_work && f_second && f_j < f_streamed - full_q))
                    assert (memory[f_j] == f_text[WIDTH*f_j+:WIDTH]);
                if (f_j > 0 && f_work && f_second && f_j < f_streamed - (full_q & stream_q))
                    assert (memory[f_j] == f_made[WIDTH*f_j+:WIDTH]);
            end
    end
    // Blocks of the key stream are apart, and each finds the multiplier free.
    for (f_j = 0; f_j < F_LINE; f_j = f_j + 1) begin : g_f_line
        for (f_d = 1; f_d < INTERVAL && f_j + f_d < F_LINE; f_d = f_d + 1)
        always @(*) if (f_started && f_streams[f_j]) assert (!f_streams[f_j+f_d]);
        always @(*)
            if (f_started && f_streams[f_j]) begin
                assert (stream_q && !f_bad);
                if (f_j < INTERVAL) assert (gap_q >= INTERVAL - 1 - f_j);
            end
    end
    for (f_j = 0; f_j <= STEPS; f_j = f_j + 1)
    always @(*)
        if (f_started && f_streams[F_CIPHER+1+f_j])
            assert (step_q == STEPS - f_j && run_q == (f_j > 0));
endgenerate
always @(*)
    if (f_started) begin
        // The key.
        assert (3'd0 + pending_q + made_q + turns_q + complete_q == f_renewed);
        assert (f_came <= 2 && f_asked == f_came + made_q);
        if (pending_q) assert (f_asked == f_came && f_came < 2);
        if (made_q) assert (f_asked == f_came + 1 && f_came < 2);
        if (turns_q) assert (f_came == 1);
        assert (complete_q == (f_came == 2));
        assert (((f_keys | f_mids | f_streams[F_CIPHER-1:0]) & ~f_any) == 0);
        assert (made_q == |f_keys);
        if (made_q) assert (f_any == f_keys);
        assert ((f_keys & (f_keys - 1'b1)) == 0);
        if (turns_q) assert (f_any == 0);
        if (pending_q && f_came == 1) assert (f_any == 0);
        if (f_renewed && !complete_q) begin
            assert (number_q == (f_came == 1 && !turns_q));
            assert (tweak_q == 0 && (f_shut || at_q == 0));
            assert (!f_in && start_q == 0 && (!f_hashes && !out_q && !full_q && !lengths_q));
            if (!turns_q) assert (sum_q == 0 && idle);
            if (turns_q && idle) assert (sum_q == f_product);
            if (f_came == 0 || turns_q)
                assert (key_q == FACTOR);
                else assert (key_q == f_key);
        end
        if (complete_q) assert (key_q == f_key && mask_q == f_l);
        if (!f_renewed) assert (!f_in && !(|f_keys) && f_came == 0 && f_asked == 0);
        // What was forgotten.
        if (f_erased)
            assert ({start_q, middle_block_q, word_q, tweak_q, keep_q, end_q, decrypt_q} == 0);
        if (f_shut) assert (!f_in);
        if (drop_q) assert (f_shut);

        // The packet.
        assert (begun_q == f_in && work_q == f_work && (!f_work || f_in));
        assert (3'd0 + hash_q + middle_q + stream_q + out_q == f_work && out_q == f_leaves);
        if (f_in) begin
            assert (complete_q && !f_shut && f_stray == 0 && error_q == f_bad);
            assert (f_t <= F_D && f_m <= F_D && decrypt_q == f_decrypt && keep_q == f_keep);
            assert ((~f_keep & (~f_keep + 1'b1)) == {BYTES{1'b0}});
            if (!f_bad) begin
                assert (tweaks_q == f_t && texts_q == (f_m != 0) && tweak_q == f_tweak_bytes);
                assert (short_q == f_short && f_keep[BYTES-1] && f_t + f_m != 0);
                if (f_m == 0) assert (f_short || f_tweak_bytes == f_t * BYTES);
                if (f_m != 0 && !f_work) assert (f_keep[0]);
                if (f_m == 1) assert (f_keep[0]);
                assert (f_tweak_bytes <= f_t * BYTES);
                if (f_work) assert (f_m != 0);
            end
            if (!f_work && !f_bad) assert (at_q == (f_m != 0 ? f_m : f_t));
            if (f_work && !f_bad) assert (end_q == f_m - 1'b1);
            if (f_bad && f_work) assert (out_q);
        end else assert (error_q == 0 && texts_q == 0 && short_q == 0 && tweaks_q == 0);
        if (f_free && !f_in) assert (at_q == 0 && tweak_q == 0 && start_q == 0 && sum_q == 0);
        if (!f_work) assert (!area_q && !full_q && !lengths_q);
        if (f_free && !f_work) assert (sum_q == 0 && start_q == 0 && idle);
        if (f_free && !stream_q) assert (idle || f_hashes);
        assert (!(asks_q && waits_q) && (!(asks_q || waits_q) || middle_q));
        if (issues_q) assert (stream_q);
        if (f_free && !stream_q) assert (number_q == 0);
        if (first_q || more_q || held_q || valid_q) assert (out_q);
        if (!f_hashes) assert (!full_q && !lengths_q);

        // The hash.
        if (f_hashes) begin
            assert (f_second == !hash_q && !f_bad && f_work && f_left == 0);
            assert (f_index <= f_all && (!full_q || word_q == f_next));
            if (idle && f_index != 0) assert (sum_q == f_product);
            if (f_index == 0) assert (sum_q == 0 && idle);
            if (lengths_q) assert (f_index == 0 && !full_q && !stream_q && stale_q);
            assert (step_q <= STEPS);
        end
        if (hash_q || middle_q) begin
            assert (f_fetched != 0 && f_fetched <= f_wanted && ended_q == (f_fetched == f_wanted));
            if (!ended_q) begin
                assert (area_q == (f_fetched <= f_t));
                assert (at_q == (area_q ? f_fetched - 1'b1 : f_fetched - f_t));
            end else assert (!area_q && at_q == 0);
            if (!stale_q) assert (read_q == memory[{area_q, at_q[DEPTH_LOG2-1:0]}]);
            if (stale_q) assert (lengths_q || full_q);
        end
        if (f_work && !middle_q && !stream_q) assert (f_mids == 0);
        assert (f_mids == 0 || (middle_q && waits_q));
        if (waits_q) assert (f_mids != 0 && (f_mids & (f_mids - 1'b1)) == 0);
        if (f_in && !f_work) assert (f_any == 0);
        if (hash_q) assert (f_any == 0 && !f_middle_asked && !f_middle_came);
        if (middle_q) begin
            assert (f_middle_asked == !asks_q && f_middle_came == (!asks_q && !waits_q));
            assert (start_q == (f_middle_came ? f_middle ^ f_back ^ f_l : f_middle));
            if (f_middle_came) assert (middle_block_q == f_back);
        end
        if (hash_q || middle_q) assert (f_number == 1 && f_streamed == 1 && f_streams == 0);

        // The key stream.
        if (stream_q) begin
            assert (f_middle_asked && f_middle_came && middle_block_q == f_back);
            assert (start_q == (f_middle ^ f_back ^ f_l) && !area_q && !lengths_q);
            assert (f_number >= 1 && f_number <= f_m && number_q == f_number[DEPTH_LOG2-1:0]);
            assert (issues_q == (f_number < f_m));
            assert (at_q + f_flying == f_number && f_streamed == at_q + full_q && at_q >= 1);
            assert (f_index == f_t + at_q && ended_q == (at_q == f_m));
            assert (full_q == f_streams[F_CIPHER]);
            if (!f_product_runs) assert (idle);
            if (|f_streams[F_CIPHER-1:0] && !full_q && !f_streams[F_CIPHER+1])
                assert (read_q == memory[{1'b0, at_q[DEPTH_LOG2-1:0]}]);
        end else assert (f_streams == 0);

        // Results.
        if (out_q) begin
            assert (f_any == 0 && idle);
            if (first_q) assert (f_left == 0 && !valid_q && !held_q);
            if (f_bad) begin
                assert (!more_q && !held_q && f_left == 0 && first_q == !valid_q);
                if (valid_q) assert (last_q);
            end else begin
                assert (f_second && f_streamed == f_m && !area_q && middle_block_q == f_first);
                assert (more_q == (at_q < f_m) && at_q >= 1 && at_q <= f_m);
                if (first_q)
                    assert (at_q == 1);
                    else begin
                        assert (at_q == f_left + valid_q + held_q && (held_q || !more_q));
                        assert ((held_q || valid_q) && (valid_q || f_left != 0));
                    end
                if (held_q)
                    assert (read_q == memory[at_q[DEPTH_LOG2-1:0]-1'b1] &&
                            held_last_q == (at_q == f_m));
                if (valid_q) assert (word_q == f_shown && last_q == (f_left + 1 == f_m));
            end
        end
    end

// Reached: the last word of a text that is not whole, behind a tweak, is decrypted.
always @(*)
    if (f_started)
        cover (valid_o && last_o && f_decrypt && !f_keep[0] && f_t == 2 && f_m == 3);
