"""Modules that the printer puts beside a core: cells that synthesis is to leave alone, and delay lines. A
core renames them (`wrap.own_names`); the attribute `cipherwright` says what a cell is, under any name.
"""

from .timer import TAPS, matches, steps_of, width_for

__all__ = [
    "COPY",
    "FULL_ADDER",
    "LUT4",
    "MUX",
    "XOR5",
    "copy_reset",
    "delay_piece",
    "valid_line",
]

_EDGE = " or posedge rst_i"
"""What a block of registers follows beside the clock, where its reset is asynchronous."""

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

_COPY_RESET = """\
// The same with a{kind} reset, which a flip-flop has without a lookup table.
(* keep_hierarchy = "yes" *)
module cipherwright_copy_reset (
    input  wire clk,
    input  wire rst_i,
    input  wire d,
    output reg  q
);
    always @(posedge clk{edge}) {step}
endmodule
"""


def copy_reset(asynchronous: bool) -> str:
    """The module of one flip-flop with a reset; `asynchronous`: rst_i clears it at once, not at the clock."""
    if asynchronous:
        return _COPY_RESET.format(
            kind="n asynchronous", edge=_EDGE, step="if (rst_i) q <= 1'b0; else q <= d;"
        )
    return _COPY_RESET.format(kind=" synchronous", edge="", step="q <= rst_i ? 1'b0 : d;")


