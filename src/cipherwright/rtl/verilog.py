"""The printer: the only place that knows Verilog syntax. A small Verilog-2005 subset, stable bytes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ..graph import OPS
from .module import Assign, Bits, DelayLine, Design, Instance, Module, Register

__all__ = ["concat", "print_design", "print_module"]

_WIDTH = 110
_MANY = 4


def _slices(bits: Bits) -> list[str]:
    """Pieces of a concatenation, most significant first; the caller knows signal widths only by name."""
    out: list[str] = []
    k = len(bits) - 1
    while k >= 0:
        name, i = bits[k]
        j = k
        if name == "":
            while j >= 0 and bits[j][0] == "":
                j -= 1
            value = "".join(str(b[1]) for b in reversed(bits[j + 1 : k + 1]))
            out.append(f"{len(value)}'b{value}")
        else:
            same = j - 1
            while same >= 0 and bits[same] == bits[k]:
                same -= 1
            if k - same > 2:
                out.append(f"{{{k - same}{{{name}[{i}]}}}}")
                j = same
            else:
                while j >= 0 and bits[j] == (name, i - (k - j)):
                    j -= 1
                low = i - (k - j) + 1
                out.append(f"{name}[{i}:{low}]" if low != i else f"{name}[{i}]")
        k = j
    return out


def concat(bits: Bits, widths: dict[str, int]) -> str:
    """An expression for the bits."""
    name = bits[0][0]
    if name and bits == tuple((name, k) for k in range(widths[name])):
        return name
    if name and widths[name] == 1 and len(bits) > 1 and len(set(bits)) == 1:
        return f"{{{len(bits)}{{{name}}}}}"
    parts = [p.removesuffix("[0]") if widths.get(p.removesuffix("[0]")) == 1 else p for p in _slices(bits)]
    parts = [p.replace("[0]}}", "}}") if p.startswith("{") and widths.get(p[p.index("{", 1) + 1 : p.index("[")]) == 1 else p for p in parts]
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _wrap(text: str, indent: str) -> str:
    lines = textwrap.wrap(text, _WIDTH, subsequent_indent=indent + "    ", initial_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def _lut_expression(table: int, args: list[str], scalar: list[bool], width: int) -> str:
    """A readable expression of a bitwise truth table (argument 0 is the top address bit)."""
    n = len(args)
    full = (1 << (1 << n)) - 1
    if table in (0, full):
        return f"{{{width}{{1'b{int(table == full)}}}}}"

    def spread(j: int) -> str:
        return f"{{{width}{{{args[j]}}}}}" if scalar[j] and width > 1 else args[j]

    def halves(j: int) -> tuple[int, int]:
        low = high = 0
        pos = 0
        for a in range(1 << n):
            if not a >> (n - 1 - j) & 1:
                low |= (table >> a & 1) << pos
                high |= (table >> (a | 1 << (n - 1 - j)) & 1) << pos
                pos += 1
        return low, high

    part = (1 << (1 << n - 1)) - 1

    def rest(j: int, t: int) -> str:
        text = _lut_expression(t, args[:j] + args[j + 1 :], scalar[:j] + scalar[j + 1 :], width)
        return text if text.replace("_", "").isalnum() else f"({text})"

    if n == 1:
        return spread(0) if table == 2 else f"~{spread(0)}"
    split = [halves(j) for j in range(n)]
    for j, (low, high) in enumerate(split):
        if low == high:
            return _lut_expression(low, args[:j] + args[j + 1 :], scalar[:j] + scalar[j + 1 :], width)
    for j, (low, high) in enumerate(split):
        if low == high ^ part:
            return f"{spread(j)} ^ {rest(j, low)}"
    for j, (low, high) in enumerate(split):
        for cond, form in (
            (low == 0, "{x} & {h}"), (high == 0, "~{x} & {l}"), (high == part, "{x} | {l}"), (low == part, "~{x} | {h}"),
        ):  # fmt: skip
            if cond:
                return form.format(x=spread(j), h=rest(j, high), l=rest(j, low))
    j = next((k for k in range(n) if scalar[k]), 0)
    low, high = split[j]
    if scalar[j] or width == 1:
        return f"{args[j]} ? {rest(j, high)} : {rest(j, low)}"
    return f"({spread(j)} & {rest(j, high)}) | (~{spread(j)} & {rest(j, low)})"


def _assign(a: Assign, widths: dict[str, int], ports: set[str]) -> Iterable[str]:
    head = f"assign {a.name}" if a.name in ports else f"wire {_range(a.width)}{a.name}"
    args = [concat(o, widths) for o in a.operands]
    if a.op == "wire":
        yield _wrap(f"{head} = {args[0]};", "    ")
    elif a.op == "lookup":
        yield from _case(a, args[0], ports)
    elif a.op == "linear":
        digits = [f"^({args[0]} & {len(a.operands[0])}'h{row:x})" for row in a.attr[1]]
        yield _wrap(f"{head} = {{{', '.join(digits)}}};", "    ")
    elif a.op == "lut4":
        if a.name not in ports:
            yield f"    wire {a.name};"
        n, full = len(a.operands), 0
        for x in range(16):  # unused address bits repeat the table
            full |= (a.attr >> (x & (1 << n) - 1) & 1) << x
        address = concat(tuple(o[0] for o in reversed(a.operands)), widths)
        pad = f"{{{4 - n}'b0, {address}}}" if n < 4 else address
        yield f"    cipherwright_lut4 #(.INIT(16'h{full:04x})) u_{a.name} (.a({pad}), .y({a.name}));"
    elif a.op in ("muxf5", "muxf6"):
        if a.name not in ports:
            yield f"    wire {a.name};"
        yield f"    cipherwright_{a.op} u_{a.name} (.a0({args[2]}), .a1({args[1]}), .s({args[0]}), .y({a.name}));"
    elif a.op == "lut" and a.width == 1 and len(a.operands) > 3:
        table = f"{a.name.upper()}_LUT"
        size = 1 << len(a.operands)
        yield f"    localparam [{size - 1}:0] {table} = {size}'h{a.attr:0{size // 4}x};"
        address = concat(tuple(o[0] for o in reversed(a.operands)), widths)
        yield _wrap(f"{head} = {table}[{address}];", "    ")
    elif a.op == "lut":
        scalar = [len(o) == 1 for o in a.operands]
        for j, text in enumerate(args):
            if len({name for name, _ in a.operands[j]}) > _MANY:  # gathered from many signals: said once, with a name
                args[j] = f"{a.name}_in{j}"
                yield _wrap(f"wire {_range(len(a.operands[j]))}{args[j]} = {text};", "    ")
        yield _wrap(f"{head} = {_lut_expression(a.attr, args, scalar, a.width)};", "    ")
    else:
        template = OPS[a.op].verilog
        assert template is not None, a.op
        yield _wrap(f"{head} = {template.format(*args)};", "    ")


def _case(a: Assign, address: str, ports: set[str]) -> Iterable[str]:
    """A table as a complete case statement, four entries a line."""
    n, t = len(a.operands[0]), a.attr
    assert a.name in ports, "a table stands in a module of its own"
    yield "    always @* begin"
    yield f"        case ({address})"
    digits = -(-t.width // 4)
    for x, e in enumerate(t.entries):
        yield f"            {n}'d{x}: {a.name} = {t.width}'h{e:0{digits}x};"
    yield "        endcase"
    yield "    end"


def _instance(i: Instance, widths: dict[str, int]) -> Iterable[str]:
    for _, signal, width in i.outputs:
        yield f"    wire {_range(width)}{signal};"
    yield f"    {i.module} {i.name} ("
    lines = [_wrap(f".{port}({concat(bits, widths)})", "        ") for port, bits in i.inputs]
    lines += [f"        .{port}({signal})" for port, signal, _ in i.outputs]
    yield ",\n".join(lines)
    yield "    );"


def _registers(items: list[Register], widths: dict[str, int]) -> Iterable[str]:
    ranks = sorted({r.rank for r in items})
    for rank in ranks:
        here = [r for r in items if r.rank == rank]
        yield ""
        yield f"    // Rank {rank}: {sum(len(r.data) for r in here)} flip-flops."
        for r in here:
            if r.keep:
                yield f"    cipherwright_copy u_{r.name} (.clk(clk), .d({concat(r.data, widths)}), .q({r.name}));"
        here = [r for r in here if not r.keep]
        if not here:
            continue
        yield "    always @(posedge clk) begin"
        for r in here:
            value = concat(r.data, widths)
            if r.reset:
                value = f"rst_i ? {len(r.data)}'d0 : {value}"
            yield _wrap(f"{r.name} <= {value};", "        ")
        yield "    end"


def _widths(m: Module) -> dict[str, int]:
    out = {p.name: p.width for p in m.ports}
    for i in m.items:
        if isinstance(i, Assign):
            out[i.name] = i.width
        elif isinstance(i, Instance):
            out.update({signal: width for _, signal, width in i.outputs})
        else:
            out[i.name] = len(i.data)
    return out


def print_module(m: Module) -> str:
    """One module's text."""
    widths, ports = _widths(m), {p.name for p in m.ports}
    variable = {i.name for i in m.items if isinstance(i, Assign) and i.op == "lookup"}
    lines = [f"// {c}" for c in m.comment]
    lines.append(f"module {m.name} (")
    kind = {"input": "input  wire", "output": "output wire"}
    rows = []
    for k, p in enumerate(m.ports):
        row = f"    {'output reg ' if p.name in variable else kind[p.direction]} {_range(p.width)}{p.name}" + "," * (k + 1 < len(m.ports))
        if p.partly:
            row = f"    // Lint: the cipher ignores some bits of this port.\n    // verilator lint_off UNUSEDSIGNAL\n{row}\n    // verilator lint_on UNUSEDSIGNAL"
        rows.append(row)
    lines += rows
    lines.append(");")
    # Registers are declared before the logic that reads them; Verilog wants names before use.
    registers = [i for i in m.items if isinstance(i, Register)]
    lines += _ordered(m, registers, widths, ports)
    lines.append("endmodule")
    return "\n".join(lines) + "\n"


