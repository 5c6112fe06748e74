"""Rijndael whose sizes are inputs, against Rijndael of each size: rounds, round keys both ways, the whole
cipher.
"""

from __future__ import annotations

import random

import pytest

from cipherwright.cipher import IntBuilder, IntWord
from cipherwright.cipher.rijndael import RIJNDAEL, SIZES
from cipherwright.cipher.word import over, under
from cipherwright.engine.rijndael.datapath import (
    CONTROL_BITS,
    control_table,
    key_step,
    round_of_any_size,
    size_code,
)

NINE = [(block, key) for block in SIZES for key in SIZES]


def _control(block_bits: int, key_bits: int, i: int) -> IntWord:
    return IntWord(CONTROL_BITS, control_table()[size_code(block_bits) << 7 | size_code(key_bits) << 4 | i])


def _top(word: IntWord, bits: int) -> int:
    return word.value >> (word.width - bits)


@pytest.mark.parametrize("block_bits, key_bits", NINE)
@pytest.mark.parametrize("both", [False, True])
def test_round_keys(block_bits: int, key_bits: int, both: bool) -> None:
    """The walk forward gives every round key; the walk back from its end gives them again, and ends at the
    key.
    """
    cipher, b, r = RIJNDAEL.with_block(block_bits), IntBuilder(), random.Random(block_bits + key_bits)
    key, block_size, key_size = (
        r.getrandbits(key_bits),
        IntWord(3, size_code(block_bits)),
        IntWord(3, size_code(key_bits)),
    )
    nr = cipher.nr(key_bits)
    want = [under(b, w).value for w in cipher.expanded(over(b, IntWord(key_bits, key)))]
    window = IntWord(256, key)
    for i in range(nr + 1):
        made, after = key_step(
            b,
            window,
            _control(block_bits, key_bits, i),
            block_size,
            key_size,
            IntWord(1, 0) if both else None,
        )
        assert _top(made, block_bits) == want[i]
        if i < nr:
            window = after
    for i in reversed(range(nr if both else 0)):
        made, window = key_step(
            b, window, _control(block_bits, key_bits, i), block_size, key_size, IntWord(1, 1)
        )
        assert _top(made, block_bits) == want[i]
    if both:
        assert window.value & (1 << key_bits) - 1 == key


@pytest.mark.parametrize("block_bits", SIZES)
@pytest.mark.parametrize("both", [False, True])
def test_rounds(block_bits: int, both: bool) -> None:
    """All rounds with round keys of any content, both ways."""
    b, r, size = IntBuilder(), random.Random(block_bits), IntWord(3, size_code(block_bits))
    cipher, rounds = RIJNDAEL.with_block(block_bits), 3
    block = r.getrandbits(block_bits)
    keys = [r.getrandbits(block_bits) for _ in range(rounds + 1)]

    def padded(x: int) -> IntWord:
        return IntWord(256, x << (256 - block_bits) | r.getrandbits(256 - block_bits))

    steps = cipher.steps(128)
    state = cipher.begin(over(b, IntWord(block_bits, block)))
    for kind, round_key in zip((*steps[:rounds], steps[-1]), keys, strict=True):
        state = kind.apply(state, over(b, IntWord(block_bits, round_key)))
    want = under(b, cipher.end(state)).value
    got = padded(block ^ keys[0])
    for i in range(rounds):
        got = round_of_any_size(
            b,
            got,
            padded(keys[i + 1]),
            IntWord(1, int(i < rounds - 1)),
            size,
            IntWord(1, 0) if both else None,
        )
    assert _top(got, block_bits) == want
    if both:
        got = padded(want ^ keys[rounds])
        for i in range(rounds):
            got = round_of_any_size(
                b, got, padded(keys[rounds - 1 - i]), IntWord(1, int(i > 0)), size, IntWord(1, 1)
            )
        assert _top(got, block_bits) == block
