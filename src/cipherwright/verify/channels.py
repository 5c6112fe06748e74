"""Several channels: each does what the core of a channel does alone, cycle by cycle, whatever the others do.

Every channel has traffic of its own, which is played to the core of a channel first: random packets, checked
against the reference, keys that come at rest and within packets, zeroising in the middle. Its inputs and
outputs are kept. Then the inputs of all channels go into the whole core together. Keys have one port, so they
come at times that are the same in the traffic of all: a key for one channel, or for several, which take it in
different cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import CHOSEN, WORD_BYTES, channel_name
from .gcm import random_packets
from .packets import Packet, PacketBench, PacketResult, Session
from .reference import reference_of
from .simulate import Model, Simulation, Words, compile_simulation
from .verdict import CoreFolder

__all__ = ["Traffic", "channel_traffic", "check_channels", "together"]

_LONGEST = 90
"""Bytes of additional data and of data in a random packet, at most."""

_WITHIN = (70, 60)
"""Bytes of additional data and of data of the packet within which a key is offered: over four words."""

_LONGEST_IV = 128
"""Bytes of a random IV, at most."""

_SOME = 3
"""Longest packets for which there is time between two keys, at least."""

_KEYS = 10
"""Times at which a key comes, before everything is zeroised."""

_GAPS = (0.0, 0.5, 0.1)
"""How probable a gap before a word is, in the traffic of one channel after the other."""


@dataclass(frozen=True)
class _Event:
    """A `key` for some `channels`, in a `cycle`; `zeroise`: everything is zeroised so many cycles before."""

    cycle: int
    key: bytes
    channels: frozenset[int]
    zeroise: int = 0


class _Tape(Model):
    """A model that keeps what goes in and what comes out of it."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self.given, self.seen = list[Words](), list[Words]()

    def run(self, rows: Words) -> Words:
        """As `Model.run` of `rows`."""
        out = super().run(rows)
        self.given.append(rows.copy())
        self.seen.append(out)
        return out


@dataclass(frozen=True)
class Traffic:
    """Inputs and outputs of a channel, a row a cycle."""

    given: Words
    seen: Words


def _events(
    rng: np.random.Generator, count: int, keys: int, apart: int, key_bytes: int, zeroise: int
) -> list[_Event]:
    """Keys for all `count` channels, for each by itself, and for some, at so many times (`keys`), `apart`
    cycles from one to the next. Then everything is zeroised, which takes `zeroise` cycles, and a last key
    comes.
    """
    whole = frozenset(range(count))
    some = [whole, *(frozenset((k,)) for k in range(count)), whole]
    for _ in range(keys - len(some)):
        chosen = rng.permutation(count)[: int(rng.integers(1, count + 1))]
        some.append(frozenset(chosen.tolist()))
    found = [_Event(apart * k + 5, rng.bytes(key_bytes), of) for k, of in enumerate(some)]
    last = found[-1].cycle + apart + zeroise
    return [*found, _Event(last, rng.bytes(key_bytes), whole, zeroise)]


class _Player:
    """One channel's traffic, through a session of the core of a channel."""

    def __init__(self, session: Session, p: Mapping[str, Any], rng: np.random.Generator, gaps: float) -> None:
        self.session, self.p, self.rng, self.gaps = session, p, rng, gaps
        self.start = session.cycle
        self.key = b""
        self.sent: list[tuple[Packet, PacketResult]] = []

    @property
    def cycle(self) -> int:
        """Cycles since the reset."""
        return self.session.cycle - self.start

    def until(self, cycle: int) -> None:
        """Idle up to a cycle. Raises CheckFailed where it is over."""
        if cycle < self.cycle:
            raise CheckFailed(f"a packet ends {self.cycle - cycle} cycles later than its words can take")
        self.session.run(self.session.idle(cycle - self.cycle))

    def packet(self, size: tuple[int, int]) -> Packet:
        """A random packet of this size under the key of the channel."""
        (packet,), (want,) = random_packets(self.p, self.rng, self.key, [size])
        self.sent.append((packet, want))
        return packet

    def plain_packet(self, size: tuple[int, int]) -> Packet:
        """A random packet whose IV has 96 bits, and takes no words."""
        while True:
            packet = self.packet(size)
            if not packet.iv_sizes:
                return packet
            self.sent.pop()

    def packets(self, end: int, after: int) -> None:
        """Random packets, as long as the next one and `after` cycles more are over before the cycle `end`."""
        longest = _longest(self.session.bench)
        while self.key and self.cycle + longest + after < end:
            a, n = (int(x) for x in self.rng.integers(0, _LONGEST + 1, 2))
            self.session.send(self.packet((a, n)), self.gaps)

    def finish(self) -> None:
        """All that was sent has left, and is what the reference makes of it. Raises CheckFailed."""
        if self.sent and self.session.finish() != [want for _, want in self.sent]:
            raise CheckFailed(f"a packet of one channel alone differs from {reference_of(self.p).name}")
        self.sent = []

    def load(self, event: _Event, within: bool) -> None:
        """Take a key; with `within` it is offered within a packet."""
        if within and self.key:
            self.until(event.cycle - _ahead(self.session.bench))
            self.session.send(self.plain_packet(_WITHIN), 0.0, event.key)
        else:
            self.until(event.cycle)
        self.session.load_key(event.key)
        self.key = event.key

    def zeroise(self, cycle: int) -> None:
        """Zeroise in a cycle, within what is in flight."""
        s = self.session
        last = 4 * (_word_cycles(s.bench) + 1)
        self.packets(cycle - last, s.bench.tag_latency)
        if self.key:
            self.until(cycle - last)
            s.send(self.plain_packet((20, 30)))
        self.until(cycle)
        s.zeroise()
        self.key, self.sent = b"", []


