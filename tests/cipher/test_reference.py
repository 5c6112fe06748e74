"""The description itself, run on integers: published answers, OpenSSL, and properties of the standard."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherwright.arch import form_of
from cipherwright.cipher import CATALOGUE, KEY_SCHEDULES, Cipher, IntBuilder, IntWord
from cipherwright.cipher.khazad import gamma, theta
from cipherwright.cipher.word import over, under
from cipherwright.verify import oracle_bulk, oracle_of
from cipherwright.verify.vectors import own_vectors

SIZES = [(name, bits) for name, c in CATALOGUE.items() for bits in c.key_sizes]
B = IntBuilder()


def crypt(name: str, key: bytes, block: int, decrypt: int, schedule: str) -> int:
    return crypt_bytes(name, key, block.to_bytes(CATALOGUE[name].block_bits // 8, "big"), decrypt, schedule)


def crypt_bytes(
    name: str, key: bytes, block: bytes, decrypt: int, schedule: str, variant: str = "kept"
) -> int:
    """The cipher for the block's size."""
    cipher, word = (
        CATALOGUE[name].with_block(8 * len(block)),
        IntWord(len(key) * 8, int.from_bytes(key, "big")),
    )
    given = IntWord(8 * len(block), int.from_bytes(block, "big"))
    return form_crypt(cipher, given, word, decrypt, schedule, variant).value


def form_crypt(
    cipher: Cipher, block: IntWord, key: IntWord, decrypt: int, schedule: str, variant: str = "kept"
) -> IntWord:
    """The cipher as hardware takes it, on integers."""
    words = (over(B, w) for w in (block, key, IntWord(1, decrypt)))
    return under(B, form_of(cipher, key.width).crypt(*words, schedule, variant=variant))


@pytest.mark.parametrize("schedule", KEY_SCHEDULES)
@pytest.mark.parametrize("name", CATALOGUE)
def test_published_answers(name: str, schedule: str) -> None:
    for v in (v for v in own_vectors(name) if v.iterations == 1):
        assert crypt_bytes(name, v.key, v.pt, 0, schedule) == int.from_bytes(v.ct, "big"), v.source
        assert crypt_bytes(name, v.key, v.ct, 1, schedule) == int.from_bytes(v.pt, "big"), v.source


@pytest.mark.parametrize(("name", "bits"), SIZES)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_openssl_and_both_schedules(name: str, bits: int, data: st.DataObject) -> None:
    size = CATALOGUE[name].block_bits // 8
    key, block = (
        data.draw(st.binary(min_size=bits // 8, max_size=bits // 8)),
        data.draw(st.binary(min_size=size, max_size=size)),
    )
    for decrypt in (0, 1):
        want = int.from_bytes(
            oracle_bulk(oracle_of({"cipher": name, "block_bits": 8 * size}), key, block, bool(decrypt)), "big"
        )
        for schedule in KEY_SCHEDULES:
            assert crypt(name, key, int.from_bytes(block, "big"), decrypt, schedule) == want


@pytest.mark.parametrize("name", CATALOGUE)
def test_late_round_keys_in_every_way(name: str) -> None:
    for variant in CATALOGUE[name].key_variants:
        for v in (v for v in own_vectors(name) if v.iterations == 1):
            for decrypt, (x, y) in enumerate(((v.pt, v.ct), (v.ct, v.pt))):
                assert crypt_bytes(name, v.key, x, decrypt, "direct", variant) == int.from_bytes(y, "big")


@pytest.mark.parametrize("schedule", KEY_SCHEDULES)
@pytest.mark.parametrize("rounds", [2, 4, 10, 12])
def test_misty1_with_other_rounds_undoes_itself(rounds: int, schedule: str) -> None:
    cipher, key = CATALOGUE["misty1"].with_rounds(rounds), IntWord(128, 0x00112233445566778899AABBCCDDEEFF)
    block = IntWord(64, 0x0123456789ABCDEF)
    there = form_crypt(cipher, block, key, 0, schedule)
    assert there != block
    assert form_crypt(cipher, there, key, 1, schedule) == block
    assert there == form_crypt(cipher, block, key, 0, "direct")


def test_khazad_layers_are_involutions() -> None:
    for x in (0x0123456789ABCDEF, 1, (1 << 64) - 1):
        word = over(B, IntWord(64, x))
        assert under(B, gamma(gamma(word))).value == x
        assert under(B, theta(theta(word))).value == x


@settings(max_examples=20, deadline=None)
@given(key=st.binary(min_size=8, max_size=8), block=st.integers(0, 2**64 - 1))
def test_complementation(key: bytes, block: int) -> None:
    ones = 2**64 - 1
    inverse = bytes(255 - k for k in key)
    assert crypt("des", inverse, block ^ ones, 0, "direct") == crypt("des", key, block, 0, "direct") ^ ones


@pytest.mark.parametrize(
    "key", ["0101010101010101", "fefefefefefefefe", "e0e0e0e0f1f1f1f1", "1f1f1f1f0e0e0e0e"]
)
def test_weak_keys_are_involutions(key: str) -> None:
    once = crypt("des", bytes.fromhex(key), 0x0123456789ABCDEF, 0, "stepped")
    assert crypt("des", bytes.fromhex(key), once, 0, "stepped") == 0x0123456789ABCDEF


def test_semi_weak_keys_undo_each_other() -> None:
    once = crypt("des", bytes.fromhex("01fe01fe01fe01fe"), 0x0123456789ABCDEF, 0, "direct")
    assert crypt("des", bytes.fromhex("fe01fe01fe01fe01"), once, 0, "direct") == 0x0123456789ABCDEF


def test_parity_bits_are_ignored() -> None:
    key = bytes.fromhex("133457799bbcdff1")
    assert crypt("des", key, 5, 0, "direct") == crypt("des", bytes(k ^ 1 for k in key), 5, 0, "direct")


def test_two_key_and_equal_key_tdes() -> None:
    two = bytes.fromhex("0123456789abcdeffedcba9876543210")
    assert crypt("tdes", two, 7, 0, "direct") == crypt("tdes", two + two[:8], 7, 0, "stepped")
    assert crypt("tdes", two[:8] * 3, 7, 0, "direct") == crypt("des", two[:8], 7, 0, "direct")


def test_sizes_are_checked() -> None:
    with pytest.raises(ValueError, match="takes keys of 64 bits, not 128"):
        CATALOGUE["des"].encrypt_block(bytes(16), bytes(8))
    with pytest.raises(ValueError, match="blocks of 8 bytes, not 16"):
        CATALOGUE["des"].encrypt_block(bytes(8), bytes(16))
