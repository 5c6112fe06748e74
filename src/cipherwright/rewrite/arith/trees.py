"""The multiplier `tree`: partial products, a compressor tree and the final adder, all grown from delays;
and its proof.

`low_product` returns how it was made as well, for the plots of its delays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph
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
    arrival: Sequence[float] = (),
    slack: float = 0.0,
    final: str = "hybrid",
) -> Made:
    """x y modulo 2^width. `arrival` of the bits of x and y in ns; `slack`: how much later than it could
    the result may be, for a smaller adder `final` (one of PROFILE_ADDERS).
    """
    tree = compress(b, partial_products(b, x, y, width, delays, arrival), delays)
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
    modulus = 1 << width
    total: dict[Bit, int] = {}
    constant = 0
    ends = {graph.inputs[x]: 0, graph.inputs[y]: 1}
    wanted = {
        (i, j): 1 << (i + j)
        for i in range(graph.nodes[graph.inputs[x]].width)
        for j in range(graph.nodes[graph.inputs[y]].width)
        if i + j < width
    }

    def term(bit: Bit, weight: int) -> None:
        nonlocal constant
        node = graph.nodes[bit[0]]
        if node.op == "const":
            constant += weight * (node.attr >> bit[1] & 1)
        else:
            total[bit] = (total.get(bit, 0) + weight) % modulus

    def partial(a: Bit, b: Bit, weight: int) -> None:
        pair = {ends.get(s): k for s, k in (a, b)}
        if weight % modulus and wanted.pop((pair.get(0, -1), pair.get(1, -1)), -1) != weight % modulus:
            raise AssertionError(f"the partial product of {a} and {b} has the weight {weight}")

    def whole(weights: list[int]) -> int:
        """The weight of a number whose bits count so; what it loses beyond its top bit must count nothing."""
        if (
            any(w != (weights[0] << k) % modulus for k, w in enumerate(weights))
            or (weights[0] << len(weights)) % modulus
        ):
            raise AssertionError("the bits of a sum do not count as a number")
        return weights[0]

    for bit, weight, inverted in finals:
        constant += weight * inverted  # a bit is 1 minus its inverted form
        term(bit, -weight if inverted else weight)
    for i in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[i]
        weights = [total.pop((i, k), 0) for k in range(node.width)]
        if not any(weights) or node.op in ("select", "cat"):
            continue
        args = [graph.bits[a] for a in node.args]
        if node.op in ("full_adder", "half_adder_n"):
            # Inverted in, inverted out: 2 c' + s' = a' + b' + c' for three, and a' + b' + 1 for two.
            if weights[1] != 2 * weights[0] % modulus:
                raise AssertionError(f"an adder's carry counts {weights[1]}, its sum {weights[0]}")
            for word in args:
                term(word[0], weights[0])
            constant += weights[0] * (node.op == "half_adder_n")
        elif node.op == "add":
            weight = whole(weights)
            for word in args:
                for k, bit in enumerate(word):
                    term(bit, weight << k)
        elif node.op == "dsp":
            weight = (
                weights[0]
                if node.width == sum(map(len, args))
                and weights == [(weights[0] << k) % modulus for k in range(node.width)]
                else whole(weights)
            )
            for j, one in enumerate(args[0]):
                for k, other in enumerate(args[1]):
                    partial(one, other, weight << (j + k))
        elif node.op == "xor" and node.width == 1 and weights[0] == modulus >> 1:
            for word in args:  # modulo 2^width the top column counts parity alone
                term(word[0], weights[0])
        elif node.op == "not":
            for k, weight in enumerate(weights):
                constant += weight
                term(args[0][k], -weight)
        elif node.op == "and":
            for k, weight in enumerate(weights):
                partial(args[0][k], args[1][k], weight)
        else:
            raise AssertionError(f"{node.op} is no part of a sum of partial products")
    if wanted or any(total.values()) or constant % modulus:
        raise AssertionError(
            f"{len(wanted)} partial products are missing, or a constant {constant % modulus} is left"
        )
