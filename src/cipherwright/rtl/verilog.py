"""The printer: the only place that knows Verilog syntax. A small Verilog-2005 subset, stable bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ..graph import OPS
from .cells import (
    COPY,
    FULL_ADDER,
    LUT4,
    MUX,
    XOR5,
    copy_reset,
    delay_piece,
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
from .timer import TAPS, width_for
from .truth import TruthTable
from .wrapper import Box, Cell, Clocked, Drive, Let, Note, Reg, Step, Store, Wire, Wrapper, WrapperItem

__all__ = ["concat", "print_any", "print_box", "print_design", "print_module", "print_wrapper"]

_WIDTH = 99
"""Columns of a line, and one more for the comma that may follow."""
_MANY = 4

_WIDE = 24
"""Bits from which a part of a word is not said twice in an expression."""

_Kept = Register | DelayLine | ValidLine


def _slices(bits: Bits) -> list[str]:
    """Pieces of a concatenation, most significant first; the caller knows signal widths only by name. A piece
    is a constant, a bit repeated more than twice, or bits of one signal in a row.
    """
    out: list[str] = []
    top = len(bits) - 1
    while top >= 0:
        name, i = bits[top]
        alike = falling = 1
        while alike <= top and (bits[top - alike] == (name, i) or name == bits[top - alike][0] == ""):
            alike += 1
        while falling <= top and bits[top - falling] == (name, i - falling):
            falling += 1
        if name == "":
            value = "".join(str(value) for _, value in reversed(bits[top + 1 - alike : top + 1]))
            out.append(f"{alike}'b{value}")
        elif alike > 2:
            out.append(f"{{{alike}{{{name}[{i}]}}}}")
        else:
            out.append(f"{name}[{i}:{i - falling + 1}]" if falling > 1 else f"{name}[{i}]")
        top -= alike if name == "" or alike > 2 else falling
    return out


def concat(bits: Bits, widths: dict[str, int]) -> str:
    """A Verilog expression for `bits`, least significant first. `widths`: of every signal in them, in bits.
    Neighbouring bits become a part of a word, equal ones a repetition.

    >>> concat((("a", 0), ("a", 1), ("", 1), ("", 0)), {"a": 8})
    "{2'b01, a[1:0]}"
    """
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
    lines: list[str] = []
    line, start = indent, indent
    for word in text.split(" "):
        if line == start:
            line += word
        elif len(line) + 1 + len(word) <= _WIDTH:
            line += f" {word}"
        else:
            lines.append(line.rstrip())
            start = indent + more
            line = start + word
    return "\n".join([*lines, line.rstrip()])


def _packed(pieces: Iterable[str], indent: str) -> str:
    """Pieces between commas, as many a line as fit; a longer piece has lines of its own."""
    lines: list[str] = []
    for piece in pieces:
        if lines and "\n" not in lines[-1] and len(lines[-1]) + len(piece) + 3 <= _WIDTH:
            lines[-1] += f", {piece}"
        else:
            lines.append(_wrap(piece, indent) if len(indent) + len(piece) >= _WIDTH else indent + piece)
    return ",\n".join(lines)


@dataclass(frozen=True)
class _Names:
    """What the text of an item needs of its module: the width of every signal, the ports, the words of which
    some bits are not read, whether registers are declared before all items, and whether the module's results
    are words.
    """

    widths: dict[str, int]
    ports: set[str]
    partly: set[str]
    first: bool
    packed: bool

    @classmethod
    def of(cls, m: Module) -> _Names:
        """Those of a module."""
        first = m.device or _reads_ahead(m)
        return cls(_widths(m), {p.name for p in m.ports}, m.partly_read(), first, m.packed)

    def text(self, bits: Bits) -> str:
        """An expression for the bits."""
        return concat(bits, self.widths)

    def address(self, a: Assign) -> str:
        """The operands of one bit as an address."""
        return concat(tuple(o[0] for o in reversed(a.operands)), self.widths)

    def head(self, a: Assign) -> str:
        """What an assignment begins with; a signal that is no port is declared by it."""
        return f"assign {a.name}" if a.name in self.ports else f"wire {_range(a.width)}{a.name}"

    def declared(self, a: Assign) -> list[str]:
        """The declaration of a signal that a cell drives, where it is no port."""
        return [] if a.name in self.ports else [f"    wire {_range(a.width)}{a.name};"]


def _assign(a: Assign, names: _Names) -> Iterable[str]:
    """The text of an operation: a cell's, a table's, or an expression."""
    args = [names.text(o) for o in a.operands]
    form = _FORMS.get(a.op)
    if form:
        return form(a, args, names)
    template = "{0}" if a.op == "wire" else OPS[a.op].verilog
    assert template is not None, a.op
    return [_wrap(f"{names.head(a)} = {template.format(*args)};", "    ")]


def _entry(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    yield f"    {names.head(a)} = {a.attr}[{args[0]}];"


def _linear(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    digits = [f"^({args[0]} & {len(a.operands[0])}'h{row:x})" for row in a.attr[1]]
    yield _wrap(f"{names.head(a)} = {{{', '.join(digits)}}};", "    ")


def _lut4_cell(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    yield from names.declared(a)
    n, full = len(a.operands), 0
    for x in range(16):  # unused address bits repeat the table
        full |= (a.attr >> (x & (1 << n) - 1) & 1) << x
    address = names.address(a)
    pad = f"{{{4 - n}'b0, {address}}}" if n < 4 else address
    yield f"    cipherwright_lut4 #(.INIT(16'h{full:04x})) u_{a.name} (.a({pad}), .y({a.name}));"


def _mux_cell(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    yield from names.declared(a)
    pins = f".a0({args[2]}), .a1({args[1]}), .s({args[0]}), .y({a.name})"
    yield f"    cipherwright_{a.op} u_{a.name} ({pins});"


def _full_adder_cell(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    yield f"    wire [1:0] {a.name};"
    pins = f".a({args[0]}), .b({args[1]}), .c({args[2]}), .y({a.name})"
    yield f"    cipherwright_full_adder u_{a.name} ({pins});"


def _xor5_cell(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    yield from names.declared(a)
    pins = ", ".join(f".{p}({x})" for p, x in zip("abcde", args, strict=True))
    yield _wrap(f"cipherwright_xor5 #(.WIDTH({a.width})) u_{a.name} ({pins}, .y({a.name}));", "    ")


def _lut(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
    """A truth table: of many single bits as a constant that they address, otherwise as an expression, in
    which a word that is gathered from many signals, or a long part of one that is read twice, has a name.
    """
    if a.width == 1 and len(a.operands) > 3:
        table, size = f"{a.name.upper()}_LUT", 1 << len(a.operands)
        yield f"    localparam [{size - 1}:0] {table} = {size}'h{a.attr:0{size // 4}x};"
        yield _wrap(f"{names.head(a)} = {table}[{names.address(a)}];", "    ")
        return
    scalar = tuple(len(o) == 1 for o in a.operands)
    truth = TruthTable(a.attr, tuple(args), scalar, a.width, names.packed)
    said = truth.expression()
    for j, bits in enumerate(a.operands):
        gathered = len({name for name, _ in bits}) > _MANY  # from many signals
        if gathered or (len(bits) >= _WIDE and "[" in args[j] and said.count(args[j]) > 1):
            text, args[j] = args[j], f"{a.name}_in{j}"
            yield _wrap(f"wire {_range(len(bits))}{args[j]} = {text};", "    ")
    if tuple(args) != truth.args:
        said = replace(truth, args=tuple(args)).expression()
    yield _wrap(f"{names.head(a)} = {said};", "    ")


def _case(a: Assign, args: list[str], names: _Names) -> Iterable[str]:
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
    yield f"    {names.head(a)} = entry({args[0]});"


_FORMS: dict[str, Callable[[Assign, list[str], _Names], Iterable[str]]] = {
    "entry": _entry,
    "lookup": _case,
    "linear": _linear,
    "lut4": _lut4_cell,
    "muxf5": _mux_cell,
    "muxf6": _mux_cell,
    "full_adder": _full_adder_cell,
    "xor5": _xor5_cell,
    "lut": _lut,
}
"""Operations that are more than one expression: the assignment, its operands' text and its module's names ->
lines of text.
"""


def _lint_off(line: str, reason: str) -> str:
    """A declaration of which lint must accept that some bits are not read."""
    return (
        f"    // Lint: {reason}\n    // verilator lint_off UNUSEDSIGNAL\n{line}\n    // verilator "
        f"lint_on UNUSEDSIGNAL"
    )


def _instance(i: Instance, names: _Names) -> Iterable[str]:
    for _, signal, width in i.outputs:
        line = f"    wire {_range(width)}{signal};"
        yield _lint_off(line, "nobody reads some bits of this word.") if signal in names.partly else line
    links = [f".{port}({names.text(bits)})" for port, bits in i.inputs]
    links += [f".{port}({signal})" for port, signal, _ in i.outputs]
    yield _linked(f"    {i.module} {i.name} (", links)


def _linked(head: str, links: list[str]) -> str:
    """An instance in one line, or with its links in lines of their own."""
    line = f"{head}{', '.join(links)});"
    return line if len(line) <= _WIDTH else f"{head}\n{_packed(links, ' ' * 8)}\n    );"


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
            if kind == "block":
                bits = width_for(depth - 1)
                size += f", .BITS({bits}), .TAP({TAPS[bits]})"
            clocks = ".clk(clk)" if kind == "line" else f".clk(clk), .rst_i({reset})"
            yield _wrap(
                (
                    f"cipherwright_delay_{kind} #(.WIDTH({width}), {size}) u_{out} ({clocks}, .d({data}), "
                    f".q({out}));"
                ),
                "    ",
            )
        data = out


def _registers(items: list[Register], names: _Names, asynchronous: bool) -> Iterable[str]:
    """Registers of one rank, declared here where they are not yet."""
    yield f"    // Rank {items[0].rank}: {sum(len(r.data) for r in items)} flip-flops."
    if not names.first:
        yield from _declared(items)
    for r in items:
        if r.keep:
            value = names.text(r.data)
            cell, reset = ("copy_reset", ".rst_i(rst_i), ") if r.reset else ("copy", "")
            yield f"    cipherwright_{cell} u_{r.name} (.clk(clk), {reset}.d({value}), .q({r.name}));"
    here = [r for r in items if not r.keep]
    apart = [r for r in here if r.reset and asynchronous]
    if rest := [r for r in here if r not in apart]:
        yield "    always @(posedge clk) begin"
        for r in rest:
            value = f"rst_i ? {len(r.data)}'d0 : {_next(r, names)}" if r.reset else _next(r, names)
            yield _wrap(f"{r.name} <= {value};", "        ")
        yield "    end"
    if apart:
        steps = tuple(Step(r.name, _next(r, names)) for r in apart)
        zero = tuple((r.name, f"{len(r.data)}'d0") for r in apart)
        yield from _clocked(Clocked(steps, zero, True))


def _next(r: Register, names: _Names) -> str:
    """What a register takes at the clock, reset apart."""
    value = names.text(r.data)
    return f"{names.text((r.clear,))} ? {len(r.data)}'d0 : {value}" if r.clear else value


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
    """The text of the module `m`, which ends with `endmodule` and a line break."""
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
    lines += _body(m)
    lines.append("endmodule")
    return "\n".join(lines) + "\n"


def _body(m: Module) -> Iterable[str]:
    """The items in their order. Verilog wants names before use: registers are declared where they stand, or
    first of all where one is read above.
    """
    names, ranked = _Names.of(m), [i for i in m.items if isinstance(i, _Kept)]
    if names.first:
        yield from _declared(ranked)
    for same, group in groupby(m.items, key=lambda i: (type(i), getattr(i, "rank", 0))):
        if ranked and same[0] is not Instance:
            yield ""
        if same[0] is Register:
            yield from _registers([i for i in group if isinstance(i, Register)], names, m.asynchronous)
        else:
            for item in group:
                yield from _item(item, names)


def _reads_ahead(m: Module) -> bool:
    """Whether an item reads a register, or what a delay line gives, that stands below it."""
    below = {i.name for i in m.items if isinstance(i, _Kept)}
    for item in m.items:
        if any(name in below for name, _ in bits_read(item)):
            return True
        if isinstance(item, _Kept):
            below.discard(item.name)
    return False


def _item(item: Item, names: _Names) -> Iterable[str]:
    """One item that is no register."""
    if isinstance(item, DelayLine | ValidLine) and not names.first:
        yield from _declared([item])
    match item:
        case Assign():
            yield from _assign(item, names)
        case Instance():
            yield from _instance(item, names)
        case Memory():
            yield from _memory(item)
        case DelayLine():
            yield from _delay_line(item, names.text(item.data), "rst_i" if "rst_i" in names.ports else "1'b0")
        case ValidLine():
            pins = f".clk(clk), .rst_i(rst_i), .d({names.text(item.data)}), .q({item.name})"
            yield _wrap(f"cipherwright_delay_valid_{item.depth} u_{item.name} ({pins});", "    ")
        case Comment():
            yield _wrap(item.text[:1].upper() + item.text[1:] + ".", "    // ", "")


_OF_OPERATION = {
    "lut4": LUT4,
    "xor5": XOR5,
    "full_adder": FULL_ADDER,
    "muxf5": MUX.format(name="muxf5", what="multiplexer of two LUT4s in a logic block"),
    "muxf6": MUX.format(name="muxf6", what="multiplexer of two LUT5s in a logic block"),
}
"""The module of an operation that is a cell."""

_PIECES = ("block", "ring", "line")
"""The kinds of pieces that delay lines have, in the order of their modules."""


_COPIES = {"cipherwright_copy": False, "cipherwright_copy_reset": True}
"""The modules of registered copies, and whether each has a reset."""


def _cells(design: Design, around: Sequence[Wrapper] = ()) -> list[str]:
    """The modules of the cells that a design instantiates, and of the copies in what is `around` it."""
    items = [i for m in design.modules for i in m.items]
    copied = {i.reset for i in items if isinstance(i, Register) and i.keep}
    cells = (i.module for w in around for i in w.items if isinstance(i, Cell))
    copied |= {_COPIES[module] for module in cells if module in _COPIES}
    used = {i.op for i in items if isinstance(i, Assign)}
    valid = {(i.depth, i.shift) for i in items if isinstance(i, ValidLine)}
    pieces = {kind for i in items if isinstance(i, DelayLine) for kind, _ in i.pieces()}
    pieces |= {"line" for _, shift in valid if shift}
    asynchronous = design.top.asynchronous
    return [
        *(text for reset, text in ((False, COPY), (True, copy_reset(asynchronous))) if reset in copied),
        *(text for op, text in _OF_OPERATION.items() if op in used),
        *(valid_line(depth, asynchronous, shift) for depth, shift in sorted(valid)),
        *(delay_piece(kind, asynchronous) for kind in _PIECES if kind in pieces),
    ]


def print_design(design: Design, others: Sequence[Module | Wrapper] = ()) -> str:
    """All modules of `design`, behind the cells that they and the `others` need, and then the others. The
    text depends on these alone.
    """
    around = [m for m in others if isinstance(m, Wrapper)]
    parts = [*_cells(design, around), *(print_module(m) for m in design.modules)]
    text = "`default_nettype none\n\n" + "\n".join(parts) + "\n`default_nettype wire\n"
    return "\n".join([text, *map(print_any, others)])


def print_any(module: Module | Wrapper) -> str:
    """The text of `module`, of either kind."""
    return print_wrapper(module) if isinstance(module, Wrapper) else print_module(module)


def print_wrapper(w: Wrapper) -> str:
    """The text of the module `w`, which connects and controls others."""
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
    """The text of `box`, a module without contents."""
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
        case Clocked():
            yield from _clocked(item)
        case Cell():
            yield _cell(item)
        case _:
            yield from _declaration(item)


def _declaration(item: Wire | Let | Drive | Reg | Store) -> Iterable[str]:
    """What declares a signal or drives one."""
    match item:
        case Wire():
            line = _wrap(f"wire {_vector(item)}{', '.join(item.names)};", "    ")
            yield _lint_off(line, item.lint) if item.lint else line
        case Let():
            line = _wrap(f"wire {_range(item.width)}{item.name} = {item.value};", "    ")
            yield _lint_off(line, item.lint) if item.lint else line
        case Drive():
            yield _wrap(f"assign {item.name} = {item.value};", "    ")
        case Reg():
            yield from [_wrap(item.note, "    // ", "")] if item.note else []
            yield _wrap(f"reg  {_vector(item)}{', '.join(item.names)};", "    ")
        case Store():
            yield from [f'    (* ram_style = "{item.style}" *)'] if item.style else []
            yield _wrap(f"reg  {_range(item.width)}{item.name} [0:{item.words - 1}];", "    ")


def _vector(item: Wire | Reg) -> str:
    """The range of a declaration, which a `vector` has even for one bit."""
    return f"[{item.width - 1}:0] " if item.vector else _range(item.width)


def _step(step: Step | Note, indent: str) -> str:
    if isinstance(step, Note):
        return _wrap(step.text, f"{indent}// ", "")
    enable = f"if ({step.enable}) " if step.enable else ""
    return _wrap(f"{enable}{step.target} <= {step.value};", indent)


def _gated(c: Clocked) -> Iterable[str]:
    """Registers with the reset in front of them, without the form from which a tool infers their own."""
    bits = {name: int(value.partition("'")[0]) for name, value in c.reset}
    yield "    always @(posedge clk) begin"
    for s in c.steps:
        if isinstance(s, Step):
            width = bits[s.target]
            running = "~rst_i" if width == 1 else f"{{{width}{{~rst_i}}}}"
            yield _wrap(f"{s.target} <= {running} & ({s.value});", "        ")
    yield "    end"


def _clocked(c: Clocked) -> Iterable[str]:
    if c.gated and not c.asynchronous:
        yield from _gated(c)
        return
    if len(c.steps) == 1 and not c.reset:
        yield _wrap(f"always @(posedge clk) {_step(c.steps[0], '')}", "    ")
        return
    yield f"    always @(posedge clk{' or posedge rst_i' if c.asynchronous else ''}) begin"
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
    return _linked(head, links)
