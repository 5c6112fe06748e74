"""Who plays the traffic of one channel to the core of a channel, at its own ports or behind AXI-Stream:
random packets, keys at rest and within packets, zeroising within packets, each in its cycle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import AXIS_DATA, TAG_DATA, WORD_BYTES
from .announced_keys import AnnouncedBench, AnnouncedSession
from .gcm import random_packets
from .held_packets import HeldBench
from .key_slots import KeyLoad, SlotSession
from .message_axi import Announced, AxiMessageBench, AxiSession, Flow
from .message_axi_checks import Traffic, joined, packet_beats, with_slot
from .packets import Packet, PacketBench, PacketResult, Session
from .reference import reference_of
from .simulate import Recorded, Simulation, Words

__all__ = ["ChannelBench", "Player", "Tape", "announces", "key_slots_of", "load_slot_of", "player_of"]

ChannelBench = PacketBench | AxiMessageBench
"""The core of a channel, at its own ports or at those of AXI-Stream."""

_LONGEST = 90
"""Bytes of additional data and of data in a random packet, at most."""

_WITHIN = (70, 60)
"""Bytes of additional data and of data of the packet within which a key is offered: over four words."""

_LONGEST_IV = 128
"""Bytes of a random IV, at most."""

_SOME = 3
"""Longest packets for which there is time between two keys, at least."""

_DRAINED = 40
"""Cycles after the last tag in which words that waited for a verdict begin to leave, and some more."""

_TO_SLOT = 3
"""Cycles in which a packet's slot is read, and those that a load keeps free."""

_GAPS = (0.0, 0.5, 0.1)
"""How probable a gap before a word is, in the traffic of one channel after the other."""

_FLOWS = (Flow(take=0.3), Flow(0.4, 0.8), Flow(0.9, 0.5))
"""The same of beats, and how probable it is that a result is taken: in the first, FIFOs get full."""


_BESIDE = 2
"""Packets under one key, while the other is loaded."""

_AT_ONCE = 3
"""Packets whose keys are announced as early as they can be."""

_KEY_GAPS = 0.02
"""How probable it is in a cycle that the next of these keys is not announced yet."""


@dataclass(frozen=True)
class _Sent:
    """A `packet` under the key of a `slot`, and what the reference makes of it (`want`)."""

    packet: Packet
    want: PacketResult
    slot: int


class Tape(Recorded):
    """A recorded model of the core of a channel. `simulation`: of the core; shared: an input that all
    channels have in common, and its value in each cycle, the last one for good.
    """

    def __init__(self, simulation: Simulation, shared: tuple[str, Words] | None = None) -> None:
        super().__init__(simulation)
        self.shared = shared

    def run(self, rows: Words) -> Words:
        """As `Model.run` of `rows`."""
        if self.shared:
            name, values = self.shared
            now = np.arange(self.cycles, self.cycles + len(rows))
            self.simulation.view(rows, name)[:, 0] = np.take(values, now, mode="clip")
        return super().run(rows)


