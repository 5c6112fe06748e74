"""Rewrites that trade registers for wire length: copies of busy control bits, and stages for wires alone."""

from __future__ import annotations

from ...errors import UserError
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import OPS
from .._walk import rebuild

__all__ = ["add_hops", "replicate"]


def replicate(graph: Graph, name: str, lanes: int, hops: int = 0) -> Graph:
    """Input `name` (one bit) drives each bitwise operation through registered copies, one for `lanes`
    lanes, each with `hops` more stages in which it travels.
    """
    source = graph.inputs.get(name)
    if source is None or graph.nodes[source].width != 1:
        raise ValueError(f"graph {graph.name} has no one-bit input {name} to copy")

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if source not in node.args or OPS[node.op].wiring or node.width <= lanes:
            return None
        copies = [
            b.node("copy", 1, (args[node.args.index(source)],), (i, k))
            for k in range(-(-node.width // lanes))
        ]
        for hop in range(hops):
            copies = [b.node("hop", 1, (c,), (i, k, hop)) for k, c in enumerate(copies)]
        spread = b.cat(*(copies[k // lanes] for k in reversed(range(node.width))))
        if node.op == "lut":
            new = [spread if a == source else x for a, x in zip(node.args, args, strict=True)]
            return b.node("lut", node.width, new, node.attr, node.name)
        if node.op == "mux" and node.args[0] == source:
            return b.lut(0b11001010, spread, args[1], args[2], name=node.name)  # s, a, b -> s ? a : b
        return None

    return rebuild(graph, replace)


def add_hops(graph: Graph, names: tuple[str, ...]) -> Graph:
    """After every operation called one of `names`, a stage in which its result only travels. Raises
    UserError for a name that there is not.
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.name not in names or not graph.agile[i]:  # what is held does not travel
            return None
        made = b.node(node.op, node.width, args, node.attr, node.name)
        return b.node("hop", node.width, (made,), i)

    known = {n.name for n in graph.nodes}
    missing = [n for n in names if n not in known]
    if missing:
        raise UserError(
            f"no operation is called {', '.join(missing)}; names are {', '.join(sorted(known - {''}))}"
        )
    return rebuild(graph, replace)
