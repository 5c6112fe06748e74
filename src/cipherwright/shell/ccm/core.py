"""From a loop to a core of CCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from dataclasses import asdict

from ...rtl import Component, Rate, print_bench, print_design, print_wrapper
from ...spec import Loop
from ..cmac import loop_part, unread_key_bits
from ..core import Core, PortSet
from ..core_inputs import CoreInputs
from ..gcm import GCM_PORTS, Times, testbench
from ..header import header_lines, port_table
from ..keys import key_register
from ..texts import core_files, spec_parameters
from ..written import hand_written
from .modules import CCM_FILE, COMPLETE, CcmModules, ccm_modules
from .ports import ccm_groups, ccm_port_names
from .testbench import known_ccm_packets

__all__ = ["assemble_ccm"]


def assemble_ccm(of: CoreInputs) -> Core:
    """The finished core, around a loop. Where the loop makes its round keys itself, a register holds the
    key.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    top, stages, made = of.top, of.stages, of.scheduled
    design = of.lowered(f"{top}_core")
    keys = of.unit or key_register(f"{top}_keys", spec.key_bits, reset=False)
    loop = loop_part(design, made)
    assert loop.rate is not None
    parts = ccm_modules(top, loop, keys, spec)
    timing, control = parts.timing, parts.control
    component = Component(
        (*design.modules, *keys.modules, parts.written, *parts.wrappers),
        ccm_groups(spec.key_bits, spec.tag_bits, spec.nonce_bytes),
        Rate(timing.latency, timing.interval),
    )
    core = Core(
        top,
        spec_parameters(spec),
        of.plain,
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
        _mode_flip_flops(parts) - (0 if of.unit else unread_key_bits(made)),
        control.zeroise_cycles,
        sum(m.flip_flops for m in control.modules),
        of.given,
        packet={
            "ports": ccm_port_names(),
            "tag_bits": spec.tag_bits,
            "tag_latency_cycles": timing.longest_tag,
            "least_tag_latency_cycles": timing.least_tag,
            "longest_latency_cycles": timing.longest,
            "nonce_bytes": spec.nonce_bytes,
            "power_cycles": COMPLETE,
        },
    )
    said = (
        f"a word of data every {timing.interval} cycles, and at most {timing.longest} from a word to its "
        "result; "
        f"{timing.least_tag} to {timing.longest_tag} cycles from a packet's last word to its tag"
    )
    registers = f"{core.flip_flops} flip-flops predicted"
    header = header_lines(spec, of.given, said, registers, port_table(component.pins))
    text = "\n".join([print_design(design), keys.text, *map(print_wrapper, parts.wrappers)])
    times = Times((1, timing.longest), (timing.least_tag, timing.longest_tag))
    bench = print_bench(testbench(component, spec, times, spec.tag_bits, known_ccm_packets(spec)))
    written = {CCM_FILE: hand_written(CCM_FILE), **keys.files}
    return core.with_files(core_files(spec.name, header, text, bench, written))


def _mode_flip_flops(parts: CcmModules) -> int:
    """Flip-flops around the loop and its key unit."""
    return sum(w.flip_flops for w in (parts.keyed, parts.mode, parts.top)) + parts.written.flip_flops
