"""Bitwise logic merged into lookup tables of at most k inputs: key multiplexer and XOR in one LUT4, the last
multiplexer level of an S-box with the XOR that follows it (Trimberger et al. 2000, sections 3.2 and 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ...graph.builder import GraphBuilder
from ...graph.graph import OUTPUT, Graph, Node
from ...graph.ops import OPS
from .._walk import BITWISE, rebuild

__all__ = ["merge_bitwise"]

_Bit = tuple[int, int]
"""A node, and the number of a bit in it."""


class _Lut(NamedTuple):
    """A function of bits: its truth table (operand 0 is the top address bit), and for each operand the bits
    of all lanes.
    """

    table: int
    lanes: tuple[list[_Bit], ...]


def merge_bitwise(graph: Graph, k: int, keep: frozenset[int] = frozenset()) -> Graph:
    """`graph` with lookup tables: every bitwise operation whose operand is a bitwise operation with no other
    user becomes one `lut` node with it, as long as every output bit depends on at most `k` bits. Wiring in
    between is followed bit by bit. Nodes in `keep` stay operations of their own, so that a register may
    follow them.

    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> [n.op for n in merge_bitwise(b.build(), 4).nodes]
    ['input', 'input', 'input', 'lut']
    """
    kept = {bit for i in keep for bit in graph.bits[i]}
    users = {bit: readers | {OUTPUT} if bit in kept else readers for bit, readers in graph.readers.items()}
    merged = dict[int, _Lut]()

    rename: list[int] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op not in BITWISE:
            return None
        found = _merge(graph, i, k, users, merged)
        if found is None:
            return None
        table, lanes = merged[i] = found
        words = [b.gather([(rename[s], j) for s, j in lane]) for lane in lanes]
        # An operand that is one bit for every lane stays one bit, and is spread by the operation.
        words = [
            b.gather([(rename[lane[0][0]], lane[0][1])]) if len(set(lane)) == 1 else w
            for w, lane in zip(words, lanes, strict=True)
        ]
        if max(b.width(w) for w in words) != node.width:
            return None
        return b.lut(table, *words, name=node.name)

    return rebuild(graph, replace, rename)


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


def _merge(
    graph: Graph,
    i: int,
    k: int,
    users: Mapping[_Bit, frozenset[int]],
    merged: Mapping[int, _Lut],
) -> _Lut | None:
    """Absorb operands one after the other while each lane keeps to k inputs."""
    table, lanes, changed = _truth(graph, i), _lanes(graph, i), False
    pos = 0
    while pos < len(lanes):
        sources = {s for s, _ in lanes[pos]}
        # The operand goes away altogether, or it stays: half an operation saves no lookup table.
        ok = all(
            graph.nodes[s].op in BITWISE
            and all(users.get((s, j), {i}) == {i} for j in range(graph.nodes[s].width))
            for s in sources
        )
        if ok:
            inner = {s: merged.get(s) or _Lut(_truth(graph, s), tuple(_lanes(graph, s))) for s in sources}
            shapes = {(lut.table, len(lut.lanes)) for lut in inner.values()}
            if len(shapes) == 1:
                t, n = next(iter(shapes))
                new = [[inner[s].lanes[q][j] for s, j in lanes[pos]] for q in range(n)]
                if len(lanes) - 1 + n <= k:
                    table, lanes, changed = (
                        _compose(table, len(lanes), pos, t, n),
                        lanes[:pos] + new + lanes[pos + 1 :],
                        True,
                    )
                    continue
        pos += 1
    return _Lut(table, tuple(lanes)) if changed else None


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
