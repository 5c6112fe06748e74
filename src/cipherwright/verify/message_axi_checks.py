"""Checks of a core of messages behind AXI-Stream: whatever the gaps and the back-pressure, every packet, data
unit and tag leaves whole, once and in its order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from ..cipher.xts import halves
from ..errors import CheckFailed
from ..shell import WORD_BYTES
from .ccm import random_ccm
from .cmac import mac_tag
from .gcm import random_packets
from .hctr2 import wide_result
from .message_axi import Announced, AxiMessageBench, AxiSession, Beat, Flow
from .packets import Packet, PacketResult
from .reference import reference_of
from .units import Unit
from .wide_packets import WidePacket
from .xts import random_units, unit_result

__all__ = [
    "Traffic",
    "check_message_stream",
    "fresh_key",
    "joined",
    "messages_of",
    "packet_beats",
    "play",
    "with_slot",
]

_FLOWS = (Flow(), Flow(0.5), Flow(take=0.5), Flow(0.6, 0.6), Flow(stall=600), Flow(take=0.15))
"""Gaps and back-pressure under one key after the other."""

_STALLED = 20
"""Words in whose time no result is taken at least, where none is taken for a while: more than a FIFO has
room for.
"""

_LONGEST = 100
"""Bytes of additional data and of data, at most, where a beat has 16."""

_UNDER_KEY = 12
"""Messages under one key."""

_SLOT = 2
"""The bit of TUSER that says under which of two keys a packet goes."""

_LONG = 64
"""Words of a message whose beats follow each other without a gap."""

_BREAKS = 12
"""Cycles in which a reset is tried, and zeroising."""


@dataclass(frozen=True)
class Traffic:
    """Messages as `beats` that go in, the `units` that are announced, and by stream the beats that must have
    `left` it.
    """

    beats: tuple[Beat, ...]
    left: Mapping[str, tuple[Beat, ...]]
    units: tuple[Announced, ...] = ()


def _longest(bench: AxiMessageBench) -> int:
    """Bytes of additional data and of data, at most."""
    return _LONGEST * max(1, bench.beat_bytes // WORD_BYTES)


def _cut(text: bytes, size: int, user: int, ids: Iterator[int]) -> list[Beat]:
    """A text as beats of `size` bytes, the last of which ends it."""
    ends = range(0, len(text), size)
    return [Beat(text[k : k + size], k + size >= len(text), user, next(ids)) for k in ends]


def _ids_that_leave(bench: AxiMessageBench, beats: Sequence[Beat]) -> list[int]:
    """TIDs of the beats of a result: where beats are parts of a word, that of the word's last one."""
    several = max(1, bench.word_bytes // bench.beat_bytes)
    return [beats[min((k // several + 1) * several, len(beats)) - 1].id for k in range(len(beats))]


def packet_beats(bench: AxiMessageBench, packet: Packet, result: PacketResult, ids: Iterator[int]) -> Traffic:
    """A `packet` of GCM or CCM for the core `bench`, of which the reference makes `result`; `ids`: of its
    beats. Bytes of the expected tag that are not compared have any value.
    """
    way, size = int(packet.decrypt), bench.beat_bytes
    own_iv = bool(packet.iv_sizes and not bench.lengths)
    iv_word = [Beat(b.data, b.last, way | 4, b.id) for b in _cut(packet.iv, size, 0, ids) if own_iv]
    head = [Beat(b.data, False, way | 2, b.id) for b in _cut(packet.aad, size, 0, ids)]
    body = [Beat(b.data, False, way, b.id) for b in _cut(packet.text, size, 0, ids)]
    all_beats = head + body or [Beat(b"", False, way, next(ids))]
    given: dict[str, bytes] = {} if own_iv else {"s_iv_i": packet.iv}
    sizes = (len(packet.aad), len(packet.text))
    given |= {n: size.to_bytes(4, "big") for n, size in zip(bench.lengths, sizes, strict=False)}
    first = all_beats[0]
    all_beats[0] = Beat(first.data, first.last, first.user, first.id, given)
    last = all_beats[-1]
    tag = {"s_tag_i": packet.tag.ljust(16, b"\x5a")}
    all_beats[-1] = Beat(last.data, True, last.user, last.id, {**last.given, **tag})
    kept = _ids_that_leave(bench, body)
    out = [
        Beat(b.data, b.last, way, i)
        for b, i in zip(_cut(result.text, size, 0, iter(kept)), kept, strict=True)
    ]
    too_long = bool(bench.longest and way and -(-len(packet.text) // bench.word_bytes) > bench.longest)
    good = result.good and not too_long
    refused = bool(bench.longest and way and not good)
    out = [] if refused else out
    verdict = way | good << 1 | bool(out) << 2 | too_long << 3
    shown = Beat(result.tag, False, verdict, last.id)
    return Traffic((*iv_word, *all_beats), {"m_axis": tuple(out), "m_tag": (shown,)})


def joined(parts: Sequence[Traffic]) -> Traffic:
    """The messages of `parts` one behind the other."""
    sides = parts[0].left
    return Traffic(
        tuple(b for p in parts for b in p.beats),
        {s: tuple(b for p in parts for b in p.left[s]) for s in sides},
        tuple(u for p in parts for u in p.units),
    )


def messages_of(
    bench: AxiMessageBench, p: Mapping[str, Any], key: bytes, sizes: Sequence[int], rng: np.random.Generator
) -> Traffic:
    """Random messages for the core of `bench` with parameters `p` under `key`, in its directions, as beats;
    and what the reference has. `sizes`: bytes of each message (of a data unit at least 16); `rng` makes all
    of it.
    """
    top = 1 << bench.id_bits

    def ids() -> Iterator[int]:
        while True:
            yield int(rng.integers(0, top))

    if "packet" in bench.record:
        spans = [(int(rng.integers(0, _longest(bench))) if n % 3 else 0, n) for n in sizes]
        if not bench.announces:
            return _packets(bench, p, key, spans, rng, ids)
        # Some under the key, the others each under its own.
        keys = [key if rng.integers(0, 2) else fresh_key(bench, p, rng) for _ in sizes]
        parts = [_packets(bench, p, own, [n], rng, ids) for own, n in zip(keys, spans, strict=True)]
        told = zip(parts, keys, strict=True)
        return joined([replace(part, units=(Announced(b"", key=own),)) for part, own in told])
    if "unit" in bench.record:
        units = _units(p, sizes, rng)
        keys = [key] * len(units)
        if bench.travels:  # some under the key, the others each under its own
            keys = [key if rng.integers(0, 2) else fresh_key(bench, p, rng) for _ in units]
        made = zip(units, keys, strict=True)
        return joined([_unit_beats(bench, p, own, unit, next(ids())) for unit, own in made])
    if "wide" in bench.record:
        longest = _longest(bench)
        tweaks = [rng.bytes(int(rng.integers(0, longest)) if n % 3 else 0) for n in sizes]
        ways = [bool(rng.integers(0, 2)) for _ in sizes]
        wide = [WidePacket(t, rng.bytes(n), way) for t, n, way in zip(tweaks, sizes, ways, strict=True)]
        return joined([_wide_beats(bench, p, key, packet, ids()) for packet in wide])
    return joined([_mac_beats(p, key, rng.bytes(n), bench, ids()) for n in sizes])


def _packets(
    bench: AxiMessageBench,
    p: Mapping[str, Any],
    key: bytes,
    spans: Sequence[tuple[int, int]],
    rng: np.random.Generator,
    ids: Callable[[], Iterator[int]],
) -> Traffic:
    """Random packets under a key, of so many bytes of additional data and of data each."""
    packets, results = (random_ccm if bench.lengths else random_packets)(p, rng, key, spans)
    return joined([packet_beats(bench, a, b, ids()) for a, b in zip(packets, results, strict=True)])


def _units(p: Mapping[str, Any], sizes: Sequence[int], rng: np.random.Generator) -> list[Unit]:
    """Random data units, with consecutive numbers where the core counts them."""
    whole = [max(n, 16) for n in sizes]
    if p["unit_numbers"] == "counted":
        return random_units(p, rng, whole)
    return [random_units(p, rng, [n])[0] for n in whole]


def _unit_beats(bench: AxiMessageBench, p: Mapping[str, Any], key: bytes, unit: Unit, tid: int) -> Traffic:
    """A data unit of XTS, all beats of which have one TID."""
    way = int(unit.decrypt)

    def beats(text: bytes, user: int) -> tuple[Beat, ...]:
        return tuple(_cut(text, bench.beat_bytes, user, repeat(tid)))

    out = beats(unit_result(p, key, unit), way if p["direction"] == "both" else 0)
    return Traffic(beats(unit.text, way), {"m_axis": out}, (Announced(unit.number, key=key),))


def _mac_beats(
    p: Mapping[str, Any], key: bytes, message: bytes, bench: AxiMessageBench, ids: Iterator[int]
) -> Traffic:
    """A message of CMAC."""
    size = bench.beat_bytes
    beats = tuple(_cut(message, size, 0, ids)) or (Beat(b"", True, 0, next(ids)),)
    tag = mac_tag(p, key, message)[: int(min(p["tag_bits"], p["block_bits"])) // 8]
    return Traffic(beats, {"m_axis": tuple(_cut(tag, size, 0, repeat(beats[-1].id)))})


def _wide_beats(
    bench: AxiMessageBench, p: Mapping[str, Any], key: bytes, packet: WidePacket, ids: Iterator[int]
) -> Traffic:
    """A packet of HCTR2. One whose text is shorter than a block or longer than the buffer, or whose tweak is
    longer, leaves a beat without bytes that says so.
    """
    way, size, most = int(packet.decrypt), bench.beat_bytes, bench.most_bytes
    tweak = [replace(b, last=False) for b in _cut(packet.tweak, size, way | 2, ids)]
    text = _cut(packet.text, size, way, ids) or [Beat(b"", True, way, next(ids))]
    told = repeat(text[-1].id)
    refused = not bench.word_bytes <= len(packet.text) <= most or len(packet.tweak) > most
    if refused:
        left = [Beat(b"", True, way | 2, next(told))]
    else:
        left = _cut(wide_result(p, key, packet), size, way, told)
    beats, reads = [*tweak, *text], max(bench.word_bytes // size, 1)
    # The direction is read with the first word, and beats behind it say the opposite.
    reads = min(reads, len(tweak) or reads)
    beats[reads:] = [replace(b, user=b.user ^ 1) for b in beats[reads:]]
    return Traffic(tuple(beats), {"m_axis": tuple(left)})


def play(s: AxiSession, traffic: Traffic, flow: Flow, within: Callable[[], None] | None = None) -> None:
    """Offer the messages of `traffic` in the session `s`, with the gaps and the back-pressure of `flow`,
    until what they make leave is there. `within` is called when the first beat has been taken. Raises
    CheckFailed where something else leaves.
    """
    begun = {side: len(found) for side, found in s.left.items()}
    beats, units = traffic.beats, traffic.units
    if within:
        s.play(beats[:1], {}, flow, units)
        beats, units = beats[1:], ()
        within()
    s.play(beats, {side: begun[side] + len(found) for side, found in traffic.left.items()}, flow, units)
    for side, beats in traffic.left.items():
        got = s.left[side][begun[side] :]
        if got != list(beats):
            at = next((k for k, (a, b) in enumerate(zip(got, beats, strict=False)) if a != b), len(beats))
            raise CheckFailed(f"beat {at} of {side} is not what the reference has")


def _flow(bench: AxiMessageBench, flow: Flow) -> Flow:
    """The same, with a stall in which the FIFOs of a slow core fill up, too."""
    return replace(flow, stall=max(flow.stall, _STALLED * bench.record["interval_cycles"]) * (flow.stall > 0))


def fresh_key(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> bytes:
    """A random key, drawn from `rng`, for the core of `bench` with parameters `p`; of XTS, with halves that
    differ.
    """
    size = p["key_bits"] // 8
    key = rng.bytes(2 * size if "unit" in bench.record else size)
    assert "unit" not in bench.record or len(set(halves(key))) == 2
    return key


def _check_rate(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A long message without gaps is taken at the core's rate."""
    key = fresh_key(bench, p, rng)
    traffic = messages_of(bench, p, key, [_LONG * bench.beat_bytes - 1], rng)
    with bench.session() as s:
        s.load_key(key)
        if bench.word_bytes != bench.beat_bytes:  # beats are taken before the core is ready
            s.quiet(bench.record["key_cycles"])
            s.announce(traffic.units)
            traffic = replace(traffic, units=())
        play(s, traffic, Flow())
        beats = [c for c, b in zip(s.taken, traffic.beats, strict=True) if not b.user & 4][1:]
        span, steps = beats[-1] - beats[0], len(beats) - 1
    # Of a word of several beats the first ones may come while the word before is in the core.
    parts = bench.word_bytes / bench.beat_bytes
    interval = max(bench.record["interval_cycles"], parts)
    if span > steps * interval / parts + (interval if parts > 1 else 0):
        raise CheckFailed(f"{steps + 1} beats are taken in {span + 1} cycles")


def _check_latency(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> str:
    """A message on a core at rest leaves when the record says. Of a packet that waits for its verdict only
    the tag is looked at; a loop may be late by a place. Where a beat is no word, the message is one word.
    """
    key, r = fresh_key(bench, p, rng), bench.record
    one = bench.word_bytes == bench.beat_bytes
    traffic = messages_of(bench, p, key, [2 * bench.beat_bytes if one else bench.word_bytes], rng)
    if "wide" in r:
        traffic = _wide_beats(bench, p, key, WidePacket(b"", rng.bytes(bench.word_bytes)), repeat(0))
    with bench.session() as s:
        s.load_key(key)
        s.quiet(bench.patience)
        if not one:  # a beat is taken before its number is there
            s.announce(traffic.units)
            traffic = replace(traffic, units=())
        play(s, traffic, Flow())
        first = next((k for k, b in enumerate(traffic.beats) if not b.user & 6), 0)
        begun, ended, came = s.taken[first if one else -1], s.taken[-1], s.when
    interval = r["stream"]["interval_cycles"]
    later = 0 if interval == 1 and "mac" not in r else 2 * interval
    found, said = {}, []
    if "mac" in r:
        found["tag"] = (came["m_axis"][0] - ended, r["latency_cycles"])
    elif not (bench.longest and traffic.beats[-1].user & 1) and not bench.lengths:
        found["result"] = (came["m_axis"][0] - begun, r["latency_cycles"])
    if "m_tag" in bench.sides:
        packet = r["packet"]
        least = packet.get("least_tag_latency_cycles", packet["tag_latency_cycles"])
        found["tag or verdict"] = (came["m_tag"][0] - ended, least + r["stream"]["tag_added_cycles"])
    for what, (cycles, told) in found.items():
        if not told <= cycles <= told + later:
            raise CheckFailed(f"a {what} is offered {cycles} cycles after its beat, not {told}")
        said.append(f"a {what} {cycles} cycles after its beat")
    return f"; {', '.join(said)}" if said else ""


def _check_keys(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> str:
    """A message goes under the key that was there when its first beat was taken, also where another one is
    offered at once; before the first key no beat is taken. In a loop messages behind it wait for that key; a
    pipeline may take them under the old one, so they wait here.
    """
    size, total, loop = bench.beat_bytes, 0, bench.record["interval_cycles"] > 1
    with bench.session(int(rng.integers(1, 1 << 16))) as s:
        key = fresh_key(bench, p, rng)
        if s.takes(messages_of(bench, p, key, [size], rng).beats[0]):
            raise CheckFailed("a beat is taken before there is a key")
        s.load_key(key)
        for sizes in ((1,), (4 * size, 3, 2 * size)[: 3 if loop else 1], (size,), (4 * size, 1)[: 1 + loop]):
            s.key_taken()
            following = fresh_key(bench, p, rng)
            before = messages_of(bench, p, key, sizes[:1], rng)
            given = (
                joined([before, messages_of(bench, p, following, sizes[1:], rng)]) if sizes[1:] else before
            )
            play(s, given, Flow(), within=partial(s.offer_key, following))
            key, total = following, total + len(sizes)
        s.key_taken()
    return f"; {total} messages, each under the key that was there when its first beat was taken"


def _check_breaks(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A reset, or zeroising, within messages: nothing of before leaves, and all is right after."""
    latency = bench.record["latency_cycles"]
    for when in range(_BREAKS):
        key, size = fresh_key(bench, p, rng), bench.beat_bytes
        sizes = [5 * size // 2, size, 7 * size // 3]
        with bench.session(when) as s:
            s.load_key(key)
            given = messages_of(bench, p, key, sizes, rng)
            first = given.beats[: 1 + when % len(given.beats)]
            s.play(first, {}, Flow(take=0.5 if when % 3 else 0.1), given.units)
            for _ in range(int(rng.integers(0, latency + 12))):
                s.wait()
            (s.zeroise if when % 2 else s.reset)()
            s.quiet(8)
            key = fresh_key(bench, p, rng)
            s.load_key(key)
            play(s, messages_of(bench, p, key, sizes, rng), Flow(0.8, 0.8))


def with_slot(traffic: Traffic, slot: int) -> Traffic:
    """The `traffic` of one packet of GCM, or of units of XTS, under the key of `slot`."""
    if traffic.units:
        return replace(traffic, units=tuple(replace(u, slot=slot) for u in traffic.units))
    beats = tuple(replace(b, user=b.user | slot << _SLOT) for b in traffic.beats)
    return replace(traffic, beats=beats)


def _check_two_keys(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> str:
    """Packets or units under the keys of both slots in any order, and keys that are loaded between them."""
    total, what = 0, "units" if "unit" in bench.record else "packets"
    with bench.session(int(rng.integers(1, 1 << 16))) as s:
        keys = [fresh_key(bench, p, rng) for _ in range(2)]
        for slot, key in enumerate(keys):
            s.load_key(key, slot)
        for flow in _FLOWS:
            slots = [int(n) for n in rng.integers(0, 2, _UNDER_KEY)]
            sizes = [int(n) for n in rng.integers(0, _longest(bench), _UNDER_KEY)]
            given = [
                with_slot(messages_of(bench, p, keys[slot], [n], rng), slot)
                for slot, n in zip(slots, sizes, strict=True)
            ]
            play(s, joined(given), flow)
            total += len(given)
            renewed = int(rng.integers(0, 2))
            keys[renewed] = fresh_key(bench, p, rng)
            s.load_key(keys[renewed], renewed)
        s.quiet(bench.patience)
    return f"; {total} {what} under the keys of two slots in any order"


_EDGE = 512
"""Words of a buffer up to which packets of about its depth are tried."""


def _one_way(
    bench: AxiMessageBench, p: Mapping[str, Any], key: bytes, size: int, way: int, rng: np.random.Generator
) -> Traffic:
    """A random packet of so many bytes, encrypted (`way` 0) or decrypted (1)."""
    while True:
        made = messages_of(bench, p, key, [size], rng)
        if made.beats[-1].user & 1 == way:
            return made


def _check_release(bench: AxiMessageBench, p: Mapping[str, Any], rng: np.random.Generator) -> str:
    """Packets that just fit the buffer, and that do not, between short ones, with right and wrong tags in
    both directions.
    """
    most, total, refused = bench.longest if bench.longest < _EDGE else 20, 0, 0
    size = bench.word_bytes
    sizes = [size * most, 5, size * most + 1, 1, size * (most + 40), 33, 0]
    # Results are taken more slowly than words could be, so the buffer is full.
    slow = Flow(take=0.4 / bench.record["interval_cycles"])
    with bench.session(int(rng.integers(1, 1 << 16))) as s:
        for flow in (Flow(), Flow(0.7, 0.5), Flow(stall=600), slow):
            key = fresh_key(bench, p, rng)
            s.load_key(key)
            parts = [_one_way(bench, p, key, n, way, rng) for n in sizes for way in (0, 1)]
            given = joined([parts[k] for k in rng.permutation(len(parts))])
            play(s, given, flow)
            total += len(parts)
            refused += sum(b.user & 3 == 1 for b in given.left["m_tag"])
        s.quiet(bench.patience)
    return (
        f"; {total} packets about a buffer of {bench.longest} words, {refused} of them refused, nothing of "
        "which leaves"
    )


def check_message_stream(bench: AxiMessageBench, p: Mapping[str, Any], keys: int = 6, seed: int = 5) -> str:
    """Random messages through the core `bench` with parameters `p` under `keys` keys, each with other gaps
    and back-pressure, against the reference; the rate; and resets and zeroising within messages. `seed`: of
    the random messages. What was checked, in words; raises CheckFailed.
    """
    rng, total = np.random.default_rng(seed), 0
    with bench.session(seed) as s:
        for k in range(keys):
            key = fresh_key(bench, p, rng)
            edges = sorted({0, 1, WORD_BYTES, WORD_BYTES + 1, bench.beat_bytes, bench.beat_bytes + 1})
            sizes = [*edges, *(int(n) for n in rng.integers(0, _longest(bench), _UNDER_KEY - len(edges)))]
            s.load_key(key)
            play(s, messages_of(bench, p, key, sizes, rng), _flow(bench, _FLOWS[k % len(_FLOWS)]))
            total += len(sizes)
        s.quiet(bench.patience)
    _check_rate(bench, p, rng)
    _check_breaks(bench, p, rng)
    slots = _check_two_keys(bench, p, rng) if p["key_slots"] > 1 and not bench.announces else ""
    slots += _check_release(bench, p, rng) if bench.longest else ""
    keyed = bench.ports.key_valid and "unit" not in bench.record and not bench.announces
    slots += _check_keys(bench, p, rng) if keyed and p["key_slots"] == 1 else ""
    slots += _check_latency(bench, p, rng)
    return (
        f"{total} messages under {keys} keys equal to {reference_of(p).name}, with gaps and back-pressure, "
        f"none lost; {_LONG} beats at the core's rate; resets and zeroising in {_BREAKS} cycles{slots}"
    )
