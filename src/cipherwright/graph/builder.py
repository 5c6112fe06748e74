"""Builds graphs: equal nodes become one, constants fold, wiring of wiring collapses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph import Graph, Node
from .ops import AGILE, OPS, Table

__all__ = ["GraphBuilder"]

_STAY = ("again", "copy", "hop", "clear")
"""Operations that are not folded where they read constants."""


class GraphBuilder:
    """A `cipher.Builder` whose words are indices of nodes. `name`: of the graph that is built. `delay`: the
    delay key of the whole graph where it is called, see `Graph`.

    Widths and attributes are checked when the graph is built (`build`), not before. Bit 0 of a word is its
    least significant bit.

    >>> b = GraphBuilder("half")
    >>> x, y = b.input("x", 8), b.input("y", 8)
    >>> b.output("high", b.select(b.xor(x, y), range(7, 3, -1)))
    >>> b.build().outputs  # node 3: nodes 0 and 1 are the inputs, node 2 is the XOR
    (('high', 3),)
    """

    def __init__(self, name: str, delay: str = "") -> None:
        self.name, self.delay = name, delay
        self._nodes: list[Node] = []
        self._known: dict[Any, int] = {}
        self._outputs: list[tuple[str, int]] = []
        self._title = self._step = self._section = ""

    # -- construction
    # -------------------------------------------------------------------------------------------
    def node(
        self,
        op: str,
        width: int,
        args: Sequence[int] = (),
        attr: Any = None,
        name: str = "",
        own: bool = False,
    ) -> int:
        """The index of a node of the operation `op` of the table, folded to a constant where all its
        arguments are constants (`again`, `copy`, `hop` and `clear` stay).

        width: of the result, in bits; args: indices of the arguments, in the order of the operation's
        meaning.
        attr: the operation's attribute, as `Node` lists it for each operation.
        name: a hint for the emitted text. An equal node that exists already keeps its own.
        own: whether the node is a new one even where an equal one exists.
        """
        args = tuple(args)
        key = (op, width, args, attr)
        known = None if own else self._known.get(key)
        if known is not None:
            return known
        nodes = self._nodes
        if args and op not in _STAY and all(nodes[a].op == "const" for a in args):
            widths, values = [nodes[a].width for a in args], [nodes[a].attr for a in args]
            return self.const(width, OPS[op].meaning(attr, widths, values, width))
        nodes.append(Node(op, width, args, attr, name, self._section))
        self._known[key] = len(nodes) - 1
        return len(nodes) - 1

    def input(self, name: str, width: int, kind: str = AGILE) -> int:
        """The input `name` of `width` bits. `kind`: AGILE where it may change every cycle, STATIC where it is
        held while blocks are inside.
        """
        return self.node("input", width, (), (name, kind), name)

    def output(self, name: str, value: int) -> None:
        """The node `value` is the graph's next output, under `name`."""
        self._outputs.append((name, value))

    def build(self) -> Graph:
        """The graph, without the nodes that no output needs (inputs stay). Raises ValueError where a node
        breaks the rules of its operation, or two inputs or two outputs have one name.
        """
        need = bytearray(len(self._nodes))
        for _, i in self._outputs:
            need[i] = 1
        for i in range(len(self._nodes) - 1, -1, -1):
            if need[i]:
                for a in self._nodes[i].args:
                    need[a] = 1
        new, nodes = [0] * len(self._nodes), list[Node]()
        for i, n in enumerate(self._nodes):
            if need[i] or n.op == "input":
                args = tuple([new[a] for a in n.args])
                new[i] = len(nodes)
                nodes.append(n if args == n.args else Node(n.op, n.width, args, n.attr, n.name, n.section))
        return Graph(self.name, tuple(nodes), tuple((n, new[i]) for n, i in self._outputs), self.delay)

    def at(self, i: int) -> Node:
        """The node of index `i`."""
        return self._nodes[i]

    # -- the vocabulary of ciphers
    # ------------------------------------------------------------------------------
    def width(self, a: int) -> int:
        """The width of node `a` in bits."""
        return self._nodes[a].width

    def const(self, width: int, value: int) -> int:
        """A constant of `width` bits. `value`: not negative, and below 2^width."""
        return self.node("const", width, (), value)

    def _value(self, a: int) -> int | None:
        n = self._nodes[a]
        return int(n.attr) if n.op == "const" else None

    def xor(self, a: int, b: int) -> int:
        """The bitwise XOR of `a` and `b`, words of one width; where one of them is the constant 0, the other
        one.
        """
        if self._value(a) == 0:
            return b
        if self._value(b) == 0:
            return a
        return self.node("xor", self.width(a), (a, b))

    def and_(self, a: int, b: int) -> int:
        """The bitwise AND of `a` and `b`, words of one width; where one of them is a constant of zeros or of
        ones, that constant or the other one.
        """
        return self._absorbed("and", a, b, 0, (1 << self.width(a)) - 1)

    def or_(self, a: int, b: int) -> int:
        """The bitwise OR of `a` and `b`, words of one width; where one of them is a constant of ones or of
        zeros, that constant or the other one.
        """
        return self._absorbed("or", a, b, (1 << self.width(a)) - 1, 0)

    def _absorbed(self, op: str, a: int, b: int, wins: int, loses: int) -> int:
        """The operation `op` of `a` and `b`, unless one of them is the constant `wins`, which is the result,
        or the constant `loses`, whose result is the other one.
        """
        for one, other in ((a, b), (b, a)):
            if self._value(one) in (wins, loses):
                return one if self._value(one) == wins else other
        return self.node(op, self.width(a), (a, b))

    def not_(self, a: int) -> int:
        """The complement of every bit of `a`; of a complement, the word that it is of."""
        n = self._nodes[a]
        return n.args[0] if n.op == "not" else self.node("not", n.width, (a,))

    def mux(self, sel: int, a: int, b: int) -> int:
        """`a` where the one-bit `sel` is 1, else `b`, words of one width. A complement before `sel` exchanges
        the two instead.
        """
        chosen = self._value(sel)
        if chosen is not None:
            return a if chosen else b
        if a == b:
            return a
        if self._nodes[sel].op == "not":
            return self.mux(self._nodes[sel].args[0], b, a)
        return self.node("mux", self.width(a), (sel, a, b))

    def add(self, a: int, b: int) -> int:
        """The sum of `a` and `b`, words of one width, modulo 2^width."""
        return self.node("add", self.width(a), (a, b))

    def sub(self, a: int, b: int) -> int:
        """`a` minus `b`, words of one width, modulo 2^width."""
        return self.node("sub", self.width(a), (a, b))

    def mul(self, a: int, b: int) -> int:
        """The low half of the product of `a` and `b`, words of one width: modulo 2^width."""
        return self.node("mul", self.width(a), (a, b))

    def select(self, a: int, bits: Sequence[int]) -> int:
        """The word of these `bits` of `a`, the most significant of the result first. The same bit may come
        several times. A selection from a selection, or from one part of a concatenation, is made straight
        from the source.
        """
        bits = tuple(bits)
        n = self._nodes[a]
        if len(bits) == n.width and bits[0] == n.width - 1 and bits == tuple(range(n.width - 1, -1, -1)):
            return a
        if n.op == "select":
            return self.select(n.args[0], [n.attr[n.width - 1 - k] for k in bits])
        if n.op == "cat":
            inside = self._part(n, bits)
            if inside is not None:
                return self.select(*inside)
        return self.node("select", len(bits), (a,), bits)

    def _part(self, n: Node, bits: Sequence[int]) -> tuple[int, list[int]] | None:
        """The part of a concatenation in which all the bits lie, with their places there."""
        low, least, most = 0, min(bits), max(bits)
        for part in reversed(n.args):
            above = low + self.width(part)
            if least < above:
                return (part, [k - low for k in bits]) if most < above else None
            low = above
        return None

    def cat(self, *parts: int) -> int:
        """The `parts` in one word, the most significant part first."""
        return parts[0] if len(parts) == 1 else self.node("cat", sum(map(self.width, parts)), parts)

    def lookup(self, name: str, table: Sequence[int], width: int, a: int) -> int:
        """Entry number `a` of `table`. `name`: the standard's name of the table; `table`: 2^width(a) entries;
        `width`: of an entry, in bits.
        """
        return self.node("lookup", width, (a,), Table(name, width, tuple(table)))

    def linear(self, name: str, rows: Sequence[int], a: int) -> int:
        """A GF(2)-linear map of `a`: each result bit is the parity of `row & a`, the most significant bit
        from the first of `rows`. `name`: of the map, in the emitted text.
        """
        return self.node("linear", len(rows), (a,), (name, tuple(rows)))

    def lut(self, table: int, *args: int, name: str = "") -> int:
        """Bitwise truth table over the words `args`, one to six of them: all as wide as the result, or single
        bits, which are spread over its width. Bit number k of `table` is the result at address k, whose most
        significant bit is from the first of `args`. `name`: a hint for the emitted text.
        """
        return self.node("lut", max(map(self.width, args)), args, table, name)

    def call(self, inner: Graph, *args: int, name: str = "") -> int:
        """The one output of the graph `inner` for the inputs `args`, in the order of its inputs. `name`: a
        hint for the emitted text.
        """
        width = inner.nodes[inner.outputs[0][1]].width
        return self.node("call", width, args, inner, name)

    def gather(self, bits: Sequence[tuple[int, int]]) -> int:
        """The word made of `bits`, (node, bit) pairs with the least significant bit of the result first, in
        as few pieces as may be.
        """
        parts: list[int] = []
        k = len(bits) - 1
        while k >= 0:
            src, run = bits[k][0], []
            while k >= 0 and bits[k][0] == src:
                run.append(bits[k][1])
                k -= 1
            parts.append(self.select(src, run))
        return self.cat(*parts)

    def again(self, a: int, which: str) -> int:
        """`a` once more, as a node of its own for each `which`: what is computed from it is not shared with
        what is computed from `a`.
        """
        return self.node("again", self.width(a), (a,), which)

    def named(self, a: int, name: str) -> int:
        """`a`, with `name` as its hint for the emitted text, unless it has one already or is a constant or an
        input.
        """
        n = self._nodes[a]
        if not n.name and n.op not in ("const", "input"):
            self._nodes[a] = Node(n.op, n.width, n.args, n.attr, name, n.section)
        return a

    def section(self, title: str) -> None:
        """Nodes from here on belong to the part `title` of the cipher, such as `round 7`."""
        self._title = title
        self._belong()

    def step(self, name: str) -> str:
        """Nodes from here on belong to the step `name` of that part, such as `MixColumns`; "" for none. The
        result is the step that they belonged to until now.
        """
        before, self._step = self._step, name
        self._belong()
        return before

    def _belong(self) -> None:
        """Nodes from here on have the section `round 7: MixColumns`; without a part they have none."""
        both = self._title and self._step
        self._section = f"{self._title}: {self._step}" if both else self._title
