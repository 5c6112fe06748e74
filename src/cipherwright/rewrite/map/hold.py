"""Static round keys are stored already transformed for the rounds that use them.

A pipeline with held round keys reads linear maps of them (fuse.py moves an S-box's first map over the key
that was added before it). Here these maps leave the pipeline: every held input becomes the word that is
read, and whoever fills the registers computes the map, once. What a round computes of a round key alone and
is no linear map, such as the complement of a key, stays in the pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import STATIC
from .._walk import rebuild, summands

__all__ = ["HeldWords", "held_words", "with_raw_words"]

Bit = tuple[int, int]


@dataclass(frozen=True)
class HeldWords:
    """`graph` reads mapped words under the names of the inputs that it had; `rows[name]`: the map, most
    significant row first.
    """

    graph: Graph
    rows: Mapping[str, tuple[int, ...]]


def held_words(graph: Graph) -> HeldWords:
    """`graph` with every static input replaced by the linear map of it that is read. Raises ValueError where
    a linear map joins several inputs.

    >>> b = GraphBuilder("example")
    >>> key = b.linear("L", (0b11, 0b01), b.input("rk0", 2, STATIC))
    >>> b.output("y", b.xor(b.input("x", 2), key))
    >>> held = held_words(b.build())
    >>> [n.op for n in held.graph.nodes], held.rows  # the map is outside
    (['input', 'input', 'xor'], {'rk0': (3, 1)})
    """
    sums = _input_sums(graph)
    wanted: dict[str, set[int]] = {node.attr[0]: set() for node in graph.nodes if _is_held(node)}
    for bit, readers in graph.readers.items():
        if bit in sums and any(u < 0 or graph.agile[u] or (u, 0) not in sums for u in readers):
            name, mask = sums[bit]
            wanted[name].add(mask)
    order = {
        name: sorted(masks or {1}, key=lambda m: ((m.bit_length() - 1) // 8, m))
        for name, masks in wanted.items()
    }
    made: dict[str, int] = {}
    new: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if graph.agile[i] or any(bit not in sums for bit in graph.bits[i]):
            return None
        if node.op == "input":
            name = node.attr[0]
            made[name] = b.input(name, len(order[name]), STATIC)
        zero = b.const(1, 0)  # in the place of bits that only other maps read
        found = [
            (made[name], order[name].index(mask)) if mask in order[name] else (zero, 0)
            for name, mask in (sums[bit] for bit in graph.bits[i])
        ]
        return b.gather(found)

    held = rebuild(graph, replace, new)
    return HeldWords(held, {name: tuple(reversed(masks)) for name, masks in order.items()})


def _is_held(node: Node) -> bool:
    return node.op == "input" and node.attr[1] == STATIC


def _input_sums(graph: Graph) -> dict[Bit, tuple[str, int]]:
    """Static bits that are not wiring and that are a sum of bits of an input: that input, and the mask of its
    bits. Raises ValueError where they are bits of several inputs.
    """
    sums: dict[Bit, tuple[str, int]] = {}
    for i, node in enumerate(graph.nodes):
        if graph.agile[i] or node.op not in ("input", "linear"):
            continue
        if node.op == "input":
            sums |= {(i, k): (node.attr[0], 1 << k) for k in range(node.width)}
            continue
        added = [summands(graph, node, k) for k in range(node.width)]
        if all(bit in sums for bits in added for bit in bits):
            sums |= {(i, k): _added([sums[bit] for bit in bits]) for k, bits in enumerate(added)}
    return sums


def _added(read: list[tuple[str, int]]) -> tuple[str, int]:
    """The sum of sums of one input's bits."""
    names = {name for name, _ in read}
    if len(names) != 1:
        raise ValueError(f"a linear map joins the held words {', '.join(sorted(names))}")
    mask = 0
    for _, m in read:
        mask ^= m
    return names.pop(), mask


def with_raw_words(held: HeldWords, widths: Mapping[str, int]) -> Graph:
    """The graph of `held` over the inputs as they were, of `widths` bits by name: for the comparison with the
    cipher.
    """

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        name = node.attr[0] if node.op == "input" else ""
        return (
            b.linear(name, held.rows[name], b.input(name, widths[name], STATIC))
            if name in held.rows
            else None
        )

    return rebuild(held.graph, replace)
