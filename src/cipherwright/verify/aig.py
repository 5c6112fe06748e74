"""And-inverter graphs printed straight from the dataflow graph: the specification side of an equivalence
proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..graph import Graph, Node
from ..rewrite import Network, circuit

__all__ = ["FALSE", "TRUE", "Aig", "Hints", "graph_to_aig"]

FALSE, TRUE = 0, 1


@dataclass(frozen=True)
class Hints:
    """Structures that a proof may use. `networks`: XOR networks of linear maps, by the number of their node;
    `sbox`: the name of the S-box realisation (its circuits are checked against their tables where they are
    made); `products`: circuits of products by their width in bits (checked by algebra where they are made).
    """

    networks: Mapping[int, Network] = field(default_factory=dict)
    sbox: str = "table"
    products: Mapping[int, Graph] = field(default_factory=dict)


class Aig:
    """Literals as in AIGER: 2*variable + complement; 0 is false, 1 is true. `inputs`: names of the inputs,
    which are variables 1 and following; they are made before any gate. A gate that is there already is not
    made again.

    >>> g = Aig(["a", "b"])
    >>> both = g.and_(g.input(0), g.input(1))
    >>> both, g.and_(g.input(1), g.input(0)), g.and_(both, 1), len(g.gates)
    (6, 6, 6, 1)
    """

    def __init__(self, inputs: Sequence[str]) -> None:
        self.inputs = list(inputs)
        self.gates: list[tuple[int, int]] = []
        self._known: dict[tuple[int, int], int] = {}

    def input(self, k: int) -> int:
        """Literal of input number `k`, from 0."""
        return 2 * (k + 1)

    def and_(self, a: int, b: int) -> int:
        """Literal that is 1 where both literals `a` and `b` are."""
        if a > b:
            a, b = b, a
        if a <= TRUE:
            return b if a else FALSE
        if a ^ b <= 1:
            return b if a == b else FALSE
        found = self._known.get((a, b))
        if found is None:
            self.gates.append((b, a))
            found = self._known[(a, b)] = 2 * (len(self.inputs) + len(self.gates))
        return found

    def or_(self, a: int, b: int) -> int:
        """Literal that is 1 where one of the literals `a` and `b` is, or both."""
        return self.and_(a ^ 1, b ^ 1) ^ 1

    def xor(self, a: int, b: int) -> int:
        """Literal that is 1 where one of the literals `a` and `b` is, and the other is not."""
        return self.and_(self.and_(a, b ^ 1) ^ 1, self.and_(a ^ 1, b) ^ 1) ^ 1

    def mux(self, s: int, a: int, b: int) -> int:
        """Literal that is `a` where `s` is 1, else `b`."""
        if a == b:
            return a
        return self.and_(self.and_(s, a) ^ 1, self.and_(s ^ 1, b) ^ 1) ^ 1

    def select(self, address: Sequence[int], choices: Sequence[int]) -> int:
        """The one of the 2^n literals `choices` that an `address` of n literals names, its least significant
        bit first.
        """
        left = list(choices)
        for bit in address:
            left = [self.mux(bit, high, low) for low, high in zip(left[::2], left[1::2], strict=True)]
        (chosen,) = left
        return chosen

    def table(self, truth: int, address: Sequence[int]) -> int:
        """Literal of bit number `address` of the integer `truth`: a truth table over the literals in
        `address`, least significant first.
        """
        if not address:
            return truth & 1
        half = 1 << (len(address) - 1)
        low, high = truth & (1 << half) - 1, truth >> half
        rest = address[:-1]
        if low == high:
            return self.table(low, rest)
        return self.mux(address[-1], self.table(high, rest), self.table(low, rest))

    def add(self, a: Sequence[int], b: Sequence[int], carry: int) -> list[int]:
        """The sum of the words `a` and `b`, of equal width, and the literal `carry`, as a ripple-carry adder;
        least significant bit first. The carry out of the top is dropped.
        """
        out = []
        for x, y in zip(a, b, strict=True):
            half = self.xor(x, y)
            out.append(self.xor(half, carry))
            carry = self.or_(self.and_(x, y), self.and_(half, carry))
        return out

    def aiger(self, outputs: Sequence[int]) -> bytes:
        """The graph in the binary AIGER format (A. Biere, The AIGER And-Inverter Graph Format, 2007), without
        latches, with the literals `outputs` in this order.
        """
        n, g = len(self.inputs), len(self.gates)
        head = f"aig {n + g} {n} 0 {len(outputs)} {g}\n" + "".join(f"{o}\n" for o in outputs)
        body = bytearray()
        for i, (b, a) in enumerate(self.gates):
            literal = 2 * (n + i + 1)
            for delta in (literal - b, b - a):
                while delta & ~0x7F:
                    body.append(delta & 0x7F | 0x80)
                    delta >>= 7
                body.append(delta)
        return head.encode() + bytes(body)


def graph_to_aig(
    graph: Graph,
    aig: Aig,
    inputs: dict[str, list[int]],
    hints: Hints | None = None,
    marks: list[int] | None = None,
) -> dict[str, list[int]]:
    """Print `graph` into `aig`: literals of its outputs, by name, for those of its `inputs`, by name; both
    least significant bit first. `marks` collects the literals of every named operation.

    `hints` name a structure for linear maps and tables. They cannot change the meaning: every network's
    matrix and every circuit's table are compared with the node's, exactly, so the graph stays the reference.
    Long sums in another order than the core's are hard for a SAT prover; in the same order they are trivial.
    """
    hints = hints or Hints()
    values: list[list[int]] = []
    for i, node in enumerate(graph.nodes):
        args = [values[a] for a in node.args]
        if node.op == "input":
            value = inputs[node.attr[0]]
        elif node.op in ("select", "cat"):
            value = [values[s][k] for s, k in graph.bits[i]]
        elif i in hints.networks:
            value = _network_gates(aig, node.attr[1], hints.networks[i], args[0])
        elif inner := _inner(node, hints):
            given = dict(zip(inner.input_names(), args, strict=True))
            below = marks if node.op == "mul" else None
            value = graph_to_aig(inner, aig, given, None, below)[inner.outputs[0][0]]
        else:
            value = _gates(aig, node, args)
        values.append(value)
        if marks is not None and node.op != "input" and node.name:
            marks += value
    return {name: values[i] for name, i in graph.outputs}


def _inner(node: Node, hints: Hints) -> Graph | None:
    """The graph with which a node is one: that of a call, of an S-box's circuit, of a product."""
    if node.op == "call":
        called: Graph = node.attr
        return called
    if node.op == "lookup":
        return circuit(node.attr, hints.sbox)
    return hints.products.get(node.width) if node.op == "mul" else None


