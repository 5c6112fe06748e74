"""Beats through a simulated core of messages behind AXI-Stream, with gaps and under back-pressure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..cipher.xts import number_after
from ..errors import CheckFailed
from ..shell import PortSet, bus_length_ports
from .simulate import Model, Simulation, compile_simulation

__all__ = ["Announced", "AxiMessageBench", "AxiSession", "Beat", "Flow"]

_KEY, _RESULT, _TAG = "key", "m_axis", "m_tag"
_BUSES = ("s_axil_", "s_apb_", "wb_")
"""Ports of register buses, over which nothing comes unless it is driven."""
_MORE, _SLOT, _UNIT_SLOT = "unit_more_i", "load_slot_i", "key_slot_i"
_FOLLOWS = 0.8
"""How probable it is that a unit whose number is consecutive is of the run before it."""
_Row = NDArray[np.uint8]


@dataclass(frozen=True)
class Beat:
    """A beat of AXI-Stream. data: the bytes that count, the first at the least significant byte of TDATA;
    last: TLAST; user, id: TUSER and TID, 0 where a side has none. given: ports beside TDATA and their values
    as bytes, the first of which is the most significant. keep: TKEEP of a beat that is offered, where it is
    not that of `data` (None: it is).
    """

    data: bytes
    last: bool = False
    user: int = 0
    id: int = 0
    given: Mapping[str, bytes] = field(default_factory=dict, compare=False)
    keep: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Announced:
    """A unit's `number` (16 bytes), the `slot` of its key, how many units follow it with the next numbers
    (`more`), and its `key`, where that comes with it. Where keys are announced for packets: a packet's `key`.
    """

    number: bytes
    slot: int = 0
    more: int = 0
    key: bytes = b""


@dataclass(frozen=True)
class Flow:
    """How probable it is in a cycle that a beat is offered (`offer`), and that a result is taken (`take`).
    stall: cycles in which no result is taken at all, from the first beat on.
    """

    offer: float = 1.0
    take: float = 1.0
    stall: int = 0


@dataclass(frozen=True)
class AxiMessageBench:
    """A compiled core of messages (`simulation`) with its `record`, at its AXI-Stream ports."""

    simulation: Simulation
    record: Mapping[str, Any]
    held: Mapping[str, int] = field(default_factory=dict)
    """Inputs that stay as they are, whatever is driven: those that a test puts in."""

    @classmethod
    def compile(cls, sources: Sequence[Path], record: Mapping[str, Any]) -> Self:
        """The core of `record` in the files `sources`, compiled. Raises as `compile_simulation`."""
        return cls(compile_simulation(sources, record["top"], record["ports"]["clk"]), record)

    @cached_property
    def ports(self) -> PortSet:
        """The core's ports by meaning."""
        return PortSet(**self.record["ports"])

    @cached_property
    def names(self) -> frozenset[str]:
        """All ports."""
        return frozenset(p.name for p in (*self.simulation.inputs, *self.simulation.outputs))

    @cached_property
    def quiet(self) -> frozenset[str]:
        """Inputs that are 0 where nothing is offered and nothing is taken."""
        p, buses = self.ports, (name for name in self.names if name.startswith(_BUSES))
        ready = (f"{s}_tready" for s in self.sides)
        return frozenset((p.reset, p.zeroise, p.valid_in, p.key_valid, "unit_valid_i", *ready, *buses))

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """The streams that leave."""
        return tuple(s for s in (_RESULT, _TAG) if f"{s}_tvalid" in self.names)

    @property
    def beat_bytes(self) -> int:
        """Bytes of a beat, or of a word where words are registers."""
        if "s_axis_tdata" not in self.names:
            return self.word_bytes
        return self.simulation.port("s_axis_tdata").width // 8

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of a message, which is a beat, a whole number of beats, or a whole part of one."""
        p = self.record["parameters"]
        return int(p["block_bits"] // 8 * p.get("lanes", 1))

    @property
    def travels(self) -> bool:
        """Whether a key comes with every unit number, or with every run of them."""
        return not (self.ports.key_valid or self.record.get("bus"))

    @property
    def announces(self) -> bool:
        """Whether every packet's key is announced."""
        return "key_change_cycles" in (self.record.get("packet") or {})

    @property
    def id_bits(self) -> int:
        """Bits of TID (0: there is none)."""
        return int(self.record["parameters"]["tid_bits"])

    @cached_property
    def lengths(self) -> tuple[str, ...]:
        """Ports of the bytes of additional data and of data, where a packet's first beat brings them."""
        return bus_length_ports((self.record.get("packet") or {}).get("ports") or {})

    @property
    def longest(self) -> int:
        """Words of data of the longest packet that waits for its verdict (0: none waits)."""
        release = (self.record.get("packet") or {}).get("release") or {}
        return int(release.get("longest_packet_words", 0))

    @property
    def most_bytes(self) -> int:
        """Bytes of the longest text of HCTR2, and of the longest tweak (0: it is another mode)."""
        return int((self.record.get("wide") or {}).get("message_bytes", 0))

    @cached_property
    def patience(self) -> int:
        """Cycles in which something happens, as long as results are taken."""
        r = self.record
        tags = (r.get("packet") or {}).get("tag_latency_cycles", 0)
        late = (r.get("unit") or {}).get("late_latency_cycles", 0)
        mac = (r.get("mac") or {}).get("longest_latency_cycles", 0)
        first = (r.get("packet") or {}).get("initial_block_cycles", 0)
        powers = (r.get("packet") or {}).get("power_cycles", 0)
        if wide := r.get("wide"):  # a text goes through the core twice behind its last word
            powers += wide["setup_cycles"] + 2 * self.most_bytes // self.word_bytes * r["interval_cycles"]
        return int(4 * (r["latency_cycles"] + r["interval_cycles"] + tags + late + mac + first) + powers + 64)

    def session(self, seed: int = 1) -> AxiSession:
        """A model of its own, just reset; `seed`: of its random gaps and values."""
        return AxiSession(self, np.random.default_rng(seed))


