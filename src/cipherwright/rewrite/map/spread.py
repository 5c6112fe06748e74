"""Rewrites that trade registers for wire length: copies of busy control bits, and stages for wires alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from ...errors import UserError
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import OPS
from .._walk import BITWISE, rebuild

__all__ = ["add_hops", "copy_busy", "replicate", "without_moves"]

_MUX = 0b11001010
"""The truth table of s, a, b -> s ? a : b."""

Bit = tuple[int, int]


def replicate(graph: Graph, name: str, lanes: int, hops: int = 0) -> Graph:
    """`graph` in which the input `name` (one bit) drives each bitwise operation of more than `lanes` lanes
    through registered copies, one for so many lanes, each with `hops` more stages in which it travels. Raises
    ValueError where there is no such input of one bit.
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
            return b.lut(_MUX, spread, args[1], args[2], name=node.name)
        return None

    return rebuild(graph, replace)


def copy_busy(graph: Graph, lanes: int, hops: int = 0) -> Graph:
    """`graph` in which every bit that an operation makes, and that more than `lanes` lanes of bitwise
    operations read, drives them through registered copies, one for so many lanes, each with `hops` more
    stages in which it travels.
    """
    loads: Counter[Bit] = Counter()
    for _, read in _lanes_of(graph):
        loads.update(read)
    busy = {bit for bit, n in loads.items() if n > lanes and _is_made(graph, bit)}
    used: Counter[Bit] = Counter()
    new: list[int] = []

    def copy(b: GraphBuilder, bit: Bit) -> Bit:
        if bit not in busy:
            return new[bit[0]], bit[1]
        k = used[bit] // lanes
        used[bit] += 1
        made = b.node("copy", 1, (b.select(new[bit[0]], (bit[1],)),), (*bit, k))
        for hop in range(hops):
            made = b.node("hop", 1, (made,), (*bit, k, hop))
        return made, 0

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op not in BITWISE:
            return None
        read = [_read(graph, node, a) for a in node.args]
        if not any(bit in busy for bits in read for bit in bits):
            return None
        words = [
            b.gather([copy(b, bit) for bit in bits]) if any(bit in busy for bit in bits) else arg
            for bits, arg in zip(read, args, strict=True)
        ]
        if node.op == "mux":
            return b.lut(_MUX, *words, name=node.name)
        return b.node(node.op, node.width, words, node.attr, node.name)

    return rebuild(graph, replace, new)


def _read(graph: Graph, node: Node, a: int) -> tuple[Bit, ...]:
    """The bit of an operand that each lane of a bitwise operation reads."""
    bits = graph.bits[a]
    return bits * node.width if len(bits) == 1 else bits


def _lanes_of(graph: Graph) -> Iterator[tuple[Node, list[Bit]]]:
    """The bitwise operations, and for each the bits that its lanes read."""
    for node in graph.nodes:
        if node.op in BITWISE:
            yield node, [bit for a in node.args for bit in _read(graph, node, a)]


def _is_made(graph: Graph, bit: Bit) -> bool:
    """Whether an operation makes the bit in time: no input, constant, copy or held value."""
    return graph.agile[bit[0]] and graph.nodes[bit[0]].op in (*BITWISE, "lookup", "call", "linear")


def add_hops(graph: Graph, names: tuple[str, ...], elsewhere: Collection[str] = ()) -> Graph:
    """`graph` with a stage behind every operation called one of `names`, in which its result only travels.
    Raises UserError for a name that there is not, with those that there are: in `graph`, and `elsewhere` in
    the same core.
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.name not in names or not graph.agile[i]:  # what is held does not travel
            return None
        made = b.node(node.op, node.width, args, node.attr, node.name)
        return b.node("hop", node.width, (made,), i)

    known = {n.name for n in graph.nodes if n.name}
    if missing := [n for n in names if n not in known]:
        raise UserError(
            f"no operation is called {', '.join(n or repr(n) for n in missing)}; names are "
            f"{', '.join(sorted(known.union(elsewhere)))}"
        )
    return rebuild(graph, replace)


def without_moves(graph: Graph, operations: Collection[str]) -> Graph:
    """`graph` without copies and stages for wires: what they pass on is read where it is made. operations:
    which of them, `copy` and `hop`.
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        return args[0] if node.op in operations else None

    return rebuild(graph, replace)