def _network_gates(aig: Aig, rows: Sequence[int], net: Network, word: Sequence[int]) -> list[int]:
    if net.rows() != tuple(reversed(rows)):
        raise AssertionError("an XOR network does not compute its matrix")
    signals = list(word)

    def total(ops: Sequence[int]) -> int:
        out = FALSE
        for o in reversed(ops):  # as the printer writes a sum: a ^ (b ^ (c ^ d))
            out = aig.xor(signals[o], out)
        return out

    for ops in net.nodes:
        signals.append(total(ops))
    return [total(ops) for ops in net.outs]


Words = list[list[int]]
"""The literals of each argument, least significant first."""


def _xor5(aig: Aig, node: Node, args: Words) -> list[int]:
    """(a ^ (c ^ d)) ^ (b ^ e), bit by bit."""
    return [aig.xor(*map(aig.xor, (a, b), (aig.xor(c, d), e))) for a, b, c, d, e in zip(*args, strict=True)]


def _mux(aig: Aig, node: Node, args: Words) -> list[int]:
    return [aig.mux(args[0][0], a, b) for a, b in zip(args[1], args[2], strict=True)]


def _table(aig: Aig, node: Node, args: Words) -> list[int]:
    """A lookup of every argument in the node's table, the first argument's word at the top."""
    entries, width = node.attr.entries, node.width // len(args)
    columns = [sum((e >> k & 1) << a for a, e in enumerate(entries)) for k in range(width)]
    return [aig.table(column, address) for address in reversed(args) for column in columns]


def _lut(aig: Aig, node: Node, args: Words) -> list[int]:
    """A truth table bit by bit; an argument of one bit is read for every bit."""
    lanes = [[w[k] if len(w) > 1 else w[0] for w in reversed(args)] for k in range(node.width)]
    return [aig.table(node.attr, lane) for lane in lanes]


def _linear(aig: Aig, node: Node, args: Words) -> list[int]:
    out = []
    for row in reversed(node.attr[1]):
        parity = FALSE
        for k, bit in enumerate(args[0]):
            if row >> k & 1:
                parity = aig.xor(parity, bit)
        out.append(parity)
    return out


def _full_adder(aig: Aig, node: Node, args: Words) -> list[int]:
    x, y, z = (word[0] for word in args)
    return [aig.xor(aig.xor(x, y), z), aig.or_(aig.and_(x, y), aig.and_(z, aig.or_(x, y)))]


def _half_adder_n(aig: Aig, node: Node, args: Words) -> list[int]:
    x, y = (word[0] for word in args)
    return [aig.xor(x, y) ^ 1, aig.or_(x, y)]


def _product(aig: Aig, node: Node, args: Words) -> list[int]:
    """The low half of a product, by rows."""
    width = node.width
    x, y = ((a + [FALSE] * width)[:width] for a in args)
    total = [FALSE] * width
    for k, bit in enumerate(x):
        total = aig.add(total, [FALSE] * k + [aig.and_(bit, b) for b in y[: width - k]], FALSE)
    return total


def _same(aig: Aig, node: Node, args: Words) -> list[int]:
    return args[0]


_GATES: dict[str, Callable[[Aig, Node, Words], list[int]]] = {
    "const": lambda aig, node, args: [node.attr >> k & 1 for k in range(node.width)],
    "xor": lambda aig, node, args: [aig.xor(a, b) for a, b in zip(*args, strict=True)],
    "and": lambda aig, node, args: [aig.and_(a, b) for a, b in zip(*args, strict=True)],
    "or": lambda aig, node, args: [aig.or_(a, b) for a, b in zip(*args, strict=True)],
    "not": lambda aig, node, args: [a ^ 1 for a in args[0]],
    "add": lambda aig, node, args: aig.add(args[0], args[1], FALSE),
    "sub": lambda aig, node, args: aig.add(args[0], [b ^ 1 for b in args[1]], TRUE),
    "xor5": _xor5,
    "mux": _mux,
    "muxf5": _mux,
    "muxf6": _mux,
    "again": _same,
    "copy": _same,
    "hop": _same,
    "lookup": _table,
    "rom": _table,
    "lut": _lut,
    "lut4": _lut,
    "linear": _linear,
    "full_adder": _full_adder,
    "half_adder_n": _half_adder_n,
    "mul": _product,
    "dsp": _product,
}
"""The gates of each operation: its node and the literals of its arguments -> those of its result."""


def _gates(aig: Aig, node: Node, args: Words) -> list[int]:
    """The result of one operation. Raises ValueError where it has no gates."""
    if node.op not in _GATES:
        raise ValueError(f"no gates for the operation {node.op}")
    return _GATES[node.op](aig, node, args)
