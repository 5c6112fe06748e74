"""Bitwise logic merged into lookup tables of at most k inputs: key multiplexer and XOR in one LUT4, the last
multiplexer level of an S-box with the XOR that follows it (Trimberger et al. 2000, sections 3.2 and 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.ops import OPS
from .._walk import BITWISE, rebuild

__all__ = ["Merged", "merge_bitwise", "merged"]

_Bit = tuple[int, int]
"""A node, and the number of a bit in it."""


class _Lut(NamedTuple):
    """A function of bits: its truth table (operand 0 is the top address bit), and for each operand the bits
    of all lanes.
    """

    table: int
    lanes: tuple[list[_Bit], ...]


@dataclass(frozen=True)
class Merged:
    """What `merged` makes, and what it found on the way.

    graph: with the lookup tables. widest: inputs of the widest operation into which another one went (0: none
    did). refused: the fewest inputs of an operation that had more than it may have, and was not made (0:
    there was none). held_apart: an operation that had to stay by itself would have gone into another.
    """

    graph: Graph
    widest: int
    refused: int
    held_apart: bool

    def as_with(self, k: int) -> bool:
        """Whether the same operations are merged where tables have at most `k` inputs instead."""
        return self.widest <= k and not 0 < self.refused <= k


def merge_bitwise(graph: Graph, k: int) -> Graph:
    """`graph` with lookup tables: every bitwise operation whose operand is a bitwise operation with no other
    user becomes one `lut` node with it, as long as every output bit depends on at most `k` bits. Wiring in
    between is followed bit by bit.

    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> [n.op for n in merge_bitwise(b.build(), 4).nodes]
    ['input', 'input', 'input', 'lut']
    """
    return merged(graph, k).graph


def merged(graph: Graph, k: int, keep: frozenset[int] = frozenset()) -> Merged:
    """`graph` as from `merge_bitwise` with tables of at most `k` inputs (0: nothing is merged), and what was
    found. Nodes in `keep` stay operations of their own, so that a register may follow them.

    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> found = merged(b.build(), 4)
    >>> found.widest, found.refused, found.as_with(3), found.as_with(2)
    (3, 0, True, False)
    """
    tables = _Tables(graph, k, keep)
    rename: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op not in BITWISE:
            return None
        found = tables.merge(i)
        if found is None:
            return None
        table, lanes = found
        words = [b.gather([(rename[s], j) for s, j in lane]) for lane in lanes]
        # An operand that is one bit for every lane stays one bit, and is spread by the operation.
        words = [
            b.gather([(rename[lane[0][0]], lane[0][1])]) if len(set(lane)) == 1 else w
            for w, lane in zip(words, lanes, strict=True)
        ]
        if max(b.width(w) for w in words) != node.width:
            return None
        return b.lut(table, *words, name=node.name)

    made = rebuild(graph, replace, rename)
    return Merged(made, tables.widest, tables.refused, tables.held_apart)


def _lanes(graph: Graph, i: int) -> list[list[_Bit]]:
    """For each operand of a bitwise node: the driving bit of every lane."""
    width = graph.nodes[i].width
    out = []
    for a in graph.nodes[i].args:
        bits = list(graph.bits[a])
        out.append(bits * width if len(bits) == 1 and width > 1 else bits)
    return out


def _truth(graph: Graph, i: int) -> int:
    """The node's function of its operands, as a truth table (operand 0 = top address bit)."""
    node = graph.nodes[i]
    return int(node.attr) if node.op == "lut" else _truth_of(node.op, len(node.args))


@cache
def _truth_of(op: str, n: int) -> int:
    return sum(
        OPS[op].meaning(None, [1] * n, [a >> (n - 1 - j) & 1 for j in range(n)], 1) << a
        for a in range(1 << n)
    )


class _Tables:
    """The merged operations of a graph by node, and what was found on the way (see `Merged`)."""

    def __init__(self, graph: Graph, k: int, keep: frozenset[int]) -> None:
        self.graph, self.k = graph, k
        self.kept = {s for i in keep for s, _ in graph.bits[i]}
        self.made = dict[int, _Lut]()
        self.widest = self.refused = 0
        self.held_apart = False

    def merge(self, i: int) -> _Lut | None:
        """The node `i` with the operands that go into it, absorbed one after the other while each lane keeps
        to k inputs; None where none does.
        """
        table, lanes, changed = _truth(self.graph, i), _lanes(self.graph, i), False
        pos = 0
        while pos < len(lanes):
            inner = self._inner(i, lanes[pos])
            if inner is None or not self._goes_in(lanes[pos], len(lanes) - 1 + len(inner[1])):
                pos += 1
                continue
            t, new = inner
            table = _compose(table, len(lanes), pos, t, len(new))
            lanes, changed = lanes[:pos] + new + lanes[pos + 1 :], True
        if not changed:
            return None
        self.made[i] = _Lut(table, tuple(lanes))
        return self.made[i]

    def _inner(self, i: int, lane: list[_Bit]) -> tuple[int, list[list[_Bit]]] | None:
        """Truth table and operands of what makes the operand `lane` of node `i`, where that is one function
        and `i` alone reads it: it goes away altogether, or it stays, since half an operation saves no lookup
        table. None otherwise.
        """
        graph, sources = self.graph, {s for s, _ in lane}
        for s in sources:
            bits = range(graph.nodes[s].width)
            if graph.nodes[s].op not in BITWISE or any(graph.readers.get((s, j), {i}) != {i} for j in bits):
                return None
        inner = {s: self.made.get(s) or _Lut(_truth(graph, s), tuple(_lanes(graph, s))) for s in sources}
        shapes = {(lut.table, len(lut.lanes)) for lut in inner.values()}
        if len(shapes) != 1:
            return None
        t, n = next(iter(shapes))
        return t, [[inner[s].lanes[q][j] for s, j in lane] for q in range(n)]

    def _goes_in(self, lane: list[_Bit], inputs: int) -> bool:
        """Whether the operand `lane` goes into its reader, which has so many `inputs` with it."""
        if inputs > self.k:
            self.refused = min(self.refused or inputs, inputs)
            return False
        if any(s in self.kept for s, _ in lane):
            self.held_apart = True
            return False
        self.widest = max(self.widest, inputs)
        return True


@cache
def _compose(outer: int, n_outer: int, pos: int, inner: int, n_inner: int) -> int:
    """Truth table of `outer` with operand `pos` replaced by `inner` over operands of its own."""
    n = n_outer - 1 + n_inner
    out = 0
    for a in range(1 << n):
        v = [a >> (n - 1 - j) & 1 for j in range(n)]
        sub = int("".join(map(str, v[pos : pos + n_inner])), 2)
        w = [*v[:pos], inner >> sub & 1, *v[pos + n_inner :]]
        out |= (outer >> int("".join(map(str, w)), 2) & 1) << a
    return out
