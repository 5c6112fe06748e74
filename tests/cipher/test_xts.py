"""XTS on bytes: the units that IEEE 1619 publishes, and OpenSSL for other lengths."""

from __future__ import annotations

import random

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.xts import halves, number_after, times_alpha, xts
from cipherwright.shell.xts.testbench import known_units
from cipherwright.spec import load
from cipherwright.verify import own_vectors
from cipherwright.verify.oracle import oracle_xts


def computed(key: bytes, number: bytes, unit: bytes, decrypt: bool = False) -> bytes:
    first, second = (
        lambda block, back, half=half: CATALOGUE["aes"].encrypt_block(half, block, back)
        for half in halves(key)
    )
    return xts(first, second, number, unit, decrypt)


def test_published_units() -> None:
    vectors = own_vectors("aes", "xts")
    assert len(vectors) == 9
    for v in vectors:
        assert computed(v.key, v.iv, v.pt) == v.ct, v.source
        assert computed(v.key, v.iv, v.ct, True) == v.pt, v.source


@pytest.mark.parametrize("bits", [128, 256])
def test_the_library_makes_the_same(bits: int) -> None:
    rng = random.Random(bits)
    for size in (16, 17, 31, 32, 33, 47, 70):
        key, number, text = rng.randbytes(bits // 4), rng.randbytes(16), rng.randbytes(size)
        made = computed(key, number, text)
        assert made == oracle_xts("aes", key, number, text, False)
        assert text == oracle_xts("aes", key, number, made, True) == computed(key, number, made, True)


def test_the_library_has_no_such_key() -> None:
    for key in (bytes(32), bytes(range(48))):
        assert oracle_xts("aes", key, bytes(16), bytes(16), False) is None


def test_tweaks_and_numbers_carry() -> None:
    assert times_alpha(b"\x80".rjust(16, b"\0")) == b"\x87".ljust(16, b"\0")
    assert times_alpha(b"\x80".ljust(16, b"\0")) == b"\0\x01".ljust(16, b"\0")
    assert number_after(b"\xff".ljust(16, b"\0"), 1) == b"\0\x01".ljust(16, b"\0")
    assert number_after(b"\xff" * 16, 1) == bytes(16)


def test_a_unit_has_a_block() -> None:
    with pytest.raises(ValueError, match="at least one whole block"):
        computed(bytes(range(32)), bytes(16), bytes(15))


def test_known_units_are_the_published_ones() -> None:
    """The testbench's units of AES-128 include those of the standard, whose results the reference gives."""
    shown = {(u.key, u.number, u.text, u.result) for u in known_units(load("aes128-xts"))}
    published = {(v.key, v.iv, v.pt, v.ct) for v in own_vectors("aes", "xts")}
    assert len(shown & published) == 5
