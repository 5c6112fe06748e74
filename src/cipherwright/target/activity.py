"""How often every net of a simulated netlist changes, as commands of OpenSTA.

This file stands by itself and goes into the folder of an implementation, where it is a script:
`python3 activity.py CLOCK` reads netlist.v and activity.vcd and writes activity.tcl.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Activity", "activities", "activity_commands", "pins", "write_activity"]

_PIN = re.compile(r"\.(\w+)\((\\\S+ |\w+(?:\[\d+\])?)\)")
_CELL = re.compile(r"^  (\w+) (\\\S+ |\w+) \((.*?)\);$", re.S | re.M)


@dataclass(frozen=True)
class Activity:
    """A net's `changes` for each cycle of the clock, and `duty`, the part of the time in which it is 1."""

    changes: float
    duty: float


def pins(netlist: str) -> Iterator[tuple[str, str, str]]:
    """(cell, its pin, net) of the one flat module in `netlist`, text of Verilog as Yosys writes it without
    expressions. An escaped name keeps its backslash. Pins that hold a constant are left out.
    """
    for cell in _CELL.finditer(netlist):
        for pin, net in _PIN.findall(cell[3]):
            yield cell[2].strip(), pin, net.strip()


def activities(dump: Iterable[str], clock: str) -> tuple[dict[str, Activity], int]:
    """Activity of every net of a value change `dump` (its lines) with one scope, by name with the bit in
    brackets, and the cycles of the net `clock`, which are counted by its rising edges. An unknown value is no
    change and no 1. Raises ValueError where the clock does not change.

    >>> text = '''$timescale 1ps $end
    ... $var wire 1 ! clk $end
    ... $var wire 2 " q [1:0] $end
    ... $enddefinitions $end
    ... #0
    ... 0!
    ... bx0 "
    ... #5
    ... 1!
    ... b1 "
    ... #10
    ... 0!
    ... #15
    ... 1!
    ... b10 "
    ... #20
    ... 0!'''
    >>> found, cycles = activities(text.splitlines(), "clk")
    >>> cycles, found["q[0]"], found["q[1]"]
    (2, Activity(changes=1.0, duty=0.5), Activity(changes=0.5, duty=0.25))
    """
    nets = _Nets()
    lines = iter(dump)
    for line in lines:
        if line.startswith("$var"):
            nets.declare(line)
        elif line.startswith("$enddefinitions"):
            break
    now = 0
    for line in lines:
        if line.startswith("#"):
            now = int(line[1:])
        elif line[0] in "01xz":
            nets.change(line[1:].strip(), line[0], now)
        elif line[0] == "b":
            value, code = line[1:].split()
            nets.change(code, value, now)
    return nets.activities(clock, now)


class _Nets:
    """Nets of a dump while it is read: of each bit its value, since when it has it, how often it changed, and
    how long it was 1.
    """

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        """Code -> for each bit, the highest first, its names."""
        self.value: dict[str, str] = {}
        self.since: dict[str, list[int]] = {}
        self.changes: dict[str, list[int]] = {}
        self.high: dict[str, list[int]] = {}

    def declare(self, line: str) -> None:
        _, _, width, code, name, *_ = line.split()
        bits = [name] if width == "1" else [f"{name}[{k}]" for k in reversed(range(int(width)))]
        if code not in self.names:
            self.names[code] = [[] for _ in bits]
            self.value[code] = "x" * len(bits)
            self.since[code], self.changes[code], self.high[code] = ([0] * len(bits) for _ in range(3))
        for names, bit in zip(self.names[code], bits, strict=True):
            names.append(bit)

    def change(self, code: str, value: str, now: int) -> None:
        if code not in self.names:
            return
        before = self.value[code]
        # A dump leaves out what is in front of the highest bit: zeros, or the same unknown value again.
        fill = value[0] if value[0] in "xz" else "0"
        after = value.rjust(len(before), fill)
        since, changes, high = self.since[code], self.changes[code], self.high[code]
        for k, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                changes[k] += old in "01" and new in "01"
                high[k] += now - since[k] if old == "1" else 0
                since[k] = now
        self.value[code] = after

    def activities(self, clock: str, end: int) -> tuple[dict[str, Activity], int]:
        at = {n: (code, k) for code, bits in self.names.items() for k, b in enumerate(bits) for n in b}
        code, k = at[clock]
        cycles = (self.changes[code][k] + 1) // 2
        if not cycles or not end:
            raise ValueError("the clock of the testbench does not change")
        found = {}
        for name, (code, k) in at.items():
            still = end - self.since[code][k] if self.value[code][k] == "1" else 0
            high = (self.high[code][k] + still) / end
            found[name] = Activity(round(self.changes[code][k] / cycles, 5), round(high, 5))
        return found, cycles


def activity_commands(netlist: str, found: Mapping[str, Activity]) -> str:
    """Commands of OpenSTA that give every pin of `netlist` (as of `pins`) its activity, by the net's name in
    `found`.
    """
    lines = [
        "# Changes for each cycle of the clock, and the part of the time at 1.",
        "proc act {pin changes duty} {",
        "    foreach p [get_pins $pin] { sta::set_power_pin_activity $p $changes $duty }",
        "}",
    ]
    for cell, pin, net in pins(netlist):
        if net in found:
            lines.append(f"act {{{cell}/{pin}}} {found[net].changes} {found[net].duty}")
    return "\n".join(lines) + "\n"


def write_activity(folder: Path, clock: str) -> int:
    """Write activity.tcl of what netlist.v and activity.vcd in `folder` say; the cycles of the net `clock`.
    Raises ValueError where it does not change.
    """
    with (folder / "activity.vcd").open(encoding="utf-8") as lines:
        found, cycles = activities(lines, clock)
    (folder / "activity.tcl").write_text(activity_commands((folder / "netlist.v").read_text(), found))
    return cycles


if __name__ == "__main__":
    write_activity(Path(), sys.argv[1])
