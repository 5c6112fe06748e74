"""S7 and S9 of MISTY1 (RFC 2994, section 2.3) as algebraic normal forms: output bit y_i (bit 0 least
significant) is the sum of the listed products of input bits; the empty product is the constant one. Facts
of the standard.
"""

_S7 = """
0 13 034 15 025 45 016 26 056 356 -
02 04 34 15 245 6 06 36 236 146 056 -
12 023 4 14 014 05 045 345 16 36 036 46 246
0 1 012 03 24 145 26 136 046 56 -
23 04 134 5 25 125 035 16 156 456 -
0 1 2 012 03 123 14 024 05 015 35 06 256
01 3 03 234 05 25 35 135 16 126 036 46 256
"""
_S9 = """
04 05 15 16 26 27 37 38 48 -
02 3 13 23 34 45 06 26 7 08 38 58 -
01 13 4 04 24 34 45 06 56 17 37 8
0 12 24 5 15 35 45 56 17 67 28 48
1 03 23 05 35 6 26 46 56 67 28 78
2 03 14 34 16 46 7 37 57 67 08 78
01 3 14 25 45 27 57 8 08 48 68 78 -
1 01 12 23 04 5 16 36 07 47 67 18 -
0 01 12 4 05 25 36 56 07 08 38 68 -
"""


def _products(text: str) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(
        tuple(tuple(int(c) for c in term if c != "-") for term in line.split())
        for line in text.split("\n")
        if line
    )


S7_PRODUCTS = _products(_S7)
S9_PRODUCTS = _products(_S9)


def _table(products: tuple[tuple[tuple[int, ...], ...], ...]) -> tuple[int, ...]:
    masks = [[sum(1 << v for v in term) for term in terms] for terms in products]
    return tuple(
        sum((sum(x & mask == mask for mask in bit) & 1) << i for i, bit in enumerate(masks))
        for x in range(1 << len(products))
    )


S7 = _table(S7_PRODUCTS)
S9 = _table(S9_PRODUCTS)
