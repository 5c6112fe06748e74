"""The printer: the only place that knows Verilog syntax. A small Verilog-2005 subset, stable bytes."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from ..graph import OPS
from .cells import (
    COPY,
    COPY_RESET,
    DELAY_BLOCK,
    DELAY_LINE,
    DELAY_RING,
    FULL_ADDER,
    LUT4,
    MUX,
    XOR5,
    valid_line,
)
from .module import (
    Assign,
    Bits,
    Comment,
    DelayLine,
    Design,
    Instance,
    Item,
    Memory,
    Module,
    Register,
    ValidLine,
    bits_read,
)
from .ports import Pin
from .wrapper import Box, Cell, Clocked, Drive, Let, Note, Reg, Step, Store, Wire, Wrapper, WrapperItem

__all__ = ["concat", "print_any", "print_box", "print_design", "print_module", "print_wrapper"]

_WIDTH = 99
"""Columns of a line, and one more for the comma that may follow."""
_MANY = 4

_Kept = Register | DelayLine | ValidLine


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
    parts = [
        p.replace("[0]}}", "}}")
        if p.startswith("{") and widths.get(p[p.index("{", 1) + 1 : p.index("[")]) == 1
        else p
        for p in parts
    ]
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _wrap(text: str, indent: str, more: str = "    ") -> str:
    """The text in lines of _WIDTH columns; lines after the first begin with `indent` and `more`."""
    lines = textwrap.wrap(
        text,
        _WIDTH,
        subsequent_indent=indent + more,
        initial_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _packed(pieces: Iterable[str], indent: str) -> str:
    """Pieces between commas, as many a line as fit; a longer piece has lines of its own."""
    lines: list[str] = []
    for piece in pieces:
        if lines and "\n" not in lines[-1] and len(lines[-1]) + len(piece) + 3 <= _WIDTH:
            lines[-1] += f", {piece}"
        else:
            lines.append(_wrap(piece, indent) if len(indent) + len(piece) >= _WIDTH else indent + piece)
    return ",\n".join(lines)


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
            (low == 0, "{x} & {h}"),
            (high == 0, "~{x} & {l}"),
            (high == part, "{x} | {l}"),
            (low == part, "~{x} | {h}"),
        ):
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
    elif a.op == "entry":
        yield f"    {head} = {a.attr}[{args[0]}];"
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
        yield (
            f"    cipherwright_{a.op} u_{a.name} (.a0({args[2]}), .a1({args[1]}), .s({args[0]}), "
            f".y({a.name}));"
        )
    elif a.op == "full_adder":
        yield f"    wire [1:0] {a.name};"
        yield (
            f"    cipherwright_full_adder u_{a.name} (.a({args[0]}), .b({args[1]}), .c({args[2]}), "
            f".y({a.name}));"
        )
    elif a.op == "xor5":
        if a.name not in ports:
            yield f"    wire {_range(a.width)}{a.name};"
        pins = ", ".join(f".{p}({x})" for p, x in zip("abcde", args, strict=True))
        yield _wrap(f"cipherwright_xor5 #(.WIDTH({a.width})) u_{a.name} ({pins}, .y({a.name}));", "    ")
    elif a.op == "lut" and a.width == 1 and len(a.operands) > 3:
        table = f"{a.name.upper()}_LUT"
        size = 1 << len(a.operands)
        yield f"    localparam [{size - 1}:0] {table} = {size}'h{a.attr:0{size // 4}x};"
        address = concat(tuple(o[0] for o in reversed(a.operands)), widths)
        yield _wrap(f"{head} = {table}[{address}];", "    ")
    elif a.op == "lut":
        scalar = [len(o) == 1 for o in a.operands]
        for j, text in enumerate(args):
            if (
                len({name for name, _ in a.operands[j]}) > _MANY
            ):  # gathered from many signals: said once, with a name
                args[j] = f"{a.name}_in{j}"
                yield _wrap(f"wire {_range(len(a.operands[j]))}{args[j]} = {text};", "    ")
        yield _wrap(f"{head} = {_lut_expression(a.attr, args, scalar, a.width)};", "    ")
    else:
        template = OPS[a.op].verilog
        assert template is not None, a.op
        yield _wrap(f"{head} = {template.format(*args)};", "    ")


def _case(a: Assign, address: str, ports: set[str]) -> Iterable[str]:
    """A table as a complete case statement in a function: a continuous assignment has its value from the
    start, while an
    `always @*` waits in some simulators until an input changes.
    """
    n, t = len(a.operands[0]), a.attr
    yield f"    function {_range(t.width)}entry;"
    yield f"        input {_range(n)}address;"
    yield "        case (address)"
    digits = -(-t.width // 4)
    common, times = Counter(t.entries).most_common(1)[0]
    usual = common if 2 * times > len(t.entries) else None  # what most entries are is said once
    for x, e in enumerate(t.entries):
        if e != usual:
            last = usual is None and x == len(t.entries) - 1
            label = "default" if last else f"{n}'d{x}"
            yield f"            {label}: entry = {t.width}'h{e:0{digits}x};"
    if usual is not None:
        yield f"            default: entry = {t.width}'h{usual:0{digits}x};"
    yield "        endcase"
    yield "    endfunction"
    yield (
        f"    {'assign' if a.name in ports else 'wire'} "
        f"{'' if a.name in ports else _range(t.width)}{a.name} = entry({address});"
    )


def _lint_off(line: str, reason: str) -> str:
    """A declaration of which lint must accept that some bits are not read."""
    return (
        f"    // Lint: {reason}\n    // verilator lint_off UNUSEDSIGNAL\n{line}\n    // verilator "
        f"lint_on UNUSEDSIGNAL"
    )


def _instance(i: Instance, widths: dict[str, int], partly: set[str]) -> Iterable[str]:
    for _, signal, width in i.outputs:
        line = f"    wire {_range(width)}{signal};"
        yield _lint_off(line, "nobody reads some bits of this word.") if signal in partly else line
    yield f"    {i.module} {i.name} ("
    pins = [f".{port}({concat(bits, widths)})" for port, bits in i.inputs]
    yield _packed([*pins, *(f".{port}({signal})" for port, signal, _ in i.outputs)], "        ")
    yield "    );"


def _memory(i: Memory) -> Iterable[str]:
    """A table as an array with initial contents, four entries a line."""
    t, digits = i.table, -(-i.table.width // 4)
    yield f'    (* rom_style = "block" *) reg {_range(t.width)}{i.name} [0:{len(t.entries) - 1}];'
    yield "    initial begin"
    for x in range(0, len(t.entries), _MANY):
        yield "        " + " ".join(
            f"{i.name}[{x + k}] = {t.width}'h{e:0{digits}x};" for k, e in enumerate(t.entries[x : x + _MANY])
        )
    yield "    end"


def _delay_line(item: DelayLine, data: str, reset: str) -> Iterable[str]:
    """The pieces of a delay line in a row; the last drives its signal, which is declared before."""
    width, pieces = len(item.data), item.pieces()
    for j, (kind, depth) in enumerate(pieces):
        last = j == len(pieces) - 1
        out = item.name if last else f"{item.name}_piece{j + 1}"
        if not last:
            yield f"    wire {_range(width)}{out};"
        if kind == "register":
            yield f"    always @(posedge clk) {out} <= {data};"
        else:
            size = f".WORDS({depth - 1})" if kind == "ring" else f".DEPTH({depth})"
            clocks = ".clk(clk)" if kind == "line" else f".clk(clk), .rst_i({reset})"
            yield _wrap(
                (
                    f"cipherwright_delay_{kind} #(.WIDTH({width}), {size}) u_{out} ({clocks}, .d({data}), "
                    f".q({out}));"
                ),
                "    ",
            )
        data = out


def _registers(items: list[Register], widths: dict[str, int], declare: bool) -> Iterable[str]:
    """Registers of one rank; `declare`: they are not declared yet."""
    yield f"    // Rank {items[0].rank}: {sum(len(r.data) for r in items)} flip-flops."
    if declare:
        yield from _declared(items)
    for r in items:
        if r.keep:
            value = concat(r.data, widths)
            cell, reset = ("copy_reset", ".rst_i(rst_i), ") if r.reset else ("copy", "")
            yield f"    cipherwright_{cell} u_{r.name} (.clk(clk), {reset}.d({value}), .q({r.name}));"
    here = [r for r in items if not r.keep]
    if not here:
        return
    yield "    always @(posedge clk) begin"
    for r in here:
        value = concat(r.data, widths)
        if r.clear:
            value = f"{concat((r.clear,), widths)} ? {len(r.data)}'d0 : {value}"
        if r.reset:
            value = f"rst_i ? {len(r.data)}'d0 : {value}"
        yield _wrap(f"{r.name} <= {value};", "        ")
    yield "    end"


def _declared(items: Iterable[_Kept]) -> Iterable[str]:
    """Declarations of registers by rank, and of delay lines."""
    for i in sorted(items, key=lambda r: r.rank if isinstance(r, Register) else 1 << 30):
        register = not i.keep if isinstance(i, Register) else False
        if isinstance(i, DelayLine):
            register = i.pieces()[-1][0] == "register"
        yield f"    {'reg' if register else 'wire'} {_range(len(i.data))}{i.name};"


def _widths(m: Module) -> dict[str, int]:
    out = {p.name: p.width for p in m.ports}
    for i in m.items:
        if isinstance(i, Assign):
            out[i.name] = i.width
        elif isinstance(i, Instance):
            out.update({signal: width for _, signal, width in i.outputs})
        elif isinstance(i, Memory):
            out[i.name] = i.table.width
        elif not isinstance(i, Comment):
            out[i.name] = len(i.data)
    return out


def print_module(m: Module) -> str:
    """One module's text."""
    widths, ports = _widths(m), {p.name for p in m.ports}
    lines = [f"// {c}" for c in m.comment]
    lines.append(f"module {m.name} (")
    kind = {"input": "input  wire", "output": "output wire"}
    rows = [
        f"    {kind[p.direction]} {_range(p.width)}{p.name}" + "," * (k + 1 < len(m.ports))
        for k, p in enumerate(m.ports)
    ]
    for partly, group in groupby(zip(m.ports, rows, strict=True), key=lambda pair: pair[0].partly):
        text = "\n".join(row for _, row in group)
        lines.append(_lint_off(text, "the cipher ignores some bits of these ports.") if partly else text)
    lines.append(");")
    lines += _body(m, widths, ports)
    lines.append("endmodule")
    return "\n".join(lines) + "\n"


