"""Arithmetic in GF(2^8) by a polynomial, and byte matrices over it as GF(2)-linear maps."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["byte_matrix", "columns_of", "inverse", "product"]


def product(a: int, c: int, polynomial: int) -> int:
    """`a` times `c` in GF(2^8) modulo the `polynomial` (nine bits, bit k the coefficient of x^k).

    >>> hex(product(0x57, 0x83, 0x11B))  # FIPS 197, section 4.2
    '0xc1'
    """
    out = 0
    for k in range(8):
        out ^= a << k if c >> k & 1 else 0
    for k in range(15, 7, -1):
        out ^= polynomial << k - 8 if out >> k & 1 else 0
    return out


def inverse(a: int, polynomial: int) -> int:
    """The element whose product with `a` is 1 in GF(2^8) modulo the irreducible `polynomial` (nine bits,
    bit k the coefficient of x^k); 0 for 0. It is `a` to the power of 254.

    >>> hex(inverse(0x53, 0x11B))
    '0xca'
    """
    out = 1
    for _ in range(7):  # 254 is 11111110 in binary
        a = product(a, a, polynomial)
        out = product(out, a, polynomial)
    return out


def columns_of(function: Callable[[int], int], width: int, height: int) -> tuple[int, ...]:
    """Rows, most significant first, of the GF(2)-linear `function` from `width` bits to `height` bits. A
    row's bit k reads bit k of the operand.

    >>> columns_of(lambda x: x << 1 & 7 | x >> 2, 3, 3)  # a rotation to the left
    (2, 1, 4)
    """
    columns = [function(1 << c) for c in range(width)]
    return tuple(sum((columns[c] >> r & 1) << c for c in range(width)) for r in range(height - 1, -1, -1))


def byte_matrix(size: int, entry: Callable[[int, int], int], polynomial: int) -> tuple[int, ...]:
    """Rows, most significant first, of the map on `size` bytes (byte 0 on top) whose output byte i is the sum
    over j of `entry(i, j)` times byte j, in GF(2^8) modulo the `polynomial` (nine bits).
    """

    def apply(word: int) -> int:
        given = word.to_bytes(size, "big")
        out = [0] * size
        for i in range(size):
            for j in range(size):
                out[i] ^= product(given[j], entry(i, j), polynomial)
        return int.from_bytes(bytes(out), "big")

    return columns_of(apply, 8 * size, 8 * size)
