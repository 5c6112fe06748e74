"""From a loop to the core of a mode that takes packets or messages, one after the other: what CMAC, CCM and
GCM around a loop have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from ..arch import Scheduled
from ..rtl import (
    Bench,
    Component,
    Design,
    Group,
    Part,
    Rate,
    Wrapper,
    WrittenModule,
    module_pins,
    print_bench,
    print_design,
)
from .channels import in_channels
from .control import Control
from .core import Core, PortSet
from .core_inputs import CoreInputs
from .header import header_lines, port_table, with_bus
from .keys import KeyUnit, key_register
from .message_core import surrounded
from .ports import inner_groups
from .release import Released
from .resets import reset_modules, reset_ports, written_texts
from .stream import Fifo
from .texts import core_files, spec_parameters
from .written import hand_written

__all__ = ["KeyedLoop", "LoopMode", "ModeModules", "keyed_loop", "loop_core"]


@dataclass(frozen=True)
class KeyedLoop:
    """A loop and what holds its key.

    design: its modules; loop: to be connected, with its rate; keys: the key-expansion unit, or a register
    where the loop makes its round keys itself; unread: bits of that register that nothing reads, which
    synthesis takes away; unread_by_bus: the same of the registers that software writes, where there are any.
    """

    design: Design
    loop: Part
    keys: KeyUnit
    unread: int
    unread_by_bus: int

    @property
    def rate(self) -> Rate:
        """Of the loop."""
        assert self.loop.rate is not None
        return self.loop.rate


class ModeModules(Protocol):
    """The modules of a mode around the loop `TOP_core`.

    keyed: the loop with its key unit; mode, written: the mode, and its hand-written module; control: that of
    keys; top: the core under the names of its ports.
    """

    @property
    def keyed(self) -> Wrapper: ...
    @property
    def mode(self) -> Wrapper: ...
    @property
    def written(self) -> WrittenModule: ...
    @property
    def control(self) -> Control: ...
    @property
    def top(self) -> Wrapper: ...


@dataclass(frozen=True)
class LoopMode:
    """What a mode says of its core.

    groups, ports: the core's ports, without a bus, and their names by meaning; rate: of words; said: the
    rate in words; file: that of the hand-written module; bench: the testbench of the core without a bus;
    packet, mac, unit, wide: what the record says of packets, of messages, of data units or of packets whose
    result is as long as their text; decrypt: the loop's port of a direction, "" where it only encrypts;
    fifos: those of a bus, by name; beside: what waits while the loop works; released: what is
    around the core where words wait for a verdict.
    """

    groups: tuple[Group, ...]
    ports: PortSet
    rate: Rate
    said: str
    file: str
    bench: Callable[[Component], Bench]
    packet: Mapping[str, Any] | None = None
    mac: Mapping[str, Any] | None = None
    unit: Mapping[str, Any] | None = None
    wide: Mapping[str, Any] | None = None
    decrypt: str = ""
    fifos: Mapping[str, Fifo] = field(default_factory=dict)
    beside: Design | None = None
    released: Released = field(default_factory=Released)


def keyed_loop(of: CoreInputs, reset: bool = True, halves: int = 1, ways: bool = False) -> KeyedLoop:
    """The loop of what is in `of`, with what holds its key. reset: whether rst_i clears a register that holds
    its key; halves: keys of the cipher in that register; ways: every block has a direction of its own.
    """
    design = of.lowered(f"{of.top}_core")
    keys = of.unit or key_register(f"{of.top}_keys", halves * of.spec.key_bits, reset)
    with_block = ("key_i", "decrypt_i") if halves > 1 else ("decrypt_i",) * ways
    loop = _loop_part(design, of.scheduled, with_block)
    unread = (halves * of.unread_key_bits, halves * of.unread_software_bits)
    return KeyedLoop(design, loop, keys, *unread)


def loop_core(of: CoreInputs, loop: KeyedLoop, parts: ModeModules, mode: LoopMode) -> Core:
    """The finished core of what is in `of`: the modules `parts` of a mode around `loop`, and a bus around
    them where one is asked for. mode: what the mode says of its core.
    """
    spec, top, design, keys = of.spec, of.top, loop.design, loop.keys
    waiting = mode.beside.modules if mode.beside else ()
    released = mode.released
    own = (parts.keyed, parts.mode, *parts.control.modules, parts.top)  # used ones first
    modules = (*waiting, *design.modules, *keys.modules, parts.written, *own, *released.modules)
    inside = Component(modules, reset_ports(spec, mode.groups), mode.rate)
    around = surrounded(spec, mode.groups, mode.ports, mode.rate, mode.fifos, released.release.waiting)
    component = Component((*modules, *around.modules), reset_ports(spec, around.groups), around.rate)
    alone = Core(
        top,
        spec_parameters(spec),
        of.plain,
        of.scheduled.schedule,
        design,
        around.ports,
        around.rate.latency,
        around.rate.interval,
        mode.rate.slots,
        {},
        component,
        {
            "top": f"{top}_core",
            "ports": asdict(PortSet(decrypt=mode.decrypt, ready_out="ready_o")),
            "latency_cycles": loop.rate.latency,
            "early": {},
            "key_cycles": keys.cycles,
            "slots": of.stages,
            **({"keyed": f"{top}_ecb"} if keys.memory else {}),
        },
        of.scheduled.key_words,
        keys,
        _mode_flip_flops(parts, mode.beside)
        - loop.unread
        - loop.unread_by_bus * bool(around.bus)
        + around.flip_flops
        + released.flip_flops,
        parts.control.zeroise_cycles,
        sum(m.flip_flops for m in parts.control.modules),
        of.given,
        stream=around.stream,
        bus=around.bus,
        packet=mode.packet,
        mac=mode.mac,
        wide=mode.wide,
        unit=mode.unit,
        beside=mode.beside,
    )
    core = in_channels(alone, around.channels, around.channel_flip_flops)
    registers = f"{core.flip_flops} flip-flops predicted"
    said = with_bus(spec, mode.said, around.rate.latency - mode.rate.latency, core.tag_added_cycles)
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    tops = (*own, *released.tops, *around.wrappers)
    text = print_design(*reset_modules(spec, Design((*waiting, *design.modules)), (*keys.generated, *tops)))
    written = {mode.file: hand_written(mode.file), **keys.files, **around.files, **released.files}
    bench = print_bench(mode.bench(inside))
    files = core_files(spec.name, header, text, bench, written_texts(spec, written))
    return core.with_files(files | dict(around.pages))


def _loop_part(design: Design, made: Scheduled, with_block: Iterable[str]) -> Part:
    """The loop, to be connected, with its rate. with_block: names of inputs that belong to the block."""
    assert made.iterations is not None
    stages = made.schedule.stages
    cycles = made.iterations * stages
    return Part(
        design.top.name, inner_groups(module_pins(design.top), with_block), Rate(cycles, cycles, stages)
    )


def _mode_flip_flops(parts: ModeModules, beside: Design | None) -> int:
    """Flip-flops around the loop and its key unit."""
    around = sum(w.flip_flops for w in (parts.keyed, parts.mode, parts.top))
    return around + parts.written.flip_flops + (beside.flip_flops() if beside else 0)
