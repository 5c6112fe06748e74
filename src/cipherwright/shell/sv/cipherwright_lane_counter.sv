// The counters of several lanes, which take as many blocks a cycle. The counter of a lane: COUNT
// bits at the bottom of a 128-bit counter block that go up by lanes_i, the number of lanes, from
// the counter block that is loaded and lane_i; a value a cycle, nine cycles after its step. Both
// are constants; as inputs, since one proof then covers all of them.
//
// Eight pieces of 16 bits, each a cycle after the one below it, so that no carry goes further than
// a piece in a cycle: a step, or a load, goes through them as a wave with the carry at its front.
// The lower pieces wait for the upper ones before they are shown.
//
// Reset drops the counter block and every step under way; a counter block may be loaded in the next
// cycle. zeroise_i does the same and loads what iv_i shows two cycles later in place of the counter
// block: two cycles after iv_ready_o is 1 again, no register depends on anything from before. In a
// cycle of rst_i or zeroise_i no counter block is taken and no step is made.
//
// One cipherwright_lane_load at the front speaks with the outside. What it takes goes from lane to
// lane through cipherwright_lane_relay, a register each, so that no wire reaches all lanes; each
// relay delays it until the last lane has it. So every lane is what the front was a fixed number of
// cycles ago, and its own cipherwright_lane_load accepts what the front has accepted.
//
// Lint: the carry out of the highest piece that counts has no reader; what only this counter uses
// is in its file.
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off DECLFILENAME
`default_nettype none
// When a counter block is taken, and its way through the pieces.
module cipherwright_lane_load (
    input  wire       clk,
    input  wire       rst_i,
    input  wire       zeroise_i,
    input  wire       iv_valid_i,
    output wire       iv_ready_o,
    output wire       loaded_o,    // a counter block is there
    // a counter block was taken in the cycle before, or zeroise_i was 1 two cycles before
    output wire       taken_o,
    // bit 0 two cycles after taken_o, then bit by bit: piece i takes its part
`ifdef FORMAL
    output wire [5:0] f_o,
`endif
    output wire [7:0] load_o
);
    reg ready_q, given_q, loaded_q;
    reg zeroise_q, taken_q, taken_2;
    reg [7:0] load;
    wire clear = rst_i | zeroise_i;
    wire take = iv_valid_i & ready_q;
    assign iv_ready_o = ready_q;
    assign loaded_o = loaded_q;
    assign taken_o = taken_q;
    assign load_o = load;
    always @(posedge clk) begin
        if (clear) begin
            taken_q <= 1'b0;
            taken_2 <= 1'b0;
            load <= 8'd0;
            given_q <= 1'b0;
            loaded_q <= 1'b0;
        end else begin
            taken_q <= take | zeroise_q;
            taken_2 <= taken_q;
            load <= {load[6:0], taken_2};
            given_q <= given_q | take;
            loaded_q <= given_q & (ready_q ? ~iv_valid_i : load[7]);
        end
        ready_q <= rst_i | (~zeroise_i & (ready_q ? ~iv_valid_i : load[7]));
        zeroise_q <= zeroise_i & ~rst_i;
    end
`ifdef FORMAL
    assign f_o = {ready_q, given_q, loaded_q, zeroise_q, taken_q, taken_2};
