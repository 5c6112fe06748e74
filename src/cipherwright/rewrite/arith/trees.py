"""The multiplier `tree`: partial products, a compressor tree and the final adder, all grown from delays;
and its proof.

`low_product` returns how it was made as well, for the plots of its delays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .compressor import CellDelays, Tree, compress, partial_products
from .profile import Plan, profile_add

__all__ = ["Made", "low_product", "prove_product"]


Bit = tuple[int, int]
"""A node and one of its bits."""


@dataclass(frozen=True)
class Made:
    """The product's node, the tree with the arrival of each column's bits, and the final adder's plan."""

    node: int
    tree: Tree
    plan: Plan
    adder: tuple[CellDelays, float, str]
    """What the final adder was planned with: delays, slack, its name."""


def low_product(
    b: GraphBuilder,
    x: int,
    y: int,
    width: int,
    delays: CellDelays,
    slack: float = 0.0,
    final: str = "hybrid",
) -> Made:
    """x y modulo 2^width, for the words `x` and `y`, nodes of `b`. `delays`: of the cells, by which the tree
    grows. `slack`: how much later than it could (in ns) the result may be, for a smaller adder `final` (one
    of PROFILE_ADDERS).
    """
    tree = compress(b, partial_products(b, x, y, width, delays), delays)
    node, plan = profile_add(b, tree.columns, delays, slack, final)
    return Made(node, tree, plan, (delays, slack, final))


def prove_product(graph: Graph, x: str, y: str, width: int, finals: Sequence[tuple[Bit, int, bool]]) -> None:
    """Raise AssertionError unless the bits `finals` (bit, weight, whether it is inverted) add up to the
    product of the inputs `x` and `y` modulo 2^width, for all values.

    Exact, by algebra: the sum is a polynomial in the graph's bits. From the last operation back each is
    replaced by what it says of its bits' values (an adder: 2 carry + sum = a + b + c), until only partial
    products are left; these must be all x_i y_j 2^(i+j) below 2^width, once each, and nothing else modulo
    2^width.
    """
    left = _Remainder(graph, x, y, width)
    for bit, weight, inverted in finals:
        left.constant += weight * inverted  # a bit is 1 minus its inverted form
        left.add(bit, -weight if inverted else weight)
    for i in reversed(range(len(graph.nodes))):
        left.replace(i)
    left.check()


Words = Sequence[tuple[Bit, ...]]
"""The bits of each argument of an operation."""


class _Remainder:
    """A sum modulo 2^width while its operations are replaced: the weight of every bit, a constant, and the
    partial products of the inputs `x` and `y` that have not appeared yet, with their weights.
    """

    def __init__(self, graph: Graph, x: str, y: str, width: int) -> None:
        self.graph, self.modulus = graph, 1 << width
        self.weights: dict[Bit, int] = {}
        self.constant = 0
        self.ends = {graph.inputs[x]: 0, graph.inputs[y]: 1}
        sizes = [graph.nodes[graph.inputs[name]].width for name in (x, y)]
        pairs = product(range(sizes[0]), range(sizes[1]))
        self.wanted = {(i, j): 1 << (i + j) for i, j in pairs if i + j < width}

    def add(self, bit: Bit, weight: int) -> None:
        """`weight` times a bit more."""
        node = self.graph.nodes[bit[0]]
        if node.op == "const":
            self.constant += weight * (node.attr >> bit[1] & 1)
        else:
            self.weights[bit] = (self.weights.get(bit, 0) + weight) % self.modulus

    def replace(self, i: int) -> None:
        """Node i by what it says of its bits' values. Raises AssertionError where it can't be in a sum."""
        node = self.graph.nodes[i]
        weights = [self.weights.pop((i, k), 0) for k in range(node.width)]
        if any(weights) and node.op not in ("select", "cat"):
            rule = self._rules.get(node.op, _Remainder._refuse)
            rule(self, node, [self.graph.bits[a] for a in node.args], weights)

    def check(self) -> None:
        """Raise AssertionError unless nothing is left."""
        constant = self.constant % self.modulus
        if self.wanted or any(self.weights.values()) or constant:
            raise AssertionError(
                f"{len(self.wanted)} partial products are missing, or a constant {constant} is left"
            )

    def _refuse(self, node: Node, args: Words, weights: list[int]) -> None:
        raise AssertionError(f"{node.op} is no part of a sum of partial products")

    def _adder(self, node: Node, args: Words, weights: list[int]) -> None:
        """Inverted in, inverted out: 2 c' + s' = a' + b' + c' for three bits, and a' + b' + 1 for two."""
        if weights[1] != 2 * weights[0] % self.modulus:
            raise AssertionError(f"an adder's carry counts {weights[1]}, its sum {weights[0]}")
        for word in args:
            self.add(word[0], weights[0])
        self.constant += weights[0] * (node.op == "half_adder_n")

    def _sum(self, node: Node, args: Words, weights: list[int]) -> None:
        weight = self._whole(weights)
        for word in args:
            for k, bit in enumerate(word):
                self.add(bit, weight << k)

    def _product(self, node: Node, args: Words, weights: list[int]) -> None:
        """A whole product loses nothing beyond its top bit."""
        full = node.width == sum(map(len, args)) and self._in_order(weights)
        weight = weights[0] if full else self._whole(weights)
        for j, one in enumerate(args[0]):
            for k, other in enumerate(args[1]):
                self._partial(one, other, weight << (j + k))

    def _parity(self, node: Node, args: Words, weights: list[int]) -> None:
        """Modulo 2^width the top column counts parity alone."""
        if node.width != 1 or weights[0] != self.modulus >> 1:
            self._refuse(node, args, weights)
        for word in args:
            self.add(word[0], weights[0])

    def _inverse(self, node: Node, args: Words, weights: list[int]) -> None:
        for k, weight in enumerate(weights):
            self.constant += weight
            self.add(args[0][k], -weight)

    def _partials(self, node: Node, args: Words, weights: list[int]) -> None:
        for k, weight in enumerate(weights):
            self._partial(args[0][k], args[1][k], weight)

    _rules = {
        "full_adder": _adder,
        "half_adder_n": _adder,
        "add": _sum,
        "dsp": _product,
        "xor": _parity,
        "not": _inverse,
        "and": _partials,
    }
    """What replaces each operation, from its node, the bits of its arguments and the weights of its bits."""

    def _partial(self, a: Bit, b: Bit, weight: int) -> None:
        """The product of two bits: one of the partial products, with its weight."""
        pair = {self.ends.get(s): k for s, k in (a, b)}
        found = weight % self.modulus
        if found and self.wanted.pop((pair.get(0, -1), pair.get(1, -1)), -1) != found:
            raise AssertionError(f"the partial product of {a} and {b} has the weight {weight}")

    def _in_order(self, weights: list[int]) -> bool:
        """Whether the weights are those of a number's bits, times the lowest one's."""
        return weights == [(weights[0] << k) % self.modulus for k in range(len(weights))]

    def _whole(self, weights: list[int]) -> int:
        """The weight of a number whose bits count so; what it loses beyond its top bit must count nothing."""
        if not self._in_order(weights) or (weights[0] << len(weights)) % self.modulus:
            raise AssertionError("the bits of a sum do not count as a number")
        return weights[0]
