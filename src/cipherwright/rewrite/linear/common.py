"""Words of a Feistel network in one basis, that of its boxes' field, where the linear layer adds up whole
bytes.

A layer whose matrix has one entry for each pair of bytes, 0 or the identity, commutes with any linear map
that is the same for all bytes. So the words are kept in the basis in which most boxes read them: the maps
before these boxes are gone, the layer stays the sum of bytes that it is, and only the boxes' last maps are
composed with the change of basis. (fuse.py composes the layer too, and its sums of bytes become sums of
many products; domain.py keeps each byte as its own box reads it, and then the layer does not commute.)

A word that has a round key added in front of the boxes is kept with the key in it, and the affine constant
of the boxes too: it is what the boxes read for five levels. The sum that reads it two rounds later adds the
key again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import rebuild
from .domain import inverse_rows

__all__ = ["common_words"]

Bit = tuple[int, int]
Bits = tuple[Bit, ...]
Rows = tuple[int, ...]

_BYTE = 8


@dataclass(frozen=True)
class _Root:
    """The map before a box: its rows, most significant first, over byte `at` (bits from the least
    significant) of the XOR `word`, and the constant that is added to it.
    """

    word: int
    at: int
    rows: Rows
    const: int


@dataclass(frozen=True)
class _Value:
    """A word in the common basis: a new node, and a constant that is to be added to it."""

    node: int
    const: int


def _applied(rows: Rows, x: int) -> int:
    """The map of a number; rows most significant first."""
    out = 0
    for row in rows:
        out = out << 1 | (row & x).bit_count() & 1
    return out


def _composed(outer: Rows, inner: Rows) -> Rows:
    """Rows of outer(inner(x)), most significant first."""
    low = inner[::-1]
    out = []
    for row in outer:
        total = 0
        for k, part in enumerate(low):
            total ^= part if row >> k & 1 else 0
        out.append(total)
    return tuple(out)


class _Words:
    """The maps before boxes, the basis that most of them read, and the words that are kept in it."""

    def __init__(self, graph: Graph) -> None:
        self.g = graph
        found = ((i, self._root(i, n)) for i, n in enumerate(graph.nodes) if n.op == "linear")
        self.roots = {self._whole(i): root for i, root in found if root and graph.agile[i]}
        self.rows, self.const, self.back = self._basis()
        read: dict[int, set[int]] = {}
        for root in self.roots.values():
            read.setdefault(root.word, set()).add(root.at)
        self.boxed = {w for w, at in read.items() if len(at) * _BYTE == graph.nodes[w].width}
        self.mapped: set[int] = set()
        for i, node in enumerate(graph.nodes):
            kept = i in self.boxed or all(graph.agile[a] for a in node.args)
            if node.op == "xor" and kept and any(self._in_basis(a) for a in node.args):
                self.mapped.add(i)
        if not self.boxed & self.mapped:
            raise ValueError(
                f"no linear layer of the graph {graph.name} adds up whole bytes in front of boxes"
            )
        self.keyed = self._with_keys()

    def _basis(self) -> tuple[Rows, int, Rows]:
        """The map that most boxes read their bytes by, its constant, and its inverse."""
        counted = Counter((r.rows, r.const) for r in self.roots.values())
        found = [
            (n, rows, const, back) for (rows, const), n in counted.items() if (back := inverse_rows(rows))
        ]
        if not found:
            raise ValueError(
                f"the graph {self.g.name} has no boxes that read bytes of a word by a linear map"
            )
        return max(found)[1:]

    def _with_keys(self) -> dict[int, tuple[int, int]]:
        """Word -> the boxes' word that is this one and a held key, and the key."""
        keyed: dict[int, tuple[int, int]] = {}
        for y in sorted(self.boxed):
            one, other = self.g.nodes[y].args
            x, key = (one, other) if self.g.agile[one] else (other, one)
            source = self.whole_node(self.g.bits[x])
            if source is not None and not self.g.agile[key] and self.g.nodes[source].op == "xor":
                keyed.setdefault(source, (y, key))
        return keyed

    def _root(self, i: int, node: Node) -> _Root | None:
        """The map `i`, where it is one of a byte of an XOR."""
        bits = self.g.bits[node.args[0]]
        if len(bits) != _BYTE or node.width != _BYTE:
            return None
        word, low = bits[0][0], min(k for _, k in bits)
        places = [k - low for s, k in bits if s == word]
        if self.g.nodes[word].op != "xor" or low % _BYTE or sorted(places) != list(range(_BYTE)):
            return None
        rows = tuple(sum(1 << places[j] for j in range(_BYTE) if row >> j & 1) for row in node.attr[1])
        whole = self._whole(i)
        const = 0
        if whole != i:
            const = next(
                self.g.nodes[a].attr for a in self.g.nodes[whole].args if self.g.nodes[a].op == "const"
            )
        return _Root(word, low, rows, const)

    def _whole(self, i: int) -> int:
        """The XOR of the map `i` and a constant that alone reads it, else the map."""
        users = {u for k in range(self.g.nodes[i].width) for u in self.g.readers.get((i, k), ())}
        if len(users) != 1 or (u := users.pop()) < 0 or self.g.nodes[u].op != "xor":
            return i
        other = [a for a in self.g.nodes[u].args if self.g.nodes[a].op == "const"]
        return u if other and tuple(self.g.nodes[u].args) != tuple(other) else i

    def whole_node(self, bits: Bits) -> int | None:
        """The node that the bits are, all of them in order."""
        i = bits[0][0]
        return i if bits == tuple((i, k) for k in range(self.g.nodes[i].width)) else None

    def sums_bytes(self, i: int) -> bool:
        """Whether a node is a linear layer of whole bytes."""
        node = self.g.nodes[i]
        if node.op != "linear" or node.width <= _BYTE or node.width % _BYTE:
            return False
        if len(self.g.bits[node.args[0]]) % _BYTE:
            return False
        low = node.attr[1][::-1]
        return all(row == low[k - k % _BYTE] << k % _BYTE for k, row in enumerate(low)) and all(
            not row & ~(self._firsts(row.bit_length())) for row in low[::_BYTE]
        )

    @staticmethod
    def _firsts(width: int) -> int:
        """A mask of the lowest bit of every byte."""
        return sum(1 << k for k in range(0, width, _BYTE))

    def _in_basis(self, a: int) -> bool:
        i = self.whole_node(self.g.bits[a])
        return i is not None and (i in self.mapped or self.sums_bytes(i))

    def raw_read(self, i: int) -> bool:
        """Whether something reads a word that is kept in the basis as it was."""
        users = {u for k in range(self.g.nodes[i].width) for u in self.g.readers.get((i, k), ())}
        return any(u < 0 or (u not in self.mapped and u not in self.boxed) for u in users)


