"""A cipher for tests of what is around a cipher: blocks of 128 bits, four rounds of a small box.

Nobody should encrypt with it. A mode, a bus or a register of it is that of any cipher, and its core is built,
compiled and simulated in a fraction of the time that one of AES takes. What a test says of AES is said by a
core of AES.
"""

from __future__ import annotations

from cipherwright.cipher import Kind, Standard
from cipherwright.cipher.word import Table, Word, Words, concat, lookup

__all__ = ["LIGHT", "Light"]

_S = Table("S", 4, (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2))
"""The box of PRESENT."""

_INV_S = Table("InvS", 4, tuple(_S.entries.index(x) for x in range(16)))
_ROUNDS, _SPREAD, _TURN = 4, 37, 29
"""Bit i moves to bit 37 i of 128 in a round; the key turns by 29 bits."""

_MOVED = [_SPREAD * i % 128 for i in range(128)]


def _round(state: Words, key: Word) -> Words:
    substituted = (state[0] ^ key).each(4, lambda x: lookup(_S, x))
    return (substituted.bits([_MOVED.index(k) for k in reversed(range(128))]),)


def _round_back(state: Words, key: Word) -> Words:
    unmoved = state[0].bits([_MOVED[k] for k in reversed(range(128))])
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


LIGHT = Light()
