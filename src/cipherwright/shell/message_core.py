"""What is around a core of packets, data units or messages: nothing, or AXI-Stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ..cipher.cmac import tag_length
from ..cipher.modes import MAC_MODES, PACKET_MODES
from ..errors import UserError
from ..rtl import AnyModule, Group, Pin, Rate, Wrapper
from ..spec import Datapath
from .buses import MessageBus, message_bus_ports, message_bus_top
from .core import PortSet
from .header import module_name
from .stream import Fifo, choose_fifo, stream_controls
from .written import hand_written

__all__ = ["Surrounded", "inner_name", "message_fifo", "places_kept", "surrounded", "zeroising"]


@dataclass(frozen=True)
class Surrounded:
    """A core of messages as its user sees it.

    groups: its ports; ports: their names by meaning; rate: at them. modules, flip_flops and hand-written
    files of what is around the core; stream: what a record says of the core inside, None where nothing is
    around it.
    """

    groups: tuple[Group, ...]
    ports: PortSet
    rate: Rate
    modules: tuple[AnyModule, ...] = ()
    flip_flops: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    stream: Mapping[str, object] | None = None

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """Those of the modules that are printed."""
        return tuple(m for m in self.modules if isinstance(m, Wrapper))


def inner_name(spec: Datapath) -> str:
    """The module of the core without a bus."""
    return f"{module_name(spec.name)}_buffered" if spec.streams else module_name(spec.name)


def places_kept(fifos: Mapping[str, Fifo]) -> int:
    """Cycles of zeroising in which FIFOs and what is behind them are written anew (0: there is none)."""
    return max((f.flush + _BEHIND for f in fifos.values()), default=0)


_BEHIND = 2
"""Cycles in which a register behind a FIFO takes what the FIFO offers."""


def message_fifo(spec: Datapath, latency: int, interval: int) -> Fifo:
    """A FIFO for what leaves `latency` cycles after a word at the latest, one in each `interval`, without a
    loss of rate. Raises UserError where `fifo_depth` is too small for that.
    """
    least = choose_fifo(latency, interval, 1, 0)
    if spec.fifo_depth and spec.fifo_depth < least.places:
        raise UserError(
            f"fifo_depth = {spec.fifo_depth} is too small: mode {spec.mode} behind AXI-Stream needs "
            f"{least.places} entries"
        )
    return choose_fifo(latency, interval, 1, spec.fifo_depth)


def zeroising(fifos: Mapping[str, Fifo]) -> tuple[Pin, ...]:
    """The port that tells FIFOs around a core to forget, where there are any."""
    meaning = "everything is being cleared: what is around the core clears what it holds, too"
    return (Pin("zeroising_o", out=True, meaning=meaning),) if fifos else ()


def surrounded(
    spec: Datapath, groups: tuple[Group, ...], ports: PortSet, rate: Rate, fifos: Mapping[str, Fifo]
) -> Surrounded:
    """What `spec` asks for around a core with these ports and this rate. fifos: by name, as `MessageBus`
    has them.
    """
    if not spec.streams:
        return Surrounded(groups, ports, rate)
    inside = inner_name(spec)
    bus = _bus(spec, inside, groups, fifos)
    module = message_bus_top(module_name(spec.name), bus)
    written = stream_controls((module,))
    slowest = fifos.get("data", fifos.get("tag"))
    assert slowest is not None
    latency = rate.latency + slowest.latency + (bus.kind == "unit")
    stream = {
        "top": inside,
        "ports": asdict(ports),
        "latency_cycles": rate.latency,
        "interval_cycles": rate.interval,
    }
    return Surrounded(
        module.ports,
        message_bus_ports(bus),
        replace(rate, latency=latency, stalls=True),
        (*written, module),
        module.flip_flops + sum(w.flip_flops for w in written),
        {f.file: hand_written(f.file) for f in fifos.values()},
        stream,
    )


def _bus(spec: Datapath, inside: str, groups: Sequence[Group], fifos: Mapping[str, Fifo]) -> MessageBus:
    packets, tags = spec.mode in PACKET_MODES, spec.mode in MAC_MODES
    options = spec.options()
    return MessageBus(
        inside,
        groups,
        "packet" if packets else "message" if tags else "unit",
        spec.block_bits,
        spec.tid_bits,
        packets or (not tags and spec.direction == "both"),
        packets and options["iv_bits"] == "any",
        tag_length(spec.tag_bits, spec.block_bits) if tags else spec.tag_bits,
        dict(fifos),
    )
