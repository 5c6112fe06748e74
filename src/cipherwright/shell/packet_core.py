"""Which core a mode of packets, units or tags makes."""

from __future__ import annotations

from ..cipher.modes import MAC_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES
from ..spec import Loop
from .ccm import assemble_ccm
from .cmac import assemble_cmac
from .core import Core
from .core_inputs import CoreInputs
from .gcm import assemble_gcm
from .hctr2 import assemble_hctr2
from .loop_gcm import assemble_loop_gcm
from .loop_xts import assemble_loop_xts
from .xts import assemble_xts

__all__ = ["PACKETS", "assemble_packets"]

PACKETS = (*PACKET_MODES, *UNIT_MODES, *MAC_MODES, *WIDE_MODES)
"""Modes whose words come in packets, data units or messages that end."""


def assemble_packets(of: CoreInputs) -> Core:
    """The finished core of GCM, CCM, XTS, CMAC or HCTR2 of what is in `of`. Raises UserError as the function
    of each mode.
    """
    if of.spec.mode in MAC_MODES:
        return assemble_cmac(of)
    if of.spec.mode in WIDE_MODES:
        return assemble_hctr2(of)
    if of.spec.mode == "ccm":
        return assemble_ccm(of)
    if isinstance(of.spec, Loop):
        return assemble_loop_gcm(of) if of.spec.mode == "gcm" else assemble_loop_xts(of)
    return assemble_gcm(of) if of.spec.mode == "gcm" else assemble_xts(of)
