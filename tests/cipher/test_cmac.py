"""The reference model of CMAC: published tags, and an independent library for every length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.cmac import cmac, doubled, subkeys
from cipherwright.shell.cmac.testbench import known_messages
from cipherwright.spec import load
from cipherwright.verify import own_vectors
from cipherwright.verify.oracle import oracle_cmac


def under(cipher: str, key: bytes) -> Callable[[int], int]:
    """A cipher under a key, on integers."""
    described = CATALOGUE[cipher]
    size = described.block_bits // 8
    return lambda word: int.from_bytes(described.encrypt_block(key, word.to_bytes(size, "big")), "big")


@pytest.mark.parametrize(("cipher", "count"), [("aes", 12), ("tdes", 8)])
def test_published_tags(cipher: str, count: int) -> None:
    vectors = own_vectors(cipher, "cmac")
    assert len(vectors) == count
    bits = CATALOGUE[cipher].block_bits
    for v in vectors:
        assert cmac(under(cipher, v.key), bits, v.pt) == v.tag, v.source


def test_published_subkeys() -> None:
    """RFC 4493, section 4."""
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    first, second = subkeys(under("aes", key), 128)
    assert f"{first:032x}" == "fbeed618357133667c85e08f7236a8de"
    assert f"{second:032x}" == "f7ddac306ae266ccf90bc11ee46d513b"


@pytest.mark.parametrize("cipher", ["aes", "camellia", "des", "sm4", "tdes"])
def test_an_independent_library_agrees(cipher: str) -> None:
    rng, described = np.random.default_rng(1), CATALOGUE[cipher]
    for key_bits in described.key_sizes:
        key = rng.bytes(key_bits // 8)
        for length in (0, 1, 7, 8, 9, 15, 16, 17, 40):
            message = rng.bytes(length)
            assert cmac(under(cipher, key), described.block_bits, message) == oracle_cmac(
                cipher, key, message
            )


def test_the_constant_is_added_where_a_bit_leaves() -> None:
    assert doubled(1 << 63, 64) == 0x1B
    assert doubled(1 << 127, 128) == 0x87
    assert doubled(3 << 126, 128) == (1 << 127) ^ 0x87


def test_the_testbench_has_the_published_tags() -> None:
    published = {(v.key, v.pt): v.tag for v in own_vectors("aes", "cmac")}
    known = [m for m in known_messages(load("aes128-cmac-small")) if (m.key, m.message) in published]
    assert len(known) == 4
    assert all(published[m.key, m.message] == m.tag for m in known)
