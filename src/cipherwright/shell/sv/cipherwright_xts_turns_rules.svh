// Rules of the control of XTS in a pipeline (shell/xts/turns.py), by induction for all times: any
// units, words, pauses and resets, and zeroising. They are put inside the module, after its own
// text (tests/shell/xts_rules.py).
//
// Units are numbered in the order in which their numbers are announced, words in the order in
// which they are taken; the first unit that is announced is that of the first word, and so on.
// A number that goes through the cipher takes its unit along, and so does the tweak that is made of
// it: into the memory, to the next tweak, to the current one. A word has the unit that it was
// taken in.
//
// Shown: a block goes into its slot beside the tweak of its own unit, multiplied by alpha as often
// as there are blocks of the unit before it. Every word that was taken has one slot, in the order
// in which they were taken; no word is overwritten while it is held. Tweaks are in the memory when
// they are read, and none is overwritten before. No slot has two owners. The slot of a short word
// is right behind that of the block before it, which gives it bytes; that block goes through the
// cipher once more when its result is there, or a cycle later where a unit's last word goes then.
// Results are told as many cycles after their slots, all alike: which are a unit's last, and which
// took stolen bytes in. While everything is forgotten, all data are overwritten. With two pairs of
// keys, every slot is under the pair that was announced with its unit's number, and a pair is in
// use from two cycles after the announcement of a unit of it until the unit has ended.
//
// Assumed: a number is announced where room_o is 1, and not in the cycle behind drop_i, which is
// proven of the module around (tests/shell/test_xts_layer.py); drop_i stays for F_DROP cycles at
// least (the control around the core keeps it for XtsTiming.flush).
//
// F_CIPHER, the cycles of a block in the cipher, and F_TWEAKS, the words of the memory, are those
// of the module.
//
// Not shown: how long anything takes; that data follow these slots (simulated).
localparam integer F_PLACES = `F_CIPHER + 3;  // from a number's slot to where its tweak is pushed
localparam integer F_DROP = F_PLACES + 3;
localparam integer F_A = $clog2(`F_TWEAKS);
localparam integer F_W = F_A + 2;  // numbers of units are modulo 4 * F_TWEAKS
localparam integer F_R = `F_TWEAKS + 1;
localparam integer F_N = `F_TWEAKS + 4;  // units that were announced and have not ended, at most
reg f_started = 1'b0;
always @(posedge clk) f_started <= 1'b1;
integer f_k;
reg [F_W-1:0] f_at;

