"""The protocol of a core under traffic, in simulation: resets, keys that are offered while blocks come,
zeroising, a stream that is full.

A scoreboard follows every handshake, cycle by cycle: what is taken comes out once, in order, right under
the key that was complete when it was taken, and nothing else comes out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cipher.modes import counted_bits, mode_block, next_counter
from ..errors import CheckFailed, NotChecked
from ..shell import PortSet
from .drive import Bench
from .reference import reference_of
from .simulate import Model, Simulation

__all__ = ["Bus", "Seen", "check_handshake", "traffic"]

Rows = NDArray[np.uint8]

_ABSENT = {
    "reset": 0,
    "valid_in": 0,
    "valid_out": 0,
    "key_valid": 0,
    "iv_valid": 0,
    "zeroise": 0,
    "busy": 0,
    "decrypt": 0,
}
"""What a port that there is not would show, where that is not 1."""


@dataclass
class Seen:
    """What happened: how many blocks `left`, how many of them are `wrong`, cycles in which a key was `taken`,
    and `faults`, promises that were not kept, in words.
    """

    left: int = 0
    wrong: int = 0
    taken: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lost: int = 0
    """Blocks that were accepted and have not left at the end."""


class Bus:
    """A compiled core (`simulation`), with its ports by meaning from its `record`. Every block of a chained
    mode is the first of a message.
    """

    def __init__(self, simulation: Simulation, record: Mapping[str, Any]) -> None:
        self.ports, self.p, self.record = PortSet(**record["ports"]), record["parameters"], record
        self.simulation, self.reference = simulation, reference_of(record["parameters"])

    @property
    def length(self) -> int:
        """Cycles in which a core has taken its key and counter block and given results."""
        r = self.record
        return int(r["key_cycles"]) + 2 * int(r["latency_cycles"]) + (90 if self.ports.iv_valid else 40)

    def rows(self, cycles: int, seed: int, take: float = 1.0) -> Rows:
        """Rows of `cycles` in which blocks are offered most of the time, each with a key, direction and
        counter block of its own, and results are taken in a part `take` of them; nothing else. `seed`: of the
        random values. A key that is held at its port, without a handshake, is always the same.
        """
        rng, s, p = np.random.default_rng(seed), self.simulation, self.ports
        rows = s.rows(cycles)
        for name in filter(None, (p.key, p.block_in, p.iv)):
            view = s.view(rows, name)
            view[:] = rng.integers(0, 256, view.shape, dtype=np.uint8)
        for name, often in ((p.valid_in, 0.9), (p.decrypt, 0.5), (p.first, 1.0), (p.ready_in, take)):
            if name:
                s.view(rows, name)[:, 0] = rng.random(cycles) < often
        if self.p["key"] == "static" and self.p["key_expansion"] != "unit":
            if not p.key_valid:
                s.view(rows, p.key)[:] = 0x3C
            self.put(rows, p.decrypt, slice(None), int(self.p["direction"] == "decrypt"))
        return rows

    def put(self, rows: Rows, name: str, cycles: int | slice | list[int], value: int = 1) -> None:
        """Set the port `name`, of one bit, to `value` in some `cycles` of `rows`; nothing where the core has
        no such port (`name` is "").
        """
        if name:
            self.simulation.view(rows, name)[cycles, 0] = value

    def model(self) -> Model:
        """The core from power-up on. Where it announces room, a block comes only where it is taken, as a bus
        does it.
        """
        p = self.ports
        return Model(self.simulation, (p.valid_in, p.ready_out) if p.early else None)

    def run(self, rows: Rows) -> Rows:
        """Outputs from power-up on, for `rows` of inputs."""
        model = self.model()
        out = model.run(rows)
        model.close()
        return out

    @cached_property
    def _inputs(self) -> set[str]:
        return {p.name for p in self.simulation.inputs}

    def column(self, rows: Rows, out: Rows, meaning: str) -> NDArray[np.uint8]:
        """A port of one bit, by its `meaning` in `PortSet`, in each cycle of the inputs `rows` and the
        outputs `out`. Of a port that there is not, what it would show.
        """
        name = getattr(self.ports, meaning)
        if not name:
            return np.full(len(rows), _ABSENT.get(meaning, 1), dtype=np.uint8)
        return self.simulation.view(rows if name in self._inputs else out, name)[:, 0]

    def _result(self, key: bytes, block: bytes, link: bytes, decrypt: int) -> bytes:
        """What the core must give for a block."""
        p, size = self.p, len(block)
        back = p["direction"] == "decrypt" or (p["direction"] == "both" and bool(decrypt))

        def crypt(word: int, decrypts: bool) -> int:
            return int.from_bytes(self.reference.bulk(key, word.to_bytes(size, "big"), decrypts), "big")

        number = int.from_bytes(block, "big")
        done = (
            crypt(number, back)
            if p["mode"] == "ecb"
            else mode_block(p["mode"], back, crypt, int.from_bytes(link, "big"), number)[0]
        )
        return done.to_bytes(size, "big")

    def result(self, key: bytes, blocks: bytes, link: bytes, decrypt: int) -> tuple[bytes, bytes]:
        """What the core must give under `key` for a block in each lane, in `blocks`, the first lane's first,
        and the counter block after the last one, where `link` is one; else `link`, which is what the blocks
        are chained to. `decrypt`: what that port says, which counts where the core has both directions.
        """
        lanes, result = int(self.p["lanes"]), b""
        size, counted = len(blocks) // lanes, counted_bits(self.p["counter_bits"], self.p["block_bits"])
        for lane in range(lanes):
            result += self._result(key, blocks[size * lane :][:size], link, decrypt)
            if self.ports.iv_valid:
                link = next_counter(int.from_bytes(link, "big"), counted).to_bytes(len(link), "big")
        return result, link

    def watch(self, rows: Rows, out: Rows) -> Seen:
        """Follow every handshake in the inputs `rows` and the outputs `out`, in order. The run begins with a
        reset.
        """
        board = _Scoreboard(self, rows, out)
        for t in range(len(rows)):
            board.cycle(t)
        board.seen.lost = len(board.flight)
        return board.seen


_WATCHED = (
    "reset",
    "valid_in",
    "ready_out",
    "valid_out",
    "ready_in",
    "key_valid",
    "key_ready",
    "iv_valid",
    "iv_ready",
    "zeroise",
    "busy",
    "decrypt",
)


class _Scoreboard:
    """What a core must do, followed cycle by cycle: the results of the blocks in flight, the key and the
    counter block that it holds (empty: none), and what was seen.
    """

    def __init__(self, bus: Bus, rows: Rows, out: Rows) -> None:
        ports, view = bus.ports, bus.simulation.view
        self.bus, self.seen = bus, Seen()
        self.columns = {name: bus.column(rows, out, name) for name in _WATCHED}
        self.keys, self.blocks = view(rows, ports.key)[:, ::-1], view(rows, ports.block_in)[:, ::-1]
        self.results = view(out, ports.block_out)[:, ::-1]
        self.ivs = view(rows, ports.iv)[:, ::-1] if ports.iv else self.keys
        self.held, self.lead = bool(ports.key_valid), int(bus.p["key_lead"])
        self.flight: deque[bytes] = deque()
        self.key = self.count = b""

    def cycle(self, t: int) -> None:
        """What happens in a cycle."""
        if self._on(t, "reset"):
            self._clear()
            return
        if self._on(t, "valid_out", "ready_in"):
            self._leave(t)
        if self.held and not self.bus.ports.ready_in:
            self._check_busy(t)
        if self._on(t, "valid_in", "ready_out"):
            self._accept(t)
        if self._on(t, "key_valid", "key_ready"):
            self._take_key(t)
        if self._on(t, "iv_valid", "iv_ready"):
            self.count = self.ivs[t].tobytes()
        if self._on(t, "zeroise"):
            self._clear()

    def _on(self, t: int, *names: str) -> bool:
        """Whether all these ports are 1."""
        return all(self.columns[name][t] for name in names)

    def _fault(self, t: int, what: str) -> None:
        self.seen.faults.append(f"cycle {t}: {what}")

    def _clear(self) -> None:
        self.flight.clear()
        self.key = self.count = b""

    def _leave(self, t: int) -> None:
        """A result is taken."""
        if not self.flight:
            self._fault(t, "a result of no block")
            return
        self.seen.left += 1
        self.seen.wrong += self.flight.popleft() != self.results[t].tobytes()

    def _check_busy(self, t: int) -> None:
        if self.flight and not self._on(t, "busy") and not self._on(t, "valid_out"):
            self._fault(t, "not busy with a block in flight")

    def _accept(self, t: int) -> None:
        """A block is accepted."""
        key = self.key if self.held else self.keys[t - self.lead].tobytes()
        if not key or (self.bus.ports.iv_valid and not self.count):
            self._fault(t, "a block is accepted without a key or a counter block")
            return
        block, way = self.blocks[t].tobytes(), int(self.columns["decrypt"][t])
        result, after = self.bus.result(key, block, self.count or self.ivs[t].tobytes(), way)
        self.count = self.count and after
        self.flight.append(result)

    def _take_key(self, t: int) -> None:
        """A key is taken."""
        if self.flight and not self.bus.ports.ready_in:
            self._fault(t, f"a key is taken with {len(self.flight)} blocks in flight")
        self.key = self.keys[t].tobytes()
        self.seen.taken.append(t)


def traffic(bus: Bus, cycles: int, seed: int) -> Rows:
    """Rows of `cycles` at the ports of `bus`: blocks most of the time; a key, and later a counter block,
    offered until they must have been taken, in some runs not at once. `seed`: of the random values, and of
    when that begins.
    """
    rows, begin = bus.rows(cycles, seed, 0.8), seed % 4 * 3
    bus.put(rows, bus.ports.key_valid, slice(begin, begin + 5))
    bus.put(rows, bus.ports.iv_valid, slice(begin, begin + 1))
    return rows


class _Run:
    """A run that goes on row by row, from a reset."""

    def __init__(self, bus: Bus) -> None:
        self.bus, self.model = bus, bus.model()
        start = bus.rows(1, 0)
        bus.put(start, bus.ports.reset, 0)
        self.rows, self.out = [start], [self.model.run(start)]

    def go(self, rows: Rows) -> Rows:
        self.rows.append(rows)
        self.out.append(self.model.run(rows))
        return self.out[-1]

    def until(self, rows: Rows, meaning: str) -> int:
        """Rows until an output of one bit is 1 (that row was run), or -1 after all of them."""
        for t in range(len(rows)):
            if self.bus.column(rows[t : t + 1], self.go(rows[t : t + 1]), meaning)[0]:
                return t
        return -1

    def seen(self, what: str) -> Seen:
        """What the run showed, from its start. Raises CheckFailed where that is not right."""
        self.model.close()
        seen = self.bus.watch(np.vstack(self.rows), np.vstack(self.out))
        if seen.faults:
            raise CheckFailed(f"{what}: {seen.faults[0]}")
        if seen.wrong:
            raise CheckFailed(f"{what}: {seen.wrong} of {seen.left} results are wrong")
        return seen


_RESETS, _KEYS, _FILLS, _MOST_PLACES = 16, 6, 24, 1100
"""Resets in a run, keys under traffic, times that a stream is filled, and more places than a stream has."""


def _resets(bus: Bus) -> int:
    run, last = _Run(bus), bus.length
    for k in range(_RESETS):
        n = k + 1 if k < _RESETS // 2 else last * (k + 1) // _RESETS
        rows = traffic(bus, n, k)
        if k % 2:  # results wait when the reset comes
            bus.put(
                rows, bus.ports.ready_in, slice(max(0, n - int(bus.record["latency_cycles"]) - 20), None), 0
            )
        bus.put(rows, bus.ports.reset, n - 1)
        run.go(rows)
    run.go(traffic(bus, last, 4))
    seen = run.seen("after one cycle of reset")
    if not seen.left:
        raise CheckFailed("after one cycle of reset: no result comes out")
    return seen.left


def _keys(bus: Bus) -> int:
    """Keys offered at distances that grow by a cycle while blocks are offered all the time, each until it
    is taken; between, one that is withdrawn.
    """
    run, ports, most = _Run(bus), bus.ports, int(bus.record["latency_cycles"]) + 40
    most += int(bus.record.get("key_cycles", 0))
    if ports.ready_in:
        most += 2 * most
    for n in range(_KEYS):
        rows = bus.rows(most, 10 + n)
        bus.put(rows, ports.key_valid, slice(None))
        if n == 2:  # offered for as long as it is not taken, then withdrawn
            rows = rows[:1]
        bus.simulation.view(rows, ports.key)[:] = bus.simulation.view(rows, ports.key)[0]
        if run.until(rows, "key_ready") < 0 and n != 2:
            raise CheckFailed(f"a key that is offered for {most} cycles while blocks come is not taken")
        rows = bus.rows(int(bus.record["key_cycles"]) + 20 + n, 20 + n)
        bus.put(rows, ports.iv_valid, slice(None))
        run.go(rows)
    run.go(bus.rows(bus.length, 30))
    seen = run.seen("keys under traffic")
    if seen.left < _KEYS:
        raise CheckFailed("keys under traffic: results are missing")
    return len(seen.taken)


def _zeroise(bus: Bus) -> int:
    """zeroise_i while a key is expanded, under traffic and at rest: everything of before is dropped, and
    after the promised cycles a key is taken.
    """
    ports, limit, at = (
        bus.ports,
        int(bus.record["zeroise_cycles"]),
        (3, int(bus.record["key_cycles"]) - 2, bus.length - 30, bus.length),
    )
    run = _Run(bus)
    for k, n in enumerate(at):
        rows = traffic(bus, n + 1, 4 * k)
        bus.put(rows, ports.iv_valid, slice(None))
        bus.put(rows, ports.zeroise, n)
        run.go(rows)
        rows, offered = bus.rows(limit + 1, 50 + k), k % 2
        bus.put(rows, ports.key_valid, slice(None), offered)
        out = run.go(rows)
        busy, ready = (
            bus.column(rows, out, "busy").astype(bool),
            bus.column(rows, out, "key_ready").astype(bool),
        )
        end = len(busy) if busy.all() else int(busy.argmin())
        if end > limit or end < limit * 3 // 4:
            raise CheckFailed(f"zeroising: busy_o is 1 for {end} cycles, {limit} are promised")
        if (
            bus.column(rows, out, "valid_out")[:end].any()
            or bus.column(rows, out, "ready_out")[:end].any()
            or ready[:end].any()
        ):
            raise CheckFailed(
                "zeroising: a block or a key is taken, or a result announced, while everything is forgotten"
            )
        if not ready.any():
            rows = bus.rows(20, 60 + k)
            bus.put(rows, ports.key_valid, slice(None))
            if run.until(rows, "key_ready") < 0:
                raise CheckFailed("zeroising: no key is taken after it")
        run.go(bus.rows(3, 70 + k))
    run.go(traffic(bus, bus.length, 4))
    run.seen("zeroising")
    return len(at)


def _fill(run: _Run, seed: int, singles: int, often: float) -> int:
    """Blocks that a stream accepts from now on while nobody takes results: first so many by themselves,
    with the core at rest before and after each.
    """
    bus, taken = run.bus, 0
    while True:
        rows = bus.rows(2 * int(bus.record["latency_cycles"]) + 64, seed)
        bus.put(rows, bus.ports.ready_in, slice(None), 0)
        idle = np.random.default_rng(seed + taken).random(len(rows)) >= often
        if singles:
            idle = np.arange(len(rows)) > 0
            singles -= 1
        bus.put(rows, bus.ports.valid_in, slice(None))
        bus.put(rows, bus.ports.valid_in, np.flatnonzero(idle).tolist(), 0)
        out = run.go(rows)
        more = int((bus.column(rows, out, "valid_in") & bus.column(rows, out, "ready_out")).sum())
        taken += more
        if not more:
            return taken
        if taken > _MOST_PLACES:
            raise CheckFailed("a full stream: blocks are accepted though nobody takes results")


def _fits(count: int) -> bool:
    """Whether a full FIFO holds so many: a power of two, and up to five more in the registers behind block
    RAM, some of which stay empty where the first of them wait.
    """
    places = range(count, count - (6 if count > 32 else 1), -1)
    return any(n > 0 and not n & n - 1 for n in places)


def _full(bus: Bus) -> int:
    """A stream whose results nobody takes for long, filled in many ways from empty or nearly full: how
    many blocks it accepts at most. Each comes out right, and the same way of filling it takes as many.
    """
    run, counts = _Run(bus), dict[int, set[int]]()
    for k in range(_FILLS):
        run.go(traffic(bus, bus.length if not k else 12, 4 + k))
        if not k % 4:  # from empty; else from whatever is left
            rows = bus.rows(2 * int(bus.record["latency_cycles"]) + _MOST_PLACES, 90 + k)
            bus.put(rows, bus.ports.valid_in, slice(None), 0)
            bus.put(rows, bus.ports.ready_in, slice(None))
            run.go(rows)
        singles = k // 4 % 4 if not k % 4 else k % 5
        count = _fill(run, 80 + k, singles, (1.0, 0.4, 1.0, 0.1)[k % 4])
        if not k % 4:
            counts.setdefault(singles, set()).add(count)
        rows = bus.rows(1 + k % 5, 100 + k)  # some places become free, in all numbers
        bus.put(rows, bus.ports.ready_in, slice(None))
        bus.put(rows, bus.ports.valid_in, slice(None), k % 2)
        run.go(rows)
    rows = bus.rows(2 * int(bus.record["latency_cycles"]) + _MOST_PLACES, 120)
    bus.put(rows, bus.ports.valid_in, slice(None), 0)
    bus.put(rows, bus.ports.ready_in, slice(None))
    run.go(rows)
    seen = run.seen("a full stream")
    found = sorted({n for some in counts.values() for n in some})
    if any(len(some) > 1 for some in counts.values()) or not all(map(_fits, found)):
        raise CheckFailed(f"a full stream: it accepts {found} blocks, which no FIFO holds")
    if seen.lost:
        raise CheckFailed(f"a full stream: {seen.lost} of the blocks that it accepted never come out")
    return found[-1]


def check_handshake(bench: Bench, record: Mapping[str, Any]) -> str:
    """The check `protocol` of the core `bench` with its `record`; what was checked, in words. Raises
    CheckFailed, or NotChecked where the core has neither reset nor handshake.
    """
    bus = Bus(bench.simulation, record)
    if not bus.ports.reset:
        raise NotChecked("the ports of this core have neither reset nor handshake")
    done = [f"{_RESETS} resets under traffic"]
    _resets(bus)
    if bus.ports.key_valid:
        done.append(f"{_keys(bus)} keys under traffic")
        done.append(f"zeroising at {_zeroise(bus)} times")
    if bus.ports.ready_in:
        done.append(f"a stream full of {_full(bus)} blocks")
    return (
        f"{', '.join(done)}: every block that was taken comes out once, in order and right, and nothing else"
    )
