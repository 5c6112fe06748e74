"""From a loop to a core of GCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from ...arch import Scheduled, Timing, waiting
from ...errors import UserError
from ...graph import Graph
from ...rtl import Component, Design, Rate, print_bench, print_design, print_wrapper
from ...spec import Loop
from ..cmac import loop_part, unread_key_bits
from ..core import Core, PortSet
from ..gcm import ANY_IV, GCM_PORTS, Times, packet_ports, port_groups, testbench
from ..header import header_lines, module_name, port_table
from ..keys import KeyUnit, key_register
from ..texts import core_files, spec_parameters
from ..waits import Waits
from ..written import hand_written
from .modules import CONTROL_OUTPUTS, GCM_FILE, LoopGcmModules, loop_gcm_modules

__all__ = ["assemble_loop_gcm"]


def assemble_loop_gcm(
    spec: Loop,
    plain: Graph,
    made: Scheduled,
    lowered: Callable[[str], Design],
    given: Mapping[str, str],
    unit: KeyUnit | None,
    delays: Timing,
) -> Core:
    """The finished core; arguments as of `assemble_gcm`. unit: makes the round keys of a loop that reads them; None
    where the loop makes them itself, from a register for the key. Raises UserError where a block is too short a
    time in the loop.
    """
    top, stages = module_name(spec.name), made.schedule.stages
    design = lowered(f"{top}_core")
    keys = unit or key_register(f"{top}_keys", spec.key_bits, reset=False)
    loop = loop_part(design, made)
    assert loop.rate is not None
    if loop.rate.latency < _LEAST:
        raise UserError(f"mode gcm needs a loop of at least {_LEAST} cycles a block, not {loop.rate.latency}")
    waits = Waits(delays.model, waiting(spec, delays.srl_from, CONTROL_OUTPUTS))
    any_iv = spec.iv_bits == ANY_IV
    parts = loop_gcm_modules(top, loop, keys, spec, waits)
    timing, control = parts.timing, parts.control
    component = Component(
        (*parts.beside.modules, *design.modules, *keys.modules, parts.written, *parts.wrappers),
        port_groups(spec.key_bits, spec.tag_bits, any_iv),
        Rate(timing.latency, timing.interval),
    )
    core = Core(
        top,
        spec_parameters(spec),
        plain,
        made.schedule,
        design,
        GCM_PORTS,
        timing.latency,
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
        _mode_flip_flops(parts) - (0 if unit else unread_key_bits(made)),
        control.zeroise_cycles,
        sum(m.flip_flops for m in control.modules),
        given,
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
        f"{timing.latency} cycles from a word to its result, where nothing is in flight, at most {timing.longest}; a "
        f"word every {timing.interval} cycles; {timing.tag_latency} to {timing.longest_tag} cycles from a packet's "
        "last word to its tag"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    header = header_lines(spec, given, said, registers, port_table(component.pins))
    printed = print_design(Design((*parts.beside.modules, *design.modules)))
    text = "\n".join([printed, keys.text, *map(print_wrapper, parts.wrappers)])
    times = Times((timing.latency, timing.longest), (timing.tag_latency, timing.longest_tag))
    bench = print_bench(testbench(component, spec, times, spec.tag_bits))
    written = {GCM_FILE: hand_written(GCM_FILE), **keys.files}
    return core.with_files(core_files(spec.name, header, text, bench, written))


_LEAST = 5
"""Cycles of a block in the loop, at least: what waits beside it is in a ring of memory."""


def _mode_flip_flops(parts: LoopGcmModules) -> int:
    """Flip-flops around the loop and its key unit."""
    around = (parts.keyed, parts.mode, parts.top)
    return parts.beside.flip_flops() + sum(w.flip_flops for w in around) + parts.written.flip_flops
