"""Checks of a core of GCM: published packets, random ones against an independent library, resets, and the
proofs of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..cipher.gcm import gcm, iv_of, padded_blocks
from ..errors import CheckFailed, NotChecked
from ..shell import ANY_IV, IV_BITS, WORD_BYTES
from .held_packets import HeldBench, HeldCcmBench
from .key_slots import KeyLoad, SlotBench
from .oracle import oracle_gcm
from .packets import Packet, PacketBench, PacketResult, Session, packets_of_both_ways
from .reference import reference_of
from .vectors import own_vectors

__all__ = [
    "check_key_slots",
    "check_packets",
    "check_release",
    "check_resets",
    "published_packets",
    "random_packets",
    "sealed",
]

_LONGEST = 300
"""Bytes of additional data and of data in random packets, at most."""

_ODD_LENGTH = 66_000
"""Bytes of one packet whose counter carries over twelve bits."""

_LONGEST_IV = 128
"""Bytes of a random IV, at most."""

_LAST = (1 << 32) - 1
"""The last number of a counter block, after which comes 0."""

_UNDER_KEY = 8
"""Random packets under one key, on average."""

_GAPS = (0.0, 0.5, 0.0, 0.1)
"""How probable a gap before a word is, under one key after the other."""

_RESETS, _ZEROISED = 12, 16
"""Resets in as many cycles, and zeroising."""


def sealed(p: Mapping[str, Any], key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Ciphertext and whole tag of the message `text` with the additional data `aad` and the initialisation
    vector `iv`, under `key`, by the reference of a core with parameters `p`: by a library's own GCM where it
    has one, otherwise by the mode's definition (SP 800-38D) around the library's cipher.
    """
    reference = reference_of(p)
    done = oracle_gcm(reference.library, key, iv, aad, text) if reference.library else None
    if done is not None:
        return done

    def crypt(word: int) -> int:
        if word in stream:
            return stream[word]
        return int.from_bytes(reference.bulk(key, word.to_bytes(16, "big"), False), "big")

    stream = dict[int, int]()
    if 8 * len(iv) == IV_BITS:
        counters = [int.from_bytes(iv, "big") << 32 | 2 + k for k in range(-(-len(text) // 16))]
        many = reference.bulk(key, b"".join(c.to_bytes(16, "big") for c in counters), False)
        stream = dict(zip(counters, padded_blocks(many), strict=True))
    made = gcm(crypt, iv, aad, text)
    return made.data, made.tag


def published_packets(bench: PacketBench, p: Mapping[str, Any]) -> str:
    """Published packets through the core `bench` with parameters `p`, encrypted and decrypted, and decrypted
    with a wrong tag. What was checked, in words. Raises CheckFailed with a packet that differs, NotChecked
    where there are none.
    """
    size, rounds = bench.tag_bytes, p["rounds"]
    found = [v for v in own_vectors(p["cipher"], "gcm") if len(v.key) * 8 == p["key_bits"]]
    found = [v for v in found if bench.any_iv or 8 * len(v.iv) == IV_BITS]
    if not found or rounds is not None:
        raise NotChecked(
            f"the repository has no published packets of this cipher with {p['key_bits']}-bit keys"
        )
    for v in found:
        wrong = bytes([v.tag[0] ^ 128, *v.tag[1:size]])
        sent = [
            Packet(v.iv, v.aad, v.pt),
            Packet(v.iv, v.aad, v.ct, True, v.tag[:size]),
            Packet(v.iv, v.aad, v.ct, True, wrong),
        ]
        want = [
            PacketResult(v.ct, v.tag[:size].ljust(16, b"\0"), False),
            PacketResult(v.pt, bytes(16), True),
            PacketResult(v.pt, bytes(16), False),
        ]
        with bench.session() as s:
            s.load_key(v.key)
            for packet in sent:
                s.send(packet)
            if s.finish() != bench.expected(sent, want):
                raise CheckFailed(f"known answer not met: key {v.key.hex()}, IV {v.iv.hex()} ({v.source})")
    return f"{len(found)} published packets, encrypted, decrypted, and refused with a wrong tag"


def random_ivs(p: Mapping[str, Any], rng: np.random.Generator, key: bytes, count: int) -> list[bytes]:
    """IVs of 96 bits. For a core that takes others, too, these are a third; a third have other lengths; and
    of the others the core makes counter blocks that are among the last before the number 0.
    """
    ivs = [rng.bytes(IV_BITS // 8) for _ in range(count)]
    if p.get("iv_bits", IV_BITS) != ANY_IV:
        return ivs
    lengths = [n for n in rng.permutation(_LONGEST_IV) + 1 if 8 * n != IV_BITS]
    h = int.from_bytes(reference_of(p).bulk(key, bytes(16), False), "big")
    for k, kind in enumerate(rng.integers(0, 3, count)):
        if kind == 1:
            ivs[k] = rng.bytes(int(lengths[k % len(lengths)]))
        elif kind == 2:
            high = int.from_bytes(rng.bytes(IV_BITS // 8), "big") << 32
            ivs[k] = iv_of(h, high | _LAST - int(rng.integers(0, 4)))
    return ivs


def random_packets(
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
        random_ivs(p, rng, key, len(sizes)),
        lambda iv, aad, text: sealed(p, key, iv, aad, text),
    )


def check_packets(bench: PacketBench, p: Mapping[str, Any], count: int, seed: int = 7) -> str:
    """About `count` random packets through the core `bench` with parameters `p`, back to back and with gaps,
    under keys that change, in both directions, against the reference. Lengths go through all from 0 to 300
    bytes of additional data and of data, in random order. `seed`: of the random packets. What was checked, in
    words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    spans = [
        [int(x) for _ in range(-(-count // (_LONGEST + 1))) for x in rng.permutation(_LONGEST + 1)]
        for _ in "ad"
    ]
    sizes = list(zip(*spans, strict=True))[:count]
    sizes += [(0, 0), (0, 1), (16, 0), (0, _ODD_LENGTH)]
    total, keys = 0, 0
    with bench.session(seed) as s:
        after, key, begin = b"", rng.bytes(p["key_bits"] // 8), 0
        while begin < len(sizes):
            some = sizes[begin : begin + int(rng.integers(1, 2 * _UNDER_KEY))]
            begin += len(some)
            gaps = _GAPS[keys % len(_GAPS)]
            packets, want = random_packets(p, rng, key, some)
            after = rng.bytes(p["key_bits"] // 8)
            s.load_key(key)
            for k, packet in enumerate(packets):
                s.send(packet, gaps, after if k == len(packets) - 1 else b"")
            got, want = s.finish(), bench.expected(packets, want)
            if got != want:
                wrong = next(k for k, (a, b) in enumerate(zip(got, want, strict=True)) if a != b)
                raise CheckFailed(
                    f"a packet of {some[wrong][0]} and {some[wrong][1]} bytes differs from "
                    f"{reference_of(p).name} (key {key.hex()}, IV {packets[wrong].iv.hex()})"
                )
            total, keys, key = total + len(packets), keys + 1, after
    lengths = f"IVs of 1 to {_LONGEST_IV} bytes, and numbers that wrap; " if bench.any_iv else ""
    return (
        f"{total} random packets under {keys} keys equal to {reference_of(p).name}, directions and wrong "
        f"tags mixed, back to back and with gaps; one of {_ODD_LENGTH} bytes; {lengths}every word, tag and "
        "key in its cycle"
    )


def check_resets(bench: PacketBench, p: Mapping[str, Any], seed: int = 3) -> str:
    """One cycle of reset, or of zeroising, at any time in the core `bench` with parameters `p`: nothing of
    before leaves, and the next key and packets are right. `seed`: of the random packets. What was checked, in
    words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    record = bench.record
    span = record["key_cycles"] + bench.tag_latency + 40
    for when in [int(x) for x in np.linspace(1, span, _RESETS)]:
        with bench.session(when) as s:
            s.run(s.offered(s.idle(when), rng.bytes(p["key_bits"] // 8)))
            s.reset()
            quiet = s.run(s.idle(bench.tag_latency + 4))
            shown = [bench.simulation.view(quiet, n) for n in bench.announcing]
            if any(view.any() for view in shown):
                raise CheckFailed(f"after a reset in cycle {when} the core shows something of before")
            _check_next(s, p, rng, f"a reset in cycle {when}")
    for when in [int(x) for x in np.linspace(1, span, _ZEROISED)]:
        with bench.session(when) as s:
            s.run(s.offered(s.idle(when), rng.bytes(p["key_bits"] // 8)))
            s.zeroise()
            _check_next(s, p, rng, f"zeroising in cycle {when}")
    return (
        f"resets in {_RESETS} cycles and zeroising in {_ZEROISED}, within keys and packets: nothing of "
        "before leaves, and all is right after"
    )


def _check_next(s: Session, p: Mapping[str, Any], rng: np.random.Generator, after: str) -> None:
    """A key and packets are right in the session `s`. Raises CheckFailed, where they are not `after` that."""
    key = rng.bytes(p["key_bits"] // 8)
    packets, want = random_packets(p, rng, key, [(20, 45), (0, 16), (5, 0)])
    try:
        s.load_key(key)
        for packet in packets:
            s.send(packet)
        right = s.finish() == s.bench.expected(packets, want)
    except CheckFailed as e:
        raise CheckFailed(f"after {after} {e}") from e
    if not right:
        raise CheckFailed(f"after {after} a packet differs from {reference_of(p).name}")


_EDGE = 4096
"""Words of a buffer up to which packets of about its depth are tried."""


def check_release(
    bench: HeldBench | HeldCcmBench,
    p: Mapping[str, Any],
    made: Callable[..., tuple[list[Packet], list[PacketResult]]],
    seed: int = 17,
) -> str:
    """Packets that just fit the buffer of the core `bench` with parameters `p`, and that just do not, with
    right and wrong tags in both directions, back to back and with gaps. made: makes them, as
    `random_packets`; seed: of the random packets. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    most = bench.longest if bench.words <= _EDGE else 24
    sizes = [(0, WORD_BYTES * most), (0, 5), (3, WORD_BYTES * most + 1), (0, 1), (20, WORD_BYTES * most - 3)]
    sizes += [(0, 16 * int(n)) for n in rng.integers(1, 9, 24)] + [(0, 0), (9, 0)]
    refused, total = 0, 0
    for gaps in (0.0, 0.2):
        key = rng.bytes(p["key_bits"] // 8)
        with bench.session(seed) as s:
            s.load_key(key)
            for _ in range(3):
                packets, want = made(p, rng, key, [sizes[k] for k in rng.permutation(len(sizes))])
                for packet in packets:
                    s.send(packet, gaps)
                want = bench.expected(packets, want)
                if s.finish() != want:
                    raise CheckFailed("words of a packet leave that may not, or others do not")
                refused += sum(q.decrypt and not r.good for q, r in zip(packets, want, strict=True))
                total += len(want)
    return (
        f"{total} packets with right and wrong tags about a buffer of {bench.words} words, {refused} of them "
        f"refused: nothing of these leaves, nor anything before its verdict"
    )


_LOADS = 12
"""Keys that are loaded while packets go on."""


def check_key_slots(bench: SlotBench, p: Mapping[str, Any], loads: int = _LOADS, seed: int = 11) -> str:
    """Packets through the core `bench` with parameters `p` under two resident keys, mixed one by one, while
    keys are loaded into one slot or the other, `loads` of them; and zeroising within it. `seed`: of the
    random packets. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    total = 0
    with bench.session(seed) as s:
        for after_zeroising in (False, True):
            if after_zeroising:
                s.zeroise_within(_mixed(p, rng, [rng.bytes(bench.key_bytes)] * 2, 3)[0])
            keys = [rng.bytes(bench.key_bytes) for _ in range(2)]
            for slot, key in enumerate(keys):
                s.load_key(key, slot)
            want = list[PacketResult]()
            for k in range(loads // 2):
                slot, new, own = int(rng.integers(0, 2)), rng.bytes(bench.key_bytes), k % 2
                some, here = _mixed(p, rng, keys, int(rng.integers(2, 9)))
                # The key is offered with a packet of the other slot, or within one of its own that is longer
                # than what the core waits after it. It is expanded within a long one of the other slot.
                long = 16 * (bench.tag_latency + 40) * own
                turn, there = _mixed(p, rng, keys, 1, slot if own else 1 - slot, long)
                busy = 16 * (int(bench.record["inner"]["key_cycles"]) + bench.tag_latency + 40)
                cover, meanwhile = _mixed(p, rng, keys, 1, 1 - slot, busy)
                keys[slot] = new
                more, last = _mixed(p, rng, keys, int(rng.integers(2, 9)))
                load = KeyLoad(new, slot, len(some), own)
                s.traffic([*some, *turn, *cover, *more], [load], _GAPS[k % len(_GAPS)])
                want += [*here, *there, *meanwhile, *last]
            if s.finish() != want:
                raise CheckFailed(f"a packet under one of two keys differs from {reference_of(p).name}")
            total += len(want)
    return (
        f"{total} packets under two resident keys, mixed one by one, equal to {reference_of(p).name}, while "
        f"{loads} keys were loaded; none into a slot with a packet in flight; nothing after zeroising"
    )


def _mixed(
    p: Mapping[str, Any],
    rng: np.random.Generator,
    keys: Sequence[bytes],
    count: int,
    slot: int | None = None,
    more: int = 0,
) -> tuple[list[tuple[Packet, int]], list[PacketResult]]:
    """Random packets, each under one of two keys (or all under that of `slot`), with their slots; each with
    so many bytes more.
    """
    packets, want = list[tuple[Packet, int]](), list[PacketResult]()
    for _ in range(count):
        chosen = int(rng.integers(0, 2)) if slot is None else slot
        size = (int(rng.integers(0, 40)), more + int(rng.integers(0, 260)))
        (packet,), result = random_packets(p, rng, keys[chosen], [size])
        packets.append((packet, chosen))
        want += result
    return packets, want
