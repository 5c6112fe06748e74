"""From a pipeline to a core of GCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from dataclasses import asdict

from ...arch import key_choices, waiting
from ...rtl import Component, Design, Rate, folded, print_bench, print_design
from ...spec import Pipeline
from ..channels import in_channels
from ..core import Core, PortSet
from ..core_inputs import CoreInputs
from ..header import header_lines, port_table, with_bus
from ..message_core import surrounded, zeroising
from ..resets import reset_modules, reset_ports, written_texts
from ..slot_control import loaded_by_slot
from ..texts import core_files, spec_parameters
from ..waits import Waits
from .announced import announce_facts
from .modules import GcmModules, control_outputs, gcm_modules
from .ports import ANY_IV, GCM_PORTS, packet_pins, packet_ports, port_groups
from .testbench import Times, testbench

__all__ = ["assemble_gcm"]


def assemble_gcm(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a pipeline. Raises UserError where the pipeline is too
    short, or a FIFO too small.
    """
    spec, unit = of.spec, of.unit
    assert isinstance(spec, Pipeline) and unit
    top, stages, made = of.top, of.stages, of.scheduled
    design = of.lowered(f"{top}_core")
    any_iv = spec.iv_bits == ANY_IV
    slots, lanes, announced = spec.key_slots, spec.lanes, spec.packet_keys == "announced"
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, control_outputs(any_iv, slots)))
    parts = gcm_modules(top, unit, spec, stages, waits)
    timing, control, released = parts.timing, parts.control, parts.released
    release = released.release
    modules = (*parts.designs.modules, *design.modules, *unit.modules, *parts.wrappers, *released.modules)
    latency, tag_latency = timing.latency + release.latency, timing.tag_latency + release.tag_latency
    groups = port_groups(
        spec.key_bits,
        spec.tag_bits,
        any_iv,
        (*release.shown, *zeroising(parts.fifos)),
        packet_pins(any_iv, 1 if announced else slots, lanes),
        () if announced else loaded_by_slot(slots),
        lanes,
    )
    inside = Component(modules, reset_ports(spec, groups), Rate(latency))
    around = surrounded(spec, inside.ports, GCM_PORTS, Rate(latency), parts.fifos, release.waiting)
    component = Component((*modules, *around.modules), reset_ports(spec, around.groups), around.rate)
    packet = {
        "ports": {**packet_ports(any_iv, 1 if announced else slots), **release.ports},
        "tag_bits": spec.tag_bits,
        "tag_latency_cycles": tag_latency,
        **({"initial_block_cycles": timing.initial_block} if any_iv else {}),
        "power_cycles": timing.power_cycles,
        "multiplier": {"levels": parts.multiplier.levels, "stages": timing.ghash.stages},
        **(announce_facts(timing, unit.cycles) if announced else {}),
        **release.record(),
    }
    # Those of a second key-expansion unit, with its loop.
    second = (unit.flip_flops + design.flip_flops() - design.flip_flops(design.top.name)) * (slots - 1)
    alone = Core(
        top,
        spec_parameters(spec),
        of.plain,
        made.schedule,
        design,
        around.ports,
        around.rate.latency,
        1,
        1,
        {},
        component,
        {
            "top": f"{top}_core",
            "ports": asdict(PortSet(decrypt="")),
            "latency_cycles": stages,
            "early": {f"{c.select}_i": c.lead for c in key_choices(slots)},
            "key_cycles": unit.cycles,
        },
        made.key_words,
        unit,
        _mode_flip_flops(parts, design, stages, lanes) + second + around.flip_flops + released.flip_flops,
        control.zeroise_cycles,
        sum(m.flip_flops for m in control.modules),
        of.given,
        stream=around.stream,
        bus=around.bus,
        packet=packet,
        beside=Design((*parts.beside.modules, *released.later.modules)),
    )
    core = in_channels(alone, around.channels, around.channel_flip_flops)
    said = (
        f"{latency} cycles from a word to its result; a word every cycle, and one cycle more for each "
        f"packet; {tag_latency} cycles from a packet's last word to its tag{release.said}"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    said = with_bus(spec, said, component.rate.latency - latency, core.tag_added_cycles)
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    own = folded(design) if spec.equal_rounds else design
    designs = Design((*parts.designs.modules, *released.later.modules, *own.modules))
    tops = (*parts.wrappers, *released.tops, *around.wrappers)
    text = print_design(*reset_modules(spec, designs, (*unit.generated, *tops)))
    times = Times.exact(timing.latency, timing.tag_latency).behind(release, 1)
    bench = print_bench(testbench(inside, spec, times, spec.tag_bits, announced=announced))
    written = written_texts(spec, {**unit.files, **released.files, **around.files})
    return core.with_files(core_files(spec.name, header, text, bench, written) | dict(around.pages))


def _mode_flip_flops(parts: GcmModules, design: Design, stages: int, lanes: int) -> int:
    """Flip-flops around the pipeline and its key-expansion unit, those of the pipelines of further lanes
    among them, and without those of the pipelines' valid bits, which nobody reads: what a slot means goes
    beside it.
    """
    around = (parts.keyed, parts.ghash, *parts.powers, parts.mode, parts.top, *parts.announced)
    unread = design.valid_line_flip_flops() or stages
    further = (lanes - 1) * design.flip_flops(design.top.name)
    multipliers = (lanes - 1) * parts.multiplier.design.flip_flops()
    known = parts.designs.flip_flops() + multipliers + further
    return known + sum(w.flip_flops for w in around) - lanes * unread
