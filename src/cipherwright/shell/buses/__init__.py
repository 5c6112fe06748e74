"""Standard buses around a core: AXI-Stream for blocks, a register bus for keys, initial values and status."""

from .axi_stream import AXIS_DATA, AxiStream, Front, Inside, StreamShell, axi_stream_top, bytes_reversed
from .controlled import Controlled, controlled_top
from .message_stream import KEPT_FREE, TAG_DATA, MessageBus, message_bus_ports, message_bus_top
from .message_traffic import message_traffic
from .message_width import BeatWidth, message_width
from .pages import browser_pages, map_facts, map_pages
from .register_bus import BUS_DATA, BUS_WRITES, BUSES, access_interval, word_interval
from .register_map import CHANNEL_BYTES, MapFacts, Register, markdown, rdl_source, read_map, registers_of
from .traffic import Inner, packets
from .words import word_commands, word_facts, words

__all__ = [
    "AXIS_DATA",
    "BUSES",
    "BUS_DATA",
    "BUS_WRITES",
    "CHANNEL_BYTES",
    "KEPT_FREE",
    "TAG_DATA",
    "AxiStream",
    "BeatWidth",
    "Controlled",
    "Front",
    "Inner",
    "Inside",
    "MapFacts",
    "MessageBus",
    "Register",
    "StreamShell",
    "access_interval",
    "axi_stream_top",
    "browser_pages",
    "bytes_reversed",
    "controlled_top",
    "map_facts",
    "map_pages",
    "markdown",
    "message_bus_ports",
    "message_bus_top",
    "message_traffic",
    "message_width",
    "packets",
    "rdl_source",
    "read_map",
    "registers_of",
    "word_commands",
    "word_facts",
    "word_interval",
    "words",
]
