// Rules of cipherwright_counter, of all 128 bits, by induction for all times: any pattern of steps, loads, resets and zeroising.
//
// A step shows, three cycles later, the counter block that was loaded last plus the number of steps since; nothing else is shown. A
// counter block is there 49 cycles after it is taken and not before; after a reset or zeroising none is there. When iv_ready_o is 1 again
// after zeroising, every register is a function of inputs that came later.
//
// Checked by SymbiYosys (counter.sby). Nothing is abstracted.
`default_nettype none
module cipherwright_counter_formal #(
    parameter integer COUNT = 128
) (
    input wire         clk,
    input wire         rst_i,
    input wire         zeroise_i,
    input wire         iv_valid_i,
    input wire [127:0] iv_i,
    input wire         step_i
);
    localparam integer PARTS = (COUNT - 8 + 2) / 3;
    localparam [6:0] READY = 7'd49;  // cycles from taking a counter block to the next iv_ready_o, with the one that takes

    wire iv_ready, loaded, valid;
    wire [127:0] count;
    wire [699:0] state;
    cipherwright_counter #(.COUNT(COUNT)) dut (
        .clk(clk), .rst_i(rst_i), .zeroise_i(zeroise_i), .iv_valid_i(iv_valid_i), .iv_ready_o(iv_ready), .iv_i(iv_i), .loaded_o(loaded),
        .step_i(step_i), .valid_o(valid), .count_o(count), .f_o(state)
    );
    wire load_q, load_low, last_a, last_b, last_q, given_q, zeroise_q, iv_ones, low_ones;
    wire mid_half, mid_half_2, mid_ones, turn_top, valid_1, valid_2;
    wire [1:0] low;
    wire [5:0] mid, mid_next;
    wire [6:0] wait_q;
    wire [7:0] load_top, move, counted_1, counted_2;
    wire [119:0] top;
    wire [127:0] iv_q, iv_2, next, carry;
    assign {
        load_q, load_low, load_top, wait_q, last_a, last_b, last_q, given_q, zeroise_q, iv_q, iv_2, iv_ones, low, low_ones, mid, mid_next,
        mid_half, mid_half_2, mid_ones, turn_top, move, valid_1, valid_2, counted_1, counted_2, top, next, carry
    } = state;

    // -- what the counter is, by definition --------------------------------------------------------------------------------
    reg started = 1'b0, started_2 = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        started_2 <= started;
    end
    always @(*) if (!started) assume (rst_i);

    wire clear = rst_i | zeroise_i;
    wire take = iv_valid_i & iv_ready & ~clear;
    wire step = step_i & loaded & ~clear;
    reg zeroised;                            // in the cycle before
    wire wipe = zeroised & ~clear;           // what iv_i shows now takes the counter block's place
    reg given;                               // what is loaded is a counter block
    reg [6:0] since;                         // cycles since a load began, up to 63; 0: none since the last reset
    reg another;                            // when it began another one was there
    reg [127:0] value, value_1, value_2, value_3;  // the counter block of the next step; one, two and three cycles ago
    reg step_1, step_2, step_3;
    reg [127:0] iv_1, iv_3;
    wire [127:0] up = value + 128'd1;
    wire [127:0] low_bits = {128{1'b1}} >> (128 - COUNT);
    always @(posedge clk) begin
        zeroised <= zeroise_i & ~rst_i;
        if (clear) given <= 1'b0;
        else if (take) given <= 1'b1;
        if (clear) since <= 7'd0;
        else if (take | wipe) since <= 7'd1;
        else if (since != 7'd0 && since != 7'd63) since <= since + 7'd1;
        if (take | wipe) another <= since != 7'd0;
        if (take | wipe) value <= iv_i;
        else if (step) value <= (up & low_bits) | (value & ~low_bits);
        value_1 <= value;
        value_2 <= value_1;
        value_3 <= value_2;
        step_1 <= step;
        step_2 <= step_1 & ~clear;
        step_3 <= step_2 & ~clear;
        iv_1 <= iv_i;
        iv_3 <= iv_1;
    end

    // -- how long ago --------------------------------------------------------------------------------------------------------
    reg [1:0] mid_age;  // cycles since mid changed, up to 3
    reg [6:0] age;      // and top, up to 46
    reg turn_1, turn_2; // the step before, and the one before that, made top move
    wire step_all = step_i & loaded;  // in a cycle of reset as well
    always @(posedge clk) begin
        if (since == 7'd2 || (step_all && low == 2'd3)) mid_age <= 2'd0;
        else if (mid_age != 2'd3) mid_age <= mid_age + 2'd1;
        if (since == 7'd2 || turn_2) age <= 7'd0;
        else age <= age < 7'd46 ? age + 7'd1 : 7'd46;
        turn_1 <= step && value[7:0] == 8'hff;
        turn_2 <= turn_1;
    end

    // The register that tells the time since a load.
    function automatic [6:0] shifted(input integer times);
        integer k;
        begin
            shifted = 7'd1;
            for (k = 0; k < times; k = k + 1) shifted = {shifted[5:0], shifted[6] ^ shifted[5]};
        end
    endfunction
    integer n;
    reg [6:0] waited;
    always @(*) begin
        waited = 7'd0;
        for (n = 2; n < 50; n = n + 1) if (since == n[6:0]) waited = shifted(n - 2);
    end

    // Sums without a carry chain: bit i turns when all below it are ones.
    reg [127:0] plus, plus_1;  // value_1 and value_2, one step further
    reg [127:0] ones;          // bits of top below bit i are all ones
    always @(*) begin
        ones[0] = 1'b1;
        for (n = 1; n < 128; n = n + 1) ones[n] = ones[n-1] & (n <= 120 ? top[n-1] : 1'b0);
    end
    always @(*) begin
        plus = (value_1 & ~low_bits) | ((value_1 + 128'd1) & low_bits);
        plus_1 = (value_2 & ~low_bits) | ((value_2 + 128'd1) & low_bits);
    end

    wire low_there = since >= 7'd3;
    wire top_there = since >= 7'd3 || (since != 7'd0 && another);
    wire rest = since >= READY;
    integer p, b;
    always @(*) if (started) begin
        // The claim.
        assert (valid == step_3);
        if (valid || since >= 7'd6) assert (count == value_3);
        assert (iv_ready == (rest || (since == 7'd0 && !zeroised)));
        assert (loaded == (rest && given));

        assert (since <= 7'd63 && age <= 7'd46 && (since != 7'd0 || !given) && (since == 7'd0 || !zeroised));

        // Load.
        assert (zeroise_q == zeroised);
        assert (given_q == given);
        assert (load_q == (since == 7'd1));
        assert (last_q == (since == 7'd48));
        assert ((last_a & last_b) == (since == 7'd47));
        assert (wait_q == waited);
        assert (iv_q == iv_1);
        if (started_2) assert (iv_2 == iv_3 && iv_ones == &iv_3[1:0]);
        if (since != 7'd0) assert (load_low == (since == 7'd2) && load_top == {8{since == 7'd2}});
        if (since == 7'd1) assert (value == iv_1);
        if (since == 7'd2) assert (value == iv_3 && value_1 == iv_3);
        if (since != 7'd0 && since < READY) assert (!step_1 || since == 7'd1);
        if (since != 7'd0 && since < READY) assert (!step_2 || since <= 7'd2);

        // Steps under way.
        assert (valid_1 == step_1 && valid_2 == step_2);
        if (step_1 || since >= 7'd4) assert (counted_1 == value_1[7:0]);
        if (step_2 || since >= 7'd5) assert (counted_2 == value_2[7:0]);
        if (since != 7'd0) assert (turn_top == turn_1 && started_2);
        assert (turn_1 == (step_1 && value_1[7:0] == 8'hff));
        if (since >= 7'd2) assert (move == {8{turn_2}});
        if (step_1 || step_2) assert (since != 7'd0 && top_there);

        // Low and mid.
        if (low_there) begin
            assert ({mid, low} == value[7:0]);
            assert (low_ones == &low);
            assert (mid_age == 2'd3 || {5'd0, mid_age} == since - 7'd3 || (rest && mid_age >= low));
            if (mid_age >= 2'd1) begin
                assert (mid_half == &mid[2:0] && mid_half_2 == &mid[5:3]);
            end
            if (mid_age >= 2'd2) assert (mid_ones == &mid && mid_next == mid + 6'd1);
        end
        // Top.
        if (top_there) begin
            assert (top == value_2[127:8]);
            if (since != 7'd1) assert (value == (step_1 ? plus : value_1));
            if (since != 7'd2) assert (value_1 == (step_2 ? plus_1 : value_2));
            assert (turn_top == turn_1 && move == {8{turn_2}});
            assert (turn_2 == (step_2 && value_2[7:0] == 8'hff));
            assert (age == 7'd46 || age == since - 7'd3 || ((rest || since <= 7'd2) && age >= value_2[7:0]));
            for (p = 0; p <= PARTS; p = p + 1) if (age >= p) assert (carry[p] == ones[3*p > 127 ? 127 : 3*p]);
            for (b = 0; b < COUNT - 8; b = b + 1) if (age > b / 3) assert (next[b] == top[b] ^ ones[b]);
        end
    end
endmodule
`default_nettype wire
