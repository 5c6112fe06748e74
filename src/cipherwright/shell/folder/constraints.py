"""Timing constraints of a core: clock and ports, for tools that read SDC, for Vivado and for nextpnr-ecp5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...rtl import Pin
from ...spec import Spec
from ...tools import printable
from ..header import origin_lines
from .text import filled

__all__ = ["constraints"]


def constraints(spec: Spec, top: str, pins: Sequence[Pin], clock: str, period: float) -> dict[str, str]:
    """TOP.sdc, TOP.xdc and TOP.lpf of the core `top` of `spec`, by name. pins: its ports; clock: name of the
    clock's port; `period` in ns. Raises UserError where a delay at a port takes all of it.
    """

    def ports(out: bool) -> str:
        names = [pin.name for pin in pins if pin.out is out and pin.name != clock]
        return f"{{{' '.join(names)}}}" if names else ""

    before, after = spec.port_delays(period)
    facts = {
        "origin": origin_lines(spec.name),
        "clock": clock,
        "period": period,
        "target": _planned_for(spec),
        "before": before,
        "after": after,
        "shares": _shares(spec),
        "inputs": ports(False),
        "outputs": ports(True),
    }
    # Vivado's constraints are SDC as far as clocks and ports go.
    sdc = filled("constraints.sdc.j2", **facts)
    return {f"{top}.sdc": sdc, f"{top}.xdc": sdc, f"{top}.lpf": filled("core.lpf.j2", **facts)}


def _planned_for(spec: Spec) -> str:
    """Whose delay model the stages were planned with: a Liberty file's are those of osu018."""
    library = spec.target.endswith(".lib")
    return (
        f"osu018, for the library {printable(Path(spec.target).name)}" if library else printable(spec.target)
    )


def _shares(spec: Spec) -> str:
    """Both delays in words."""

    def said(text: str) -> str:
        return f"{text[:-1]} % of a period" if text.endswith("%") else f"{text} ns"

    before, after = said(spec.input_delay), said(spec.output_delay)
    if before == after:
        return f"{before} before an input and after an output"
    return f"{before} before an input, and {after} after an output"