def _word_cycles(bench: PacketBench) -> int:
    """Cycles of a word without gaps, at most: in a loop it waits for the one before and for a free place."""
    return int(bench.record["interval_cycles"] + bench.record["inner"]["slots"]) if bench.loops else 1


def _longest(bench: PacketBench) -> int:
    """Cycles of a random packet with gaps, with its IV, up to the next one, at most."""
    words = 2 * -(-_LONGEST // bench.word_bytes) + 1
    wait = bench.tag_latency if bench.loops else 1
    if bench.any_iv:
        words += -(-_LONGEST_IV // WORD_BYTES)
        wait += int(bench.record["packet"]["initial_block_cycles"])
    gap = 3 * int(bench.record["interval_cycles"]) if bench.loops else 12
    return words * (_word_cycles(bench) + gap) + wait


def _ahead(bench: PacketBench) -> int:
    """Cycles from a packet's first word to the key that is offered within it: from the fourth word on, in a
    loop from the second.
    """
    return 1 if bench.loops else 3


def _apart(bench: PacketBench) -> int:
    """Cycles from one time of keys to the next."""
    return int(bench.record["key_cycles"]) + 2 * bench.tag_latency + (_SOME + 1) * _longest(bench)


def _played(bench: PacketBench, events: Sequence[_Event], channel: int, seed: int) -> Traffic:
    """The traffic of a channel."""
    rng = np.random.default_rng([seed, channel])
    p = bench.record["parameters"]
    with bench.session(seed + channel) as session:
        session.model.close()
        session.model = tape = _Tape(bench.simulation)
        session.reset()
        player = _Player(session, p, rng, _GAPS[channel % len(_GAPS)])
        rest = bench.tag_latency + 4 + _ahead(bench)
        # Of a key for others a channel takes no notice: its packets go on.
        own = [e for e in events if channel in e.channels]
        for number, event in enumerate(own):
            if event.zeroise:
                player.zeroise(event.cycle - event.zeroise)
            else:
                player.packets(event.cycle, rest)
                player.finish()
            player.load(event, within=(number + channel) % 2 == 1)
        player.packets(events[-1].cycle + _apart(bench), rest)
        player.finish()
        return Traffic(np.vstack(tape.given), np.vstack(tape.seen))


def _merged(whole: Simulation, bench: PacketBench, traffic: Sequence[Traffic]) -> tuple[Words, Words]:
    """Inputs of the whole core, and in which cycles it tells that a key was taken."""
    cycles = min(len(t.given) for t in traffic)
    rows, ends = whole.rows(cycles), np.zeros(cycles, dtype=np.uint8)
    p, s = bench.ports, bench.simulation
    shared = {p.reset, p.zeroise, p.key_valid, p.key}
    chosen = whole.view(rows, CHOSEN)
    for k, t in enumerate(traffic):
        given = t.given[:cycles]
        for port in s.inputs:
            if port.name not in shared:
                whole.view(rows, channel_name(port.name, k))[:] = s.view(given, port.name)
        for name in (p.reset, p.zeroise):
            whole.view(rows, name)[:] |= s.view(given, name)
        offered = np.flatnonzero(s.view(given, p.key_valid)[:, 0])
        whole.view(rows, p.key_valid)[offered, 0] = 1
        whole.view(rows, p.key)[offered] = s.view(given, p.key)[offered]
        chosen[offered, k // 8] |= 1 << k % 8
    _hold(whole, p.key_valid, p.key, rows, ends)
    return rows, ends


def _hold(whole: Simulation, valid: str, key: str, rows: Words, ends: Words) -> None:
    """A key stays for all its channels until the cycle after the last of them took it; `ends` gets a 1 there
    (both changed in place).
    """
    offered = whole.view(rows, valid)[:, 0]
    edges = np.flatnonzero(np.diff(offered, prepend=0, append=0))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end >= len(rows):
            break
        span = slice(begin, end + 1)
        whole.view(rows, valid)[span] = 1
        whole.view(rows, key)[span] = whole.view(rows, key)[begin]
        whole.view(rows, CHOSEN)[span] = whole.view(rows, CHOSEN)[begin]
        ends[end] = 1


def _differences(
    whole: Simulation, bench: PacketBench, traffic: Sequence[Traffic], out: Words, ends: Words
) -> Iterator[str]:
    """What the whole core does in another way than its channels alone."""
    p, n, s = bench.ports, bench.packet, bench.simulation
    if (whole.view(out, p.key_ready)[:, 0] != ends).any():
        yield f"{p.key_ready} is not 1 in exactly the cycle after the last channel took a key"
    busy = np.zeros(len(out), dtype=np.uint8)
    for k, t in enumerate(traffic):
        seen = t.seen[: len(out)]
        busy |= s.view(seen, p.busy)[:, 0]
        for valid, names in (
            (p.valid_out, (p.block_out, n["keep_out"], n["last_out"])),
            (n["tag_valid"], (n["tag_out"], n["good"])),
            (p.ready_out, ()),
        ):
            alone, here = s.view(seen, valid)[:, 0], whole.view(out, channel_name(valid, k))[:, 0]
            if (alone != here).any():
                yield f"{channel_name(valid, k)} differs from that of the core of a channel"
                continue
            at = np.flatnonzero(alone)
            for name in names:
                if (s.view(seen, name)[at] != whole.view(out, channel_name(name, k))[at]).any():
                    yield f"{channel_name(name, k)} differs from that of the core of a channel"
    if (whole.view(out, p.busy)[:, 0] != busy).any():
        yield f"{p.busy} is not 1 where that of a channel is"


def channel_traffic(bench: PacketBench, count: int, keys: int = _KEYS, seed: int = 23) -> list[Traffic]:
    """Traffic for `count` channels, each played to the core of one, which is `bench`. `keys`: times at which
    a key comes; `seed`: of all that is random. Raises CheckFailed where that core is wrong by itself.
    """
    record = bench.record
    zeroise = int(record["zeroise_cycles"]) + 8
    events = _events(np.random.default_rng(seed), count, keys, _apart(bench), bench.key_bytes, zeroise)
    return [_played(bench, events, channel, seed) for channel in range(count)]


def together(
    bench: PacketBench, whole: Simulation, traffic: Sequence[Traffic], held: Mapping[str, int] | None = None
) -> list[str]:
    """What the core `whole`, with all channels, does in another way than each channel by itself did with its
    `traffic`, in words: nothing where it is right. bench: the core of a channel; held: inputs of `whole` that
    stay as they are.
    """
    rows, ends = _merged(whole, bench, traffic)
    whole.hold(rows, held or {})
    model = Model(whole)
    try:
        out = model.run(rows)
    finally:
        model.close()
    return list(_differences(whole, bench, traffic, out, ends))


def check_channels(folder: CoreFolder, bench: PacketBench) -> str:
    """All channels of the core in `folder` together, each against `bench`, the core of one, alone. What was
    checked, in words; raises CheckFailed.
    """
    record = folder.record
    count = int(record["channels"]["count"])
    traffic = channel_traffic(bench, count)
    whole = compile_simulation(folder.sources, record["top"], bench.ports.clk)
    for difference in together(bench, whole, traffic):
        raise CheckFailed(difference)
    view, p = bench.simulation.view, bench.ports
    packets = sum(int(view(t.seen, bench.packet["tag_valid"]).sum()) for t in traffic)
    keys = sum(int((view(t.given, p.key_valid) & view(t.seen, p.key_ready)).sum()) for t in traffic)
    cycles = min(len(t.given) for t in traffic)
    return (
        f"{count} channels at once for {cycles:,} cycles, each as the core of a channel alone: {packets} "
        f"packets equal to {reference_of(record['parameters']).name}, {keys} keys at rest and within "
        "packets, for one channel or several; zeroising within packets"
    )
