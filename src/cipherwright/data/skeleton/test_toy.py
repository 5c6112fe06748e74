"""Toy against known answers, as a description and as hardware. Run it with pytest."""

from __future__ import annotations

from pathlib import Path

import cipherwright as cw

FILE = Path(__file__).with_name("toy.py")

KNOWN_ANSWERS = [
    ("0123456789abcdef", "0000000000000000", "7aa9523b5316b819"),
    ("0000000000000000", "0123456789abcdef", "92ccd424f7d98ec0"),
]
"""Key, block and encrypted block. Put the standard's own here: these were computed by the example itself."""


def test_known_answers() -> None:
    cipher = cw.load(FILE).described
    for key, block, answer in KNOWN_ANSWERS:
        assert cipher.encrypt_block(bytes.fromhex(key), bytes.fromhex(block)).hex() == answer
        assert cipher.encrypt_block(bytes.fromhex(key), bytes.fromhex(answer), decrypt=True).hex() == block


def test_the_core() -> None:
    core = cw.build(FILE)
    for key, block, answer in KNOWN_ANSWERS:
        assert core.encrypt(key, bytes.fromhex(block)).hex() == answer
    assert all(v.passed for v in core.verify(blocks=200))
