"""Packets through a simulated core of CCM, cycle by cycle: every word is taken when the core promises it, and
every result and tag leaves in the promised cycle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import CheckFailed
from ..shell import CcmTiming, PacketTimes, Word
from .packets import Packet, PacketBench, Session
from .simulate import Words

__all__ = ["CcmBench"]


class CcmSession(Session):
    """One model of a core, from its reset on. It raises CheckFailed where a word or key is not taken when it
    is promised, or where something leaves in another cycle.

    opens: the first cycle in which a packet's first word can be taken.
    """

    bench: CcmBench

    def _forget(self) -> None:
        super()._forget()
        self.opens = self.cycle

    @property
    def zeros(self) -> tuple[tuple[str, str], ...]:
        """Ports that say that something is there, and those that are 0 otherwise."""
        b = self.bench
        return (b.ports.valid_out, b.ports.block_out), (b.packet["tag_valid"], b.packet["tag_out"])

    def run(self, rows: Words) -> Words:
        """As `Session.run`. Raises CheckFailed where a port shows something while nothing is offered."""
        s = self.bench.simulation
        out = super().run(rows)
        for valid, block in self.zeros:
            if s.view(out, block)[s.view(out, valid)[:, 0] == 0].any():
                raise CheckFailed(f"{block} is not 0 while {valid} is 0")
        return out

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """As `Session.send`; before a word there are gaps of up to three blocks' times. next_key: a key that
        is offered from the second word on, and must not be taken within the packet.
        """
        sizes, t = packet.sizes(), self.bench.timing
        late = self.rng.integers(1, 3 * t.cipher, len(sizes)) * (self.rng.random(len(sizes)) < gaps)
        words = [Word(size, aad, int(k)) for (size, aad), k in zip(sizes, late, strict=True)]
        times = t.play(words, self.cycle, self.opens)
        self._due_at(words, times)
        rows = self.idle(times.taken[-1] - self.cycle + 1)
        at = np.array(times.taken) - self.cycle
        self._put(rows, packet, sizes, slice(0, len(sizes)), at)
        self._offer(rows, times, next_key)
        self.opens = times.opens
        self.count += 1

    def _due_at(self, words: list[Word], times: PacketTimes) -> None:
        """What a packet's words make leave, and its tag."""
        data = [(k, word) for k, word in enumerate(words) if word.size and not word.aad]
        for (k, word), cycle in zip(data, times.results, strict=True):
            self.due.append((cycle, word.size, k == len(words) - 1, self.count))
        if times.tag - times.taken[-1] > self.bench.tag_latency:
            raise CheckFailed(f"packet {self.count}: the tag takes longer than promised")
        self.tags_due.append(times.tag)

    def _put_first(self, rows: Words, packet: Packet, at: int) -> None:
        """The nonce and both lengths."""
        b, s = self.bench, self.bench.simulation
        s.view(rows, b.ports.iv)[at] = np.frombuffer(packet.iv[::-1], dtype=np.uint8)
        for what, count in (("aad_bytes", len(packet.aad)), ("data_bytes", len(packet.text))):
            view = s.view(rows, b.packet[what])
            view[at] = np.frombuffer(count.to_bytes(view.shape[1], "little"), dtype=np.uint8)

    def _offer(self, rows: Words, times: PacketTimes, key: bytes) -> None:
        """Run cycles in which words are offered until they are taken, each in its cycle; with a key, which
        must not be taken, from the second word on.
        """
        b, s, now = self.bench, self.bench.simulation, self.cycle
        spans = [(o - now, t - now) for o, t in zip(times.offered, times.taken, strict=True)]
        for offered, taken in spans:
            rows[offered:taken] = rows[taken]
            s.view(rows, b.ports.valid_in)[offered : taken + 1] = 1
        if key and len(spans) > 1:
            self.with_key(rows[spans[1][0] :], key)
        out = self.run(rows)
        ready = s.view(out, b.ports.ready_out)[:, 0]
        for offered, taken in spans:
            if ready[offered:taken].any() or not ready[taken]:
                raise CheckFailed(
                    f"packet {self.count}: a word is not taken in cycle {taken + now}, or is before"
                )
        if s.view(out, b.ports.key_ready)[:, 0].any():
            raise CheckFailed(f"packet {self.count}: a key is taken within the packet")

    def zeroise(self) -> None:
        """One cycle of zeroising, while words and a key go on being offered. Raises CheckFailed where
        something leaves after it, a word or a key is taken, or the core is busy after the promised cycles.
        """
        b, s = self.bench, self.bench.simulation
        first = self.idle(1)
        s.view(first, b.ports.zeroise)[0, 0] = 1
        self.run(first)
        self._forget()
        cycles = b.record["zeroise_cycles"] - 1
        out = self.run(self.offered(self.idle(cycles), self.rng.bytes(b.key_bytes)))
        for name in (b.ports.ready_out, b.ports.key_ready, b.ports.valid_out, b.packet["tag_valid"]):
            if s.view(out, name).any():
                raise CheckFailed(f"{name} is 1 while everything is being cleared")
        if not s.view(out, b.ports.busy)[0, 0] or s.view(self.run(self.idle(1)), b.ports.busy)[0, 0]:
            raise CheckFailed(f"zeroising does not begin at once, or ends after {cycles + 1} cycles")
        self._forget()


@dataclass(frozen=True)
class CcmBench(PacketBench):
    """A compiled core of CCM with its record."""

    @property
    def timing(self) -> CcmTiming:
        """By the loop's cycles and places."""
        inner = self.record["inner"]
        return CcmTiming(inner["latency_cycles"], inner["slots"])

    @property
    def nonce_bytes(self) -> int:
        """Bytes of the nonce."""
        return int(self.record["packet"]["nonce_bytes"])

    def session(self, seed: int = 1) -> CcmSession:
        """A model of its own, just reset; `seed`: of its random gaps."""
        return CcmSession(self, np.random.default_rng(seed))
