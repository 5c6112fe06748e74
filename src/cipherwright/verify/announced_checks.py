"""Checks of a core of GCM whose keys are announced: packets that change their keys, the promised rates, and
resets and zeroising around a change of key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import CheckFailed
from .announced_keys import AnnouncedBench, AnnouncedSession, KeyedPacket
from .gcm import random_packets
from .packets import PacketResult
from .reference import reference_of

__all__ = ["check_announced_keys", "check_cuts"]

_KEYS = (1, 2, 4)
"""Different keys of packets one behind the other."""

_PACKETS = 8
"""Packets for each of these, at each pace."""

_LONG = 2000
"""Bytes of the first of them: while it goes on, keys are announced as far ahead as they can be."""

_PACED = 4
"""Packets whose first words are timed."""

_LOAD = 2
"""Cycles of a load in which no word is taken."""


def check_announced_keys(
    bench: AnnouncedBench, p: Mapping[str, Any], cuts: Sequence[int] | None = None, seed: int = 11
) -> str:
    """Packets through the core `bench` with parameters `p`, each under its own key, of one to four that are
    nearly the same: in runs of three under one of them, back to back, and in any order, with gaps; the
    promised rates; and resets and zeroising about a change of key. `cuts`: as the cycles of `check_cuts`,
    some if there are none named; `seed`: of the random traffic. What was checked, in words; raises
    CheckFailed.
    """
    rng, total = np.random.default_rng(seed), 0
    for different in _KEYS:
        keys = _close_keys(rng, bench.key_bytes, different)
        for gaps, key_gaps in ((0.0, 0.0), (0.3, 0.02)):
            random, runs = rng.integers(0, different, _PACKETS), np.arange(_PACKETS) // 3 % different
            turns = [keys[int(k)] for k in (random if gaps else runs)]
            sizes = [(int(a), int(n)) for a, n in rng.integers(0, (40, 260), (_PACKETS, 2))]
            sizes[0] = (0, _LONG)
            packets, want = _keyed(p, rng, turns, sizes)
            with bench.session(seed) as s:
                s.traffic(packets, gaps, key_gaps)
                _compare(s, p, want)
            total += _PACKETS
    return (
        f"{total} packets, each under a key that was announced, some resident; "
        f"{_check_paces(bench, p, rng)}; {check_cuts(bench, p, _cuts(bench) if cuts is None else cuts)}"
    )


def _cuts(bench: AnnouncedBench) -> list[int]:
    """Cycles from taking a key to a reset or zeroising: within its comparison, at the answer, and about its
    load.
    """
    load = int(bench.record["packet"]["load_cycles"])
    return [0, 1, 6, 7, 8, load - 1, load, load + 1]


def check_cuts(bench: AnnouncedBench, p: Mapping[str, Any], cycles: Sequence[int], seed: int = 5) -> str:
    """One cycle of reset, or of zeroising, in the core `bench` with parameters `p`, so many `cycles` (one
    after the other) after a key is taken that is not resident, while results of packets before leave: nothing
    of before leaves after it, no key is resident any more, and the next packets are right. `seed`: of the
    random traffic. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    key = rng.bytes(bench.key_bytes)
    with bench.session(seed) as s:
        for k, cycle in enumerate(cycles):
            for port in (bench.ports.reset, bench.ports.zeroise):
                packets, _ = _keyed(p, rng, [key], [(3, 20)])
                s.traffic(packets, rest=bench.change // 2)
                another = rng.bytes(bench.key_bytes)
                s.cut_short(port, another, cycle)
                key = key if k & 1 else another
                packets, want = _keyed(p, rng, [key, key], [(3, 20), (0, 16)])
                s.traffic(packets, rest=bench.change // 2)
                _compare(s, p, want)
    return f"resets and zeroising in {len(cycles)} cycles about a change of key"


def _close_keys(rng: np.random.Generator, size: int, count: int) -> list[bytes]:
    """Keys that differ in one bit from the first one, each in another."""
    first, bits = rng.bytes(size), rng.choice(8 * size, count, replace=False)
    flipped = [int.from_bytes(first, "big") ^ 1 << int(b) for b in bits]
    return [first, *(k.to_bytes(size, "big") for k in flipped)][:count]


def _compare(s: AnnouncedSession, p: Mapping[str, Any], want: Sequence[PacketResult]) -> None:
    if s.finish() != want:
        raise CheckFailed(f"a packet under its own key differs from {reference_of(p).name}")


def _keyed(
    p: Mapping[str, Any], rng: np.random.Generator, keys: Sequence[bytes], sizes: Sequence[tuple[int, int]]
) -> tuple[list[KeyedPacket], list[PacketResult]]:
    """Random packets, each under a key, with so many bytes of additional data and of data."""
    made = [random_packets(p, rng, key, [size]) for key, size in zip(keys, sizes, strict=True)]
    return [(key, a[0]) for key, (a, _) in zip(keys, made, strict=True)], [r for _, w in made for r in w]


def _check_paces(bench: AnnouncedBench, p: Mapping[str, Any], rng: np.random.Generator) -> str:
    """Packets under new keys: short ones begin every `key_change_cycles`, and longer ones one behind the
    other, with two cycles for a load. Under one key every `announce_cycles`, or one behind the other. And the
    time from a key to its packet's first word in a core at rest.
    """
    fresh = [rng.bytes(bench.key_bytes) for _ in range(_PACED)]
    same, change, pace = fresh[:1] * 10, bench.change, bench.pace
    for keys, words, cycles in (
        (fresh, 1, change),
        (fresh, change, change + 1 + _LOAD),
        (same, 1, pace),
        (same, pace, pace + 1),
    ):
        packets, want = _keyed(p, rng, keys, [(0, 16 * words)] * len(keys))
        with bench.session() as s:
            s.traffic(packets)
            begun, first = np.diff(s.begun)[-2:], s.begun[0] - s.announced[0]
            if set(begun) != {cycles}:
                raise CheckFailed(f"packets of {words} words begin every {set(begun)} cycles, not {cycles}")
            if first != bench.record["key_cycles"]:
                raise CheckFailed(f"a first word is taken {first} cycles after its key")
            _compare(s, p, want)
    return f"a change of key in {change} cycles, none lost but {_LOAD} where packets are as long"
