"""Words of a Feistel network in the form in which their S-boxes read them.

An S-box in a tower field begins with a linear map of its input, and the input is a sum of state words.
The map of a sum is the sum of the maps, so here the words themselves are kept mapped: a new word is the
mapped word of before plus the mapped output of the round function, and the map before the box is gone.
Where a word is needed as it was, the inverse map makes it so. Of the sum in front of a box the word that
comes last is written as the sum that made it, so that both end in the same lookup tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import rebuild, summands

__all__ = ["inverse_rows", "map_words"]

Bit = tuple[int, int]
Rows = tuple[int, ...]


@dataclass(frozen=True)
class _Read:
    """A linear map, most significant row first, of listed bits, least significant first."""

    rows: Rows
    bits: tuple[Bit, ...]


def inverse_rows(rows: Rows) -> Rows | None:
    """The inverse of the square map `rows` (bit k of a row: input bit k; the most significant output first),
    in the same form, or None where there is none.

    >>> inverse_rows((0b11, 0b01)), inverse_rows((0b11, 0b11))  # x1 + x0, x0
    ((3, 1), None)
    """
    n = len(rows)
    # Row i gives bit n - 1 - i: solve for every input bit in terms of output bits.
    work = [[row, 1 << n - 1 - i] for i, row in enumerate(rows)]
    for k in range(n):
        pivot = next((w for w in work[k:] if w[0] >> k & 1), None)
        if pivot is None:
            return None
        at = work.index(pivot, k)
        work[k], work[at] = work[at], work[k]
        for w in work:
            if w is not work[k] and w[0] >> k & 1:
                w[0] ^= work[k][0]
                w[1] ^= work[k][1]
    return tuple(w[1] for w in reversed(work))


class _Words:
    """The sums that linear maps in front of boxes read, and which of them are words of a network: read
    under the same map by several such sums.
    """

    def __init__(self, graph: Graph) -> None:
        self.g = graph
        self.depth: list[int] = []
        for n in graph.nodes:
            self.depth.append(max((self.depth[a] for a in n.args), default=0) + (n.op == "call"))
        self.roots: dict[int, _Read] = {}
        self.seen: dict[_Read, int] = {}
        for i, n in enumerate(graph.nodes):
            bits = graph.bits[n.args[0]] if n.op == "linear" else ()
            if bits and self.sum_of(bits) is not None and len(n.attr[1]) == len(bits):
                self.roots[i] = _Read(n.attr[1], bits)
                self._visit(self.roots[i])
        self.words = {read for read, times in self.seen.items() if times > 1 and self._made(read) is not None}
        self.joint: dict[int, list[_Read]] = {}
        for read in sorted(self.words, key=lambda r: r.bits):
            made = self._made(read)
            if made is not None:
                self.joint.setdefault(made, []).append(read)
        self.raw = self._raw()

    def sum_of(self, bits: tuple[Bit, ...]) -> int | None:
        """The XOR that all the bits are of."""
        source = {i for i, _ in bits}
        i = next(iter(source))
        return i if len(source) == 1 and self.g.nodes[i].op == "xor" else None

    def parts(self, read: _Read) -> list[_Read]:
        """The same map of the operands of a sum."""
        i = self.sum_of(read.bits)
        assert i is not None
        return [
            _Read(read.rows, tuple(self.g.bits[a][k] for _, k in read.bits)) for a in self.g.nodes[i].args
        ]

    def _visit(self, read: _Read) -> None:
        self.seen[read] = self.seen.get(read, 0) + 1
        if self.seen[read] == 1 and self.sum_of(read.bits) is not None:
            for part in self.parts(read):
                self._visit(part)

    def linear(self, read: _Read) -> int | None:
        """The linear map that all the bits are of."""
        source = {i for i, _ in read.bits}
        i = next(iter(source))
        return i if len(source) == 1 and self.g.nodes[i].op == "linear" else None

    def _made(self, read: _Read) -> int | None:
        """The linear map that is an operand of the sum."""
        if self.sum_of(read.bits) is None:
            return None
        return next((i for part in self.parts(read) if (i := self.linear(part)) is not None), None)

    def _raw(self) -> dict[int, list[tuple[_Read, Rows]]]:
        """XORs of which every bit is in a word with an inverse map: the words, and these maps."""
        found: dict[int, list[tuple[_Read, Rows]]] = {}
        for read in self.words:
            i, back = self.sum_of(read.bits), inverse_rows(read.rows)
            if i is not None and back is not None:
                found.setdefault(i, []).append((read, back))
        return {
            i: words
            for i, words in found.items()
            if sorted(k for read, _ in words for _, k in read.bits) == list(range(self.g.nodes[i].width))
        }

    def expanded(self, read: _Read) -> tuple[Rows, tuple[Bit, ...]]:
        """The map of bits behind the linear maps that made them, over the bits in front of those."""
        masks = [self._before(bit) for bit in read.bits]
        order = tuple(sorted(set().union(*masks)))
        place = {bit: k for k, bit in enumerate(order)}
        rows = []
        for row in read.rows:
            bits_of: set[Bit] = set()
            for k, mask in enumerate(masks):
                if row >> k & 1:
                    bits_of ^= mask
            rows.append(sum(1 << place[bit] for bit in bits_of))
        return tuple(rows), order

    def _before(self, bit: Bit) -> set[Bit]:
        """The bits in front of linear maps whose sum a bit is: itself where no linear map made it."""
        node = self.g.nodes[bit[0]]
        if node.op != "linear":
            return {bit}
        chosen = tuple(summands(self.g, node, bit[1]))
        if any(self.g.nodes[s].op == "linear" for s, _ in chosen):
            ones, bits = self.expanded(_Read(((1 << len(chosen)) - 1,), chosen))
            return {bit for j, bit in enumerate(bits) if ones[0] >> j & 1}
        total: set[Bit] = set()
        for source in chosen:
            total ^= {source}
        return total


def map_words(graph: Graph) -> Graph:
    """The same function with the words of a Feistel network mapped; the graph as it is where it has none."""
    w = _Words(graph)
    if not w.words:
        return graph
    new: list[int] = []
    made: dict[_Read, int] = {}

    def gathered(b: GraphBuilder, bits: tuple[Bit, ...]) -> int:
        return b.gather([(new[i], k) for i, k in bits])

    def map_of(b: GraphBuilder, read: _Read, name: str) -> int:
        """The map of bits that are no sum."""
        i = w.linear(read)
        if i is None:
            return b.linear(name, read.rows, gathered(b, read.bits))
        together = [part for word in w.joint.get(i, []) for part in w.parts(word) if w.linear(part) == i]
        if read not in together:
            together = [read]
        rows = [row for part in together for row in part.rows]
        bits = tuple(bit for part in together for bit in part.bits)
        joined, start = [], 0
        for part in together:
            joined += [row << start for row in part.rows]
            start += len(part.bits)
        assert len(rows) == len(joined)
        over_rows, over = w.expanded(_Read(tuple(joined), bits))
        whole = b.linear(f"{graph.nodes[i].attr[0]}Mapped", over_rows, gathered(b, over))
        low = len(joined)
        for part in together:
            low -= len(part.rows)
            made[part] = b.select(whole, range(low + len(part.rows) - 1, low - 1, -1))
        return made[read]

    def value(b: GraphBuilder, read: _Read, name: str) -> int:
        if read not in made:
            if w.sum_of(read.bits) is None:
                made[read] = map_of(b, read, name)
            else:
                one, other = (value(b, part, name) for part in w.parts(read))
                made[read] = b.xor(one, other)
        return made[read]

    def terms(read: _Read) -> list[_Read]:
        """The words and other operands that a sum adds up."""
        if read in w.words or w.sum_of(read.bits) is None:
            return [read]
        return [term for part in w.parts(read) for term in terms(part)]

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if i in w.roots:
            read = w.roots[i]
            if read in w.words or not w.words & set(terms(read)):
                return value(b, read, node.attr[0]) if read in w.words else None
            listed = terms(read)
            late = max((t for t in listed if t in w.words), key=lambda t: max(w.depth[s] for s, _ in t.bits))
            listed.remove(late)
            values = [value(b, t, node.attr[0]) for t in [*listed, *w.parts(late)]]
            total = values[0]
            for v in values[1:]:
                total = b.xor(total, v)
            return total
        if i in w.raw:
            bits: list[Bit] = [(0, 0)] * node.width
            for read, back in w.raw[i]:
                word = b.linear("Back", back, value(b, read, "In"))
                for j, (_, k) in enumerate(read.bits):
                    bits[k] = (word, j)
            return b.gather(bits)
        return None

    return rebuild(graph, replace, new)
