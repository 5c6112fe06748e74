"""Checks of a core of HCTR2: published packets, random ones against the mode around an independent library's
cipher, packets that break a rule, and resets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..cipher.hctr2 import hctr2
from ..errors import CheckFailed, NotChecked
from .reference import reference_of
from .vectors import own_vectors
from .wide_packets import Pauses, WideBench, WidePacket, WideSession

__all__ = [
    "check_refused",
    "check_wide_packets",
    "check_wide_resets",
    "published_wide",
    "wide_result",
]

_LONGEST_TWEAK = 50
"""Bytes of the tweak of a random packet, at most."""

_LONGEST_TEXT = 100
"""Bytes of its text, at most."""

_UNDER_KEY = 8
"""Random packets under one key, on average."""

_PAUSES = (Pauses(), Pauses(0.5, 0.0), Pauses(0.0, 0.5), Pauses(0.3, 0.8))
"""Pauses under one key after the other."""

_RESETS = 160
"""Cycles of a run in which a reset is tried, at most."""


def wide_result(p: Mapping[str, Any], key: bytes, packet: WidePacket) -> bytes:
    """What `packet` becomes under `key` by the reference of a core with parameters `p`: the mode's definition
    (IACR ePrint 2021/1441, figure 1) around a library's cipher.
    """
    reference, size = reference_of(p), int(p["block_bits"]) // 8

    def crypt(word: int, decrypt: bool) -> int:
        return int.from_bytes(reference.bulk(key, word.to_bytes(size, "little"), decrypt), "little")

    return hctr2(crypt, 8 * size, packet.tweak, packet.text, packet.decrypt)


def published_wide(bench: WideBench, p: Mapping[str, Any]) -> str:
    """Published packets through the core `bench` with parameters `p`, encrypted and decrypted. What was
    checked, in words. Raises CheckFailed with a packet that differs, NotChecked where there are none with the
    core's key length: with blocks of 256 bits nobody has published any. Packets that the core's buffer is too
    short for are left out, and counted apart.
    """
    size = p["key_bits"] // 8
    found = [v for v in own_vectors(p["cipher"], p["mode"]) if len(v.key) == size]
    if not found or p["rounds"] is not None:
        raise NotChecked(f"there are no published packets of this cipher with {p['key_bits']}-bit keys")
    most = bench.most_words * bench.block_bytes
    fit = [v for v in found if max(len(v.pt), len(v.iv)) <= most]
    for v in fit:
        with bench.session() as s:
            s.load_key(v.key)
            s.send(WidePacket(v.iv, v.pt))
            s.send(WidePacket(v.iv, v.ct, True))
            if s.finish() != [v.ct, v.pt]:
                raise CheckFailed(f"known answer not met: key {v.key.hex()}, tweak {v.iv.hex()} ({v.source})")
    left_out = len(found) - len(fit)
    longer = f"; {left_out} longer than the buffer left out" if left_out else ""
    return f"{len(fit)} published packets, encrypted and decrypted{longer}"


def check_wide_packets(bench: WideBench, p: Mapping[str, Any], count: int, seed: int = 7) -> str:
    """About `count` random packets through the core `bench` with parameters `p`, under keys that change, in
    both directions, against the reference. Texts have all lengths from a block to 100 bytes, tweaks from 0 to
    50, each in random order, and one of each fills the buffer. Words are offered at once and with pauses, and
    so are results taken; the next key is offered within a key's last packet. `seed`: of the random packets.
    What was checked, in words; raises CheckFailed.
    """
    rng, block = np.random.default_rng(seed), bench.block_bytes
    spans = ((0, _LONGEST_TWEAK + 1), (block, _LONGEST_TEXT + 1))
    tweaks, texts = (
        [int(x) for _ in range(-(-count // (end - begin))) for x in rng.permutation(range(begin, end))][
            :count
        ]
        for begin, end in spans
    )
    most = bench.most_words * block
    sizes = [(0, block), (0, most), (most, block + 1), *zip(tweaks, texts, strict=True)]
    keys, begin, key = 0, 0, rng.bytes(p["key_bits"] // 8)
    with bench.session(seed) as s:
        while begin < len(sizes):
            some = sizes[begin : begin + int(rng.integers(1, 2 * _UNDER_KEY))]
            packets = [WidePacket(rng.bytes(a), rng.bytes(n), bool(rng.integers(0, 2))) for a, n in some]
            after, pauses = rng.bytes(len(key)), _PAUSES[keys % len(_PAUSES)]
            s.load_key(key)
            for k, packet in enumerate(packets):
                s.send(packet, pauses, after if k == len(packets) - 1 else b"")
            _compare(p, key, packets, s.finish())
            begin, keys, key = begin + len(some), keys + 1, after
    return (
        f"{len(sizes)} random packets under {keys} keys equal to the mode around {reference_of(p).name}, "
        "directions mixed, words and results one behind the other and with pauses; every word and key in its "
        f"cycle; {check_refused(bench, p)}"
    )


def _compare(
    p: Mapping[str, Any], key: bytes, packets: Sequence[WidePacket], got: Sequence[bytes | None]
) -> None:
    """Raise CheckFailed where a result is not the reference's."""
    for packet, result in zip(packets, got, strict=True):
        if result != wide_result(p, key, packet):
            raise CheckFailed(
                f"a packet with a tweak of {len(packet.tweak)} and a text of {len(packet.text)} bytes, "
                f"{'decrypted' if packet.decrypt else 'encrypted'}, differs from the mode around "
                f"{reference_of(p).name} (key {key.hex()})"
            )


