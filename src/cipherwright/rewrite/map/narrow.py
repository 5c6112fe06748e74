"""Bitwise operations cut down to the bits that somebody uses (the last round's key needs 48 of 56 bits)."""

from __future__ import annotations

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import BITWISE, rebuild

__all__ = ["narrow"]


def _live(graph: Graph) -> list[set[int]]:
    """For every operation and input, the bits that reach an output."""
    live: list[set[int]] = [set() for _ in graph.nodes]
    for _, i in graph.outputs:
        for src, k in graph.bits[i]:
            live[src].add(k)
    for i in reversed(range(len(graph.nodes))):
        node = graph.nodes[i]
        if not live[i] or node.op in ("select", "cat"):
            continue
        for a in node.args:
            bits = graph.bits[a]
            whole = node.op not in BITWISE or len(bits) != node.width
            for src, k in bits if whole else [bits[k] for k in live[i]]:
                live[src].add(k)
    return live


def narrow(graph: Graph) -> Graph:
    """`graph` with bitwise operations cut down to the bits that reach an output; the outputs are the same.

    >>> b = GraphBuilder("high")
    >>> b.output("high", b.select(b.xor(b.input("x", 8), b.input("y", 8)), range(7, 3, -1)))
    >>> [(n.op, n.width) for n in narrow(b.build()).nodes]
    [('input', 8), ('input', 8), ('select', 4), ('select', 4), ('xor', 4)]
    """
    live = _live(graph)

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op not in BITWISE or not live[i] or len(live[i]) == node.width:
            return None
        lanes = sorted(live[i])
        cut = [
            b.select(a, tuple(reversed(lanes))) if b.width(a) == node.width and node.width > 1 else a
            for a in args
        ]
        made = b.named(b.node(node.op, len(lanes), cut, node.attr), node.name)
        zero = b.const(1, 0)
        return b.gather([(made, lanes.index(k)) if k in live[i] else (zero, 0) for k in range(node.width)])

    return rebuild(graph, replace)
