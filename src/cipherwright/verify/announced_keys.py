"""Packets through a simulated core of GCM whose keys are announced: each packet under its own, in the order
of the packets, while words of packets before go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import CheckFailed
from .packets import Packet, PacketBench, Session
from .simulate import Words

__all__ = ["AnnouncedBench", "AnnouncedSession", "KeyedPacket"]

KeyedPacket = tuple[bytes, Packet]
"""A packet and its key."""

_AHEAD = 3
"""Packets whose keys are taken and whose first words are not, at most."""


class AnnouncedSession(Session):
    """One model of the core `bench`. `load_key` says under which key `send` sends packets.

    begun: the cycles in which first words were taken; announced: those in which keys were.
    """

    bench: AnnouncedBench

    def _forget(self) -> None:
        super()._forget()
        self.key = getattr(self, "key", b"")
        self.begun: list[int] = []
        self.announced: list[int] = []

    def load_key(self, key: bytes) -> None:
        """`key` is that of the packets to come."""
        self.key = key

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """Announce the key, and offer the words of `packet` until they are taken; `gaps` as of `traffic`.
        `next_key` is not offered here: a key is announced with its own packet.
        """
        self.traffic([(self.key, packet)], gaps)

    def traffic(
        self, packets: Sequence[KeyedPacket], gaps: float = 0.0, key_gaps: float = 0.0, rest: int = 0
    ) -> None:
        """Offer `packets`, each with its key, until the last word is taken. `gaps`: how probable it is in a
        cycle that the next word is not offered yet; `key_gaps`: the same of keys, which else are announced as
        soon as the core takes them; after each key nothing is offered for `rest` cycles. Raises CheckFailed
        where something is not taken in time, where a word is taken before its key was announced, or a key too
        far ahead.
        """
        b, s, first = self.bench, self.bench.simulation, len(self.announced)
        words = [(k, row) for k, (_, packet) in enumerate(packets) for row in self._rows_of(packet)]
        places = [place for _, packet in packets for place in range(len(packet.sizes()))]
        at = told = idle = 0
        offers_word = offers_key = False
        while at < len(words):
            offers_word = offers_word or self.rng.random() >= gaps
            offers_key = told < len(packets) and (offers_key or self.rng.random() >= key_gaps)
            row = words[at][1].reshape(1, -1).copy() if offers_word else self.idle(1)
            s.view(row, b.ports.valid_in)[0, 0] = offers_word
            if offers_key:
                self.with_key(row, packets[told][0])
            now, out = self.cycle, self.run(row)
            ready = s.view(out, b.ports.ready_out)[0, 0]
            keyed = offers_key and s.view(out, b.ports.key_ready)[0, 0]
            moved = bool(offers_word and ready) or bool(keyed)
            if keyed:
                self.announced.append(now)
                told, offers_key = told + 1, False
            if offers_word and ready:
                self._taken(packets[words[at][0]][1], places[at], now, len(self.announced))
                at, offers_word = at + 1, False
            if len(self.announced) - len(self.begun) > _AHEAD:
                raise CheckFailed("a key is taken further ahead than there is room")
            if keyed and rest:
                self.run(self.idle(rest))
            idle = 0 if moved or not (offers_word or offers_key) else idle + 1
            if idle > b.change + b.record["zeroise_cycles"]:
                raise CheckFailed(f"packet {self.count}: a word or its key is not taken")
        assert len(self.announced) == first + len(packets)

    def _rows_of(self, packet: Packet) -> Words:
        """A packet's words, a cycle each."""
        sizes = packet.sizes()
        rows = self.idle(len(sizes))
        self._put(rows, packet, sizes, slice(0, len(sizes)), np.arange(len(sizes)))
        return rows

    def _taken(self, packet: Packet, place: int, now: int, announced: int) -> None:
        """A word was taken."""
        sizes = packet.sizes()
        size, aad = sizes[place]
        last = place == len(sizes) - 1
        if announced <= self.count:
            raise CheckFailed(f"packet {self.count}: a word is taken before the packet's key")
        if not place:
            self.begun.append(now)
        if size and not aad:
            self.due.append((now + self.bench.record["latency_cycles"], size, last, self.count))
        if last:
            self.tags_due.append(now + self.bench.tag_latency)
            self.count += 1

    def _beside(self, rows: Words, key: bytes) -> Words:
        """The same cycles with a key at its port that is not offered."""
        s, p = self.bench.simulation, self.bench.ports
        s.view(self.with_key(rows, key), p.key_valid)[:, 0] = 0
        return rows

    def cut_short(self, port: str, key: bytes, cycles: int) -> None:
        """Announce a `key` that is not resident and offer a word; `cycles` after the key is taken, one cycle
        of reset or zeroising (a 1 at `port`), while the key stays at its port. Raises CheckFailed where after
        it a word is taken without a key, something leaves, or the core does not come to rest.
        """
        b, s = self.bench, self.bench.simulation
        rows = self.idle(1 + cycles)
        s.view(rows, b.ports.valid_in)[:, 0] = 1
        self.with_key(rows[:1], key)
        for _ in range(b.change + b.record["zeroise_cycles"]):
            seen = self.run(rows[:1])
            if s.view(seen, b.ports.key_ready)[0, 0]:
                break
        else:
            raise CheckFailed("a key is not taken")
        seen = np.vstack([seen, self.run(rows[1:])]) if cycles else seen
        pulse = self._beside(self.idle(1), key)
        s.view(pulse, port)[0, 0] = 1
        seen = np.vstack([seen, self.run(pulse)])
        if s.view(seen, b.ports.ready_out).any():
            raise CheckFailed("a word is taken before its key is complete")
        span = b.tag_latency if port == b.ports.reset else int(b.record["zeroise_cycles"])
        after = self._beside(self.idle(span + 40), key)
        s.view(after, b.ports.valid_in)[:, 0] = 1
        seen = self.run(after)
        if any(s.view(seen, n).any() for n in (b.ports.ready_out, b.ports.valid_out, b.packet["tag_valid"])):
            raise CheckFailed(f"after {port} a word is taken, or something leaves")
        if s.view(seen, b.ports.busy)[-1, 0]:
            raise CheckFailed(f"the core stays busy after {port}")
        self._forget()


@dataclass(frozen=True)
class AnnouncedBench(PacketBench):
    """A compiled core of GCM whose keys are announced, with its record."""

    @property
    def change(self) -> int:
        """Cycles from the first word of a packet to that of the next one under a key that is not resident,
        where both are short.
        """
        return int(self.record["packet"]["key_change_cycles"])

    @property
    def pace(self) -> int:
        """Cycles from a key that is resident to the next one that is announced."""
        return int(self.record["packet"]["announce_cycles"])

    def session(self, seed: int = 1) -> AnnouncedSession:
        """A model of its own, just reset; `seed`: of its random gaps."""
        return AnnouncedSession(self, np.random.default_rng(seed))
