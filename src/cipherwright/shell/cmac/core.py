"""From a loop to a core of CMAC: modules, ports, testbench, provenance."""

from __future__ import annotations

from dataclasses import asdict

from ...arch import Scheduled
from ...cipher.cmac import tag_length
from ...rtl import Component, Design, Part, Rate, module_pins, print_bench, print_design, print_wrapper
from ..core import Core, PortSet
from ..core_inputs import CoreInputs
from ..header import header_lines, port_table
from ..keys import key_register
from ..message_core import surrounded, zeroising
from ..ports import inner_groups
from ..texts import core_files, spec_parameters
from ..written import hand_written
from .modules import MAC_FILE, CmacModules, cmac_modules
from .ports import MAC_PORT_NAMES, MAC_PORTS, port_groups
from .testbench import testbench

__all__ = ["assemble_cmac", "loop_part", "unread_key_bits"]


def assemble_cmac(of: CoreInputs) -> Core:
    """The finished core, around a loop. Where the loop makes its round keys itself, a register holds the
    key.
    """
    spec = of.spec
    top, stages, made = of.top, of.stages, of.scheduled
    design = of.lowered(f"{top}_core")
    keys = of.unit or key_register(f"{top}_keys", spec.key_bits)
    loop = loop_part(design, made)
    assert loop.rate is not None
    tag_bits = tag_length(spec.tag_bits, spec.block_bits)
    parts = cmac_modules(top, loop, keys, spec, tag_bits)
    timing, control = parts.timing, parts.control
    modules = (*design.modules, *keys.modules, parts.written, *parts.wrappers)
    groups = port_groups(spec.key_bits, spec.block_bits, tag_bits, zeroising(parts.fifos))
    inside = Component(modules, groups, Rate(timing.latency, timing.interval))
    around = surrounded(spec, groups, MAC_PORTS, inside.rate, parts.fifos)
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
        mac={
            "ports": dict(MAC_PORT_NAMES),
            "tag_bits": tag_bits,
            "longest_latency_cycles": timing.longest,
            "subkey_cycles": timing.subkeys,
        },
    )
    said = (
        f"{timing.latency} cycles from a message's last word, where nothing is in flight, to its tag, "
        "at most "
        f"{timing.longest}; a word every {timing.interval} cycles"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    text = "\n".join(
        [print_design(design), keys.text, *map(print_wrapper, (*parts.wrappers, *around.wrappers))]
    )
    bench = print_bench(testbench(inside, spec, timing, tag_bits))
    written = {MAC_FILE: hand_written(MAC_FILE), **keys.files, **around.files}
    return core.with_files(core_files(spec.name, header, text, bench, written))


def loop_part(design: Design, made: Scheduled) -> Part:
    """The loop, to be connected, with its rate."""
    assert made.iterations is not None
    stages = made.schedule.stages
    cycles = made.iterations * stages
    return Part(design.top.name, inner_groups(module_pins(design.top)), Rate(cycles, cycles, stages))


def unread_key_bits(made: Scheduled) -> int:
    """Bits of the key that the loop does not read (parity bits), whose registers synthesis takes away."""
    key = made.schedule.graph.inputs["key"]
    return made.schedule.graph.nodes[key].width - sum(node == key for node, _ in made.schedule.uses)


def _mode_flip_flops(parts: CmacModules) -> int:
    """Flip-flops around the loop and its key unit."""
    return sum(w.flip_flops for w in (parts.keyed, parts.mode, parts.top)) + parts.written.flip_flops
