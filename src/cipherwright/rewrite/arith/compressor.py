"""Compressor trees grown from delays: many words of bits become two, by full and half adders wired by when
their inputs arrive.

The tree is made column by column from the lowest on. In a column the three earliest bits always meet
first, and in a full adder the latest of them goes to the pin that is fastest (Oklobdzija, Villeger and Liu
1996, whose observation Satoh et al. 2000, section 3.2, use with six delays of a full adder and four of a
half adder).

All bits are inverted: the inverted sum and carry of a full adder are its sum and carry for inverted
inputs, and the inverted product of two bits is a NAND, which is smaller and faster than an AND.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from ...graph.builder import GraphBuilder

__all__ = ["UNIT_CELLS", "CellDelays", "TimedBit", "Tree", "compress", "partial_products"]


@dataclass(frozen=True)
class CellDelays:
    """Delays in ns by input pin: `full_sum` and `full_carry` of the sum and the carry of a full adder (three
    pins), `half_sum` and `half_carry` of a half adder (two; the bit that arrives later counts at the first),
    and `gates` by name (nand2, nor2, xor2, aoi21 …: the slowest pin). `fanout`: delay of each further reader
    of a gate.
    """

    full_sum: tuple[float, float, float]
    full_carry: tuple[float, float, float]
    half_sum: tuple[float, float]
    half_carry: tuple[float, float]
    gates: Mapping[str, float] = field(default_factory=dict)
    area: Mapping[str, float] = field(default_factory=dict)
    """In NAND2 equivalents: full, half and the gates."""
    fanout: float = 0.0


UNIT_CELLS = CellDelays(
    (2.0, 2.0, 1.0),
    (2.0, 2.0, 1.0),
    (1.0, 1.0),
    (0.5, 0.5),
    {"nand2": 0.5, "nor2": 0.5, "xor2": 1.0, "aoi21": 0.5, "mux2": 1.0, "and2": 0.5, "inv": 0.0},
    {
        "full": 5.0,
        "half": 3.4,
        "nand2": 1.0,
        "nor2": 1.0,
        "xor2": 2.3,
        "aoi21": 1.3,
        "mux2": 2.0,
        "and2": 1.3,
        "inv": 0.7,
    },
)
"""An XOR counts one, a NAND and what is like it half: for libraries without full adders and for tests."""


@dataclass(frozen=True)
class TimedBit:
    """A node of one bit (inverted) and its arrival in ns."""

    arrival: float
    node: int


@dataclass
class Tree:
    """`columns` of at most two bits, the lowest first; `full` and `half` adders used."""

    columns: list[list[TimedBit]]
    full: int = 0
    half: int = 0


def partial_products(b: GraphBuilder, x: int, y: int, width: int, delays: CellDelays) -> list[list[TimedBit]]:
    """The inverted partial products below 2^width of the words `x` and `y`, nodes of `b` whose bits arrive at
    0, by column, the lowest first; `width` columns. `delays`: of the gates; each product is a NAND.
    """
    n, m = b.width(x), b.width(y)
    bits_x, bits_y = [b.select(x, (i,)) for i in range(n)], [b.select(y, (j,)) for j in range(m)]
    columns: list[list[TimedBit]] = [[] for _ in range(width)]
    for i in range(n):
        for j in range(min(m, width - i)):
            node = b.named(b.not_(b.and_(bits_x[i], bits_y[j])), "pp")
            columns[i + j].append(TimedBit(delays.gates.get("nand2", 0.0), node))
    return columns


def _full(b: GraphBuilder, bits: Sequence[TimedBit], delays: CellDelays) -> tuple[TimedBit, TimedBit]:
    """(sum, carry) of three bits, each on the pin that makes the sum earliest, then the carry."""

    def times(order: Sequence[TimedBit]) -> tuple[float, float]:
        pairs = [
            (t.arrival + s, t.arrival + c)
            for t, s, c in zip(order, delays.full_sum, delays.full_carry, strict=True)
        ]
        return max(s for s, _ in pairs), max(c for _, c in pairs)

    best = min(
        permutations(sorted(bits, key=lambda t: (t.arrival, t.node))), key=lambda o: (sum(times(o)), times(o))
    )
    total = b.node("full_adder", 2, tuple(t.node for t in best), None, "fa")
    at_sum, at_carry = times(best)
    return TimedBit(at_sum, b.select(total, (0,))), TimedBit(at_carry, b.select(total, (1,)))


def _half(b: GraphBuilder, bits: Sequence[TimedBit], delays: CellDelays) -> tuple[TimedBit, TimedBit]:
    """(sum, carry) of two inverted bits: XNOR and OR."""
    first, second = sorted(bits, key=lambda t: (t.arrival, t.node))
    at_sum = max(t.arrival + d for t, d in zip((second, first), delays.half_sum, strict=True))
    at_carry = max(t.arrival + d for t, d in zip((second, first), delays.half_carry, strict=True))
    total = b.node("half_adder_n", 2, (first.node, second.node), None, "ha")
    return TimedBit(at_sum, b.select(total, (0,))), TimedBit(at_carry, b.select(total, (1,)))


def _parity(b: GraphBuilder, bits: Sequence[TimedBit], delays: CellDelays) -> TimedBit:
    """The inverted parity of inverted bits: the top column, whose carries nobody needs."""
    todo = sorted(bits, key=lambda t: (t.arrival, t.node))
    flips = 0
    while len(todo) > 1:
        one, other, *todo = todo
        flips += 1
        node = b.named(b.xor(one.node, other.node), "top")
        todo = sorted(
            [*todo, TimedBit(max(one.arrival, other.arrival) + delays.gates.get("xor2", 1.0), node)],
            key=lambda t: (t.arrival, t.node),
        )
    return todo[0] if flips % 2 == 0 else TimedBit(todo[0].arrival, b.not_(todo[0].node))


def compress(b: GraphBuilder, columns: Sequence[Sequence[TimedBit]], delays: CellDelays) -> Tree:
    """The inverted bits of `columns`, nodes of `b` (the lowest column first, modulo 2^len), down to at most
    two bits in each, and one in the top column. `delays`: of the adders and gates, by which the tree grows.
    """
    tree = Tree([])
    carried: list[TimedBit] = []
    for k, column in enumerate(columns):
        todo, carries = sorted([*column, *carried], key=lambda t: (t.arrival, t.node)), []
        if k == len(columns) - 1:
            tree.columns.append([_parity(b, todo, delays)] if todo else [])
            break
        while len(todo) > 2:
            take = 3 if len(todo) > 3 else 2
            made, carry = (_full if take == 3 else _half)(b, todo[:take], delays)
            tree.full, tree.half = tree.full + (take == 3), tree.half + (take == 2)
            todo = sorted([*todo[take:], made], key=lambda t: (t.arrival, t.node))
            carries.append(carry)
        tree.columns.append(todo)
        carried = carries
    return tree
