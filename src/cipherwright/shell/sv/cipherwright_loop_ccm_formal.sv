// Rules of cipherwright_loop_ccm, by induction for all times: any packets, any pauses, resets,
// keys and zeroising in any cycle.
//
// Every block of a packet goes into the loop as SP 800-38C says. The chain begins with B_0, which
// has the packet's own flags, nonce and length, and nothing is added to it. Then come the
// additional data behind their length, cut into blocks, of which the last is filled up with zeros,
// then the plaintext, also where the packet is decrypted; each is added to what the loop made of
// the block before in the same packet. Counter blocks have the packet's nonce, and each number
// once: a result is the word and the block of the key stream whose number is the word's place
// among the words of data, and S_0 goes into the tag alone. The tag leaves when all blocks of the
// packet are in it, is the result of the last one and S_0, and nothing of one packet gets into
// another. The verdict is that the tag is the expected one. At no other time the ports show
// anything. No word is lost, and none is used twice. After a reset, a new key or zeroising nothing
// of an older packet is left.
//
// The loop is any that keeps two blocks for any time and gives their results in the order in which
// they went in; what it computes is free. With none of the core in it any result may leave, as
// while everything is being forgotten. A reset empties it.
//
// Words may be of any kind in any order; a word has its bytes from the left. Where additional data
// come after data, or are not whole before their last word, the blocks are not the standard's, but
// the rest holds.
//
// Not shown here: that the loop is E (verify's proof of the datapath).
//
// Checked by SymbiYosys (ccm.sby).
`default_nettype none
module cipherwright_loop_ccm_formal #(
    parameter integer NONCE    = 13,
    parameter integer LENGTH   = 16,
    parameter integer TAG_BITS = 128
) (
    input wire               clk,
    input wire               rst_i,
    input wire               drop_i,
    input wire               renew_i,
    input wire               expanded_i,
    input wire               open_i,
    input wire               valid_i,
    input wire               last_i,
    input wire               aad_i,
    input wire               decrypt_i,
    input wire [        4:0] count_i,       // bytes of the word
    input wire [8*NONCE-1:0] iv_i,
    input wire [       31:0] aad_bytes_i,
    input wire [ LENGTH-1:0] data_bytes_i,
    input wire [      127:0] tag_i,
    input wire [      127:0] block_i
);
    localparam integer COUNT = 120 - 8 * NONCE;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);
    always @(*) assume (count_i <= 16);
    wire [15:0] keep = ~(16'hffff >> count_i);

    // The loop: blocks of the chain and of the key stream in it, and what comes out of it.
    (* anyseq *) wire free, ends, stray;
    (* anyseq *) wire [127:0] made_of_it, garbage;
    reg c_busy, s_busy, c_older;
    reg [127:0] c_made, s_made;
    wire done = c_busy || s_busy ? ends : stray;
    wire c_done = done && c_busy && (c_older || !s_busy);
    wire s_done = done && s_busy && !c_done;
    wire [127:0] result = c_done ? c_made : s_done ? s_made : garbage;

    wire ready, amid, complete, valid, last, tag_valid, good, begins;
    wire [127:0] shown, tag, block, sum, text, stream, expected;
    wire [15:0] shown_keep, keep_q, unequal;
    wire [47:0] carry;
    wire [119:0] nonce_count;
    wire [20:0] flags;
    cipherwright_loop_ccm #(
        .NONCE(NONCE),
        .LENGTH(LENGTH),
        .TAG_BITS(TAG_BITS)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .drop_i(drop_i),
        .renew_i(renew_i),
        .expanded_i(expanded_i),
        .complete_o(complete),
        .open_i(open_i),
        .valid_i(valid_i),
        .last_i(last_i),
        .aad_i(aad_i),
        .decrypt_i(decrypt_i),
        .keep_i(keep),
        .iv_i(iv_i),
        .aad_bytes_i(aad_bytes_i),
        .data_bytes_i(data_bytes_i),
        .tag_i(tag_i),
        .block_i(block_i),
        .ready_o(ready),
        .inside_o(amid),
        .valid_o(valid),
        .block_o(shown),
        .keep_o(shown_keep),
        .last_o(last),
        .tag_valid_o(tag_valid),
        .tag_o(tag),
        .good_o(good),
        .core_valid_o(begins),
        .core_block_o(block),
        .core_ready_i(free),
        .core_valid_i(done),
        .core_block_i(result),
        .f_sum_o(sum),
        .f_text_o(text),
        .f_stream_o(stream),
        .f_carry_o(carry),
        .f_nonce_o(nonce_count),
        .f_flags_o(flags),
        .f_keep_o(keep_q),
        .f_expected_o(expected),
        .f_unequal_o(unequal)
    );
    wire f_inside, f_close, f_decrypt, f_long, f_ahead, f_compare, f_word, f_aad, f_data, f_carries;
    wire f_added, f_chain_run, f_chain_live, f_there, f_zero, f_stream_run, f_run_zero;
    wire f_stream_live, f_older, f_complete, begins_stream;
    assign {f_inside, f_close, f_decrypt, f_long, f_ahead, f_compare, f_word, f_aad, f_data,
            f_carries, f_added, f_chain_run, f_chain_live, f_there, f_zero, f_stream_run,
            f_run_zero, f_stream_live, f_older, f_complete, begins_stream} = flags;
    wire begins_chain = begins && !begins_stream;

    // What the core was given: the packet, the word that waits, bytes of additional data that wait.
    reg in_packet, closing, compares, decrypts, extended, keyed;
    reg [8*NONCE-1:0] nonce;
    reg [127:0] wanted;
    reg w_there, w_aad, w_data;
    reg [4:0] w_count;
    reg [127:0] w_block;
    reg [5:0][7:0] waiting;
    reg waits;
    // The chain: the next block, without what is added to it; the result of the block before, if
    // the loop gave it already and it was not used; whether B_0 has begun.
    reg pend, linked, begun, in_chain;
    reg [127:0] pend_block, link;
    // The key stream: the block that is there, one in the loop, and words that are used.
    reg t_there, t_zero, s_live, s_zero;
    reg [COUNT-1:0] t_number, s_number, words;
    reg [127:0] t_block;

    wire forget = drop_i || renew_i;
    wire take = valid_i && open_i && ready;
    wire first = take && !in_packet;
    wire some = count_i != 0;
    // Section A.2.2: the length in two bytes below 2^16 - 2^8, in six up to 2^32 - 1.
    wire is_long = first ? aad_bytes_i >= 32'd65280 : extended;
    wire [2:0] room = is_long ? 3'd6 : 3'd2;
    reg [7:0] bytes[0:21];  // what waits, then the word
    reg [127:0] formatted, masked;
    reg [5:0][7:0] left;
    always @(*) begin : format
        integer j;
        for (j = 0; j < 22; j = j + 1) bytes[j] = 8'h00;
        for (j = 0; j < 6; j = j + 1) if (j < room) bytes[j] = waiting[5-j];
        if (first && !is_long) begin
            bytes[0] = aad_bytes_i[15:8];
            bytes[1] = aad_bytes_i[7:0];
        end
        if (first && is_long) begin
            bytes[0] = 8'hff;
            bytes[1] = 8'hfe;
            for (j = 0; j < 4; j = j + 1) bytes[2+j] = aad_bytes_i[31-8*j-:8];
        end
        for (j = 0; j < 16; j = j + 1)
        if (j < count_i) begin
            if (is_long) bytes[6+j] = block_i[127-8*j-:8];
            else bytes[2+j] = block_i[127-8*j-:8];
        end
        for (j = 0; j < 16; j = j + 1) begin
            formatted[127-8*j-:8] = bytes[j];
            masked[127-8*j-:8] = j < count_i ? block_i[127-8*j-:8] : 8'h00;
        end
        for (j = 0; j < 6; j = j + 1) left[5-j] = j < room ? bytes[16+j] : 8'h00;
    end
    // Section A.2.1.
    reg [127:0] first_block;
    always @(*) begin
        first_block = {128{1'b0}};
        first_block[126] = aad_bytes_i != 0;
        first_block[125:123] = (TAG_BITS / 8 - 2) / 2;
        first_block[122:120] = 14 - NONCE;
        first_block[119-:8*NONCE] = iv_i;
        first_block[LENGTH-1:0] = data_bytes_i;
    end

    wire flushes = waits && !pend && (w_there ? !w_aad : closing);
    wire adds_aad = w_there && w_aad && !pend;
    wire adds_data = w_there && w_data && !waits && !pend && t_there && !t_zero;
    wire skips = w_there && !w_aad && !w_data && !waits;
    wire used = adds_aad || adds_data || skips;
    wire tail = closing && !(w_there && w_data);
    wire [127:0] stream_part;
    generate
        genvar i;
        for (i = 0; i < 16; i = i + 1) begin : g_part
            assign stream_part[127-8*i-:8] = i < w_count ? t_block[127-8*i-:8] : 8'h00;
        end
    endgenerate
    wire finishes = closing && !w_there && !waits && !pend && !c_busy && t_there && t_zero &&
        !compares;

    always @(posedge clk) begin
        keyed <= !rst_i && !renew_i && expanded_i;
        in_packet <= !rst_i && !forget && (take ? !last_i : in_packet);
        closing <= !rst_i && !forget && !compares && (take ? last_i : closing);
        compares <= !rst_i && !forget && finishes;
        w_there <= !rst_i && !forget && (take || (w_there && !used));
        if (first) begin
            decrypts <= decrypt_i;
            extended <= is_long;
            nonce <= iv_i;
        end
        if (take) begin
            w_aad <= aad_i && some;
            w_data <= !aad_i && some;
            w_count <= count_i;
            w_block <= aad_i ? formatted : masked;
            wanted <= tag_i;
        end
        if (rst_i || forget || flushes) waiting <= 48'd0;
        else if (take && aad_i && some) waiting <= left;
        waits <= !rst_i && !forget &&
            (take && aad_i && some ? count_i + room > 16 : waits && !flushes);

        // The chain.
        pend <= !rst_i && !forget &&
            (first || flushes || adds_aad || adds_data || (pend && !begins_chain));
        if (first) pend_block <= first_block;
        else if (flushes) pend_block <= {waiting, 80'd0};
        else if (adds_aad) pend_block <= w_block;
        else if (adds_data) pend_block <= decrypts ? w_block ^ stream_part : w_block;
        begun <= !rst_i && !forget && !compares && (begun || begins_chain);
        in_chain <= !rst_i && !forget && (begins_chain || (in_chain && !c_done));
        linked <= !rst_i && !forget && !begins_chain && !compares &&
            (linked || (c_done && in_chain));
        if (c_done) link <= c_made;

        // The key stream.
        t_there <= !rst_i && !forget && !compares &&
            ((s_done && s_live) || (t_there && !adds_data && !(tail && !t_zero)));
        if (s_done) begin
            t_block <= s_made;
            t_zero <= s_zero;
            t_number <= s_number;
        end
        s_live <= !rst_i && !forget && (begins_stream || (s_live && !s_done));
        if (begins_stream) begin
            s_zero <= tail;
            s_number <= tail ? {COUNT{1'b0}} : words + 1'b1;
        end
        if (first) words <= {COUNT{1'b0}};
        else if (adds_data) words <= words + 1'b1;

        // The loop.
        c_busy <= !rst_i && (begins_chain || (c_busy && !c_done));
        s_busy <= !rst_i && (begins_stream || (s_busy && !s_done));
        if (begins_chain) begin
            c_made <= made_of_it;
            c_older <= !s_busy;
        end
        if (begins_stream) begin
            s_made <= made_of_it;
            c_older <= c_busy;
        end
    end

    localparam [127:0] SHOWN = {128{1'b1}} << (128 - TAG_BITS);
    wire [127:0] full_tag = (link ^ t_block) & SHOWN;
    localparam [7:0] COUNTER_FLAGS = 14 - NONCE;
    wire [COUNT-1:0] number = tail ? {COUNT{1'b0}} : words + 1'b1;
    // The claim.
    always @(*)
        if (started && !rst_i) begin
            if (begins) assert (free);
            if (begins_chain) begin
                assert (!c_busy && pend && linked == begun);
                assert (block == (pend_block ^ (begun ? link : 128'd0)));
            end
            if (begins_stream) begin
                assert (begins && !s_busy && !t_there && (in_packet || closing));
                assert (block == {COUNTER_FLAGS, nonce, number});
            end
            if (take) assert (keyed && !w_there && !closing && !compares);
            assert (valid == (adds_data && !forget));
            if (valid) begin
                assert (t_number == words + 1'b1 && !t_zero && last == closing);
                assert (shown == (w_block ^ stream_part));
                assert (shown_keep == ~(16'hffff >> w_count));
            end else assert (shown == 0 && shown_keep == 0 && !last);
            assert (tag_valid == (compares && !forget));
            if (tag_valid) begin
                assert (linked && begun && t_there && t_zero && t_number == 0);
                assert (!pend && !in_chain && !w_there && !waits && closing);
                assert (tag == (decrypts ? 128'd0 : full_tag));
                assert (good == (decrypts && full_tag == (wanted & SHOWN)));
            end else assert (tag == 0 && !good);
            assert (amid == in_packet);
        end

    // What holds at all times, which carries the induction.
    wire active = in_packet || closing;
    always @(*)
        if (started) begin
            assert (f_inside == in_packet && f_close == closing && f_compare == compares);
            assert (f_word == w_there && f_carries == waits && f_added == pend);
            assert (f_complete == keyed && complete == keyed);
            assert (!(in_packet && closing));
            if (w_there) begin
                assert (f_aad == w_aad && f_data == w_data && !(w_aad && w_data) && active);
                assert (text == w_block && keep_q == ~(16'hffff >> w_count));
                assert (w_count <= 16 && (w_count != 0) == (w_aad || w_data));
            end
            if (active) begin
                assert (f_decrypt == decrypts && f_long == extended);
                assert (nonce_count[119-:8*NONCE] == nonce);
                if (!tail)
                    assert (nonce_count[COUNT-1:0] ==
                            words + 1'b1 + ((t_there && !t_zero) || (s_live && !s_zero)));
                assert (pend || begun);
            end else begin
                assert (!w_there && !waits && !pend && !in_chain && !linked && !t_there && !s_live);
                assert (!compares && !f_ahead);
            end
            if (closing) assert (expected == (wanted & SHOWN));
            assert (carry == waiting);
            if (!waits) assert (waiting == 0);
            if (!extended && active) assert (waiting[3:0] == 0);
            assert (f_chain_run == c_busy && f_chain_live == in_chain && (!in_chain || c_busy));
            assert (f_stream_run == s_busy && f_stream_live == s_live && (!s_live || s_busy));
            if (c_busy && s_busy) assert (f_older == c_older);
            assert (f_there == t_there && !(t_there && s_busy));
            if (t_there) assert (stream == t_block && f_zero == t_zero);
            if (s_live) assert (f_run_zero == s_zero);
            if (t_there) assert (t_number == (t_zero ? {COUNT{1'b0}} : words + 1'b1));
            if (s_live) assert (s_number == (s_zero ? {COUNT{1'b0}} : words + 1'b1));
            if (t_there && t_zero || s_live && s_zero) assert (tail);
            assert (!(linked && c_busy));
            if (begun) assert (in_chain || linked);
            assert (!linked || begun);
            assert (!in_chain || begun);
            assert (sum == ((pend_block & {128{pend}}) ^ (link & {128{linked}})));
            if (compares) begin
                assert (linked && !pend && !in_chain && !w_there && !waits && closing);
                assert (t_there && t_zero);
            end
        end
    generate
        for (i = 0; i < 16; i = i + 1) begin : g_unequal
            always @(*)
                if (started && compares)
                    assert (unequal[i] == (full_tag[8*i+:8] != expected[8*i+:8]));
        end
    endgenerate

    // Reached: a packet whose additional data wait after its last word is decrypted, and right.
    reg waited;
    always @(posedge clk)
        waited <= !rst_i && !forget && !compares && (waited || (waits && closing));
    always @(*) if (started) cover (good && waited);
endmodule
`default_nettype wire