def _ordered(m: Module, registers: list[Register], widths: dict[str, int], ports: set[str]) -> list[str]:
    """Instances stage by stage, each followed by the registers of its rank; loops declare registers first."""
    lines: list[str] = []
    if not registers and not any(isinstance(i, DelayLine) for i in m.items):
        for item in m.items:
            lines += _assign(item, widths, ports) if isinstance(item, Assign) else _instance(item, widths)  # type: ignore[arg-type]
        return lines
    for r in sorted(registers, key=lambda r: r.rank):
        lines.append(f"    {'wire' if r.keep else 'reg'} {_range(len(r.data))}{r.name};")
    for item in m.items:
        if isinstance(item, DelayLine):
            lines.append(f"    wire {_range(len(item.data))}{item.name};")
    for item in m.items:
        if isinstance(item, Instance):
            lines.append("")
            lines += _instance(item, widths)
    for item in m.items:
        if isinstance(item, DelayLine):
            w, d = len(item.data), item.depth
            lines.append("")
            lines.append(_wrap(f"cipherwright_delay_line #(.WIDTH({w}), .DEPTH({d})) u_{item.name} (.clk(clk), .d({concat(item.data, widths)}), .q({item.name}));", "    "))
    lines += _registers(registers, widths)
    lines.append("")
    for item in m.items:
        if isinstance(item, Assign):
            lines += _assign(item, widths, ports)
    return lines


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
module cipherwright_{name} (
    input  wire a0,
    input  wire a1,
    input  wire s,
    output wire y
);
    assign y = s ? a1 : a0;
