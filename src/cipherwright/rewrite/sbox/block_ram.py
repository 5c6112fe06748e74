"""Boxes in block RAM beside boxes in logic: the first boxes of a cipher, two to a block, whose two ports
read at once.
"""

from __future__ import annotations

from itertools import groupby

from ...errors import UserError
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import lookup_depths, rebuild, reordered

__all__ = ["PORT_BITS", "boxes_in_block_ram", "first_boxes"]

PORT_BITS = 18
"""Bits of a word that either port of a block reads where both are used."""


def first_boxes(graph: Graph, count: int) -> list[int]:
    """The first `count` lookups of `graph` of at least eight address bits, as indices of nodes, by the number
    of lookups before them. Raises UserError where there are not so many.
    """
    depth = lookup_depths(graph)
    fit = [
        i
        for i, n in enumerate(graph.nodes)
        if n.op == "lookup" and n.attr.address_bits >= 8 and graph.agile[i]
    ]
    if len(fit) < count:
        raise UserError(
            f"{graph.name} has {len(fit)} boxes of at least eight address bits, so block_ram_boxes = "
            f"{count} is too many"
        )
    return sorted(fit, key=lambda i: (depth[i], graph.nodes[i].attr.name, i))[:count]


def _pairs(graph: Graph, count: int) -> list[tuple[int, ...]]:
    """The first boxes, two and two where both are of the same table and neither comes before the other; a
    last one alone.
    """
    depth = lookup_depths(graph)
    out: list[tuple[int, ...]] = []
    for _, group in groupby(first_boxes(graph, count), key=lambda i: (depth[i], graph.nodes[i].attr)):
        alike = list(group)
        size = 2 if graph.nodes[alike[0]].width <= PORT_BITS else 1
        out += [tuple(alike[k : k + size]) for k in range(0, len(alike), size)]
    return out


def boxes_in_block_ram(graph: Graph, count: int) -> Graph:
    """The graph with its first `count` boxes as `rom`, one node for two of them where a word fits half a
    block's width. Raises UserError like `first_boxes`.
    """
    if not count:
        return graph
    groups = _pairs(graph, count)
    partners = [(g[0], g[1]) for g in groups if len(g) == 2]
    graph, place = reordered(graph, dict(partners) | {b: a for a, b in partners})
    member = {place[i]: (k, pos) for k, g in enumerate(groups) for pos, i in enumerate(g)}
    made: dict[int, int] = {}
    new: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if i not in member:
            return None
        k, pos = member[i]
        size = len(groups[k])
        if k not in made:
            addresses = [new[graph.nodes[place[j]].args[0]] for j in groups[k]]
            made[k] = b.node("rom", size * node.width, addresses, node.attr, node.name or "box")
        low = node.width * (size - 1 - pos)
        return made[k] if size == 1 else b.select(made[k], range(low + node.width - 1, low - 1, -1))

    return rebuild(graph, replace, new)
