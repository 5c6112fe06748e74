"""What makes a datapath a core: ports, stream shell, testbench, package files."""

from .assemble import arrivals, assemble
from .built_engine import BuiltEngine, EngineNotes
from .buses import (
    AXIS_DATA,
    BUS_DATA,
    BUS_WRITES,
    CHANNEL_BYTES,
    TAG_DATA,
    AxiStream,
    Register,
    browser_pages,
    read_map,
    registers_of,
)
from .ccm import LENGTH_PORTS, CcmTiming, PacketTimes, Word, bus_length_ports
from .channels import CHOSEN, channel_name, without_channel
from .cmac import MAC_PORT_NAMES, MAC_PORTS
from .core import Core, PortSet, inside, tested_top
from .core_inputs import CoreInputs
from .counter import COUNTER_FILE, LANE_COUNTER_FILE, counter_latency
from .digests import files_digest, rtl_digest
from .gcm import ANY_IV, GCM_PORTS, IV_BITS, IV_WORD_PORTS, PACKET_PORTS, GcmTiming
from .hctr2 import WIDE_PORT_NAMES, WideTiming, known_wide_packets, wide_words
from .header import GENERATOR, header_lines, module_name, port_table
from .keys import KeyUnit, key_unit
from .packet_core import PACKETS, assemble_packets
from .paper import PAPER_PORTS
from .ports import CorePorts
from .release import RELEASE_FILE, RELEASE_PORTS, STALL
from .resets import reset_modules, reset_ports, written_texts
from .save import all_files, core_record, save
from .short_words import WORD_BYTES, keep_of, words_of
from .slot_control import SLOT_PORTS
from .stream import AHEAD, DEEP_STREAM_FILE, SHORT_STREAM_FILE, STREAM_FILE, STREAM_PORTS, Fifo, choose_fifo
from .texts import core_files, spec_parameters
from .unit import BuiltUnit, KeyLoop, loop_unit
from .written import PREFIX, hand_written, own_names, written_module
from .xts import COUNTED_PORTS, UNIT_PORTS

__all__ = [
    "AHEAD",
    "ANY_IV",
    "AXIS_DATA",
    "BUS_DATA",
    "BUS_WRITES",
    "CHANNEL_BYTES",
    "CHOSEN",
    "COUNTED_PORTS",
    "COUNTER_FILE",
    "DEEP_STREAM_FILE",
    "GCM_PORTS",
    "GENERATOR",
    "IV_BITS",
    "IV_WORD_PORTS",
    "LANE_COUNTER_FILE",
    "LENGTH_PORTS",
    "MAC_PORTS",
    "MAC_PORT_NAMES",
    "PACKETS",
    "PACKET_PORTS",
    "PAPER_PORTS",
    "PREFIX",
    "RELEASE_FILE",
    "RELEASE_PORTS",
    "SHORT_STREAM_FILE",
    "SLOT_PORTS",
    "STALL",
    "STREAM_FILE",
    "STREAM_PORTS",
    "TAG_DATA",
    "UNIT_PORTS",
    "WIDE_PORT_NAMES",
    "WORD_BYTES",
    "AxiStream",
    "BuiltEngine",
    "BuiltUnit",
    "CcmTiming",
    "Core",
    "CoreInputs",
    "CorePorts",
    "EngineNotes",
    "Fifo",
    "GcmTiming",
    "KeyLoop",
    "KeyUnit",
    "PacketTimes",
    "PortSet",
    "Register",
    "WideTiming",
    "Word",
    "all_files",
    "arrivals",
    "assemble",
    "assemble_packets",
    "browser_pages",
    "bus_length_ports",
    "channel_name",
    "choose_fifo",
    "core_files",
    "core_record",
    "counter_latency",
    "files_digest",
    "hand_written",
    "header_lines",
    "inside",
    "keep_of",
    "key_unit",
    "known_wide_packets",
    "loop_unit",
    "module_name",
    "own_names",
    "port_table",
    "read_map",
    "registers_of",
    "reset_modules",
    "reset_ports",
    "rtl_digest",
    "save",
    "spec_parameters",
    "tested_top",
    "wide_words",
    "without_channel",
    "words_of",
    "written_module",
    "written_texts",
]
