// Rules of cipherwright_deep_stream, by induction for all times: any pattern of words,
// back-pressure, resets and zeroising.
//
// Every word that is accepted leaves once, in its order, as it went in, unless a reset or zeroising
// comes before; a word that is offered stays until it is taken; no place of the FIFO is used twice.
// Ready says that MARGIN places were free three cycles ago. A word is read from the memory in the
// first cycle, from the fifth after the one that brings it on, in which the registers behind the
// memory move. When zeroise_i or zeroising_i was 1 for DEPTH cycles, every place of the FIFO has
// been written anew a cycle later, and four cycles after that all registers behind it. All parts of
// a word move together.
//
// What is behind is any core that answers each word once, in order, after one cycle or more, and
// that drops its words in a cycle of reset or zeroising. So latency, gaps and what the core
// computes are free; nothing is abstracted. Checked by SymbiYosys (deep_stream.sby).
`default_nettype none
module cipherwright_deep_stream_formal #(
    parameter integer WIDTH      = 8,
    parameter integer DEPTH_LOG2 = 3,
    parameter integer BESIDE     = 2,
    parameter integer GRACE      = 2,
    parameter integer MARGIN     = 4 + GRACE,
    parameter integer SURE       = 0,
    parameter integer EACH       = 2
) (
    input wire              clk,
    input wire              rst_i,
    input wire              zeroise_i,
    input wire              zeroising_i,
    input wire              s_valid_i,
    input wire              core_ready_i,
    input wire [ WIDTH-1:0] s_data_i,
    input wire [BESIDE-1:0] s_beside_i,
    input wire              m_ready_i
);
    localparam [DEPTH_LOG2+1:0] DEPTH = 1 << DEPTH_LOG2;
    wire s_ready, s_early, core_valid, m_valid, pop, store, there, wiping, alike;
    wire in_first, in_second, held, full;
    wire [WIDTH-1:0] m_data, result, first, second, taken, spare, word;
    wire [BESIDE-1:0] m_beside, beside_in, beside;
    wire [BESIDE-1:0] beside_first, beside_second, beside_taken, beside_spare;
    wire [DEPTH_LOG2-1:0] beside_place;
    wire [DEPTH_LOG2+1:0] room;
    wire [DEPTH_LOG2:0] stored;
    wire [DEPTH_LOG2-1:0] write, read;
    wire [3:0] least;
    wire [10:0] late;
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);
    // zeroising_i comes behind either; what is in front keeps its promise.
    always @(*) if (!zeroised) assume (!zeroising_i);
    always @(*) if (SURE != 0) assume (!s_valid_i || (s_ready && core_ready_i));

    // The core: a number of words, the first of which may come out.
    (* anyseq *) wire answers;
    (* anyseq *) wire [WIDTH-1:0] answer;
    wire zeroise = zeroise_i | zeroising_i;
    wire clear = rst_i | zeroise;
    wire accepted = s_valid_i & s_ready & core_ready_i;
    reg [DEPTH_LOG2+1:0] flying;
    wire answered = answers && flying != 0;
    always @(posedge clk) flying <= clear ? 0 : flying + accepted - answered;

    wire [DEPTH_LOG2-1:0] place;
    cipherwright_deep_stream #(
        .WIDTH(WIDTH),
        .DEPTH_LOG2(DEPTH_LOG2),
        .BESIDE(BESIDE),
        .GRACE(GRACE),
        .MARGIN(MARGIN),
        .SURE(SURE),
        .EACH(EACH)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .zeroising_i(zeroising_i),
        .s_valid_i(s_valid_i),
        .s_ready_o(s_ready),
        .s_early_o(s_early),
        .s_beside_i(s_beside_i),
        .core_valid_o(core_valid),
        .core_ready_i(core_ready_i),
        .m_beside_o(m_beside),
        .f_beside_place_o(beside_place),
        .f_beside_in_o(beside_in),
        .f_beside_o(beside),
        .f_beside_first_o(beside_first),
        .f_beside_second_o(beside_second),
        .f_beside_taken_o(beside_taken),
        .f_beside_spare_o(beside_spare),
        .core_valid_i(answered),
        .core_data_i(answer),
        .m_valid_o(m_valid),
        .m_ready_i(m_ready_i),
        .m_data_o(m_data),
        .f_room_o(room),
        .f_stored_o(stored),
        .f_write_o(write),
        .f_read_o(read),
        .f_zeroise_o(wiping),
        .f_behind_o({in_first, in_second, held, full}),
        .f_alike_o(alike),
        .f_pop_o(pop),
        .f_store_o(store),
        .f_late_o(late),
        .f_least_o(least),
        .f_there_o(there),
        .f_result_o(result),
        .f_first_o(first),
        .f_second_o(second),
        .f_taken_o(taken),
        .f_spare_o(spare),
        .f_place_i(place),
        .f_word_o(word)
    );

    // Words in the memory and free places, now and up to three cycles ago.
    reg [DEPTH_LOG2+1:0] filling, filling_1, filling_2, filling_3, free_1, free_2, free_3;
    reg [4:1] pushed;
    reg [3:1] popped, came;
    wire [DEPTH_LOG2+1:0] free = DEPTH - flying - filling;
    reg cleared, zeroised, wiped, early_past, early_past_2;
    // In the first cycle after one of zeroising, what is not seen from outside is not cleared yet.
    wire stale = wiping && !wiped;
    wire forget = clear | wiping;
    always @(posedge clk) begin
        cleared <= forget;
        zeroised <= zeroise & ~rst_i;
        wiped <= wiping & ~rst_i;
        early_past <= s_early & ~forget;
        early_past_2 <= early_past & ~forget;
        filling <= forget ? 0 : filling + answered - pop;
        filling_1 <= forget ? 0 : filling;
        filling_2 <= forget ? 0 : filling_1;
        filling_3 <= forget ? 0 : filling_2;
        free_1 <= forget ? DEPTH : free;
        free_2 <= forget ? DEPTH : free_1;
        free_3 <= forget ? DEPTH : free_2;
        pushed <= forget ? 0 : {pushed[3:1], answered};
        popped <= forget ? 0 : {popped[2:1], pop};
        came <= forget ? 0 : {came[2:1], accepted};
    end
    wire leaves = m_valid & m_ready_i;
    // Words behind the memory that are before the one in the register of the name.
    wire [2:0] before_taken = m_valid + full;
    wire [2:0] before_second = before_taken + held;
    wire [2:0] before_first = before_second + in_second;
    wire [2:0] behind = before_first + in_first;
    wire [DEPTH_LOG2+1:0] gone_2 = popped[2] + popped[3];
    wire [DEPTH_LOG2+1:0] counted_2 = filling_2 - pushed[3];
    wire [DEPTH_LOG2+1:0] counted_3 = filling_3 - pushed[4];
    wire [DEPTH_LOG2+1:0] here = filling + flying + behind;
    wire [DEPTH_LOG2-1:0] used = write - read;
    wire [DEPTH_LOG2-1:0] write_next = write + pushed[1] + flying - came[1];
    wire [DEPTH_LOG2+1:0] less = free_2 - MARGIN;
    wire [DEPTH_LOG2:0] counted = filling_1 - pushed[2];
    always @(*)
        if (started) begin
            assert (core_valid == (s_valid_i & s_ready));
            assert (store == (pushed[1] || wiping));
            assert (alike && (m_valid || !full));
            assert (wiping == zeroised && (cleared || !wiping));
            assert (flying <= DEPTH && filling <= DEPTH && flying + filling <= DEPTH);
            assert (wiping ? filling == 0 && before_taken + held == 0 &&
                    (stale || (read == 0 && behind == 0)) :
                    used + pushed[1] == filling[DEPTH_LOG2-1:0]);
            if (cleared) assert (filling == 0 && flying == 0 && (stale || behind == 0));
            if (cleared) assert (!m_valid && !s_ready && !accepted);
            if (cleared) assert (pushed == 0 && popped == 0 && came == 0);
            // What was is what is, without what happened since.
            assert (filling_1 + pushed[1] == filling + popped[1]);
            assert (filling_2 + pushed[2] == filling_1 + popped[2]);
            assert (filling_3 + pushed[3] == filling_2 + popped[3]);
            assert (free_1 + popped[1] == free + came[1]);
            assert (free_2 + popped[2] == free_1 + came[2]);
            assert (filling_1 <= DEPTH && filling_2 <= DEPTH && filling_3 <= DEPTH);
            assert (free_1 <= DEPTH && free_2 <= DEPTH && free_3 <= DEPTH);
            assert (free_3 + popped[3] == free_2 + came[3]);
            // The late counts, and what follows from them.
            assert (stale ||
                    late == {wiping || came[1], counted_2 >= 8, early_past, came[2] && !popped[2],
                             came[2] ^ popped[2], popped[1] && !pushed[2], popped[1] ^ pushed[2],
                             popped[1] && popped[2], !popped[1] && !popped[2], came[1], popped[1]});
            assert (stale || room == less);
            assert (s_early == (!cleared && free_3 >= MARGIN));
            assert (s_ready == (s_early || (GRACE > 0 && early_past && !cleared) ||
                                (GRACE > 1 && early_past_2 && !cleared)));
            if (early_past && !cleared) assert (free_3 + 1'b1 >= MARGIN && (GRACE == 0 || s_ready));
            if (early_past_2 && !cleared)
                assert (free_3 + 2'd2 >= MARGIN && (GRACE < 2 || s_ready));
            if (accepted) assert (free != 0);
            if (came[1]) assert (free_1 != 0 && flying != 0);
            assert (wiping || beside_place == write_next);
            assert (filling_1 >= pushed[2] && (stale || stored == counted));
            assert (stale ||
                    least == {counted_2 >= 4, counted_2 >= 3, counted_2 >= 2, counted_2 >= 1});
            assert (counted_3 >= gone_2 && filling_2 >= pushed[3] && filling_3 >= pushed[4]);
            assert (stale || there == (counted_3 - gone_2 > popped[1]));
            assert (counted_3 - gone_2 >= popped[1]);
            assert (stale || pop == (!full && counted_3 - gone_2 > popped[1]));
            if (pop && !stale) assert (filling != 0);
        end

    // A word that is offered stays until it is taken.
    reg kept = 1'b0;
    reg [WIDTH-1:0] data_past;
    always @(posedge clk) begin
        kept <= m_valid & ~m_ready_i & ~forget;
        data_past <= m_data;
    end
    always @(*) if (started && kept) assert (m_valid && m_data == data_past);

    // Any word, from where it is accepted: as many leave before it as were there.
    (* anyseq *) wire choice;
    reg watched;
    reg [DEPTH_LOG2+1:0] ahead;
    reg [WIDTH-1:0] value;
    reg [BESIDE-1:0] tag;
    wire shown = m_valid && ahead == 0;
    wire waits = full && ahead == {{DEPTH_LOG2 + 1{1'b0}}, m_valid};
    wire follows = held && ahead == {{DEPTH_LOG2 - 1{1'b0}}, before_taken};
    wire second_is = in_second && ahead == {{DEPTH_LOG2 - 1{1'b0}}, before_second};
    wire first_is = in_first && ahead == {{DEPTH_LOG2 - 1{1'b0}}, before_first};
    wire [DEPTH_LOG2+1:0] index = ahead - behind;  // words before it in the memory
    wire out = shown || waits || follows || second_is || first_is;
    wire in_fifo = !out && index < filling_1 - popped[1];
    wire enters = !out && pushed[1] && index + 1'b1 == filling;
    always @(posedge clk) begin
        if (clear) watched <= 1'b0;
        else if (!watched && accepted && choice) begin
            watched <= 1'b1;
            ahead <= here - leaves;
            value <= s_data_i;
            tag <= s_beside_i;
        end else if (watched && leaves) begin
            watched <= ahead != 0;
            ahead <= ahead - 1'b1;
        end
    end
    always @(*) if (watched && answered && !out && index == filling) assume (answer == value);
    always @(*)
        if (started && watched) begin
            assert (!wiping);
            assert (ahead < here);
            if (shown) assert (m_data == value && m_beside == tag);
            if (waits) assert (spare == value && beside_spare == tag);
            if (follows) assert (taken == value && beside_taken == tag);
            if (second_is) assert (second == value && beside_second == tag);
            if (first_is) assert (first == value && beside_first == tag);
            if (in_fifo) assert (word == value);
            if (enters) assert (result == value);
            if (!out && came[1] && beside_place == place)
                assert (beside_in == tag);
                else if (!out) assert (beside == tag);
        end

    // Zeroising: any place, and for how long.
    (* anyconst *) wire [DEPTH_LOG2-1:0] chosen;
    reg [DEPTH_LOG2:0] times, rewritten;
    reg written, renewed;
    reg [WIDTH-1:0] last, word_past, first_past, second_past, taken_past, answer_past;
    wire [DEPTH_LOG2-1:0] distance = chosen - write;
    wire again = wiping && rewritten != 0;
    assign place = watched ? read + index[DEPTH_LOG2-1:0] : chosen;
    always @(posedge clk) begin
        times <= rst_i || !zeroise ? 0 : times[DEPTH_LOG2] ? times : times + 1'b1;
        rewritten <= rst_i || !wiping ? 0 : rewritten + !rewritten[DEPTH_LOG2];
        written <= (written && again) || (wiping && chosen == write);
        if (chosen == write) last <= result;
        answer_past <= answer;
        word_past <= word;
        first_past <= first;
        second_past <= second;
        taken_past <= taken;
        renewed <= wiping && !stale && chosen == 0;
    end
    always @(*)
        if (started) begin
            assert ((times != 0) == zeroised && {1'b0, times} <= DEPTH);
            if (wiping)
                assert (times[DEPTH_LOG2] ? rewritten >= DEPTH - 1 : rewritten + 1'b1 == times);
            if (cleared) assert (result == answer_past);
            if (again) assert (written || {2'b0, distance} + {1'b0, rewritten} < DEPTH);
            if (again && written) assert (word == last);
            if (renewed && wiping) assert (first == word_past && second == first_past);
            if (renewed && wiping) assert (taken == second_past);
            if (renewed && wiping) assert (spare == taken_past && m_data == taken_past);
        end

    // The FIFO is really filled, and emptied again; a reset comes while it is full.
    reg filled = 1'b0, dropped = 1'b0;
    wire whole = behind == 5 && filling == DEPTH;
    always @(posedge clk) begin
        if (started && whole) filled <= 1'b1;
        if (started && whole && rst_i) dropped <= 1'b1;
    end
    always @(*) begin
        cover (filled && free == DEPTH && !dropped);
        cover (dropped && watched && shown && m_ready_i);
        cover (times[DEPTH_LOG2] && filled);
    end
endmodule
`default_nettype wire
