"""What makes a datapath a core: ports, stream shell, testbench, package files."""

from .core import Core, KeyWords, PortSet
from .counter import COUNTER_FILE, LANE_COUNTER_FILE, counter_latency
from .dress import dress, files_digest, rtl_digest
from .engine import Engine
from .header import GENERATOR
from .keys import KeyUnit, key_unit
from .mars import ADDRESS, control_parameters, mars_engine, mars_timing
from .mars_keys import word_store
from .paper import PAPER_PORTS
from .processor import INSTRUCTIONS, processor, processor_graphs, processor_rounds
from .save import core_record, save
from .stream import STREAM_FILE, STREAM_PORTS
from .written import hand_written, own_names

__all__ = [
    "ADDRESS",
    "COUNTER_FILE",
    "GENERATOR",
    "INSTRUCTIONS",
    "LANE_COUNTER_FILE",
    "PAPER_PORTS",
    "STREAM_FILE",
    "STREAM_PORTS",
    "Core",
    "Engine",
    "KeyUnit",
    "KeyWords",
    "PortSet",
    "control_parameters",
    "core_record",
    "counter_latency",
    "dress",
    "files_digest",
    "hand_written",
    "key_unit",
    "mars_engine",
    "mars_timing",
    "own_names",
    "processor",
    "processor_graphs",
    "processor_rounds",
    "rtl_digest",
    "save",
    "word_store",
]
