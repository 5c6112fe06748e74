"""Checks of a core of XTS: published units, random ones against an independent library, resets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..cipher.modes import ways
from ..cipher.xts import BLOCK_BYTES, halves, number_after, times_alpha, xts
from ..errors import CheckFailed, NotChecked
from .oracle import oracle_xts
from .reference import Reference, reference_of
from .units import Pauses, SlotLoad, Unit, UnitBench, UnitSession
from .vectors import own_vectors

__all__ = [
    "check_distinct_halves",
    "check_unit_keys",
    "check_unit_resets",
    "check_unit_slots",
    "check_unit_zeroising",
    "check_units",
    "published_units",
    "random_units",
    "unit_result",
    "unit_results",
]

_LENGTHS = range(16, 301)
"""Bytes of random units."""

_UNDER_KEY = 24
"""Random units under one key, on average."""

_AHEAD = 36
"""Units under the first key: far more than are announced ahead."""

_SHORT = (*[16] * 8, *[17, 16] * 4, *[31, 33, 17, 48] * 4)
"""Bytes of units of one to three words, one behind the other."""

_PAUSES = (Pauses(word=0.5), Pauses(), Pauses(number=0.6, longest=60), Pauses(0.1, 0.3))
"""Pauses under one key after the other."""

_RESETS = 48
"""Resets in as many cycles."""

_OWN_KEYS = 200
"""Random units, each under a key of its own."""

_UNDER_TWO = 160
"""Random units under two resident keys."""

_LOADS = 9
"""Keys that are loaded meanwhile."""

_ZEROISINGS = 12
"""Zeroising in so many cycles, one after the other: a few units of three words have their tweak in them."""


def unit_result(p: Mapping[str, Any], key: bytes, unit: Unit) -> bytes:
    """What `unit` becomes under `key`, or its own key, by the reference of a core with parameters `p`: by a
    library's own XTS where it has one, otherwise by the mode's definition (IEEE 1619) around the library's
    cipher.
    """
    return unit_results(p, unit.key or key, [unit])[0]


def unit_results(p: Mapping[str, Any], key: bytes, units: Sequence[Unit]) -> list[bytes]:
    """As `unit_result`, of many `units` under one `key`, for a core with parameters `p`; keys of their own do
    not count here.
    """
    reference = reference_of(p)
    if reference.library:
        made = [oracle_xts(reference.library, key, u.number, u.text, u.decrypt) for u in units]
        if None not in made:
            return [m for m in made if m is not None]
    first, second = (_Known(reference, half) for half in halves(key))
    second.learn([u.number for u in units], False)
    for way in (False, True):
        first.learn([b for u in units if u.decrypt == way for b in _blocks_of(u, second)], way)
    return [xts(first, second, u.number, u.text, u.decrypt) for u in units]


@dataclass(frozen=True)
class _Known:
    """The cipher under a key, which has the results of many blocks at once."""

    reference: Reference
    key: bytes
    known: dict[tuple[bytes, bool], bytes] = field(default_factory=dict)

    def learn(self, blocks: Sequence[bytes], decrypt: bool) -> None:
        """Blocks that will be asked for."""
        made = self.reference.bulk(self.key, b"".join(blocks), decrypt) if blocks else b""
        for k, block in enumerate(blocks):
            self.known[block, decrypt] = made[k * BLOCK_BYTES : (k + 1) * BLOCK_BYTES]

    def __call__(self, block: bytes, decrypt: bool) -> bytes:
        done = self.known.get((block, decrypt))
        return self.reference.bulk(self.key, block, decrypt) if done is None else done


def _blocks_of(unit: Unit, tweaks: _Known) -> Iterator[bytes]:
    """What goes through the cipher of a unit, but for the bytes that are stolen."""
    tweak = int.from_bytes(tweaks(unit.number, False), "big")
    for at in range(0, len(unit.text) - BLOCK_BYTES + 1, BLOCK_BYTES):
        block = int.from_bytes(unit.text[at : at + BLOCK_BYTES], "big")
        yield (block ^ tweak).to_bytes(BLOCK_BYTES, "big")
        tweak = int.from_bytes(times_alpha(tweak.to_bytes(BLOCK_BYTES, "big")), "big")


def published_units(bench: UnitBench, p: Mapping[str, Any]) -> str:
    """Published units through the core `bench` with parameters `p`, in every direction of the core. What was
    checked, in words. Raises CheckFailed with a unit that differs, NotChecked where there are none.
    """
    found = [v for v in own_vectors(p["cipher"], "xts") if len(v.key) == bench.key_bytes]
    if not found or p["rounds"] is not None:
        raise NotChecked(
            f"the repository has no published units of this cipher with two {p['key_bits']}-bit keys"
        )
    for v in found:
        if p["distinct_halves"] and len(set(halves(v.key))) == 1:
            continue
        given = {0: (v.pt, v.ct), 1: (v.ct, v.pt)}
        chosen = [given[way] for way in ways(p["direction"])]
        units = [
            Unit(v.iv, text, way == 1) for way, (text, _) in zip(ways(p["direction"]), chosen, strict=True)
        ]
        if bench.crypt(v.key, units) != [want for _, want in chosen]:
            raise CheckFailed(f"known answer not met: key {v.key.hex()}, unit {v.iv.hex()} ({v.source})")
    return f"{len(found)} published units{', encrypted and decrypted' * (p['direction'] == 'both')}"


def random_units(p: Mapping[str, Any], rng: np.random.Generator, sizes: Sequence[int]) -> list[Unit]:
    """Random units for a core with parameters `p`, of so many bytes each (`sizes`), with consecutive numbers
    that carry, in the core's directions; `rng` makes all of it.
    """
    start = b"\xff" * int(rng.integers(0, 16))
    start += rng.bytes(16 - len(start))
    return [
        Unit(number_after(start, k), rng.bytes(n), bool(rng.choice(ways(p["direction"]))))
        for k, n in enumerate(sizes)
    ]


def check_units(bench: UnitBench, p: Mapping[str, Any], count: int, seed: int = 7) -> str:
    """At least `count` random units through the core `bench` with parameters `p`, back to back and with
    pauses before words and before numbers, under keys that change, in the core's directions, against the
    reference. Lengths go through all from 16 to 300 bytes, in random order. Of a pipeline with held keys, the
    cycles of units of 512 and of 520 bytes are counted. `seed`: of the random units. What was checked, in
    words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    rounds = -(-count // len(_LENGTHS))
    sizes = [int(_LENGTHS[k]) for _ in range(rounds) for k in rng.permutation(len(_LENGTHS))][:count]
    sizes[count // 2 : count // 2] = 4 * _SHORT
    total, keys, begin = 0, 0, 0
    with bench.session(seed) as s:
        key = rng.bytes(bench.key_bytes)
        s.load_key(key)
        while begin < len(sizes):
            some = sizes[begin : begin + (int(rng.integers(1, 2 * _UNDER_KEY)) if begin else _AHEAD)]
            begin += len(some)
            units, after = random_units(p, rng, some), rng.bytes(bench.key_bytes)
            s.play(units, _PAUSES[keys % len(_PAUSES)], after if keys % 2 else b"")
            _compare(p, key, units, s.finish())
            s.load_key(after)
            key, total, keys = after, total + len(units), keys + 1
    said = f"{total} units of 16 to 300 bytes under {keys} keys, back to back and with pauses"
    if p["architecture"] != "pipelined" or bench.travels:
        return said
    for size in _PACED_SIZES:
        _check_rate(bench, p, rng, size)
    return f"{said}; units of {' and '.join(map(str, _PACED_SIZES))} bytes take n + 1 cycles for n blocks"


def _compare(p: Mapping[str, Any], key: bytes, units: Sequence[Unit], found: Sequence[bytes]) -> None:
    for unit, made in zip(units, found, strict=True):
        if made != unit_result(p, key, unit):
            way = "decrypted" if unit.decrypt else "encrypted"
            raise CheckFailed(
                f"a unit of {len(unit.text)} bytes, {way}, differs from {reference_of(p).name} "
                f"(key {(unit.key or key).hex()}, number {unit.number.hex()})"
            )


def check_unit_keys(bench: UnitBench, p: Mapping[str, Any], seed: int = 5) -> str:
    """Random units through the core `bench` with parameters `p`, whose keys come with unit numbers, each
    under a key of its own, back to back and with pauses, against the reference. Where the core counts
    numbers, some units are of one run. `seed`: of the random units. What was checked, in words.

    Raises CheckFailed where a result is wrong, or where a change of key takes a cycle: whole units one behind
    the other take a cycle for each word and one for each unit.
    """
    rng = np.random.default_rng(seed)
    for pauses in (Pauses(), Pauses(word=0.3, number=0.3, longest=40)):
        with bench.session(seed) as s:
            sizes = [int(n) for n in rng.choice((16, 17, 31, 32, 48, 100), _OWN_KEYS)]
            keys = [rng.bytes(bench.key_bytes) for _ in range(_OWN_KEYS)]
            if bench.counts:  # a run has one key
                keys = [keys[k - k % 3] for k in range(_OWN_KEYS)]
            units = random_units(p, rng, sizes)
            units = [replace(u, key=key) for u, key in zip(units, keys, strict=True)]
            s.play(units, pauses)
            _compare(p, b"", units, s.finish())
    _check_rate(bench, p, rng, _PACED_BYTES)
    return f"{2 * _OWN_KEYS} units, each under a key of its own, and none takes a cycle for it"


_PACED = 40
"""Units whose cycles are counted."""

_PACED_BYTES = 128
"""Bytes of such a unit that has a key of its own."""

_PACED_SIZES = (512, 520)
"""Bytes of such units under one key: of whole blocks, and of blocks with a stolen one."""


def _check_rate(bench: UnitBench, p: Mapping[str, Any], rng: np.random.Generator, size: int) -> None:
    """Units of `size` bytes, under one key, or each under its own where keys come with units, take n + 1
    cycles for n blocks, of which the last may be short.
    """
    units = random_units(p, rng, [size] * _PACED)
    if bench.travels:
        units = [replace(u, key=rng.bytes(bench.key_bytes)) for u in units]
    with bench.session() as s:
        if not bench.travels:
            s.load_key(rng.bytes(bench.key_bytes))
        cycles = s.play(units)
        s.finish()
    blocks = -(-size // 16)
    if cycles > _PACED * (blocks + 1):
        raise CheckFailed(
            f"{_PACED} units of {size} bytes take {cycles} cycles, not {blocks + 1} each at most"
        )


_EQUAL = 3
"""Keys whose halves are equal."""


def check_distinct_halves(bench: UnitBench, p: Mapping[str, Any], seed: int = 17) -> str:
    """Keys of the core `bench` with parameters `p` whose halves differ in one bit, for every bit: units go
    under them. Keys whose halves are equal: no unit number is taken. `seed`: of the random halves. What was
    checked, in words; raises CheckFailed.
    """
    rng, size = np.random.default_rng(seed), bench.key_bytes // 2
    with bench.session(seed) as s:
        for bit in range(8 * size):
            half = rng.bytes(size)
            other = (int.from_bytes(half, "big") ^ 1 << bit).to_bytes(size, "big")
            s.load_key(half + other)
            if bench.slots > 1:  # a number is read with its slot, so a key is not seen to be ready
                s.traffic(random_units(p, rng, [16]), [s.slot], ())
        s.finish()
        for _ in range(_EQUAL):
            half = rng.bytes(size)
            if not s.refuses(half + half):
                raise CheckFailed("a unit number is taken under a key whose halves are equal")
    return (
        f"no unit goes under {_EQUAL} keys with equal halves; under halves that differ in one of {8 * size} "
        "bits units go"
    )


def check_unit_slots(bench: UnitBench, p: Mapping[str, Any], seed: int = 5) -> str:
    """Random units through the core `bench` with parameters `p` under two resident keys, mixed one by one,
    while keys are loaded into either slot, back to back and with pauses, against the reference. `seed`: of
    the random units. What was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    for pauses in (Pauses(), Pauses(word=0.3, number=0.3, longest=40)):
        with bench.session(seed) as s:
            resident = [rng.bytes(bench.key_bytes), rng.bytes(bench.key_bytes)]
            for key in resident:
                s.load_key(key)
            sizes = [int(n) for n in rng.choice((16, 17, 31, 32, 48, 100), _UNDER_TWO)]
            units = random_units(p, rng, sizes)
            slots = [int(x) for x in rng.integers(0, 2, _UNDER_TWO)]
            places = np.sort(rng.choice(_UNDER_TWO, _LOADS, replace=False))
            loads = [SlotLoad(rng.bytes(bench.key_bytes), int(rng.integers(0, 2)), int(at)) for at in places]
            s.traffic(units, slots, loads, pauses)
            for k, (unit, slot, made) in enumerate(zip(units, slots, s.finish(), strict=True)):
                for load in loads:
                    if load.after == k:
                        resident[load.slot] = load.key
                _compare(p, resident[slot], [unit], [made])
    return f"{2 * _UNDER_TWO} units under two resident keys, while {2 * _LOADS} keys are loaded"


def check_unit_resets(bench: UnitBench, p: Mapping[str, Any], seed: int = 11) -> str:
    """A reset of the core `bench` with parameters `p` at any time, and zeroising in cycles one after the
    other: nothing of before leaves, and the next key and units are right. `seed`: of the random units. What
    was checked, in words; raises CheckFailed.
    """
    rng = np.random.default_rng(seed)
    span = bench.record["key_cycles"] + bench.late_latency + bench.record["latency_cycles"]
    for when in [int(x) for x in np.linspace(1, span, _RESETS)]:
        with bench.session(when) as s:
            s.begin(rng.bytes(bench.key_bytes), random_units(p, rng, [40] * 60), when)
            s.reset()
            quiet = s.run(s.idle(bench.late_latency + 4))
            if any(bench.simulation.view(quiet, n).any() for n in bench.announcing):
                raise CheckFailed(f"after a reset in cycle {when} the core shows something of before")
            _starts_anew(s, p, rng)
    check_unit_zeroising(bench, p, seed)
    return (
        f"resets in {_RESETS} cycles, within keys and units, and zeroising in {_ZEROISINGS} cycles: nothing "
        "of before leaves, and all is right after"
    )


def check_unit_zeroising(bench: UnitBench, p: Mapping[str, Any], seed: int = 11) -> None:
    """Zeroising of the core `bench` with parameters `p` without a reset, in each of some cycles in which
    units are announced and tweaks are made. In the cycle after it a number is offered, which may still be
    taken and must be forgotten. `seed`: of the random units.

    Raises CheckFailed where something of before leaves, or a unit after it is wrong.
    """
    rng = np.random.default_rng(seed)
    busy = bench.record["key_cycles"] + bench.late_latency
    with bench.session(seed) as s:
        for when in range(busy, busy + _ZEROISINGS):
            s.begin(rng.bytes(bench.key_bytes), random_units(p, rng, [40] * 60), when)
            s.zeroise()
            rows = s.idle(bench.record["zeroise_cycles"])
            bench.simulation.view(rows, bench.unit["unit_valid"])[0] = 1
            quiet = s.run(rows)
            shown = [n for n in bench.announcing if n not in (bench.ports.busy, bench.unit["unit_ready"])]
            later = bench.simulation.view(quiet, bench.unit["unit_ready"])[1:]
            # Where keys come with numbers, these are taken as soon as the core has forgotten.
            late = later.any() and not bench.travels
            if late or any(bench.simulation.view(quiet, n).any() for n in shown):
                raise CheckFailed(f"zeroised in cycle {when}, the core shows something of before")
            _starts_anew(s, p, rng)


def _starts_anew(s: UnitSession, p: Mapping[str, Any], rng: np.random.Generator) -> None:
    """A new key and three units, which must be right. Raises CheckFailed where they are not."""
    key, units = rng.bytes(s.bench.key_bytes), random_units(p, rng, (45, 16, 33))
    s.load_key(key)
    s.play(units)
    _compare(p, key, units, s.finish())
