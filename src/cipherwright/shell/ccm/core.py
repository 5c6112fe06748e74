"""From a loop to a core of CCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from functools import partial

from ...rtl import Bench, Component, Rate
from ...spec import Loop
from ..core import Core
from ..core_inputs import CoreInputs
from ..gcm import GCM_PORTS, Times, testbench
from ..loop_core import LoopMode, keyed_loop, loop_core
from .modules import CCM_FILE, COMPLETE, ccm_modules
from .ports import ccm_groups, ccm_port_names
from .testbench import known_ccm_packets
from .timing import CcmTiming

__all__ = ["assemble_ccm"]


def assemble_ccm(of: CoreInputs) -> Core:
    """The finished core, around a loop. Where the loop makes its round keys itself, a register holds the
    key.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    loop = keyed_loop(of, reset=False)
    parts = ccm_modules(of.top, loop.loop, loop.keys, spec)
    timing = parts.timing
    said = (
        f"a word of data every {timing.interval} cycles, and at most {timing.longest} from a word to its "
        f"result; {timing.least_tag} to {timing.longest_tag} cycles from a packet's last word to its tag"
    )
    mode = LoopMode(
        ccm_groups(spec.key_bits, spec.tag_bits, spec.nonce_bytes),
        GCM_PORTS,
        Rate(timing.latency, timing.interval),
        said,
        CCM_FILE,
        partial(_bench, spec, timing),
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
    return loop_core(of, loop, parts, mode)


def _bench(spec: Loop, timing: CcmTiming, component: Component) -> Bench:
    """The testbench of the core."""
    times = Times((1, timing.longest), (timing.least_tag, timing.longest_tag))
    return testbench(component, spec, times, spec.tag_bits, known_ccm_packets(spec))
