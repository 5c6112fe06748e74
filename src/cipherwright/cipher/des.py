"""DES and TDES (FIPS 46-3, SP 800-67): the data encryption algorithm, and its bundle of two or three keys.

Weak and semi-weak keys are keys like any other here, as in the standard. The parity bits (the least
significant of each key byte) are ignored: PC1 does not take them.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import des_tables as tables
from .standard import Kind, Standard
from .word import Permutation, Table, Word, Words, choose, concat, lookup, step

__all__ = ["DES", "PC1", "PC2", "TDES", "Des", "Tdes", "f", "rotated"]

IP, FP = Permutation(64, tables.IP), Permutation(64, tables.FP)
E, P = Permutation(32, tables.E), Permutation(32, tables.P)
PC1, PC2 = Permutation(64, tables.PC1), Permutation(56, tables.PC2)


@dataclass(frozen=True)
class _Boxes:
    """Tables of six bits to four, side by side: 48 bits to 32."""

    boxes: tuple[Table, ...]

    @step("S-boxes")
    def __call__(self, word: Word) -> Word:
        x = word.named("x")
        six = (x[47 - 6 * i : 42 - 6 * i] for i in range(8))
        return concat(
            *(lookup(s, part).named(s.name.lower()) for s, part in zip(self.boxes, six, strict=True))
        )


def _box(name: str, rows: tuple[tuple[int, ...], ...]) -> Table:
    """Six input bits as one address: the outer two choose the row, the inner four the column."""
    return Table(name, 4, tuple(rows[(x >> 4) & 2 | x & 1][(x >> 1) & 15] for x in range(64)))


S = _Boxes(tuple(_box(f"S{i}", rows) for i, rows in enumerate(tables.S, 1)))
"""S1 … S8."""


def f(r: Word, k: Word) -> Word:
    """The cipher function f(R, K) of FIPS 46-3: `r`, 32 bits, under the key `k` of 48 bits."""
    return P(S(E(r) ^ k))


def _round(state: Words, k: Word) -> Words:
    """L' = R, R' = L xor f(R, K)."""
    left, right = state
    return right, (left ^ f(right, k)).named("r")


def _exchanging_round(state: Words, k: Word) -> Words:
    """The last round of a pass of TDES. FP and the next pass's IP cancel, and leave the halves exchanged."""
    left, right = _round(state, k)
    return right, left


ROUND = Kind("round", 48, _round)
EXCHANGING_ROUND = Kind("exchanging_round", 48, _exchanging_round)


def rotated(cd: Word, by: int) -> Word:
    """`cd`, C and D of 28 bits each with C on top, rotated left each in itself `by` so many places; to the
    right where that is negative.

    >>> from .builder import IntBuilder, IntWord
    >>> from .word import over, under
    >>> b = IntBuilder()
    >>> hex(under(b, rotated(over(b, IntWord(56, 0x80000000000001)), 1)).value)
    '0x10000002'
    """
    return cd.bits([28 * half + (k - by) % 28 for half in (1, 0) for k in reversed(range(28))])


class Des(Standard):
    """DES. The key schedule's state is C and D as one word."""

    name = "des"
    title = "DES"
    standard = "FIPS 46-3"
    paper_ports = True
    block_bits = 64
    lookups = S.boxes
    key_sizes: tuple[int, ...] = (64,)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (ROUND,) * 16

    def begin(self, block: Word) -> Words:
        return IP(block).split(2)

    def end(self, state: Words) -> Word:
        left, right = state
        return FP(concat(right, left))

    key_names: tuple[str, ...] = ("cd",)
    key_after = True

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        """1 where a step rotates by two places."""
        return tuple(int(by == 2) for by in tables.SHIFTS)

    def key_begin(self, key: Word) -> Words:
        return (PC1(key),)

    def key_next(self, constant: Word, state: Words) -> Words:
        (cd,) = state
        return (choose(constant, rotated(cd, 2), rotated(cd, 1)),)

    def key_word(self, constant: Word, state: Words) -> Word:
        return PC2(state[0])

    def key_previous(self, constant: Word, state: Words) -> Words:
        (cd,) = state
        return (choose(constant, rotated(cd, -2), rotated(cd, -1)),)

    def key_end(self, key: Word) -> Words:
        """Sixteen steps rotate by 28 places in all."""
        return self.key_begin(key)


class Tdes(Standard):
    """TDES: encrypt with key 1, decrypt with key 2, encrypt with key 3 (key 1 again where two are supplied).

    State of the key schedule: C and D of the key in use, and of the keys whose passes come.
    """

    name = "tdes"
    title = "TDES"
    paper_ports = False
    standard = "SP 800-67 Rev. 2"
    block_bits = 64
    lookups = S.boxes
    key_sizes = (128, 192)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        exchanging = ((ROUND,) * 15 + (EXCHANGING_ROUND,)) * 2
        return exchanging + (ROUND,) * 16

    def begin(self, block: Word) -> Words:
        return DES.begin(block)

    def end(self, state: Words) -> Word:
        return DES.end(state)

    # A constant of the schedule, from its least significant bit: rotate by one place; by two; to the right,
    # as DES decrypts; take the next key first.

    control_width = 4
    key_after = True

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        left = [int(by == 1) | int(by == 2) << 1 for by in tables.SHIFTS]
        right = [word | 1 << 2 for word in (0, *left[:0:-1])]
        following = [1 << 3, *[0] * 15]
        second = (a | b for a, b in zip(right, following, strict=True))
        third = (a | b for a, b in zip(left, following, strict=True))
        return (*left, *second, *third)

    def key_begin(self, key: Word) -> Words:
        keys = key.split(key.width // 64)
        return PC1(keys[0]), PC1(keys[1]), PC1(keys[2 % len(keys)])

    def key_next(self, constant: Word, state: Words) -> Words:
        first, second, third = state
        following = constant[3]
        cd = choose(following, second, first)
        left = choose(constant[1], rotated(cd, 2), choose(constant[0], rotated(cd, 1), cd))
        right = choose(constant[1], rotated(cd, -2), choose(constant[0], rotated(cd, -1), cd))
        return (
            choose(constant[2], right, left),
            choose(following, third, second),
            choose(following, first, third),
        )

    def key_word(self, constant: Word, state: Words) -> Word:
        return PC2(state[0])

    def key_previous(self, constant: Word, state: Words) -> Words:
        cd, second, third = state
        right = choose(constant[1], rotated(cd, -2), choose(constant[0], rotated(cd, -1), cd))
        left = choose(constant[1], rotated(cd, 2), choose(constant[0], rotated(cd, 1), cd))
        before, following = choose(constant[2], left, right), constant[3]
        return (
            choose(following, third, before),
            choose(following, before, second),
            choose(following, second, third),
        )


DES = Des()
TDES = Tdes()
