"""Packets through a simulated core in which words of a decrypted packet wait for its verdict.

The cycles in which words and tags would leave without the buffer are those of the core inside; every word
that may leave does so in its order, not before it may, and at most two cycles after that and after the word
before it. No other word leaves, and the port of results shows nothing else in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import CheckFailed
from ..shell import STALL, WORD_BYTES
from .ccm_packets import CcmBench, CcmSession
from .packets import LoopSession, Packet, PacketBench, PacketResult, Session
from .simulate import Words

__all__ = ["HeldBench", "HeldCcmBench", "record_inside"]

_AFTER_VERDICT = 6
"""Cycles from a tag to the first of its packet's words, at least."""

_ON_ITS_WAY = 3
"""Cycles after a reset or zeroising in which the port of results may change once more."""

_SLACK = 2
"""Cycles by which a word is later than it could be, at most."""


class _Held(Session):
    """What sessions of such cores have in common."""

    bench: _HeldBench

    def _forget(self) -> None:
        super()._forget()
        self.sent: list[Packet] = []
        self.shown: Words | None = None

    def send(self, packet: Packet, gaps: float = 0.0, next_key: bytes = b"") -> None:
        """As `Session.send`."""
        self.sent.append(packet)
        super().send(packet, gaps, next_key)

    def run(self, rows: Words) -> Words:
        """As `Session.run`. Raises CheckFailed where the port of results changes without a word."""
        b, s = self.bench, self.bench.simulation
        out = super().run(rows)
        blocks = s.view(out, b.ports.block_out)
        before = np.vstack([blocks[:1] if self.shown is None else self.shown, blocks[:-1]])
        changed = (blocks != before).any(axis=1) & blocks.any(axis=1)
        if self.shown is None:  # in the first cycles of zeroising a word that could leave is on its way
            changed[:_ON_ITS_WAY] = False
        if (changed & (s.view(out, b.ports.valid_out)[:, 0] == 0)).any():
            raise CheckFailed(f"{b.ports.block_out} changes in a cycle in which no word leaves")
        self.shown = blocks[-1:].copy()
        return out

    def finish(self) -> list[PacketResult]:
        """As `Session.finish`; words of a packet that is refused are expected not to leave."""
        b, s, most = self.bench, self.bench.simulation, self.bench.longest
        self.run(self.idle(b.tag_latency + 40 + min(len(self.due), b.words)))
        if self.tags.cycles != [c + 1 for c in self.tags_due]:
            raise CheckFailed("tags do not come in the promised cycles, one for each packet")
        good = [bool(g) for g in s.view(self.tags.all_rows, b.packet["good"])[:, 0]]
        told = [bool(x) for x in s.view(self.tags.all_rows, b.packet["too_long"])[:, 0]]
        for k, (packet, passed, long) in enumerate(zip(self.sent, good, told, strict=True)):
            too_long = packet.decrypt and -(-len(packet.text) // WORD_BYTES) > most
            if long != too_long or (passed and too_long):
                raise CheckFailed(
                    f"packet {k}: a packet of more than {most} words is not refused, or another"
                )
        self.due = [d for d in self.due if not self.sent[d[3]].decrypt or good[d[3]]]
        self._check_cycles()
        texts: list[list[bytes]] = [[] for _ in range(self.count)]
        if self.due:
            self._collect(texts)
        tags = s.view(self.tags.all_rows, b.packet["tag_out"])[:, ::-1]
        found = [
            PacketResult(b"".join(text), tag.tobytes(), passed)
            for text, tag, passed in zip(texts, tags, good, strict=True)
        ]
        self._forget()
        return found

    def _check_cycles(self) -> None:
        """The words that left are those that could, each in its time."""
        if len(self.words.cycles) != len(self.due):
            raise CheckFailed(f"{len(self.words.cycles)} words leave, and {len(self.due)} may")
        before = -1
        for cycle, (due, _, _, k) in zip(self.words.cycles, self.due, strict=True):
            free = due + self.bench.late
            if self.sent[k].decrypt:
                free = self.tags_due[k] + 1 + _AFTER_VERDICT
            if not max(free, before + 1) <= cycle <= max(free, before + 1) + _SLACK:
                raise CheckFailed(f"packet {k}: a word leaves in cycle {cycle} and may from {free} on")
            before = cycle


class _HeldSession(_Held):
    """Around a pipeline."""


class _HeldLoopSession(_Held, LoopSession):
    """Around a loop with GCM."""


class _HeldCcmSession(_Held, CcmSession):
    """Around a loop with CCM."""

    bench: HeldCcmBench

    @property
    def zeros(self) -> tuple[tuple[str, str], ...]:
        """The tag alone: the port of results keeps its last word."""
        return super().zeros[1:]


def record_inside(record: Mapping[str, Any]) -> dict[str, Any]:
    """The `record` of a core with the cycles of words and tags that its core inside has."""
    packet = dict(record["packet"])
    late = packet["release"]["latency_cycles"]
    for name in ("tag_latency_cycles", "least_tag_latency_cycles"):
        packet |= {name: packet[name] - 1} if name in packet else {}
    return {**record, "latency_cycles": record["latency_cycles"] - late, "packet": packet}


class _HeldBench(PacketBench):
    """What benches of such cores have in common: `record` is that of the core inside, as far as it tells
    cycles of words and tags.
    """

    @classmethod
    def compile(cls, sources: Sequence[Path], record: Mapping[str, Any]) -> Self:
        """As `PacketBench.compile`."""
        made = super().compile(sources, record)
        return replace(made, record=record_inside(made.record))

    @property
    def controls(self) -> frozenset[str]:
        """Inputs that make something happen: of a bus that takes words late, too."""
        return super().controls | {STALL.name}

    @property
    def words(self) -> int:
        """Places of the buffer."""
        return int(self.record["packet"]["release"]["words"])

    @property
    def longest(self) -> int:
        """Words of data of the longest packet that can be decrypted."""
        return int(self.record["packet"]["release"]["longest_packet_words"])

    @property
    def late(self) -> int:
        """Cycles by which a word is later that waits for nothing."""
        return int(self.record["packet"]["release"]["latency_cycles"])

    def expected(self, packets: Sequence[Packet], want: Sequence[PacketResult]) -> list[PacketResult]:
        """Nothing of a packet whose tag is wrong, nor of one that is too long, whose verdict is not good."""
        found = list[PacketResult]()
        for packet, result in zip(packets, want, strict=True):
            fits = -(-len(packet.text) // WORD_BYTES) <= self.longest
            refused = packet.decrypt and not (result.good and fits)
            found.append(PacketResult(b"", result.tag, False) if refused else result)
        return found


@dataclass(frozen=True)
class HeldBench(_HeldBench):
    """A compiled core of GCM in which words wait for a verdict, with its record."""

    def session(self, seed: int = 1) -> Session:
        """A model of its own, just reset; `seed`: of its random gaps."""
        kind = _HeldLoopSession if self.loops else _HeldSession
        return kind(self, np.random.default_rng(seed))


@dataclass(frozen=True)
class HeldCcmBench(_HeldBench, CcmBench):
    """A compiled core of CCM in which words wait for a verdict, with its record."""

    def session(self, seed: int = 1) -> CcmSession:
        """A model of its own, just reset; `seed`: of its random gaps."""
        return _HeldCcmSession(self, np.random.default_rng(seed))
