"""AES (FIPS 197), and Rijndael with blocks and keys of 128, 192 and 256 bits, of which AES is the three with
a block of 128 bits.

Names are those of FIPS 197: SubBytes, ShiftRows, MixColumns, AddRoundKey; Nb and Nk words of block and
key, Nr rounds; SubWord, RotWord, Rcon in the key expansion. The wider blocks are in the original
submission (Daemen and Rijmen, AES proposal). A state is one word: byte s[r,c] of row r and column c is byte
4 c + r of the block, the most significant first.
"""

from __future__ import annotations

from functools import cache
from typing import Self

from .field import byte_matrix, inverse, product
from .standard import Kind, Standard
from .word import Matrix, Table, Word, Words, choose, concat, linear, lookup, step

__all__ = ["AES", "RIJNDAEL", "Aes", "Rijndael"]

POLYNOMIAL = 0x11B
"""m(x), section 4.2."""
SHIFTS = {4: (0, 1, 2, 3), 6: (0, 1, 2, 3), 8: (0, 1, 3, 4)}
"""Columns by which ShiftRows moves each row, by the number of columns."""
SIZES = (128, 192, 256)
AFFINE_CONSTANT = 0x63


def affine(a: int) -> int:
    """The linear part of the affine map (section 5.1.1)."""
    return sum((sum(a >> (i + r) % 8 & 1 for r in (0, 4, 5, 6, 7)) & 1) << i for i in range(8))


def _s_box() -> tuple[int, ...]:
    return tuple(AFFINE_CONSTANT ^ affine(inverse(a, POLYNOMIAL)) for a in range(256))


@cache
def mix_rows(back: bool) -> tuple[int, ...]:
    """MixColumns or InvMixColumns on one column (sections 5.1.3 and 5.3.3)."""
    first = (14, 11, 13, 9) if back else (2, 3, 1, 1)
    return byte_matrix(4, lambda i, j: first[(j - i) % 4], POLYNOMIAL)


@cache
def _rcon(i: int) -> int:
    """The first byte of Rcon[i] (i from 1), section 5.2."""
    return 1 if i == 1 else product(_rcon(i - 1), 2, POLYNOMIAL)


SBOX = _s_box()
INV_SBOX = tuple(SBOX.index(x) for x in range(256))
S_BOX = Table("SBox", 8, SBOX)
INV_S_BOX = Table("InvSBox", 8, INV_SBOX)
MIX = Matrix("MixColumns", mix_rows(False))
INV_MIX = Matrix("InvMixColumns", mix_rows(True))


def byte(word: Word, i: int) -> Word:
    """Byte i, counted from the most significant."""
    high = word.width - 1 - 8 * i
    return word[high : high - 7]


def word_of(words: Word, i: int) -> Word:
    """Word i of 32 bits, counted from the most significant: a column of the state, a word of the key."""
    high = words.width - 1 - 32 * i
    return words[high : high - 31]


def _moved_rows(state: Word, direction: int) -> Word:
    nb = state.width // 32
    by = SHIFTS[nb]
    return concat(*(byte(state, (c + direction * by[r]) % nb * 4 + r) for c in range(nb) for r in range(4)))


# -- the cipher, section 5.1


