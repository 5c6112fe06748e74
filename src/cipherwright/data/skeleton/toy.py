"""Toy: what the cipher is, and the document that defines it.

This file is a working example: a Feistel network of eight rounds on blocks of 64 bits with keys of 64 bits,
which protects nothing. Replace each part by the standard's own, in the standard's order. Words have a width
in bits and the operators `^ & | ~ + -`, `.rotl(n)`, `w[high:low]`, `.split(parts)`, `lookup(S, w)`,
`linear(M, w)`. They compute on integers when the description is run, and make hardware when a core is built.
Bit 0 is the least significant one; byte 0 of the standard is the most significant byte.

    cipherwright build toy.py -o toy-core
    cipherwright verify toy-core --cipher toy.py
"""

from __future__ import annotations

from cipherwright.cipher import Kind, Standard
from cipherwright.cipher.word import Table, Word, Words, concat, lookup, step

SPEC = {"title": "Toy with keys of 64 bits", "stages": 8}
"""Options of a core that nothing else is said of; `cipherwright build toy.py --set K=V` changes them."""

ROUNDS = 8
ROTATION = 7
"""Bits by which the key is rotated from round to round."""

S = Table("S", 4, (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2))
"""The S-box: 16 entries of four bits."""


@step("f")
def f(right: Word, round_key: Word) -> Word:
    """The round's function of the half `right` (32 bits) and `round_key` (32 bits): 32 bits. Comments in the
    emitted Verilog name it as `step` does.
    """
    return (right ^ round_key).each(4, lambda nibble: lookup(S, nibble)).rotl(11).named("f")


def one_round(state: Words, round_key: Word) -> Words:
    """The two halves of `state` after a round with `round_key`. A step that is not undone by the same step
    with the round keys in reverse order has its inverse beside it in `Kind`.
    """
    left, right = state
    return right, left ^ f(right, round_key)


class Toy(Standard):
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
    lookups = (S,)
    """Every table that `lookup` reads."""
    known_answers = (
        ("0123456789abcdef", "0000000000000000", "7aa9523b5316b819"),
        ("0000000000000000", "0123456789abcdef", "92ccd424f7d98ec0"),
    )
    """Key, block and encrypted block. Put the document's own here: the example itself computed these."""

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        """The steps of encryption in order: eight rounds with a key word of 32 bits each."""
        return (Kind("round", 32, one_round),) * ROUNDS

    def begin(self, block: Word) -> Words:
        """The state before the first step."""
        return block.split(2)

    def end(self, state: Words) -> Word:
        """The block from the state after the last step: the halves change places once more."""
        left, right = state
        return concat(right, left)

    def key_begin(self, key: Word) -> Words:
        """The key schedule's state before its first step."""
        return (key,)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        """The constant of every step of the schedule; here there is none (all are 0)."""
        return ()

    def key_word(self, constant: Word, state: Words) -> Word:
        """The key word of a step from the state before it."""
        return state[0][63:32]

    def key_next(self, constant: Word, state: Words) -> Words:
        """The state after a step."""
        return (state[0].rotl(ROTATION),)

    def key_previous(self, constant: Word, state: Words) -> Words:
        """The state before a step from the one after it: a loop that decrypts walks back this way."""
        return (state[0].rotr(ROTATION),)
