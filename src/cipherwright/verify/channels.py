"""Several channels: each does what the core of a channel does alone, cycle by cycle, whatever the others do:
at its own ports, or behind AXI-Stream.

Every channel has traffic of its own, which is played to the core of a channel first: random packets, checked
against the reference, keys that come at rest and within packets, zeroising in the middle. Its inputs and
outputs are kept. Then the inputs of all channels go into the whole core together. Keys have one port, so they
come at times that are the same in the traffic of all: a key for one channel, or for several, which take it in
different cycles. Where keys are announced, each channel has a port for its own, and packets go under other
keys from these times on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import CheckFailed
from ..shell import CHOSEN, channel_name
from .channel_players import ChannelBench, Tape, announces, key_slots_of, load_slot_of, player_of
from .reference import reference_of
from .simulate import Model, Simulation, Words, compile_simulation
from .verdict import CoreFolder

__all__ = ["Traffic", "channel_traffic", "check_channels", "together"]

_AHEAD = 4
"""Cycles by which the slot of some keys is there before them."""

_KEYS = {1: 10, 2: 6}
"""Times at which a key comes, before everything is zeroised, by how many keys are resident: with two, a key
takes about 1,200 cycles.
"""


@dataclass(frozen=True)
class _Event:
    """A `key` for some `channels`, in a `cycle`; `zeroise`: everything is zeroised so many cycles before;
    `slot`: which of the resident keys it becomes.
    """

    cycle: int
    key: bytes
    channels: frozenset[int]
    zeroise: int = 0
    slot: int = 0


@dataclass(frozen=True)
class Traffic:
    """Inputs and outputs of a channel, a row a cycle."""

    given: Words
    seen: Words


def _events(bench: ChannelBench, rng: np.random.Generator, count: int, keys: int) -> list[_Event]:
    """Keys for all `count` channels, for each by itself, and for some, at so many times (`keys`). Then
    everything is zeroised, and a last key comes.
    """
    record, slots = bench.record, key_slots_of(bench)
    zeroise, key_bytes = int(record["zeroise_cycles"]) + 8, int(record["parameters"]["key_bits"]) // 8
    apart = player_of(bench).apart(bench)
    whole = frozenset(range(count))
    some = [whole, *(frozenset((k,)) for k in range(count)), whole]
    for _ in range(keys - len(some)):
        chosen = rng.permutation(count)[: int(rng.integers(1, count + 1))]
        some.append(frozenset(chosen.tolist()))
    found = [
        _Event(apart * k + 5, rng.bytes(key_bytes), of, slot=k // 2 % slots) for k, of in enumerate(some)
    ]
    last = found[-1].cycle + apart + zeroise
    return [*found, _Event(last, rng.bytes(key_bytes), whole, zeroise)]


def _played(bench: ChannelBench, events: Sequence[_Event], channel: int, seed: int) -> Traffic:
    """The traffic of a channel."""
    kind = player_of(bench)
    with bench.session(seed + channel) as session:
        session.model.close()
        session.model = tape = Tape(bench.simulation, _slots(bench, events))
        session.reset()
        player = kind(session, np.random.default_rng([seed, channel]), channel)
        # Of a key for others a channel takes no notice: its packets go on.
        own = [e for e in events if channel in e.channels]
        for number, event in enumerate(own):
            if event.zeroise:
                player.zeroise(event.cycle - event.zeroise)
            else:
                player.packets(event.cycle)
                player.finish()
            player.load(event.cycle, event.key, event.slot, (number + channel) % (1 + key_slots_of(bench)))
        player.packets(events[-1].cycle + player.apart(bench))
        player.finish()
        return Traffic(np.vstack(tape.given), np.vstack(tape.seen))


def _slots(bench: ChannelBench, events: Sequence[_Event]) -> tuple[str, Words] | None:
    """The port that says which slot a key is for, where there are several, and its value in each cycle, which
    is that of all channels: of the key that comes next from four cycles before it on, or with it.
    """
    if not load_slot_of(bench):
        return None
    begins = [0, *(1 + e.cycle - _AHEAD * (k % 2) for k, e in enumerate(events))]
    values = [1 - events[0].slot, *(e.slot for e in events)]
    lasts = [end - begin for begin, end in zip(begins, [*begins[1:], begins[-1] + 1], strict=True)]
    return load_slot_of(bench), np.repeat(np.array(values, dtype=np.uint8), lasts)


def _merged(whole: Simulation, bench: ChannelBench, traffic: Sequence[Traffic]) -> tuple[Words, Words]:
    """Inputs of the whole core, and in which cycles it tells at a common port that a key was taken."""
    cycles = min(len(t.given) for t in traffic)
    rows, ends = whole.rows(cycles), np.zeros(cycles, dtype=np.uint8)
    p, s = bench.ports, bench.simulation
    shared = {p.reset, p.zeroise}
    if not announces(bench):
        shared |= {p.key_valid, p.key, load_slot_of(bench)}
    if slot := load_slot_of(bench):
        whole.view(rows, slot)[:] = s.view(traffic[0].given[:cycles], slot)
    for k, t in enumerate(traffic):
        given = t.given[:cycles]
        for port in s.inputs:
            if port.name not in shared:
                whole.view(rows, channel_name(port.name, k))[:] = s.view(given, port.name)
        for name in (p.reset, p.zeroise):
            whole.view(rows, name)[:] |= s.view(given, name)
    if not announces(bench):
        _offer(whole, bench, [t.given[:cycles] for t in traffic], rows)
        _hold(whole, p.key_valid, p.key, rows, ends)
    return rows, ends


def _offer(whole: Simulation, bench: ChannelBench, given: Sequence[Words], rows: Words) -> None:
    """The keys of all channels, with the inputs `given`, at the common port (`rows` are changed in place)."""
    p, s = bench.ports, bench.simulation
    for k, own in enumerate(given):
        offered = np.flatnonzero(s.view(own, p.key_valid)[:, 0])
        whole.view(rows, p.key_valid)[offered, 0] = 1
        whole.view(rows, p.key)[offered] = s.view(own, p.key)[offered]
        whole.view(rows, CHOSEN)[offered, k // 8] |= 1 << k % 8


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
    whole: Simulation, bench: ChannelBench, traffic: Sequence[Traffic], out: Words, ends: Words
) -> Iterator[str]:
    """What the whole core does in another way than its channels alone."""
    p, s = bench.ports, bench.simulation
    if not announces(bench) and (whole.view(out, p.key_ready)[:, 0] != ends).any():
        yield f"{p.key_ready} is not 1 in exactly the cycle after the last channel took a key"
    busy = np.zeros(len(out), dtype=np.uint8)
    for k, t in enumerate(traffic):
        seen = t.seen[: len(out)]
        busy |= s.view(seen, p.busy)[:, 0]
        for valid, names in player_of(bench).shown(bench).items():
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


def channel_traffic(bench: ChannelBench, count: int, keys: int = 0, seed: int = 23) -> list[Traffic]:
    """Traffic for `count` channels, each played to the core of one, which is `bench`. `keys`: times at which
    a key comes (0: ten, or six where two are resident); `seed`: of all that is random. Raises CheckFailed
    where that core is wrong by itself.
    """
    events = _events(bench, np.random.default_rng(seed), count, keys or _KEYS[key_slots_of(bench)])
    return [_played(bench, events, channel, seed) for channel in range(count)]


def together(
    bench: ChannelBench, whole: Simulation, traffic: Sequence[Traffic], held: Mapping[str, int] | None = None
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


def check_channels(folder: CoreFolder, bench: ChannelBench) -> str:
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
    kind = player_of(bench)
    packets = sum(kind.tags(bench, t.given, t.seen) for t in traffic)
    keys = sum(int((view(t.given, p.key_valid) & view(t.seen, p.key_ready)).sum()) for t in traffic)
    cycles = min(len(t.given) for t in traffic)
    said = f"{keys} keys at rest and within packets, for one channel or several"
    slots = ", under two keys each, one of which is loaded while packets under the other go on"
    if announces(bench):
        said, slots = f"{keys} keys that were announced, at a port of each channel", ""
    return (
        f"{count} channels at once for {cycles:,} cycles, each as the core of a channel alone: {packets} "
        f"packets equal to {reference_of(record['parameters']).name}, {said}; zeroising within packets"
        f"{slots * (key_slots_of(bench) - 1)}{kind.HOW}"
    )
