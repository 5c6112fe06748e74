"""Words with operators: the vocabulary in which a cipher is written as its standard writes it.

    T = lambda x: linear(L, x.each(8, lambda byte: lookup(SBOX, byte)))
    x0 ^ T(x1 ^ x2 ^ x3 ^ k)

The same text runs on integers, which is the reference model, and on a `GraphBuilder`, which makes the
dataflow graph (`over`). Bit 0 of a word is its least significant bit; parts are listed most significant
first. An integer beside a word is a constant of the word's width.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b = IntBuilder()
    >>> x = over(b, IntWord(8, 0xA5))
    >>> under(b, (x ^ 0x0F).rotl(4))
    IntWord(width=8, value=170)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Generic, ParamSpec, TypeVar, cast

from .builder import Builder

__all__ = [
    "Matrix",
    "Permutation",
    "Table",
    "Word",
    "Words",
    "all_over",
    "all_under",
    "choose",
    "concat",
    "linear",
    "lookup",
    "over",
    "step",
    "under",
]

W = TypeVar("W")
Args = ParamSpec("Args")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Table:
    """A lookup table under its standard `name`. `entries`: one of `width` bits for each address, from address
    0 on.
    """

    name: str
    width: int
    entries: tuple[int, ...]


@dataclass(frozen=True)
class Matrix:
    """A GF(2)-linear map under its standard `name`. `rows`: row 0 gives the most significant bit of the
    result, as the parity of row & operand.
    """

    name: str
    rows: tuple[int, ...]


class Word(ABC):
    """An unsigned value of `width` bits. Operands of `^ & | + - *` have equal widths, or one is a number;
    `+`, `-` and `*` are modulo 2^width. Raises ValueError where widths differ, and TypeError where an operand
    is neither, or a condition or a comparison of Python asks a word: hardware has no value while it is
    described.
    """

    @property
    @abstractmethod
    def width(self) -> int:
        """Width in bits."""

    @abstractmethod
    def _with(self, operation: str, other: Word) -> Word: ...

    @abstractmethod
    def const(self, width: int, value: int) -> Word:
        """A constant of `width` bits with an unsigned `value`, for the same builder."""

    @abstractmethod
    def __invert__(self) -> Word: ...

    @abstractmethod
    def bits(self, numbers: Sequence[int]) -> Word:
        """The bits of these `numbers` (0 is the least significant), most significant of the result first: a
        permutation, an expansion, a rotation.
        """

    @abstractmethod
    def _concat(self, words: Sequence[Word]) -> Word: ...

    @abstractmethod
    def _lookup(self, table: Table) -> Word: ...

    @abstractmethod
    def _linear(self, matrix: Matrix) -> Word: ...

    @abstractmethod
    def _choose(self, one: Word, zero: Word) -> Word: ...

    @abstractmethod
    def no_share(self, tag: str) -> Word:
        """The same word; what is computed from it is hardware of its own, one for each `tag`."""

    @abstractmethod
    def named(self, name: str) -> Word:
        """The same word, under the `name` that the standard gives it (kept in the emitted text)."""

    @abstractmethod
    def section(self, title: str) -> None:
        """Operations from here on belong to the part `title` of the cipher, such as `round key 7`."""

    @abstractmethod
    def step(self, name: str) -> str:
        """Operations from here on belong to the step `name` of that part; the step until now, "" of none."""

    def __bool__(self) -> bool:
        raise TypeError(_NO_CONDITION)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            raise TypeError(_NO_CONDITION)
        if isinstance(other, Word):
            raise TypeError(_NO_COMPARISON)
        return NotImplemented

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> bool:
        raise TypeError(_NO_CONDITION)

    __le__ = __gt__ = __ge__ = __lt__

    def _operand(self, other: Word | int) -> Word:
        if isinstance(other, int):
            return self.const(self.width, other)
        if not isinstance(other, Word):
            raise TypeError(f"an operand beside a word is a word or a number, not a {type(other).__name__}")
        if other.width != self.width:
            raise ValueError(f"operands of {self.width} and {other.width} bits")
        return other

    def __xor__(self, other: Word | int) -> Word:
        return self._with("xor", self._operand(other))

    def __and__(self, other: Word | int) -> Word:
        return self._with("and_", self._operand(other))

    def __or__(self, other: Word | int) -> Word:
        return self._with("or_", self._operand(other))

    def __add__(self, other: Word | int) -> Word:
        return self._with("add", self._operand(other))

    def __sub__(self, other: Word | int) -> Word:
        return self._with("sub", self._operand(other))

    def __rsub__(self, other: int) -> Word:
        return self._operand(other) - self

    __rxor__, __rand__, __ror__, __radd__ = __xor__, __and__, __or__, __add__

    __iter__ = None
    """A word is no sequence: without this, `*word` would ask for bits without end."""

    def __getitem__(self, which: int | slice) -> Word:
        """`w[k]` is bit k, from 0, the least significant; `w[hi:lo]` the bits hi … lo, both included, as
        standards and Verilog write it. Raises ValueError for other slices.

        >>> from cipherwright.cipher.builder import IntBuilder, IntWord
        >>> b = IntBuilder()
        >>> under(b, over(b, IntWord(8, 0xA5))[7:4])
        IntWord(width=4, value=10)
        """
        if isinstance(which, int):
            return self.bits((which,))
        if which.step is not None or which.start is None or which.stop is None or which.start < which.stop:
            raise ValueError("bits of a word are w[high:low]")
        return self.bits(range(which.start, which.stop - 1, -1))

    def __mul__(self, other: Word | int) -> Word:
        return self._with("mul", self._operand(other))

    __rmul__ = __mul__

    def __lshift__(self, by: int) -> Word:
        """Shifted to the left by a number of bits, as wide as before; zeros come in.

        >>> from cipherwright.cipher.builder import IntBuilder, IntWord
        >>> b = IntBuilder()
        >>> x = over(b, IntWord(8, 0xA5))
        >>> under(b, x << 4) == IntWord(8, 0x50), under(b, x >> 4) == IntWord(8, 0x0A)
        (True, True)
        """
        kept = self.width - _distance(by)
        return self.const(self.width, 0) if kept <= 0 else concat(self[kept - 1 : 0], *self._zeros(by))

    def __rshift__(self, by: int) -> Word:
        """Shifted to the right by a number of bits, as wide as before; zeros come in."""
        kept = self.width - _distance(by)
        return self.const(self.width, 0) if kept <= 0 else concat(*self._zeros(by), self[self.width - 1 : by])

    def _zeros(self, count: int) -> Words:
        return (self.const(count, 0),) if count else ()

    def rotl(self, by: int | Word) -> Word:
        """Rotated to the left, towards the most significant bit, by a number of bits modulo the width; by a
        word, as many bits as it says: a multiplexer for each of its bits.

        >>> from cipherwright.cipher.builder import IntBuilder, IntWord
        >>> b = IntBuilder()
        >>> x, by = over(b, IntWord(8, 0xA5)), over(b, IntWord(3, 4))
        >>> under(b, x.rotl(4)) == under(b, x.rotl(by)) == IntWord(8, 0x5A)
        True
        """
        if isinstance(by, Word):
            out: Word = self
            for k in range(by.width):
                out = choose(by[k], out.rotl(1 << k), out).named(f"rol{1 << k}")
            return out
        width = self.width
        return self.bits([(k - by) % width for k in reversed(range(width))])

    def rotr(self, by: int) -> Word:
        """Rotated to the right, towards the least significant bit, `by` a number of bits modulo the width."""
        return self.rotl(-by)

    def split(self, parts: int) -> tuple[Word, ...]:
        """So many equal parts, most significant first. Raises ValueError where the width is no multiple.

        >>> from cipherwright.cipher.builder import IntBuilder, IntWord
        >>> b = IntBuilder()
        >>> [under(b, part).value for part in over(b, IntWord(8, 0xA5)).split(2)]
        [10, 5]
        """
        size, rest = divmod(self.width, parts)
        if rest:
            raise ValueError(f"a word of {self.width} bits has no {parts} equal parts")
        return tuple(self[self.width - 1 - size * i : self.width - size * (i + 1)] for i in range(parts))

    def each(self, size: int, function: Callable[[Word], Word]) -> Word:
        """The function of every piece of `size` bits, joined again in the same order: a layer of S-boxes.
        Raises ValueError where the width is no multiple of `size`.

        >>> from cipherwright.cipher.builder import IntBuilder, IntWord
        >>> b = IntBuilder()
        >>> under(b, over(b, IntWord(8, 0xA5)).each(4, lambda nibble: nibble + 1)) == IntWord(8, 0xB6)
        True
        """
        return concat(*map(function, self.split(self.width // size)))


_NO_CONDITION = (
    "a word is no condition of Python, it has no value while hardware is described: choose(bit, one, zero) "
    "takes one word or the other"
)

_NO_COMPARISON = (
    "words are not compared by == and !=, they have no value while hardware is described: ~(a ^ b) is 1 in "
    "each bit in which a and b are equal"
)


def _distance(by: object) -> int:
    """The bits of a shift. Raises TypeError where they are no number, and ValueError where it is below 0."""
    if not isinstance(by, int):
        raise TypeError("a shift is by a number of bits; rotl takes a word too")
    if by < 0:
        raise ValueError(f"a shift is by a number of bits from 0 on, not {by}")
    return by


Words = tuple[Word, ...]
"""A state: its words in the standard's order."""


