"""Modules that the printer puts beside a core: cells that synthesis is to leave alone, and delay lines. A core renames them
(`wrap.own_names`); the attribute `cipherwright` says what a cell is, under any name."""

__all__ = ["COPY", "DELAY_LINE", "FULL_ADDER", "LUT4", "MUX", "XOR5"]

COPY = """\
// One flip-flop of a busy signal. A module of its own, so that synthesis does not merge equal copies again.
(* keep_hierarchy = "yes" *)
module cipherwright_copy (
    input  wire clk,
    input  wire d,
    output reg  q
);
    always @(posedge clk) q <= d;
endmodule
"""

LUT4 = """\
// One four-input lookup table: y = INIT[a]. Flows for fabrics with LUT4s replace it by the device's own cell, so that
// synthesis keeps the structure; this behaviour serves simulators and other flows.
(* cipherwright = "lut4" *)
module cipherwright_lut4 #(
    parameter [15:0] INIT = 16'h0000
) (
    input  wire [3:0] a,
    output wire       y
);
    assign y = INIT[a];
endmodule
"""

MUX = """\
// The {what}: y = s ? a1 : a0. Replaced by the device's own cell like cipherwright_lut4.
(* cipherwright = "{name}" *)
module cipherwright_{name} (
    input  wire a0,
    input  wire a1,
    input  wire s,
    output wire y
);
    assign y = s ? a1 : a0;
endmodule
"""

FULL_ADDER = """\
// The sum of three bits, carry at the top. Replaced by the library's own cell like cipherwright_lut4.
(* cipherwright = "full_adder" *)
module cipherwright_full_adder (
    input  wire       a,
    input  wire       b,
    input  wire       c,
    output wire [1:0] y
);
    assign y = {(a & b) | (c & (a | b)), a ^ b ^ c};
endmodule
"""

XOR5 = """\
// LUT4s, each with the XOR gate of its slice behind it: the sum of five words. Replaced by the device's own cells like
// cipherwright_lut4.
(* cipherwright = "xor5" *)
module cipherwright_xor5 #(
    parameter WIDTH = 1
) (
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    input  wire [WIDTH-1:0] c,
    input  wire [WIDTH-1:0] d,
    input  wire [WIDTH-1:0] e,
    output wire [WIDTH-1:0] y
);
    assign y = a ^ b ^ c ^ d ^ e;
endmodule
"""

DELAY_LINE = """\
// A delay of DEPTH cycles. With CIPHERWRIGHT_SRL16 defined, shift-register LUTs of Xilinx devices; with
// CIPHERWRIGHT_RAM_DELAY, rings of up to 16 words of distributed RAM, each with a register behind it, or with BLOCK one
// ring of block RAM, whose output register is the last cycle; otherwise the same behaviour in plain Verilog.
module cipherwright_delay_line #(
    parameter WIDTH = 1,
    parameter DEPTH = 2,
    // Lint: only the form in RAM reads it.
    // verilator lint_off UNUSEDPARAM
    parameter BLOCK = 0
    // verilator lint_on UNUSEDPARAM
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
`ifdef CIPHERWRIGHT_SRL16
    localparam LINES = (DEPTH + 15) / 16;
    genvar i, j;
    generate
        for (i = 0; i < WIDTH; i = i + 1) begin : g_bit
            wire [LINES:0] tap;
            assign tap[0] = d[i];
            assign q[i] = tap[LINES];
            for (j = 0; j < LINES; j = j + 1) begin : g_line
                localparam [3:0] LAST = (j == LINES - 1) ? (DEPTH - 1) % 16 : 15;
                SRL16E u_srl (
                    .CLK(clk), .CE(1'b1), .D(tap[j]), .Q(tap[j+1]),
                    .A0(LAST[0]), .A1(LAST[1]), .A2(LAST[2]), .A3(LAST[3])
                );
            end
        end
    endgenerate
`elsif CIPHERWRIGHT_RAM_DELAY
    localparam IN_BLOCK = BLOCK != 0 && DEPTH > 2;
    localparam RINGS = IN_BLOCK ? 0 : (DEPTH + 16) / 17;
    genvar r;
    generate
        if (IN_BLOCK) begin : g_block
            localparam BITS = $clog2(DEPTH - 1);
            localparam [BITS-1:0] LAST = DEPTH - 2;
            reg [BITS-1:0] at = 0;
            wire [BITS-1:0] next = (at == LAST) ? {BITS{1'b0}} : at + 1'b1;
            (* ram_style = "block" *) reg [WIDTH-1:0] words [0:DEPTH-2];
            reg [WIDTH-1:0] oldest, behind;
            always @(posedge clk) begin
                at <= next;
                oldest <= words[next];
                words[at] <= d;
                behind <= oldest;
            end
            assign q = behind;
        end else begin : g_rings
        wire [WIDTH*(RINGS+1)-1:0] tap;
        assign tap[WIDTH-1:0] = d;
        assign q = tap[WIDTH*(RINGS+1)-1:WIDTH*RINGS];
        for (r = 0; r < RINGS; r = r + 1) begin : g_ring
            localparam WORDS = (r == RINGS - 1) ? DEPTH - 17 * (RINGS - 1) - 1 : 16;
            reg [WIDTH-1:0] behind;
            assign tap[WIDTH*(r+1) +: WIDTH] = behind;
            if (WORDS == 0) begin : g_register
                always @(posedge clk) behind <= tap[WIDTH*r +: WIDTH];
            end else begin : g_ram
                localparam [4:0] LAST = WORDS - 1;
                reg [3:0] at = 4'd0;
                reg [WIDTH-1:0] words [0:15];
                always @(posedge clk) begin
                    at <= (at == LAST[3:0]) ? 4'd0 : at + 4'd1;
                    behind <= words[at];
                    words[at] <= tap[WIDTH*r +: WIDTH];
                end
            end
        end
        end
    endgenerate
`else
    reg [WIDTH*DEPTH-1:0] line;
    always @(posedge clk) line <= {line[WIDTH*(DEPTH-1)-1:0], d};
    assign q = line[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
`endif
endmodule
"""