class Player(ABC):
    """The traffic of the channel of this `number` through a `session` of its core, just reset; `rng` makes
    all that is random.
    """

    HOW = ""
    """What is said of the traffic besides."""

    session: Session | AxiSession

    def __init__(self, session: Session | AxiSession, rng: np.random.Generator, number: int) -> None:
        self.session, self.rng, self.number = session, rng, number
        self.p: Mapping[str, Any] = session.bench.record["parameters"]
        self.start = session.cycle
        self.keys = dict[int, bytes]()
        self.latest = 0
        self.longest = _longest(session.bench)

    @staticmethod
    @abstractmethod
    def shown(bench: ChannelBench) -> dict[str, tuple[str, ...]]:
        """Control outputs of the core `bench`, and what counts where each is 1."""

    @staticmethod
    @abstractmethod
    def tags(bench: ChannelBench, given: Words, seen: Words) -> int:
        """How many tags leave the core `bench` in cycles of these inputs, `given`, and outputs, `seen`."""

    @staticmethod
    @abstractmethod
    def rest(bench: ChannelBench) -> int:
        """Cycles from a packet's last word in the core `bench` until all has left, and a packet within which
        a key is offered has begun.
        """

    @classmethod
    def apart(cls, bench: ChannelBench) -> int:
        """Cycles from one time of keys to the next, in the core `bench`."""
        return int(bench.record["key_cycles"]) + 2 * cls.rest(bench) + (_SOME + 1) * _longest(bench)

    @property
    def cycle(self) -> int:
        """Cycles since the reset."""
        return self.session.cycle - self.start

    def until(self, cycle: int) -> None:
        """Idle up to a cycle. Raises CheckFailed where it is over."""
        if cycle < self.cycle:
            raise CheckFailed(f"a packet ends {self.cycle - cycle} cycles later than its words can take")
        self._wait(cycle - self.cycle)

    def _made(self, size: tuple[int, int], slot: int) -> _Sent:
        """A random packet of this size under the key of a slot."""
        (packet,), (want,) = random_packets(self.p, self.rng, self.keys[slot], [size])
        return _Sent(packet, want, slot)

    def _plain(self, size: tuple[int, int], slot: int) -> _Sent:
        """The same, whose IV has 96 bits, and takes no words."""
        while True:
            made = self._made(size, slot)
            if not made.packet.iv_sizes:
                return made

    def _any(self, slot: int) -> _Sent:
        """A random packet of any size under the key of a slot."""
        a, n = (int(x) for x in self.rng.integers(0, _LONGEST + 1, 2))
        return self._made((a, n), slot)

    def _slot(self) -> int:
        """A slot that has a key."""
        return int(self.rng.choice(sorted(self.keys)))

    def packets(self, end: int, after: int | None = None) -> None:
        """Random packets, as long as the next one and `after` cycles more (None: until all has left) are over
        before the cycle `end`.
        """
        count = _AT_ONCE if announces(self.session.bench) else 1
        margin = count * self.longest + (self.rest(self.session.bench) if after is None else after)
        while self.keys and self.cycle + margin < end:
            made = [self._any(self._slot()) for _ in range(count)]
            self.latest = made[-1].slot
            self._send(made)

    def load(self, cycle: int, key: bytes, slot: int, how: int) -> None:
        """Take a `key` for a `slot` that is offered from a `cycle` on. how: at rest (0), within a packet
        under the key before it (1), or while packets under the other key go on (2), where there is such a
        key. Where keys are announced, packets from this cycle on go under it.
        """
        if announces(self.session.bench):
            self.until(cycle)
        elif how == 2 and 1 - slot in self.keys:
            self._load_beside(cycle, key, slot, [self._any(1 - slot) for _ in range(_BESIDE)])
        else:
            if how == 1 and slot in self.keys:
                self._send_with(cycle, key, self._plain(_WITHIN, slot))
            else:
                self.until(cycle)
            self._load(key, slot)
        self.keys[slot] = key

    def zeroise(self, cycle: int) -> None:
        """Zeroise in a cycle, within what is in flight."""
        last = self._last()
        self.packets(cycle - last, int(self.session.bench.record["packet"]["tag_latency_cycles"]))
        if self.keys:
            self.until(cycle - last)
            announced = announces(self.session.bench)
            self._send_last(self._plain((20, 30), self.latest if announced else self._slot()))
        self.until(cycle)
        self.session.zeroise()
        self.keys = {}
        self._forget()

    def finish(self) -> None:
        """All that was sent has left, and is what the reference makes of it. Raises CheckFailed."""
        if not self._right():
            raise CheckFailed(f"a packet of one channel alone differs from {reference_of(self.p).name}")
        self._forget()

    @abstractmethod
    def _wait(self, cycles: int) -> None:
        """So many cycles in which no word is offered."""

    @abstractmethod
    def _send(self, made: list[_Sent]) -> None:
        """Packets with gaps."""

    @abstractmethod
    def _send_with(self, cycle: int, key: bytes, made: _Sent) -> None:
        """The same, within which a key for its slot is offered from a cycle on, which must not be taken in
        it.
        """

    @abstractmethod
    def _send_last(self, made: _Sent) -> None:
        """The same without gaps."""

    @abstractmethod
    def _load(self, key: bytes, slot: int) -> None:
        """Offer a key for a slot until it is taken."""

    @abstractmethod
    def _load_beside(self, cycle: int, key: bytes, slot: int, packets: list[_Sent]) -> None:
        """The same from a cycle on, while packets under the other key go on."""

    @abstractmethod
    def _last(self) -> int:
        """Cycles of the four words of a packet, and one more, at most."""

    @abstractmethod
    def _right(self) -> bool:
        """Whether all that was sent, and nothing else, leaves."""

    @abstractmethod
    def _forget(self) -> None:
        """Nothing was sent."""