def concat(*words: Word) -> Word:
    """One word out of `words` (at least one), the most significant first; as wide as all of them.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b = IntBuilder()
    >>> under(b, concat(over(b, IntWord(4, 0xA)), over(b, IntWord(8, 5)))) == IntWord(12, 0xA05)
    True
    """
    if strange := [word for word in words if not isinstance(word, Word)]:
        raise TypeError(f"concat joins words, not {strange[0]!r:.80}: w.const(bits, number) is one")
    return words[0] if len(words) == 1 else words[0]._concat(words)


def lookup(table: Table, address: Word) -> Word:
    """The entry of `table` at `address`: an S-box. The address is an unsigned number, its bit 0 the least
    significant. Raises ValueError where the table has not 2^width(address) entries.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b, square = IntBuilder(), Table("square", 4, (0, 1, 4, 9))
    >>> under(b, lookup(square, over(b, IntWord(2, 3))))
    IntWord(width=4, value=9)
    """
    if len(table.entries) != 1 << address.width:
        raise ValueError(f"{table.name}: {len(table.entries)} entries, an address of {address.width} bits")
    return address._lookup(table)


def linear(matrix: Matrix, word: Word) -> Word:
    """The linear map `matrix` of `word` over GF(2), as wide as the matrix has rows. A row's bit k reads bit k
    of the word.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b, swap_and_sum = IntBuilder(), Matrix("swap, sum", (0b01, 0b10, 0b11))
    >>> under(b, linear(swap_and_sum, over(b, IntWord(2, 0b01)))) == IntWord(3, 0b101)
    True
    """
    return word._linear(matrix)


