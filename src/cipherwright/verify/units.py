"""Data units through a simulated core of XTS, cycle by cycle: every result leaves in the promised place and
cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..cipher.xts import number_after
from ..errors import CheckFailed
from ..shell import WORD_BYTES, keep_of, words_of
from .message_bench import MessageBench, MessageSession
from .simulate import Words

__all__ = ["Pauses", "SlotLoad", "Unit", "UnitBench", "UnitSession"]

_PATIENCE = 64
"""Cycles beside the core's latencies in which something that is offered is taken."""

_TO_REST = 3
"""Cycles from the first in which a unit number is taken to the first in which the core is not busy with the
key.
"""

_SETTLES = 2
"""Cycles from the first in which a key is offered for a slot until no number under that slot is taken."""

_ENDS = 0.2
"""How probable it is that a run of units ends although the next number is consecutive."""

_DRAWN = 1 << 10
"""Rows of random inputs that are made at a time."""

_Row = NDArray[np.uint8]


@dataclass(frozen=True)
class Unit:
    """What a core is given: a unit's `number` (16 bytes) and its bytes in `text`, which are ciphertext where
    `decrypt` is set. key: of this unit alone, where keys come with unit numbers (empty: the key of all).
    """

    number: bytes
    text: bytes
    decrypt: bool = False
    key: bytes = b""

    @property
    def words(self) -> list[bytes]:
        """Its words of 16 bytes, the last one shorter where the unit is no whole number of them."""
        return words_of(self.text)


@dataclass(frozen=True)
class Pauses:
    """How probable a pause of one to `longest` cycles is before a word (`word`) and before a number
    (`number`).
    """

    word: float = 0.0
    number: float = 0.0
    longest: int = 12


@dataclass(frozen=True)
class SlotLoad:
    """A `key` for a `slot` of a core with two resident keys, which is offered when so many units were
    announced (`after`).
    """

    key: bytes
    slot: int
    after: int


@dataclass(frozen=True)
class _Due:
    """A result that must come: of which unit, at which of its words, how many bytes, in the cycles from
    `first` to `last`.
    """

    unit: int
    place: int
    size: int
    first: int
    last: int
    ends: bool


@dataclass
class _Offers:
    """Rows of inputs that are offered one after the other, each after a pause."""

    rows: Sequence[_Row]
    pauses: Sequence[int]
    taken: list[int] = field(default_factory=list)
    wait: int = -1

    @property
    def left(self) -> bool:
        return len(self.taken) < len(self.rows)

    def offered(self) -> _Row | None:
        """What is offered in this cycle."""
        if not self.left:
            return None
        if self.wait < 0:
            self.wait = self.pauses[len(self.taken)]
        if self.wait:
            self.wait -= 1
            return None
        return self.rows[len(self.taken)]

    def take(self, cycle: int) -> None:
        """What is offered was taken."""
        self.taken.append(cycle)
        self.wait = -1


