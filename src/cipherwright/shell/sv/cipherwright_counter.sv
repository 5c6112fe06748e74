// A counter of COUNT bits at the bottom of a 128-bit counter block, at the clock of one lookup
// table: a value a cycle, three cycles after its step.
//
// Three parts. `low` (2 bits) counts every step; `mid` (6 bits) takes its prepared successor every
// fourth step; `top` takes its own every 256th. The successor of `top` is prepared by a carry that
// walks three bits a cycle: it has at least 256 cycles for COUNT / 3 steps, or after a load the
// cycles in which iv_ready_o is 0. Nothing here depends on how often steps come.
//
// A step is kept in a register before anything moves: `low` moves one cycle after the step, `mid`
// and `top` two cycles after it. So every register has at most four inputs, and enables come from
// registers without logic.
//
// Reset drops the counter block and every step under way; a counter block may be loaded in the next
// cycle. So does drop_i, which is 1 for two cycles at least; iv_ready_o is 0 while it is 1, but for
// its first cycle. zeroise_i loads what iv_i shows a cycle later in place of the counter block; it
// comes with drop_i, which is still 1 in the next cycle. When iv_ready_o is 1 again, no register
// that a counter block reaches depends on anything from before. In a cycle of rst_i or drop_i no
// counter block is taken and no step is made.
//
// Lint: the file holds the modules of the copies as well; the carry out of the highest part has no
// reader.
// verilator lint_off DECLFILENAME
// verilator lint_off UNUSEDSIGNAL
`default_nettype none
module cipherwright_counter #(
    parameter COUNT = 128  // 32 (the increment of GCM) or 128
) (
    input  wire         clk,
    input  wire         rst_i,
    input  wire         drop_i,
    input  wire         zeroise_i,
    input  wire         iv_valid_i,  // taken with iv_ready_o: the counter block of the next step
    output wire         iv_ready_o,
    input  wire [127:0] iv_i,
    output wire         loaded_o,    // a counter block is there
    input  wire         open_i,      // a step is made where this, step_i and loaded_o are 1
    input  wire         step_i,      // together with a load it is still of the counter block before
    output reg          valid_o,
`ifdef FORMAL
    output wire [688:0] f_o,         // what the rules in cipherwright_counter_formal.sv speak of