def choose(bit: Word, one: Word, zero: Word) -> Word:
    """`one` where `bit` is 1, else `zero`: a multiplexer. Raises ValueError where the choice is no single
    bit, or the words differ in width.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b = IntBuilder()
    >>> one, zero = over(b, IntWord(4, 9)), over(b, IntWord(4, 6))
    >>> under(b, choose(over(b, IntWord(1, 0)), one, zero))
    IntWord(width=4, value=6)
    """
    if bit.width != 1 or one.width != zero.width:
        raise ValueError("a choice is between words of one width, by one bit")
    return bit._choose(one, zero)


@dataclass(frozen=True)
class Permutation:
    """A permutation, an expansion or a choice of bits as standards print it. `numbers`: for each bit of the
    result, from the most significant, the number of the operand's bit, where number 1 is the most
    significant. `width`: that of the operand.

    This one rotates a word of four bits to the left:

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b = IntBuilder()
    >>> under(b, Permutation(4, (2, 3, 4, 1))(over(b, IntWord(4, 0b1001)))) == IntWord(4, 0b0011)
    True
    """

    width: int
    numbers: tuple[int, ...]

    def __call__(self, word: Word) -> Word:
        """Raises ValueError where the operand has another width."""
        if word.width != self.width:
            raise ValueError(f"a permutation of {self.width} bits, an operand of {word.width}")
        return word.bits([self.width - n for n in self.numbers])


