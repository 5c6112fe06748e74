"""The operations: one table of truth. Adding an operation is adding a row here (see CONTRIBUTING.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["AGILE", "OPS", "STATIC", "Op", "Table", "evaluate"]

AGILE, STATIC = "agile", "static"
"""An input that changes from cycle to cycle, and one that is held while blocks are inside."""


@dataclass(frozen=True)
class Table:
    """A lookup table. `name`: the standard's; `width`: of an entry, in bits; `entries`: one for each address,
    from address 0 on. Raises ValueError where their number is no power of two, or one does not fit the width.
    """

    name: str
    width: int
    entries: tuple[int, ...]

    def __post_init__(self) -> None:
        n = len(self.entries)
        if n & (n - 1) or not n:
            raise ValueError(f"table {self.name}: {n} entries are no power of two")
        if min(self.entries) < 0 or max(self.entries) >> self.width:
            raise ValueError(f"table {self.name}: an entry does not fit {self.width} bits")

    @property
    def address_bits(self) -> int:
        """Width of the address."""
        return (len(self.entries) - 1).bit_length()


# fits(attr, widths of the arguments, width of the result) -> whether they go together
Rule = Callable[[Any, Sequence[int], int], bool]

# meaning(attr, widths of the arguments, values of the arguments, width of the result) -> value
Meaning = Callable[[Any, Sequence[int], Sequence[int], int], int]


@dataclass(frozen=True)
class Op:
    """One operation.

    `name`: as nodes have it in `op`. `arity`: the number of its arguments, None where it varies. `fits`: its
    rule for widths and attribute. `meaning`: its result on unsigned integers. `wiring`: costs neither logic
    nor delay and is followed bit by bit. `delay`: key into the delay model, with `{n}` standing for the
    number of input bits that one output bit depends on, or `{w}` for the width. `verilog`: expression over
    {0}, {1} … for operations that are one expression; None where the printer needs more than that.
    `in_latency`/`out_latency`: registers that must lie before/after it. `clocked`: these registers are its
    own, inside a block of the device (block RAM, multiplier): it reads before the one and has its result
    behind the other. `clear` (word, bit) is the synchronous reset of the registers behind it, which costs no
    lookup table.
    """

    name: str
    arity: int | None
    fits: Rule
    meaning: Meaning
    wiring: bool = False
    delay: str = ""
    verilog: str | None = None
    in_latency: int = 0
    out_latency: int = 0
    clocked: bool = False


def _same(attr: Any, widths: Sequence[int], width: int) -> bool:
    """Every argument is as wide as the result."""
    return all(x == width for x in widths)


def _fits_input(attr: Any, widths: Sequence[int], width: int) -> bool:
    return len(attr) == 2 and attr[1] in (AGILE, STATIC)


def _fits_const(attr: Any, widths: Sequence[int], width: int) -> bool:
    return bool(0 <= attr < 1 << width)


def _fits_select(attr: Any, widths: Sequence[int], width: int) -> bool:
    return len(attr) == width and min(attr) >= 0 and max(attr) < widths[0]


def _fits_cat(attr: Any, widths: Sequence[int], width: int) -> bool:
    return sum(widths) == width


def _fits_mux(attr: Any, widths: Sequence[int], width: int) -> bool:
    return widths[0] == 1 and widths[1] == widths[2] == width


def _fits_clear(attr: Any, widths: Sequence[int], width: int) -> bool:
    return list(widths) == [width, 1]


def _fits_adder(attr: Any, widths: Sequence[int], width: int) -> bool:
    """Single bits in, a sum and a carry out."""
    return all(x == 1 for x in widths) and width == 2


def _fits_dsp(attr: Any, widths: Sequence[int], width: int) -> bool:
    return max(widths) <= 18 and width <= sum(widths)


def _fits_table(attr: Any, widths: Sequence[int], width: int) -> bool:
    """A word of the table for every address, whose width is that of the table's address."""
    return (
        isinstance(attr, Table)
        and len(widths) * attr.width == width
        and all(len(attr.entries) == 1 << x for x in widths)
    )


def _fits_rom(attr: Any, widths: Sequence[int], width: int) -> bool:
    return 1 <= len(widths) <= 2 and _fits_table(attr, widths, width)


def _fits_linear(attr: Any, widths: Sequence[int], width: int) -> bool:
    return len(attr[1]) == width and min(attr[1]) >= 0 and max(attr[1]) < 1 << widths[0]


def _fits_lut(attr: Any, widths: Sequence[int], width: int, most: int = 6) -> bool:
    """At most `most` arguments, each of one bit or as wide as the result, and a truth table over them."""
    truth = 1 <= len(widths) <= most and 0 <= attr < 1 << (1 << len(widths))
    return truth and all(x in (1, width) for x in widths)


def _fits_lut4(attr: Any, widths: Sequence[int], width: int) -> bool:
    return width == 1 and _fits_lut(attr, widths, width, 4)


def _fits_call(attr: Any, widths: Sequence[int], width: int) -> bool:
    """The arguments are as wide as the inputs of the graph that is called, which has one output."""
    inputs = [attr.nodes[i].width for i in attr.inputs.values()]
    return inputs == list(widths) and len(attr.outputs) == 1 and attr.nodes[attr.outputs[0][1]].width == width


