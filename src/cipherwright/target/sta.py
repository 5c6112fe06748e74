"""Static timing of a mapped cell netlist by OpenSTA: the longest register-to-register path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..tools import run

__all__ = ["Timing", "through", "timing"]


@dataclass(frozen=True)
class Timing:
    """Critical path in ns (clock to output, logic, setup) and the path in words."""

    path_ns: float
    words: str


def timing(folder: Path, top: str, clock: str = "clk", more: str = "") -> Timing:
    """Analyse folder/netlist.v by folder/cells.lib; its registers follow the port `clock`. `more`: commands
    of OpenSTA on clock and wires, before the report. What it said is in folder/sta.log.
    """
    (folder / "sta.tcl").write_text(
        f"read_liberty cells.lib\nread_verilog netlist.v\nlink_design {top}\n"
        f"create_clock -name clk -period 1000 [get_ports {clock}]\n{more}"
        "report_checks -path_delay max -from [all_registers -clock_pins] -to [all_registers -data_pins] "
        "-digits 4\nexit\n"
    )
    text = run("sta", ["-no_splash", "-exit", "sta.tcl"], cwd=folder).stdout
    (folder / "sta.log").write_text(text)
    slack = re.search(r"(-?\d+\.\d+)\s+slack", text)
    start, end = re.search(r"Startpoint: (\S+)", text), re.search(r"Endpoint: (\S+)", text)
    if slack is None or start is None or end is None:
        raise RuntimeError(f"OpenSTA found no register-to-register path:\n{text[-2000:]}")
    cells = re.findall(r"\d+\.\d+\s+\d+\.\d+\s+[v^]\s+\S+ \((\w+)\)", text)
    path = round(1000 - float(slack[1]), 4)
    return Timing(path, f"from {start[1]} through {max(0, len(cells) - 2)} cells to {end[1]}: {path:.2f} ns")


def through(folder: Path, top: str) -> float:
    """The longest path in ns from an input to an output of folder/netlist.v, which is logic without
    registers; the edges at its inputs are ideal and nothing loads its outputs.
    """
    (folder / "through.tcl").write_text(
        f"read_liberty cells.lib\nread_verilog netlist.v\nlink_design {top}\n"
        "create_clock -name none -period 1000\nset_input_delay 0 -clock none [all_inputs]\n"
        "set_output_delay 0 -clock none [all_outputs]\n"
        "report_checks -path_delay max -from [all_inputs] -to [all_outputs] -digits 4\nexit\n"
    )
    text = run("sta", ["-no_splash", "-exit", "through.tcl"], cwd=folder).stdout
    slack = re.search(r"(-?\d+\.\d+)\s+slack", text)
    if slack is None:
        raise RuntimeError(f"OpenSTA found no path from an input to an output:\n{text[-2000:]}")
    return round(1000 - float(slack[1]), 4)
