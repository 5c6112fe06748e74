// The counter of one of several lanes: COUNT bits at the bottom of a 128-bit counter block that go up by lanes_i, the number of lanes, from
// the counter block that is loaded and lane_i; a value a cycle, nine cycles after its step. Both are constants; as inputs, since one
// proof then covers all of them.
//
// Eight pieces of 16 bits, each a cycle after the one below it, so that no carry goes further than a piece in a cycle: a step, or a load, goes
// through them as a wave with the carry at its front. The lower pieces wait for the upper ones before they are shown.
//
// Reset drops the counter block and every step under way; a counter block may be loaded in the next cycle. zeroise_i does the same
// and loads what iv_i shows a cycle later in place of the counter block: two cycles after iv_ready_o is 1 again, no register depends
// on anything from before. In a cycle of rst_i or zeroise_i no counter block is taken and no step is made.
//
// Lint: the carry out of the highest piece that counts has no reader.
// verilator lint_off UNUSEDSIGNAL
`default_nettype none
module cipherwright_lane_counter #(
    parameter COUNT = 128  // 32 (the increment of GCM) or 128
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         zeroise_i,
    input  wire [15:0]  lanes_i,
    input  wire [15:0]  lane_i,
    input  wire         iv_valid_i,  // taken with iv_ready_o: the counter block of the first lane's next step
    output wire         iv_ready_o,
    input  wire [127:0] iv_i,
    output wire         loaded_o,    // a counter block is there
    input  wire         step_i,      // taken with loaded_o; together with a load it is still of the counter block before
    output wire         valid_o,
    output wire [127:0] count_o
`ifdef FORMAL
    ,
    output wire [1435:0] f_o  // what the rules in cipherwright_lane_counter_formal.sv speak of
`endif
);
    localparam PIECES = 8;
    localparam PIECE = 16;
    localparam COUNTING = COUNT / PIECE;

    // A counter block is kept while it goes through the pieces.
    wire clear = rst_i | zeroise_i;
    reg ready_q, given_q, loaded_q;
    reg zeroise_q, taken_q, taken_2;
    reg [127:0] iv_q, iv_2;
    reg [PIECES-1:0] load;  // bit i: piece i takes its part
    reg [PIECES-1:0] step;  // bit i: piece i steps; bit 0 is in the cycle behind the step itself
    wire take = iv_valid_i & ready_q;
    assign iv_ready_o = ready_q;
    assign loaded_o = loaded_q;
    always @(posedge clk) begin
        iv_q <= iv_i;
        if (taken_q) iv_2 <= iv_q;
    end
    always @(posedge clk) begin
        if (clear) begin
            taken_q <= 1'b0;
            taken_2 <= 1'b0;
            load <= {PIECES{1'b0}};
            step <= {PIECES{1'b0}};
            given_q <= 1'b0;
            loaded_q <= 1'b0;
        end else begin
            taken_q <= take | zeroise_q;
            taken_2 <= taken_q;
            load <= {load[PIECES-2:0], taken_2};
            step <= {step[PIECES-2:0], step_i & loaded_q};
            given_q <= given_q | take;
            loaded_q <= given_q & (ready_q ? ~iv_valid_i : load[PIECES-1]);
        end
        ready_q <= rst_i | (~zeroise_i & (ready_q ? ~iv_valid_i : load[PIECES-1]));
        zeroise_q <= zeroise_i & ~rst_i;
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
                wire [PIECE-1:0] more = i == 0 ? (load[0] ? lane_i : lanes_i) : {{PIECE - 1{1'b0}}, carry[i]};
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
`ifdef FORMAL
    wire [127:0] values;
    wire [8*128-1:0] waiting;  // the values of a piece, each a cycle older than the one below, up to as many as it has
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_formal
            assign values[PIECE*i+:PIECE] = g_piece[i].value;
            assign waiting[128*i+:128] = g_piece[i].shown;
        end
    endgenerate
    assign f_o = {given_q, zeroise_q, taken_q, taken_2, load, step, iv_q, iv_2, carry[PIECES:1], values, waiting};
`endif
    reg valid_q;
    always @(posedge clk) valid_q <= step[PIECES-1] & ~clear;
    assign valid_o = valid_q;
endmodule
`default_nettype wire
