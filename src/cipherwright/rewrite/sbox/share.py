"""Boxes of two directions that share their inversions.

A graph in which a bit chooses between two results, each through boxes of its own, needs one of the two at
a time. Here a box of the one way and a box of the other, as many boxes from the input, become one
inversion in a tower field between two linear maps each (tower.py), with a multiplexer before the
inversion; behind it both ways go on, and one of them holds nothing of use.
"""

from __future__ import annotations

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import lookup_depths, rebuild, reordered
from .tower import SHARED_BASES, tower_pair

__all__ = ["share_boxes"]


def _cone(graph: Graph, root: int) -> set[int]:
    seen, stack = {root}, [root]
    while stack:
        for a in graph.nodes[stack.pop()].args:
            if a not in seen:
                seen.add(a)
                stack.append(a)
    return seen


def _pairs(graph: Graph, which: int) -> list[tuple[int, int]]:
    """Lookups of the first way and of the second that share: as many lookups from the input, in the order
    of the graph.
    """
    chosen = [n.args for n in graph.nodes if n.op == "mux" and n.args[0] == which]
    if len(chosen) != 1:
        raise ValueError(f"graph {graph.name} does not choose between two results once")
    one, other = (_cone(graph, chosen[0][k]) for k in (2, 1))
    depth = lookup_depths(graph)
    ways = [
        sorted((i for i in way if graph.nodes[i].op == "lookup"), key=lambda i: (depth[i], i))
        for way in (one - other, other - one)
    ]
    if [depth[i] for i in ways[0]] != [depth[i] for i in ways[1]]:
        raise ValueError(f"the two ways through graph {graph.name} differ in their boxes")
    return list(zip(*ways, strict=True))


def share_boxes(graph: Graph, name: str = "decrypt") -> Graph:
    """The graph with shared inversions: the outputs are the same, chosen by the input `name` (0: the first
    way, 1: the second). Raises ValueError where the ways have not the same number of boxes one after the
    other.
    """
    pairs = _pairs(graph, graph.inputs[name])
    graph, place = reordered(graph, dict(pairs) | {other: one for one, other in pairs})
    partners = {
        i: (k, place[one], place[other])
        for k, (one, other) in enumerate(pairs)
        for i in (place[one], place[other])
    }
    made: dict[int, tuple[int, int]] = {}
    new: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if i not in partners:
            return None
        k, one, other = partners[i]
        if k not in made:
            boxes = [(graph.nodes[j].attr, new[graph.nodes[j].args[0]]) for j in (one, other)]
            made[k] = tower_pair(b, new[graph.inputs[name]], boxes[0], boxes[1], SHARED_BASES)
        return made[k][i == other]

    return rebuild(graph, replace, new)
