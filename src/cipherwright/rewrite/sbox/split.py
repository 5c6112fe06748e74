"""Tables too slow for one stage, as smaller tables and multiplexers that registers may separate.

A table of n address bits is 2^(n-k) tables of the k low address bits, and n-k levels of multiplexers that
the high address bits choose by. Every level is an operation of its own, so the scheduler may put a register
behind it.
"""

from __future__ import annotations

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import Table
from .._walk import rebuild

__all__ = ["split_tables"]


def split_tables(graph: Graph, widest: int) -> Graph:
    """The graph with every table of more than `widest` address bits made of tables of so many, and truth
    tables over words likewise. A table of held values stays whole.

    >>> b = GraphBuilder("box")
    >>> b.output("y", b.lookup("S", [x * 7 & 255 for x in range(256)], 8, b.input("a", 8)))
    >>> [n.op for n in split_tables(b.build(), 6).nodes].count("mux")
    3
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op == "lut" and len(args) > widest and graph.agile[i]:
            return _split_bitwise(b, node.attr, args, widest, node.name)
        if node.op != "lookup" or node.attr.address_bits <= widest or not graph.agile[i]:
            return None
        return _split(b, node.attr, args[0], widest)

    return rebuild(graph, replace)


def _split(b: GraphBuilder, table: Table, address: int, widest: int) -> int:
    size = 1 << widest
    low = b.select(address, range(widest - 1, -1, -1))
    parts = [table.entries[k : k + size] for k in range(0, len(table.entries), size)]
    words = [
        b.named(b.lookup(f"{table.name}Part{k}", part, table.width, low), f"{table.name.lower()}_part")
        for k, part in enumerate(parts)
    ]
    for k in range(widest, table.address_bits):
        which = b.select(address, (k,))
        words = [b.mux(which, one, zero) for zero, one in zip(words[::2], words[1::2], strict=True)]
    return words[0]


def _split_bitwise(b: GraphBuilder, truth: int, args: tuple[int, ...], widest: int, name: str) -> int:
    """A truth table over words as a choice, by one of its operands, of two tables without that operand.

    It is an operand for which both tables, and those that they are cut into, say the same where all others
    are 0. Where a counter rests at 0, every register behind such a table then has the value of the whole
    table. A table with few operands, or without such an operand, stays whole.
    """
    count, width = len(args), max(map(b.width, args))
    if truth in (0, (1 << (1 << count)) - 1):
        return b.const(width, (1 << width) - 1 if truth else 0)
    k = _chooser(truth, count, widest) if count > widest else -1
    if k < 0:
        return b.lut(truth, *args, name=name)
    low, high = (
        _split_bitwise(b, part, (*args[:k], *args[k + 1 :]), widest, f"{name}_part" if name else "")
        for part in (_without(truth, count, k, 0), _without(truth, count, k, 1))
    )
    return b.mux(args[k], high, low)


def _chooser(truth: int, count: int, widest: int) -> int:
    """The first operand that `_split_bitwise` may choose by; -1 where there is none."""
    for k in range(count):
        parts = [_without(truth, count, k, value) for value in (0, 1)]
        alike = (parts[0] ^ parts[1]) & 1 == 0
        if alike and all(count - 1 <= widest or _chooser(p, count - 1, widest) >= 0 for p in parts):
            return k
    return -1


def _without(truth: int, count: int, k: int, value: int) -> int:
    """The truth table of `count` operands where operand `k` (0: the top address bit) has a value."""
    place = count - 1 - k
    kept = [a for a in range(1 << count) if a >> place & 1 == value]
    return sum((truth >> a & 1) << j for j, a in enumerate(kept))
