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
    """The graph with every table of more than `widest` address bits made of tables of so many. A table of
    held values stays whole.

    >>> b = GraphBuilder("box")
    >>> b.output("y", b.lookup("S", [x * 7 & 255 for x in range(256)], 8, b.input("a", 8)))
    >>> [n.op for n in split_tables(b.build(), 6).nodes].count("mux")
    3
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
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
