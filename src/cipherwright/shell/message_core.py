"""What is around a core of packets, data units or messages: nothing, AXI-Stream, or that and registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ..cipher.cmac import tag_length
from ..cipher.modes import MAC_MODES, PACKET_MODES, WIDE_MODES
from ..errors import UserError
from ..rtl import AnyModule, Group, Pin, Rate, Wrapper
from ..spec import Datapath
from .buses import (
    Inner,
    MapFacts,
    MessageBus,
    controlled_top,
    map_pages,
    message_bus_ports,
    message_bus_top,
    message_traffic,
    message_width,
    word_commands,
    word_facts,
    word_interval,
    words,
)
from .channels import channel_ports, channels_top
from .core import PortSet
from .header import GENERATOR, module_name
from .stream import Fifo, choose_fifo, stream_controls
from .written import hand_written

__all__ = ["ZEROISING", "Surrounded", "inner_name", "message_fifo", "places_kept", "surrounded", "zeroising"]


@dataclass(frozen=True)
class Surrounded:
    """A core of messages as its user sees it.

    groups: its ports; ports: their names by meaning; rate: at them. modules, flip_flops and hand-written
    files of what is around the core; stream: what a record says of the core inside, None where nothing is
    around it; bus: what it says of what is behind a register bus, None where there is none; pages of the
    register map. channels: what it says of the core of a channel, None where there is one alone;
    channel_flip_flops: those around all channels, while `flip_flops` are those of each.
    """

    groups: tuple[Group, ...]
    ports: PortSet
    rate: Rate
    modules: tuple[AnyModule, ...] = ()
    flip_flops: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    stream: Mapping[str, object] | None = None
    bus: Mapping[str, object] | None = None
    pages: Mapping[str, str] = field(default_factory=dict)
    channels: Mapping[str, object] | None = None
    channel_flip_flops: int = 0

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """Those of the modules that are printed."""
        return tuple(m for m in self.modules if isinstance(m, Wrapper))


def inner_name(spec: Datapath) -> str:
    """The module of the core of `spec` without a bus, of one channel where there are several."""
    return f"{module_name(spec.name)}_buffered" if spec.streams else _channel(spec)


def _channel(spec: Datapath) -> str:
    """The module of a channel of `spec`, with its bus: the top where there is one alone."""
    top = module_name(spec.name)
    return f"{top}_channel" if spec.channels > 1 else top


def places_kept(fifos: Mapping[str, Fifo]) -> int:
    """Cycles of zeroising in which `fifos`, by name, and what is behind them are written anew (0: there is
    none).
    """
    return max((f.flush + _BEHIND for f in fifos.values()), default=0)


_BEHIND = 2
"""Cycles in which a register behind a FIFO takes what the FIFO offers."""


def message_fifo(spec: Datapath, latency: int, interval: int) -> Fifo:
    """A FIFO for what leaves `latency` cycles after a word at the latest, one in each `interval`, without a
    loss of rate. Where words are registers and software is slower than the core, a result waits while the one
    before it is read. Raises UserError where the `fifo_depth` of `spec` is too small for that.
    """
    if spec.interface == "registers":
        accesses = word_interval(spec.control, spec.block_bits, True)
        latency += accesses * (accesses > interval)
    least = choose_fifo(latency, interval, 1, 0)
    if spec.fifo_depth and spec.fifo_depth < least.places:
        raise UserError(
            f"fifo_depth = {spec.fifo_depth} is too small: mode = {spec.mode} behind AXI-Stream needs "
            f"{least.places} entries"
        )
    return choose_fifo(latency, interval, 1, spec.fifo_depth)


def zeroising(fifos: Mapping[str, Fifo]) -> tuple[Pin, ...]:
    """The port that tells `fifos` around a core to forget; none where there are none."""
    return (ZEROISING,) if fifos else ()


ZEROISING = Pin(
    "zeroising_o",
    out=True,
    meaning="everything is being cleared: what is around the core clears what it holds, too",
)
"""The port that tells what is around a core to forget."""


def surrounded(
    spec: Datapath,
    groups: tuple[Group, ...],
    ports: PortSet,
    rate: Rate,
    fifos: Mapping[str, Fifo],
    longest: int = 0,
) -> Surrounded:
    """What `spec` asks for around a core with the ports `groups`, whose names by meaning are `ports`, and
    this `rate`. fifos, longest: as `MessageBus` has them.
    """
    made = Surrounded(groups, ports, rate)
    if spec.streams:
        made = _behind_streams(spec, made, fifos, longest)
    return made if spec.channels == 1 or spec.control != "none" else _side_by_side(spec, made)


def _behind_streams(spec: Datapath, core: Surrounded, fifos: Mapping[str, Fifo], longest: int) -> Surrounded:
    """The `core` behind AXI-Stream, and behind registers where `spec` asks for them."""
    ports, rate, inside = core.ports, core.rate, inner_name(spec)
    bus = _bus(spec, inside, core.groups, fifos, longest)
    top = _channel(spec) if spec.control == "none" else f"{module_name(spec.name)}_axis"
    beats = spec.tdata_bits or bus.block_bits
    other = beats != bus.block_bits
    words_top = message_bus_top(f"{top}_words" if other else top, bus, tells=other)
    width = message_width(top, words_top, bus, beats, _waits(spec, bus)) if other else None
    printed = (words_top, *width.modules[::-1]) if width else (words_top,)
    module = printed[-1]
    written = stream_controls((words_top,))
    before, behind = (width.before, width.behind) if width else (0, 0)
    latency = rate.latency + _more_latency(bus) + before + behind
    stream = {
        "top": inside,
        "ports": asdict(ports),
        "latency_cycles": rate.latency,
        "interval_cycles": rate.interval,
        "tag_added_cycles": bus.fifos["tag"].latency + before if "tag" in bus.fifos else 0,
    }
    made = Surrounded(
        module.ports,
        message_bus_ports(bus),
        replace(rate, latency=latency, stalls=True),
        (*written, *printed),
        sum(m.flip_flops for m in printed) + sum(w.flip_flops for w in written),
        {f.file: hand_written(f.file) for f in fifos.values()},
        stream,
    )
    return made if spec.control == "none" else _controlled(spec, bus, made)


def _waits(spec: Datapath, bus: MessageBus) -> bool:
    """Whether a new key waits until beats that were taken before it have reached the core. Units are under
    the key that was there when their number was taken, and of packets each key may be announced.
    """
    return bus.kind != "unit" and spec.options().get("packet_keys") != "announced"


def _side_by_side(spec: Datapath, one: Surrounded) -> Surrounded:
    """The channels of `spec`, each like `one`."""
    inside, own_keys = _channel(spec), spec.options().get("packet_keys") == "announced"
    top = channels_top(module_name(spec.name), inside, one.groups, spec.channels, own_keys)
    return replace(
        one,
        groups=top.ports,
        ports=channel_ports(one.ports, 0, own_keys),
        modules=(*one.modules, top),
        channels={"count": spec.channels, "top": inside, "ports": asdict(one.ports)},
        channel_flip_flops=top.flip_flops,
    )


def _more_latency(bus: MessageBus) -> int:
    """Cycles by which a result is later behind the bus: none where words wait in the core's own buffer, one
    where the core itself waits until they are taken.
    """
    if bus.longest or not bus.fifos:
        return int(not bus.longest)
    slowest = bus.fifos.get("data", bus.fifos.get("tag"))
    assert slowest is not None
    return slowest.latency + (bus.kind == "unit")


def _controlled(spec: Datapath, bus: MessageBus, inside: Surrounded) -> Surrounded:
    """The same with a register bus for keys, IVs, unit numbers and status, and for words where these are
    registers too.
    """
    top = module_name(spec.name)
    core, axis = Inner(inside.groups, 1), f"{top}_axis"
    traffic, rate, timing = message_traffic(core, bus), inside.rate, dict[str, object]()
    if spec.interface == "registers":
        control = word_commands(f"{top}_commands", bus.kind, word_facts(bus))
        traffic = words(control, core, bus, traffic)
        timing = {"latency_cycles": rate.latency, "interval_cycles": rate.interval}
        read = word_facts(bus).data
        accesses = word_interval(spec.control, spec.block_bits, read)
        rate = Rate(rate.latency + 1, max(rate.interval, accesses))
    made = controlled_top((top, axis), core, traffic, spec.control, _facts(spec, core, bus))
    ports, channels = inside.ports, None
    if spec.channels > 1:
        ports, channels = channel_ports(ports, 0), {"count": spec.channels, "top": _channel(spec)}
    return replace(
        inside,
        groups=made.module.ports,
        rate=rate,
        ports=ports.only({p.name for g in made.module.ports for p in g.pins}),
        modules=(*inside.modules, *made.modules[::-1]),
        flip_flops=inside.flip_flops + made.flip_flops,
        bus={"top": axis, "ports": asdict(inside.ports), **timing},
        pages=map_pages(spec.name, made.source, spec.channels),
        channels=channels,
        channel_flip_flops=made.common_flip_flops,
    )


def _facts(spec: Datapath, core: Inner, bus: MessageBus) -> MapFacts:
    """What software sees of a core of messages."""
    widths = {name: pin.width for name, pin in core.pins.items()}
    major, minor, patch = (int(n) for n in GENERATOR.split(".")[:3])
    return MapFacts(
        module_name(spec.name),
        (major, minor, patch),
        spec.mode,
        "both" if bus.ways else spec.direction,
        widths["key_i"],
        spec.block_bits,
        widths.get("s_iv_i", 0),
        held_way=False,
        fills=False,
        unit_bits=widths.get("unit_i", 0),
        packets=bus.kind == "packet",
        tag_bytes=bus.tag_bits // 8 if bus.kind in ("packet", "message") else 0,
        slots="load_slot_i" in widths,
        runs="unit_more_i" in widths,
        unit_slots="key_slot_i" in widths,
        blocks=spec.interface == "registers",
        words=word_facts(bus) if spec.interface == "registers" else None,
        lengths=tuple((p.name.removesuffix("_i"), p.width, p.meaning.split(",")[0]) for p in bus.lengths),
        channels=spec.channels,
    )


def _bus(
    spec: Datapath, inside: str, groups: Sequence[Group], fifos: Mapping[str, Fifo], longest: int
) -> MessageBus:
    packets, tags = spec.mode in PACKET_MODES, spec.mode in MAC_MODES
    kinds = {**dict.fromkeys(PACKET_MODES, "packet"), **dict.fromkeys(MAC_MODES, "message")}
    kinds |= dict.fromkeys(WIDE_MODES, "wide")
    options = spec.options()
    return MessageBus(
        inside,
        groups,
        kinds.get(spec.mode, "unit"),
        spec.block_bits * spec.lane_count,
        spec.tid_bits,
        packets or (not tags and spec.direction == "both"),
        packets and options["iv_bits"] == "any",
        tag_length(spec.tag_bits, spec.block_bits) if tags else spec.tag_bits,
        dict(fifos),
        longest,
    )