class _WordPlayer(Player):
    """At the core's own ports: every word, result and tag is in its cycle."""

    session: Session

    def __init__(self, session: Session, rng: np.random.Generator, number: int) -> None:
        super().__init__(session, rng, number)
        self.gaps, self.sent = _GAPS[number % len(_GAPS)], list[PacketResult]()

    @staticmethod
    def shown(bench: ChannelBench) -> dict[str, tuple[str, ...]]:
        p, n = bench.ports, bench.record["packet"]["ports"]
        return {
            **({p.key_ready: ()} if announces(bench) else {}),
            p.ready_out: (),
            p.valid_out: (p.block_out, n["keep_out"], n["last_out"]),
            n["tag_valid"]: tuple(n[what] for what in ("tag_out", "good", "too_long") if what in n),
        }

    @staticmethod
    def tags(bench: ChannelBench, given: Words, seen: Words) -> int:
        return int(bench.simulation.view(seen, bench.record["packet"]["ports"]["tag_valid"]).sum())

    @staticmethod
    def rest(bench: ChannelBench) -> int:
        waits = bench.words + _DRAINED if isinstance(bench, HeldBench) else 0
        return int(bench.record["packet"]["tag_latency_cycles"]) + 4 + waits + _ahead(bench)

    def _wait(self, cycles: int) -> None:
        self.session.run(self.session.idle(cycles))

    def _expect(self, made: _Sent) -> None:
        """What leaves of a packet that is sent."""
        self.sent += self.session.bench.expected([made.packet], [made.want])

    def _send(self, made: list[_Sent]) -> None:
        if isinstance(self.session, AnnouncedSession):
            for m in made:
                self._expect(m)
            self.session.traffic([(self.keys[m.slot], m.packet) for m in made], self.gaps, _KEY_GAPS)
            return
        for m in made:
            self._play(m, self.gaps)

    def _play(self, made: _Sent, gaps: float, key: bytes = b"") -> None:
        self._expect(made)
        if isinstance(self.session, SlotSession):
            self.session.slot = made.slot
        if isinstance(self.session, AnnouncedSession):
            self.session.load_key(self.keys[made.slot])
        self.session.send(made.packet, gaps, key)

    def _send_with(self, cycle: int, key: bytes, made: _Sent) -> None:
        self.until(cycle - _ahead(self.session.bench))
        self._play(made, 0.0, key)

    def _send_last(self, made: _Sent) -> None:
        self._play(made, 0.0)

    def _load(self, key: bytes, slot: int) -> None:
        if isinstance(self.session, SlotSession):
            self.session.load_key(key, slot)
        else:
            self.session.load_key(key)

    def _load_beside(self, cycle: int, key: bytes, slot: int, packets: list[_Sent]) -> None:
        assert isinstance(self.session, SlotSession)
        self.until(cycle)
        for made in packets:
            self._expect(made)
        self.session.traffic([(m.packet, m.slot) for m in packets], [KeyLoad(key, slot, 0)], self.gaps)

    def _last(self) -> int:
        bench = self.session.bench
        pace = bench.pace + 1 if isinstance(bench, AnnouncedBench) else 0
        return 4 * (_word_cycles(bench) + 1) + pace

    def _right(self) -> bool:
        return not self.sent or self.session.finish() == self.sent

    def _forget(self) -> None:
        self.sent = []


