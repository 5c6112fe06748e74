"""Static round keys are stored already transformed for the rounds that use them.

A pipeline with held round keys reads linear maps of them (fuse.py moves an S-box's first map over the key
that was added before it). Here these maps leave the pipeline: every held input becomes the word that is
read, and whoever fills the registers computes the map, once.
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
    what is read is no linear map of one input.

    >>> b = GraphBuilder("example")
    >>> key = b.linear("L", (0b11, 0b01), b.input("rk0", 2, STATIC))
    >>> b.output("y", b.xor(b.input("x", 2), key))
    >>> held = held_words(b.build())
    >>> [n.op for n in held.graph.nodes], held.rows  # the map is outside
    (['input', 'input', 'xor'], {'rk0': (3, 1)})
    """
    sums = _input_sums(graph)
    wanted: dict[str, set[int]] = {}
    for bit, readers in graph.readers.items():
        if bit in sums and any(u < 0 or graph.agile[u] for u in readers):
            name, mask = sums[bit]
            wanted.setdefault(name, set()).add(mask)
    order = {
        name: sorted(masks, key=lambda m: ((m.bit_length() - 1) // 8, m)) for name, masks in wanted.items()
    }
    made: dict[str, int] = {}
    new: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if graph.agile[i] or node.op == "const":
            return None
        if node.op == "input":
            name = node.attr[0]
            made[name] = b.input(name, max(1, len(order.get(name, ()))), STATIC)
        zero = b.const(1, 0)  # in the place of bits that only other maps read
        found = [
            (made[name], order[name].index(mask)) if mask in order.get(name, ()) else (zero, 0)
            for name, mask in (sums[bit] for bit in graph.bits[i])
        ]
        return b.gather(found)

    held = rebuild(graph, replace, new)
    return HeldWords(held, {name: tuple(reversed(masks)) for name, masks in order.items()})


def _input_sums(graph: Graph) -> dict[Bit, tuple[str, int]]:
    """Static bits that are not wiring: the input that each is a sum of, and the mask of that input's bits.
    Raises ValueError where it is no such sum.
    """
    sums: dict[Bit, tuple[str, int]] = {}
    for i, node in enumerate(graph.nodes):
        if graph.agile[i] or node.op in ("const", "select", "cat"):
            continue
        if node.op not in ("input", "linear"):
            raise ValueError(f"held words go through the operation {node.op}, which is no linear map")
        for k in range(node.width):
            sums[(i, k)] = (
                (node.attr[0], 1 << k)
                if node.op == "input"
                else _added([sums[bit] for bit in summands(graph, node, k)])
            )
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
