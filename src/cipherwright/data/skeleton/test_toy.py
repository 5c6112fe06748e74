"""Toy against known answers, as a description and as hardware. Run it with pytest."""

from __future__ import annotations

from pathlib import Path

import cipherwright as cw

FILE = Path(__file__).with_name("toy.py")


def test_known_answers() -> None:
    cipher = cw.load(FILE).described
    for key, block, answer in cipher.known_answers:
        assert cipher.encrypt_block(bytes.fromhex(key), bytes.fromhex(block)).hex() == answer
        assert cipher.encrypt_block(bytes.fromhex(key), bytes.fromhex(answer), decrypt=True).hex() == block


def test_the_core() -> None:
    core = cw.build(FILE)
    for key, block, answer in core.spec.described.known_answers:
        assert core.encrypt(key, bytes.fromhex(block)).hex() == answer
    verdicts = {v.check: v for v in core.verify(blocks=200)}
    assert all(v.passed for v in verdicts.values())  # "not checked" is no failure
    assert verdicts["known answers"].status == "ok"
