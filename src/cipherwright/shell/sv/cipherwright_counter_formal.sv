// Rules of cipherwright_counter, of all 128 bits, by induction for all times: any pattern of steps,
// loads, resets and zeroising.
//
// A step shows, three cycles later, the counter block that was loaded last plus the number of steps
// since; nothing else is shown. A counter block is there 49 cycles after it is taken and not
// before; after a reset or drop_i none is there. When iv_ready_o is 1 again after zeroising, every
// register that a counter block reaches is a function of inputs that came later.
//
// Checked by SymbiYosys (counter.sby). Nothing is abstracted. Assumed: drop_i is 1 for two cycles
// at least, and in the cycle of zeroise_i and the next one, unless a reset comes.
`default_nettype none
module cipherwright_counter_formal #(
    parameter integer COUNT = 128
) (
    input wire         clk,
    input wire         rst_i,
    input wire         drop_i,
    input wire         zeroise_i,
    input wire         iv_valid_i,
    input wire [127:0] iv_i,
    input wire         open_i,
    input wire         step_i
);
    localparam integer PARTS = (COUNT - 8 + 2) / 3;
    // cycles from taking a counter block to the next iv_ready_o, with the one that takes
    localparam [6:0] READY = 7'd49;

    wire iv_ready, loaded, valid;
    wire [127:0] count;
    wire [688:0] state;
    cipherwright_counter #(
        .COUNT(COUNT)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .drop_i(drop_i),
        .zeroise_i(zeroise_i),
        .iv_valid_i(iv_valid_i),
        .iv_ready_o(iv_ready),
        .iv_i(iv_i),
        .loaded_o(loaded),
        .open_i(open_i),
        .step_i(step_i),
        .valid_o(valid),
        .count_o(count),
        .f_o(state)
    );
    wire load_q, load_near, load_low, last_a, last_b, last_q, idle_q, raise_q, given_q, wipe_q;
    wire iv_ones;
    wire step_q, move_low, low_ones, move_mid, mid_half, mid_half_2, mid_ones, valid_2;
    wire [1:0] low, low_2;
    wire [5:0] wait_q, mid, mid_next;
    wire [7:0] load_top, move;
    wire [119:0] top;
    wire [127:0] iv_q, iv_2, next, carry;
    assign {load_q, load_near, load_low, load_top, wait_q, last_a, last_b, last_q, idle_q, raise_q,
            given_q, wipe_q, iv_q, iv_2, iv_ones, step_q, move_low, low, low_2, low_ones, move_mid,
            mid, mid_next, mid_half, mid_half_2, mid_ones, move, valid_2, top, next, carry} = state;

    // -- what the counter is, by definition -------------------------------------------------------
    reg started = 1'b0, started_2 = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        started_2 <= started;
    end
    always @(*) if (!started) assume (rst_i);

    wire clear = rst_i | drop_i;
    // drop_i and zeroise_i in the cycle before, and the one before that, since a reset
    reg rst_1, drop_1, drop_2, zeroised;
    always @(*)
        if (started && !rst_i) begin
            if (drop_1 && !drop_2) assume (drop_i);
            if (zeroise_i || zeroised) assume (drop_i);
        end
    wire take = iv_valid_i & iv_ready & ~clear;
    wire step = step_i & open_i & loaded & ~clear;
    wire wipe = zeroised & ~rst_i;  // what iv_i shows now takes the counter block's place
    reg given;  // what is loaded is a counter block
    // cycles since a load began, up to 63; 0: none since the last reset
    reg [6:0] since;
    // cycles without a load or drop_i since the last one, up to 2
    reg [1:0] calm;
    reg another;  // when it began another one was there
    reg sound;  // no step came with drop_i since
    // the counter block of the next step; one, two and three cycles ago
    reg [127:0] value, value_1, value_2, value_3;
    // steps under way, and whether there was one two cycles ago
    reg step_1, step_2, step_3;
    reg went_2;
    reg [127:0] iv_1, iv_3;
    wire [127:0] up = value + 128'd1;
    wire [127:0] low_bits = {128{1'b1}} >> (128 - COUNT);
    wire rest = since == 7'd0 || since >= READY - 7'd2;  // no load is under way
    always @(posedge clk) begin
        rst_1 <= rst_i;
        drop_1 <= drop_i & ~rst_i;
        drop_2 <= drop_1 & ~rst_i;
        zeroised <= zeroise_i & ~rst_i;
        if (clear) given <= 1'b0;
        else if (take) given <= 1'b1;
        if (rst_i) since <= 7'd0;
        else if (take | wipe) since <= 7'd1;
        else if (since != 7'd0 && since != 7'd63) since <= since + 7'd1;
        if (rst_i) calm <= 2'd2;
        else if (take | drop_i | !rest) calm <= 2'd0;
        else if (calm != 2'd2) calm <= calm + 2'd1;
        if (take | wipe) another <= take && sound;
        if (rst_i) sound <= 1'b0;
        else if (take | wipe) sound <= 1'b1;
        else if (drop_i && step_i && open_i && loaded) sound <= 1'b0;
        if (take | wipe) value <= iv_i;
        else if (step) value <= (up & low_bits) | (value & ~low_bits);
        value_1 <= value;
        value_2 <= value_1;
        value_3 <= value_2;
        step_1 <= step;
        step_2 <= step_1 & ~clear;
        went_2 <= step_1 & ~rst_i;
        step_3 <= step_2 & ~clear;
        iv_1 <= iv_i;
        iv_3 <= iv_1;
    end

    // -- how long ago -----------------------------------------------------------------------------
    reg [1:0] mid_age;  // cycles since mid changed, up to 3
    reg [6:0] age;  // and top, up to 46
    reg turn_1, turn_2;  // the step before, and the one before that, made top move
    always @(posedge clk) begin
        if (since == 7'd2 || (went_2 && value_2[1:0] == 2'd3)) mid_age <= 2'd0;
        else if (mid_age != 2'd3) mid_age <= mid_age + 2'd1;
        if (since == 7'd2 || turn_2) age <= 7'd0;
        else age <= age < 7'd46 ? age + 7'd1 : 7'd46;
        turn_1 <= step && value[7:0] == 8'hff;
        turn_2 <= turn_1;
    end

    // The register that tells the time since a load.
    function automatic [5:0] shifted(input integer times);
        integer k;
        begin
            shifted = 6'd1;
            for (k = 0; k < times; k = k + 1) shifted = {shifted[4:0], shifted[5] ^ shifted[4]};
        end
    endfunction
    integer n;
    reg [5:0] waited;
    always @(*) begin
        waited = 6'd0;
        for (n = 2; n < 47; n = n + 1) if (since == n[6:0]) waited = shifted(n - 2);
    end

    // Sums without a carry chain: bit i turns when all below it are ones.
    reg [127:0] plus, plus_1;  // value_1 and value_2, one step further
    reg [127:0] ones;  // bits of top below bit i are all ones
    always @(*) begin
        ones[0] = 1'b1;
        for (n = 1; n < 128; n = n + 1) ones[n] = ones[n-1] & (n <= 120 ? top[n-1] : 1'b0);
    end
    always @(*) begin
        plus = (value_1 & ~low_bits) | ((value_1 + 128'd1) & low_bits);
        plus_1 = (value_2 & ~low_bits) | ((value_2 + 128'd1) & low_bits);
    end

    wire top_there = sound && (since >= 7'd3 || (since != 7'd0 && another));
    wire since_load = since >= 7'd2 || (since == 7'd1 && another);
    integer p, b;
    always @(*)
        if (started) begin
            // The claim.
            assert (valid == step_3);
            if (valid || (sound && since >= 7'd6)) assert (count == value_3);
            assert (iv_ready == (calm == 2'd2));
            assert (loaded == (iv_ready && given) || (drop_1 && !drop_2));
            if (iv_ready) assert (since == 7'd0 || since >= READY);

            assert (since <= 7'd63 && age <= 7'd46 && calm <= 2'd2 && (since != 7'd0 || !given) &&
                    (sound || !given) && (!sound || since != 7'd0));
            assert (calm == 2'd0 || since == 7'd0 || since >= READY - 7'd1);
            if (drop_1)
                assert (calm == 2'd0 && !given && !step_1 && !step_2 &&
                        !(since == 7'd1 && another));
            if (drop_2) assert (!went_2);
            if (zeroised) assert (drop_1);
            if (drop_2) assert (drop_1 || calm <= 2'd1);

            // Load.
            assert (wipe_q == zeroised);
            assert (given_q == given);
            assert (load_q == (since == 7'd1));
            assert (load_near == load_q || rst_1);
            if (since != 7'd1) assert (idle_q == rest);
            if (calm != 2'd2) assert (raise_q == (calm == 2'd1));
            if (since >= 7'd2 && since <= 7'd46) begin
                assert (wait_q == waited);
                assert ((last_a & last_b) == (since == 7'd45));
                assert (last_q == (since == 7'd46));
            end
            if (rst_1) assert (since == 7'd0);
            if (since != 7'd0) assert (started_2);
            assert (iv_q == iv_1);
            if (started_2) assert (iv_2 == iv_3 && iv_ones == &iv_3[1:0]);
            if (since_load) assert (load_low == (since == 7'd2) && load_top == {8{since == 7'd2}});
            if (since == 7'd2) assert (move == 8'hff && move_mid && move_low);
            if (since == 7'd1) assert (value == iv_1);
            if (since == 7'd2) assert (value == iv_3 && value_1 == iv_3);
            if (since != 7'd0 && since < READY) assert (!step_1 || (since == 7'd1 && another));
            if (since != 7'd0 && since < READY) assert (!went_2 || (since <= 7'd2 && another));

            // Steps under way.
            if (step_2) assert (went_2);
            assert (step_q == step_1 && valid_2 == step_2);
            if (step_1 || step_2) assert (top_there);
            if (went_2) assert (top_there || drop_1);
            assert (turn_1 == (step_1 && value_1[7:0] == 8'hff));

            // Low.
            if (sound && since >= 7'd2) assert (move_low == (step_1 || since == 7'd2));
            if (sound && (step_1 || since >= 7'd3))
                assert (low == value_1[1:0] && low_ones == &low);
            if (sound && (went_2 || since >= 7'd4)) assert (low_2 == value_2[1:0]);
            // Mid and top.
            if (top_there) begin
                assert ({top, mid} == value_2[127:2]);
                if (since != 7'd1) assert (value == (step_1 ? plus : value_1));
                if (since != 7'd2) assert (value_1 == (went_2 ? plus_1 : value_2));
                assert (move_mid == ((went_2 && value_2[1:0] == 2'd3) || since == 7'd2));
                assert (move == {8{turn_2 || since == 7'd2}});
                assert (turn_2 == (went_2 && value_2[7:0] == 8'hff));
                assert (mid_age == 2'd3 || {5'd0, mid_age} == since - 7'd3 ||
                        ((since >= READY || since <= 7'd2) && mid_age >= value_2[1:0]));
                assert (age == 7'd46 || age == since - 7'd3 ||
                        ((since >= READY || since <= 7'd2) && age >= value_2[7:0]));
                if (mid_age >= 2'd1) assert (mid_half == &mid[2:0] && mid_half_2 == &mid[5:3]);
                if (mid_age >= 2'd2) assert (mid_ones == &mid && mid_next == mid + 6'd1);
                for (p = 0; p <= PARTS; p = p + 1) begin
                    if (age >= p && 3 * p <= COUNT - 8)
                        assert (carry[p] == ones[3*p>127?127 : 3*p]);
                end
                for (b = 0; b < COUNT - 8; b = b + 1) begin
                    if (age > b / 3) assert (next[b] == top[b] ^ ones[b]);
                end
            end
        end
endmodule
`default_nettype wire
