"""A circuit is a bilinear map: exact, by algebra over GF(2), for all inputs.

Every bit of the circuit is a polynomial in the bits of its two factors. From the inputs on, each operation's
polynomial is computed from those of its operands, until those of the outputs are compared with what they have
to be. An operation whose polynomial has a product of two bits of the same factor is refused, so no polynomial
has more terms than there are pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from operator import xor

from ...cipher.gcm import BLOCK_BITS, ONE, field_product
from ...graph.graph import Graph, Node

__all__ = [
    "UNKNOWN",
    "Form",
    "Forms",
    "bilinear_forms",
    "field_forms",
    "product_forms",
    "prove_field_product",
]

Form = int
"""A polynomial in two factors of n bits: its bit (i + 1) (n + 1) + j + 1 is the coefficient of x_i y_j. Of a
term without x_i, i is -1; without y_j, j is -1. So 0 and 1 are the constants, and a polynomial with its
bit 0 inverted is the complement.
"""

UNKNOWN: Form = -1
"""Stands for any value, as every negative number does."""


@dataclass(frozen=True)
class Forms:
    """Arithmetic of polynomials in two factors of `n` bits. It has the calls of the gates of an and-inverter
    graph (`and_`, `xor`, `mux`), which take `UNKNOWN` as well.
    """

    n: int

    def term(self, i: int, j: int) -> Form:
        """The polynomial x_i y_j; without x_i where `i` is -1, without y_j where `j` is -1."""
        return 1 << (i + 1) * (self.n + 1) + j + 1

    def and_(self, a: Form, b: Form) -> Form:
        """`a` times `b`; unknown where that is not bilinear."""
        if min(a, b) < 0:
            return 0 if 0 in (a, b) else UNKNOWN
        try:
            return self.product(a, b)
        except ValueError:
            return UNKNOWN

    def xor(self, a: Form, b: Form) -> Form:
        """The sum of `a` and `b`."""
        return UNKNOWN if min(a, b) < 0 else a ^ b

    def mux(self, s: Form, a: Form, b: Form) -> Form:
        """`a` where `s` is 1, `b` where it is 0."""
        if s in (0, 1):
            return a if s else b
        return a if a == b else self.xor(b, self.and_(s, self.xor(a, b)))

    @cached_property
    def only_x(self) -> Form:
        """Every term without y."""
        return reduce(xor, (self.term(i, -1) for i in range(-1, self.n)))

    @cached_property
    def only_y(self) -> Form:
        """Every term without x."""
        return (1 << self.n + 1) - 1

    def product(self, f: Form, g: Form) -> Form:
        """`f` times `g`. Raises ValueError where the product is not bilinear."""
        if min(f, g) <= 1:
            return min(f, g) * max(f, g)
        if not g & ~self.only_x:
            f, g = g, f
        if f & ~self.only_x or g & ~self.only_y:
            raise ValueError("a product of two bits of the same factor")
        return reduce(xor, (g << place for place in _places(f)))

    def table(self, truth: int, operands: Sequence[Form]) -> Form:
        """The truth table `truth` over the polynomials `operands`, operand 0 the top address bit."""
        count = len(operands)
        terms = [truth >> a & 1 for a in range(1 << count)]
        for k in range(count):  # from values to the polynomial's coefficients (Moebius transform)
            terms = [t ^ (terms[a ^ 1 << k] if a >> k & 1 else 0) for a, t in enumerate(terms)]
        out = 0
        for a in (a for a, t in enumerate(terms) if t):
            chosen = [operands[count - 1 - k] for k in range(count) if a >> k & 1]
            out ^= reduce(self.product, chosen, 1)
        return out


def _places(f: Form) -> list[int]:
    out = []
    while f:
        out.append((f & -f).bit_length() - 1)
        f &= f - 1
    return out


_TABLES = {"xor": 0b0110, "and": 0b1000, "or": 0b1110, "not": 0b01, "mux": 0b11001010}
"""Truth tables of the other bitwise operations."""


def bilinear_forms(graph: Graph, x: str, y: str) -> dict[str, list[Form]]:
    """Polynomials of the outputs' bits of `graph`, by output and the least significant bit first, in the bits
    of the inputs `x` and `y`, which have the same width. Raises ValueError where one is not bilinear, or an
    operation is not one on single bits.
    """
    n = graph.nodes[graph.inputs[x]].width
    forms = Forms(n)
    value: dict[tuple[int, int], Form] = {}
    for k in range(n):
        value[(graph.inputs[x], k)] = forms.term(k, -1)
        value[(graph.inputs[y], k)] = forms.term(-1, k)
    for i, node in enumerate(graph.nodes):
        if node.op == "const":
            value.update({(i, k): node.attr >> k & 1 for k in range(node.width)})
    for i in graph.logic():
        node = graph.nodes[i]
        words = [graph.bits[a] for a in node.args]
        for k in range(node.width):
            operands = [value[w[k if len(w) > 1 else 0]] for w in words]
            value[(i, k)] = forms.table(_truth(node), operands)
    return {name: [value[bit] for bit in graph.bits[i]] for name, i in graph.outputs}


def _truth(node: Node) -> int:
    if node.op in ("lut", "lut4"):
        return int(node.attr)
    if node.op in ("again", "copy", "hop"):
        return 0b10
    if node.op not in _TABLES:
        raise ValueError(f"{node.op} is no operation on single bits")
    return _TABLES[node.op]


@cache
def field_forms() -> tuple[Form, ...]:
    """Polynomials of the bits of a product in GCM's field, by the standard's algorithm for powers of t."""
    return product_forms(
        BLOCK_BITS, lambda i, j: field_product(ONE >> i, ONE >> j), lambda i: BLOCK_BITS - 1 - i
    )


def product_forms(
    n: int, product: Callable[[int, int], int], place: Callable[[int], int] = lambda i: i
) -> tuple[Form, ...]:
    """Polynomials of the bits of a product in a field of 2^`n` elements, the least significant bit first.

    product: of t^i and t^j times a constant, for i and j from 0 to n - 1, as an integer; place: the bit of a
    word that is the coefficient of t^i. A product's bit is the sum of the x_i y_j over all i and j for which
    t^(i+j) has that bit.
    """
    forms, top, out = Forms(n), n - 1, [0] * n
    for m in range(2 * n - 1):
        pairs = range(max(0, m - top), min(m, top) + 1)
        terms = reduce(xor, (forms.term(place(i), place(m - i)) for i in pairs))
        power = product(min(m, top), max(0, m - top))
        for k in range(n):
            out[k] ^= terms if power >> k & 1 else 0
    return tuple(out)


def prove_field_product(graph: Graph) -> int:
    """The sum of the outputs a and b of `graph` is the product of its inputs x and h in GCM's field and bit
    order, for all inputs. Returns the number of terms that were compared; raises AssertionError with a bit
    that differs.
    """
    found, want = bilinear_forms(graph, "x", "h"), field_forms()
    for k, (a, b, w) in enumerate(zip(found["a"], found["b"], want, strict=True)):
        if a ^ b != w:
            raise AssertionError(f"bit {k} of the product differs in {(a ^ b ^ w).bit_count()} terms")
    return sum(w.bit_count() for w in want)
