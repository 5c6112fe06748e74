"""Expressions of Verilog that many modules have: words that are put together."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["bits_reversed", "concatenated", "each_byte"]


def concatenated(parts: Iterable[str]) -> str:
    """One word of `parts`, which are expressions, the first one in its lowest bits.

    >>> concatenated(["low", "middle", "high"])
    '{high, middle, low}'
    """
    return f"{{{', '.join(reversed([*parts]))}}}"


def bits_reversed(name: str, bits: int) -> str:
    """The word `name`, of `bits` bits, with its bits in the opposite order.

    >>> bits_reversed("keep", 3)
    '{keep[0], keep[1], keep[2]}'
    """
    return concatenated(f"{name}[{k}]" for k in reversed(range(bits)))


def each_byte(marks: str, count: int) -> str:
    """Eight bits for each bit of `marks`, a name or its inverse, which has `count` bits: a mask of bytes.

    >>> each_byte("~keep", 2)
    '{{8{~keep[1]}}, {8{~keep[0]}}}'
    """
    return concatenated(f"{{8{{{marks}[{k}]}}}}" for k in range(count))
