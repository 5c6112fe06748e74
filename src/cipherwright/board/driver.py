"""The driver that fits the core of a board."""

from __future__ import annotations

from collections.abc import Mapping

from ..cipher.modes import MAC_MODES, PACKET_MODES, UNIT_MODES
from .link import BoardLink, Facts
from .packets import CcmLink, MessageLink, PacketLink, StreamLink
from .units import UnitLink

__all__ = ["link_to"]

_BY_MODE: Mapping[str, type[BoardLink]] = {
    **dict.fromkeys(PACKET_MODES, PacketLink),
    **dict.fromkeys(MAC_MODES, MessageLink),
    **dict.fromkeys(UNIT_MODES, UnitLink),
    "ccm": CcmLink,
}


def link_to(port: str, facts: Facts, timeout_s: float = 5.0) -> BoardLink:
    """The driver, connected, of the core that `facts` are of (`read_facts`), on the serial port `port`;
    timeout_s: seconds to wait for an answer. Which class it is follows from the core's mode and interface.
    Raises as `BoardLink`.
    """
    p = facts["parameters"]
    kind = StreamLink if p["interface"] == "axi-stream" else BoardLink
    return _BY_MODE.get(p["mode"], kind)(port, facts, timeout_s)