// -- how many units were announced, had their slot, were pushed into the memory, popped from it,
//    begun, have ended; the last a cycle ago
reg [F_W-1:0] f_announced, f_numbered, f_pushed, f_popped, f_begun, f_ended, f_ended_1;
// -- how many words were taken, and had their slot
reg [F_W-1:0] f_taken, f_gone;
// -- the unit of: the number that waits, the tweak that leaves the cipher, the next tweak, the
//    current one; the word that was taken, the one that is held, the slot's
reg [F_W-1:0] f_number, f_made, f_after, f_now, f_word, f_held, f_slot;
reg [F_W-1:0] f_memory[0:`F_TWEAKS-1];
// -- by place of a number in the cipher: its unit; how many had their slot; and how many of those
//    are on their way from here on, as a row of ones
reg [F_W*F_PLACES-1:0] f_units;
reg [F_W*(F_PLACES+1)-1:0] f_counts;
reg [F_R*(F_PLACES+1)-1:0] f_rows;
// -- whether everything was forgotten: a cycle ago, and so on
reg [F_DROP-1:0] f_drops;
// -- the place in its unit of: the word that was taken, the one that is held, the slot's; how often
//    the current tweak was multiplied by alpha; how many blocks of the current unit had their slot
reg [F_W-1:0] f_place, f_held_place, f_slot_place, f_power, f_done;
// -- by cycles since a slot: whether its result gives bytes away; whether a result leaves, is that
//    of its unit's last whole word, is that of a stolen block
reg [F_PLACES:0] f_steals;
reg [F_PLACES+1:0] f_shown, f_last, f_late;
reg f_now_1, f_left, f_again, f_last_slot, f_pending;
// -- a cycle ago: whether a tweak was popped, and its place; the slot's unit and place
reg f_popped_1;
reg [F_A-1:0] f_read_1;
reg [F_W-1:0] f_slot_1, f_slot_place_1;
// -- what a word is, by the ports: whether the next one is its unit's first; whether one that was
//    taken is its unit's last, and is short behind another one
reg f_start, f_end, f_short;

function automatic [F_W-1:0] f_ones(input [F_N-1:0] row);
    integer k;
    begin
        f_ones = 0;
        for (k = 0; k < F_N; k = k + 1) f_ones = f_ones + {{F_W - 1{1'b0}}, row[k]};
    end
endfunction
function automatic f_is_row(input [F_R-1:0] row);
    f_is_row = (row & (row + 1'b1)) == 0;
endfunction

wire [F_W-1:0] f_open = f_announced - f_ended;
wire [F_W-1:0] f_power_next = ~step_q ? f_power : load_q ? 0 : f_power + 1'b1;
wire f_out = number_line[F_PLACES-1];
wire f_accept = valid_i & open_i & ready_o;
wire f_first = f_accept & f_start;
wire f_clear = rst_i | drop_i | drop_q;
wire [F_A-1:0] f_write = write_q + {{F_A - 1{1'b0}}, made_q};
wire [F_W-1:0] f_zero = rst_i ? 0 : {2'd0, f_write};  // where the memory goes on
wire [F_W-1:0] f_way = f_ones(way);
wire [F_W-1:0] f_full = f_ones(full);
wire [F_W-1:0] f_underway = f_ones(f_rows[F_R-1:0]);
wire [F_W-1:0] f_next = f_numbered + number_q;
wire [F_R-1:0] f_grown = number_q ? {f_rows[F_R-2:0], 1'b1} : f_rows[F_R-1:0];
wire [F_W-1:0] f_passed = f_pushed + push_q;
wire [F_W-1:0] f_read = f_popped + pop_q;
// The next tweak and the current one are loaded a cycle later than the control has it.
wire [F_W-1:0] f_after_next = next_q ? f_memory[read_1] : f_after;
wire [F_W-1:0] f_now_next = step_q & load_q ? f_after : f_now;

always @(posedge clk) begin
    f_announced <= f_clear ? f_zero : f_announced + announce_i;
    f_numbered <= f_clear ? f_zero : f_numbered + number_q;
    f_pushed <= f_clear ? f_zero : f_pushed + push_q;
    f_popped <= f_clear ? f_zero : f_popped + pop_q;
    f_begun <= f_clear ? f_zero : f_begun + f_first;
    f_ended <= f_clear ? f_zero : f_ended + uses;
    f_ended_1 <= f_clear ? f_zero : f_ended;
    f_taken <= f_clear ? 0 : f_taken + f_accept;
    f_start <= rst_i | drop_i | (f_accept ? last_i : f_start);
    f_end <= ~rst_i & ~drop_i & f_accept & last_i;
    f_short <= ~rst_i & ~drop_i & f_accept & last_i & ~full_i & ~f_start;
    f_gone <= f_clear ? 0 : f_gone + (data_o | short_o);
    f_drops <= rst_i ? 0 : {f_drops[F_DROP-2:0], drop_i};
    f_now_1 <= ~f_clear & now;
    // what goes with the values
    if (announce_i) f_number <= f_announced;
    f_units <= {f_units[F_W*(F_PLACES-1)-1:0], f_number};
    f_made <= f_units[F_W*(F_PLACES-1)+:F_W];
    if (push_q) f_memory[write_q-1'b1] <= f_made;
    if (next_q) f_after <= f_memory[read_1];
    if (step_q & load_q) f_now <= f_after;
    if (f_first) f_word <= f_begun;
    if (word_1) f_held <= f_word;
    f_slot <= f_held;
    if (f_accept) f_place <= f_start ? 0 : f_place + 1'b1;
    if (word_1) f_held_place <= f_place;
    f_slot_place <= f_held_place;
    f_slot_1 <= f_slot;
    f_slot_place_1 <= f_slot_place;
    f_popped_1 <= ~f_clear & pop_q;
    f_read_1 <= read_o;
    f_power <= f_power_next;
    f_done <= f_clear | uses ? 0 : f_done + goes;
    // what is on its way
    f_steals <= f_clear ? 0 : {f_steals[F_PLACES-1:0], steal_o};
    f_left <= ~f_clear & leaves;
    f_again <= ~f_clear & (f_steals[F_PLACES] & f_left | f_steals[F_PLACES-1] & ~leaves);
    f_shown <= f_clear ? 0 : {f_shown[F_PLACES:0], data_o | again_o};
    f_last_slot <= uses;
    f_last <= {f_last[F_PLACES:0], data_o & f_last_slot};
    f_late <= {f_late[F_PLACES:0], again_o};
    f_pending <= ~f_clear & f_open != 0;
    f_counts <= f_clear ? {F_PLACES + 1{f_zero}} : {f_counts[F_W*F_PLACES-1:0], f_next};
    for (f_k = 0; f_k < F_PLACES; f_k = f_k + 1) begin
        f_rows[F_R*(f_k+1)+:F_R] <= f_clear ? 0 : f_rows[F_R*f_k+:F_R] >> f_out;
    end
    f_rows[F_R-1:0] <= f_clear ? 0 : f_grown >> f_out;
end

always @(*) begin
    if (!f_started) assume (rst_i);
    assume (room_o | ~announce_i);
    assume (~(drop_q & announce_i));
    assume (~drop_q | drop_i | (&f_drops));
end

// What is shown of every slot.
always @(*) begin
    if (f_started & ~drop_q) begin
        if (data_o) assert (f_slot == f_now & f_slot_place == f_power);
        assert (f_taken == f_gone + (data_o | short_o) + held + word_1);
        assert (again_o == f_again);
        assert (valid_o == f_shown[F_PLACES+1]);
        if (valid_o) assert (last_o == f_last[F_PLACES+1] & late_o == f_late[F_PLACES+1]);
        assert (pending_o == f_pending);
        assert (~(held & word_1) | goes | (held_short & leaves));
        assert (~(data_o & (again_o | short_o)));
        assert (~(number_o & (data_o | again_o)));
        assert (~(short_o & again_o));
        assert (short_o == f_steals[0]);
        assert (~steal_o | data_o);
        if (short_o) assert (f_slot == f_slot_1 & f_slot_place == f_slot_place_1 + 1'b1);
        assert (~(again_now & goes));
        assert (~(again_0 & again_x));
        assert (~number_q | f_number == f_numbered);
        assert (f_open <= `F_TWEAKS + 3);
    end
