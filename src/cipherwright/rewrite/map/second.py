"""A second set of held words: a bit that goes with every block chooses whose are read."""

from __future__ import annotations

from collections.abc import Mapping

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import STATIC
from .._walk import rebuild

__all__ = ["SECOND", "second_bits", "with_second_words"]

_LANES = 16
"""Bits of a multiplexer that one registered copy of the select drives."""

_MUX = 0b11001010
"""Truth table of s, a, b -> s ? a : b."""

SECOND = "second_"
"""What the name of a held word of the second set begins with, where nothing else is said."""


def with_second_words(graph: Graph, select: str, prefix: str = SECOND, never: str = "") -> Graph:
    """Every operation that reads held words reads the first set's where the input `select` is 0, and the
    second set's where it is 1.

    never: an input of one bit; a block with which it is 1 never chooses the second set. Then what is read for
    such blocks alone is the first set's, and words of the second set have only the bits that are read for
    others (`second_bits`), in the same order. "" where every block may choose.

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
    need = _Need(graph, never)
    kept = need.second_bits()

    def read(b: GraphBuilder, reader: int, place: int) -> int:
        """What an agile reader reads as its argument number `place`."""
        i = graph.nodes[reader].args[place]
        if i not in second or need.of(reader, place) == _ONE:
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
            return _copied(b, node, tuple(read(b, i, k) for k in range(len(node.args))))
        if node.op == "input":
            bits = kept[node.attr[0]]
            made = b.input(f"{prefix}{node.attr[0]}", len(bits), STATIC)
            second[i] = made if len(bits) == node.width else _spread(b, made, bits, node.width)
        else:
            second[i] = _copied(b, node, tuple(second.get(a, first[a]) for a in node.args))
        return None

    return rebuild(graph, replace, first)


def second_bits(graph: Graph, never: str) -> Mapping[str, tuple[int, ...]]:
    """Of every held word of `graph` the bits that a second set of them has, lowest first: all of them, or
    with `never` as in `with_second_words` those that are read for blocks with which it is 0. Of a word of
    which none is, all.
    """
    return _Need(graph, never).second_bits()


_ZERO, _ONE = 1, 2
"""A result is needed for blocks with which a bit is 0, or 1; the sum is for both."""


class _Need:
    """For which values of the input `bit` of `graph` results are needed: what a multiplexer with this select
    drops is not. For both, where `bit` is "" or no input.
    """

    def __init__(self, graph: Graph, bit: str) -> None:
        self.graph, self.bit, self.select = graph, bit, graph.inputs.get(bit, -1)
        self.found = [0] * len(graph.nodes)
        for _, i in graph.outputs:
            self.found[i] = _ZERO | _ONE
        for i in range(len(graph.nodes) - 1, -1, -1):
            for place, a in enumerate(graph.nodes[i].args):
                self.found[a] |= self.of(i, place)

    def of(self, reader: int, place: int) -> int:
        """For which of them argument number `place` of the result `reader` is."""
        node, need = self.graph.nodes[reader], self.found[reader]
        if node.op == "mux" and node.args[0] == self.select and place:
            return need & (_ONE if place == 1 else _ZERO)
        return need

    def second_bits(self) -> dict[str, tuple[int, ...]]:
        """As of the function `second_bits`."""
        graph = self.graph
        read = {
            bit
            for i, node in enumerate(graph.nodes)
            if graph.agile[i]
            for k, a in enumerate(node.args)
            if self.of(i, k) & _ZERO
            for bit in graph.bits[a]
        }
        held = {n: i for n, i in graph.inputs.items() if not graph.agile[i]}
        found = {
            n: tuple(k for k in range(graph.nodes[i].width) if not self.bit or (i, k) in read)
            for n, i in held.items()
        }
        return {n: bits or tuple(range(graph.nodes[held[n]].width)) for n, bits in found.items()}


def _spread(b: GraphBuilder, word: int, bits: tuple[int, ...], width: int) -> int:
    """The bits of `word` in the places `bits` of one of `width`, the others 0."""
    zero = b.const(1, 0)
    place = {bit: k for k, bit in enumerate(bits)}
    return b.gather([(word, place[k]) if k in place else (zero, 0) for k in range(width)])


def _copied(b: GraphBuilder, node: Node, args: tuple[int, ...]) -> int:
    if node.op == "select":
        return b.select(args[0], node.attr)
    return b.node(node.op, node.width, args, node.attr, node.name)
