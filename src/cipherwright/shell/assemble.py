"""From a datapath to a core: ports, shell, testbench, provenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from ..arch import constant_inputs
from ..cipher.modes import counted_bits
from ..rtl import (
    AnyModule,
    Component,
    Design,
    Group,
    Module,
    Part,
    Pin,
    Rate,
    Wrapper,
    WrittenModule,
    folded,
    module_pins,
    print_bench,
    print_design,
)
from ..schedule import Io, Schedule
from ..spec import Datapath, Pipeline
from ..wording import counted, paced
from .buses import (
    AxiStream,
    Front,
    Inner,
    Inside,
    access_interval,
    axi_stream_top,
    controlled_top,
    map_facts,
    map_pages,
    packets,
)
from .control import Control, Controlled, ControlTimes, core_control
from .core import Core, PortSet
from .core_inputs import CoreInputs
from .counter import COUNTER_LOAD, counter_latency
from .header import header_lines, module_name, port_table
from .keys import KeyUnit, key_register, keyed_top
from .modes import Around, Layer, chain_layer, counter_layer, previous_layer
from .paper import PAPER_PORTS, paper_top
from .ports import CorePorts, inner_groups, pins_of
from .resets import reset_modules, reset_ports, written_texts
from .stream import (
    AHEAD,
    Fifo,
    choose_fifo,
    outer,
    stream_controls,
    stream_ports,
    stream_top,
    sustained_interval,
)
from .testbench import testbench
from .texts import core_files, spec_parameters
from .tied import tied_top
from .written import hand_written

__all__ = ["arrivals", "assemble"]


def arrivals(spec: Datapath) -> Io:
    """When the inputs of the pipeline of `spec` arrive, against its valid bit: a counter block takes its
    time, while block and key are there with the step of the counter. A key comes `key_lead` cycles earlier.
    Loops have no `key_lead`.
    """
    early = counter_latency(spec.lane_count) if spec.summed and spec.mode == "ctr" else 0
    lead = spec.key_lead if isinstance(spec, Pipeline) else 0
    leads = {"block": early, "key": (early if spec.key == "agile" else 0) + lead}
    return Io(arrive=tuple((name, -lead) for name, lead in leads.items() if lead))


def assemble(of: CoreInputs) -> Core:
    """The finished core in ECB, CBC, CFB, OFB or CTR, of what is in `of`: datapath, key-expansion unit, mode,
    control, interface and buses as its spec asks for them. Raises UserError where they can't be put together.
    """
    spec, unit, top = of.spec, of.unit, of.top
    if spec.control != "none":
        unit = unit or key_register(f"{top}_keys", spec.key_bits)
    made = _Assembly(of, unit)
    inner = made.datapath_facts()
    made.add_key_unit()
    made.add_mode()
    made.add_constants()
    made.plan_fifo()
    made.add_control()
    made.add_interface()
    groups = made.port_groups()
    bench = print_bench(testbench(made.component(groups, made.rate), made.ports, of.plain, spec))
    outside = made.add_buses(groups)
    flip_flops = made.flip_flops()
    total = made.design.flip_flops() + (unit.flip_flops if unit else 0) + sum(flip_flops)
    rate = outside.component.rate
    timing = (
        f"{counted(rate.latency, 'cycle')} from a block to its result; "
        f"{paced(rate.slots, 'block', rate.interval)}"
    )
    delays = _delay_lines(made.design, spec.delay_lines, spec.lane_count)
    registers = f"{total} flip-flops predicted{delays}"
    header = header_lines(spec, of.given, timing, registers, port_table(outside.component.pins))
    text = print_design(*made.printed())
    files = core_files(spec.name, header, text, bench, made.written_files()) | outside.pages
    hidden = bool(unit) or spec.mode != "ecb" or spec.streams
    return Core(
        top,
        spec_parameters(spec),
        of.plain,
        of.scheduled.schedule,
        made.design,
        outside.ports,
        rate.latency,
        rate.interval,
        rate.slots,
        files,
        outside.component,
        inner if hidden else None,
        of.scheduled.key_words,
        unit,
        flip_flops[0],
        made.control.zeroise_cycles if made.control else 0,
        flip_flops[1],
        of.given,
        stream=outside.stream,
        bus=outside.bus,
    )


@dataclass(frozen=True)
class _Outside:
    """What a user of the core sees. `stream`, `bus`: what a record says of the core inside the buses; `pages`
    of the register map.
    """

    component: Component
    ports: PortSet
    stream: dict[str, object] | None = None
    bus: dict[str, object] | None = None
    pages: dict[str, str] = field(default_factory=dict)


class _Assembly:
    """A core in the making, from the datapath outwards. Each `add_` puts a module around those before, or
    nothing where the specification asks for nothing.

    below: name of the outermost module so far; pins: those beside its blocks; ports: names of the core's
    ports so far; rate: the core's so far; files: hand-written ones, by name.
    """

    def __init__(self, of: CoreInputs, unit: KeyUnit | None) -> None:
        self.spec, self.unit, self.unread_key_bits = (spec := of.spec), unit, of.unread_key_bits
        self.unread_software_bits = of.unread_software_bits
        self.schedule, self.iterations = of.scheduled.schedule, of.scheduled.iterations
        self.tied = constant_inputs(spec)
        self.names = _module_names(spec, unit is not None, bool(self.tied))
        self.top = of.top
        self.below = self.names["core"]
        self.design = of.lowered(self.below)
        stages = self.schedule.stages
        cycles = self.iterations * stages if self.iterations else stages
        self.inner_rate = Rate(cycles, cycles, stages) if self.iterations else Rate(cycles, 1, 1)
        self.rate = replace(self.inner_rate, latency=cycles - self.schedule.io.arrival("block"))
        decrypt = "decrypt_i" if spec.cipher_direction == "both" else ""
        self.ports = PortSet(
            decrypt=decrypt,
            ready_out="ready_o" if self.iterations else "",
            reset="rst_i" if spec.resets else "",
        )
        self.pins = pins_of(
            spec.key_bits, spec.key == "agile", unit is not None, decrypt != "", spec.agile_direction
        )
        self.files = dict[str, str]()
        self.layers, self.written = list[Wrapper](), list[WrittenModule]()
        self.control: Control | None = None
        self.slot_bits = 0
        self.fifo: Fifo | None = None
        self.bus: AxiStream | None = None
        self.mode_flip_flops = self.key_rank_flip_flops = 0

    @property
    def _counting(self) -> bool:
        return self.spec.mode == "ctr"

    @property
    def _inner(self) -> Part:
        """The datapath, to be connected."""
        return _part(self.design.top, _turning(self.pins), self.inner_rate)

    def datapath_facts(self) -> dict[str, object]:
        """What a record says of the datapath inside."""
        facts: dict[str, object] = {
            "top": self.names["core"],
            "ports": asdict(self.ports),
            "latency_cycles": self.inner_rate.latency,
            "early": _early(self.schedule),
        }
        if self.unit:
            facts["key_cycles"] = self.unit.cycles
            if self.unit.memory:
                facts["keyed"] = self.names["ecb"]
        return facts

    def add_key_unit(self) -> None:
        """What makes or holds the round keys."""
        if not self.unit:
            return
        self.ports = replace(self.ports, key_valid="key_valid_i", key_ready="key_ready_o")
        self.files.update(self.unit.files)
        keyed = keyed_top(self.names["ecb"], self._inner, self.unit, self.spec.lane_count)
        self.layers.append(keyed)
        self.key_rank_flip_flops = keyed.flip_flops
        self.below = self.names["ecb"]

    def add_mode(self) -> None:
        """The mode of operation."""
        if self.spec.mode == "ecb":
            return
        layer = self._mode_layer()
        self.pins, self.slot_bits, self.mode_flip_flops = layer.pins, layer.slot_bits, layer.flip_flops
        has = {p.name for p in self.pins}
        iv_valid, iv_ready, first, slot, decrypt = (
            n if n in has else "" for n in ("iv_valid_i", "iv_ready_o", "first_i", "slot_o", "decrypt_i")
        )
        self.ports = replace(
            self.ports,
            ready_out="ready_o" if iv_valid else self.ports.ready_out,
            iv="iv_i",
            iv_valid=iv_valid,
            iv_ready=iv_ready,
            first=first,
            slot=slot,
            decrypt=decrypt,
        )
        self.layers.append(layer.module)
        self.written += layer.written
        self.below = self.names[self.spec.mode]
        if layer.file:
            self.files[layer.file] = hand_written(layer.file)

    def _mode_layer(self) -> Layer:
        spec = self.spec
        around = Around(self.names[spec.mode], self.below, self.pins, spec.block_bits, self.unit is not None)
        if self.iterations:
            slots = self.inner_rate.slots
            return chain_layer(around, spec.mode, spec.direction, slots, self.iterations, spec.counter_bits)
        if self._counting:
            count = counted_bits(spec.counter_bits, spec.block_bits)
            return counter_layer(around, count, spec.lane_count)
        return previous_layer(around, spec.mode)

    def add_constants(self) -> None:
        """Inputs of the datapath that this core holds at one value."""
        if self.tied:
            order = tuple(p.name for p in self.design.top.ports)
            self.layers.append(tied_top(self.top, self._inner, self.tied, order))

    def plan_fifo(self) -> None:
        """The size of a stream's FIFO, by what is in flight, and the rate that it sustains."""
        spec, rate = self.spec, self.rate
        if not spec.streams:
            return
        self.bus = self._axi_stream()
        ahead = AHEAD if self.bus and self.bus.one_block and not self.iterations else 0
        self.fifo = choose_fifo(rate.latency, rate.interval, rate.slots, spec.fifo_depth, ahead)
        latency = rate.latency + self.fifo.latency
        needed = latency + (ahead if self.fifo.deep else 0)
        sustained = sustained_interval(needed, rate.interval, rate.slots, self.fifo)
        self.rate = replace(rate, latency=latency, interval=sustained)

    def _axi_stream(self) -> AxiStream | None:
        """AXI-Stream, if the core is to have it."""
        spec = self.spec
        if spec.interface != "axi-stream":
            return None
        ways = any(p.name == "decrypt_i" and p.with_block for p in self.pins)
        width = spec.tdata_bits or spec.word_bits
        return AxiStream(spec.mode, spec.word_bits, width, spec.tid_bits, ways, self.slot_bits)

    @property
    def _around_bits(self) -> int:
        """Bits that go round the core with a block, for AXI-Stream (0: there is none)."""
        return self.bus.around_bits(self._flows) if self.bus else 0

    @property
    def _flows(self) -> bool:
        """Whether a block that AXI-Stream takes never waits in front of the core."""
        deep = self.fifo is not None and self.fifo.deep
        return deep and self.bus is not None and self.bus.one_block and not self.iterations

    @property
    def _front(self) -> Front:
        """What takes beats of AXI-Stream in front of the core. A block goes straight into a loop whose inputs
        go into registers of its own first, where nothing is chained in front of it. Another loop with one
        block in it takes none in two cycles in a row, so nothing is lost by an empty cycle behind a block.
        """
        if self._flows:
            return "flowing"
        if self.bus is None or not self.bus.one_block or (self.iterations or 0) <= 1:
            return "filling"
        own = [n for n in self.schedule.graph.inputs if n in ("block", "key", "decrypt")]
        if self.spec.mode == "ecb" and all(self.schedule.registered(name) for name in own):
            return "direct"
        return "pausing" if self.rate.slots == 1 else "filling"

    def add_control(self) -> None:
        """What decides when a block and when a key is taken."""
        if not self.unit:
            return
        spec, rate = self.spec, self.rate
        lanes = self._counting and spec.lane_count > 1
        self.control = core_control(
            self.names["control"],
            Controlled(
                self.below,
                self.pins,
                spec.word_bits,
                loop=self.iterations is not None,
                drops=spec.mode != "ecb" and not lanes,
                own_start=False,
            ),
            ControlTimes(
                in_flight=rate.latency + 1,
                flush=max(self.unit.flush, rate.latency + spec.lane_count, 2 * rate.slots),
                key=self.unit.cycles + spec.lane_count,
                stored=self.fifo.flush if self.fifo else 0,
                load=COUNTER_LOAD if self._counting and not (self.iterations or lanes) else 0,
                later=self._flows,
            ),
        )
        self.pins, self.below = self.control.pins, self.names["control"]
        self.layers += self.control.modules
        self.ports = replace(self.ports, ready_out="ready_o", busy="busy_o", zeroise="zeroise_i")

    def add_interface(self) -> None:
        """The paper's ports, or a stream with back-pressure."""
        if self.spec.interface == "paper":
            lead = self.spec.key_lead if isinstance(self.spec, Pipeline) else 0
            self.layers.append(paper_top(self.top, self.below, lead))
            self.ports = PAPER_PORTS
        elif self.fifo:
            part = _part(_named(self.below, self.design, self.layers), _turning(self.pins))
            around = (self.slot_bits, self._around_bits, self._flows)
            made = stream_top(self._buffered, part, self.pins, self.fifo, *around)
            self.layers.append(made)
            self.mode_flip_flops += made.flip_flops + sum(w.flip_flops for w in stream_controls((made,)))
            kinds = (self.slot_bits > 0, self.bus is not None, self._flows)
            self.ports = stream_ports(self.ports, self.pins, *kinds)
            self.files[self.fifo.file] = hand_written(self.fifo.file)

    @property
    def _buffered(self) -> str:
        """Name of the core before buses."""
        if self.spec.interface == "registers":
            return self.names["control"]
        return self.names.get("buffered", self.top)

    def port_groups(self) -> tuple[Group, ...]:
        """The core's ports before buses."""
        spec, ports = self.spec, self.ports
        with_block = frozenset(outer(p) if ports.ready_in else p.name for p in self.pins if p.with_block)
        return CorePorts(
            ports,
            spec.key_bits,
            spec.block_bits,
            spec.lane_count,
            self.slot_bits,
            frozenset((ports.decrypt, ports.key)) if ports.ascending else with_block,
            spec.key_lead if isinstance(spec, Pipeline) else 0,
            self._around_bits,
            spec.mode,
        ).groups

    def component(self, groups: tuple[Group, ...], rate: Rate, top: str = "") -> Component:
        """The core so far, with these ports; `top`: its outermost module, before buses if not said."""
        around: tuple[AnyModule, ...] = (*self.written, *stream_controls(self.layers), *self.layers)
        stalls = self.ports.ready_in != "" or top != ""
        return Component(
            _modules(self.design, self.unit, around, top or self._buffered),
            reset_ports(self.spec, groups),
            replace(rate, stalls=stalls),
        )

    def add_buses(self, groups: tuple[Group, ...]) -> _Outside:
        """AXI-Stream for blocks, and a register bus for the rest. groups: of the core before them."""
        spec, rate, ports, bus = self.spec, self.rate, self.ports, self.bus
        if spec.interface == "registers":
            return self._add_registers(groups)
        if not bus or not self.fifo:
            return _Outside(self.component(groups, rate), ports)
        inside = Inside(self._buffered, self.pins, rate.slots, groups, ports, self._front)
        shell = axi_stream_top(self.names.get("axis", self.top), bus, inside)
        stream: dict[str, object] = {
            "top": self._buffered,
            "ports": asdict(ports),
            "latency_cycles": rate.latency,
            "interval_cycles": rate.interval,
        }
        ports, groups = shell.ports, shell.module.ports
        interval = max(rate.interval, bus.beats * rate.slots)
        added = 1 if self._flows else bus.latency - (self._front == "direct")
        rate = replace(rate, latency=rate.latency + added, interval=interval)
        self.mode_flip_flops += shell.flip_flops
        self.layers += shell.modules
        below: dict[str, object] | None = None
        pages = dict[str, str]()
        if spec.control != "none":
            below = {"top": self.names["axis"], "ports": asdict(ports)}
            behind = Inner(groups, rate.slots if bus.slot_bits else 1)
            facts = map_facts(spec, ports, behind.has("decrypt_i"))
            tops = (self.top, self.names["axis"])
            controlled = controlled_top(tops, behind, packets(behind, bus), spec.control, facts)
            groups = controlled.module.ports
            ports = ports.only({pin.name for group in groups for pin in group.pins})
            self.mode_flip_flops += controlled.flip_flops
            self.layers += controlled.modules
            pages = dict(map_pages(spec.name, controlled.source))
        return _Outside(self.component(groups, rate, self.top), ports, stream, below, pages)

    def _add_registers(self, groups: tuple[Group, ...]) -> _Outside:
        """A register bus for blocks and results as well. groups: of the core before it."""
        spec, rate, inside, ports = self.spec, self.rate, self._buffered, self.ports
        ways = any(p.name == "decrypt_i" and p.with_block for p in self.pins)
        facts = map_facts(spec, ports, False, ways)
        made = controlled_top((self.top, inside), Inner(groups, 1), None, spec.control, facts)
        below = {"top": inside, "ports": asdict(ports), "latency_cycles": rate.latency}
        below |= {"interval_cycles": rate.interval, "slots": rate.slots}
        self.mode_flip_flops += made.flip_flops
        self.layers += made.modules
        outer = made.module.ports
        ports = ports.only({pin.name for group in outer for pin in group.pins})
        rate = Rate(
            rate.latency + 1, access_interval(spec.control, spec.block_bits, rate.latency + 1, rate.slots)
        )
        pages = dict(map_pages(spec.name, made.source))
        return _Outside(self.component(outer, rate, self.top), ports, None, below, pages)

    def flip_flops(self) -> tuple[int, int]:
        """Those of the mode with everything else around the datapath and its key unit, and of the control."""
        # The valid bits of lanes after the first have no reader, so synthesis takes them away.
        read = self.design.valid_line_flip_flops() or self.schedule.stages
        lanes = (self.spec.lane_count - 1) * (self.design.flip_flops(self.names["core"]) - read)
        control = sum(m.flip_flops for m in self.control.modules) if self.control else 0
        # Parity bits of a key, in the registers that software writes and in those that hold it.
        parity = 0 if self.spec.control == "none" else self.unread_key_bits + self.unread_software_bits
        return self.mode_flip_flops + lanes + self.key_rank_flip_flops - parity, control

    def written_files(self) -> dict[str, str]:
        """Names of the hand-written files and their texts."""
        return written_texts(self.spec, self.files)

    def printed(self) -> tuple[Design, list[Module | Wrapper]]:
        """What is printed: the datapath, and all other modules but those in hand-written files."""
        alike = isinstance(self.spec, Pipeline) and self.spec.equal_rounds
        design = folded(self.design) if alike else self.design
        keys = self.unit.generated if self.unit else ()
        return reset_modules(self.spec, design, (*keys, *self.layers))


