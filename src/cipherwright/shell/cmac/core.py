"""From a loop to a core of CMAC: modules, ports, testbench, provenance."""

from __future__ import annotations

from ...cipher.cmac import tag_length
from ...rtl import Rate
from ..core import Core
from ..core_inputs import CoreInputs
from ..loop_core import LoopMode, keyed_loop, loop_core
from ..message_core import zeroising
from .modules import MAC_FILE, cmac_modules
from .ports import MAC_PORT_NAMES, MAC_PORTS, port_groups
from .testbench import testbench

__all__ = ["assemble_cmac"]


def assemble_cmac(of: CoreInputs) -> Core:
    """The finished core of what is in `of`, around a loop. Where the loop makes its round keys itself, a
    register holds the key. Raises UserError where a FIFO is too small.
    """
    spec = of.spec
    loop = keyed_loop(of)
    tag_bits = tag_length(spec.tag_bits, spec.block_bits)
    parts = cmac_modules(of.top, loop.loop, loop.keys, spec, tag_bits)
    timing = parts.timing
    said = (
        f"{timing.latency} cycles from a message's last word, where nothing is in flight, to its tag, "
        f"at most {timing.longest}; a word every {timing.interval} cycles"
    )
    mode = LoopMode(
        port_groups(spec.key_bits, spec.block_bits, tag_bits, zeroising(parts.fifos)),
        MAC_PORTS,
        Rate(timing.latency, timing.interval),
        said,
        MAC_FILE,
        lambda component: testbench(component, spec, timing, tag_bits),
        mac={
            "ports": dict(MAC_PORT_NAMES),
            "tag_bits": tag_bits,
            "longest_latency_cycles": timing.longest,
            "subkey_cycles": timing.subkeys,
        },
        fifos=parts.fifos,
    )
    return loop_core(of, loop, parts, mode)
