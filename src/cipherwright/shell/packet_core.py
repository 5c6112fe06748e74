"""Which core a mode of packets, units or tags makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..arch import Scheduled, Timing
from ..cipher.modes import MAC_MODES, PACKET_MODES, UNIT_MODES
from ..graph import Graph
from ..rtl import Design
from ..spec import Datapath, Loop, Pipeline
from .cmac import assemble_cmac
from .core import Core
from .gcm import assemble_gcm
from .keys import KeyUnit
from .loop_gcm import assemble_loop_gcm
from .xts import assemble_xts

__all__ = ["PACKETS", "assemble_packets"]

PACKETS = (*PACKET_MODES, *UNIT_MODES, *MAC_MODES)
"""Modes whose words come in packets, data units or messages that end."""


def assemble_packets(
    spec: Datapath,
    plain: Graph,
    made: Scheduled,
    lowered: Callable[[str], Design],
    given: Mapping[str, str],
    unit: KeyUnit | None,
    timing: Timing,
) -> Core:
    """The finished core of GCM, XTS or CMAC; arguments as of `assemble_gcm`. unit: None for a loop that makes its
    round keys itself.
    """
    if spec.mode in MAC_MODES:
        return assemble_cmac(spec, plain, made, lowered, given, unit)
    if isinstance(spec, Loop):
        return assemble_loop_gcm(spec, plain, made, lowered, given, unit, timing)
    assert isinstance(spec, Pipeline) and unit
    if spec.mode == "gcm":
        return assemble_gcm(spec, plain, made, lowered, given, unit, timing)
    return assemble_xts(spec, plain, made, lowered, given, unit, timing)
