"""From a datapath to a core: ports, shell, testbench, provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from ..arch import Scheduled, constant_inputs
from ..cipher.modes import counted_bits
from ..graph import Graph
from ..rtl import (
    AnyModule,
    Component,
    Design,
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
    print_wrapper,
)
from ..schedule import Io, Schedule
from ..spec import Datapath, Pipeline
from .buses import AxiStream, Inner, Inside, axi_stream_top, controlled_top, map_facts, map_pages, packets
from .control import core_control
from .core import Core, PortSet
from .counter import COUNTER_LOAD, counter_latency
from .header import header_lines, module_name, port_table
from .keys import KeyUnit, key_register, keyed_top
from .modes import chain_layer, counter_layer, previous_layer
from .paper import PAPER_PORTS, paper_top
from .ports import CorePorts, inner_groups, pins_of
from .stream import (
    STREAM_FILE,
    STREAM_LATENCY,
    fifo_log2,
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
    """When a pipeline's inputs arrive, against its valid bit: a counter block takes its time, while block
    and key are there with the step of the counter.
    """
    early = counter_latency(spec.lane_count) if spec.summed and spec.mode == "ctr" else 0
    lead = spec.key_lead if isinstance(spec, Pipeline) else 0
    leads = {"block": early, "key": (early if spec.key == "agile" else 0) + lead}
    return Io(arrive=tuple((name, -lead) for name, lead in leads.items() if lead))


def assemble(
    spec: Datapath,
    plain: Graph,
    scheduled: Scheduled,
    lowered: Callable[[str], Design],
    given: Mapping[str, str],
    unit: KeyUnit | None = None,
) -> Core:
    """The finished core.

    plain: the cipher as described; lowered: makes the datapath under a module name; given: the preset and
    the changes as the user wrote them; unit: makes the round keys of a datapath that reads them as inputs.
    """
    s, iterations, tied = scheduled.schedule, scheduled.iterations, constant_inputs(spec)
    top = module_name(spec.name)
    if spec.control != "none":
        unit = unit or key_register(f"{top}_keys", spec.key_bits)
    iterative, counting = iterations is not None, spec.mode == "ctr"
    shelled = spec.interface != "plain" or bool(tied)
    parts = [
        "core",
        *(["ecb"] if unit else []),
        *([spec.mode] if spec.mode != "ecb" else []),
        *(["control"] if unit else []),
        *(["buffered"] if spec.interface == "axi-stream" else []),
        *(["axis"] if spec.interface == "axi-stream" and spec.control != "none" else []),
        *(["shell"] if shelled else []),
    ]
    names = {p: top if p == parts[-1] else f"{top}_{p}" for p in parts}
    datapath = below = names["core"]
    design = lowered(datapath)
    inner_latency = iterations * s.stages if iterations else s.stages
    interval, slots = (inner_latency, s.stages) if iterations else (1, 1)
    rate = Rate(inner_latency, interval, slots)
    latency = inner_latency - s.io.arrival("block")
    ports = inside = _ports(spec, iterative)
    files, layers, written = dict[str, str](), list[Wrapper](), list[WrittenModule]()
    inner: dict[str, object] = {
        "top": datapath,
        "ports": asdict(inside),
        "latency_cycles": inner_latency,
        "early": _early(s),
    }
    rank_ffs = 0
    if unit:
        inner["key_cycles"] = unit.cycles
        if unit.memory:
            inner["keyed"] = names["ecb"]
    pins = pins_of(
        spec.key_bits, spec.key == "agile", unit is not None, inside.decrypt != "", spec.agile_direction
    )
    if unit:
        ports = replace(ports, key_valid="key_valid_i", key_ready="key_ready_o")
        files.update(unit.files)
        keyed = keyed_top(names["ecb"], _part(design.top, _turning(pins), rate), unit, spec.lane_count)
        layers.append(keyed)
        rank_ffs = keyed.flip_flops
        below = names["ecb"]
    slot_bits = mode_ffs = 0
    if spec.mode != "ecb":
        if iterations:
            layer = chain_layer(
                names[spec.mode],
                below,
                spec.mode,
                spec.direction,
                spec.block_bits,
                pins,
                slots,
                iterations,
                spec.counter_bits,
                unit is not None,
            )
        elif counting:
            layer = counter_layer(
                names[spec.mode],
                below,
                spec.block_bits,
                counted_bits(spec.counter_bits, spec.block_bits),
                pins,
                unit is not None,
                spec.lane_count,
            )
        else:
            layer = previous_layer(
                names[spec.mode], below, spec.mode, spec.block_bits, pins, unit is not None
            )
        pins, slot_bits, mode_ffs = layer.pins, layer.slot_bits, layer.flip_flops
        has = {p.name for p in pins}
        iv_valid, iv_ready, first, slot, decrypt = (
            n if n in has else "" for n in ("iv_valid_i", "iv_ready_o", "first_i", "slot_o", "decrypt_i")
        )
        ready = "ready_o" if iv_valid else ports.ready_out
        ports = replace(
            ports,
            ready_out=ready,
            iv="iv_i",
            iv_valid=iv_valid,
            iv_ready=iv_ready,
            first=first,
            slot=slot,
            decrypt=decrypt,
        )
        layers.append(layer.module)
        written += layer.written
        below = names[spec.mode]
        if layer.file:
            files[layer.file] = hand_written(layer.file)
    if tied:
        order = tuple(p.name for p in design.top.ports)
        layers.append(tied_top(top, _part(design.top, _turning(pins), rate), tied, order))
    log2 = 0
    if spec.streams:
        latency += STREAM_LATENCY
        log2 = fifo_log2(latency, interval, slots, spec.fifo_depth)
        interval = sustained_interval(latency, interval, slots, log2)
    control = None
    if unit:
        lanes = counting and spec.lane_count > 1
        flush = max(unit.flush, latency + spec.lane_count, 2 * slots)
        drops = spec.mode != "ecb" and not lanes
        control = core_control(
            names["control"],
            below,
            pins,
            spec.block_bits * spec.lane_count,
            latency + 1,
            flush,
            unit.cycles + spec.lane_count,
            iterative,
            drops,
            log2 and 1 << log2,
            COUNTER_LOAD if counting and not (iterative or lanes) else 0,
        )
        pins, below = control.pins, names["control"]
        layers += control.modules
        ports = replace(ports, ready_out="ready_o", busy="busy_o", zeroise="zeroise_i")
    if spec.interface == "paper":
        layers.append(paper_top(top, below))
        ports = PAPER_PORTS
    elif spec.streams:
        buffered = names.get("buffered", top)
        layers.append(
            stream_top(buffered, _part(_named(below, design, layers), _turning(pins)), pins, log2, slot_bits)
        )
        ports = stream_ports(ports, pins, slot_bits > 0)
        files[STREAM_FILE] = hand_written(STREAM_FILE)
    with_block = frozenset(outer(p) if ports.ready_in else p.name for p in pins if p.with_block)
    groups = CorePorts(
        ports,
        spec.key_bits,
        spec.block_bits,
        spec.lane_count,
        slot_bits,
        frozenset((ports.decrypt, ports.key)) if ports.ascending else with_block,
        spec.key_lead if isinstance(spec, Pipeline) else 0,
    ).groups
    component = Component(
        _modules(design, unit, (*written, *stream_controls(layers), *layers), names.get("buffered", top)),
        groups,
        Rate(latency, interval, slots, ports.ready_in != ""),
    )
    bench = print_bench(testbench(component, ports, plain, spec))
    stream = None
    if spec.interface == "axi-stream":
        bus = AxiStream(
            spec.mode,
            spec.block_bits,
            spec.tdata_bits or spec.block_bits,
            spec.tid_bits,
            ports.decrypt.startswith("s_"),
            slot_bits,
        )
        shell = axi_stream_top(
            names.get("axis", top), bus, Inside(buffered, pins, slots, log2, groups, ports)
        )
        stream = {
            "top": buffered,
            "ports": asdict(ports),
            "latency_cycles": latency,
            "interval_cycles": interval,
        }
        ports, groups = shell.ports, shell.module.ports
        latency, interval = latency + bus.latency, max(interval, bus.beats * slots)
        mode_ffs += shell.flip_flops
        layers += shell.modules
    below_bus = None
    if spec.control != "none":
        below_bus = {"top": names["axis"], "ports": asdict(ports)}
        behind = Inner(groups, slots if bus.slot_bits else 1)
        facts = map_facts(spec, ports, behind.has("decrypt_i"))
        controlled = controlled_top((top, names["axis"]), behind, packets(behind, bus), spec.control, facts)
        groups = controlled.module.ports
        ports = ports.only({pin.name for group in groups for pin in group.pins})
        mode_ffs += controlled.flip_flops
        layers += controlled.modules
    if spec.interface == "axi-stream":
        component = Component(
            _modules(design, unit, (*written, *stream_controls(layers), *layers), top),
            groups,
            Rate(latency, interval, slots, stalls=True),
        )
    timing = f"{latency} cycles from a block to its result; {slots} block(s) every {interval} cycle(s)"
    # The valid bits of lanes after the first have no reader, so synthesis takes them away.
    mode_ffs += (spec.lane_count - 1) * (
        design.flip_flops(datapath) - (design.valid_line_flip_flops() or s.stages)
    ) + rank_ffs
    control_ffs = sum(m.flip_flops for m in control.modules) if control else 0
    total = design.flip_flops() + (unit.flip_flops if unit else 0) + mode_ffs + control_ffs
    registers = f"{total} flip-flops predicted{_delay_lines(design, spec.delay_lines, spec.lane_count)}"
    alike = isinstance(spec, Pipeline) and spec.equal_rounds
    printed = print_design(folded(design) if alike else design)
    texts = [printed, *([unit.text] if unit else []), *map(print_wrapper, layers)]
    text = "\n".join(texts)
    header = header_lines(spec, given, timing, registers, port_table(component.pins))
    files = core_files(spec.name, header, text, bench, files)
    if spec.control != "none":
        files |= map_pages(spec.name, controlled.source)
    hidden = bool(unit) or spec.mode != "ecb" or spec.streams
    return Core(
        top,
        spec_parameters(spec),
        plain,
        s,
        design,
        ports,
        latency,
        interval,
        slots,
        files,
        component,
        inner if hidden else None,
        scheduled.key_words,
        unit,
        mode_ffs,
        control.zeroise_cycles if control else 0,
        control_ffs,
        given,
        stream=stream,
        bus=below_bus,
    )


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


def _ports(spec: Datapath, iterative: bool) -> PortSet:
    """The datapath's ports."""
    decrypt = "decrypt_i" if spec.cipher_direction == "both" else ""
    return PortSet(
        decrypt=decrypt, ready_out="ready_o" if iterative else "", reset="rst_i" if spec.resets else ""
    )
