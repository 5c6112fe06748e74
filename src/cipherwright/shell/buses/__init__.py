"""Standard buses around a core: AXI-Stream for blocks, a register bus for keys, initial values and status."""

from .axi_stream import AXIS_DATA, SIDE_WORD, AxiStream, Inside, StreamShell, axi_stream_top
from .controlled import Controlled, controlled_top
from .pages import map_facts, map_pages
from .register_bus import BUS_DATA, BUSES
from .register_map import MapFacts, Register, markdown, rdl_source, read_map, registers_of

__all__ = [
    "AXIS_DATA",
    "BUSES",
    "BUS_DATA",
    "SIDE_WORD",
    "AxiStream",
    "Controlled",
    "Inside",
    "MapFacts",
    "Register",
    "StreamShell",
    "axi_stream_top",
    "controlled_top",
    "map_facts",
    "map_pages",
    "markdown",
    "rdl_source",
    "read_map",
    "registers_of",
]