class _Over(Word, Generic[W]):
    """A value of a builder."""

    def __init__(self, builder: Builder[W], value: W) -> None:
        self.builder, self.value = builder, value

    @property
    def width(self) -> int:
        return self.builder.width(self.value)

    def _new(self, value: W) -> Word:
        return _Over(self.builder, value)

    def _theirs(self, other: Word) -> W:
        return cast("_Over[W]", other).value

    def _with(self, operation: str, other: Word) -> Word:
        b = self.builder
        made = {"xor": b.xor, "and_": b.and_, "or_": b.or_, "add": b.add, "sub": b.sub, "mul": b.mul}[
            operation
        ]
        return self._new(made(self.value, self._theirs(other)))

    def const(self, width: int, value: int) -> Word:
        return self._new(self.builder.const(width, value))

    def __invert__(self) -> Word:
        return self._new(self.builder.not_(self.value))

    def bits(self, numbers: Sequence[int]) -> Word:
        return self._new(self.builder.select(self.value, numbers))

    def _concat(self, words: Sequence[Word]) -> Word:
        return self._new(self.builder.cat(*map(self._theirs, words)))

    def _lookup(self, table: Table) -> Word:
        return self._new(self.builder.lookup(table.name, table.entries, table.width, self.value))

    def _linear(self, matrix: Matrix) -> Word:
        return self._new(self.builder.linear(matrix.name, matrix.rows, self.value))

    def _choose(self, one: Word, zero: Word) -> Word:
        return self._new(self.builder.mux(self.value, self._theirs(one), self._theirs(zero)))

    def no_share(self, tag: str) -> Word:
        return self._new(self.builder.again(self.value, tag))

    def named(self, name: str) -> Word:
        return self._new(self.builder.named(self.value, name))

    def section(self, title: str) -> None:
        self.builder.section(title)

    def step(self, name: str) -> str:
        return self.builder.step(name)


_Over.__name__ = _Over.__qualname__ = Word.__name__  # as messages of Python call it


def step(name: str) -> Callable[[Callable[Args, Made]], Callable[Args, Made]]:
    """What marks a function of words, or of states, as the step `name` of its standard: comments in emitted
    text say where it is. Of steps inside one another the inner one counts. Raises ValueError for a name with
    a comma, colon or semicolon, which part names there.

    >>> from cipherwright.graph import GraphBuilder
    >>> inverted = step("Invert")(lambda word: ~word)
    >>> b = GraphBuilder("steps")
    >>> b.section("round 1")
    >>> b.output("y", under(b, inverted(over(b, b.input("x", 8)))))
    >>> b.build().nodes[1].section
    'round 1: Invert'
    """

    if not name or set(name) & set(",:;"):
        raise ValueError(f"a step has a name without comma, colon and semicolon, not {name!r}")

    def marked(function: Callable[Args, Made]) -> Callable[Args, Made]:
        @wraps(function)
        def inside(*args: Args.args, **kwargs: Args.kwargs) -> Made:
            word = next(_words((*args, *kwargs.values())))
            before = word.step(name)
            try:
                return function(*args, **kwargs)
            finally:
                word.step(before)

        return inside

    return marked


def _words(args: Iterable[object]) -> Iterator[Word]:
    """The words among `args`, and in the states among them."""
    for arg in args:
        if isinstance(arg, Word):
            yield arg
        elif isinstance(arg, (tuple, list)):
            yield from _words(arg)


def over(builder: Builder[W], value: W) -> Word:
    """A `value` of `builder` as a word: `IntWord` of an `IntBuilder`, the number of a node of a
    `GraphBuilder`.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> over(IntBuilder(), IntWord(8, 3)).width
    8
    """
    return _Over(builder, value)


def under(builder: Builder[W], word: Word) -> W:
    """The value of `builder` behind `word`, the opposite of `over`. Raises ValueError where it belongs to
    another builder.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> under(IntBuilder(), over(IntBuilder(), IntWord(8, 3)))
    Traceback (most recent call last):
        ...
    ValueError: words of two builders do not meet
    """
    found = cast("_Over[W]", word)
    if found.builder is not builder:
        raise ValueError("words of two builders do not meet")
    return found.value


def all_over(builder: Builder[W], values: Sequence[W]) -> Words:
    """The `values` of `builder` as words, in the same order.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> [word.width for word in all_over(IntBuilder(), [IntWord(8, 3), IntWord(4, 1)])]
    [8, 4]
    """
    return tuple(over(builder, value) for value in values)


def all_under(builder: Builder[W], words: Sequence[Word]) -> tuple[W, ...]:
    """The values of `builder` behind `words`, in the same order. Raises ValueError where one belongs to
    another builder.

    >>> from cipherwright.cipher.builder import IntBuilder, IntWord
    >>> b = IntBuilder()
    >>> all_under(b, all_over(b, [IntWord(8, 3), IntWord(4, 1)]))
    (IntWord(width=8, value=3), IntWord(width=4, value=1))
    """
    return tuple(under(builder, word) for word in words)
