"""A second set of held words: a bit that goes with every block chooses whose are read."""

from __future__ import annotations

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import STATIC
from .._walk import rebuild

__all__ = ["SECOND", "with_second_words"]

_LANES = 16
"""Bits of a multiplexer that one registered copy of the select drives."""

_MUX = 0b11001010
"""Truth table of s, a, b -> s ? a : b."""

SECOND = "second_"
"""What the name of a held word of the second set begins with, where nothing else is said."""


def with_second_words(graph: Graph, select: str, prefix: str = SECOND) -> Graph:
    """Every operation that reads held words reads the first set's where the input `select` is 0, and the
    second set's where it is 1.

    Each reader has a multiplexer of its own, so none of its results waits for a later reader. Each has its
    own registered copies of the select, which is therefore needed a cycle before the words. Example: an
    input `rk3` gets a second input `second_rk3` of the same width; prefix: what its name begins with. Called
    again with another select and prefix, it makes four sets. Raises ValueError where the graph has an input
    of the name `select` already.
    """
    if select in graph.inputs:
        raise ValueError(f"graph {graph.name} has an input {select} already")
    first: list[int] = []
    second: dict[int, int] = {}  # static node -> the same of the second set
    chosen: list[int] = []

    def read(b: GraphBuilder, reader: int, i: int) -> int:
        """What an agile reader reads in the place of node i."""
        if i not in second:
            return first[i]
        if not chosen:
            chosen.append(b.input(select, 1))
        width = graph.nodes[i].width
        copies = [b.node("copy", 1, (chosen[0],), (reader, i, k)) for k in range(-(-width // _LANES))]
        if len(copies) == 1:
            return b.mux(copies[0], second[i], first[i])
        spread = b.cat(*(copies[k // _LANES] for k in reversed(range(width))))
        return b.lut(_MUX, spread, second[i], first[i])

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if graph.agile[i] or node.op == "const":
            return _copied(b, node, tuple(read(b, i, a) for a in node.args))
        if node.op == "input":
            second[i] = b.input(f"{prefix}{node.attr[0]}", node.width, STATIC)
        else:
            second[i] = _copied(b, node, tuple(second.get(a, first[a]) for a in node.args))
        return None

    return rebuild(graph, replace, first)


def _copied(b: GraphBuilder, node: Node, args: tuple[int, ...]) -> int:
    if node.op == "select":
        return b.select(args[0], node.attr)
    return b.node(node.op, node.width, args, node.attr, node.name)
