"""What makes a datapath a core: ports, stream shell, testbench, package files."""

from .core import Core, KeyWords, PortSet
from .dress import dress, files_digest, rtl_digest
from .paper import PAPER_PORTS
from .save import save
from .stream import STREAM_FILE, STREAM_PORTS, stream_source

__all__ = [
    "PAPER_PORTS", "STREAM_FILE", "STREAM_PORTS", "Core", "KeyWords", "PortSet", "dress", "files_digest", "rtl_digest",
    "save", "stream_source",
]  # fmt: skip