class UnitSession(MessageSession):
    """One model of the core `bench`, from its reset on; `rng`: of its random values. It raises CheckFailed
    where something is not taken that should be, or where something leaves that should not.
    """

    bench: UnitBench

    def __init__(self, bench: UnitBench, rng: np.random.Generator) -> None:
        self._drawn: Iterator[_Row] = iter(())
        self.slot = 1
        self.key = b""
        super().__init__(bench, rng)

    def _forget(self) -> None:
        self.due: list[_Due] = []
        self.late: list[_Due] = []
        self.found: list[list[bytes]] = []
        self.begun = 0

    def idle(self, cycles: int) -> Words:
        """As of all messages, for so many `cycles`; rows are drawn ahead, so they have the inputs that stay
        as they are.
        """
        return self._hold(super().idle(cycles))

    def _row(self) -> _Row:
        for row in self._drawn:
            return row
        self._drawn = iter(self.idle(_DRAWN))
        return next(self._drawn)

    def run(self, rows: Words) -> Words:
        """The outputs of as many cycles as there are `rows` of inputs; each result is compared with what is
        then due.
        """
        out = self.model.run(rows)
        valid = out[:, self.bench.place(self.bench.ports.valid_out)]
        for at in np.flatnonzero(valid):
            self._take(self.cycle + int(at), out[at : at + 1])
        self.cycle += len(rows)
        return out

    def _take(self, cycle: int, row: Words) -> None:
        """A result that leaves. Raises CheckFailed where it is not due."""
        b, s = self.bench, self.bench.simulation
        late = bool(s.view(row, b.unit["late"])[0, 0])
        queue = self.late if late else self.due
        if not queue:
            raise CheckFailed(f"a {'late ' * late}result leaves in cycle {cycle}, and none is due")
        d = queue.pop(0)
        if not d.first <= cycle <= d.last:
            raise CheckFailed(
                f"unit {d.unit}: a {'late ' * late}result leaves in cycle {cycle}, not {d.first}"
            )
        block = s.view(row, b.ports.block_out)[0, ::-1].tobytes()
        keep = int.from_bytes(s.view(row, b.unit["keep_out"])[0].tobytes(), "little")
        ends = bool(s.view(row, b.unit["last_out"])[0, 0])
        if keep != keep_of(d.size) or (ends != d.ends and not late) or any(block[d.size :]):
            raise CheckFailed(f"unit {d.unit}: a result has other bytes, or another end, than its word")
        self.found[d.unit][d.place] = block[: d.size]

    def reset(self) -> None:
        """One cycle of reset, after which nothing of before may leave."""
        rows = self.idle(1)
        b = self.bench
        b.simulation.view(rows, b.ports.reset)[0, 0] = b.held.get(b.ports.reset, 1)
        self.model.run(rows)
        self.cycle += 1
        self._forget()

    def zeroise(self) -> None:
        """One cycle of the port for it, after which nothing of before may leave."""
        rows = self.idle(1)
        self.bench.simulation.view(rows, self.bench.ports.zeroise)[0, 0] = 1
        self.model.run(rows)
        self.cycle += 1
        self._forget()

    def with_key(self, rows: Words, key: bytes) -> Words:
        """`rows` with `key` offered in all cycles (changed in place), where two are resident for the slot
        that is in use.
        """
        b = self.bench
        if b.slots > 1:
            b.simulation.view(rows, b.unit["load_slot"])[:, 0] = self.slot
        return super().with_key(rows, key)

    def load_key(self, key: bytes) -> None:
        """Offer `key` until it is taken, which must not be before all results are out; wait until a unit
        number is taken. Where two keys are resident, one slot after the other is used. Where keys come with
        unit numbers, it is that of the units to come.
        """
        b, s = self.bench, self.bench.simulation
        if b.travels:
            self.key = key
            return
        self._take_key(key)
        ready = b.record["key_cycles"] - 1
        seen = self.run(self.idle(ready + _TO_REST))
        room, busy = s.view(seen, b.unit["unit_ready"])[:, 0], s.view(seen, b.ports.busy)[:, 0]
        # With two keys a number is taken after its slot was read, so none without a number.
        taken = room[:ready].any() or bool(room[ready]) != (b.slots == 1)
        if taken or not busy[:ready].all() or busy[-1]:
            raise CheckFailed(f"a key is not ready after exactly {b.record['key_cycles']} cycles")

    def _take_key(self, key: bytes) -> None:
        """Offer `key`, for the other slot where there are two, until it is taken."""
        b = self.bench
        self.slot = (self.slot + 1) % b.slots
        for _ in range(b.record["zeroise_cycles"] + b.late_latency):
            out = self.run(self.with_key(self.idle(1), key))
            if b.bit(out, b.ports.key_ready):
                break
        else:
            raise CheckFailed("a key is not taken")
        if self.due or self.late:
            raise CheckFailed("a key is taken before all units that were announced are out")

    def refuses(self, key: bytes) -> bool:
        """Whether no unit number is taken under `key`: it is offered until it is taken, and then a number for
        more than the cycles after which it would be.
        """
        b = self.bench
        self._take_key(key)
        numbers, _ = self._offers([Unit(bytes(WORD_BYTES), bytes(WORD_BYTES))], Pauses())
        rows = self.idle(2 * b.record["key_cycles"] + _PATIENCE)
        rows[:, b.number_places] = numbers.rows[0][b.number_places]
        return not b.simulation.view(self.run(rows), b.unit["unit_ready"]).any()

    def play(self, units: Sequence[Unit], pauses: Pauses = Pauses(), after: bytes = b"") -> int:
        """Announce and offer `units`, one behind the other with `pauses`, until the last word is taken;
        returns the cycles from the first word to the last. after: a key that is offered from the last
        announcement on, and must wait (b"": none).
        """
        numbers, words = self._offers(units, pauses)
        sizes = self._awaited(units)
        limit = self.bench.late_latency + self.bench.record["latency_cycles"] + _PATIENCE
        last = self.cycle
        while words.left:
            moved = self._cycle(numbers, words, after)
            if moved:
                self._expect(words.taken, sizes)
            if moved or words.wait > 0 or numbers.wait > 0:
                last = self.cycle
            if self.cycle - last > limit:
                raise CheckFailed("a word or a unit number is not taken")
        return words.taken[-1] - words.taken[0] + 1

    def _awaited(self, units: Sequence[Unit]) -> list[tuple[int, int, bytes, Unit]]:
        """Room for the results of these units; every word with its unit's number, its place and its unit."""
        begun = len(self.found)
        self.found += [[b""] * len(u.words) for u in units]
        return [(begun + k, place, w, u) for k, u in enumerate(units) for place, w in enumerate(u.words)]

    def traffic(
        self,
        units: Sequence[Unit],
        slots: Sequence[int],
        loads: Sequence[SlotLoad],
        pauses: Pauses = Pauses(),
    ) -> int:
        """Offer `units` under two resident keys, each with its slot in `slots`, and meanwhile the keys in
        `loads`, in their order, with `pauses`, until the last word and the last key are taken; returns the
        cycles from the first word to the last. Raises CheckFailed where a key is taken while a unit under its
        slot is in flight, or something is not taken.
        """
        b = self.bench
        numbers, words = self._offers(units, pauses, slots)
        sizes, waiting, offered = self._awaited(units), list(loads), 0
        begun = len(self.found) - len(units)
        limit = 2 * b.late_latency + b.record["latency_cycles"] + b.record["key_cycles"] + _PATIENCE
        last = self.cycle
        while words.left or waiting:
            load = waiting[0] if waiting and len(numbers.taken) >= waiting[0].after else None
            row = self._offered(numbers, words)
            if load:
                self.slot = load.slot
                self._with_load(row, load, offered < _SETTLES, slots[len(numbers.taken) :])
                offered += 1
            moved, keyed = self._moved(row, numbers, words, sizes)
            if keyed:
                if not load or self._in_flight(begun, slots[: len(numbers.taken)], load.slot, words, sizes):
                    raise CheckFailed("a key is taken while a unit under its slot is in flight")
                waiting.pop(0)
                offered = 0
            if moved or keyed or words.wait > 0 or numbers.wait > 0:
                last = self.cycle
            if self.cycle - last > limit:
                raise CheckFailed("a word, a unit number or a key is not taken")
        return words.taken[-1] - words.taken[0] + 1

    def _with_load(self, row: Words, load: SlotLoad, fresh: bool, slots: Sequence[int]) -> None:
        """A cycle with a key on offer. fresh: it has just been, so no number under its slot is offered: it
        could be taken before the key. slots: of the units to come.
        """
        self.with_key(row, load.key)
        if fresh and slots and slots[0] == load.slot:
            self.bench.simulation.view(row, self.bench.unit["unit_valid"])[:] = 0

    def _moved(
        self, row: Words, numbers: _Offers, words: _Offers, sizes: Sequence[tuple[int, int, bytes, Unit]]
    ) -> tuple[bool, bool]:
        """One cycle of `traffic`: whether a number or a word was taken, and whether a key was."""
        b, now, out = self.bench, self.cycle, self.run(row)
        number = b.bit(row, b.unit["unit_valid"]) and b.bit(out, b.unit["unit_ready"])
        word = b.bit(row, b.ports.valid_in) and b.bit(out, b.ports.ready_out)
        if number:
            numbers.take(now)
        if word:
            words.take(now)
            self._expect(words.taken, sizes)
        return number or word, b.bit(out, b.ports.key_ready)

    def _in_flight(
        self,
        begun: int,
        announced: Sequence[int],
        slot: int,
        words: _Offers,
        sizes: Sequence[tuple[int, int, bytes, Unit]],
    ) -> bool:
        """Whether a unit under the slot was announced, and one of its words was not taken or its result is
        not out. begun: the number of the first unit of `announced`, whose slots these are.
        """
        left = {sizes[k][0] for k in range(len(words.taken), len(sizes))}
        left |= {d.unit for d in (*self.due, *self.late)}
        return any(begun + k in left for k, of in enumerate(announced) if of == slot)

    def begin(self, key: bytes, units: Sequence[Unit], cycles: int) -> None:
        """So many `cycles` in which `key` and then `units` are offered, whose results nobody reads."""
        b = self.bench
        self.key, keyed = key, b.travels
        numbers, words = self._offers(units, Pauses())
        for _ in range(cycles):
            row = self._offered(numbers, words)
            out = self.model.run(row if keyed else self.with_key(row, key))
            keyed = keyed or b.bit(out, b.ports.key_ready)
            for offers, valid, ready in (
                (numbers, b.unit["unit_valid"], b.unit["unit_ready"]),
                (words, b.ports.valid_in, b.ports.ready_out),
            ):
                if b.bit(row, valid) and b.bit(out, ready):
                    offers.take(self.cycle)
            self.cycle += 1

    def _drawn_pauses(self, count: int, chance: float, pauses: Pauses) -> Sequence[int]:
        if not chance:
            return [0] * count
        some = self.rng.integers(1, pauses.longest + 1, count) * (self.rng.random(count) < chance)
        return [int(x) for x in some]

    def _offers(
        self, units: Sequence[Unit], pauses: Pauses, slots: Sequence[int] = ()
    ) -> tuple[_Offers, _Offers]:
        """The numbers and the words of units. slots: of their keys, where that is not the same for all."""
        slots = slots or [self.slot] * len(units)
        runs = list(self._runs(units))
        words = [self._word(u, w, k == len(u.words) - 1) for u in units for k, w in enumerate(u.words)]
        return (
            _Offers(
                [self._number(run, slot) for run, slot in zip(runs, slots, strict=False)],
                self._drawn_pauses(len(runs), pauses.number, pauses),
            ),
            _Offers(words, self._drawn_pauses(len(words), pauses.word, pauses)),
        )

    def _offered(self, numbers: _Offers, words: _Offers) -> Words:
        """A cycle with what is offered of both."""
        b = self.bench
        row = self._row()
        for offered, places in ((numbers.offered(), b.number_places), (words.offered(), b.word_places)):
            if offered is not None:
                row[places] = offered[places]
        return row.reshape(1, -1)

    def _cycle(self, numbers: _Offers, words: _Offers, after: bytes) -> bool:
        """One cycle; whether a word was taken."""
        b = self.bench
        row = self._offered(numbers, words)
        number, word = b.bit(row, b.unit["unit_valid"]), b.bit(row, b.ports.valid_in)
        if after and not numbers.left and not b.travels:
            self.with_key(row, after)
        now, out = self.cycle, self.run(row)
        if number and b.bit(out, b.unit["unit_ready"]):
            numbers.take(now)
        if not b.travels and b.bit(out, b.ports.key_ready):
            raise CheckFailed("a key is taken before all units that were announced are out")
        if word and b.bit(out, b.ports.ready_out):
            words.take(now)
            return True
        return False

    def _expect(self, taken: Sequence[int], sizes: Sequence[tuple[int, int, bytes, Unit]]) -> None:
        """The word that was taken last makes results due: that of the word before, and its own where it is
        its unit's last.
        """
        b = self.bench
        latency, now = b.record["latency_cycles"], taken[-1]
        unit, place, word, of = sizes[len(taken) - 1]
        ends = place == len(of.words) - 1
        if place and len(word) < WORD_BYTES:
            at = now + latency - 1
            self.due.append(_Due(unit, place, len(word), at, at, True))
            first, last = now + b.least_late_latency, now + b.late_latency
            self.late.append(_Due(unit, place - 1, WORD_BYTES, first, last, False))
            return
        if place:
            at = now + latency - 1
            self.due.append(_Due(unit, place - 1, WORD_BYTES, at, at, False))
        if ends:
            self.due.append(_Due(unit, place, WORD_BYTES, now + latency, now + b.longest_latency, True))

    def _runs(self, units: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
        """Units that are announced together: one, or where the core counts, some with consecutive numbers."""
        begin = 0
        for k, unit in enumerate(units[1:], 1):
            before = units[k - 1]
            follows = self.bench.counts and unit.number == number_after(before.number, 1)
            follows = follows and unit.key == before.key
            if not follows or self.rng.random() < _ENDS:
                yield units[begin:k]
                begin = k
        if units:
            yield units[begin:]

    def _number(self, run: Sequence[Unit], slot: int) -> _Row:
        """An announcement at its ports, with the slot of its key."""
        b, s = self.bench, self.bench.simulation
        row, unit = s.rows(1), run[0]
        if b.counts:
            more = (len(run) - 1).to_bytes(4, "little")
            s.view(row, b.unit["unit_more"])[:] = np.frombuffer(more, dtype=np.uint8)
        if b.slots > 1:
            s.view(row, b.unit["key_slot"])[:] = slot
        if b.travels:
            s.view(row, b.ports.key)[:] = np.frombuffer((unit.key or self.key)[::-1], dtype=np.uint8)
        s.view(row, b.unit["unit_valid"])[:] = 1
        s.view(row, b.unit["unit"])[:] = np.frombuffer(unit.number[::-1], dtype=np.uint8)
        return row.reshape(-1)

    def _word(self, unit: Unit, word: bytes, last: bool) -> _Row:
        """A word at its ports; bytes that are not there have any value."""
        b, s = self.bench, self.bench.simulation
        row = s.rows(1)
        filled = word + self.rng.bytes(WORD_BYTES - len(word))
        s.view(row, b.ports.valid_in)[:] = 1
        s.view(row, b.ports.block_in)[:] = np.frombuffer(filled[::-1], dtype=np.uint8)
        keep = keep_of(len(word))
        s.view(row, b.unit["keep_in"])[:] = np.frombuffer(keep.to_bytes(2, "little"), dtype=np.uint8)
        s.view(row, b.unit["last_in"])[:] = last
        if b.ports.decrypt:
            s.view(row, b.ports.decrypt)[:] = unit.decrypt
        return row.reshape(-1)

    def finish(self) -> list[bytes]:
        """Wait for the last result; the results of all units since the reset, in the order of their bytes."""
        b = self.bench
        out = self.run(self.idle(b.record["zeroise_cycles"]))
        if self.due or self.late:
            raise CheckFailed(f"{len(self.due) + len(self.late)} results do not come")
        if b.simulation.view(out, b.ports.busy)[-1, 0]:
            raise CheckFailed("the core is busy after its last result")
        found = [b"".join(words) for words in self.found]
        self._forget()
        return found


@dataclass(frozen=True)
class UnitBench(MessageBench):
    """A compiled core of XTS with its record."""

    @cached_property
    def unit(self) -> Mapping[str, str]:
        """What a port of a unit is for -> its name."""
        ports: Mapping[str, str] = self.record["unit"]["ports"]
        return ports

    @property
    def late_latency(self) -> int:
        """The most cycles from a short word to the late result of its unit."""
        return int(self.record["unit"]["late_latency_cycles"])

    @property
    def least_late_latency(self) -> int:
        """The least cycles from a short word to the late result of its unit."""
        return int(self.record["unit"].get("least_late_latency_cycles", self.late_latency - 1))

    @property
    def longest_latency(self) -> int:
        """The most cycles from a unit's last word, where that is whole, to its result."""
        return int(self.record["unit"].get("longest_latency_cycles", self.record["latency_cycles"]))

    @property
    def counts(self) -> bool:
        """Whether the core counts the numbers of a run of units."""
        return "unit_more" in self.unit

    @property
    def slots(self) -> int:
        """Keys that are resident."""
        return 2 if "key_slot" in self.unit else 1

    @property
    def travels(self) -> bool:
        """Whether a key comes with every unit number, or with every run of them."""
        return not self.ports.key_valid

    @cached_property
    def number_places(self) -> NDArray[np.int64]:
        """The bytes of a row that are offered with a unit number."""
        more = [self.unit[n] for n in ("unit_more", "key_slot") if n in self.unit]
        more += [self.ports.key] if self.travels else []
        return self._places(self.unit["unit_valid"], self.unit["unit"], *more)

    @cached_property
    def word_places(self) -> NDArray[np.int64]:
        """The bytes of a row that are offered with a word."""
        p, u = self.ports, self.unit
        decrypt = [p.decrypt] if p.decrypt else []
        return self._places(p.valid_in, p.block_in, u["keep_in"], u["last_in"], *decrypt)

    def _places(self, *names: str) -> NDArray[np.int64]:
        ports = [self.simulation.port(n) for n in names]
        return np.concatenate([np.arange(p.offset, p.offset + -(-p.width // 8)) for p in ports])

    def place(self, name: str) -> int:
        """The byte of a row in which the port `name` begins."""
        return self._offsets[name]

    def bit(self, rows: Words, name: str) -> bool:
        """The port `name`, of one bit, in the first of `rows`."""
        return bool(rows[0, self._offsets[name]])

    @cached_property
    def _offsets(self) -> Mapping[str, int]:
        return {p.name: p.offset for p in (*self.simulation.inputs, *self.simulation.outputs)}

    @property
    def controls(self) -> frozenset[str]:
        """Inputs that make something happen."""
        return super().controls | {self.unit["unit_valid"]}

    @property
    def announcing(self) -> tuple[str, ...]:
        """Outputs that are 0 while the core has no key and nothing is in flight."""
        p = self.ports
        numbers = () if self.travels else (self.unit["unit_ready"],)
        return p.valid_out, p.ready_out, *numbers, p.busy

    def session(self, seed: int = 1) -> UnitSession:
        """A model of its own, just reset; `seed`: of its random pauses."""
        return UnitSession(self, np.random.default_rng(seed))

    def crypt(self, key: bytes, units: Sequence[Unit]) -> list[bytes]:
        """What the core makes of `units` under `key`, as fast as it takes them."""
        with self.session() as s:
            s.load_key(key)
            s.play(units)
            return s.finish()