`endif
    output reg  [127:0] count_o
);
    localparam TOP = COUNT - 8;
    localparam PARTS = (TOP + 2) / 3;
    localparam [5:0] LAST = 6'd59;  // of wait_q, 42 cycles after its start
    localparam PIECES = 8;
    localparam PIECE = 16;

    // Control, and the load: the counter block is kept, and two cycles later every part takes it.
    // In between is nothing but registers, so that what decides about a load need not stand near
    // the parts.
    reg [5:0] wait_q;  // shifts with feedback, and so tells the time since a load in few bits
    reg last_a, last_b, last_q;
    reg idle_q;  // no load is under way
    reg raise_q, ready_q;
    reg given_q, loaded_q;
    reg wipe_q, load_q, load_low;
    wire step_q;
    reg valid_2;
    reg [127:0] iv_q, iv_2;
    reg iv_ones;  // both bits of `low` in iv_2
    wire load = (iv_valid_i & ready_q & ~drop_i) | wipe_q;
    cipherwright_counter_step u_step (
        .clk(clk),
        .rst_i(rst_i),
        .step(step_i),
        .open(open_i),
        .loaded(loaded_q),
        .drop(drop_i),
        .q(step_q)
    );
    assign iv_ready_o = ready_q;
    assign loaded_o = loaded_q;
    always @(posedge clk) begin
        iv_q <= iv_i;
        iv_2 <= iv_q;
        iv_ones <= iv_q[1] & iv_q[0];
        load_low <= load_q;
    end
    always @(posedge clk) begin
        if (rst_i) begin
            wait_q <= 6'd0;
            last_a <= 1'b0;
            last_b <= 1'b0;
            last_q <= 1'b0;
            wipe_q <= 1'b0;
            load_q <= 1'b0;
            idle_q <= 1'b1;
            raise_q <= 1'b0;
            ready_q <= 1'b1;
            given_q <= 1'b0;
            loaded_q <= 1'b0;
            valid_2 <= 1'b0;
            valid_o <= 1'b0;
        end else begin
            wait_q <= {wait_q[4:0] & ~{5{load_q}}, load_q | (wait_q[5] ^ wait_q[4])};
            last_a <= ~load_q & (wait_q[2:0] == LAST[2:0]);
            last_b <= ~load_q & (wait_q[5:3] == LAST[5:3]);
            last_q <= ~load_q & last_a & last_b;
            wipe_q <= zeroise_i;
            load_q <= load;
            idle_q <= ~load_q & (idle_q | last_q);
            raise_q <= idle_q & ~load_q & ~ready_q & ~drop_i;
            ready_q <= ~drop_i & (ready_q ? ~iv_valid_i : raise_q);
            given_q <= ~drop_i & (given_q | (iv_valid_i & ready_q));
            valid_2 <= step_q & ~drop_i;
            valid_o <= valid_2 & ~drop_i;
            loaded_q <= given_q & (ready_q ? ~iv_valid_i : raise_q);
        end
    end

    // Two bits that count every step, and whether both are ones.
    wire move_low;
    reg [1:0] low, low_2;
    reg low_ones;
    cipherwright_counter_move u_low (
        .clk(clk),
        .a(step_i),
        .b(open_i),
        .c(loaded_q),
        .load(load_q),
        .q(move_low)
    );
    always @(posedge clk) begin
        if (move_low) begin
            low <= load_low ? iv_2[1:0] : {low[1] ^ low[0], ~low[0]};
            low_ones <= load_low ? iv_ones : low[1] & ~low[0];
        end
        low_2 <= low;
    end

    // Six bits whose successor is prepared in two cycles; four pass between two uses.
    reg move_mid;
    reg [5:0] mid, mid_next;
    reg mid_half, mid_half_2, mid_ones;
    always @(posedge clk) begin
        move_mid <= (step_q & low_ones) | load_q;
        if (move_mid) mid <= load_low ? iv_2[7:2] : mid_next;
        mid_half <= &mid[2:0];
        mid_half_2 <= &mid[5:3];
        mid_ones <= mid_half & mid_half_2;
        mid_next[2:0] <= {mid[2] ^ (mid[1] & mid[0]), mid[1] ^ mid[0], ~mid[0]};
        mid_next[5:3] <= {
            mid[5] ^ (mid[4] & mid[3] & mid_half), mid[4] ^ (mid[3] & mid_half), mid[3] ^ mid_half
        };
    end

    // The rest. What moves a piece of it and what loads it stand near that piece.
    wire load_near;
    wire [PIECES-1:0] move, load_top;
    cipherwright_counter_copy u_near (
        .clk(clk),
        .d(load),
        .q(load_near)
    );
    reg [127:8] top;
    reg [3*PARTS-1:0] next;
    reg [PARTS:0] carry;
    wire [3*PARTS-1:0] now;  // the part that counts, from its lowest bit
    genvar i;
    generate
        for (i = 0; i < PIECES; i = i + 1) begin : g_piece
            cipherwright_counter_move u_move (
                .clk(clk),
                .a(step_q),
                .b(low_ones),
                .c(mid_ones),
                .load(load_near),
                .q(move[i])
            );
            cipherwright_counter_copy u_load (
                .clk(clk),
                .d(load_near),
                .q(load_top[i])
            );
        end
        for (i = 8; i < 128; i = i + 1) begin : g_top
            if (i < COUNT) begin : g_counts
                always @(posedge clk)
                    if (move[i/PIECE])
                        top[i] <= load_top[i/PIECE] ? iv_2[i] : next[i-8];
            end else begin : g_stays
                always @(posedge clk) if (load_top[i/PIECE]) top[i] <= iv_2[i];
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
                next[3*i] <= now[3*i] ^ carry[i];
                next[3*i+1] <= now[3*i+1] ^ (now[3*i] & carry[i]);
                next[3*i+2] <= now[3*i+2] ^ (now[3*i+1] & now[3*i] & carry[i]);
                carry[i+1] <= carry[i] & now[3*i] & now[3*i+1] & now[3*i+2];
            end
        end
    endgenerate
    always @(posedge clk) begin
        carry[0] <= 1'b1;
        count_o <= {top, mid, low_2};
    end
`ifdef FORMAL
    assign f_o = {
        load_q,
        load_near,
        load_low,
        load_top,
        wait_q,
        last_a,
        last_b,
        last_q,
        idle_q,
        raise_q,
        given_q,
        wipe_q,
        iv_q,
        iv_2,
        iv_ones,
        step_q,
        move_low,
        low,
        low_2,
        low_ones,
        move_mid,
        mid,
        mid_next,
        mid_half,
        mid_half_2,
        mid_ones,
        move,
        valid_2,
        top,
        {{128 - 3 * PARTS{1'b0}}, next},
        {{127 - PARTS{1'b0}}, carry}
    };
`endif
endmodule

// A step; and whether a part moves. One flip-flop and the lookup table before it each, of which
// synthesis shares nothing with others.
(* keep_hierarchy = "yes" *)
module cipherwright_counter_step (
    input  wire clk,
    input  wire rst_i,
    input  wire step,
    input  wire open,
    input  wire loaded,
    input  wire drop,
    output reg  q
);
    always @(posedge clk) begin
        if (rst_i) q <= 1'b0;
        else q <= step & open & loaded & ~drop;
    end
endmodule

(* keep_hierarchy = "yes" *)
module cipherwright_counter_move (
    input  wire clk,
    input  wire a,
    input  wire b,
    input  wire c,
    input  wire load,
    output reg  q
);
    always @(posedge clk) q <= (a & b & c) | load;
endmodule

// One flip-flop of a busy signal. A module of its own, so that synthesis does not merge equal
// copies again.
(* keep_hierarchy = "yes" *)
module cipherwright_counter_copy (
    input  wire clk,
    input  wire d,
    output reg  q
);
    always @(posedge clk) q <= d;
endmodule
`default_nettype wire
