"""HCTR2 (IACR ePrint 2021/1441) around a loop whose key is held, with a buffer for a text and its tweak."""

from .core import assemble_hctr2
from .ports import WIDE_PORT_NAMES
from .testbench import known_wide_packets, wide_words
from .timing import WideTiming

__all__ = ["WIDE_PORT_NAMES", "WideTiming", "assemble_hctr2", "known_wide_packets", "wide_words"]
