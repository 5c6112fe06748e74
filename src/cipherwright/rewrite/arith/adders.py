"""Adders by name: how the carries of a sum are found, as a graph of single bits.

`carry_chain`   the device's own (or whatever synthesis makes of `+`)
`ripple`        each carry from the one below
`carry_skip`    ripple in blocks that grow towards the middle; a carry passes a block that only propagates
                in one step
`carry_select`  blocks that grow towards the top, made for both carries; the carry chooses
`hybrid`        blocks of all three kinds, chosen by dynamic programming: see profile.py
`brent_kung`, `sklansky`, `kogge_stone`, `han_carlson`   parallel prefix networks: fewest nodes, fewest
    levels, fewest levels with at most two readers a node, and every second column of that

Constants fold, so the sum of a number and 1 is an incrementer of ANDs. Terms: generate g = a b, propagate
p = a + b (xor); a group generates (G) or propagates (P); (G, P) o (G', P') = (G | P G', P P').
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import rebuild
from .gates import Bit, Gates, Group
from .profile import hybrid_carries

__all__ = ["ADDERS", "add", "realise_adders"]

Levels = list[list[tuple[int, int]]]
"""Of a prefix network: in each level the columns that take in another: (column, the column below that it
takes in).
"""


Carries = Callable[[Gates, Sequence[Group], Bit], list[Bit]]
"""(gates, (g, p) of every column, carry in) -> the carry into every column, and out of the last."""


def _ripple(x: Gates, columns: Sequence[Group], carry: Bit) -> list[Bit]:
    out = [carry]
    for g, p in columns:
        out.append(x.or_(g, x.and_(p, out[-1])))
    return out


def _whole(x: Gates, columns: Sequence[Group]) -> Group:
    """G and P of a block, from the bottom up."""
    g, p = columns[0]
    for g1, p1 in columns[1:]:
        g, p = x.or_(g1, x.and_(p1, g)), x.and_(p1, p)
    return g, p


def _skip_blocks(n: int) -> list[int]:
    """Sizes that grow by one to the middle and shrink again."""
    top = 1
    while top * (top + 1) < n:
        top += 1
    sizes = [*range(1, top + 1), *range(top, 0, -1)]
    while sum(sizes) > n:
        sizes[sizes.index(max(sizes))] -= 1
    return [s for s in sizes if s]


def _select_blocks(n: int) -> list[int]:
    """Sizes that grow by one towards the top."""
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(min(len(sizes) + 2, n - sum(sizes)))
    return sizes


def _carry_skip(x: Gates, columns: Sequence[Group], carry: Bit) -> list[Bit]:
    out, at = [], 0
    for size in _skip_blocks(len(columns)):
        block = columns[at : at + size]
        g, p = _whole(x, block)
        out += _ripple(x, block, carry)[:size]
        carry, at = x.or_(g, x.and_(p, carry)), at + size
    return [*out, carry]


def _carry_select(x: Gates, columns: Sequence[Group], carry: Bit) -> list[Bit]:
    out: list[Bit] = []
    at = 0
    for size in _select_blocks(len(columns)):
        block = columns[at : at + size]
        zero, one = _ripple(x, block, False), _ripple(x, block, True)
        made = [x.choose(carry, a, b) for a, b in zip(one, zero, strict=True)]
        out += [carry, *made[1:size]]
        carry, at = made[size], at + size
    return [*out, carry]


def _kogge_stone(n: int) -> Levels:
    return [[(i, i - d) for i in range(n - 1, d - 1, -1)] for d in _powers(n)]


def _sklansky(n: int) -> Levels:
    return [[(i, (i // d) * d - 1) for i in range(n - 1, d - 1, -1) if i // d % 2] for d in _powers(n)]


def _brent_kung(n: int) -> Levels:
    up = [[(i, i - d) for i in range(n - 1, -1, -1) if (i + 1) % (2 * d) == 0] for d in _powers(n)]
    down = [
        [(i, i - d) for i in range(n - 1, 2 * d - 1, -1) if (i + 1) % (2 * d) == d]
        for d in reversed(_powers(n))
    ]
    return up + down


def _han_carlson(n: int) -> Levels:
    first = [[(i, i - 1) for i in range(n - 1, 0, -1) if i % 2]]
    inner = [[(i, i - d) for i in range(n - 1, d, -1) if i % 2] for d in _powers(n)[1:]]
    return [*first, *inner, [(i, i - 1) for i in range(n - 1, 1, -1) if i % 2 == 0]]


def _powers(n: int) -> list[int]:
    return [1 << k for k in range((n - 1).bit_length())]


def _prefix(levels: Callable[[int], Levels]) -> Carries:
    def carries(x: Gates, columns: Sequence[Group], carry: Bit) -> list[Bit]:
        # The carry in is a column below the lowest, which generates it.
        group: list[Group] = [(carry, False), *columns]
        for level in levels(len(group)):
            before = list(group)
            for i, k in level:
                (g, p), (g0, p0) = before[i], before[k]
                group[i] = x.or_(g, x.and_(p, g0)), x.and_(p, p0)
        return [g for g, _ in group]

    return carries


ADDERS: dict[str, Carries | None] = {
    "carry_chain": None,
    "ripple": _ripple,
    "carry_skip": _carry_skip,
    "carry_select": _carry_select,
    "brent_kung": _prefix(_brent_kung),
    "sklansky": _prefix(_sklansky),
    "kogge_stone": _prefix(_kogge_stone),
    "han_carlson": _prefix(_han_carlson),
    "hybrid": hybrid_carries,
}


def add(b: GraphBuilder, kind: str, left: int, right: int, carry: bool = False) -> int:
    """The sum of the words `left` and `right` of equal width, nodes of `b`, and of `carry` (0 or 1), modulo
    2^width, by the adder `kind` (one of `ADDERS`, but not carry_chain).
    """
    make = ADDERS[kind]
    assert make is not None, "the carry chain is an operation of its own"
    width, x = b.width(left), Gates(b)
    rows = [(_bit(b, left, k), _bit(b, right, k)) for k in range(width)]
    columns = [(x.and_(p, q), x.xor(p, q)) for p, q in rows]
    carries = make(x, columns[:-1], carry)  # nobody asks for the carry out of the top
    bits = [x.xor(p, c) for (_, p), c in zip(columns, carries, strict=True)]
    return b.cat(*(b.const(1, int(v)) if isinstance(v, bool) else v for v in reversed(bits)))


def _bit(b: GraphBuilder, word: int, k: int) -> Bit:
    n = b.at(word)
    return bool(n.attr >> k & 1) if n.op == "const" else b.select(word, (k,))


@cache
def _adder(kind: str, width: int) -> Graph:
    b = GraphBuilder(f"add{width}_{kind}")
    b.output("sum", add(b, kind, b.input("left", width), b.input("right", width)))
    return b.build()


def realise_adders(graph: Graph, kind: str, modules: bool = False) -> Graph:
    """Every sum and difference of `graph` by the adder `kind` (one of `ADDERS`); with `modules`, sums as
    calls of a graph of their own, which is a module in the text. Raises ValueError where there is none of
    that name.
    """
    if kind not in ADDERS:
        raise ValueError(f"there is no adder {kind}; there are {', '.join(ADDERS)}")

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op not in ("add", "sub") or ADDERS[kind] is None:
            return None
        left, right = args
        if modules and node.op == "add":
            return b.call(_adder(kind, node.width), left, right)
        if node.op == "sub":
            right = (
                b.const(node.width, ~b.at(right).attr & (1 << node.width) - 1)
                if b.at(right).op == "const"
                else b.not_(right)
            )
        return add(b, kind, left, right, node.op == "sub")

    return rebuild(graph, replace)
