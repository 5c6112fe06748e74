"""Packets through a simulated core of GCM with two resident keys: packets under both, mixed one by one, while
keys are loaded into the slot that is not used.

A packet's first word is offered a cycle before it can be taken, in which the core reads the slot; that can be
the cycle of the packet before's end. From then on a word is taken when it is offered, but for two cycles of
each load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import CheckFailed
from .packets import Packet, PacketBench, Session
from .simulate import Words

__all__ = ["KeyLoad", "SlotBench", "SlotSession"]

_KEPT_FREE = 2
"""Cycles of each load in which no word is taken."""


@dataclass(frozen=True)
class KeyLoad:
    """A `key` for a `slot` (0 or 1), which is offered when so many packets of a run have been taken
    (`after`), and so many `words` of the next one.
    """

    key: bytes
    slot: int
    after: int
    words: int = 0

    def begins(self, packets: int, words: int) -> bool:
        """Whether it is offered when so many `packets`, and `words` of the next, have been taken."""
        return (packets, words) >= (self.after, self.words)


class SlotSession(Session):
    """One model of a core with two resident keys. `load_key` and `send` use one slot after the other."""

    def _forget(self) -> None:
        super()._forget()
        self.slot = getattr(self, "slot", 1)
        self.last_tag = [-1, -1]
        self.ready_at = [0, 0]

    def load_key(self, key: bytes, slot: int | None = None) -> None:
        """Offer `key` for `slot`, or for the one that was not used last, until it is complete."""
        self.slot = 1 - self.slot if slot is None else slot
        self._offer_key(key)
        b, s = self.bench, self.bench.simulation
        seen = self.run(self.idle(b.record["key_cycles"]))
        busy = s.view(seen, b.ports.busy)[:, 0]
        if not busy[:-2].all() or busy[-1]:
            raise CheckFailed(f"a key is not ready after exactly {b.record['key_cycles']} cycles")

    def with_key(self, rows: Words, key: bytes) -> Words:
        """`rows` with `key` offered for the slot in use in all cycles (changed in place)."""
        self.bench.simulation.view(rows, self.bench.packet["load_slot"])[:, 0] = self.slot
        return super().with_key(rows, key)

    def offered(self, rows: Words, key: bytes) -> Words:
        """`rows` with `key` offered for the slot in use in the first cycles, and words in all (changed in
        place).
        """
        self.bench.simulation.view(rows, self.bench.packet["key_slot"])[:, 0] = self.slot
        return super().offered(rows, key)

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """Offer the words of `packet` under the key that was loaded last. `gaps`: how probable it is in a
        cycle that no word is offered; `next_key`: as of `Session.send`, for the same slot.
        """
        held = (next_key, 0) if next_key else None
        self._traffic([(packet, self.slot)], (), gaps, held)

    def traffic(self, packets: Sequence[tuple[Packet, int]], loads: Sequence[KeyLoad], gaps: float) -> None:
        """Send `packets`, each with the slot of its key, one after the other, with keys loaded in between, as
        `loads` says, in this order. `gaps`: how probable it is in a cycle that no word is offered. Raises
        CheckFailed where a word is not taken when it should be, or a key is taken while a packet under its
        slot is in flight.
        """
        self._traffic(packets, loads, gaps, None)

    def zeroise_within(self, packets: Sequence[tuple[Packet, int]]) -> None:
        """Zeroise right after these `packets`, each with its slot, have been taken. Raises CheckFailed where,
        until that is over, or after it without a key, a word is taken or something leaves.
        """
        b, s = self.bench, self.bench.simulation
        self._traffic(packets, (), 0.0, None)
        rows = self.idle(1)
        s.view(rows, b.ports.zeroise)[0, 0] = 1
        self.run(rows)
        after = self.idle(int(b.record["zeroise_cycles"]) + 40)
        s.view(after, b.ports.valid_in)[:, 0] = 1
        seen = self.run(after)
        names = (b.ports.ready_out, b.ports.key_ready, b.ports.valid_out, b.packet["tag_valid"])
        if any(s.view(seen, n).any() for n in names) or s.view(seen, b.ports.busy)[-1, 0]:
            raise CheckFailed("after zeroising a word is taken, something leaves, or the core stays busy")
        self._forget()

    def _traffic(
        self,
        packets: Sequence[tuple[Packet, int]],
        loads: Sequence[KeyLoad],
        gaps: float,
        held: tuple[bytes, int] | None,
    ) -> None:
        begun = self.count
        waiting, loading = list(loads), list[KeyLoad]()
        for packet, slot in packets:
            words = self._rows_of(packet, slot)
            k, looked, refused = 0, False, 0
            while k < len(words):
                if not loading and waiting and waiting[0].begins(self.count - begun, k):
                    loading.append(waiting.pop(0))
                offers = looked or self.rng.random() >= gaps
                rows = words[k : k + 1].copy() if offers else self.idle(1)
                self.bench.simulation.view(rows, self.bench.ports.valid_in)[0, 0] = offers
                ready = self._cycle(rows, loading, held[0] if held and k > 3 else b"")
                if ready and not looked:
                    raise CheckFailed(f"packet {self.count}: a word is taken before its slot was read")
                refused += looked and not ready
                looked = offers or looked
                if ready and offers:
                    self._taken(packet, slot, k, len(words))
                    k, refused = k + 1, 0
                elif refused:
                    self._check_refused(slot, k, refused, loading)
        self._rest_of_loads(waiting, loading)

    def _rest_of_loads(self, waiting: list[KeyLoad], loading: list[KeyLoad]) -> None:
        """Loads that have not been taken yet, each until it is."""
        while waiting or loading:
            if not loading:
                loading.append(waiting.pop(0))
            self._cycle(self.idle(1), loading)

    def _cycle(self, rows: Words, loading: list[KeyLoad], held: bytes = b"") -> bool:
        """One cycle, with the key on offer, or one that must not be taken (`held`); whether a word is taken
        where one is offered.
        """
        b, s = self.bench, self.bench.simulation
        if held:
            self.with_key(rows, held)
        elif loading:
            super().with_key(rows, loading[0].key)
            s.view(rows, b.packet["load_slot"])[0, 0] = loading[0].slot
        now, out = self.cycle, self.run(rows)
        if s.view(out, b.ports.key_ready)[0, 0]:
            if held or now <= self.last_tag[loading[0].slot]:
                raise CheckFailed(f"packet {self.count}: a key is taken while a packet under it is in flight")
            self.ready_at[loading.pop(0).slot] = now + int(b.record["key_cycles"])
        return bool(s.view(out, b.ports.ready_out)[0, 0])

    def _rows_of(self, packet: Packet, slot: int) -> Words:
        """A packet's words, a cycle each, all with its slot: the core reads that of the first."""
        b, s, sizes = self.bench, self.bench.simulation, packet.sizes()
        rows = self.idle(len(sizes))
        self._put(rows, packet, sizes, slice(0, len(sizes)), np.arange(len(sizes)))
        s.view(rows, b.packet["key_slot"])[0, 0] = slot
        return rows

    def _taken(self, packet: Packet, slot: int, k: int, words: int) -> None:
        """Word k was taken in the cycle before this."""
        size, aad = packet.sizes()[k]
        now = self.cycle - 1
        if size and not aad:
            self.due.append((now + self.bench.record["latency_cycles"], size, k == words - 1, self.count))
        self.last_tag[slot] = 1 << 60  # within the packet
        if k == words - 1:
            self.last_tag[slot] = now + self.bench.tag_latency
            self.tags_due.append(self.last_tag[slot])
            self.count += 1

    def _check_refused(self, slot: int, k: int, refused: int, loading: list[KeyLoad]) -> None:
        """A word that was looked at was not taken: for its key, or for two cycles of a load."""
        key = k == 0 and (self.cycle <= self.ready_at[slot] + 3 or any(x.slot == slot for x in loading))
        longest = self.bench.record["key_cycles"] + self.bench.record["zeroise_cycles"]
        if (not key and refused > _KEPT_FREE) or refused > longest:
            raise CheckFailed(f"packet {self.count}: a word is not taken when it should be")


@dataclass(frozen=True)
class SlotBench(PacketBench):
    """A compiled core of GCM with two resident keys, with its record."""

    def session(self, seed: int = 1) -> SlotSession:
        """A model of its own, just reset; `seed`: of its random gaps."""
        return SlotSession(self, np.random.default_rng(seed))
