// A counter of COUNT bits at the bottom of a 128-bit counter block, at the clock of one lookup table: a value a cycle, three
// cycles after its step.
//
// Three parts. `low` (2 bits) counts every step; `mid` (6 bits) takes its prepared successor every fourth step; `top` takes
// its own every 256th. The successor of `top` is prepared by a carry that walks three bits a cycle: it has at least 256 cycles
// for COUNT / 3 steps, or after a load the cycles in which iv_ready_o is 0. Nothing here depends on how often steps come.
//
// Lint: the file holds the copies' module as well; the carry out of the highest part has no reader.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
`default_nettype none
module cipherwright_counter #(
    parameter COUNT = 128,  // 32 (the increment of GCM) or 128
    parameter LANES_LOG2 = 0,
    parameter LANE = 0
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         iv_valid_i,  // taken with iv_ready_o: the counter block of the next step
    output wire         iv_ready_o,
    input  wire [127:0] iv_i,
    input  wire         step_i,      // only while iv_ready_o is 1 and not in the cycle in which a counter block is taken
    output reg          valid_o,
    output reg  [127:0] count_o
);
    localparam LOW = LANES_LOG2;
    localparam TOP = COUNT - LOW - 8;
    localparam PARTS = (TOP + 2) / 3;
    localparam [6:0] PREPARED = 7'd83;  // of wait_q, 44 cycles after a load
    localparam [6:0] LAST = LOW == 0 ? PREPARED : 7'd82;  // 94 cycles, for the step of a lane's own
    localparam PIECES = 8;
    localparam PIECE = 16;

    // Load: the counter block is kept, and two cycles later every part takes it. In between is nothing but registers, so that what
    // decides about a load need not stand near the parts.
    reg [6:0] wait_q;  // shifts with feedback, and so tells the time since a load in few bits; 0 at rest
    reg last_a, last_b, last_q;
    reg ready_q, load_q, load_low;
    reg [127:0] iv_q, iv_2;
    assign iv_ready_o = ready_q;
    always @(posedge clk) begin
        iv_q <= iv_i;
        iv_2 <= iv_q;
        load_q <= iv_valid_i & ready_q;
        load_low <= load_q;
        wait_q <= load_q ? 7'd1 : ready_q ? 7'd0 : {wait_q[5:0], wait_q[6] ^ wait_q[5]};
        last_a <= wait_q[3:0] == LAST[3:0];
        last_b <= wait_q[6:4] == LAST[6:4];
        last_q <= last_a & last_b & ~load_q;
        ready_q <= rst_i | (ready_q ? ~iv_valid_i : last_q);
    end

    // The lane's own bits, and the step that their carry makes.
    wire step;
    wire [LOW+7:0] bottom_2;
    generate
        if (LANE == 0) begin : g_first
            assign step = step_i;
        end else begin : g_lane
            reg carry_q;
            wire [LOW:0] sum = {1'b0, iv_2[LOW-1:0]} + LANE[LOW:0];
            always @(posedge clk) if (load_low) carry_q <= sum[LOW];
            reg now_q;
            always @(posedge clk) now_q <= wait_q == PREPARED && !ready_q;
            assign step = step_i | (now_q & carry_q);
        end
        if (LOW > 0) begin : g_own
            reg [LOW-1:0] own;
            wire [LOW-1:0] mine = iv_2[LOW-1:0] + LANE[LOW-1:0];
            always @(posedge clk) if (load_low) own <= mine;
            assign bottom_2 = {counted_2, own};
        end else begin : g_none
            assign bottom_2 = counted_2;
        end
    endgenerate

    // Two bits that count every step.
    reg [1:0] low;
    always @(posedge clk) if (load_low | step) low <= load_low ? iv_2[LOW+1:LOW] : {low[1] ^ low[0], ~low[0]};

    // Six bits whose successor is prepared in two cycles; four pass between two uses.
    wire turn = step & low[1] & low[0];
    reg [5:0] mid, mid_next;
    reg mid_half, mid_half_2, mid_ones;
    always @(posedge clk) begin
        if (load_low | turn) mid <= load_low ? iv_2[LOW+7:LOW+2] : mid_next;
        mid_half <= &mid[2:0];
        mid_half_2 <= &mid[5:3];
        mid_ones <= mid_half & mid_half_2;
        mid_next[2:0] <= {mid[2] ^ (mid[1] & mid[0]), mid[1] ^ mid[0], ~mid[0]};
        mid_next[5:3] <= {mid[5] ^ (mid[4] & mid[3] & mid_half), mid[4] ^ (mid[3] & mid_half), mid[3] ^ mid_half};
    end

    // The rest moves two cycles after the step that makes it move; low and mid are shown two cycles later as well.
    reg turn_top, valid_1, valid_2;
    reg [7:0] counted_1, counted_2;
    wire [PIECES-1:0] move, load_top;
    always @(posedge clk) begin
        turn_top <= turn & mid_ones;
        valid_1 <= step_i & ~rst_i;
        valid_2 <= valid_1 & ~rst_i;
        counted_1 <= {mid, low};
        counted_2 <= counted_1;
    end
    reg [127:LOW+8] top;
    reg [3*PARTS-1:0] next;
    reg [PARTS:0] carry;
    wire [3*PARTS-1:0] now;  // the part that counts, from its lowest bit
    genvar i;
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_piece
            cipherwright_counter_copy u_move (.clk(clk), .d(turn_top), .q(move[i]));
            cipherwright_counter_copy u_load (.clk(clk), .d(load_q), .q(load_top[i]));
        end
        for (i = LOW + 8; i < 128; i = i + 1) begin : g_top
            if (i < COUNT) begin : g_counts
                always @(posedge clk) if (load_top[i / PIECE] | move[i / PIECE]) top[i] <= load_top[i / PIECE] ? iv_2[i] : next[i - LOW - 8];
            end else begin : g_stays
                always @(posedge clk) if (load_top[i / PIECE]) top[i] <= iv_2[i];
            end
        end
        for (i = 0; i < 3 * PARTS; i = i + 1) begin : g_now
            if (i < TOP) begin : g_bit
                assign now[i] = top[i+LOW+8];
            end else begin : g_above
                assign now[i] = 1'b0;
            end
        end
        for (i = 0; i < PARTS; i = i + 1) begin : g_part
            always @(posedge clk) begin
                next[3 * i] <= now[3 * i] ^ carry[i];
                next[3 * i + 1] <= now[3 * i + 1] ^ (now[3 * i] & carry[i]);
                next[3 * i + 2] <= now[3 * i + 2] ^ (now[3 * i + 1] & now[3 * i] & carry[i]);
                carry[i + 1] <= carry[i] & now[3 * i] & now[3 * i + 1] & now[3 * i + 2];
            end
        end
    endgenerate
    always @(posedge clk) begin
        carry[0] <= 1'b1;
        valid_o <= valid_2 & ~rst_i;
        count_o <= {top, bottom_2};
    end
endmodule

// One flip-flop of a busy signal. A module of its own, so that synthesis does not merge equal copies again.
(* keep_hierarchy = "yes" *)
module cipherwright_counter_copy (
    input  wire clk,
    input  wire d,
    output reg  q
);
    always @(posedge clk) q <= d;
endmodule
`default_nettype wire
