"""What makes a datapath a core: ports, stream shell, testbench, package files."""

from .core import Core, KeyWords, PortSet
from .counter import COUNTER_FILE, counter_source
from .dress import dress, files_digest, rtl_digest
from .keys import KeyUnit, key_unit
from .paper import PAPER_PORTS
from .save import save
from .stream import STREAM_FILE, STREAM_PORTS, stream_source

__all__ = [
    "COUNTER_FILE", "PAPER_PORTS", "STREAM_FILE", "STREAM_PORTS", "Core", "KeyUnit", "KeyWords", "PortSet", "counter_source", "dress", "files_digest",
    "key_unit", "rtl_digest", "save", "stream_source",
]  # fmt: skip
