// The counter of one of several lanes: COUNT bits at the bottom of a 128-bit counter block that go up by STEP, the number of lanes, from
// the counter block that is loaded and LANE; a value a cycle, nine cycles after its step.
//
// Eight pieces of 16 bits, each a cycle after the one below it, so that no carry goes further than a piece in a cycle: a step, or a load, goes
// through them as a wave with the carry at its front. The lower pieces wait for the upper ones before they are shown.
//
// Lint: the carry out of the highest piece that counts has no reader.
// verilator lint_off UNUSEDSIGNAL
`default_nettype none
module cipherwright_lane_counter #(
    parameter COUNT = 128,  // 32 (the increment of GCM) or 128
    parameter STEP = 2,
    parameter LANE = 0
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         iv_valid_i,  // taken with iv_ready_o: the counter block of the first lane's next step
    output wire         iv_ready_o,
    input  wire [127:0] iv_i,
    input  wire         step_i,      // only while iv_ready_o is 1 and not in the cycle in which a counter block is taken
    output wire         valid_o,
    output wire [127:0] count_o
);
    localparam PIECES = 8;
    localparam PIECE = 16;
    localparam COUNTING = COUNT / PIECE;

    // A counter block is kept while it goes through the pieces.
    reg ready_q, taken_q, taken_2;
    reg [127:0] iv_q, iv_2;
    reg [PIECES-1:0] load;  // bit i: piece i takes its part
    reg [PIECES-1:0] step;  // bit i: piece i steps; bit 0 is in the cycle behind the step itself
    assign iv_ready_o = ready_q;
    always @(posedge clk) begin
        iv_q <= iv_i;
        taken_q <= iv_valid_i & ready_q & ~rst_i;
        taken_2 <= taken_q;
        if (taken_q) iv_2 <= iv_q;
        load <= {load[PIECES-2:0], taken_2};
        step <= {step[PIECES-2:0], step_i} & {PIECES{~rst_i}};
        ready_q <= rst_i | (ready_q ? ~iv_valid_i : load[PIECES-1]);
    end

    wire [PIECES:0] carry;
    assign carry[0] = 1'b0;
    genvar i;
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_piece
            reg [PIECE-1:0] value;
            wire [PIECE-1:0] given = iv_2[PIECE*i+PIECE-1:PIECE*i];
            if (i == 0 || i < COUNTING) begin : g_counts
                reg carry_q;
                wire [PIECE-1:0] more = i == 0 ? (load[0] ? LANE[PIECE-1:0] : STEP[PIECE-1:0]) : {{PIECE - 1{1'b0}}, carry[i]};
                wire [PIECE:0] sum = {1'b0, load[i] ? given : value} + {1'b0, more};
                assign carry[i+1] = carry_q;
                always @(posedge clk) if (load[i] | step[i]) {carry_q, value} <= sum;
            end else begin : g_stays
                assign carry[i+1] = 1'b0;
                always @(posedge clk) if (load[i]) value <= given;
            end
            // The value before the step, which waits for the pieces above.
            reg [PIECE*(PIECES-i)-1:0] shown;
            assign count_o[PIECE*i+PIECE-1:PIECE*i] = shown[PIECE*(PIECES-i)-1:PIECE*(PIECES-i-1)];
            if (i == PIECES - 1) begin : g_last
                always @(posedge clk) shown <= value;
            end else begin : g_waits
                always @(posedge clk) shown <= {shown[PIECE*(PIECES-i-1)-1:0], value};
            end
        end
    endgenerate
    reg valid_q;
    always @(posedge clk) valid_q <= step[PIECES-1] & ~rst_i;
    assign valid_o = valid_q;
endmodule
`default_nettype wire