class AxiSession:
    """One model of the core of `bench`, from its reset on, closed at the end of a `with`; `rng`: of its gaps
    and random values. `left`: beats of each stream that left, and `when`, in which cycles; `taken`: cycles in
    which beats were taken; `cycle`: how many have been run.
    """

    def __init__(self, bench: AxiMessageBench, rng: np.random.Generator) -> None:
        self.bench, self.rng, self.cycle = bench, rng, 0
        self.model = Model(bench.simulation)
        self.left: dict[str, list[Beat]] = {s: [] for s in bench.sides}
        self.when: dict[str, list[int]] = {s: [] for s in bench.sides}
        self.taken: list[int] = []
        self._held: dict[str, bytes] = {}
        self._driven: dict[str, int] = {}
        self.reset()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self.model.close()

    def _put(self, row: _Row, name: str, value: int) -> None:
        view = self.bench.simulation.view(row, name)
        view[0] = np.frombuffer(value.to_bytes(view.shape[1], "little"), dtype=np.uint8)

    def _get(self, row: _Row, name: str) -> int:
        return int.from_bytes(self.bench.simulation.view(row, name)[0].tobytes(), "little")

    def _idle(self) -> _Row:
        """A cycle in which nothing is offered and nothing is taken; payload has any value."""
        row = self.bench.simulation.any_rows(self.rng, 1, self.bench.quiet)
        for name, value in {**self._driven, **self.bench.held}.items():
            self._put(row, name, value)
        return row

    def _run(self, row: _Row) -> _Row:
        """One cycle. Raises CheckFailed where an offer that was not taken before has changed or gone, other
        than by an asynchronous reset, which takes it back in its own cycle.
        """
        at_once = self.bench.record["parameters"]["reset"] == "async"
        cleared = at_once and self._get(row, self.bench.ports.reset) == 1
        out = self.model.run(row)
        self.cycle += 1
        if self._driven and self._get(out, self.bench.ports.key_ready):
            self._driven.clear()
        for s in self.bench.sides:
            shown = self._beat_bytes(out, s) if self._get(out, f"{s}_tvalid") else b""
            if s in self._held and shown != self._held[s] and not (cleared and not shown):
                raise CheckFailed(f"an offer at {s} changes before it is taken")
            takes = bool(self._get(row, f"{s}_tready"))
            self._held.pop(s, None)
            if shown and takes:
                self.left[s].append(self._beat(out, s))
                self.when[s].append(self.cycle)
            elif shown:
                self._held[s] = shown
        ports = self.bench.ports
        if self._get(row, ports.reset) or (ports.zeroise and self._get(row, ports.zeroise)):
            self._held.clear()
        return out

    def _beat_bytes(self, out: _Row, side: str) -> bytes:
        names = (f"{side}_{n}" for n in ("tdata", "tkeep", "tlast", "tuser", "tid"))
        return b"".join(
            self.bench.simulation.view(out, n)[0].tobytes() for n in names if n in self.bench.names
        )

    def _beat(self, out: _Row, side: str) -> Beat:
        """What leaves. Raises CheckFailed where TKEEP has a gap, or a byte beside it is not 0."""
        names, data = self.bench.names, self.bench.simulation.view(out, f"{side}_tdata")[0].tobytes()
        count = len(data)
        if f"{side}_tkeep" in names:
            keep = self._get(out, f"{side}_tkeep")
            count = keep.bit_count()
            if keep != (1 << count) - 1 or any(data[count:]):
                raise CheckFailed(f"{side} shows a byte that is not there, or leaves a gap")

        def value(what: str) -> int:
            name = f"{side}_{what}"
            return self._get(out, name) if name in names else 0

        return Beat(data[:count], bool(value("tlast")), value("tuser"), value("tid"))

    def _pulse(self, name: str) -> None:
        row = self._idle()
        self._put(row, name, 1)
        self._run(row)
        self.forget()

    def forget(self) -> None:
        """What left before, and what is offered, does not count any more."""
        self._held.clear()
        for side in self.bench.sides:
            self.left[side].clear()
            self.when[side].clear()
        self.taken.clear()

    def reset(self) -> None:
        """One cycle of reset, after which nothing of before may leave."""
        self._pulse(self.bench.ports.reset)

    def zeroise(self) -> None:
        """One cycle of zeroising, after which nothing of before may leave."""
        self._pulse(self.bench.ports.zeroise)

    def wait(self) -> None:
        """A cycle in which nothing is offered, and nothing is taken."""
        self._run(self._idle())

    def quiet(self, cycles: int) -> None:
        """Raise CheckFailed where something leaves in so many `cycles`, in each of which everything would be
        taken.
        """
        row, before = self._idle(), sum(map(len, self.left.values()))
        for s in self.bench.sides:
            self._put(row, f"{s}_tready", 1)
        for _ in range(cycles):
            self._run(row)
        if sum(map(len, self.left.values())) != before:
            raise CheckFailed("something leaves that nobody asked for")

    def offer_key(self, key: bytes, slot: int = 0) -> None:
        """Offer `key` beside all that is done from now on, until it is taken. `slot`: which it is for, where
        two are resident.
        """
        ports = self.bench.ports
        self._driven |= {ports.key_valid: 1, ports.key: int.from_bytes(key, "big")}
        if _SLOT in self.bench.names:
            self._driven[_SLOT] = slot

    @property
    def offers_key(self) -> bool:
        """Whether a key that was offered has not been taken yet."""
        return bool(self._driven)

    def key_taken(self) -> None:
        """Wait until the key that is offered, if there is one, has been taken. Raises CheckFailed where it is
        not.
        """
        for _ in range(self.bench.record["zeroise_cycles"] + self.bench.patience):
            if not self.offers_key:
                return
            self.wait()
        raise CheckFailed("a key that is offered is not taken")

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Offer `key` (byte 0 of the standard first) until it is taken. `slot`: which it is for, where two
        are resident. Nothing where keys come with unit numbers or packets. Where a beat is no word, a key
        waits for what is in front of the core, so results are taken meanwhile. Raises CheckFailed where it is
        not taken.
        """
        b, row = self.bench, self._idle()
        if b.travels or b.announces:
            return
        if b.beat_bytes != b.word_bytes:
            for side in b.sides:
                self._put(row, f"{side}_tready", 1)
        self._put(row, b.ports.key_valid, 1)
        self._put(row, b.ports.key, int.from_bytes(key, "big"))
        if _SLOT in b.names:
            self._put(row, _SLOT, slot)
        for _ in range(b.record["zeroise_cycles"] + b.patience):
            if self._get(self._run(row), b.ports.key_ready):
                self._driven.clear()
                return
        raise CheckFailed("a key that is offered is not taken")

    def _offer(self, beat: Beat) -> _Row:
        """A cycle in which a beat is offered; bytes that are not there have any value."""
        row = self._idle()
        self._put(row, "s_axis_tvalid", 1)
        filled = beat.data + self.rng.bytes(self.bench.beat_bytes - len(beat.data))
        self._put(row, "s_axis_tdata", int.from_bytes(filled, "little"))
        self._put(row, "s_axis_tkeep", (1 << len(beat.data)) - 1 if beat.keep is None else beat.keep)
        self._put(row, "s_axis_tlast", beat.last)
        for name, value in (("s_axis_tuser", beat.user), ("s_axis_tid", beat.id)):
            if name in self.bench.names:
                self._put(row, name, value)
        for name, text in beat.given.items():
            self._put(row, name, int.from_bytes(text, "big"))
        return row

    def _with_key(self, offered: _Row) -> _Row:
        """The cycle `offered` with the key that is offered now, if one is."""
        row = offered.copy()
        if self.bench.ports.key_valid:
            self._put(row, self.bench.ports.key_valid, 0)
        for name, value in self._driven.items():
            self._put(row, name, value)
        return row

    def _runs(self, units: Sequence[Announced]) -> list[Announced]:
        """Units as they are announced: each alone, or with those that have the next numbers. Keys of packets
        are announced one by one.
        """
        if self.bench.announces:
            return list(units)
        runs = list[Announced]()
        for unit in units:
            before = runs[-1] if runs else None
            follows = before is not None and number_after(before.number, before.more + 1) == unit.number
            follows = follows and before is not None and before.key == unit.key
            if before and follows and self.rng.random() < _FOLLOWS and _MORE in self.bench.names:
                runs[-1] = replace(before, more=before.more + 1)
            else:
                runs.append(unit)
        return runs

    def _announce(self, row: _Row, run: Announced) -> None:
        """Announce a packet's key, a unit's number, or a run of them."""
        if self.bench.announces:
            self._put(row, self.bench.ports.key_valid, 1)
            self._put(row, self.bench.ports.key, int.from_bytes(run.key, "big"))
            return
        self._put(row, "unit_valid_i", 1)
        self._put(row, "unit_i", int.from_bytes(run.number, "big"))
        for name, value in ((_MORE, run.more), (_UNIT_SLOT, run.slot)):
            if name in self.bench.names:
                self._put(row, name, value)
        if self.bench.travels:
            self._put(row, self.bench.ports.key, int.from_bytes(run.key, "big"))

    def takes(self, beat: Beat) -> bool:
        """Whether `beat` is taken within a few cycles, in which it is offered."""
        row = self._offer(beat)
        return any(self._get(self._run(row), "s_axis_tready") for _ in range(self.bench.patience))

    def announce(self, units: Sequence[Announced]) -> None:
        """Announce `units`, or the keys of packets, with no beat, and wait until the core has worked on them.
        Raises CheckFailed where one is not taken.
        """
        taken = self.bench.ports.key_ready if self.bench.announces else "unit_ready_o"
        for run in self._runs(units):
            row = self._idle()
            self._announce(row, run)
            if not any(self._get(self._run(row), taken) for _ in range(self.bench.patience)):
                raise CheckFailed("what is announced is not taken")
        self.quiet(self.bench.patience)

    def play(
        self, beats: Sequence[Beat], expected: Mapping[str, int], flow: Flow, units: Sequence[Announced] = ()
    ) -> None:
        """Offer `beats`, and announce `units`, as runs where the core counts, or the keys of packets, until
        so many beats of each stream, `expected`, left; `flow`: gaps and back-pressure. A beat that is offered
        stays until it is taken. Raises CheckFailed where that does not end.
        """
        at = number = waited = 0
        offered: _Row | None = None
        began, runs = self.cycle, self._runs(units)
        taken = self.bench.ports.key_ready if self.bench.announces else "unit_ready_o"
        while at < len(beats) or any(len(self.left[s]) < n for s, n in expected.items()):
            if at < len(beats) and offered is None and self.rng.random() < flow.offer:
                offered = self._offer(beats[at])
            row = self._idle() if offered is None else self._with_key(offered)
            stalled = self.cycle - began < flow.stall
            for s in self.bench.sides:
                self._put(row, f"{s}_tready", int(not stalled and self.rng.random() < flow.take))
            if number < len(runs):
                self._announce(row, runs[number])
            before = sum(map(len, self.left.values())) + at
            out = self._run(row)
            if number < len(runs) and self._get(out, taken):
                number += 1
            if offered is not None and self._get(out, "s_axis_tready"):
                self.taken.append(self.cycle)
                at, offered = at + 1, None
            moved = sum(map(len, self.left.values())) + at > before
            waited = 0 if moved or stalled else waited + 1
            if waited > self.bench.patience / min(flow.offer, flow.take) + self.bench.record["key_cycles"]:
                raise CheckFailed(f"beat {at} is not taken, or a result does not leave")
