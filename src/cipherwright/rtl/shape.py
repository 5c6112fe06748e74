"""The operations of a stage as a block: which of them are one word, and in which words operands enter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..graph import Graph, Node
from .block import Block, Hints, Read, Row
from .truth import read_once

__all__ = ["NodeBit", "Shape", "Word", "shape"]

NodeBit = tuple[int, int]
"""A node and one of its bits."""

Word = tuple[NodeBit, ...]
"""Least significant first."""


@dataclass(frozen=True)
class Shape:
    """A stage's operations as a `block` whose text is free of node numbers; the words that enter (`entering`)
    and leave it (`leaving`), in the order of its ports; `hints`: names for these and for the operations.
    """

    block: Block
    entering: list[Word]
    leaving: list[Word]
    hints: Hints


def shape(g: Graph, members: list[int], needed: Callable[[int], list[int]], packed: bool) -> Shape:
    """The shape of a stage, whose operations are `members`, indices of nodes of `g` in order. `needed`: bits
    of a node that leave it (none: the node's result stays inside). `packed`: bits of one name enter and leave
    as one word, and operations of one form are one row; otherwise the words are what one operand reads and
    what one operation makes.
    """
    together = _groups(g, members) if packed else [[i] for i in members]
    read = [tuple(_joined(g, group, n) for n in range(len(g.nodes[group[0]].args))) for group in together]
    entering = _Entering.of(g, members, (word for words in read for word in words), packed)
    made = [(_clean(g.nodes[i]), tuple((i, k) for k in needed(i))) for i in members if needed(i)]
    by_name = _by_name(g, (bit for _, word in made for bit in word))
    leaving = [(_hint(g, word), word) for word in by_name] if packed else made
    row: dict[NodeBit, tuple[int, int]] = {}
    for n, group in enumerate(together):
        bits = [(i, k) for i in group for k in range(g.nodes[i].width)]
        row.update({bit: (n, pos) for pos, bit in enumerate(bits)})

    def operand(bits: Word) -> tuple[Read, ...]:
        seats = entering.seats(bits)
        return tuple(
            Read("row", *row[bit])
            if bit in row
            else Read("port", *seats[bit])
            if bit in seats
            else Read("constant", g.nodes[bit[0]].attr >> bit[1] & 1)
            for bit in bits
        )

    first = [g.nodes[group[0]] for group in together]
    rows = tuple(
        Row(n.op, sum(g.nodes[i].width for i in group), n.attr, tuple(map(operand, words)))
        for n, group, words in zip(first, together, read, strict=True)
    )
    leaves = tuple(tuple(row[bit] for bit in word) for _, word in leaving)
    named = tuple(h for h, _ in leaving) if packed else ()
    words = list(entering.words.values())
    hints = Hints(tuple(_hint(g, word) for word in words), named, tuple(_clean(n) for n in first))
    block = Block(rows, tuple(len(w) for w in words), leaves)
    return Shape(block, words, [word for _, word in leaving], hints)


def _groups(g: Graph, members: list[int]) -> list[list[int]]:
    """Operations of one name and form together, where none of a group reads another of it, or what stands
    below it.
    """
    found: list[list[int]] = []
    where: dict[int, int] = {}
    latest: dict[Any, int] = {}
    for i in members:
        node = g.nodes[i]
        before = max((where.get(src, -1) for a in node.args for src, _ in g.bits[a]), default=-1)
        form = (_clean(node), node.op, node.attr, len(node.args)) if _bitwise(g, node) else None
        n = latest.get(form, -1) if form else -1
        if n <= before:
            n = len(found)
            found.append([])
            if form:
                latest[form] = n
        found[n].append(i)
        where[i] = n
    return found


def _bitwise(g: Graph, node: Node) -> bool:
    """Whether operations like this one are one on words of all their bits, said with each word once."""
    if node.op == "lut":
        wide = all(len(g.bits[a]) == node.width for a in node.args)
        return wide and read_once(node.attr, len(node.args))
    return node.op in ("xor", "and", "or", "not")


def _joined(g: Graph, group: list[int], n: int) -> Word:
    """Operand n of the operations of a group, as one word."""
    return tuple(bit for i in group for bit in g.bits[g.nodes[i].args[n]])


_Source = str | tuple[str] | Word
"""What a word that enters is of: the results of one name, what operands read of one input, or what one
operand reads.
"""


@dataclass(frozen=True)
class _Entering:
    """The words that enter a stage, in the order of their ports. Packed, results of one name are one word,
    and what operands read of one input, in the order in which they do, so that stages that choose other bits
    of a key look alike; otherwise what one operand reads is a word.
    """

    graph: Graph
    inside: set[int]
    packed: bool
    words: dict[_Source, Word] = field(default_factory=dict)
    starts: dict[tuple[_Source, Word], int] = field(default_factory=dict)
    places: dict[_Source, dict[NodeBit, int]] = field(default_factory=dict)
    ports: dict[_Source, int] = field(default_factory=dict)
    sources: dict[int, _Source] = field(default_factory=dict)
    """Of which word the bits of a node are, where words are packed."""

    @classmethod
    def of(cls, g: Graph, members: list[int], operands: Iterable[Word], packed: bool) -> _Entering:
        found = cls(g, set(members), packed)
        words: dict[_Source, list[NodeBit]] = {}
        for outer in map(found.outer, operands):
            for source, part in found._parts(outer).items():
                word = words.setdefault(source, [])
                if isinstance(source, str) or (source, part) not in found.starts:
                    found.starts[source, part] = len(word)
                    word.extend(part)
        for source, bits in words.items():
            found.words[source] = tuple(sorted(set(bits)) if isinstance(source, str) else bits)
        found.places.update(
            {s: {b: n for n, b in enumerate(w)} for s, w in found.words.items() if isinstance(s, str)}
        )
        found.ports.update({source: port for port, source in enumerate(found.words)})
        return found

    def _source(self, i: int) -> _Source:
        """What the word of a node's bits is of, where words are packed."""
        found = self.sources.get(i)
        if found is None:
            node = self.graph.nodes[i]
            found = self.sources[i] = (_clean(node),) if node.op == "input" else _clean(node)
        return found

    def _parts(self, outer: Word) -> dict[_Source, Word]:
        """What an operand reads, `outer`, by the words that it is of."""
        if not self.packed:
            return {outer: outer} if outer else {}
        parts: dict[_Source, list[NodeBit]] = {}
        for bit in outer:
            parts.setdefault(self._source(bit[0]), []).append(bit)
        return {source: tuple(part) for source, part in parts.items()}

    def outer(self, bits: Word) -> Word:
        """The bits of an operand that enter; one that it reads twice enters once."""
        nodes, inside = self.graph.nodes, self.inside
        read = tuple([b for b in bits if b[0] not in inside and nodes[b[0]].op != "const"])
        return read if len(set(read)) == len(read) else tuple(sorted(set(read)))

    def seats(self, bits: Word) -> dict[NodeBit, tuple[int, int]]:
        """Port and place of each bit of an operand that enters."""
        found: dict[NodeBit, tuple[int, int]] = {}
        for source, part in self._parts(self.outer(bits)).items():
            port = self.ports[source]
            if isinstance(source, str):
                places = self.places[source]
                found.update({bit: (port, places[bit]) for bit in part})
            else:
                start = self.starts[source, part]
                found.update({bit: (port, start + n) for n, bit in enumerate(part)})
        return found


def _by_name(g: Graph, bits: Iterable[NodeBit]) -> list[Word]:
    """Bits by the name of what makes them: one word a name, in the order of their nodes."""
    words: dict[str, list[NodeBit]] = {}
    for bit in sorted(bits):
        words.setdefault(_clean(g.nodes[bit[0]]), []).append(bit)
    return [tuple(word) for word in words.values()]


def _hint(g: Graph, bits: Word) -> str:
    names = dict.fromkeys(_clean(g.nodes[src]) for src, _ in bits)
    return next(iter(names)) if len(names) == 1 else "in" if len(names) > 2 else "_".join(names)


def _clean(node: Node) -> str:
    """The name that a node's result goes by."""
    return node.name or (str(node.attr[0]) if node.op == "input" else node.op)
