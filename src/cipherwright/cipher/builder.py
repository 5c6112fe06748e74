"""The vocabulary in which ciphers are written, and its meaning on integers.

A cipher is a set of functions over a *builder*. Run with `IntBuilder` the functions are the reference
model; run with `cipherwright.graph.GraphBuilder` they produce the dataflow graph. There is no second copy.

Bit order: bit 0 of a word is its least significant bit; the standards' "bit 1" (DES) and "byte 0" are the
most significant ones. `select` and `cat` list most significant first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

__all__ = ["Builder", "IntBuilder", "IntWord"]

W = TypeVar("W")


class Builder(Protocol[W]):
    """Word operations. `W` is what a word is: an `IntWord`, or a node of a graph. Every operand of a bitwise
    operation has the same width, and so has the result. Bit 0 of a word is its least significant bit.
    """

    def width(self, a: W) -> int:
        """The width of `a` in bits."""
        ...

    def const(self, width: int, value: int) -> W:
        """A constant of `width` bits with an unsigned `value`."""
        ...

    def xor(self, a: W, b: W) -> W:
        """`a` and `b`, bit by bit: 1 where they differ."""
        ...

    def and_(self, a: W, b: W) -> W:
        """`a` and `b`, bit by bit: 1 where both are 1."""
        ...

    def or_(self, a: W, b: W) -> W:
        """`a` and `b`, bit by bit: 1 where either is 1."""
        ...

    def not_(self, a: W) -> W:
        """The complement of every bit of `a`."""
        ...

    def mux(self, sel: W, a: W, b: W) -> W:
        """`a` where the one-bit `sel` is 1, else `b`."""
        ...

    def add(self, a: W, b: W) -> W:
        """`a` plus `b`, modulo 2^width."""
        ...

    def sub(self, a: W, b: W) -> W:
        """`a` minus `b`, modulo 2^width."""
        ...

    def mul(self, a: W, b: W) -> W:
        """Low half of the product of `a` and `b` (modulo 2^width)."""
        ...

    def select(self, a: W, bits: Sequence[int]) -> W:
        """The listed `bits` of `a`, most significant first: slices, rotations, permutations, expansions."""
        ...

    def cat(self, *parts: W) -> W:
        """The `parts` in one word, the most significant part first."""
        ...

    def lookup(self, name: str, table: Sequence[int], width: int, a: W) -> W:
        """Entry `a` of `table`, which has 2^width(a) words of `width` bits; `name` is the standard's."""
        ...

    def linear(self, name: str, rows: Sequence[int], a: W) -> W:
        """GF(2)-linear map: output bit len(rows)-1-i is the parity of rows[i] & a, for `rows` and the word
        `a` (row 0 = most significant bit); `name` is the standard's.
        """
        ...

    def again(self, a: W, which: str) -> W:
        """`a` once more: what is computed from it is hardware of its own, one for each `which`."""
        ...

    def named(self, a: W, name: str) -> W:
        """`a`, with the `name` that the standard gives it (kept in the emitted text)."""
        ...

    def section(self, title: str) -> None:
        """Operations from here on belong to the part `title` of the cipher, such as `round 7` or `round key
        7`.
        """
        ...

    def step(self, name: str) -> str:
        """Operations from here on belong to the step `name` of that part, such as `MixColumns`; "" for none.
        The result is the step that they belonged to until now.
        """
        ...


@dataclass(frozen=True)
class IntWord:
    """An unsigned `value` of a fixed `width` in bits. Raises ValueError where it does not fit, or the width
    is below 1.
    """

    width: int
    value: int

    def __init__(self, width: int, value: int) -> None:
        if width < 1 or value < 0 or value >> width:
            raise ValueError(f"{value:#x} is no word of {width} bits")
        own = self.__dict__  # words are made by the million: this is the quickest way to set a frozen field
        own["width"], own["value"] = width, value


