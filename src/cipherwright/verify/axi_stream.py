"""A simulated core behind AXI-Stream: blocks as beats of packets, and what comes back with them.

Every call compares TLAST, TKEEP, TUSER and TID of the results with what went in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from ..shell import AHEAD, AxiStream, Fifo, choose_fifo
from .drive import Bench, Links, Traffic
from .simulate import Model, Words

__all__ = ["AxiBench", "Beats"]

_Bytes = NDArray[np.uint8]

_MOST_WAITS = 4096
"""Cycles in which a counter takes its first counter block."""


@dataclass(frozen=True)
class Beats:
    """Blocks as beats: of every beat its `data` (beats, bytes of the bus; in the order of the stream, least
    significant byte of TDATA first), the number of `bytes` that count, whether it is the `last` of a message,
    and its first `block`; of every block its last beat (`beat_of`).
    """

    data: _Bytes
    bytes: NDArray[np.int64]
    last: _Bytes
    block: NDArray[np.int64]
    beat_of: NDArray[np.int64]

    @staticmethod
    def of(blocks: _Bytes, last: _Bytes, width: int) -> Beats:
        """The beats of `blocks` (n, block bytes) on a bus of `width` bytes; `last` says of each block whether
        a message ends with it. A wide beat has blocks of one message.
        """
        n, size = blocks.shape
        if width <= size:
            each = size // width
            ends = np.zeros((n, each), dtype=np.uint8)
            ends[:, -1] = last
            return Beats(
                blocks.reshape(n * each, width),
                np.full(n * each, width),
                ends.reshape(-1),
                np.repeat(np.arange(n), each),
                np.arange(n) * each + each - 1,
            )
        most, beat_of, place = width // size, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        beat = at = 0
        for i in range(n):
            beat_of[i], place[i] = beat, at
            at += 1
            if last[i] or at == most:
                beat, at = beat + 1, 0
        count = int(beat_of[-1]) + 1
        data = np.zeros((count, most, size), dtype=np.uint8)
        data[beat_of, place] = blocks
        ends, filled = np.zeros(count, dtype=np.uint8), np.bincount(beat_of, minlength=count)
        ends[beat_of] |= last
        first = np.concatenate([[0], np.cumsum(filled)[:-1]])
        return Beats(data.reshape(count, width), filled * size, ends, first, beat_of)

    def blocks(self, data: _Bytes, size: int) -> _Bytes:
        """The blocks (n, `size` bytes) out of `data` (beats, bytes of the bus) that is filled as these beats
        are.
        """
        width = data.shape[1]
        if width <= size:
            return np.ascontiguousarray(data).reshape(-1, size)
        whole = np.ascontiguousarray(data).reshape(len(data), width // size, size)
        held = np.arange(width // size) < (self.bytes // size)[:, None]
        return whole[held]

    def firsts(self, width: int, size: int) -> NDArray[np.int64]:
        """Of every block of `size` bytes, on a bus of `width` bytes, the first beat that has a part of it."""
        return self.beat_of - max(1, size // width) + 1


class AxiBench(Bench):
    """A core whose outermost ports are AXI-Stream."""

    @cached_property
    def bus(self) -> AxiStream:
        """What the bus carries."""
        p = self.parameters
        interleaved = bool(self.ports.first) and self.slots > 1
        word = p["block_bits"] * p["lanes"]
        return AxiStream(
            p["mode"],
            word,
            p["tdata_bits"] or word,
            p["tid_bits"],
            self.ports.decrypt == "s_axis_tuser",
            (self.slots - 1).bit_length() if interleaved else 0,
        )

    @property
    def ready_delay(self) -> int:
        """The bus sees a cycle later that the core is ready; in front of a deep FIFO, three cycles later."""
        p = self.parameters
        if p["architecture"] != "pipelined" or not self.bus.one_block:
            return 1
        inside = self.latency - Fifo(0, True).latency - 1
        return 3 if choose_fifo(inside, 1, 1, p["fifo_depth"], AHEAD).deep else 1

    @property
    def row_cycles(self) -> float:
        """A stream of a loop has its slot once in an interval; each block of a beat takes one."""
        return float(self.interval * self.bus.blocks)

    @property
    def rows_share(self) -> bool:
        """Whether a beat may have several blocks."""
        return self.bus.blocks > 1

    def load_iv(self, model: Model, iv: _Bytes) -> None:
        """Give the `model` of a core in counter mode its first counter block `iv` (block bytes, byte 0 of the
        standard first), and wait until it takes blocks. Raises CheckFailed where that is not so in 4096
        cycles.
        """
        s, p = self.simulation, self.ports
        offer = s.rows(1)
        s.view(offer, p.iv_valid)[0, 0] = 1
        s.view(offer, p.iv)[0] = iv[::-1]
        for _ in range(_MOST_WAITS):
            if s.view(model.run(offer), p.iv_ready)[0, 0]:
                break
        else:
            raise CheckFailed(f"a counter block that is offered for {_MOST_WAITS} cycles is not taken")
        for _ in range(_MOST_WAITS):
            if s.view(model.run(s.rows(1)), p.ready_out)[0, 0]:
                return
        raise CheckFailed(f"no block can be taken {_MOST_WAITS} cycles after a counter block")

    def _slots(self, firsts: _Bytes, n: int) -> NDArray[np.int64]:
        """The stream of each block: they take turns where all begin messages, or where the first
        blocks do; else there is one.
        """
        firsts = np.broadcast_to(firsts, (n,))
        turns = firsts.all() if self.bus.blocks > 1 else firsts[: self.slots].all()
        return np.arange(n) % self.slots if self.bus.slot_bits and turns else np.zeros(n, dtype=np.int64)

    def _lasts(self, links: Links | None, slots: NDArray[np.int64], n: int) -> _Bytes:
        """Whether a message ends with a block: the next one of its stream begins one, or there is none."""
        last = np.zeros(n, dtype=np.uint8)
        last[-1] = 1
        if links is None:
            return last
        firsts = np.broadcast_to(links[0], (n,))
        for slot in np.unique(slots):
            mine = np.flatnonzero(slots == slot)
            last[mine[:-1]] = firsts[mine[1:]]
            last[mine[-1]] = 1
        return last

    def _rows(
        self, beats: Beats, keys: _Bytes, decrypts: _Bytes, links: Links | None, slots: NDArray[np.int64]
    ) -> Words:
        """Rows of inputs, a beat each."""
        s, p, n = self.simulation, self.ports, len(slots)
        names = {port.name for port in s.inputs}
        of = beats.block
        rows = s.rows(len(of))
        s.view(rows, p.block_in)[:] = beats.data
        s.view(rows, "s_axis_tkeep")[:] = _keeps(beats)
        s.view(rows, "s_axis_tlast")[:, 0] = beats.last
        if self.bus.user_bits:
            ways = np.broadcast_to(decrypts, (n,))[of].astype(np.int64) if self.bus.ways else 0
            _put(s.view(rows, "s_axis_tuser"), ways | slots[of] << int(self.bus.ways))
        if self.bus.id_bits:
            _put(s.view(rows, "s_axis_tid"), of * 7919 & (1 << self.bus.id_bits) - 1)
        if p.decrypt in names and not self.bus.ways:
            s.view(rows, p.decrypt)[:, 0] = decrypts
        if p.key in names:
            given = np.resize(keys, (n, keys.shape[1]))[of]
            s.view(rows, p.key)[:] = given[:, ::-1]
            if p.key_valid:
                s.view(rows, p.key)[:] = np.random.default_rng(4).integers(
                    0, 256, keys.shape[1], dtype=np.uint8
                )
        if links is not None and p.iv in names:
            s.view(rows, p.iv)[:] = np.broadcast_to(links[1], (n, links[1].shape[1]))[of][:, ::-1]
        return rows

    def crypt(
        self,
        keys: _Bytes,
        decrypts: _Bytes,
        blocks: _Bytes,
        offer: _Bytes | None = None,
        take: _Bytes | None = None,
        iv: _Bytes | None = None,
        links: Links | None = None,
    ) -> Traffic:
        """As `Bench.crypt`, with the same `keys`, `decrypts`, `blocks`, `iv` and `links`; `offer` and `take`
        are of beats. Raises CheckFailed as well where a beat comes back with another TKEEP, TLAST, TUSER or
        TID.
        """
        if self.ports.iv_valid and iv is None:
            return self._each_as_counter(keys, decrypts, blocks)
        added = np.zeros((1, 1), dtype=np.uint8)
        if self.ports.first and links is None:
            blocks, links, added = self._alone(decrypts, blocks)
        model = self.start()
        try:
            if self.ports.key_valid:
                self.load_key(model, keys[0])
            if iv is not None:
                self.load_iv(model, iv)
            done = self.exchange(model, keys, decrypts, blocks, offer, take, links)
        finally:
            model.close()
        return replace(done, blocks=np.ascontiguousarray(done.blocks ^ added))

    def _group(self, model: Model, key: _Bytes, ways: _Bytes, blocks: _Bytes, last: bool) -> Traffic:
        """Blocks through a model that has its key, as a message of its own."""
        return self.exchange(model, key[None], ways, blocks)

    def exchange(
        self,
        model: Model,
        keys: _Bytes,
        decrypts: _Bytes,
        blocks: _Bytes,
        offer: _Bytes | None = None,
        take: _Bytes | None = None,
        links: Links | None = None,
    ) -> Traffic:
        """Send `blocks` through a `model` that has its key and its counter block; `keys`, `decrypts`,
        `offer`, `take` and `links` as of `crypt`. Raises CheckFailed as `crypt` does.
        """
        count = len(blocks)
        blocks = self.in_words(blocks)
        n, size = len(blocks), blocks.shape[1]
        slots = self._slots(links[0] if links else np.zeros(1, dtype=np.uint8), n)
        last = self._lasts(links, slots, n)
        if self.rows_share and links is None:  # a beat has one key and one direction
            last[:-1] |= _changes(keys, n) | _changes(decrypts, n)
        beats = Beats.of(blocks, last, self.bus.data_bits // 8)
        rows = self._rows(beats, keys, decrypts, links, slots)
        got, accepted, delivered = self._exchange(model, rows, offer, take)
        self._same_sides(rows, got)
        out = beats.blocks(self.simulation.view(got, self.ports.block_out), size)
        begins = beats.firsts(self.bus.data_bits // 8, size) if self.bus.beats > 1 else beats.beat_of
        return Traffic(
            self.in_blocks(out, count),
            accepted[beats.beat_of],
            delivered[begins],
            slots if self.bus.slot_bits else None,
        )

    def _same_sides(self, rows: Words, got: Words) -> None:
        """Raise CheckFailed where something other than the data came back changed."""
        for name in (
            "tkeep",
            "tlast",
            *(["tuser"] if self.bus.user_bits else []),
            *(["tid"] if self.bus.id_bits else []),
        ):
            given, shown = (
                self.simulation.view(r, f"{side}_axis_{name}").astype(np.int64)
                for side, r in (("s", rows), ("m", got))
            )
            if name == "tuser":  # above the fields that come back it tells whether a block was filled up
                whole = np.zeros((len(rows), shown.shape[1]), dtype=np.int64)
                whole[:, : given.shape[1]] = given
                given = whole
            wrong = np.flatnonzero((given != shown).any(axis=1))
            if len(wrong):
                raise CheckFailed(f"beat {int(wrong[0])} comes back with another {name.upper()}")


def _changes(values: _Bytes, n: int) -> _Bytes:
    """Whether each of n blocks but the last has another value than the one after it."""
    each = np.resize(values, (n, *values.shape[1:])).reshape(n, -1)
    changed: _Bytes = (each[1:] != each[:-1]).any(axis=1).astype(np.uint8)
    return changed


def _keeps(beats: Beats) -> _Bytes:
    """TKEEP of every beat, least significant byte first."""
    lanes = np.arange(beats.data.shape[1]) < beats.bytes[:, None]
    return np.packbits(lanes, axis=1, bitorder="little")


def _put(view: _Bytes, values: NDArray[np.int64]) -> None:
    """Numbers into a port's columns."""
    for k in range(view.shape[1]):
        view[:, k] = values >> 8 * k & 255
