"""From a loop to a core of HCTR2: modules, ports, testbench, provenance."""

from __future__ import annotations

from ...rtl import Rate
from ...spec import Loop
from ..core import Core
from ..core_inputs import CoreInputs
from ..loop_core import LoopMode, keyed_loop, loop_core
from .modules import WIDE_FILE, told, wide_modules
from .ports import WIDE_PORT_NAMES, WIDE_PORTS, port_groups
from .testbench import testbench

__all__ = ["assemble_hctr2"]

_EXPERIMENTAL = (
    "; EXPERIMENTAL: no standard has this mode with blocks of 256 bits, and there are no published vectors"
)
"""What a header says besides of a core whose hash is of our own choice."""


def assemble_hctr2(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a loop in both directions. Where the loop makes its round
    keys itself, a register holds the key.
    """
    spec = of.spec
    assert isinstance(spec, Loop)
    loop = keyed_loop(of, reset=False, ways=True)
    parts = wide_modules(of.top, loop.loop, loop.keys, spec)
    timing = parts.timing
    latency = timing.latency(0, 1)
    said = (
        f"{latency} cycles from the last word of a packet of one block without a tweak to its result; "
        f"{timing.word} cycles for each further word of a text, {timing.product + 1} for a word of a "
        f"tweak{_EXPERIMENTAL * spec.experimental}"
    )
    mode = LoopMode(
        port_groups(spec.key_bits, spec.block_bits, told(spec)),
        WIDE_PORTS,
        Rate(latency, timing.word, stalls=True),
        said,
        WIDE_FILE,
        lambda component: testbench(component, spec, timing),
        wide={
            "ports": dict(WIDE_PORT_NAMES),
            "message_bytes": spec.message_bytes,
            "setup_cycles": timing.setup,
            "stream_cycles": timing.interval,
            "multiplier": {"digit": timing.digit, "steps": timing.steps},
        },
        decrypt="decrypt_i",
    )
    return loop_core(of, loop, parts, mode)
