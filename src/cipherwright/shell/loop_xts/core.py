"""From a loop to a core of XTS: modules, ports, testbench, provenance."""

from __future__ import annotations

from functools import partial

from ...arch import waiting
from ...rtl import Bench, Component, Rate
from ...spec import Loop
from ..core import Core
from ..core_inputs import CoreInputs
from ..loop_core import LoopMode, keyed_loop, loop_core
from ..message_core import zeroising
from ..waits import Waits
from ..xts import UNIT_PORTS, port_groups, testbench, xts_ports
from .modules import XTS_FILE, loop_xts_modules
from .timing import LoopXtsTiming

__all__ = ["assemble_loop_xts"]


def assemble_loop_xts(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a loop that takes a key with each block; a register holds
    both halves. Raises UserError where a FIFO is too small.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    loop = keyed_loop(of, reset=False, halves=2)
    waits = Waits(of.timing.model, waiting(spec, of.timing.srl_from, ()))
    parts = loop_xts_modules(of.top, loop.loop, loop.keys, spec, waits)
    timing, options = parts.timing, parts.options
    said = (
        f"{timing.latency} cycles from a unit's last word to its result, where nothing is in flight, at most "
        f"{timing.longest}; {loop.rate.slots} words every {timing.cipher} cycles"
    )
    mode = LoopMode(
        port_groups(options, zeroising(parts.fifos)),
        xts_ports(options),
        Rate(timing.latency, timing.cipher, loop.rate.slots),
        said,
        XTS_FILE,
        partial(_bench, spec, timing),
        unit={
            "ports": dict(UNIT_PORTS),
            "tweaks": 1,
            "late_latency_cycles": timing.late_latency,
            "least_late_latency_cycles": timing.least_late,
            "longest_latency_cycles": timing.longest,
            "setup_cycles": parts.setup,
        },
        fifos=parts.fifos,
        beside=parts.beside,
        decrypt="decrypt_i" if options.both else "",
    )
    return loop_core(of, loop, parts, mode)


def _bench(spec: Loop, timing: LoopXtsTiming, component: Component) -> Bench:
    """The testbench of the core."""
    return testbench(component, spec, timing)
