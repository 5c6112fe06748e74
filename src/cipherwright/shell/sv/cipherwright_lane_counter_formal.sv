// Rules of cipherwright_lane_counter, of all 128 bits, by induction for all times: any pattern of
// steps, loads, resets and zeroising.
//
// A step shows, nine cycles later, the counter block that was loaded last plus lane and lanes times
// the number of steps since; nothing else is shown. A counter block is there 11 cycles after it was
// taken and not before; after a reset or zeroising none is there. Two cycles after iv_ready_o is 1
// again after zeroising, every register is a function of inputs that came later.
//
// Checked by SymbiYosys (lane_counter.sby) for any number of lanes and any lane. Nothing is
// abstracted.
`default_nettype none
module cipherwright_lane_counter_formal #(
    parameter integer COUNT = 128
) (
    input wire         clk,
    input wire         rst_i,
    input wire         zeroise_i,
    input wire         iv_valid_i,
    input wire [127:0] iv_i,
    input wire         step_i
);
    (* anyconst *) wire [15:0] lanes;
    (* anyconst *) wire [15:0] lane;
    localparam [4:0] READY = 5'd11;
    localparam integer COUNTING = COUNT / 16;

    wire iv_ready, loaded, valid;
    wire [127:0] count;
    wire [1307:0] state;
    reg [127:0] iv_q;
    always @(posedge clk) iv_q <= iv_i;
    cipherwright_lane_counter #(
        .COUNT(COUNT)
    ) dut (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .lanes_i(lanes),
        .lane_i(lane),
        .iv_valid_i(iv_valid_i),
        .iv_ready_o(iv_ready),
        .iv_i(iv_q),
        .loaded_o(loaded),
        .step_i(step_i),
        .valid_o(valid),
        .count_o(count),
        .f_o(state)
    );
    wire given_q, zeroise_q, taken_q, taken_2;
    wire [7:0] load, step_q, carry;
    wire [127:0] iv_2, values;
    wire [1023:0] waiting;
    assign {given_q, zeroise_q, taken_q, taken_2, load, step_q, iv_2, carry, values, waiting} =
        state;

    // -- what the counter is, by definition -------------------------------------------------------
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    wire clear = rst_i | zeroise_i;
    wire take = iv_valid_i & iv_ready & ~clear;
    wire step = step_i & loaded & ~clear;
    reg zeroised;  // in the cycle before
    wire wipe = zeroised & ~clear;  // what iv_i shows now takes the counter block's place
    wire begins = take | wipe;
    reg given;  // what is loaded is a counter block
    // cycles since a load began, up to 31; 0: none since the last reset
    reg [4:0] since;
    reg another;  // when it began another one was there
    reg [127:0] start, base;  // what it loads, and what the lane starts from
    reg [7:0] base_carried;
    reg [127:0] value[0:9];  // the counter block of the next step, and as many cycles ago
    reg [9:1] stepped;
    reg [7:0] carried[0:9];  // carries out of the pieces in the sum that made the value
    wire [127:0] low_bits = {128{1'b1}} >> (128 - COUNT);
    wire [127:0] from = begins ? iv_i : value[0];
    wire [127:0] sum = from + {112'd0, begins ? lane : lanes};
    wire [127:0] turned = sum ^ from;
    wire [7:0] carries = {
        1'b0, turned[112], turned[96], turned[80], turned[64], turned[48], turned[32], turned[16]
    };
    wire [127:0] next = (sum & low_bits) | (from & ~low_bits);
    integer k;
    always @(posedge clk) begin
        zeroised <= zeroise_i & ~rst_i;
        if (clear) given <= 1'b0;
        else if (take) given <= 1'b1;
        if (clear) since <= 5'd0;
        else if (begins) since <= 5'd1;
        else if (since != 5'd0 && since != 5'd31) since <= since + 5'd1;
        if (begins) another <= since != 5'd0;
        if (begins) begin
            start <= iv_i;
            base <= next;
            base_carried <= carries;
        end
        if (begins | step) begin
            value[0] <= next;
            carried[0] <= carries;
        end
        for (k = 1; k < 10; k = k + 1) begin
            value[k] <= value[k-1];
            carried[k] <= carried[k-1];
            stepped[k] <= (k == 1 ? step : stepped[k-1]) & ~clear;
        end
    end

    wire rest = since >= READY;
    integer i, j;
    reg [16:0] part;
    always @(*)
        if (started) begin
            // The claim.
            assert (valid == stepped[9]);
            if (valid || since >= 5'd12) assert (count == value[9]);
            assert (iv_ready == (rest || (since == 5'd0 && !zeroised)));
            assert (loaded == (rest && given));
            assert ((since != 5'd0 || !given) && (since == 5'd0 || !zeroised));

            // Load.
            assert (zeroise_q == zeroised && given_q == given);
            assert (taken_q == (since == 5'd1) && taken_2 == (since == 5'd2));
            for (i = 0; i < 8; i = i + 1) assert (load[i] == (since == 3 + i));
            if (since == 5'd1) assert (iv_q == start);
            if (since >= 5'd2) assert (iv_2 == start);
            if (since != 5'd0 && !rest) begin
                for (k = 0; k < 10; k = k + 1) begin
                    if (since > k) assert (value[k] == base && carried[k] == base_carried);
                end
            end
            if (since != 5'd0)
                for (i = 0; i < 8; i = i + 1) begin
                    part = {1'b0, start[16*i+:16]} +
                        (i == 0 ? {1'b0, lane} : {16'd0, base_carried[i==0?0 : i-1]});
                    assert (base[16*i+:16] == (i < COUNTING ? part[15:0] : start[16*i+:16]));
                    if (i < COUNTING - 1) assert (base_carried[i] == part[16]);
                end

            // From a value to the next, piece by piece, as long as the piece has not made the step.
            for (k = 1; k < 9; k = k + 1) begin
                if (since > k || (another && since != 5'd0 && since < k)) begin
                    for (i = k - 1; i < 8; i = i + 1) begin
                        part = {1'b0, value[k][16*i+:16]} +
                            (i == 0 ? {1'b0, lanes} : {16'd0, carried[k-1][i==0?0 : i-1]});
                        assert (value[k-1][16*i+:16] ==
                                (stepped[k] && i < COUNTING ? part[15:0] : value[k][16*i+:16]));
                        if (i < COUNTING - 1)
                            assert (carried[k-1][i] == (stepped[k] ? part[16] : carried[k][i]));
                    end
                end
            end

            // Steps under way.
            for (k = 1; k < 10; k = k + 1) begin
                if (stepped[k]) assert (since >= READY || (since != 5'd0 && since <= k && another));
            end
            for (i = 0; i < 8; i = i + 1) assert (step_q[i] == stepped[i+1]);

            // Pieces: each a cycle behind the one below it.
            for (i = 0; i < 8; i = i + 1) begin
                if (since >= 4 + i || (another && since != 5'd0 && since <= 1 + i)) begin
                    assert (values[16*i+:16] == value[i+1][16*i+:16]);
                    if (i < COUNTING - 1) assert (carry[i] == carried[i+1][i]);
                end
            end
            for (i = 0; i < 8; i = i + 1) begin
                for (j = 1; j <= 8 - i; j = j + 1) begin
                    if (stepped[i+1+j] || since >= 4 + i + j) begin
                        assert (waiting[128*i+16*(j-1)+:16] == value[i+1+j][16*i+:16]);
                    end
                end
            end
        end
endmodule
`default_nettype wire
