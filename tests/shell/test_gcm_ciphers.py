"""GCM around loops and a pipeline of other ciphers with blocks of 128 bits: each computes GCM, in both
directions, and refuses a wrong tag.

Packets are compared with GCM as an independent library has it, or as the standard defines it around that
library's cipher.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cipherwright.cipher.gcm import gcm
from cipherwright.shell import Core
from cipherwright.verify.gcm import check_packets
from cipherwright.verify.packets import Packet, PacketBench, PacketResult
from cipherwright.verify.reference import reference_of
from tests.conftest import Built

IN_GCM = ("mode=gcm", "direction=both")
LOOPS = {
    ("aes-tiny", *IN_GCM): "OpenSSL",
    ("camellia-small", *IN_GCM): "OpenSSL",
    ("sm4-small", *IN_GCM): "OpenSSL",
    ("mars-small", *IN_GCM): "Crypto++",
    ("rijndael256-hctr2-small", "mode=gcm", "block_bits=128", "key_bits=192"): "libmcrypt",
}
"""Loops, and the library that they are compared with."""

FEW_STAGES = (
    *("common_basis=false", "clock_mhz=none", "linear_depth=0", "fuse_linear=false"),
    *("hops=[]", "stages=20"),
)
"""Changes that make a pipeline of Camellia quick to build and to simulate."""

SIZES = [(0, 0), (0, 1), (1, 0), (16, 0), (0, 16), (20, 45), (33, 32), (0, 70), (5, 15), (48, 0), (0, 33)]
"""Bytes of additional data and of data, without one of them or both."""

FEW = 8
"""Random packets of any length, beside the lengths that `check_packets` always has."""


def both_ways(p: Mapping[str, Any], key: bytes) -> tuple[list[Packet], list[PacketResult]]:
    """A packet of each size that is encrypted, decrypted, and decrypted with one bit of its tag changed, for
    a core with parameters `p` under `key`, and what is to come of them. GCM is here the standard's definition
    around the library's cipher.
    """

    def crypt(block: int) -> int:
        return int.from_bytes(library(key, block.to_bytes(16, "big"), False), "big")

    library, rng = reference_of(p).bulk, np.random.default_rng(5)
    packets, want = list[Packet](), list[PacketResult]()
    for n, (aads, texts) in enumerate(SIZES):
        iv, aad, text = rng.bytes(12), rng.bytes(aads), rng.bytes(texts)
        made = gcm(crypt, iv, aad, text)
        wrong = (int.from_bytes(made.tag, "big") ^ 1 << (11 * n)).to_bytes(16, "big")
        sealed = Packet(iv, aad, made.data, True, made.tag)
        packets += [Packet(iv, aad, text), sealed, replace(sealed, tag=wrong)]
        want.append(PacketResult(made.data, made.tag, False))
        want += [PacketResult(text, bytes(16), good) for good in (True, False)]
    return packets, want


def results(bench: PacketBench, key: bytes, packets: list[Packet]) -> list[PacketResult]:
    """What a core makes of packets under one key, back to back."""
    with bench.session() as s:
        s.load_key(key)
        for packet in packets:
            s.send(packet)
        return s.finish()


def computes_gcm(made: Built, library: str) -> None:
    """Packets of each size, under the right key and another, and random ones are right through the core
    `made`, by the `library` of its cipher.
    """
    core, folder = made
    assert isinstance(core, Core)
    p = core.parameters
    bench = PacketBench.compile(folder.sources, folder.record)
    key = np.random.default_rng(3).bytes(p["key_bits"] // 8)
    packets, want = both_ways(p, key)
    assert results(bench, key, packets) == want
    other = bytes([key[0] ^ 128, *key[1:]])
    assert results(bench, other, packets[:1]) != want[:1]
    assert f"equal to {library}" in check_packets(bench, p, FEW)


@pytest.mark.parametrize("variant", LOOPS, ids=" ".join)
def test_a_loop_computes_gcm(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    computes_gcm(built(*variant), LOOPS[variant])


@pytest.mark.long_check
def test_a_pipeline_computes_gcm(built: Callable[..., Built]) -> None:
    """Camellia in few stages, without what makes it quick."""
    computes_gcm(built("camellia-fast", *IN_GCM, *FEW_STAGES), "OpenSSL")
