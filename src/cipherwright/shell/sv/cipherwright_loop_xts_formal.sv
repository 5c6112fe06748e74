// Rules of cipherwright_loop_xts, by induction for all times: any units, any pauses, resets and
// zeroising in any cycle.
//
// Every number goes into the loop once, under K2 and encrypted; what the loop makes of it is the
// tweak of its unit's first word, and alpha times the tweak of a word is that of the next
// (IEEE 1619, section 5.3). Every word of a unit goes into the loop once, in order, under K1, in
// the unit's direction, added to its tweak, and its result leaves once, added to the same tweak, in
// the cycle after the loop has it. Where a unit ends with a short word, the block before it goes
// with its own tweak in encryption and with the short word's in decryption (sections 5.3.2 and
// 5.4.2). The first bytes of what leaves are the short word's result, and the rest fills the short
// word up; that goes with the other tweak, and its result is late. The last result in order says
// so. No word is taken before its unit has a tweak, nor behind the unit's last one. pending_o tells
// of a unit whose last word was not taken. After a reset or zeroising nothing of an older unit is
// left.
//
// The loop has PLACES places, which come by in turn, and keeps a block for TURNS turns; what it
// computes is free, and when it takes a block in a free place is free as well. The rules are the
// same for any of these numbers; the tasks have some. While everything is being forgotten results
// of nothing may leave. A reset empties the loop.
//
// What is assumed, and kept by the control of keys (core_control): drop_i stays until the loop is
// empty. The first word of a unit is whole, words before the last are, and decrypt_i is the same
// for all words of a unit: so the core's users are told.
//
// Not shown here: that the loop is the cipher (verify's proof of the datapath), and that a result
// comes in time, which units in simulation show.
//
// Checked by SymbiYosys (loop_xts.sby).
`default_nettype none
module cipherwright_loop_xts_formal #(
    parameter integer BOTH   = 1,
    parameter integer PLACES = 2,
    parameter integer TURNS  = 2,
    parameter integer BYTES  = 2,
    parameter integer WIDTH  = 8 * BYTES
) (
    input wire             clk,
    input wire             rst_i,
    input wire             drop_i,
    input wire             renew_i,
    input wire             expanded_i,
    input wire             open_i,
    input wire             may_i,
    input wire             unit_valid_i,
    input wire [WIDTH-1:0] unit_i,
    input wire             valid_i,
    input wire             last_i,
    input wire             decrypt_i,
    input wire [      4:0] count_i,       // bytes of the word
    input wire [WIDTH-1:0] block_i
);
    localparam integer HEAD = PLACES - 1;
    localparam [WIDTH-1:0] POLYNOMIAL = {{WIDTH - 8{1'b0}}, 8'h87};
    // Blocks in the loop: a word's, a number's, one that gives bytes away, one that took them in, a
    // unit's last, and one that is forgotten.
    localparam [2:0] WORD = 0, NUMBER = 1, GIVES = 2, LATE = 3, LAST = 4, DEAD = 5;

    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    wire [BYTES-1:0] keep = ~({BYTES{1'b1}} >> count_i);
    wire short = last_i && count_i != BYTES;

    always @(*) if (BOTH == 0) assume (!decrypt_i);

    // The loop.
    (* anyseq *) wire allow, stray;
    (* anyseq *) wire [WIDTH-1:0] made_of_it, garbage;
    reg [WIDTH-1:0] made[0:PLACES-1];
    reg [PLACES-1:0] busy;
    reg [3:0] age[0:PLACES-1];
    // And what is known of its blocks: what they are, and the tweak of their results.
    reg [2:0] what[0:PLACES-1];
    reg [WIDTH-1:0] tweak[0:PLACES-1];
    reg [WIDTH-1:0] waits[0:PLACES-1];  // the ring of tweaks beside it
    wire done = busy[HEAD] && age[HEAD] == TURNS;
    wire free = (!busy[HEAD] || done) && allow;
    wire leaves = done || (stray && drop_i);
    wire [WIDTH-1:0] result = done ? made[HEAD] : garbage;

    wire complete, unit_ready, ready, pending, valid, last, late, begins, second, back;
    wire [WIDTH-1:0] shown, block, wait_tweak;
    wire [BYTES-1:0] kept;
    wire [9:0] state;
    wire [WIDTH-1:0] next, now, text;
    wire [BYTES-1:0] bytes;
    wire [4*PLACES-1:0] kinds;
    wire asked, making, there, unit, closed, word, ends, decrypts, is_short, filled;
    assign {asked, making, there, unit, closed, word, ends, decrypts, is_short, filled} = state;
    cipherwright_loop_xts #(
        .BOTH(BOTH),
        .PLACES(PLACES),
        .BYTES(BYTES)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .drop_i(drop_i),
        .renew_i(renew_i),
        .expanded_i(expanded_i),
        .complete_o(complete),
        .open_i(open_i),
        .may_i(may_i),
        .unit_valid_i(unit_valid_i),
        .unit_i(unit_i),
        .unit_ready_o(unit_ready),
        .valid_i(valid_i),
        .last_i(last_i),
        .decrypt_i(decrypt_i),
        .keep_i(keep),
        .block_i(block_i),
        .ready_o(ready),
        .pending_o(pending),
        .valid_o(valid),
        .block_o(shown),
        .keep_o(kept),
        .last_o(last),
        .late_o(late),
        .core_valid_o(begins),
        .core_block_o(block),
        .core_second_o(second),
        .core_decrypt_o(back),
        .core_ready_i(free),
        .core_valid_i(leaves),
        .wait_tweak_o(wait_tweak),
        .late_tweak_i(waits[HEAD]),
        .f_state_o(state),
        .f_next_o(next),
        .f_tweak_o(now),
        .f_text_o(text),
        .f_keep_o(bytes),
        .f_kind_o(kinds),
        .core_block_i(result)
    );

    // Section 5.2: byte 0 is the first of the block, its bit 0 the lowest.
    function automatic [WIDTH-1:0] alpha(input [WIDTH-1:0] x);
        integer k;
        reg [WIDTH-1:0] low, twice;
        begin
            for (k = 0; k < BYTES; k = k + 1) low[8*k+:8] = x[WIDTH-1-8*k-:8];
            twice = {low[WIDTH-2:0], 1'b0} ^ (low[WIDTH-1] ? POLYNOMIAL : {WIDTH{1'b0}});
            for (k = 0; k < BYTES; k = k + 1) alpha[WIDTH-1-8*k-:8] = twice[8*k+:8];
        end
    endfunction

    // What must be: the number that was announced; the unit that goes on; its word that was taken
    // and did not go; the short word, which the bytes of `gift` fill up.
    reg g_number, g_sent, g_tweaked, g_unit, g_closed, g_word, g_last, g_way, g_short, g_filled;
    reg g_begun, g_unit_way;
    reg [WIDTH-1:0] g_named, g_next, g_first, g_text, g_tweak, g_before, g_gift;
    reg [4:0] g_count;

    wire clear = drop_i;
    wire announced = unit_valid_i && unit_ready;
    wire take = valid_i && open_i && ready;
    wire goes = begins && !second;
    wire fills = goes && g_short;
    wire over = goes && (g_short || g_last);
    wire turns = g_tweaked && (over || !g_unit);
    always @(*)
        if (take) begin
            assume (count_i > 0 && count_i <= BYTES && (last_i || count_i == BYTES));
            assume (g_begun || count_i == BYTES);
            assume (!g_begun || decrypt_i == g_unit_way);
        end

    wire number_made = done && what[HEAD] == NUMBER && !clear;
    wire given = done && what[HEAD] == GIVES && !clear;
    wire [WIDTH-1:0] gift = result ^ tweak[HEAD];
    reg [WIDTH-1:0] full, mask;
    integer i;
    always @(*) begin
        for (i = 0; i < BYTES; i = i + 1) begin
            full[WIDTH-1-8*i-:8] = i < g_count ? g_text[WIDTH-1-8*i-:8] : g_gift[WIDTH-1-8*i-:8];
            mask[WIDTH-1-8*i-:8] = {8{i < g_count}};
        end
    end

    // What belongs to the block that goes.
    wire gives = goes && !g_short && !g_last && short;
    wire turned = BOTH != 0 && g_way;
    wire [WIDTH-1:0] own = !g_short ? (gives && turned ? alpha(
        g_tweak
    ) : g_tweak) : (turned ? g_before : g_tweak);
    wire [2:0] kind = second ? NUMBER : fills ? LATE : g_last ? LAST : gives ? GIVES : WORD;

    integer p;
    reg dead;
    always @(*) begin
        dead = 1'b0;
        for (p = 0; p < PLACES; p = p + 1) dead = dead | (busy[p] && what[p] == DEAD);
    end
    always @(*) if (dead) assume (drop_i);

    always @(posedge clk) begin
        for (p = 0; p < PLACES; p = p + 1) begin
            made[p] <= p > 0 ? made[p==0?0 : p-1] : begins ? made_of_it : made[HEAD];
            age[p] <= p > 0 ? age[p==0?0 : p-1] : begins ? 4'd1 : age[HEAD] + 4'd1;
            what[p] <= clear ? DEAD : p > 0 ? what[p==0?0 : p-1] : begins ? kind : what[HEAD];
            tweak[p] <= p > 0 ? tweak[p==0?0 : p-1] : begins ? own : tweak[HEAD];
            waits[p] <= p > 0 ? waits[p==0?0 : p-1] : wait_tweak;
            busy[p] <= !rst_i && (p > 0 ? busy[p==0?0 : p-1] : begins || (busy[HEAD] && !done));
        end

        g_number <= !rst_i && !clear && (announced || (g_number && !(begins && second)));
        g_sent <= !rst_i && !clear && ((begins && second) || (g_sent && !number_made));
        g_tweaked <= !rst_i && !clear && (number_made || (g_tweaked && !turns));
        if (announced) g_named <= unit_i;
        if (number_made) g_next <= result;
        g_unit <= !rst_i && !clear && (turns || (g_unit && !over));
        g_begun <= !rst_i && !clear && !over && (take || g_begun);
        g_closed <= !rst_i && !clear && !over && ((take && last_i) || g_closed);
        if (turns) g_first <= g_next;
        if (take && !g_begun) g_unit_way <= decrypt_i;
        g_word <= !rst_i && !clear && (take || (g_word && !goes));
        g_short <= !rst_i && !clear && ((take && short && g_begun) || (g_short && !fills));
        g_filled <= !rst_i && !clear && g_short && (given || (g_filled && !fills));
        if (take) begin
            g_text <= block_i;
            g_count <= count_i;
            g_last <= last_i && !short;
            g_way <= decrypt_i;
            g_before <= g_tweak;
            g_tweak <= g_begun ? alpha(g_tweak) : g_first;
        end
        if (given) g_gift <= gift;
    end

    // What leaves: a cycle after the loop.
    reg due, due_late, due_last;
    reg [WIDTH-1:0] due_block;
    reg [BYTES-1:0] due_kept;
    wire cut = what[HEAD] == GIVES;
    always @(posedge clk) begin
        due <= !rst_i && done && what[HEAD] != NUMBER && !clear;
        due_late <= what[HEAD] == LATE;
        due_last <= cut || what[HEAD] == LAST;
        due_block <= gift & (cut ? mask : {WIDTH{1'b1}});
        due_kept <= cut ? ~({BYTES{1'b1}} >> g_count) : {BYTES{1'b1}};
    end

    integer q, numbers, givers;
    always @(*)
        if (started) begin
            assert (valid == due);
            if (due)
                assert (shown == due_block && kept == due_kept && last == due_last &&
                        late == due_late);
                else assert (shown == 0 && kept == 0 && !last && !late);
        end
    always @(*)
        if (started && !rst_i && !clear) begin
            // What goes in.
            if (begins && second) assert (block == g_named && !back && g_number);
            if (goes) begin
                assert (g_word && back == (BOTH != 0 && g_way));
                assert (block == ((g_short ? full : g_text) ^ own));
                if (g_short)
                    assert (g_filled);
                    else if (!g_last) assert (take);
            end
            if (take) assert (g_unit && !g_closed && (!g_word || (goes && !g_short)));
            if (announced) assert (!g_number && !g_sent && !g_tweaked);
        end
    always @(*)
        if (started) begin
            assert (pending == (g_number || g_sent || g_tweaked || (g_unit && !g_closed)));
            // The registers, for the induction.
            assert (asked == g_number && making == g_sent && there == g_tweaked);
            assert (g_number + g_sent + g_tweaked <= 1);
            if (asked) assert (next == g_named);
            if (there) assert (next == g_next);
            assert (unit == g_unit && closed == g_closed && word == g_word);
            assert (is_short == g_short && filled == g_filled);
            if (g_filled) assert (g_short);
            if (word) assert (unit && g_begun && decrypts == g_way && g_way == g_unit_way);
            if (word && BOTH == 0) assert (!g_way);
            if (word) assert (ends == (g_last && !g_short));
            if (g_begun) assert (unit);
            if (g_closed) assert (g_begun);
            if (g_short)
                assert (word && g_closed && !ends && g_count < BYTES &&
                        bytes == ~({BYTES{1'b1}} >> g_count));
            if (word) assert (g_closed == (g_last || g_short));
            if (word && g_last) assert (!g_short);
            if (unit) assert (word == g_begun);
            if (unit && !g_begun) assert (now == g_first && !g_closed);
            if (word && !g_short) assert (now == g_tweak && text == g_text);
            if (g_short) assert (now == (turned ? g_before : g_tweak));
            if (g_short) assert (g_tweak == alpha(g_before));
            if (g_short && !g_filled) assert (text == g_text);
            if (g_filled) assert (text == full);
            // The loop's blocks.
            numbers = 0;
            givers = 0;
            for (q = 0; q < PLACES; q = q + 1) begin
                if (busy[q]) assert (age[q] >= 1 && age[q] <= TURNS && what[q] <= DEAD);
                if (busy[q] && what[q] == NUMBER) numbers = numbers + 1;
                if (busy[q] && what[q] == GIVES) givers = givers + 1;
                if (busy[q] && what[q] < DEAD) begin
                    assert (kinds[4*q+:4] == {what[q] == LAST, what[q] == LATE, what[q] == GIVES,
                                              what[q] == NUMBER});
                    if (what[q] != NUMBER) assert (waits[q] == tweak[q]);
                end
            end
            assert (numbers == g_sent && givers == (g_short && !g_filled));
        end

    reg seen_late = 1'b0;
    always @(posedge clk) if (valid && late) seen_late <= 1'b1;
    always @(*) begin
        cover (valid && late && last == 0 && kept == {BYTES{1'b1}});
        cover (seen_late && valid && last && kept == {BYTES{1'b1}});
    end
endmodule
`default_nettype wire
