"""Which core a mode of packets or units makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..arch import Scheduled
from ..cipher.modes import PACKET_MODES, UNIT_MODES
from ..graph import Graph
from ..rtl import Design
from ..schedule import DelayModel
from ..spec import Pipeline
from .core import Core
from .gcm import assemble_gcm
from .keys import KeyUnit
from .xts import assemble_xts

__all__ = ["PACKETS", "assemble_packets"]

PACKETS = (*PACKET_MODES, *UNIT_MODES)
"""Modes whose words come in packets or data units."""


def assemble_packets(
    spec: Pipeline,
    plain: Graph,
    made: Scheduled,
    lowered: Callable[[str], Design],
    given: Mapping[str, str],
    unit: KeyUnit,
    model: DelayModel,
) -> Core:
    """The finished core of GCM or XTS; arguments as of `assemble_gcm`."""
    if spec.mode == "gcm":
        return assemble_gcm(spec, plain, made, lowered, given, unit, model)
    return assemble_xts(spec, plain, made, lowered, given, unit)
