"""Copying a graph node by node while some nodes are replaced: the frame of every rewrite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from graphlib import TopologicalSorter

from ..graph.builder import GraphBuilder
from ..graph.graph import Graph, Node

__all__ = ["BITWISE", "copied", "lookup_depths", "rebuild", "reordered", "summands"]

BITWISE = ("xor", "and", "or", "not", "mux", "lut")
"""Operations whose output bit k depends on bit k of wide operands (and on one-bit operands)."""

Replace = Callable[[GraphBuilder, int, Node, tuple[int, ...]], int | None]


def copied(b: GraphBuilder, node: Node, args: tuple[int, ...]) -> int:
    """The operation of `node` over the new arguments `args`, as a node of `b`."""
    return (
        b.select(args[0], node.attr)
        if node.op == "select"
        else b.node(node.op, node.width, args, node.attr, node.name)
    )


def rebuild(graph: Graph, replace: Replace, new: list[int] | None = None) -> Graph:
    """A copy of `graph`; `replace(builder, index, node, new_args)` gives the new node, or None to keep it.
    `new`, an empty list, is filled with the new node of every node as the copy goes on, for replacements
    that look behind wiring.
    """
    b = GraphBuilder(graph.name, graph.delay)
    new = [] if new is None else new
    for i, node in enumerate(graph.nodes):
        args = tuple([new[a] for a in node.args])
        b.section(node.section)
        j = replace(b, i, node, args)
        if j is None:
            j = copied(b, node, args)
        elif node.name:
            b.named(j, node.name)
        new.append(j)
    for name, i in graph.outputs:
        b.output(name, new[i])
    return b.build()


def reordered(graph: Graph, after: Mapping[int, int]) -> tuple[Graph, dict[int, int]]:
    """`graph` with nodes in an order in which node i also comes after the arguments of node `after[i]`, and
    the new number of every node that has one now. Raises graphlib.CycleError where there is no such order.
    """
    order = TopologicalSorter(
        {i: [*n.args, *(graph.nodes[after[i]].args if i in after else ())] for i, n in enumerate(graph.nodes)}
    ).static_order()
    b, place = GraphBuilder(graph.name, graph.delay), dict[int, int]()
    for i in order:
        node = graph.nodes[i]
        b.section(node.section)
        place[i] = b.node(node.op, node.width, [place[a] for a in node.args], node.attr, node.name, own=True)
    for name, i in graph.outputs:
        b.output(name, place[i])
    made = b.build()
    assert len(made.nodes) == len(graph.nodes), "every node of a built graph is needed"
    return made, place


def summands(graph: Graph, node: Node, k: int) -> list[tuple[int, int]]:
    """The bits (node, bit) of `graph` that bit `k` (0: the least significant) of the linear map `node` is the
    sum of.
    """
    row = node.attr[1][-1 - k]
    return [bit for j, bit in enumerate(graph.bits[node.args[0]]) if row >> j & 1]


def lookup_depths(graph: Graph) -> list[int]:
    """Lookups on the longest way from an input to each node of `graph`, by its index; its own counted."""
    depth: list[int] = []
    for n in graph.nodes:
        depth.append(max((depth[a] for a in n.args), default=0) + (n.op == "lookup"))
    return depth