def _module_names(spec: Datapath, held: bool, tied: bool) -> dict[str, str]:
    """Names of the core's modules by what they are, from the datapath outwards; the last has the core's name.
    `held`: the core holds its key; `tied`: some inputs of the datapath are constant.
    """
    top, axi = module_name(spec.name), spec.interface == "axi-stream"
    wanted = {
        "core": True,
        "ecb": held,
        spec.mode: spec.mode != "ecb" or held,
        "control": held,
        "buffered": axi,
        "axis": axi and spec.control != "none",
        "shell": spec.interface != "plain" or tied,
    }
    parts = [part for part, has in wanted.items() if has]
    return {part: top if part == parts[-1] else f"{top}_{part}" for part in parts}


def _turning(pins: Sequence[Pin]) -> tuple[str, ...]:
    """Names of pins that belong to the block."""
    return tuple(p.name for p in pins if p.with_block)


def _named(name: str, design: Design, layers: Sequence[Wrapper]) -> Module | Wrapper:
    modules: tuple[Module | Wrapper, ...] = (*layers, *design.modules)
    return next(m for m in modules if m.name == name)


def _part(module: Module | Wrapper, with_block: Sequence[str], rate: Rate | None = None) -> Part:
    """A module of a core, to be connected."""
    return Part(module.name, inner_groups(module_pins(module), with_block), rate)


def _modules(
    design: Design, unit: KeyUnit | None, layers: Sequence[AnyModule], top: str
) -> tuple[AnyModule, ...]:
    """All modules of a core, the top last."""
    around = [*(unit.modules if unit else ()), *layers]
    inner = [m for m in (*design.modules, *around) if m.name != top]
    return (*inner, *(m for m in (*design.modules, *around) if m.name == top))


def _early(s: Schedule) -> dict[str, int]:
    """Inputs of the datapath that come before its valid bit, and by how many cycles."""
    return {f"{name}_i": -stage for name, stage in s.io.arrive if stage < 0}


def _delay_lines(design: Design, kind: str, lanes: int) -> str:
    """What a header says of delay lines beside the flip-flops."""
    if not design.delay_lines():
        return ""
    if kind == "srl":
        return f", {lanes * design.shift_luts()} shift-register LUTs"
    return f", {lanes * design.ring_flip_flops()} more around delay lines in RAM"