endmodule
"""

DELAY_LINE = """\
// A delay of DEPTH cycles. With CIPHERWRIGHT_SRL16 defined, shift-register LUTs of Xilinx devices; with
// CIPHERWRIGHT_RAM_DELAY, rings of up to 16 words of distributed RAM, each with a register behind it; otherwise the same
// behaviour in plain Verilog.
module cipherwright_delay_line #(
    parameter WIDTH = 1,
    parameter DEPTH = 2
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
    localparam RINGS = (DEPTH + 16) / 17;
    genvar r;
    generate
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
    endgenerate
`else
    reg [WIDTH*DEPTH-1:0] line;
    always @(posedge clk) line <= {line[WIDTH*(DEPTH-1)-1:0], d};
    assign q = line[WIDTH*DEPTH-1:WIDTH*(DEPTH-1)];
`endif
endmodule
"""


def print_design(design: Design, header: Iterable[str]) -> str:
    """All modules behind a header of comment lines. The text depends on the design and the header alone."""
    head = "".join(f"// {line}".rstrip() + "\n" for line in header)
    parts = [print_module(m) for m in design.modules]
    if design.delay_lines():
        parts.insert(0, DELAY_LINE)
    used = {i.op for m in design.modules for i in m.items if isinstance(i, Assign)}
    for name, what in (("muxf6", "multiplexer of two LUT5s in a logic block"), ("muxf5", "multiplexer of two LUT4s in a logic block")):
        if name in used:
            parts.insert(0, MUX.format(name=name, what=what))
    if "lut4" in used:
        parts.insert(0, LUT4)
    if any(isinstance(i, Register) and i.keep for m in design.modules for i in m.items):
        parts.insert(0, COPY)
    return head + "`default_nettype none\n\n" + "\n".join(parts) + "\n`default_nettype wire\n"