def _select(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    out = 0
    for i in attr:
        out = out << 1 | v[0] >> i & 1
    return out


def _cat(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    out = 0
    for w, x in zip(widths, v, strict=True):
        out = out << w | x
    return out


def _linear(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    out = 0
    for row in attr[1]:
        out = out << 1 | (row & v[0]).bit_count() & 1
    return out


def _lut(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    """Bitwise truth table; one-bit operands are spread over the width. Operand 0 is the address's top bit."""
    out = 0
    for i in range(width):
        address = 0
        for w, x in zip(widths, v, strict=True):
            address = address << 1 | (x >> (i if w > 1 else 0) & 1)
        out |= (attr >> address & 1) << i
    return out


def _missing(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    raise LookupError("an input has no value of its own")


def evaluate(graph: Any, inputs: Mapping[str, int]) -> dict[str, int]:
    """Outputs of `graph`, a `Graph`, by name. `inputs`: the value of each input, by name. Raises ValueError
    where an input is missing or does not fit its width. It is here because one operation, `call`, means
    another graph.

    >>> from cipherwright.graph import GraphBuilder
    >>> b = GraphBuilder("sum")
    >>> b.output("sum", b.add(b.input("x", 4), b.input("y", 4)))
    >>> evaluate(b.build(), {"x": 9, "y": 9})
    {'sum': 2}
    """
    values: list[int] = []
    for node in graph.nodes:
        if node.op == "input":
            value = inputs.get(node.attr[0])
            if value is None or not 0 <= value < 1 << node.width:
                raise ValueError(
                    f"graph {graph.name}: input {node.attr[0]} needs a value of {node.width} bits"
                )
        else:
            widths = [graph.nodes[a].width for a in node.args]
            value = OPS[node.op].meaning(node.attr, widths, [values[a] for a in node.args], node.width)
        values.append(value)
    return {name: values[i] for name, i in graph.outputs}


def _call(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    values = dict(zip(attr.input_names(), v, strict=True))
    return evaluate(attr, values)[attr.outputs[0][0]]


def _rom(attr: Any, widths: Sequence[int], v: Sequence[int], width: int) -> int:
    each, out = width // len(v), 0
    for address in v:
        out = out << each | int(attr.entries[address])
    return out


def _mask(width: int) -> int:
    return (1 << width) - 1


OPS: dict[str, Op] = {
    op.name: op
    for op in (
        Op("input", 0, _fits_input, _missing),
        Op("const", 0, _fits_const, lambda a, w, v, n: int(a), wiring=True),
        Op("select", 1, _fits_select, _select, wiring=True),
        Op("cat", None, _fits_cat, _cat, wiring=True),
        Op("xor", 2, _same, lambda a, w, v, n: v[0] ^ v[1], delay="lut2", verilog="{0} ^ {1}"),
        Op("and", 2, _same, lambda a, w, v, n: v[0] & v[1], delay="lut2", verilog="{0} & {1}"),
        Op("or", 2, _same, lambda a, w, v, n: v[0] | v[1], delay="lut2", verilog="{0} | {1}"),
        Op("not", 1, _same, lambda a, w, v, n: v[0] ^ _mask(n), delay="lut1", verilog="~{0}"),
        Op(
            "mux",
            3,
            _fits_mux,
            lambda a, w, v, n: v[1] if v[0] else v[2],
            delay="lut3",
            verilog="{0} ? {1} : {2}",
        ),
        Op("add", 2, _same, lambda a, w, v, n: (v[0] + v[1]) & _mask(n), delay="add{w}", verilog="{0} + {1}"),
        Op("sub", 2, _same, lambda a, w, v, n: (v[0] - v[1]) & _mask(n), delay="add{w}", verilog="{0} - {1}"),
        Op("mul", 2, _same, lambda a, w, v, n: (v[0] * v[1]) & _mask(n), delay="mul{w}", verilog="{0} * {1}"),
        Op("lookup", 1, _fits_table, lambda a, w, v, n: int(a.entries[v[0]]), delay="lut{n}"),
        Op("linear", 1, _fits_linear, _linear, delay="lut{n}"),
        Op("lut", None, _fits_lut, _lut, delay="lut{n}"),
        Op("lut4", None, _fits_lut4, _lut, delay="lut{n}"),
        Op("muxf5", 3, _fits_mux, lambda a, w, v, n: v[1] if v[0] else v[2], delay="lut3"),
        Op("muxf6", 3, _fits_mux, lambda a, w, v, n: v[1] if v[0] else v[2], delay="lut3"),
        Op("xor5", 5, _same, lambda a, w, v, n: v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4], delay="lut5"),
        Op("rom", None, _fits_rom, _rom, delay="rom", in_latency=1, out_latency=1, clocked=True),
        Op(
            "dsp",
            2,
            _fits_dsp,
            lambda a, w, v, n: (v[0] * v[1]) & _mask(n),
            delay="dsp",
            verilog="{0} * {1}",
            in_latency=1,
            out_latency=1,
            clocked=True,
        ),
        Op("full_adder", 3, _fits_adder, lambda a, w, v, n: v[0] + v[1] + v[2], delay="lut3"),
        Op(
            "half_adder_n",
            2,
            _fits_adder,
            lambda a, w, v, n: (v[0] | v[1]) << 1 | (v[0] ^ v[1] ^ 1),
            delay="lut2",
            verilog="{{{0} | {1}, ~({0} ^ {1})}}",
        ),
        Op("call", None, _fits_call, _call, delay="call"),
        Op("again", 1, _same, lambda a, w, v, n: v[0], delay="wire", verilog="{0}"),
        Op("copy", 1, _same, lambda a, w, v, n: v[0], delay="wire", verilog="{0}", out_latency=1),
        Op("clear", 2, _fits_clear, lambda a, w, v, n: 0 if v[1] else v[0], delay="wire", out_latency=1),
        Op(
            "hop", 1, _same, lambda a, w, v, n: v[0], delay="wire", verilog="{0}", in_latency=1, out_latency=1
        ),
    )
}