end

// What it follows from: everything is forgotten.
always @(*) begin
    if (f_started) begin
        assert (f_drops[0] == drop_q);
        assert (settle_q == (f_drops[0] | f_drops[1]));
        assert (accept == f_accept & start_q == f_start & ended_1 == f_end & short_1 == f_short);
        assert (ready_o == ready_q & number_o == number_q & read_o == read_1);
        assert (step_o == step_q & load_o == load_q & next_o == next_q);
        // what enables the registers of data is 1 while everything is forgotten
        assert (word_o == (word_1 | drop_q));
        assert (push_o == (f_out | drop_q));
        assert (stolen_o == (again_0 | drop_q));
        if (drop_q) assert (step_o & load_o & next_o);
        if (drop_q) begin
            assert (start_q & stop_q & ~(|way) & ~(|full));
            assert (~(word_1 | held | whole | leaves | ends | ended_1 | short_1));
            assert (made_q & ~(asked | pop_q | now | after));
        end
        if (f_drops[1]) assert (~(ended | ready_q | short_q | steal_q | number_q | data_q));
        for (f_k = 0; f_k < F_PLACES; f_k = f_k + 1) begin
            if (f_drops[f_k+1]) assert (~(number_line[f_k] | steal_line[f_k]));
        end
        for (f_k = 0; f_k < F_PLACES + 2; f_k = f_k + 1) begin
            if (f_drops[f_k+1]) assert (~shown_line[f_k]);
        end
        if (f_drops[F_PLACES+1]) assert (~(push_q | again_x));
    end
