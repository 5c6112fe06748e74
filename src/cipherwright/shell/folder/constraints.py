"""Timing constraints of a core: clock and ports, for tools that read SDC, for Vivado and for nextpnr-ecp5."""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import Pin
from ...tools import printable
from ..header import origin_lines
from .text import filled

__all__ = ["IO_SHARE", "constraints"]

IO_SHARE = 0.3
"""Share of a period that the design around the core may take before an input and after an output."""


def constraints(
    name: str, top: str, pins: Sequence[Pin], clock: str, period: float, target: str
) -> dict[str, str]:
    """TOP.sdc, TOP.xdc and TOP.lpf. `period` in ns; `name`: the core's, as the user gave it."""

    def ports(out: bool) -> str:
        names = [pin.name for pin in pins if pin.out is out and pin.name != clock]
        return f"{{{' '.join(names)}}}" if names else ""

    facts = {
        "origin": origin_lines(name),
        "clock": clock,
        "period": period,
        "target": printable(target),
        "percent": round(100 * IO_SHARE),
        "budget": IO_SHARE * period,
        "inputs": ports(False),
        "outputs": ports(True),
    }
    # Vivado's constraints are SDC as far as clocks and ports go.
    sdc = filled("constraints.sdc.j2", **facts)
    return {f"{top}.sdc": sdc, f"{top}.xdc": sdc, f"{top}.lpf": filled("core.lpf.j2", **facts)}
