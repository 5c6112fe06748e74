"""A cipher for tests of what is around a cipher: blocks of 128 bits, four rounds of a small box.

Nobody should encrypt with it. A mode, a bus or a register of it is that of any cipher, and its core is built,
compiled and simulated in a fraction of the time that one of AES takes. What a test says of AES is said by a
core of AES.
"""

from __future__ import annotations

from functools import lru_cache

from cipherwright.cipher import Kind, Standard
from cipherwright.cipher.word import Table, Word, Words, concat, lookup

__all__ = ["LIGHT", "Light"]

_S = Table("S", 4, (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2))
"""The box of PRESENT."""

_INV_S = Table("InvS", 4, tuple(_S.entries.index(x) for x in range(16)))
_ROUNDS, _SPREAD, _TURN = 4, 37, 29
"""Bit i moves to bit 37 i of 128 in a round; the key turns by 29 bits."""

_MOVED = [_SPREAD * i % 128 for i in range(128)]
_AHEAD = [_MOVED.index(k) for k in reversed(range(128))]
_BACK = [_MOVED[k] for k in reversed(range(128))]
"""Bits in which a round, and its inverse, finds those of its result, the most significant first."""


def _round(state: Words, key: Word) -> Words:
    substituted = (state[0] ^ key).each(4, lambda x: lookup(_S, x))
    return (substituted.bits(_AHEAD),)


def _round_back(state: Words, key: Word) -> Words:
    unmoved = state[0].bits(_BACK)
    return (unmoved.each(4, lambda x: lookup(_INV_S, x)) ^ key,)


def _add_round_key(state: Words, key: Word) -> Words:
    return (state[0] ^ key,)


class Light(Standard):
    """Four rounds, and a key behind the last."""

    name = "light"
    title = "a cipher of tests"
    standard = "none"
    block_bits = 128
    lookups = (_S, _INV_S)
    key_sizes = (128,)
    control_width = 3

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("round", 128, _round, _round_back),) * _ROUNDS + (
            Kind("addRoundKey", 128, _add_round_key, _add_round_key),
        )

    def begin(self, block: Word) -> Words:
        return (block,)

    def end(self, state: Words) -> Word:
        return state[0]

    def key_begin(self, key: Word) -> Words:
        return (key,)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return tuple(range(1, _ROUNDS + 1))

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[0]

    def key_next(self, constant: Word, state: Words) -> Words:
        key = state[0].rotl(_TURN)
        return (concat(key[127:3], key[2:0] ^ constant),)

    def key_previous(self, constant: Word, state: Words) -> Words:
        key = concat(state[0][127:3], state[0][2:0] ^ constant)
        return (key.rotr(_TURN),)

    def encrypt_block(self, key: bytes, block: bytes, decrypt: bool = False) -> bytes:
        """The same as the description on integers, with tables of bytes: messages have many blocks, and what
        is tested is around the cipher. `tests/cipher/test_standard.py` compares them.
        """
        if len(block) != 16 or len(key) != 16:
            return super().encrypt_block(key, block, decrypt)
        *words, last = _key_words(key)
        state = int.from_bytes(block, "big")
        if decrypt:
            state ^= last
            for word in reversed(words):
                state = _bytes(_permuted(_BYTES_BACK, state), _INV_BOXES) ^ word
        else:
            for word in words:
                state = _permuted(_BYTES_AHEAD, _bytes(state ^ word, _BOXES))
            state ^= last
        return state.to_bytes(16, "big")


def _boxes(table: Table) -> bytes:
    """Two boxes side by side, as a table of bytes."""
    return bytes(table.entries[x >> 4] << 4 | table.entries[x & 15] for x in range(256))


def _byte_tables(bits: list[int]) -> list[list[int]]:
    """Of each byte of a state, the most significant first: its value -> the bits of the permuted state that
    it sets.
    """
    place = {bit: 127 - k for k, bit in enumerate(bits)}
    return [
        [sum(1 << place[8 * i + k] for k in range(8) if value >> k & 1) for value in range(256)]
        for i in reversed(range(16))
    ]


_BOXES, _INV_BOXES = _boxes(_S), _boxes(_INV_S)
_BYTES_AHEAD, _BYTES_BACK = _byte_tables(_AHEAD), _byte_tables(_BACK)


def _bytes(state: int, table: bytes) -> int:
    return int.from_bytes(state.to_bytes(16, "big").translate(table), "big")


def _permuted(tables: list[list[int]], state: int) -> int:
    out = 0
    for table, byte in zip(tables, state.to_bytes(16, "big"), strict=True):
        out |= table[byte]
    return out


@lru_cache(maxsize=64)
def _key_words(key: bytes) -> list[int]:
    """The key word of every step."""
    word, words = int.from_bytes(key, "big"), list[int]()
    for constant in (*range(1, _ROUNDS + 1), 0):
        words.append(word)
        word = ((word << _TURN | word >> 128 - _TURN) & (1 << 128) - 1) ^ constant
    return words


LIGHT = Light()