def _broken(bench: WideBench, rng: np.random.Generator) -> dict[str, list[tuple[bytes, bool]]]:
    """Packets that break a rule: their words, each with whether it is of the tweak."""
    block, most = bench.block_bytes, bench.most_words

    def words(aad: bool, *sizes: int) -> list[tuple[bytes, bool]]:
        return [(rng.bytes(n), aad) for n in sizes]

    return {
        "a text shorter than a block": words(False, block - 1),
        "a tweak alone": words(True, block),
        "a text that is too long": words(False, *[block] * (most + 1)),
        "a tweak that is too long": words(True, *[block] * (most + 1)) + words(False, block),
        "a short word within a text": words(False, block, 3, block),
        "a short first word of a text": words(False, 3, block),
        "a short word within a tweak": words(True, 3, block) + words(False, block),
        "a word without a byte": words(False, block, 0),
        "a tweak behind a text": words(False, block) + words(True, 4) + words(False, block),
    }


def check_refused(bench: WideBench, p: Mapping[str, Any], seed: int = 9) -> str:
    """Packets that break a rule, through the core `bench` with parameters `p`: each leaves one word that says
    so and no byte, and the packet behind it is right. `seed`: of the random packets. What was checked, in
    words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    key, broken = rng.bytes(bench.key_bytes), _broken(bench, rng)
    with bench.session(seed) as s:
        s.load_key(key)
        for number, words in enumerate(broken.values()):
            s.play(words, bool(number % 2), Pauses(0.3, 0.3), refused=True)
            s.finish()
            right = WidePacket(rng.bytes(3), rng.bytes(bench.block_bytes + 1), bool(rng.integers(0, 2)))
            s.send(right)
            _compare(p, key, [right], s.finish())
    return f"{len(broken)} packets that break a rule are refused, and leave nothing"


def check_wide_resets(bench: WideBench, p: Mapping[str, Any], seed: int = 3) -> str:
    """One cycle of reset, or of zeroising, in up to 160 cycles of a run with a key and packets, one after the
    other: nothing of before leaves, and the next key and packets are right. `bench`: the core; `p`: its
    parameters; `seed`: of the random packets. What was checked, in words; raises CheckFailed.
    """
    rng, t = np.random.default_rng(seed), bench.timing
    packet = WidePacket(rng.bytes(5), rng.bytes(2 * bench.block_bytes + 3))
    span = bench.record["key_cycles"] + t.latency(1, 3) + 16
    cycles = sorted({int(x) for x in np.linspace(1, span, _RESETS)})
    for when in cycles:
        with bench.session(when) as s:
            _until(s, when, packet)
            s.reset()
            quiet = s.run(s.idle(2 * t.cipher))
            if any(bench.simulation.view(quiet, n).any() for n in bench.announcing):
                raise CheckFailed(f"after a reset in cycle {when} the core shows something of before")
            _check_next(s, p, rng)
            _until(s, when, packet)
            s.zeroise()
            _check_next(s, p, rng)
    return (
        f"resets and zeroising, each in {len(cycles)} cycles of a key and a packet: nothing of before "
        "leaves, and all is right after"
    )


def _until(session: WideSession, cycles: int, packet: WidePacket) -> None:
    """Run so many cycles: of a key, and then of `packet`, whose results are taken in half of the cycles."""
    key, before = session.rng.bytes(session.bench.key_bytes), session.bench.record["key_cycles"]
    if cycles <= before:
        session.run(session.offered(session.idle(cycles), key))
        return
    session.load_key(key)
    session.begin(packet, cycles - before)


def _check_next(session: WideSession, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A key and packets are right. Raises CheckFailed."""
    block, key = session.bench.block_bytes, rng.bytes(session.bench.key_bytes)
    packets = [WidePacket(rng.bytes(2), rng.bytes(block + 7)), WidePacket(b"", rng.bytes(block), True)]
    session.load_key(key)
    for packet in packets:
        session.send(packet)
    _compare(p, key, packets, session.finish())