class _BeatPlayer(Player):
    """Behind AXI-Stream, with gaps and under back-pressure."""

    HOW = "; with gaps, under back-pressure"

    session: AxiSession

    def __init__(self, session: AxiSession, rng: np.random.Generator, number: int) -> None:
        super().__init__(session, rng, number)
        self.flow, self.sent = _FLOWS[number % len(_FLOWS)], list[Traffic]()

    @staticmethod
    def shown(bench: ChannelBench) -> dict[str, tuple[str, ...]]:
        names = {port.name for port in bench.simulation.outputs}

        def of(data: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(n for n in data if n in names)

        keys: dict[str, tuple[str, ...]] = {bench.ports.key_ready: ()} if announces(bench) else {}
        return {**keys, "s_axis_tready": (), "m_axis_tvalid": of(AXIS_DATA), "m_tag_tvalid": of(TAG_DATA)}

    @staticmethod
    def tags(bench: ChannelBench, given: Words, seen: Words) -> int:
        view = bench.simulation.view
        return int((view(seen, "m_tag_tvalid") & view(given, "m_tag_tready")).sum())

    @staticmethod
    def rest(bench: ChannelBench) -> int:
        assert isinstance(bench, AxiMessageBench)
        return bench.patience + _begins(bench)

    def _ids(self) -> Iterator[int]:
        while True:
            yield int(self.rng.integers(0, 1 << self.session.bench.id_bits))

    def _beats(self, made: _Sent) -> Traffic:
        """A packet that is sent, as beats."""
        sent = packet_beats(self.session.bench, made.packet, made.want, self._ids())
        if announces(self.session.bench):
            sent = replace(sent, units=(Announced(b"", key=self.keys[made.slot]),))
        else:
            sent = with_slot(sent, made.slot)
        self.sent.append(sent)
        return sent

    @property
    def _due(self) -> dict[str, int]:
        """How many beats must have left each stream of all that was sent."""
        return {side: len(found) for side, found in joined(self.sent).left.items()} if self.sent else {}

    def _wait(self, cycles: int) -> None:
        for _ in range(cycles):
            self.session.wait()

    def _send(self, made: list[_Sent]) -> None:
        s = self.session
        # However deep a FIFO is, what it holds has time to leave.
        s.play((), {side: n - s.bench.patience // 2 for side, n in self._due.items()}, self.flow)
        sent = joined([self._beats(m) for m in made])
        s.play(sent.beats, {}, self.flow, sent.units)

    def _send_with(self, cycle: int, key: bytes, made: _Sent) -> None:
        s, beats = self.session, self._beats(made).beats
        self.until(cycle - _begins(s.bench))
        s.play(beats[:1], {}, Flow())
        self.until(cycle)
        s.offer_key(key, made.slot)
        s.play(beats[1:], {}, self.flow)
        if not s.offers_key:
            raise CheckFailed("a key is taken within a packet under the key before it")

    def _send_last(self, made: _Sent) -> None:
        sent = self._beats(made)
        self.session.play(sent.beats, {}, Flow(), sent.units)

    def _load(self, key: bytes, slot: int) -> None:
        self.session.load_key(key, slot)

    def _load_beside(self, cycle: int, key: bytes, slot: int, packets: list[_Sent]) -> None:
        self.until(cycle)
        self.session.offer_key(key, slot)
        for made in packets:
            self._send([made])
        if self.session.offers_key:
            self.session.load_key(key, slot)

    def _last(self) -> int:
        return self.longest

    def _right(self) -> bool:
        s = self.session
        s.play((), self._due, Flow())
        return not self.sent or all(s.left[k] == list(found) for k, found in joined(self.sent).left.items())

    def _forget(self) -> None:
        self.sent = []
        self.session.forget()


def player_of(bench: ChannelBench) -> type[Player]:
    """Who plays traffic to the core `bench` of a channel."""
    return _BeatPlayer if isinstance(bench, AxiMessageBench) else _WordPlayer


def load_slot_of(bench: ChannelBench) -> str:
    """The port of the core `bench` that says which slot a key is for; "" where one key is resident."""
    return str(bench.record["packet"]["ports"].get("load_slot", ""))


def announces(bench: ChannelBench) -> bool:
    """Whether every packet's key is announced to the core `bench`."""
    return "key_change_cycles" in bench.record["packet"]


def key_slots_of(bench: ChannelBench) -> int:
    """How many keys are resident in the core `bench`."""
    return 2 if load_slot_of(bench) or announces(bench) else 1


def _in_loop(bench: ChannelBench) -> bool:
    """Whether the cipher is a loop, which takes a word when a place in it is free."""
    return bench.record["packet"]["multiplier"].get("digit") is not None


def _word_cycles(bench: ChannelBench) -> int:
    """Cycles of a word without gaps, at most: in a loop it waits for the one before and for a free place."""
    loops = _in_loop(bench)
    return int(bench.record["interval_cycles"] + bench.record["inner"]["slots"]) if loops else 1


def _longest(bench: ChannelBench) -> int:
    """Cycles of a random packet with gaps, with its IV, up to the next one, at most."""
    packet = bench.record["packet"]
    size = WORD_BYTES * int(bench.record["parameters"].get("lanes", 1))
    words = 2 * -(-_LONGEST // size) + 1
    wait = int(packet["tag_latency_cycles"]) if _in_loop(bench) else 1
    if "initial_block_cycles" in packet:
        words += -(-_LONGEST_IV // WORD_BYTES)
        wait += int(packet["initial_block_cycles"])
    wait += _TO_SLOT * (key_slots_of(bench) - 1) + int(packet.get("key_change_cycles", 0))
    gap = 3 * int(bench.record["interval_cycles"]) if _in_loop(bench) else 12
    return words * (_word_cycles(bench) + gap) + wait


def _ahead(bench: ChannelBench) -> int:
    """Cycles from a packet's first word to the key that is offered within it: from the fourth word on, in a
    loop from the second. With two keys the first word is offered a cycle before it is taken, and the key
    comes after the fourth.
    """
    return 1 if _in_loop(bench) else 3 + 2 * (key_slots_of(bench) - 1)


def _begins(bench: ChannelBench) -> int:
    """Cycles in which the first beat of a packet is taken, where nothing is in flight, and some more."""
    return _word_cycles(bench) + 8
