"""From a loop to a core of CCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from functools import partial

from ...arch import waiting
from ...rtl import Bench, Component, Rate
from ...spec import Loop
from ..core import Core
from ..core_inputs import CoreInputs
from ..gcm import GCM_PORTS, Times, testbench
from ..loop_core import LoopMode, keyed_loop, loop_core
from ..message_core import zeroising
from ..release import Release
from ..waits import Waits
from .modules import CCM_FILE, COMPLETE, ccm_modules
from .ports import ccm_groups, ccm_port_names
from .testbench import known_ccm_packets
from .timing import CcmTiming

__all__ = ["assemble_ccm"]


def assemble_ccm(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a loop. Where the loop makes its round keys itself, a
    register holds the key. Raises UserError where a FIFO is too small.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    loop = keyed_loop(of, reset=False)
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, ()))
    parts = ccm_modules(of.top, loop.loop, loop.keys, spec, waits)
    timing, release = parts.timing, parts.released.release
    more, told = release.latency, release.tag_latency
    said = (
        f"{timing.latency + more} cycles from a packet's first word, of data, to its result, at most "
        f"{timing.longest + more} from any; a word of data every {timing.interval} cycles; "
        f"{timing.least_tag + told} to {timing.longest_tag + told} cycles from a packet's last word to its "
        f"tag{release.said}"
    )
    mode = LoopMode(
        ccm_groups(spec.key_bits, spec.tag_bits, spec.nonce_bytes, (*release.shown, *zeroising(parts.fifos))),
        GCM_PORTS,
        Rate(timing.latency + more, timing.interval),
        said,
        CCM_FILE,
        partial(_bench, spec, timing, release),
        packet={
            "ports": {**ccm_port_names(), **release.ports},
            "tag_bits": spec.tag_bits,
            "tag_latency_cycles": timing.longest_tag + told,
            "least_tag_latency_cycles": timing.least_tag + told,
            "longest_latency_cycles": timing.longest + more,
            "nonce_bytes": spec.nonce_bytes,
            "power_cycles": COMPLETE,
            **release.record(),
        },
        released=parts.released,
        fifos=parts.fifos,
    )
    return loop_core(of, loop, parts, mode)


def _bench(spec: Loop, timing: CcmTiming, release: Release, component: Component) -> Bench:
    """The testbench of the core."""
    times = Times((1, timing.longest), (timing.least_tag, timing.longest_tag))
    times = times.behind(release, timing.interval)
    return testbench(component, spec, times, spec.tag_bits, known_ccm_packets(spec))