class IntBuilder:
    """The reference meaning of the vocabulary, on `IntWord` values. Raises ValueError where widths differ, a
    bit is outside its word, or a table has not an entry for each address.

    >>> b = IntBuilder()
    >>> b.select(IntWord(8, 0xA5), range(7, 3, -1))
    IntWord(width=4, value=10)
    >>> b.add(IntWord(4, 9), IntWord(4, 9))
    IntWord(width=4, value=2)
    >>> b.xor(IntWord(4, 9), IntWord(8, 9))
    Traceback (most recent call last):
        ...
    ValueError: operands of 4 and 8 bits
    """

    def width(self, a: IntWord) -> int:
        """The width of `a` in bits."""
        return a.width

    def const(self, width: int, value: int) -> IntWord:
        """The word of `width` bits with `value`. Raises ValueError where it does not fit."""
        return IntWord(width, value)

    @staticmethod
    def _same(a: IntWord, b: IntWord) -> int:
        if a.width != b.width:
            raise ValueError(f"operands of {a.width} and {b.width} bits")
        return a.width

    def xor(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` and `b`, bit by bit: 1 where they differ."""
        return IntWord(self._same(a, b), a.value ^ b.value)

    def and_(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` and `b`, bit by bit: 1 where both are 1."""
        return IntWord(self._same(a, b), a.value & b.value)

    def or_(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` and `b`, bit by bit: 1 where either is 1."""
        return IntWord(self._same(a, b), a.value | b.value)

    def not_(self, a: IntWord) -> IntWord:
        """The complement of every bit of `a`."""
        return IntWord(a.width, a.value ^ ((1 << a.width) - 1))

    def mux(self, sel: IntWord, a: IntWord, b: IntWord) -> IntWord:
        """`a` where `sel` is 1, else `b`. Raises ValueError where `sel` has more than one bit."""
        if sel.width != 1:
            raise ValueError("a multiplexer's select is one bit")
        return IntWord(self._same(a, b), a.value if sel.value else b.value)

    def add(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` plus `b`, modulo 2^width."""
        return IntWord(self._same(a, b), (a.value + b.value) % (1 << a.width))

    def sub(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` minus `b`, modulo 2^width."""
        return IntWord(self._same(a, b), (a.value - b.value) % (1 << a.width))

    def mul(self, a: IntWord, b: IntWord) -> IntWord:
        """`a` times `b`, modulo 2^width."""
        return IntWord(self._same(a, b), (a.value * b.value) % (1 << a.width))

    def select(self, a: IntWord, bits: Sequence[int]) -> IntWord:
        """The listed `bits` of `a`, at least one, the most significant of the result first."""
        if not bits or min(bits) < 0 or max(bits) >= a.width:
            raise ValueError(f"a bit outside a word of {a.width} bits")
        if isinstance(bits, range) and bits.step == -1:
            return IntWord(len(bits), a.value >> bits[-1] & (1 << len(bits)) - 1)
        if len(bits) > 8:  # by the digits, the most significant first
            digits = f"{a.value:0{a.width}b}"
            return IntWord(len(bits), int("".join([digits[~i] for i in bits]), 2))
        out = 0
        for i in bits:
            out = out << 1 | (a.value >> i) & 1
        return IntWord(len(bits), out)

    def cat(self, *parts: IntWord) -> IntWord:
        """The `parts` in one word, the most significant part first."""
        out, width = 0, 0
        for p in parts:
            out, width = out << p.width | p.value, width + p.width
        return IntWord(width, out)

    def lookup(self, name: str, table: Sequence[int], width: int, a: IntWord) -> IntWord:
        """Entry number `a` of `table`, as a word of `width` bits. `name`: of the table, for the message."""
        if len(table) != 1 << a.width:
            raise ValueError(f"{name}: {len(table)} entries for an address of {a.width} bits")
        return IntWord(width, table[a.value])

    def linear(self, name: str, rows: Sequence[int], a: IntWord) -> IntWord:
        """The parity of `row & a` for each of `rows`, the most significant bit from the first. `name` is not
        read.
        """
        out = 0
        for row in rows:
            out = out << 1 | (row & a.value).bit_count() & 1
        return IntWord(len(rows), out)

    def again(self, a: IntWord, which: str) -> IntWord:
        """`a` itself: a number has no copies for `which` to tell apart."""
        return a

    def named(self, a: IntWord, name: str) -> IntWord:
        """`a` itself: a number has no `name`."""
        return a

    def section(self, title: str) -> None:
        """Nothing: numbers belong to no part, whatever its `title`."""

    def step(self, name: str) -> str:
        """Nothing, as with `section`, whatever the `name`."""
        return ""
