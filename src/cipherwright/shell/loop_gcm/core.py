"""From a loop to a core of GCM: modules, ports, testbench, provenance."""

from __future__ import annotations

from functools import partial

from ...arch import waiting
from ...errors import UserError
from ...rtl import Bench, Component, Rate
from ...spec import Loop
from ..core import Core
from ..core_inputs import CoreInputs
from ..gcm import ANY_IV, GCM_PORTS, Times, packet_ports, port_groups, testbench
from ..loop_core import LoopMode, keyed_loop, loop_core
from ..message_core import zeroising
from ..release import Release
from ..waits import Waits
from .modules import CONTROL_OUTPUTS, GCM_FILE, loop_gcm_modules
from .timing import LoopGcmTiming

__all__ = ["assemble_loop_gcm"]


def assemble_loop_gcm(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a loop. Where the loop makes its round keys itself, a
    register holds the key. Raises UserError where a block is too short a time in the loop, or a FIFO too
    small.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    loop = keyed_loop(of, reset=False)
    if loop.rate.latency < _LEAST:
        raise UserError(
            f"mode = gcm needs a loop of at least {_LEAST} cycles a block, not {loop.rate.latency}"
        )
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, CONTROL_OUTPUTS))
    any_iv = spec.iv_bits == ANY_IV
    parts = loop_gcm_modules(of.top, loop.loop, loop.keys, spec, waits)
    timing, release = parts.timing, parts.released.release
    more, told = release.latency, release.tag_latency
    said = (
        f"{timing.latency + more} cycles from a word to its result, where nothing is in flight, at most "
        f"{timing.longest + more}; a word every {timing.interval} cycles; {timing.tag_latency + told} to "
        f"{timing.longest_tag + told} cycles from a packet's last word to its tag{release.said}"
    )
    mode = LoopMode(
        port_groups(spec.key_bits, spec.tag_bits, any_iv, (*release.shown, *zeroising(parts.fifos))),
        GCM_PORTS,
        Rate(timing.latency + more, timing.interval),
        said,
        GCM_FILE,
        partial(_bench, spec, timing, release),
        packet={
            "ports": {**packet_ports(any_iv), **release.ports},
            "tag_bits": spec.tag_bits,
            "tag_latency_cycles": timing.longest_tag + told,
            "least_tag_latency_cycles": timing.tag_latency + told,
            **({"initial_block_cycles": timing.longest_initial_block} if any_iv else {}),
            "power_cycles": timing.hash_key_after(loop.keys.cycles),
            "multiplier": {"digit": timing.digit, "steps": timing.steps},
            **release.record(),
        },
        released=parts.released,
        fifos=parts.fifos,
        beside=parts.beside,
    )
    return loop_core(of, loop, parts, mode)


_LEAST = 5
"""Cycles of a block in the loop, at least: what waits beside it is in a ring of memory."""


def _bench(spec: Loop, timing: LoopGcmTiming, release: Release, component: Component) -> Bench:
    """The testbench of the core."""
    times = Times((timing.latency, timing.longest), (timing.tag_latency, timing.longest_tag))
    times = times.behind(release, timing.interval)
    return testbench(component, spec, times, spec.tag_bits)
