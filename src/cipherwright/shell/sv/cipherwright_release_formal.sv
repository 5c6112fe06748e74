// Rules of cipherwright_release: any pattern of words, verdicts, back-pressure, resets and
// zeroising.
//
// Task "always" proves by induction what leaves, when and in which order, for all times; that a
// word finds a place is taken as given. Task "room" proves both, with ADMIT = 0. It needs nine
// cycles in a row, so it takes minutes. The rules on how soon something happens, on room_o and on
// zeroised places are checked for the first cycles after a reset alone (release.sby says how many).
//
// A word leaves in its order, as it came, once: one that need not wait, and one of a packet of at
// most DEPTH - 8 words whose verdict was "good". It leaves after the verdict. No other word leaves,
// nor gets behind the memory. A verdict is told a cycle later, and is "good" for no packet that is
// longer. Every word finds room. Where words can leave and are taken, one leaves within LATE
// cycles; and where nothing is in the memory but a packet that goes on, room_o rises within as
// many. After a reset or zeroising nothing of before leaves; when zeroise_i was 1 for DEPTH + 4
// cycles, every place and both registers behind the memory are zero.
//
// What is around it: words and verdicts come as the head of cipherwright_release.sv says. With
// ADMIT = 1 a word that is to be written comes only where it was announced, any time later. With
// ADMIT = 0 every word is taken. Nothing is abstracted. Checked by SymbiYosys (release.sby).
`default_nettype none
module cipherwright_release_formal #(
    parameter integer WIDTH      = 1,
    parameter integer DEPTH_LOG2 = 4,
    parameter integer ADMIT      = 0,
    parameter integer ALWAYS     = 0,  // 1, 2: what is proven for all times
    parameter integer LATE       = 10
) (
    input wire             clk,
    input wire             rst_i,
    input wire             zeroise_i,
    input wire             announces_i,
    input wire             valid_i,
    input wire             hold_i,
    input wire [WIDTH-1:0] data_i,
    input wire             verdict_i,
    input wire             good_i,
    input wire             tag_i,
    input wire             m_ready_i
);
    localparam integer DEPTH = 1 << DEPTH_LOG2;
    localparam integer LONGEST = DEPTH - 8;
    localparam integer B = DEPTH_LOG2 + 2;
    wire room, verdict, good, too_long, tag, m_valid, pop, store, busy;
    wire [WIDTH-1:0] m_data, word, next;
    wire [DEPTH_LOG2:0] write, start, read;
    wire held;
    wire [DEPTH_LOG2:0] last;
    wire [WIDTH-1:0] came;
    wire [DEPTH_LOG2-1:0] place;
    wire came_in, hold, open, over, decided, was_good, was_long, back;
    wire pop_1, both, none, many, there;
    wire [3:0] least;
    wire [DEPTH_LOG2:0] stored, left;
    (* anyconst *) wire [DEPTH_LOG2-1:0] chosen;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    // Words that are announced and have not come; the core drops them when it is cleared.
    wire wiping;
    wire clear = rst_i | zeroise_i | wiping;
    wire reserve = announces_i & room;
    reg [B-1:0] flying;
    wire needs_place;
    always @(posedge clk) flying <= clear ? 0 : flying + reserve - (valid_i & needs_place);
    always @(*) if (ADMIT != 0 && flying == 0) assume (!(valid_i && needs_place));
    always @(*) if (ADMIT == 0) assume (m_ready_i);

    cipherwright_release #(
        .WIDTH(WIDTH),
        .TAG_BITS(1),
        .DEPTH_LOG2(DEPTH_LOG2),
        .ADMIT(ADMIT)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .reserve_i(reserve),
        .room_o(room),
        .valid_i(valid_i),
        .hold_i(hold_i),
        .data_i(data_i),
        .verdict_i(verdict_i),
        .good_i(good_i),
        .tag_i(tag_i),
        .verdict_o(verdict),
        .good_o(good),
        .long_o(too_long),
        .tag_o(tag),
        .m_valid_o(m_valid),
        .m_ready_i(m_ready_i),
        .m_data_o(m_data),
        .f_write_o(write),
        .f_start_o(start),
        .f_read_o(read),
        .f_pop_o(pop),
        .f_store_o(store),
        .f_zeroise_o(wiping),
        .f_next_o(next),
        .f_end_o(last),
        .f_held_o(held),
        .f_came_o(came),
        .f_place_i(place),
        .f_word_o(word),
        .f_happened_o({came_in, hold, open, over, decided, was_good, was_long, back}),
        .f_late_o({pop_1, both, none, many, there, least}),
        .f_stored_o(stored),
        .f_left_o(left),
        .busy_o(busy)
    );

    // The packet: whether a word of it came, whether its words wait, and how many these are, up to
    // one too many.
    reg begun, waits;
    reg [B-1:0] count;
    wire fits = {{32 - B{1'b0}}, count} <= LONGEST;
    assign needs_place = !hold_i || {{32 - B{1'b0}}, count} < LONGEST;
    always @(posedge clk) begin
        if (clear | verdict_i) begun <= 1'b0;
        else if (valid_i) begun <= 1'b1;
        if (valid_i) waits <= hold_i;
        if (clear | verdict_i) count <= 0;
        else if (valid_i & hold_i & fits) count <= count + 1'b1;
    end
    always @(*) begin
        assume (!(valid_i && verdict_i));
        if (valid_i && begun) assume (hold_i == waits);
    end

    // Words that may leave and have not.
    wire taken = m_valid & m_ready_i;
    wire passes = verdict_i & good_i & fits;
    reg [B-1:0] released;
    always @(posedge clk) begin
        if (clear) released <= 0;
        else released <= released + (valid_i & ~hold_i) + (passes ? count : 0) - taken;
    end

    // A verdict is told a cycle later.
    reg told, told_good, told_long, told_tag;
    always @(posedge clk) begin
        told <= verdict_i & ~clear;
        told_good <= passes & ~clear;
        told_long <= verdict_i & ~fits & ~clear;
        told_tag <= tag_i;
    end
    wire [DEPTH_LOG2:0] filled = write - read;
    wire [DEPTH_LOG2:0] readable = start - read;
    wire [DEPTH_LOG2:0] leaving = last - read;
    always @(*)
        if (started && !wiping) begin
            assert (verdict == told && good == told_good && too_long == told_long);
            if (told) assert (tag == told_tag);
            // No word leaves but one that may, and none gets behind the memory.
            if (m_valid) assert (released != 0);
            if (pop) assert (readable != 0);
            assert (released == leaving + held + m_valid);
            // Every word finds room, and no place is used twice.
            if (ALWAYS != 1) assert ({{31 - DEPTH_LOG2{1'b0}}, filled} + store <= DEPTH);
        end
    always @(*)
        if (ALWAYS == 1 && started && !wiping)
            assume ({{31 - DEPTH_LOG2{1'b0}}, filled} + store <= DEPTH);

    // What induction needs: the states that can be reached. Words that could be read one, two and
    // three cycles ago, and whether one was read.
    localparam integer W = DEPTH_LOG2 + 1;
    reg cleared = 1'b0;
    reg pop_2, pop_3;
    reg [W-1:0] readable_2, readable_3;
    wire [W-1:0] waiting = write - start;
    wire [W:0] gone = pop_1 + pop_2 + pop_3;
    wire full = {{32 - W{1'b0}}, waiting} == LONGEST;
    reg [W-1:0] start_1, start_2, start_3;
    wire [W-1:0] since_1 = write - start_1, since_2 = write - start_2, since_3 = write - start_3;
    always @(posedge clk) begin
        start_1 <= clear ? 0 : start;
        start_2 <= clear ? 0 : start_1;
        start_3 <= clear ? 0 : start_2;
    end
    always @(*)
        if (ALWAYS == 2 && started && !wiping) begin
            assert (since_1 <= LONGEST + 1 && since_2 <= LONGEST + 2 && since_3 <= LONGEST + 3);
            assert (start_1 - read == stored - pop_1);
            assert (start_3 - read == readable_3 - gone[W-1:0]);
            assert (start_2 - read == readable_2 - pop_1 - pop_2);
        end
    always @(*) if (started && cleared) assert (start_1 == 0 && start_2 == 0 && start_3 == 0);
    always @(posedge clk) begin
        cleared <= clear;
        pop_2 <= pop_1 & ~clear;
        pop_3 <= pop_2 & ~clear;
        readable_2 <= clear ? 0 : stored;
        readable_3 <= clear ? 0 : readable_2;
    end
    always @(*)
        if (started) begin
            if (wiping) assert (cleared);
            if (cleared) begin
                assert (start == 0 && read == 0 && left == 8 && stored == 0 && least == 0);
                assert ({came_in, hold, open, over, decided, was_good, was_long, back} == 0);
                assert (!pop_1 && !pop_2 && !pop_3 && !both && none && !many && !there);
                assert (!held && !m_valid && readable_2 == 0 && readable_3 == 0);
                assert (released == 0 && count == 0 && !begun && !watched && flying == 0);
                if (!wiping) assert (write == 0);
            end
            if (!wiping) begin
                // Who waits.
                assert ({{32 - W{1'b0}}, waiting} <= LONGEST);
                assert ({{32 - B{1'b0}}, count} <= LONGEST + 1);
                assert (decided == (was_good || back) && !(was_good && back));
                assert (!decided || (!came_in && !over));
                if (was_long) assert (back);
                if (came_in) assert (begun && hold == waits);
                if (begun && !came_in) assert (open == !waits);
                if (open) assert (waiting <= 1 && left == 8 && !over);
                if (open && begun) assert (came_in ? count == hold : count == 0);
                if (open && !begun) assert (count == 0);
                if (!open) assert (left == waiting + 8);
                if (!open && decided) assert (count == 0 && !begun);
                if (!open && !decided && over)
                    assert (full && {{32 - B{1'b0}}, count} == LONGEST + 1 && begun && waits);
                if (!open && !decided && !over)
                    assert ({{W - 1{1'b0}}, count} == {1'b0, waiting} + (came_in && hold));
                if (!begun && !decided && !open) assert (waiting == 0);
                if (begun && !waits) assert (count == 0);
                // What can be read is at most what is there, and no less than what is late says.
                assert (readable + waiting == filled && {1'b0, readable} + waiting <= DEPTH);
                assert (readable <= DEPTH && stored <= DEPTH);
                assert (readable_2 <= DEPTH && readable_3 <= DEPTH);
                assert (both == (pop_1 && pop_2) && none == (!pop_1 && !pop_2));
                assert ({1'b0, readable} + pop_1 >= stored);
                assert ({1'b0, stored} + pop_2 >= readable_2);
                assert ({1'b0, readable_2} + pop_3 >= readable_3);
                assert (many == (readable_2 >= 8));
                if (least[0]) assert (readable_2 >= 1);
                if (least[1]) assert (readable_2 >= 2);
                if (least[2]) assert (readable_2 >= 3);
                if (least[3]) assert (readable_2 >= 4);
                if (there) assert ({1'b0, readable_3} >= gone + 1);
            end
        end
    always @(*) if (started && wiping) assert (!m_valid && !verdict && !good && !pop);

    // A word that is offered stays until it is taken.
    reg kept = 1'b0;
    reg [WIDTH-1:0] data_past;
    always @(posedge clk) begin
        kept <= m_valid & ~m_ready_i & ~clear;
        data_past <= m_data;
    end
    always @(*) if (started && kept) assert (m_valid && m_data == data_past);

    // Any word that can leave: as many leave before it as may, and those of its packet before it.
    (* anyseq *) wire choice;
    reg watched, free;
    reg [B-1:0] ahead;
    reg [WIDTH-1:0] value;
    always @(posedge clk) begin
        if (clear) watched <= 1'b0;
        else if (!watched && valid_i && choice && {{32 - B{1'b0}}, count} < LONGEST) begin
            watched <= 1'b1;
            free <= ~hold_i;
            ahead <= released + count - taken;
            value <= data_i;
        end else if (watched) begin
            if (verdict_i && !free) begin
                watched <= passes;
                free <= 1'b1;
            end
            if (taken) begin
                ahead <= ahead - 1'b1;
                if (ahead == 0) watched <= 1'b0;
            end
        end
    end
    // Where it is: at the port, behind the memory, in front of it, or in it.
    reg fresh;
    always @(posedge clk) fresh <= !watched;
    wire [B-1:0] index = ahead - held - m_valid;
    assign place = watched ? read[DEPTH_LOG2-1:0] + index[DEPTH_LOG2-1:0] : chosen;
    always @(*)
        if (started && watched && !wiping) begin
            if (m_valid && ahead == 0)
                assert (free && m_data == value);
                else if (held && ahead == m_valid)
                    assert (free && next == value);
                    else if (fresh)
                        assert (came_in && came == value && index == {1'b0, filled} &&
                                place == write[DEPTH_LOG2-1:0]);
                        else assert (word == value && index < {1'b0, filled});
            if (free)
                assert (ahead < released);
                else
                    assert (begun && waits && ahead >= released && ahead < released + count &&
                            {{32 - B{1'b0}}, ahead} < {{32 - B{1'b0}}, released} + LONGEST);
        end

    // Words leave in time, and room is told in time.
    reg [3:0] since, since_room;
    wire going = released != 0 && m_ready_i && !m_valid;
    wire free_room = flying == 0 && released == 0 && !room;
    always @(posedge clk) begin
        since <= clear || !going ? 0 : since + 1'b1;
        since_room <= clear || !free_room || reserve || valid_i ? 0 : since_room + 1'b1;
    end
    always @(*)
        if (started && ALWAYS == 0) begin
            assert ({{28{1'b0}}, since} <= LATE);
            if (ADMIT != 0) assert ({{28{1'b0}}, since_room} <= LATE);
        end

    // While anything can be read, it is busy, but for the first cycles.
    reg [3:0] since_busy;
    always @(posedge clk) since_busy <= clear || released == 0 || busy ? 0 : since_busy + 1'b1;
    always @(*) if (started && ALWAYS == 0) assert ({{28{1'b0}}, since_busy} <= LATE);

    // Zeroising: any place, and for how long.
    reg [DEPTH_LOG2+1:0] times;
    always @(posedge clk) begin
        if (rst_i || !zeroise_i) times <= 0;
        else if ({{30 - DEPTH_LOG2{1'b0}}, times} < DEPTH + 4) times <= times + 1'b1;
    end
    always @(*)
        if (started && ALWAYS == 0 && {{30 - DEPTH_LOG2{1'b0}}, times} == DEPTH + 4)
            assert (word == 0 && next == 0 && m_data == 0);

    // A packet that is as long as it can be passes, one is too long, one is refused, and words
    // leave after each.
    reg passed = 1'b0, refused = 1'b0, dropped = 1'b0;
    always @(posedge clk) begin
        if (good && {{31 - DEPTH_LOG2{1'b0}}, filled} == LONGEST) passed <= 1'b1;
        if (too_long && passed) dropped <= 1'b1;
        if (verdict && !good && !too_long && filled != 0 && dropped) refused <= 1'b1;
    end
    always @(*) cover (refused && watched && free && ahead == 0 && m_valid);
endmodule
`default_nettype wire
