// Rules of cipherwright_lane_relay and cipherwright_lane_load as they are linked around LANES
// lanes, a rank each, by induction for all times: any pattern of counter blocks, steps, resets and
// zeroising.
//
// The state of every lane's load is what the front's was LANES cycles ago; after a reset it is that
// of the reset until then. So a lane accepts every counter block and every step that the front has
// accepted, and nothing else. When a load ends, every lane has taken the counter block that the
// front took.
//
// Checked by SymbiYosys (lane_relay.sby). Of the counter block one bit is looked at, whichever.
`default_nettype none
module cipherwright_lane_relay_formal #(
    parameter integer LANES = 3  // 2 to 11
) (
    input wire         clk,
    input wire         rst_i,
    input wire         zeroise_i,
    input wire         iv_valid_i,
    input wire [127:0] iv_i,
    input wire         step_i
);
    (* anyconst *) wire [6:0] at;
    wire ready, loaded;
    wire [7:0] load;
    wire [5:0] state;
    reg [127:0] iv_q;
    always @(posedge clk) iv_q <= iv_i;
    /* verilator lint_off PINMISSING */
    cipherwright_lane_load front (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .iv_valid_i(iv_valid_i),
        .iv_ready_o(ready),
        .loaded_o(loaded),
        .load_o(load),
        .f_o(state)
    );
    wire take = iv_valid_i & ready;
    wire step = step_i & loaded;
    wire [LANES:0] takes, wipes, steps;
    wire [127:0] ivs[0:LANES];
    assign {takes[0], wipes[0], steps[0], ivs[0]} = {take, zeroise_i, step, iv_q};
    wire [LANES-1:0] taken, wiped, stepped, iv_2;
    wire [13:0] states[0:LANES-1];
    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : g_lane
            wire takes_now;
            cipherwright_lane_relay #(
                .DELAY(LANES - 1 - i)
            ) relay (
                .clk(clk),
                .rst_i(rst_i),
                .take_i(takes[i]),
                .wipe_i(wipes[i]),
                .step_i(steps[i]),
                .iv_i(ivs[i]),
                .take_o(takes[i+1]),
                .wipe_o(wipes[i+1]),
                .step_o(steps[i+1]),
                .iv_o(ivs[i+1]),
                .taken_o(taken[i]),
                .wiped_o(wiped[i]),
                .stepped_o(stepped[i])
            );
            cipherwright_lane_load lane (
                .clk(clk),
                .rst_i(rst_i),
                .zeroise_i(wiped[i]),
                .iv_valid_i(taken[i]),
                .taken_o(takes_now),
                .load_o(states[i][7:0]),
                .f_o(states[i][13:8])
            );
            reg iv_2_q;
            always @(posedge clk) if (takes_now) iv_2_q <= ivs[i+1][at];
            assign iv_2[i] = iv_2_q;
        end
    endgenerate

    // -- what the front was, by definition --------------------------------------------------------
    reg started = 1'b0;
    always @(posedge clk) started <= 1'b1;
    always @(*) if (!started) assume (rst_i);

    localparam [13:0] RESET = {1'b1, 13'd0};  // ready, and nothing else
    reg [13:0] was[1:LANES];
    reg [LANES:1] did_take, did_wipe, did_step;
    reg [LANES+1:1] shown;  // the bit of iv_i
    reg want;  // of the last load that a lane has begun
    reg [4:0] age;  // cycles since the last reset, up to LANES
    integer k;
    wire lane_takes = states[0][9];  // taken_q of a lane
    always @(posedge clk) begin
        for (k = 1; k <= LANES; k = k + 1) was[k] <= k == 1 ? {state, load} : was[k-1];
        did_take <= rst_i ? 0 : {did_take[LANES-1:1], take};
        did_wipe <= rst_i ? 0 : {did_wipe[LANES-1:1], zeroise_i};
        did_step <= rst_i ? 0 : {did_step[LANES-1:1], step};
        shown <= {shown[LANES:1], iv_i[at]};
        if (lane_takes) want <= shown[LANES+1];
        if (rst_i) age <= 5'd0;
        else if (age != LANES) age <= age + 5'd1;
    end

    always @(*)
        if (started) begin
            for (k = 0; k < LANES; k = k + 1) begin
                assert (states[k] == (age == LANES ? was[LANES] : RESET));
                assert (taken[k] == did_take[LANES] && stepped[k] == did_step[LANES]);
                assert (wiped[k] == did_wipe[LANES]);
                // Accepted: ready for a counter block, loaded for a step.
                if (taken[k]) assert (states[k][13]);
                if (stepped[k]) assert (states[k][11]);
                // A load ends without a reset or zeroising.
                if (states[k][7] && !wiped[k]) assert (iv_2[k] == want);
            end
            assert (age <= LANES);
            // One load at a time, and none while another could be taken.
            assert (({state[2:0], load} & ({state[2:0], load} - 11'd1)) == 11'd0);
            if (state[5] || state[3]) assert ({state[2:0], load} == 11'd0);
        end
endmodule
`default_nettype wire
