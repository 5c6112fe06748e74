"""CCM (SP 800-38C) around a loop whose key is held."""

from .core import assemble_ccm
from .ports import LENGTH_PORTS, bus_length_ports
from .timing import CcmTiming, PacketTimes, Word

__all__ = ["LENGTH_PORTS", "CcmTiming", "PacketTimes", "Word", "assemble_ccm", "bus_length_ports"]
