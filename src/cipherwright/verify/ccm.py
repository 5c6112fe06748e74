"""Checks of a core of CCM: published packets, random ones against an independent library, and resets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..cipher.ccm import CcmInput, ccm
from ..errors import CheckFailed, NotChecked
from .ccm_packets import CcmBench, CcmSession
from .oracle import oracle_ccm
from .packets import Packet, PacketResult, packets_of_both_ways
from .reference import reference_of
from .vectors import own_vectors

__all__ = ["check_ccm_packets", "check_ccm_resets", "published_ccm", "random_ccm", "sealed_ccm"]

_LONGEST = 300
"""Bytes of additional data and of data in random packets, at most."""

_LONG = (65_280, 40)
"""Bytes of additional data and of data of one packet whose length of additional data takes six bytes."""

_UNDER_KEY = 8
"""Random packets under one key, on average."""

_GAPS = (0.0, 0.5, 0.0, 0.1)
"""How probable a gap before a word is, under one key after the other."""

_RESETS = 400
"""Cycles of a run in which a reset is tried, at most."""


def sealed_ccm(p: Mapping[str, Any], key: bytes, given: CcmInput) -> tuple[bytes, bytes]:
    """Ciphertext and tag of the message `given` under `key` by the reference of a core with parameters `p`:
    by a library's own CCM where it has one, otherwise by the mode's definition (SP 800-38C) around the
    library's cipher. The tag has the bytes that the core shows.
    """
    reference, tag_bytes = reference_of(p), int(p["tag_bits"]) // 8
    done = oracle_ccm(reference.library, key, given, tag_bytes) if reference.library else None
    if done is not None:
        return done

    def crypt(word: int) -> int:
        return int.from_bytes(reference.bulk(key, word.to_bytes(16, "big"), False), "big")

    made = ccm(crypt, given, tag_bytes)
    return made.data, made.tag


def published_ccm(bench: CcmBench, p: Mapping[str, Any]) -> str:
    """Published packets through the core `bench` with parameters `p`, encrypted and decrypted, and decrypted
    with a wrong tag. What was checked, in words. Raises CheckFailed with a packet that differs, NotChecked
    where there are none with the core's lengths of key, nonce and tag.
    """
    lengths = (p["key_bits"] // 8, bench.nonce_bytes, bench.tag_bytes)
    found = [v for v in own_vectors(p["cipher"], "ccm") if (len(v.key), len(v.iv), len(v.tag)) == lengths]
    if not found or p["rounds"] is not None:
        raise NotChecked(
            f"the repository has no published packets of this cipher with {p['key_bits']}-bit keys, nonces "
            f"of {lengths[1]} bytes and tags of {lengths[2]}"
        )
    for v in found:
        wrong = bytes([v.tag[0] ^ 128, *v.tag[1:]])
        sent = [
            Packet(v.iv, v.aad, v.pt),
            Packet(v.iv, v.aad, v.ct, True, v.tag),
            Packet(v.iv, v.aad, v.ct, True, wrong),
        ]
        want = [
            PacketResult(v.ct, v.tag.ljust(16, b"\0"), False),
            PacketResult(v.pt, bytes(16), True),
            PacketResult(v.pt, bytes(16), False),
        ]
        with bench.session() as s:
            s.load_key(v.key)
            for packet in sent:
                s.send(packet)
            if s.finish() != bench.expected(sent, want):
                raise CheckFailed(f"known answer not met: key {v.key.hex()}, nonce {v.iv.hex()} ({v.source})")
    return f"{len(found)} published packets, encrypted, decrypted, and refused with a wrong tag"


def random_ccm(
    p: Mapping[str, Any], rng: np.random.Generator, key: bytes, sizes: Sequence[tuple[int, int]]
) -> tuple[list[Packet], list[PacketResult]]:
    """Random packets for a core with parameters `p` under `key`, and what the reference makes of them.
    `sizes`: of each packet the bytes of additional data and of data; directions are mixed, and some have a
    wrong tag; `rng` makes all of it.
    """
    return packets_of_both_ways(
        rng,
        int(p["tag_bits"]) // 8,
        sizes,
        (rng.bytes(p["nonce_bytes"]) for _ in sizes),
        lambda nonce, aad, text: sealed_ccm(p, key, CcmInput(nonce, aad, text)),
    )


def check_ccm_packets(bench: CcmBench, p: Mapping[str, Any], count: int, seed: int = 7) -> str:
    """About `count` random packets through the core `bench` with parameters `p`, back to back and with gaps,
    under keys that change, in both directions, against the reference. Lengths go through all from 0 to 300
    bytes of additional data and of data, in random order; the last packet but one has additional data whose
    length takes six bytes. `seed`: of the random packets. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    spans = [
        [int(x) for _ in range(-(-count // (_LONGEST + 1))) for x in rng.permutation(_LONGEST + 1)]
        for _ in "ad"
    ]
    sizes = [(0, 0), (0, 1), (16, 0), (14, 16), *list(zip(*spans, strict=True))[:count], _LONG, (0, 0)]
    keys, begin, key = 0, 0, rng.bytes(p["key_bits"] // 8)
    with bench.session(seed) as s:
        while begin < len(sizes):
            some = sizes[begin : begin + int(rng.integers(1, 2 * _UNDER_KEY))]
            packets, want = random_ccm(p, rng, key, some)
            after, gaps = rng.bytes(len(key)), _GAPS[keys % len(_GAPS)]
            s.load_key(key)
            for k, packet in enumerate(packets):
                s.send(packet, gaps, after if k == len(packets) - 1 else b"")
            got, want = s.finish(), bench.expected(packets, want)
            if got != want:
                wrong = next(k for k, (a, b) in enumerate(zip(got, want, strict=True)) if a != b)
                raise CheckFailed(
                    f"a packet of {some[wrong][0]} and {some[wrong][1]} bytes differs from "
                    f"{reference_of(p).name} (key {key.hex()}, nonce {packets[wrong].iv.hex()})"
                )
            begin, keys, key = begin + len(some), keys + 1, after
    return (
        f"{len(sizes)} random packets under {keys} keys equal to {reference_of(p).name}, directions and "
        f"wrong tags mixed, back to back and with gaps; one with {_LONG[0]} bytes of additional data; every "
        "word, tag and key in its cycle"
    )


def check_ccm_resets(bench: CcmBench, p: Mapping[str, Any], seed: int = 3) -> str:
    """One cycle of reset, or of zeroising, in up to 400 cycles of a run with a key and words, one after the
    other: nothing of before leaves, and the next key and packets are right. `bench`: the core; `p`: its
    parameters; `seed`: of the random packets. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    span = bench.record["key_cycles"] + bench.tag_latency + 12
    cycles = sorted({int(x) for x in np.linspace(1, span, _RESETS)})
    for when in cycles:
        with bench.session(when) as s:
            s.run(s.offered(s.idle(when), rng.bytes(bench.key_bytes)))
            s.reset()
            quiet = s.run(s.idle(bench.tag_latency + 4))
            if any(bench.simulation.view(quiet, n).any() for n in bench.announcing):
                raise CheckFailed(f"after a reset in cycle {when} the core shows something of before")
            _check_next(s, p, rng)
            s.run(s.offered(s.idle(when), rng.bytes(bench.key_bytes)))
            s.zeroise()
            _check_next(s, p, rng)
    return (
        f"resets and zeroising, each in {len(cycles)} cycles of a key and packets: nothing of before leaves, "
        "and all is right after"
    )


def _check_next(session: CcmSession, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A key and packets are right. Raises CheckFailed."""
    key = rng.bytes(session.bench.key_bytes)
    packets, want = random_ccm(p, rng, key, ((15, 20), (0, 0)))
    session.load_key(key)
    for packet in packets:
        session.send(packet)
    if session.finish() != session.bench.expected(packets, want):
        raise CheckFailed(f"after a reset or zeroising a packet differs from {reference_of(p).name}")