def _body(m: Module, widths: dict[str, int], ports: set[str]) -> Iterable[str]:
    """The items in their order. Verilog wants names before use: registers are declared where they stand, or
    first of all where one is read above.
    """
    partly, first = m.partly_read(), m.device or _reads_ahead(m)
    ranked = [i for i in m.items if isinstance(i, _Kept)]
    if first:
        yield from _declared(ranked)
    for same, group in groupby(m.items, key=lambda i: (type(i), getattr(i, "rank", 0))):
        items = list(group)
        if ranked and same[0] is not Instance:
            yield ""
        if same[0] is Register:
            yield from _registers([i for i in items if isinstance(i, Register)], widths, not first)
            continue
        for item in items:
            if isinstance(item, _Kept) and not first:
                yield from _declared([item])
            if isinstance(item, Instance):
                yield from _instance(item, widths, partly)
            else:
                yield from _item(item, widths, ports)


def _reads_ahead(m: Module) -> bool:
    """Whether an item reads a register, or what a delay line gives, that stands below it."""
    below = {i.name for i in m.items if isinstance(i, _Kept)}
    for item in m.items:
        if any(name in below for name, _ in bits_read(item)):
            return True
        if isinstance(item, _Kept):
            below.discard(item.name)
    return False


def _item(item: Item, widths: dict[str, int], ports: set[str]) -> Iterable[str]:
    """One item that is neither a register nor an instance."""
    match item:
        case Assign():
            yield from _assign(item, widths, ports)
        case Memory():
            yield from _memory(item)
        case DelayLine():
            yield from _delay_line(item, concat(item.data, widths), "rst_i" if "rst_i" in ports else "1'b0")
        case ValidLine():
            pins = f".clk(clk), .rst_i(rst_i), .d({concat(item.data, widths)}), .q({item.name})"
            yield _wrap(f"cipherwright_delay_valid_{item.depth} u_{item.name} ({pins});", "    ")
        case Comment():
            yield _wrap(item.text[:1].upper() + item.text[1:] + ".", "    // ", "")


