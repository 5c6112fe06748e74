"""From a loop to a core of GCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from dataclasses import asdict

from ...arch import waiting
from ...errors import UserError
from ...rtl import Component, Design, Rate, print_bench, print_design, print_wrapper
from ...spec import Loop
from ..cmac import loop_part, unread_key_bits
from ..core import Core, PortSet
from ..core_inputs import CoreInputs
from ..gcm import ANY_IV, GCM_PORTS, Times, packet_ports, port_groups, testbench
from ..header import header_lines, port_table
from ..keys import key_register
from ..message_core import surrounded, zeroising
from ..texts import core_files, spec_parameters
from ..waits import Waits
from ..written import hand_written
from .modules import CONTROL_OUTPUTS, GCM_FILE, LoopGcmModules, loop_gcm_modules

__all__ = ["assemble_loop_gcm"]


def assemble_loop_gcm(of: CoreInputs) -> Core:
    """The finished core, around a loop. Where the loop makes its round keys itself, a register holds the key.
    Raises UserError where a block is too short a time in the loop.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    top, stages, made = of.top, of.stages, of.scheduled
    design = of.lowered(f"{top}_core")
    keys = of.unit or key_register(f"{top}_keys", spec.key_bits, reset=False)
    loop = loop_part(design, made)
    assert loop.rate is not None
    if loop.rate.latency < _LEAST:
        raise UserError(f"mode gcm needs a loop of at least {_LEAST} cycles a block, not {loop.rate.latency}")
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, CONTROL_OUTPUTS))
    any_iv = spec.iv_bits == ANY_IV
    parts = loop_gcm_modules(top, loop, keys, spec, waits)
    timing, control = parts.timing, parts.control
    modules = (*parts.beside.modules, *design.modules, *keys.modules, parts.written, *parts.wrappers)
    groups = port_groups(spec.key_bits, spec.tag_bits, any_iv, zeroising(parts.fifos))
    inside = Component(modules, groups, Rate(timing.latency, timing.interval))
    around = surrounded(spec, groups, GCM_PORTS, inside.rate, parts.fifos)
    component = Component((*modules, *around.modules), around.groups, around.rate)
    core = Core(
        top,
        spec_parameters(spec),
        of.plain,
        made.schedule,
        design,
        around.ports,
        around.rate.latency,
        timing.interval,
        1,
        {},
        component,
        {
            "top": f"{top}_core",
            "ports": asdict(PortSet(decrypt="", ready_out="ready_o")),
            "latency_cycles": loop.rate.latency,
            "early": {},
            "key_cycles": keys.cycles,
            "slots": stages,
            **({"keyed": f"{top}_ecb"} if keys.memory else {}),
        },
        made.key_words,
        keys,
        _mode_flip_flops(parts) - (0 if of.unit else unread_key_bits(made)) + around.flip_flops,
        control.zeroise_cycles,
        sum(m.flip_flops for m in control.modules),
        of.given,
        stream=around.stream,
        packet={
            "ports": packet_ports(any_iv),
            "tag_bits": spec.tag_bits,
            "tag_latency_cycles": timing.longest_tag,
            "least_tag_latency_cycles": timing.tag_latency,
            **({"initial_block_cycles": timing.longest_initial_block} if any_iv else {}),
            "power_cycles": timing.hash_key,
            "multiplier": {"digit": timing.digit, "steps": timing.steps},
        },
        beside=parts.beside,
    )
    said = (
        f"{timing.latency} cycles from a word to its result, where nothing is in flight, at most "
        f"{timing.longest}; a "
        f"word every {timing.interval} cycles; {timing.tag_latency} to {timing.longest_tag} cycles from "
        "a packet's "
        "last word to its tag"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    printed = print_design(Design((*parts.beside.modules, *design.modules)))
    text = "\n".join([printed, keys.text, *map(print_wrapper, (*parts.wrappers, *around.wrappers))])
    times = Times((timing.latency, timing.longest), (timing.tag_latency, timing.longest_tag))
    bench = print_bench(testbench(inside, spec, times, spec.tag_bits))
    written = {GCM_FILE: hand_written(GCM_FILE), **keys.files, **around.files}
    return core.with_files(core_files(spec.name, header, text, bench, written))


_LEAST = 5
"""Cycles of a block in the loop, at least: what waits beside it is in a ring of memory."""


def _mode_flip_flops(parts: LoopGcmModules) -> int:
    """Flip-flops around the loop and its key unit."""
    around = (parts.keyed, parts.mode, parts.top)
    return parts.beside.flip_flops() + sum(w.flip_flops for w in around) + parts.written.flip_flops