class _Builder:
    """Words in the common basis, made as they are read."""

    def __init__(self, words: _Words, builder: GraphBuilder, new: list[int]) -> None:
        self.w, self.b, self.new, self.g = words, builder, new, words.g
        self.made: dict[int, _Value] = {}
        self.outside: dict[int, _Value] = {}
        self.sent: dict[int, _Value] = {}
        self.maps: dict[Bits, _Value] = {}

    def gathered(self, bits: Bits) -> int:
        """New bits of old ones. Held inputs are there before anything reads them."""
        found: list[Bit] = []
        for i, k in bits:
            node = self.g.nodes[i]
            found.append((self.b.input(*self._input(node)) if node.op == "input" else self.new[i], k))
        return self.b.gather(found)

    @staticmethod
    def _input(node: Node) -> tuple[str, int, str]:
        return node.attr[0], node.width, node.attr[1]

    def byte(self, bits: Bits) -> _Value:
        """A byte in the basis."""
        if bits not in self.maps:
            self.maps[bits] = self._byte(bits)
        return self.maps[bits]

    def _byte(self, bits: Bits) -> _Value:
        source = bits[0][0]
        node = self.g.nodes[source]
        if any(i != source for i, _ in bits) or node.op not in ("xor", "linear"):
            return _Value(self.b.linear("In", self.w.rows, self.gathered(bits)), 0)
        if node.op == "linear":
            rows = tuple(node.attr[1][-1 - k] for _, k in reversed(bits))
            over = self.gathered(self.g.bits[node.args[0]])
            return _Value(self.b.linear(node.attr[0], _composed(self.w.rows, rows), over), 0)
        fixed = [a for a in node.args if self.g.nodes[a].op == "const"]
        if not fixed:
            return _Value(self.b.linear("In", self.w.rows, self.gathered(bits)), 0)
        other = next(a for a in node.args if a not in fixed)
        inner = self.byte(tuple(self.g.bits[other][k] for _, k in bits))
        value = sum((self.g.nodes[fixed[0]].attr >> k & 1) << j for j, (_, k) in enumerate(bits))
        return _Value(inner.node, inner.const ^ _applied(self.w.rows, value))

    def raw(self, bits: Bits) -> _Value:
        """A word of bits that are not in the basis."""
        parts = [self.byte(bits[k : k + _BYTE]) for k in range(0, len(bits), _BYTE)]
        const = sum(p.const << _BYTE * k for k, p in enumerate(parts))
        return _Value(self.b.cat(*(p.node for p in reversed(parts))), const)

    def layer(self, i: int) -> _Value:
        """A sum of whole bytes: the same for every place in a byte."""
        node = self.g.nodes[i]
        over = self.raw(self.g.bits[node.args[0]])
        rows = [sum(1 << k // _BYTE for k in range(row.bit_length()) if row >> k & 1) for row in node.attr[1]]
        count, width = node.width // _BYTE, self.b.width(over.node)
        bits: list[Bit] = [(0, 0)] * node.width
        for place in range(_BYTE):
            slice_ = self.b.select(over.node, range(width - _BYTE + place, -1, -_BYTE))
            total = self.b.linear(node.attr[0], rows[_BYTE - 1 :: _BYTE], slice_)
            for k in range(count):
                bits[_BYTE * k + place] = (total, k)
        return _Value(self.b.gather(bits), _applied(node.attr[1], over.const))

    def operand(self, a: int) -> _Value:
        """What an XOR reads."""
        i = self.w.whole_node(self.g.bits[a])
        if i is None:
            return self.raw(self.g.bits[a])
        return self.word(i)

    def word(self, i: int) -> _Value:
        """A node in the basis, as sums read it."""
        if i not in self.outside:
            self.outside[i] = self._word(i)
        return self.outside[i]

    def _word(self, i: int) -> _Value:
        if i in self.w.keyed and self.g.nodes[i].op == "xor":
            y, key = self.w.keyed[i]
            sent = self.boxes(y)
            return _Value(self.b.xor(sent.node, self.raw(self.g.bits[key]).node), sent.const)
        return self.plain(i)

    def plain(self, i: int) -> _Value:
        """A node in the basis, by what made it."""
        if i not in self.made:
            node = self.g.nodes[i]
            if self.w.sums_bytes(i):
                self.made[i] = self.layer(i)
            elif node.op == "xor" and (i in self.w.mapped or i in self.w.boxed):
                # A linear layer comes last: it is late.
                one, other = sorted(node.args, key=lambda a: self._late(a))
                first, last = self.operand(one), self.operand(other)
                self.made[i] = _Value(self.b.xor(first.node, last.node), first.const ^ last.const)
            else:
                self.made[i] = self.raw(self.g.bits[i])
        return self.made[i]

    def _late(self, a: int) -> bool:
        i = self.w.whole_node(self.g.bits[a])
        return i is not None and self.w.sums_bytes(i)

    def boxes(self, y: int) -> _Value:
        """The word that boxes read, its key and their constant in it."""
        if y not in self.sent:
            node, width = self.g.nodes[y], self.g.nodes[y].width
            offset = sum(self.w.const << k for k in range(0, width, _BYTE))
            parts = [self._before_key(y, a) for a in node.args]
            total = self.b.xor(parts[0].node, parts[1].node)
            const = parts[0].const ^ parts[1].const ^ offset
            sent = self.b.named(self.b.xor(total, self.b.const(width, const)), "gf_v")
            self.sent[y] = _Value(sent, offset)
        return self.sent[y]

    def _before_key(self, y: int, a: int) -> _Value:
        """What the boxes' word `y` is the sum of: of a word that is kept with its key, what made it."""
        i = self.w.whole_node(self.g.bits[a])
        if i is not None and self.w.keyed.get(i, (-1, -1))[0] == y:
            return self.plain(i)
        return self.operand(a)

    def read(self, root: _Root) -> int:
        """What the map before a box gives, and its constant added."""
        if root.word not in self.w.boxed:
            source = tuple((root.word, root.at + k) for k in range(_BYTE))
            out = self.b.linear("In", root.rows, self.gathered(source))
            return self.b.xor(out, self.b.const(_BYTE, root.const))
        word = self.boxes(root.word)
        byte = self.b.select(word.node, range(root.at + _BYTE - 1, root.at - 1, -1))
        if root.rows == self.w.rows:
            return self.b.xor(byte, self.b.const(_BYTE, root.const ^ self.w.const))
        rows = _composed(root.rows, self.w.back)
        const = root.const ^ _applied(rows, self.w.const)
        return self.b.xor(self.b.linear("In", rows, byte), self.b.const(_BYTE, const))

    def back(self, i: int) -> int:
        """A word that is kept in the basis, as it was."""
        value, parts = self.word(i), []
        width = self.b.width(value.node)
        for low in range(0, width, _BYTE):
            byte = self.b.select(value.node, range(low + _BYTE - 1, low - 1, -1))
            const = _applied(self.w.back, value.const >> low & (1 << _BYTE) - 1)
            parts.append(self.b.xor(self.b.linear("Back", self.w.back, byte), self.b.const(_BYTE, const)))
        return self.b.cat(*reversed(parts))


def common_words(graph: Graph) -> Graph:
    """The function of `graph` with the words of a Feistel network in the basis of its boxes. Raises
    ValueError where there are no boxes that read bytes by a linear map, or no layer that adds up whole bytes.
    """
    words, new = _Words(graph), list[int]()
    found: list[_Builder] = []

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if not found:
            found.append(_Builder(words, b, new))
        if i in words.roots:
            return found[0].read(words.roots[i])
        return found[0].back(i) if i in words.mapped and words.raw_read(i) else None

    return rebuild(graph, replace, new)
