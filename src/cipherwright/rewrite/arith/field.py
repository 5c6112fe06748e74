"""Products in GF(2^128) as GCM has them, by Karatsuba (Karatsuba and Ofman 1962), for lookup tables of four
inputs.

A product of polynomials of 2m coefficients is three products of m: low, high, and that of the sums of the
halves. With the sum c of low's upper and high's lower half, the middle of the result is c + low_0 + mid_0
and c + high_1 + mid_1 (Bernstein, Batch binary Edwards, 2009, section 2): a bit is a sum of four, one LUT4.
At the bottom, two rows of partial products are one LUT4 a bit, and up to four rows are summed in one more.

The reduction by t^128 = t^7 + t^2 + t + 1 makes the result the sum of two words, which are not added here:
the LUT4 that adds them takes the next block and the gate of the feedback as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph

__all__ = ["KARATSUBA_LEVELS", "field_product_graph"]

KARATSUBA_LEVELS = (2, 3, 4)
"""Levels of Karatsuba that are offered."""

_BITS = 128
_TAPS = (0, 1, 2, 7)
"""t^128 is the sum of these powers (SP 800-38D, section 6.3)."""

_PRODUCTS = sum(
    ((a & b) ^ (c & d)) << (8 * a + 4 * b + 2 * c + d)
    for a, b, c, d in ((k >> 3 & 1, k >> 2 & 1, k >> 1 & 1, k & 1) for k in range(16))
)
"""Truth table of a b + c d."""

_SUMS = {n: sum((k.bit_count() & 1) << k for k in range(1 << n)) for n in (2, 3, 4)}
"""Truth tables of sums of so many bits."""

Bit = tuple[int, int]
"""A node and one of its bits."""

Poly = list[Bit]
"""Coefficients from t^0 on."""


def field_product_graph(levels: int = 3) -> Graph:
    """x, h -> a, b: words of 128 bits whose sum is the product of x and h in GCM's bit order, in which
    coefficient i is bit 127 - i of a word.

    levels: of Karatsuba, one of KARATSUBA_LEVELS.
    """
    if levels not in KARATSUBA_LEVELS:
        raise ValueError(f"{levels} levels of Karatsuba are none of {KARATSUBA_LEVELS}")
    b = GraphBuilder(f"gf128_product_{levels}")
    factors = [[(b.input(name, _BITS), _BITS - 1 - i) for i in range(_BITS)] for name in ("x", "h")]
    product = _Product(b).of([factors[0]], [factors[1]], _BITS >> levels)
    for name, word in zip("ab", _reduced(_Product(b), product), strict=True):
        b.output(name, b.gather(word[::-1]))
    return b.build()


@dataclass(frozen=True)
class _Product:
    """Products of polynomials in a builder's nodes."""

    b: GraphBuilder

    def of(self, x: Sequence[Poly], y: Sequence[Poly], leaf: int) -> Poly:
        """The product of the sum of the polynomials x and that of y; from `leaf` coefficients on by rows."""
        size = len(x[0])
        if size == leaf:
            return self._rows(self._total(x, "sum_x"), self._total(y, "sum_h"))
        m = size // 2
        (x_low, x_high), (y_low, y_high) = ([[p[:m] for p in w], [p[m:] for p in w]] for w in (x, y))
        low, high = self.of(x_low, y_low, leaf), self.of(x_high, y_high, leaf)
        mid = self.of([*x_low, *x_high], [*y_low, *y_high], leaf)
        # The upper part of a product of m coefficients each has one coefficient less than m.
        lower = [[*low[m + j : m + j + (j < m - 1)], mid[j], low[j], high[j]] for j in range(m)]
        upper = [[high[j], mid[m + j], low[m + j], high[m + j]] for j in range(m - 1)]
        joined = self.sums([*lower, *upper], f"join_{size}")
        return [*low[:m], *joined, high[m - 1], *high[m:]]

    def sums(self, terms: Sequence[Sequence[Bit]], name: str) -> Poly:
        """The sum of one to four bits each; sums of as many bits in a row are one operation."""
        out: Poly = []
        for count, run in groupby(terms, len):
            columns = list(zip(*run, strict=True))
            words = [self.b.gather(column) for column in columns]
            if count == 1:
                out += columns[0]
                continue
            made = self.b.lut(_SUMS[count], *words, name=name)
            out += [(made, k) for k in range(self.b.width(made))]
        return out

    def _total(self, parts: Sequence[Poly], name: str) -> Poly:
        """The sum of up to 16 polynomials, by fours."""
        while len(parts) > 1:
            four = range(0, len(parts), 4)
            parts = [self.sums(list(zip(*parts[k : k + 4], strict=True)), name) for k in four]
        return parts[0]

    def _rows(self, x: Poly, y: Poly) -> Poly:
        """The product of two polynomials: y times every two coefficients of x is a row."""
        size, zero = len(x), (self.b.const(1, 0), 0)
        terms: list[list[Bit]] = [[] for _ in range(2 * size - 1)]
        for low in range(0, size, 2):
            first, second = (self.b.gather([x[low + k]]) for k in (0, 1))
            words = (self.b.gather([*y, zero]), self.b.gather([zero, *y]))
            row = self.b.lut(_PRODUCTS, first, words[0], second, words[1], name="row")
            for k in range(size + 1):
                terms[low + k].append((row, k))
        return self.sums(self._fours(terms), "column")

    def _fours(self, terms: Sequence[Sequence[Bit]]) -> list[list[Bit]]:
        """Sums of up to 16 bits as sums of up to four: some of the bits are added in fours first, as few as
        will do.
        """
        groups = [
            next(g for g in range(5) if 4 * g + max(0, 4 - g) >= len(t)) if len(t) > 4 else 0 for t in terms
        ]
        first = [list(t[4 * k : 4 * k + 4]) for t, g in zip(terms, groups, strict=True) for k in range(g)]
        made = iter(self.sums(first, "four"))
        return [[*(next(made) for _ in range(g)), *t[4 * g :]] for t, g in zip(terms, groups, strict=True)]


def _reduced(made: _Product, product: Poly) -> tuple[Poly, Poly]:
    """Two words whose sum is the product of 255 coefficients modulo the polynomial."""
    low, high = product[:_BITS], product[_BITS:]
    # What the multiples of high's upper coefficients have at t^128 and above is reduced a second time.
    again: list[list[Bit]] = [[] for _ in range(_BITS)]
    for i, bit in enumerate(high):
        for tap in _TAPS:
            for twice in _TAPS if i + tap >= _BITS else ():
                again[i + tap - _BITS + twice] += [bit]
    first = [[high[j - t] for t in _TAPS if 0 <= j - t < len(high)] for j in range(_BITS)]
    odd = [[bit for bit in dict.fromkeys(terms) if terms.count(bit) % 2] for terms in again]
    more = iter(made.sums([terms for terms in odd if terms], "again"))
    second = [[low[j], next(more)] if odd[j] else [low[j]] for j in range(_BITS)]
    return made.sums(first, "reduce"), made.sums(second, "reduce_low")
