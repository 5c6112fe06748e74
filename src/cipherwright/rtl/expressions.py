"""Expressions of Verilog that many modules have: words that are put together, and their fields."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["bits_reversed", "concatenated", "each_byte", "field_places"]


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


def field_places(word: str, fields: Iterable[tuple[str, int]]) -> dict[str, str]:
    """The expression of each field of `word`, by the field's name. fields: name and width in bits, from bit 0
    on. A word whose fields have one bit together is a scalar.

    >>> field_places("tag", [("last", 1), ("id", 4)])
    {'last': 'tag[0]', 'id': 'tag[4:1]'}
    >>> field_places("tag", [("last", 1)])
    {'last': 'tag'}
    """
    wanted, low, places = [*fields], 0, dict[str, str]()
    for name, width in wanted:
        places[name] = f"{word}[{low + width - 1}:{low}]" if width > 1 else f"{word}[{low}]"
        low += width
    return places if low > 1 else dict.fromkeys(places, word)
