"""Static timing of a mapped cell netlist by OpenSTA: the longest path between registers, and the slacks for a
clock and its ports.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import CheckFailed
from ..tools import run

__all__ = ["Constraints", "Timing", "complaint", "through", "timing"]

_LONG_NS = 1000
"""A period that every path fits."""

_MARK = "cipherwright:"
"""What begins the lines between the reports of a script."""

_FROM = "-from [all_registers -clock_pins]"
_TO = "-to [all_registers -data_pins]"
"""Left away where there are clock gates, whose enables are ends of paths as well."""


@dataclass(frozen=True)
class Constraints:
    """The clock's period `period_ns`, and what the design around the core takes of it before an input
    (`input_ns`) and after an output (`output_ns`), all in ns.
    """

    period_ns: float
    input_ns: float
    output_ns: float


@dataclass(frozen=True)
class Timing:
    """The critical path `path_ns` in ns (clock to output, logic, set-up) and in `words`. With constraints the
    slacks in ns: `setup_ns` and `hold_ns` between registers, `port_setup_ns` and `port_hold_ns` of paths from
    inputs or to outputs; None where there is no such path.
    """

    path_ns: float
    words: str
    setup_ns: float | None = None
    hold_ns: float | None = None
    port_setup_ns: float | None = None
    port_hold_ns: float | None = None


def timing(
    folder: Path,
    top: str,
    clock: str = "clk",
    more: str = "",
    constraints: Constraints | None = None,
    files: tuple[str, str, str] = ("cells.lib", "sta.tcl", "sta.log"),
    gated: bool = False,
) -> Timing:
    """Analyse the module `top` of folder/netlist.v; its registers follow the port `clock`. `more`: commands
    of OpenSTA on clock and wires, before the report. `constraints`: what slacks are for; with them
    folder/netlist.json is read, for the ports (None: the longest path alone). `files`: library, script and
    log in `folder`; the script and what OpenSTA said are there afterwards. `gated`: there are clock gates,
    whose enables are ends of paths as well.

    Raises CheckFailed where OpenSTA finds no path between registers.
    """
    between = f"{_FROM} -digits 4" if gated else f"{_FROM} {_TO} -digits 4"
    library, script, log = files
    slacks = _slack_commands(folder, top, clock, constraints, between) if constraints else ""
    (folder / script).write_text(
        f"read_liberty {library}\nset_cmd_units -time ns -capacitance pF\nread_verilog netlist.v\n"
        f"link_design {top}\ncreate_clock -name clk -period {_LONG_NS} [get_ports {clock}]\n{more}"
        f"report_checks -path_delay max {between}\n{slacks}exit\n"
    )
    text = run("sta", ["-no_splash", "-exit", script], cwd=folder).stdout
    (folder / log).write_text(text)
    first, *others = text.split(_MARK)
    worst = _worst(first)
    if worst is None:
        raise CheckFailed(f"OpenSTA found no path between registers: {complaint(text)}")
    slack, said = worst
    start, end = re.search(r"Startpoint: (\S+)", said), re.search(r"Endpoint: (\S+)", said)
    assert start and end
    cells = re.findall(r"\d+\.\d+\s+\d+\.\d+\s+[v^]\s+\S+ \((\w+)\)", said)
    path = round(_LONG_NS - slack, 4)
    words = f"from {start[1]} through {max(0, len(cells) - 2)} cells to {end[1]}: {path:.2f} ns"
    if not constraints:
        return Timing(path, words)
    slack_of = _least_slacks(others)
    setup = round(constraints.period_ns - path, 4)
    return Timing(path, words, setup, *map(slack_of.get, ("hold", "port_setup", "port_hold")))


def complaint(said: str) -> str:
    """The line that tells of an error in what OpenSTA `said`, or its last one."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()]
    return [*told, *lines[-1:], "it said nothing"][0]


def _worst(report: str) -> tuple[float, str] | None:
    """The least slack of a report and the text of its path: a report has a path for each group of paths, and
    those to an asynchronous reset are a group of their own, which comes first.
    """
    paths = re.split(r"(?=^Startpoint: )", report, flags=re.M)[1:]
    found = [(float(m[1]), path) for path in paths if (m := re.search(r"(-?\d+\.\d+)\s+slack", path))]
    return min(found, default=None)


def _least_slacks(reports: list[str]) -> dict[str, float]:
    """The least slack of each kind, which is the first word of a report."""
    said: dict[str, list[float]] = {}
    for report in reports:
        if found := _worst(report):
            said.setdefault(report.split()[0], []).append(found[0])
    return {kind: min(values) for kind, values in said.items()}


def _slack_commands(folder: Path, top: str, clock: str, constraints: Constraints, between: str) -> str:
    """Commands that report hold between registers, and the paths from inputs and to outputs: what is around
    the core takes its share of the period at most, and nothing of it at least.
    """
    ports = json.loads((folder / "netlist.json").read_text())["modules"][top]["ports"]
    lines = [
        f"puts {{{_MARK} hold between registers}}",
        f"report_checks -path_delay min {between}",
        f"create_clock -name clk -period {constraints.period_ns:.4f} [get_ports {clock}]",
    ]
    ways = {"input": ("-from", constraints.input_ns), "output": ("-to", constraints.output_ns)}
    ends = {}
    for way, (_, share) in ways.items():
        if names := [n for n, p in ports.items() if p["direction"] == way and n != clock]:
            ends[way] = f"[get_ports {{{' '.join(names)}}}]"
            lines.append(f"set_{way}_delay -clock clk -max {share:.4f} {ends[way]}")
            lines.append(f"set_{way}_delay -clock clk -min 0 {ends[way]}")
    for way, these in ends.items():
        for kind, path in (("port_setup", "max"), ("port_hold", "min")):
            lines.append(f"puts {{{_MARK} {kind} of paths at an {way}}}")
            lines.append(f"report_checks -path_delay {path} {ways[way][0]} {these} -digits 4")
    return "\n".join(lines) + "\n"


def through(folder: Path, top: str) -> float:
    """The longest path in ns from an input to an output of the module `top` of netlist.v in `folder`, which
    is logic without registers, by cells.lib there; the edges at its inputs are ideal and nothing loads its
    outputs. Raises CheckFailed where there is no such path.
    """
    (folder / "through.tcl").write_text(
        "read_liberty cells.lib\nset_cmd_units -time ns -capacitance pF\nread_verilog netlist.v\n"
        f"link_design {top}\n"
        "create_clock -name none -period 1000\nset_input_delay 0 -clock none [all_inputs]\n"
        "set_output_delay 0 -clock none [all_outputs]\n"
        "report_checks -path_delay max -from [all_inputs] -to [all_outputs] -digits 4\nexit\n"
    )
    text = run("sta", ["-no_splash", "-exit", "through.tcl"], cwd=folder).stdout
    worst = _worst(text)
    if worst is None:
        raise CheckFailed(f"OpenSTA found no path from an input to an output: {complaint(text)}")
    return round(1000 - worst[0], 4)
