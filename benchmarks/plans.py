"""How near plans are: the clock and the lookup tables that the planner expects, beside those of the records.

Usage: python benchmarks/plans.py

Prints a row for each preset with a record on the ECP5-85k-8 in a mode without packets, units or messages. Of
such a core the planner counts everything but its control and a key-expansion unit that is written by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cipherwright.cipher.modes import MAC_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES
from cipherwright.datapath import prepare, with_registers
from cipherwright.plan.sketch import figures_of
from cipherwright.spec import Datapath, load
from cipherwright.target import load_target

TARGET = "ecp5-85k-8"
RECORDS = Path(__file__).parent / "records"
HAND_WRITTEN = (*PACKET_MODES, *UNIT_MODES, *MAC_MODES, *WIDE_MODES)
"""Modes whose lookup tables are mostly those of a module written by hand, which no plan counts."""


@dataclass(frozen=True)
class Plan:
    """A preset's plan beside its record: clocks in MHz and lookup tables, and whether a part of it is written
    by hand.
    """

    preset: str
    architecture: str
    planned_mhz: float
    mhz: float
    planned_luts: int
    luts: int
    hand_written: bool

    @property
    def clock(self) -> float:
        """The clock as a part of the plan."""
        return self.mhz / self.planned_mhz

    @property
    def tables(self) -> float:
        """Lookup tables as a part of the plan."""
        return self.luts / self.planned_luts


def plans() -> Iterator[Plan]:
    """All of them, by name."""
    target = load_target(TARGET)
    for path in sorted(RECORDS.glob(f"*@{TARGET}.json")):
        record = json.loads(path.read_text())
        spec = load(record["preset"], {"target": TARGET})
        if not isinstance(spec, Datapath) or spec.mode in HAND_WRITTEN:
            continue
        made, unit = with_registers(spec, prepare(spec))
        f = figures_of(spec, made, unit, target)
        by_hand = unit is not None and not unit.loops
        yield Plan(
            spec.name, spec.architecture, f.mhz, record["fmax_mhz"], f.luts or 0, record["luts"], by_hand
        )


def summary(found: list[Plan]) -> str:
    """The sentence that the guide has."""
    whole = [p for p in found if not p.hand_written]
    pipelines, loops = (
        [p.clock for p in found if p.architecture == kind] for kind in ("pipelined", "iterative")
    )
    tables = [p.tables for p in whole]
    return (
        f"{len(found)} presets on the ECP5-85k-8: pipelines have {min(pipelines):.0%} to "
        f"{max(pipelines):.0%} of the planned clock (best seed), loops {min(loops):.0%} to {max(loops):.0%}; "
        f"lookup tables after mapping are {min(tables):.0%} to {max(tables):.0%} of those that were counted."
    )


def main() -> None:
    found = list(plans())
    print(f"{'preset':26} {'planned':>8} {'MHz':>7} {'part':>6} {'counted':>8} {'LUT4':>7} {'part':>6}")
    for p in found:
        note = "  (key-expansion unit by hand)" if p.hand_written else ""
        print(
            f"{p.preset:26} {p.planned_mhz:8.1f} {p.mhz:7.1f} {p.clock:6.0%} {p.planned_luts:8,} {p.luts:7,} "
            f"{p.tables:6.0%}{note}"
        )
    print(summary(found))


if __name__ == "__main__":
    main()