def print_design(design: Design) -> str:
    """All modules. The text depends on the design alone."""
    parts = [print_module(m) for m in design.modules]
    lines = {
        kind for m in design.modules for i in m.items if isinstance(i, DelayLine) for kind, _ in i.pieces()
    }
    for kind, text in (("line", DELAY_LINE), ("ring", DELAY_RING), ("block", DELAY_BLOCK)):
        if kind in lines:
            parts.insert(0, text)
    parts[:0] = [
        valid_line(depth)
        for depth in sorted({i.depth for m in design.modules for i in m.items if isinstance(i, ValidLine)})
    ]
    used = {i.op for m in design.modules for i in m.items if isinstance(i, Assign)}
    for name, what in (
        ("muxf6", "multiplexer of two LUT5s in a logic block"),
        ("muxf5", "multiplexer of two LUT4s in a logic block"),
    ):
        if name in used:
            parts.insert(0, MUX.format(name=name, what=what))
    if "full_adder" in used:
        parts.insert(0, FULL_ADDER)
    if "xor5" in used:
        parts.insert(0, XOR5)
    if "lut4" in used:
        parts.insert(0, LUT4)
    copied = {i.reset for m in design.modules for i in m.items if isinstance(i, Register) and i.keep}
    for reset, text in ((True, COPY_RESET), (False, COPY)):
        if reset in copied:
            parts.insert(0, text)
    return "`default_nettype none\n\n" + "\n".join(parts) + "\n`default_nettype wire\n"


