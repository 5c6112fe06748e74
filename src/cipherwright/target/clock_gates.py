"""Clock gating on a cell library: registers with a common enable behind one of the library's integrated
clock-gating cells, put in by Yosys before it maps flip-flops.

The cell is one for rising edges with a latch (`latch_posedge` in Liberty), whose enable counts at the edge.
So a register takes its data in the same cycles as with an enable. The cell's test pin is held at 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .liberty import cell_area, cells_of, pins_of

__all__ = ["LEAST", "ClockGate", "Gating", "clock_gate", "gate_model", "gating"]

LEAST = 4
"""The fewest registers that get a clock gate of their own: it is about as large as their multiplexers."""

_MODEL = Path(__file__).parent / "cells" / "clock_gate.v"


@dataclass(frozen=True)
class ClockGate:
    """A clock-gating cell: its `name` and `area` (in the library's unit, 0 where it has none), its pins for
    `clock`, `enable` and `gated` clock, and the pins for scan `tests`, which are held at 0.
    """

    name: str
    area: float
    clock: str
    enable: str
    gated: str
    tests: tuple[str, ...]

    def command(self) -> str:
        """The pass of Yosys that puts it in."""
        tied = "".join(f" -tie_lo {pin}" for pin in self.tests)
        pins = f"{self.enable}:{self.clock}:{self.gated}"
        return f"clockgate -pos {self.name} {pins}{tied} -min_net_size {LEAST}"


@dataclass(frozen=True)
class Gating:
    """What clock gating did: the `cell` ("" where the library has none), how many `gates` are in the netlist,
    and how many `registers` follow them; `why` there are none ("" where there are some).
    """

    cell: str
    gates: int
    registers: int
    why: str = ""

    def record(self) -> dict[str, str | int]:
        """The figures as a record has them."""
        return {"cell": self.cell, "gates": self.gates, "registers": self.registers, "why": self.why}


def clock_gate(liberty: Path) -> ClockGate | None:
    """The clock-gating cell for rising edges among the cells of the file `liberty`, or None: of several the
    one with the fewest test pins, of these the smallest. Raises UserError where the file is no Liberty file.
    """
    found = [gate for name, text in cells_of(liberty) if (gate := _gate(name, text))]
    return min(found, key=lambda g: (len(g.tests), g.area, g.name), default=None)


def _gate(name: str, text: str) -> ClockGate | None:
    kind = re.search(r'\bclock_gating_integrated_cell\s*:\s*"?(\w+)', text)
    if not kind or not re.fullmatch(r"latch_posedge(_precontrol|_postcontrol)?", kind[1]):
        return None
    pins: dict[str, list[str]] = {}
    for called, pin in pins_of(text):
        for role in re.findall(r'\bclock_gate_(\w+)_pin\s*:\s*"?true', pin):
            pins.setdefault(role, []).append(called)
    if any(len(pins.get(role, [])) != 1 for role in ("clock", "enable", "out")):
        return None
    clock, enable, out = (pins[role][0] for role in ("clock", "enable", "out"))
    return ClockGate(name, cell_area(text) or 0.0, clock, enable, out, tuple(pins.get("test", ())))


def gating(
    module: Mapping[str, Any], gate: ClockGate | None, library: Path, left_out: Mapping[str, str]
) -> Gating:
    """What clock gating did in a flat mapped `module` (Yosys JSON) for which `gate` was offered. Where `gate`
    is None, the reason names the file `library`, and its clock-gating cell where that is one of the cells
    `left_out`, from name to reason.
    """
    if gate is None:
        why = f"{library.name} has no clock-gating cell (latch_posedge)"
        if other := clock_gate(library):
            why = f"{other.name} of {library.name} may not be used ({left_out[other.name]})"
        return Gating("", 0, 0, f"{why}, so registers keep their enables")
    gates = [c for c in module["cells"].values() if c["type"] == gate.name]
    clocks = {b for c in gates for b in c["connections"][gate.gated]}
    registers = sum(
        any(clocks & {*bits} for bits in c["connections"].values())
        for c in module["cells"].values()
        if c["type"] != gate.name
    )
    why = "" if gates else f"no {LEAST} registers have a common enable"
    return Gating(gate.name, len(gates), registers, why)


def gate_model(gate: ClockGate) -> str:
    """A Verilog module with the function of `gate`, for simulation: its latch takes the enable, or a test
    pin, while the clock is low.
    """
    tests = "".join(f"input {pin}, " for pin in gate.tests)
    enable = " | ".join([gate.enable, *gate.tests])
    text = _MODEL.read_text().replace("= ENABLE", f"= {enable}").replace("output", f"{tests}output")
    names = {"CELL": gate.name, "CLOCK": gate.clock, "ENABLE": gate.enable, "GATED": gate.gated}
    for word, name in names.items():
        text = re.sub(rf"\b{word}\b", name, text)
    return text
