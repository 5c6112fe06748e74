"""Polynomials over GF(2) in two factors, for proofs of multipliers in emitted Verilog. What a proof does not
name has any value (`UNKNOWN`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor

__all__ = ["UNKNOWN", "Form", "Forms", "product_forms"]

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


def _places(f: Form) -> list[int]:
    out = []
    while f:
        out.append((f & -f).bit_length() - 1)
        f &= f - 1
    return out


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