def print_any(module: Module | Wrapper) -> str:
    """The text of a module of either kind."""
    return print_wrapper(module) if isinstance(module, Wrapper) else print_module(module)


def print_wrapper(w: Wrapper) -> str:
    """The text of a module that connects and controls others."""
    lines = [_wrap(text, "// ", "") for text in w.comment]
    if w.lint:
        lines += [f"// Lint: {w.lint[1]}", f"// verilator lint_off {w.lint[0]}"]
    lines += ['(* keep_hierarchy = "yes" *)'] if w.apart else []
    lines += [f"module {w.name} (", *_declared_pins(w.pins), ");"]
    for item in w.items:
        lines += _wrapper_item(item)
    lines += ["endmodule", *([f"// verilator lint_on {w.lint[0]}"] if w.lint else [])]
    return "\n".join(lines) + "\n"


def print_box(box: Box) -> str:
    """The text of a module without contents."""
    parameters = ", ".join(f"parameter integer {name} = {value}" for name, value in box.parameters.items())
    head = f"(* blackbox *) module {box.name} {f'#({parameters}) ' if parameters else ''}("
    return "\n".join((head, *_declared_pins(box.pins), ");", "endmodule")) + "\n"


def _declared_pins(pins: Sequence[Pin]) -> Iterable[str]:
    for k, pin in enumerate(pins):
        line = f"    {_port(pin)}" + "," * (k + 1 < len(pins))
        yield _lint_off(line, pin.lint) if pin.lint else line


def _port(pin: Pin) -> str:
    direction = ("output reg " if pin.register else "output wire") if pin.out else "input  wire"
    bits = f"[1:{pin.width}] " if pin.ascending else _range(pin.width)
    return f"{direction} {bits}{pin.name}"


def _wrapper_item(item: WrapperItem) -> Iterable[str]:
    match item:
        case Note():
            yield _wrap(item.text, "    // ", "")
        case Wire():
            bits = f"[{item.width - 1}:0] " if item.vector else _range(item.width)
            line = _wrap(f"wire {bits}{', '.join(item.names)};", "    ")
            yield _lint_off(line, item.lint) if item.lint else line
        case Let():
            line = _wrap(f"wire {_range(item.width)}{item.name} = {item.value};", "    ")
            yield _lint_off(line, item.lint) if item.lint else line
        case Drive():
            yield _wrap(f"assign {item.name} = {item.value};", "    ")
        case Reg():
            yield from [_wrap(item.note, "    // ", "")] if item.note else []
            bits = f"[{item.width - 1}:0] " if item.vector else _range(item.width)
            yield _wrap(f"reg  {bits}{', '.join(item.names)};", "    ")
        case Store():
            yield from [f'    (* ram_style = "{item.style}" *)'] if item.style else []
            yield _wrap(f"reg  {_range(item.width)}{item.name} [0:{item.words - 1}];", "    ")
        case Clocked():
            yield from _clocked(item)
        case Cell():
            yield _cell(item)


def _step(step: Step | Note, indent: str) -> str:
    if isinstance(step, Note):
        return _wrap(step.text, f"{indent}// ", "")
    enable = f"if ({step.enable}) " if step.enable else ""
    return _wrap(f"{enable}{step.target} <= {step.value};", indent)


def _clocked(c: Clocked) -> Iterable[str]:
    if len(c.steps) == 1 and not c.reset:
        yield _wrap(f"always @(posedge clk) {_step(c.steps[0], '')}", "    ")
        return
    yield "    always @(posedge clk) begin"
    if len(c.reset) == len(c.steps) == 1:
        yield f"        if (rst_i) {c.reset[0][0]} <= {c.reset[0][1]};"
        yield _wrap(f"else {_step(c.steps[0], '')}", "        ")
        yield "    end"
        return
    if c.reset:
        yield "        if (rst_i) begin"
        yield from (f"            {name} <= {value};" for name, value in c.reset)
        yield "        end else begin"
    yield from (_step(s, "            " if c.reset else "        ") for s in c.steps)
    yield from ["        end"] if c.reset else []
    yield "    end"


def _parameter(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cell(c: Cell) -> str:
    parameters = ", ".join(f".{name}({_parameter(value)})" for name, value in c.parameters.items())
    head = f"    {c.module} {f'#({parameters}) ' if parameters else ''}{c.name} ("
    links = [f".{port}({value})" for port, value in c.links.items()]
    line = f"{head}{', '.join(links)});"
    return line if len(line) <= _WIDTH else f"{head}\n{_packed(links, ' ' * 8)}\n    );"
