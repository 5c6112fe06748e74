"""Linear maps one after the other become one: the last map of an S-box, MixColumns and the first map of
the next S-box.

What is added in between (round keys, constants) goes through the remaining map on its own. Maps over the
same bits become one map, so that its network can share among all their rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...graph.builder import GraphBuilder
from ...graph.graph import OUTPUT, Graph, Node
from .._walk import rebuild, summands
from .domain import map_words

__all__ = ["fuse_linear"]

Bit = tuple[int, int]


@dataclass
class _Sum:
    """One bit as a sum: bits behind linear maps, other bits, and a constant."""

    behind: set[Bit] = field(default_factory=set)
    plain: set[Bit] = field(default_factory=set)
    inverted: bool = False

    def add(self, other: _Sum) -> None:
        self.behind ^= other.behind
        self.plain ^= other.plain
        self.inverted ^= other.inverted

    def mapped(self) -> _Sum:
        """The sum as a linear map reads it: bits that no map has made yet count as behind this one."""
        return self if self.behind else _Sum(self.plain, set(), self.inverted)


class _Expansion:
    """Every bit that linear maps read, traced back through sums and linear maps."""

    def __init__(self, graph: Graph) -> None:
        self.g = graph
        self.known: dict[Bit, _Sum] = {}
        readers: list[set[int]] = [set() for _ in graph.nodes]
        for (i, _), users in graph.readers.items():
            readers[i] |= users
        # A sum or map is passed through where linear maps alone read it: elsewhere its value is needed, and
        # stays.
        self.through = [False] * len(graph.nodes)
        for i in reversed(range(len(graph.nodes))):
            if graph.nodes[i].op in ("xor", "linear") and OUTPUT not in readers[i]:
                self.through[i] = all(
                    graph.nodes[u].op == "linear" or (graph.nodes[u].op == "xor" and self.through[u])
                    for u in readers[i]
                )
        # Whether a linear map is reached through sums alone. From a map that reads the sum, the way goes on
        # through maps, and
        # maps plus constants, that others read as well.
        self.below = [False] * len(graph.nodes)
        for i, node in enumerate(graph.nodes):
            fixed = node.op == "xor" and any(graph.nodes[a].op == "const" for a in node.args)
            if node.op == "linear":
                self.below[i] = True
            elif self.through[i] or fixed:
                sources = [s for a in node.args for s, _ in graph.bits[a] if graph.nodes[s].op != "const"]
                self.below[i] = any(self.below[s] for s in sources) and (
                    self.through[i] or all(graph.nodes[s].op == "linear" for s in sources)
                )

    def read(self) -> set[int]:
        """Linear maps whose results, or sums of them, something else than a linear map reads."""
        found, seen = set[int](), set[int]()
        stack = [
            a
            for i in self.g.logic()
            if self.g.nodes[i].op not in ("xor", "linear")
            for a in self.g.nodes[i].args
        ]
        stack += [i for _, i in self.g.outputs]
        while stack:
            for src in {s for s, _ in self.g.bits[stack.pop()]} - seen:
                seen.add(src)
                node = self.g.nodes[src]
                if node.op == "linear":
                    found.add(src)
                elif node.op == "xor":
                    stack += node.args
        return found

    def bit(self, bit: Bit) -> _Sum:
        """A bit as a sum."""
        if bit not in self.known:
            self.known[bit] = self._traced(bit)
        return self.known[bit]

    def _traced(self, bit: Bit) -> _Sum:
        """A bit as a sum, found from the sums of what made it."""
        src, k = bit
        node, out = self.g.nodes[src], _Sum()
        if node.op == "const":
            out.inverted = bool(node.attr >> k & 1)
        elif node.op == "xor" and self.below[src]:
            for a in node.args:
                out.add(self.bit(self.g.bits[a][k]))
        elif node.op == "linear":
            for inner in summands(self.g, node, k):
                out.add(self.bit(inner).mapped())
        else:
            out.plain = {bit}
        return out

    def parts(self, i: int) -> list[str]:
        """Sections of the sums and maps that map `i` takes in, in the order of the graph."""
        found, stack = dict[int, None](), [i]
        while stack:
            for src in {s for a in self.g.nodes[stack.pop()].args for s, _ in self.g.bits[a]} - found.keys():
                op = self.g.nodes[src].op
                if op == "linear" or (op == "xor" and self.below[src]):
                    found[src] = None
                    stack.append(src)
        return [self.g.nodes[src].section for src in sorted(found)]

    def order(self, bits: tuple[Bit, ...], into: dict[Bit, None], seen: set[int]) -> None:
        """The bits behind linear maps in the order of the maps' arguments, most significant first. `seen`:
        the maps whose arguments are there already.
        """
        for bit in reversed(bits):
            node = self.g.nodes[bit[0]]
            if node.op == "linear":
                if bit[0] not in seen:
                    seen.add(bit[0])
                    self.order(self.g.bits[node.args[0]], into, seen)
            elif node.op == "xor" and self.below[bit[0]]:
                self.order(tuple(self.g.bits[a][bit[1]] for a in node.args), into, seen)
            elif node.op != "const":
                into.setdefault(bit)


def _section_of(own: str, parts: Iterable[str]) -> str:
    """The section of a map of the section `own` that has taken in those of the sections `parts`: their steps
    come before its own, as in `round 2: MixColumns of round 1, SubBytes`.
    """
    title, _, step = own.partition(": ")
    found = (part.partition(": ") for part in parts)
    steps = [s if of == title else f"{s} of {of}" for of, _, s in found if s]
    return f"{title}: {', '.join(dict.fromkeys((*steps, step)))}" if title and step else own


def fuse_linear(graph: Graph) -> Graph:
    """The function of `graph` with linear maps over linear maps composed; the words of a Feistel network are
    kept as its boxes read them (domain.py).
    """
    graph = map_words(graph)
    e = _Expansion(graph)
    rows: dict[int, list[_Sum]] = {}
    groups: dict[frozenset[Bit], list[int]] = {}
    order: dict[frozenset[Bit], tuple[Bit, ...]] = {}
    for i in sorted(e.read()):
        node = graph.nodes[i]
        if not any(e.below[s] for s, _ in graph.bits[node.args[0]]):
            continue
        rows[i] = []
        for k in range(node.width):
            total = _Sum()
            for bit in summands(graph, node, k):
                total.add(e.bit(bit))
            rows[i].append(total)
        behind = frozenset(b for s in rows[i] for b in s.behind)
        groups.setdefault(behind, []).append(i)
        if behind not in order:
            listed: dict[Bit, None] = {}
            e.order(graph.bits[node.args[0]], listed, set())
            order[behind] = tuple(b for b in listed if b in behind)
    member = {i: key for key, members in groups.items() for i in members}
    joint: dict[frozenset[Bit], int] = {}
    rename: list[int] = []

    def moved(bit: Bit) -> Bit:
        return rename[bit[0]], bit[1]

    def rowed(b: GraphBuilder, name: str, sums: list[set[Bit]], over: tuple[Bit, ...]) -> int:
        place = {bit: len(over) - 1 - k for k, bit in enumerate(over)}
        word = b.gather([moved(bit) for bit in reversed(over)])
        return b.linear(name, [sum(1 << place[x] for x in s) for s in reversed(sums)], word)

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if i not in member:
            return None
        key, name = member[i], node.attr[0]
        if key not in joint:
            every = [s.behind for m in reversed(groups[key]) for s in rows[m]]
            b.section(_section_of(node.section, e.parts(i)))
            joint[key] = rowed(b, f"{name.removesuffix('In')}Mix", every, order[key])
            b.section(node.section)
        behind = groups[key][groups[key].index(i) + 1 :]
        at = sum(graph.nodes[m].width for m in behind)
        out = b.select(joint[key], range(at + node.width - 1, at - 1, -1))
        plain = tuple(sorted({x for s in rows[i] for x in s.plain}, reverse=True))
        if plain:
            out = b.xor(out, b.named(rowed(b, f"{name}Key", [s.plain for s in rows[i]], plain), "k"))
        return b.xor(out, b.const(node.width, sum(s.inverted << k for k, s in enumerate(rows[i]))))

    return rebuild(graph, replace, rename)