`endif
endmodule

// A register for what goes from lane to lane, and DELAY more for what this lane takes of it. The
// counter block stays until the next one comes, 11 cycles later at the earliest, so a lane may take
// it up to 10 cycles after the first.
module cipherwright_lane_relay #(
    parameter DELAY = 0  // 0 to 10: ranks between this lane and the last
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         take_i,    // a counter block is taken
    input  wire         wipe_i,    // zeroise
    input  wire         step_i,    // a step is taken
    // the counter block, in the cycle behind take_i or in the second behind wipe_i
    input  wire [127:0] iv_i,
    output wire         take_o,    // the same a cycle later, for the next lane
    output wire         wipe_o,
    output wire         step_o,
    output wire [127:0] iv_o,
    output wire         taken_o,   // and DELAY cycles later still, for this lane
    output wire         wiped_o,
    output wire         stepped_o
);
    reg take_q, wipe_q, step_q, hold_q;
    reg [127:0] iv_q;
    always @(posedge clk) begin
        if (rst_i) begin
            take_q <= 1'b0;
            wipe_q <= 1'b0;
            step_q <= 1'b0;
            hold_q <= 1'b0;
        end else begin
            take_q <= take_i;
            wipe_q <= wipe_i;
            step_q <= step_i;
            hold_q <= take_i | wipe_q;
        end
        if (hold_q) iv_q <= iv_i;
    end
    assign take_o = take_q;
    assign wipe_o = wipe_q;
    assign step_o = step_q;
    assign iv_o = iv_q;
    generate
        if (DELAY == 0) begin : g_last
            assign {taken_o, wiped_o, stepped_o} = {take_q, wipe_q, step_q};
        end else begin : g_waits
            reg [3*DELAY-1:0] wait_q;
            wire [3*DELAY+2:0] waits = {wait_q, take_q, wipe_q, step_q};
            always @(posedge clk) wait_q <= rst_i ? {3 * DELAY{1'b0}} : waits[3*DELAY-1:0];
            assign {taken_o, wiped_o, stepped_o} = wait_q[3*DELAY-1:3*DELAY-3];
        end
    endgenerate
endmodule

module cipherwright_lane_counter #(
    parameter COUNT = 128  // 32 (the increment of GCM) or 128
) (
    input wire clk,
    input wire rst_i,
    input wire zeroise_i,
    input wire [15:0] lanes_i,
    input wire [15:0] lane_i,
    input wire iv_valid_i,  // taken with iv_ready_o: a counter block
    output wire iv_ready_o,
    // that of the first lane's next step, in the cycle behind the one in which it is taken
    input wire [127:0] iv_i,
    output wire loaded_o,  // a counter block is there
    // taken with loaded_o; together with a load it is still of the counter block before
    input wire step_i,
    output wire valid_o,
`ifdef FORMAL
    output wire [1307:0] f_o,  // what the rules in cipherwright_lane_counter_formal.sv speak of
`endif
    output wire [127:0] count_o
);
    localparam PIECES = 8;
    localparam PIECE = 16;
    localparam COUNTING = COUNT / PIECE;

    // A counter block is kept while it goes through the pieces.
    wire clear = rst_i | zeroise_i;
    wire taken;
    wire [PIECES-1:0] load;  // bit i: piece i takes its part
`ifdef FORMAL
    wire [5:0] f_load;
`endif
    cipherwright_lane_load u_load (
        .clk(clk),
        .rst_i(rst_i),
        .zeroise_i(zeroise_i),
        .iv_valid_i(iv_valid_i),
        .iv_ready_o(iv_ready_o),
        .loaded_o(loaded_o),
        .taken_o(taken),
        .load_o(load)
`ifdef FORMAL,
        .f_o(f_load)
`endif
    );
    reg [127:0] iv_2;
    reg [PIECES-1:0] step;  // bit i: piece i steps; bit 0 is in the cycle behind the step itself
    always @(posedge clk) begin
        if (taken) iv_2 <= iv_i;
        step <= clear ? {PIECES{1'b0}} : {step[PIECES-2:0], step_i & loaded_o};
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
                wire [PIECE-1:0]
                    more = i == 0 ? (load[0] ? lane_i : lanes_i) : {{PIECE - 1{1'b0}}, carry[i]};
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
    // the values of a piece, each a cycle older than the one below, up to as many as it has
    wire [8*128-1:0] waiting;
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_formal
            assign values[PIECE*i+:PIECE] = g_piece[i].value;
            assign waiting[128*i+:128] = g_piece[i].shown;
        end
    endgenerate
    assign f_o = {f_load[4], f_load[2:0], load, step, iv_2, carry[PIECES:1], values, waiting};
`endif
    reg valid_q;
    always @(posedge clk) valid_q <= step[PIECES-1] & ~clear;
    assign valid_o = valid_q;
endmodule
`default_nettype wire