end

// Numbers and tweaks.
always @(*) begin
    if (f_started & ~drop_q) begin
        assert (f_announced == f_numbered + asked);
        assert (asked | ~number_q);
        assert (~(room_q & asked));
        assert (~asked | f_number == f_numbered);
        assert (f_counts[F_W-1:0] == f_numbered);
        assert (f_counts[F_W*F_PLACES+:F_W] == f_passed);
        assert (f_rows[F_R*F_PLACES+:F_R] == 0);
        for (f_k = 0; f_k < F_PLACES; f_k = f_k + 1) begin
            assert (f_counts[F_W*f_k+:F_W] == f_counts[F_W*(f_k+1)+:F_W] + number_line[f_k]);
            assert (f_rows[F_R*f_k+:F_R] == (number_line[f_k] ? {f_rows[F_R*(f_k+1)+:F_R-1], 1'b1} :
                                             f_rows[F_R*(f_k+1)+:F_R]));
            if (number_line[f_k]) assert (f_units[F_W*f_k+:F_W] == f_counts[F_W*(f_k+1)+:F_W]);
        end
        assert (~push_q | f_made == f_pushed);
        assert (made_q == f_out);
        assert (write_q == f_passed[F_A-1:0]);
        assert (f_is_row({1'b0, way}));
        assert (f_is_row({1'b0, full}));
        assert (f_way == f_numbered - f_popped);
        assert (f_full == f_pushed - f_popped);
        assert (f_underway == f_numbered - f_passed);
        assert (f_way == f_underway + f_full + push_q);
        assert (~way[`F_TWEAKS-1] | ~(number_q | room_q | asked));
        // the memory
        assert (settle_q | read_q == f_popped[F_A-1:0]);
        assert (~settle_q | ~(full[0] | push_q | pop_q | after));
        assert (~pop_q | (full[0] & next_q & read_1 == read_q & read_next == read_q + 1'b1));
        for (f_k = 0; f_k < `F_TWEAKS; f_k = f_k + 1) begin
            f_at = f_popped + f_k[F_W-1:0];
            if (full[f_k]) assert (f_memory[f_at[F_A-1:0]] == f_at);
        end
        // what was popped is there a cycle later, too: the memory is read through a register
        assert (~f_popped_1 | f_memory[f_read_1] == f_popped - 1'b1);
        // the next tweak and the current one
        assert (f_read == f_ended + now + after);
        assert (~uses | now);
        assert (~pop_q | after);
        assert (~after | f_after_next == f_ended + now);
        assert (~now | f_now_next == f_ended);
        assert (~f_now_1 | f_now == f_ended_1);
    end
end

// Words.
always @(*) begin
    if (f_started & ~drop_q) begin
        assert (~data_q | (f_now_1 & f_slot == f_ended_1));
        assert (~ends | (whole & leaves));
        assert (~(leaves | whole) | held);
        assert (~held | whole | (held_short & leaves));
        assert (~(held_short & whole));
        assert (~word_1 | last_1 == start_q);
        assert (ended_1 == (word_1 & last_1));
        assert (ended == (ended_1 | ends));
        assert (~short_1 | (word_1 & last_1 & whole));
        assert (~(ready_q & ended_1) | short_1);
        assert (~(word_1 & ends));
        // whoever comes next has a tweak
        assert (~ready_q | (uses ? after : (now | after)));
        assert (start_q | word_1 | (whole & ~leaves));
        assert (start_q | f_word == f_ended);
        assert (~(start_q & whole) | ends | word_1);
        assert (~whole | (now & f_held == f_ended));
        assert (~word_1 | (now & f_word == f_ended));
        // places in a unit
        assert (~data_q | f_slot_place == f_power);
        assert (~now | f_power_next == f_done);
        assert (now | f_done == 0);
        assert (~start_q | word_1 | ends | f_done == 0);
        assert (~whole | f_held_place == f_done);
        assert (~word_1 | f_place == f_done + whole);
        assert (start_q | f_place == f_done + word_1 + whole - 1'b1);
        assert (f_begun == f_ended + (word_1 | (whole & ~leaves) | uses));
        // stealing
        assert (steal_q == (held & held_short));
        assert (~steal_q | (f_held == f_slot & f_held_place == f_slot_place + 1'b1));
        assert (~(word_1 & short_1) | (f_word == f_held & f_place == f_held_place + 1'b1));
        assert (~(steal_q & (short_1 | steal_line[0])));
        for (f_k = 1; f_k < F_PLACES; f_k = f_k + 1) begin
            assert (~(steal_line[f_k] & steal_line[f_k-1]));
        end
        assert (~steal_line[F_PLACES-3] | stop_q);
        assert (~steal_line[F_PLACES-2] | ~ready_q);
        assert (~steal_line[F_PLACES-1] | ~word_1);
        assert (~(again_x & held));
        for (f_k = 0; f_k < F_PLACES; f_k = f_k + 1) assert (f_steals[f_k] == steal_line[f_k]);
        assert (again_x == (f_steals[F_PLACES] & f_left));
        // results
        assert (~data_q | last_q == f_last_slot);
        for (f_k = 0; f_k < F_PLACES + 2; f_k = f_k + 1) begin
            assert (f_shown[f_k] == shown_line[f_k]);
            if (f_shown[f_k]) assert (f_last[f_k] == last_line[f_k]);
            if (f_shown[f_k]) assert (f_late[f_k] == late_line[f_k]);
        end
    end
end

// Two pairs of keys: the pairs of all units that were announced and have not ended, the oldest
// first, from the one that may have ended a cycle ago; and how many units before each place are
// under the second pair.
`ifdef F_PAIRS
reg [F_N-1:0] f_pairs;
reg [F_W*(F_N+1)-1:0] f_seconds;
// by cycles since the slot of a block whose result gives bytes away: the pair of its unit
reg [F_PLACES:0] f_steal_pairs;
reg f_again_pair;
reg [F_W-1:0] f_after_k;
reg f_joins;
wire [F_W-1:0] f_length = f_announced - f_ended_1;
wire [F_N-1:0] f_joined = f_pairs | ({{F_N - 1{1'b0}}, announce_i & pair_i} << f_length);
wire [F_W-1:0] f_second = f_seconds[F_W*F_N+:F_W];
// the place of: the number that waits, the tweak that is read next, the next one, the current one
wire [F_W-1:0] f_at_number = f_numbered - f_ended_1;
wire [F_W-1:0] f_unread = f_announced - f_read;
wire [F_W-1:0] f_in_rows = f_length - begun_q;
wire [F_W-1:0] f_at_read = f_read - f_ended_1;
wire [F_W-1:0] f_at_after = f_ended - f_ended_1 + now;
wire [F_W-1:0] f_at_now = f_ended - f_ended_1;
// what is not in the rows yet
wire [F_W-1:0] f_begun_1 = begun_q & pair_asked;
wire [F_W-1:0] f_begun_0 = begun_q & ~pair_asked;

function automatic f_pair(input [F_W-1:0] place);
    f_pair = f_pairs[place];
endfunction

always @(posedge clk) begin
    f_pairs <= f_clear ? 0 : f_joined >> ended_q;
    for (f_k = 0; f_k <= F_N; f_k = f_k + 1) begin
        f_after_k = f_k < F_N ? f_seconds[F_W*(f_k+1)+:F_W] : f_second;
        f_joins = announce_i & pair_i & f_length < f_k + (ended_q & f_k < F_N);
        f_seconds[F_W*f_k+:F_W] <= f_clear ? 0 :
            ended_q ? f_after_k + f_joins - f_joined[0] : f_seconds[F_W*f_k+:F_W] + f_joins;
    end
    f_steal_pairs <= {f_steal_pairs[F_PLACES-1:0], f_pairs[0]};
    f_again_pair <= again_x ? f_steal_pairs[F_PLACES] : f_steal_pairs[F_PLACES-1];
end

always @(*) begin
    if (f_started & drop_q) assert (~(|units_0 | |units_1 | begun_q | ended_q));
    if (f_started & ~drop_q) begin
        // shown
        if (number_q) assert (own_pair_o == f_pair(f_at_number));
        if (data_q) assert (own_pair_o == f_pairs[0]);
        if (again_q) assert (again_pair_o == f_again_pair);
        for (f_k = 0; f_k < F_N; f_k = f_k + 1) begin
            if (f_k < f_in_rows && f_k >= f_at_now) assert (used_o[f_pairs[f_k]]);
        end
        assert (used_o == {f_second != f_begun_1, f_length - f_second != f_begun_0});
        // what it follows from
        assert (f_length <= F_N);
        assert (ended_q == (f_ended != f_ended_1));
        assert (~begun_q | (asked & ~number_q));
        assert (f_at_now <= 1);
        assert (f_seconds[F_W-1:0] == 0);
        for (f_k = 0; f_k < F_N; f_k = f_k + 1) begin
            assert (f_seconds[F_W*(f_k+1)+:F_W] == f_seconds[F_W*f_k+:F_W] + f_pairs[f_k]);
            if (f_k >= f_length) assert (~f_pairs[f_k]);
        end
        assert (f_second <= f_length);
        assert ((units_0 & (units_0 + 1'b1)) == 0);
        assert ((units_1 & (units_1 + 1'b1)) == 0);
        assert (f_ones(units_1) == f_second - f_begun_1);
        assert (f_ones(units_0) == f_length - f_second - f_begun_0);
        assert (pair_write == f_announced[F_A-1:0]);
        assert (pair_read == f_read[F_A-1:0]);
        for (f_k = 0; f_k < `F_TWEAKS; f_k = f_k + 1) begin
            if (f_k < f_unread) begin
                assert (pairs[f_read[F_A-1:0]+f_k[F_A-1:0]] == f_pair(f_at_read + f_k[F_W-1:0]));
            end
        end
        assert (~asked | pair_asked == f_pair(f_at_number));
        assert (pop_q | ~full[0] | pair_head == f_pair(f_at_read));
        assert (~after | pair_after == f_pair(f_at_after));
        assert (~now | pair_now == f_pair(f_at_now));
        assert (~ended_q | pair_ended == f_pairs[0]);
        for (f_k = 0; f_k <= F_PLACES; f_k = f_k + 1) begin
            if (f_steals[f_k]) assert (pair_line[f_k] == f_steal_pairs[f_k]);
        end
        if (steal_q) assert (own_pair_q == f_pairs[0]);
    end
end
`endif

// Reached: a stolen block that waits, in units that came behind others that were forgotten.
reg f_forgot;
always @(posedge clk) f_forgot <= ~rst_i & (f_forgot | (drop_i & ~drop_q & |f_taken));
always @(*) cover (f_started & f_forgot & ~(|f_drops) & again_x & f_taken > 3);
