"""The reference model of CCM: published messages, and an independent library for every length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.ccm import CCM_TAG_BITS, NONCE_BYTES, CcmInput, aad_length, ccm
from cipherwright.shell.ccm.testbench import known_ccm_packets
from cipherwright.spec import Loop, load
from cipherwright.verify import own_vectors
from cipherwright.verify.oracle import oracle_ccm


def under(key: bytes) -> Callable[[int], int]:
    """AES under a key, on integers."""
    aes = CATALOGUE["aes"]
    return lambda word: int.from_bytes(aes.encrypt_block(key, word.to_bytes(16, "big")), "big")


def test_published_messages() -> None:
    """The library alone computes that with 65,536 bytes of additional data."""
    found = [v for v in own_vectors("aes", "ccm") if len(v.aad) < 1000]
    assert len(found) == 18
    for v in found:
        made = ccm(under(v.key), CcmInput(v.iv, v.aad, v.pt), len(v.tag))
        assert (made.data, made.tag) == (v.ct, v.tag), v.source
        back = ccm(under(v.key), CcmInput(v.iv, v.aad, v.ct), len(v.tag), decrypt=True)
        assert (back.data, back.tag) == (v.pt, v.tag), v.source


def test_the_examples_of_the_standard_are_the_library_s() -> None:
    found = [v for v in own_vectors("aes", "ccm") if v.source.startswith("SP 800-38C")]
    assert len(found) == 4 and max(len(v.aad) for v in found) == 65_536
    for v in found:
        assert oracle_ccm("aes", v.key, CcmInput(v.iv, v.aad, v.pt), len(v.tag)) == (v.ct, v.tag), v.source


def test_an_independent_library_agrees() -> None:
    """All lengths of nonce and tag, and lengths of data around a block."""
    rng = np.random.default_rng(1)
    for k, (nonce, tag_bits) in enumerate((n, t) for n in NONCE_BYTES for t in CCM_TAG_BITS):
        key = rng.bytes((16, 24, 32)[k % 3])
        given = CcmInput(rng.bytes(nonce), rng.bytes((0, 1, 13, 14, 15, 16, 30)[k % 7]), rng.bytes(k % 34))
        made = ccm(under(key), given, tag_bits // 8)
        assert (made.data, made.tag) == oracle_ccm("aes", key, given, tag_bits // 8)


def test_the_length_of_additional_data_has_two_bytes_or_six() -> None:
    assert aad_length(65_279) == b"\xfe\xff"
    assert aad_length(65_280) == bytes.fromhex("fffe0000ff00")


def test_the_testbench_has_the_published_messages() -> None:
    """Examples 1 to 3 of SP 800-38C, appendix C."""
    for v in own_vectors("aes", "ccm")[:3]:
        changes = [f"nonce_bytes={len(v.iv)}", f"tag_bits={8 * len(v.tag)}"]
        spec = load("aes128-ccm-small", changes)
        assert isinstance(spec, Loop)
        wanted = (v.key, v.iv, v.aad, v.pt)
        known = [m for m in known_ccm_packets(spec) if (m.key, m.iv, m.aad, m.text) == wanted]
        assert [(m.result, m.tag[: len(v.tag)]) for m in known] == [(v.ct, v.tag)]
