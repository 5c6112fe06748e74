"""Toy: what the cipher is, and the document that defines it.

This file is a working example: a Feistel network of eight rounds on blocks of 64 bits with keys of 64 bits,
which protects nothing. Replace each part by the standard's own. Every function takes a builder `b`, whose
operations (`xor`, `and_`, `not_`, `add`, `mux`, `select`, `cat`, `lookup`, `linear`, `named`) compute on
integers when the description is run, and make hardware when a core is built. Words have a width in bits;
bit 0 is the least significant one; byte 0 of the standard is the most significant byte. `select` and `cat`
list the most significant part first.

    cipherwright build toy.py -o toy-core
    cipherwright verify toy-core --cipher toy.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherwright.cipher import Builder, Cipher

SPEC = {"title": "Toy in a pipeline of eight stages", "stages": 8}
"""Options of a core that nothing else is said of; `cipherwright build toy.py --set K=V` changes them."""

ROUNDS = 8
ROTATION = 7
"""Bits by which the key is rotated from round to round."""

S = (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2)
"""The S-box: 16 entries of four bits."""


def rotated(width: int, left: int) -> list[int]:
    """A word of `width` bits rotated left, as the list of its bits that `select` takes."""
    return [(width - 1 - i - left) % width for i in range(width)]


def f(b: Builder[Any], right: Any, round_key: Any) -> Any:
    """The round's function of a half (32 bits) and a round key (32 bits): 32 bits."""
    x = b.xor(right, round_key)
    boxes = [b.lookup("S", S, 4, b.select(x, range(31 - 4 * i, 27 - 4 * i, -1))) for i in range(8)]
    return b.named(b.select(b.cat(*boxes), rotated(32, 11)), "f")


class Toy(Cipher):
    """The cipher."""

    name = "toy"
    """The name in options and files: small letters and digits."""
    title = "Toy"
    """The name as it is printed."""
    standard = "an example of one's own"
    """The document that defines it."""
    block_bits = 64
    key_sizes = (64,)
    """Lengths of keys as supplied, in bits."""

    def rounds(self, key_bits: int) -> int:
        """Number of rounds for keys of this length."""
        return ROUNDS

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> tuple[Any, ...]:
        """The state before the first round, as a tuple of words. `round_key` is None unless the class says
        `first_key = True`.
        """
        return b.select(block, range(63, 31, -1)), b.select(block, range(31, -1, -1))

    def round(
        self, b: Builder[Any], key_bits: int, index: int, state: tuple[Any, ...], round_key: Any
    ) -> tuple[Any, ...]:
        """The state after round `index` (from 0). A loop needs all rounds alike."""
        left, right = state
        return right, b.xor(left, f(b, right, round_key))

    def finish(self, b: Builder[Any], state: tuple[Any, ...], round_key: Any) -> Any:
        """The block from the state after the last round. `round_key` is None unless the class says
        `last_key = True`.
        """
        left, right = state
        return b.cat(right, left)

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        """The key of round `index` (from 0, in the order of use) straight from the cipher's key. `decrypt`
        is one bit: a Feistel network decrypts with the keys in reverse order.
        """
        forward = b.select(key, rotated(64, ROTATION * index)[:32])
        backward = b.select(key, rotated(64, ROTATION * (ROUNDS - 1 - index))[:32])
        return b.mux(decrypt, backward, forward)

    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> tuple[Any, ...]:
        """The same schedule from round to round, as loops need it: its state before the first round."""
        return (b.mux(decrypt, b.select(key, rotated(64, ROTATION * (ROUNDS - 1))), key),)

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: tuple[Any, ...], decrypt: Any
    ) -> tuple[Any, tuple[Any, ...]]:
        """One step: its round key, and the state for the next one."""
        (key,) = state
        following = b.mux(
            decrypt, b.select(key, rotated(64, -ROTATION)), b.select(key, rotated(64, ROTATION))
        )
        return b.select(key, range(63, 31, -1)), (following,)

    def control_bits(self, key_bits: int) -> int:
        """Width of a step's control word, where steps differ; at least 1."""
        return 1

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        """The control word of step `index`."""
        return 0

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        """Every table that `lookup` reads, by name: the width of an entry in bits, and the entries."""
        return {"S": (4, S)}