@step("SubBytes")
def sub_bytes(state: Word) -> Word:
    return concat(*(lookup(S_BOX, byte(state, i)) for i in range(state.width // 8)))


@step("ShiftRows")
def shift_rows(state: Word) -> Word:
    return _moved_rows(state, 1)


@step("MixColumns")
def mix_columns(state: Word) -> Word:
    return concat(*(linear(MIX, word_of(state, c)) for c in range(state.width // 32)))


@step("AddRoundKey")
def add_round_key(state: Word, round_key: Word) -> Word:
    return state ^ round_key


# -- the inverse cipher, section 5.3


@step("InvSubBytes")
def inv_sub_bytes(state: Word) -> Word:
    return concat(*(lookup(INV_S_BOX, byte(state, i)) for i in range(state.width // 8)))


@step("InvShiftRows")
def inv_shift_rows(state: Word) -> Word:
    return _moved_rows(state, -1)


@step("InvMixColumns")
def inv_mix_columns(state: Word) -> Word:
    return concat(*(linear(INV_MIX, word_of(state, c)) for c in range(state.width // 32)))


# -- kinds of steps


def _add(state: Words, round_key: Word) -> Words:
    return (add_round_key(state[0], round_key),)


def _round(state: Words, round_key: Word) -> Words:
    s = sub_bytes(state[0])
    s = shift_rows(s)
    s = mix_columns(s)
    return (add_round_key(s, round_key),)


def _inverse_round(state: Words, round_key: Word) -> Words:
    s = add_round_key(state[0], round_key)
    s = inv_mix_columns(s)
    s = inv_shift_rows(s)
    return (inv_sub_bytes(s),)


def _final_round(state: Words, round_key: Word) -> Words:
    s = sub_bytes(state[0])
    s = shift_rows(s)
    return (add_round_key(s, round_key),)


def _inverse_final_round(state: Words, round_key: Word) -> Words:
    s = add_round_key(state[0], round_key)
    s = inv_shift_rows(s)
    return (inv_sub_bytes(s),)


# -- the key expansion, section 5.2


def rot_word(a: Word) -> Word:
    """[a0, a1, a2, a3] -> [a1, a2, a3, a0]."""
    return concat(*(byte(a, i) for i in (1, 2, 3, 0)))


def sub_word(a: Word) -> Word:
    return sub_bytes(a)


def key_temp(before: Word, rcon: Word, rotate: Word, substitute: Word) -> Word:
    """`temp`, which is added to word w[i - Nk]: the word before, w[i - 1]; or where `substitute` is 1 SubWord
    of it, rotated where `rotate` is 1, plus the round constant, whose first byte is `rcon`.
    """
    replaced = sub_word(choose(rotate, rot_word(before), before)) ^ concat(rcon, rcon.const(24, 0))
    return choose(substitute, replaced, before)


def kind_of_word(i: int, nk: int) -> tuple[int, bool]:
    """Of word i of the expanded key (from Nk on): its round constant (0: no RotWord, no constant), and
    whether SubWord applies.
    """
    return (_rcon(i // nk), True) if i % nk == 0 else (0, nk > 6 and i % nk == 4)


class Rijndael(Standard):
    """Rijndael with one block size. The key schedule's state is Nk words of the expanded key, from the round
    key's first word on; a step makes the next Nb words.
    """

    name, title, standard = "rijndael", "Rijndael", "AES proposal (Daemen and Rijmen)"
    block_sizes: tuple[int, ...] = SIZES
    lookups = (S_BOX, INV_S_BOX)
    key_sizes = SIZES

    def __init__(self, block_bits: int = 128) -> None:
        self.block_bits = block_bits
        self.datapaths = (32,) if block_bits == 128 else ()
        self.control_width = _FIELD * self.nb

    def with_block(self, block_bits: int) -> Self:
        self.check_block_bits(block_bits)
        return type(self)(block_bits)

    @property
    def nb(self) -> int:
        """Columns of the state."""
        return self.block_bits // 32

    def nr(self, key_bits: int) -> int:
        """Number of rounds with a key of `key_bits`."""
        return max(self.nb, key_bits // 32) + 6

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        n = self.block_bits
        return (
            Kind("AddRoundKey", n, _add, _add, rounds=0),
            *(Kind("Round", n, _round, _inverse_round),) * (self.nr(key_bits) - 1),
            Kind("FinalRound", n, _final_round, _inverse_final_round),
        )

    def begin(self, block: Word) -> Words:
        return (block,)

    def end(self, state: Words) -> Word:
        return state[0]

    # A constant of the schedule is a field of ten bits for each of the Nb words that a step makes, the first
    # on top: RotWord, SubWord, and the first byte of Rcon.

    def key_begin(self, key: Word) -> Words:
        return tuple(word_of(key, i) for i in range(key.width // 32))

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        nk, out = key_bits // 32, []
        for first in range(nk, nk + self.nb * (self.nr(key_bits) + 1), self.nb):
            constant = 0
            for i in range(first, first + self.nb):
                rcon, substitute = kind_of_word(i, nk)
                constant = constant << _FIELD | (rcon != 0) << 9 | substitute << 8 | rcon
            out.append(constant)
        return tuple(out)

    def _temp(self, constant: Word, t: int, before: Word) -> Word:
        """`temp` of the word number t that a step makes."""
        low = _FIELD * (self.nb - 1 - t)
        return key_temp(before, constant[low + 7 : low], constant[low + 9], constant[low + 8])

    def _extended(self, constant: Word, state: Words) -> Words:
        """The state's words and the next Nb: w[i] = w[i - Nk] + temp."""
        w = list(state)
        for t in range(self.nb):
            w.append((w[t] ^ self._temp(constant, t, w[-1])).named("w"))
        return tuple(w)

    def key_next(self, constant: Word, state: Words) -> Words:
        return self._extended(constant, state)[self.nb :]

    def key_word(self, constant: Word, state: Words) -> Word:
        """Nb words, of which the state may have fewer."""
        words = state if len(state) >= self.nb else self._extended(constant, state)
        return concat(*words[: self.nb])

    def key_previous(self, constant: Word, state: Words) -> Words:
        """The same from the last word made to the first: w[i - Nk] = w[i] + temp."""
        nk, w = len(state), list(state)
        for t in reversed(range(self.nb)):
            w.insert(0, (w[nk - 1] ^ self._temp(constant, t, w[nk - 2])).named("w"))
        return tuple(w[:nk])


_FIELD = 10
"""Bits of a constant of the key schedule for each word."""


class Aes(Rijndael):
    """AES: Rijndael with a block of 128 bits."""

    name, title, standard = "aes", "AES", "FIPS 197"
    block_sizes = ()


AES = Aes()
RIJNDAEL = Rijndael()
