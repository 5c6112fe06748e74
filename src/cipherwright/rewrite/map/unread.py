"""Operations that nothing reads are left out."""

from __future__ import annotations

from ...graph import Graph, GraphBuilder, Node
from .._walk import rebuild

__all__ = ["without_unread"]


def without_unread(graph: Graph) -> Graph:
    """`graph` without the operations of which nothing reads a bit, such as the table of a control bit that a
    key schedule ignores, and without those that only these read. Wiring alone still names them; it takes 0.

    >>> b = GraphBuilder("two of three")
    >>> x, y = b.input("x", 1), b.input("y", 1)
    >>> three = b.cat(b.xor(x, y), b.and_(x, y), x)
    >>> b.output("z", b.select(three, (2, 0)))
    >>> [n.op for n in without_unread(b.build()).nodes if n.op in ("xor", "and")]
    ['xor']
    """
    while unread := _unread(graph):
        graph = _without(graph, unread)
    return graph


def _unread(graph: Graph) -> set[int]:
    """Operations of which nothing reads a bit."""
    return {*graph.logic()} - {source for source, _ in graph.readers}


def _without(graph: Graph, gone: set[int]) -> Graph:
    """`graph` with zeros in the place of the operations that are `gone`."""

    def zero(b: GraphBuilder, i: int, node: Node, _: tuple[int, ...]) -> int | None:
        return b.const(node.width, 0) if i in gone else None

    return rebuild(graph, zero)
