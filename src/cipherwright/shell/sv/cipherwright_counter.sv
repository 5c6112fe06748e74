// A counter of COUNT bits at the bottom of a 128-bit counter block, at the clock of one lookup table: a value a cycle, three
// cycles after its step.
//
// Three parts. `low` (2 bits) counts every step; `mid` (6 bits) takes its prepared successor every fourth step; `top` takes
// its own every 256th. The successor of `top` is prepared by a carry that walks three bits a cycle: it has at least 256 cycles
// for COUNT / 3 steps, or after a load the cycles in which iv_ready_o is 0. Nothing here depends on how often steps come.
//
// Reset drops the counter block and every step under way; a counter block may be loaded in the next cycle. zeroise_i does the same
// and loads what iv_i shows a cycle later in place of the counter block: when iv_ready_o is 1 again, no register depends on
// anything from before. In a cycle of rst_i or zeroise_i no counter block is taken and no step is made.
//
// Lint: the file holds the copies' module as well; the carry out of the highest part has no reader.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
`default_nettype none
module cipherwright_counter #(
    parameter COUNT = 128  // 32 (the increment of GCM) or 128
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         zeroise_i,
    input  wire         iv_valid_i,  // taken with iv_ready_o: the counter block of the next step
    output wire         iv_ready_o,
    input  wire [127:0] iv_i,
    output wire         loaded_o,    // a counter block is there
    input  wire         step_i,      // taken with loaded_o; together with a load it is still of the counter block before
    output reg          valid_o,
    output reg  [127:0] count_o
`ifdef FORMAL
    ,
    output wire [699:0] f_o  // what the rules in cipherwright_counter_formal.sv speak of
`endif
);
    localparam TOP = COUNT - 8;
    localparam PARTS = (TOP + 2) / 3;
    localparam [6:0] LAST = 7'd83;  // of wait_q, 44 cycles after a load
    localparam PIECES = 8;
    localparam PIECE = 16;

    // Load: the counter block is kept, and two cycles later every part takes it. In between is nothing but registers, so that what
    // decides about a load need not stand near the parts.
    wire clear = rst_i | zeroise_i;
    reg [6:0] wait_q;  // shifts with feedback, and so tells the time since a load in few bits; 0 at rest
    reg last_a, last_b, last_q;
    reg ready_q, given_q, loaded_q;
    reg zeroise_q, load_q, load_low;
    reg [127:0] iv_q, iv_2;
    reg iv_ones;  // both bits of `low` in iv_2
    wire take = iv_valid_i & ready_q;
    assign iv_ready_o = ready_q;
    assign loaded_o = loaded_q;
    always @(posedge clk) begin
        iv_q <= iv_i;
        iv_2 <= iv_q;
        iv_ones <= iv_q[1] & iv_q[0];
        load_low <= load_q;
    end
    always @(posedge clk) begin
        if (clear) begin
            wait_q <= 7'd0;
            last_a <= 1'b0;
            last_b <= 1'b0;
            last_q <= 1'b0;
            load_q <= 1'b0;
            given_q <= 1'b0;
            loaded_q <= 1'b0;
        end else begin
            wait_q <= load_q ? 7'd1 : ready_q ? 7'd0 : {wait_q[5:0], wait_q[6] ^ wait_q[5]};
            last_a <= wait_q[3:0] == LAST[3:0];
            last_b <= wait_q[6:4] == LAST[6:4];
            last_q <= last_a & last_b;
            load_q <= take | zeroise_q;
            given_q <= given_q | take;
            loaded_q <= given_q & (ready_q ? ~iv_valid_i : last_q);
        end
        ready_q <= rst_i | (~zeroise_i & (ready_q ? ~iv_valid_i : last_q));
        zeroise_q <= zeroise_i & ~rst_i;
    end

    // Two bits that count every step, and whether both are ones.
    wire step = step_i & loaded_q;
    reg [1:0] low;
    reg low_ones;
    always @(posedge clk) begin
        if (load_low | step) begin
            low <= load_low ? iv_2[1:0] : {low[1] ^ low[0], ~low[0]};
            low_ones <= load_low ? iv_ones : low[1] & ~low[0];
        end
    end

    // Six bits whose successor is prepared in two cycles; four pass between two uses.
    wire turn = step & low_ones;
    reg [5:0] mid, mid_next;
    reg mid_half, mid_half_2, mid_ones;
    always @(posedge clk) begin
        if (load_low | turn) mid <= load_low ? iv_2[7:2] : mid_next;
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
        valid_1 <= step & ~clear;
        valid_2 <= valid_1 & ~clear;
        counted_1 <= {mid, low};
        counted_2 <= counted_1;
    end
    reg [127:8] top;
    reg [3*PARTS-1:0] next;
    reg [PARTS:0] carry;
    wire [3*PARTS-1:0] now;  // the part that counts, from its lowest bit
    genvar i;
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_piece
            cipherwright_counter_copy u_move (.clk(clk), .d(turn_top), .q(move[i]));
            cipherwright_counter_copy u_load (.clk(clk), .d(load_q), .q(load_top[i]));
        end
        for (i = 8; i < 128; i = i + 1) begin : g_top
            if (i < COUNT) begin : g_counts
                always @(posedge clk) if (load_top[i / PIECE] | move[i / PIECE]) top[i] <= load_top[i / PIECE] ? iv_2[i] : next[i - 8];
            end else begin : g_stays
                always @(posedge clk) if (load_top[i / PIECE]) top[i] <= iv_2[i];
            end
        end
        for (i = 0; i < 3 * PARTS; i = i + 1) begin : g_now
            if (i < TOP) begin : g_bit
                assign now[i] = top[i+8];
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
        valid_o <= valid_2 & ~clear;
        count_o <= {top, counted_2};
    end
`ifdef FORMAL
    assign f_o = {
        load_q, load_low, load_top, wait_q, last_a, last_b, last_q, given_q, zeroise_q, iv_q, iv_2, iv_ones, low, low_ones, mid, mid_next,
        mid_half, mid_half_2, mid_ones, turn_top, move, valid_1, valid_2, counted_1, counted_2, top, {{128 - 3 * PARTS{1'b0}}, next},
        {{127 - PARTS{1'b0}}, carry}
    };
`endif
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