LUT4 = """\
// One four-input lookup table: y = INIT[a]. Flows for fabrics with LUT4s replace it by the device's own \
cell, so that
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
// LUT4s, each with the XOR gate of its slice behind it: the sum of five words. Replaced by the device's \
own cells like
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

_DELAY_LINE = """\
// A delay of DEPTH cycles: WIDTH shift registers. Replaced by the device's shift-register LUTs like \
cipherwright_lut4.
(* cipherwright = "delay_line" *)
module cipherwright_delay_line #(
    parameter WIDTH = 1,
    parameter DEPTH = 2
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
    reg [WIDTH*DEPTH-1:0] line;
    always @(posedge clk) line <= {line[WIDTH*(DEPTH-1)-1:0], d};
    assign q = line[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
endmodule
"""

_DELAY_RING = """\
// A delay of WORDS + 1 cycles: a ring of 1 to 16 words of distributed RAM, and a register behind it.
(* cipherwright = "delay_ring" *)
module cipherwright_delay_ring #(
    parameter integer WIDTH = 1,
    parameter integer WORDS = 16
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
    localparam [3:0] LAST = WORDS[3:0] - 4'd1;
    reg [3:0] at;
    initial at = 4'd0;
    reg [WIDTH-1:0] words [0:15];
    reg [WIDTH-1:0] behind;
COUNTER
        behind <= words[at];
        words[at] <= d;
    end
    assign q = behind;
endmodule
"""

_DELAY_BLOCK = """\
// A delay of DEPTH cycles, 3 or more: a ring of block RAM, whose output register is the last cycle. Its \
places are used in the order
// of a shift register with feedback, so an address takes one lookup table a bit and no carry. Both \
addresses are registers.
(* cipherwright = "delay_block" *)
module cipherwright_delay_block #(
    parameter integer WIDTH = 1,
    parameter integer DEPTH = 3,
    parameter integer BITS = 3,  // of an address: more than DEPTH - 1 values
    parameter integer TAP = 2    // the bit, counted from 1, that is fed back beside the last
) (
    input  wire             clk,
    input  wire             rst_i,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
    // The place `steps` after place 0.
    function [BITS-1:0] place(input integer steps);
        integer k;
        begin
            place = {BITS{1'b0}};
            for (k = 0; k < steps; k = k + 1) place = {place[BITS-2:0], ~(place[BITS-1] ^ place[TAP-1])};
        end
    endfunction
    localparam integer PLACES = DEPTH - 1;
    localparam integer PIECES = (BITS + 2) / 3;
    localparam [BITS-1:0] SECOND = place(1);
    localparam [BITS-1:0] EARLY = place((2 * PLACES - 3) % PLACES);  // two places before the last
    localparam [BITS-1:0] PIECE = 7;
    localparam LAST_IS_SECOND = PLACES == 2;
    localparam EARLY_IS_FIRST = PLACES == 3;
    reg [BITS-1:0] at, next;  // places to write and to read
    reg [PIECES-1:0] match;   // pieces of the place that was read before `next` are those of EARLY
    reg wrap;                 // `next` is the last place
    initial at = {BITS{1'b0}};
    initial next = SECOND;
    initial match = {PIECES{EARLY_IS_FIRST}};
    initial wrap = LAST_IS_SECOND;
    (* ram_style = "block", no_rw_check *) reg [WIDTH-1:0] words [0:(1<<BITS)-1];
    reg [WIDTH-1:0] oldest, behind;
    integer i;
COUNTER
        oldest <= words[next];
        words[at] <= d;
        behind <= oldest;
    end
    assign q = behind;
endmodule
"""


_COUNTERS = {
    ("ring", False): """\
    always @(posedge clk) begin
        at <= (rst_i || at == LAST) ? 4'd0 : at + 4'd1;
""",
    ("ring", True): """\
    always @(posedge clk or posedge rst_i) begin
        if (rst_i) at <= 4'd0;
        else at <= at == LAST ? 4'd0 : at + 4'd1;
    end
    // What is in the memory at a reset is shown by nothing.
    always @(posedge clk) begin
""",
    ("block", False): """\
    always @(posedge clk) begin
        at <= rst_i ? {BITS{1'b0}} : next;
        next <= rst_i ? SECOND : wrap ? {BITS{1'b0}} : {next[BITS-2:0], ~(next[BITS-1] ^ next[TAP-1])};
        for (i = 0; i < PIECES; i = i + 1)
            match[i] <= rst_i ? EARLY_IS_FIRST : ((next ^ EARLY) & (PIECE << (3 * i))) == {BITS{1'b0}};
        wrap <= rst_i ? LAST_IS_SECOND : &match;
""",
    ("block", True): """\
    always @(posedge clk or posedge rst_i) begin
        if (rst_i) begin
            at <= {BITS{1'b0}};
            next <= SECOND;
            match <= {PIECES{EARLY_IS_FIRST}};
            wrap <= LAST_IS_SECOND;
        end else begin
            at <= next;
            next <= wrap ? {BITS{1'b0}} : {next[BITS-2:0], ~(next[BITS-1] ^ next[TAP-1])};
            for (i = 0; i < PIECES; i = i + 1)
                match[i] <= ((next ^ EARLY) & (PIECE << (3 * i))) == {BITS{1'b0}};
            wrap <= &match;
        end
    end
    // What is in the memory at a reset is shown by nothing.
    always @(posedge clk) begin
""",
}
"""How the places of a ring's memory are counted: the kind of ring, and whether its reset is asynchronous."""


def delay_piece(kind: str, asynchronous: bool = False) -> str:
    """The module of a piece of a delay line, of a `kind` that `module.DelayLine.pieces` names; with
    `asynchronous` rst_i clears its counter at once.
    """
    if kind == "line":
        return _DELAY_LINE
    text = {"ring": _DELAY_RING, "block": _DELAY_BLOCK}[kind]
    return text.replace("COUNTER\n", _COUNTERS[kind, asynchronous])


def valid_line(depth: int, asynchronous: bool = False, shift: bool = False) -> str:
    """The module of a valid bit `depth` cycles later, 5 or more: see `module.ValidLine`. What is inside at
    a reset has left when the time since is `depth` cycles; the time starts at 0, which is what registers
    of an FPGA hold at power-up. `asynchronous`: rst_i clears the time and what comes out at once. `shift`:
    what is inside is in a `delay_piece` of the kind "line", whose module stands beside this one.
    """
    width = width_for(depth)
    found = matches(width, steps_of(width, depth - 3, 0, True))
    pieces = len(found)
    rows = "".join(f"            match_q[{i}] <= {match};\n" for i, match in enumerate(found))
    rank = "always @(posedge clk)"
    if shift:
        pins = "(.clk(clk), .d(d), .q(last))"
        kept, last, moves = "wire last;", "last", ""
        before = f"cipherwright_delay_line #(.WIDTH(1), .DEPTH({depth - 1})) u_line {pins};\n    "
    else:
        kept, last, before = f"reg [{depth - 2}:0] line;", f"line[{depth - 2}]", ""
        moves = f"line <= {{line[{depth - 3}:0], d}};"
    shown = f"q <= {'' if asynchronous else '~rst_i & '}left_q & {last};"
    if asynchronous:
        before += f"{rank} {moves}\n    " if moves else ""
        before += f"always @(posedge clk{_EDGE}) begin"
        cleared, taken = "\n            q <= 1'b0;", f"\n            {shown}"
    else:
        before += "\n        ".join([f"{rank} begin", *filter(None, [moves]), shown])
        cleared = taken = ""
    return f"""\
// A valid bit {depth} cycles later. The registers in between have no reset: after one, what comes out is 0 \
until all that was inside has left.
(* cipherwright = "delay_valid" *)
module cipherwright_delay_valid_{depth} (
    input  wire clk,
    input  wire rst_i,
    input  wire d,
    output reg  q
);
    {kept}
    reg [{width - 1}:0] time_q;  // since reset: a shift register with feedback
    reg [{pieces - 1}:0] match_q;
    reg left_q;
    {before}
        if (rst_i) begin{cleared}
            time_q <= {width}'d0;
            match_q <= {pieces}'d0;
            left_q <= 1'b0;
        end else begin{taken}
            time_q <= {{time_q[{width - 2}:0], ~(time_q[{width - 1}] ^ time_q[{TAPS[width] - 1}])}};
{rows}            left_q <= left_q | (&match_q);
        end
    end
endmodule
"""
