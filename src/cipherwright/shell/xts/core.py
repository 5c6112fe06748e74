"""From a pipeline to a core of XTS: modules, ports, testbench, provenance."""

from __future__ import annotations

from dataclasses import asdict

from ...arch import key_choices, waiting
from ...rtl import Component, Design, Rate, folded, print_bench, print_design
from ...spec import Pipeline
from ..core import Core, PortSet
from ..core_inputs import CoreInputs
from ..header import header_lines, port_table, with_bus
from ..keys import KeyUnit
from ..message_core import surrounded, zeroising
from ..resets import reset_modules, reset_ports, written_texts
from ..texts import core_files, spec_parameters
from ..waits import Waits
from .modules import XtsModules, xts_modules
from .ports import port_groups, unit_ports, xts_ports
from .testbench import testbench
from .timing import SETUP, TWEAKS

__all__ = ["assemble_xts"]


def assemble_xts(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a pipeline over the round keys of two keys for each slot,
    which as many units make, or around one whose every block brings its key. Raises UserError where the
    pipeline is too short.
    """
    spec, unit = of.spec, of.unit
    assert isinstance(spec, Pipeline)
    top, stages, made, both = of.top, of.stages, of.scheduled, spec.direction == "both"
    design = of.lowered(f"{top}_core")
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, ()))
    parts = xts_modules(top, unit, spec, stages, waits)
    options = parts.options
    timing, control = parts.timing, parts.control
    units = tuple(module for each in (unit.units if unit else ()) for module in each.modules)
    modules = (*parts.beside.modules, *design.modules, *units, *parts.wrappers)
    groups = port_groups(options, zeroising(parts.fifos))
    inside = Component(modules, reset_ports(spec, groups), Rate(timing.latency))
    around = surrounded(spec, groups, xts_ports(options), inside.rate, parts.fifos)
    component = Component((*modules, *around.modules), reset_ports(spec, around.groups), around.rate)
    core = Core(
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
            "ports": asdict(PortSet(decrypt="decrypt_i" if both else "")),
            "latency_cycles": stages,
            "early": {f"{c.select}_i": c.lead for c in key_choices(spec.keys_read)} if unit else {},
            **({"key_cycles": unit.cycles} if unit else {}),
            **({"second_key_cycles": unit.second.cycles} if unit and unit.second else {}),
        },
        made.key_words,
        unit,
        _mode_flip_flops(parts, design, unit, spec, stages) + around.flip_flops,
        control.zeroise_cycles,
        sum(m.flip_flops for m in control.modules),
        of.given,
        stream=around.stream,
        bus=around.bus,
        beside=parts.beside,
        unit={
            "ports": dict(unit_ports(options)),
            "tweaks": TWEAKS,
            "late_latency_cycles": timing.late_latency,
            "setup_cycles": SETUP,
        },
    )
    said = (
        f"{timing.latency} cycles from a word to its result, where the next word comes at once; a word "
        "every cycle, "
        "and one cycle more for each unit"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    said = with_bus(spec, said, component.rate.latency - timing.latency)
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    own = folded(design) if spec.equal_rounds else design
    keys = tuple(module for each in (unit.units if unit else ()) for module in each.generated)
    tops = (*parts.wrappers, *around.wrappers)
    text = print_design(*reset_modules(spec, Design((*parts.beside.modules, *own.modules)), (*keys, *tops)))
    bench = print_bench(testbench(inside, spec, timing))
    written = written_texts(spec, {**(unit.files if unit else {}), **around.files})
    return core.with_files(core_files(spec.name, header, text, bench, written) | dict(around.pages))


def _mode_flip_flops(
    parts: XtsModules, design: Design, unit: KeyUnit | None, spec: Pipeline, stages: int
) -> int:
    """Flip-flops around the pipeline, the loop of every kind of key-expansion unit and the registers of the
    first: those of all other units among them, without those of valid bits that nobody reads.
    """
    around = (*parts.keyed, parts.turns, *parts.numbers, parts.mode, parts.top)
    unread = design.valid_line_flip_flops() or stages
    own = design.flip_flops(design.top.name)
    loops, further = design.flip_flops() - own, 0
    if unit:
        kinds = sum(each.flip_flops for each in unit.units) + loops
        further = spec.keys_read // len(unit.units) * kinds - loops - unit.flip_flops
    return further + parts.beside.flip_flops() + sum(w.flip_flops for w in around) - unread
