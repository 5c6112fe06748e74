"""Place and route by nextpnr (WebAssembly builds: the same input and seed give the same figures anywhere, but
where a netlist comes placed: docs/decisions/0035-repaired-after-routing.md).
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import CheckFailed
from ..tools import run
from .facts import REPAIRED, REROUTED, Target
from .placed import Wires
from .repair import repaired, rerouted
from .synth import CANONICAL, NAMES

__all__ = [
    "Effort",
    "Placed",
    "estimate",
    "nextpnr_arguments",
    "place",
    "place_with_delays",
    "placer_arguments",
]

_PLACED = (REPAIRED, REROUTED)
"""Placers that are ours: nextpnr routes what they placed."""
_TIMES, _GAIN, _PATIENCE = 8, 1.003, 2
"""So often a netlist is routed, until the clock was not better by this factor so many times in a row."""
_CANONICAL_NAME = re.compile(r"(?:lane\d+\.)?((?:cell|net)\.\d+)")


@dataclass(frozen=True)
class Effort:
    """What nextpnr's placer is told: `placer`, its name, and `weight`, that of timing in `heap`."""

    placer: str
    weight: int


@dataclass(frozen=True)
class Placed:
    """One run: `seed`, clock in MHz (`fmax_mhz`), and the critical path's segments in `path`, as nextpnr
    reports them (`type`, `delay` in ns, `from`, `to`, `net`) with names of the RTL where they are known.
    """

    seed: int
    fmax_mhz: float
    path: tuple[dict[str, Any], ...]
    netlist: str = CANONICAL
    """The file of the folder that was placed."""

    @property
    def words(self) -> str:
        """The critical path in words."""
        logic = sum(s["delay"] for s in self.path if s["type"] != "routing")
        routing = sum(s["delay"] for s in self.path if s["type"] == "routing")
        levels = sum(s["type"] == "logic" for s in self.path)
        start, end = _signal(self.path[0]), _signal(self.path[-1])
        hops = [s for s in self.path if s["type"] == "routing"]
        longest = max(hops, key=lambda s: float(s["delay"]), default=None)
        text = f"from {start} through {levels} logic element{'s' * (levels != 1)} to {end}: "
        text += f"{logic:.2f} ns in cells, {routing:.2f} ns in wires"
        if longest:
            text += f" (the longest, {longest['delay']:.2f} ns, is net {longest.get('net', '?')})"
        return text


def _signal(segment: dict[str, Any]) -> str:
    cell = segment.get("to" if segment["type"] == "setup" else "from", {}).get("cell", "?")
    return str(cell).split("_TRELLIS_FF")[0].split("_SB_DFF")[0]


def place(
    folder: Path,
    target: Target,
    seed: int,
    timing_weight: int,
    netlist: str = CANONICAL,
    keep: bool = False,
    placer: str = "heap",
) -> Placed:
    """Place and route `netlist`, a file of `folder`, for `target` with `seed`. `timing_weight` is the weight
    of timing in the analytic placer, worth more than any other option of it
    (docs/decisions/0004-placer-weight.md); the `placer` "static" does not know it. "repaired": by `heap`, and
    then by repair.py; "rerouted": by measured delays and by estimates, each again after routing, and the
    faster of both. `keep`: the netlist after routing goes to routedSEED.json, as it always does with
    "rerouted". Raises CheckFailed where the design does not fit the device.
    """
    report = folder / f"report{seed}.json"
    if target.bare:
        netlist = _without_ports(folder, netlist)
    said, starts = "", [netlist]
    if placer in _PLACED:
        said, starts = _repaired(folder, target, seed, timing_weight, netlist, placer == REROUTED)
    more = [*placer_arguments(placer), "--report", report.name]
    if placer == REROUTED:
        again, netlist = _rerouted(folder, target, seed, timing_weight, starts, more)
        said += again
    else:
        netlist = starts[0]
        written = ["--write", f"routed{seed}.json"] if keep else []
        said += _nextpnr(folder, target, seed, timing_weight, netlist, [*more, *written])
        if keep and placer == REPAIRED:
            _keep_ports(folder / netlist, folder / f"routed{seed}.json")
    (folder / f"nextpnr{seed}.log").write_text(said)
    return _read(folder, seed, netlist)


def _read(folder: Path, seed: int, netlist: str) -> Placed:
    """What a run reported."""
    data = json.loads((folder / f"report{seed}.json").read_text())
    clock = next(iter(data["fmax"]))
    path: list[dict[str, Any]] = next(
        (p["path"] for p in data["critical_paths"] if clock in p["from"] and clock in p["to"]), []
    )
    names = json.loads((folder / NAMES).read_text()) if (folder / NAMES).exists() else {}
    return Placed(seed, _fmax(data), tuple(_named(s, names) for s in path), netlist)


def _fmax(report: Mapping[str, Any]) -> float:
    """The clock in MHz that a report has."""
    return round(float(next(iter(report["fmax"].values()))["achieved"]), 2)


def place_with_delays(folder: Path, target: Target, seed: int, timing_weight: int) -> tuple[Path, Path]:
    """Place by `heap` and route canonical.json of `folder` for `target` with `seed` and the weight
    `timing_weight` of timing; the path of the netlist after routing, and that of the delays of its wires
    (SDF). Raises CheckFailed where that fails.
    """
    return _routed(folder, target, seed, timing_weight, CANONICAL, [])[1:]


def _routed(
    folder: Path, target: Target, seed: int, timing_weight: int, netlist: str, more: list[str]
) -> tuple[str, Path, Path]:
    """Route a netlist of the folder; what was said, the netlist after it and the delays of its wires."""
    routed, delays = folder / f"routed{seed}.json", folder / f"{seed}.sdf"
    more = [*more, "--write", routed.name, "--sdf", delays.name]
    return _nextpnr(folder, target, seed, timing_weight, netlist, more), routed, delays


def placer_arguments(placer: str) -> list[str]:
    """What nextpnr is told when it routes, for the `placer` that a user chose: which placer, or that all is
    placed.

    >>> placer_arguments("heap"), placer_arguments("repaired")
    (['--placer', 'heap'], ['--no-pack', '--no-place'])
    """
    return ["--no-pack", "--no-place"] if placer in _PLACED else ["--placer", placer]


@dataclass
class _Fastest:
    """The fastest routing so far: its clock in MHz, the netlist that was routed, and copies of `files`."""

    mhz: float = 0.0
    netlist: str = ""
    files: tuple[Path, ...] = ()

    def take(self, mhz: float, netlist: str, *files: Path) -> None:
        """Keep a routing if it is faster."""
        if mhz > self.mhz:
            self.mhz, self.netlist, self.files = mhz, netlist, files
            for path in files:
                shutil.copy(path, path.with_suffix(".best"))

    def restore(self) -> None:
        """Put the files of the fastest routing back."""
        for path in self.files:
            path.with_suffix(".best").replace(path)


def _rerouted(
    folder: Path, target: Target, seed: int, timing_weight: int, starts: list[str], more: list[str]
) -> tuple[str, str]:
    """Route placed netlists of the folder, and make each faster. What was said, and the name of the netlist
    whose routing was the fastest. That is routedSEED.json, and its report reportSEED.json.
    """
    report, wires = folder / f"report{seed}.json", Wires(**target.options["wires"])
    fastest, said = _Fastest(), ""
    # How nextpnr routes depends on the name of its file, too (docs/decisions/0035-repaired-after-routing.md).
    for start, again in zip(starts, ("rerouted", "estimated"), strict=True):
        netlist, best, idle = start, 0.0, 0
        for step in range(1, _TIMES + 1):
            words, routed, delays = _routed(folder, target, seed, timing_weight, netlist, more)
            _keep_ports(folder / start, routed)
            now = _fmax(json.loads(report.read_text()))
            said += f"{words}\n{now} MHz\n"
            fastest.take(now, netlist, routed, report)
            idle, best = 0 if now > best * _GAIN else idle + 1, max(now, best)
            if idle == _PATIENCE or step == _TIMES:
                break
            netlist = f"{again}{seed}_{step}.json"
            found = rerouted(routed, delays, folder / netlist, wires)
            said += f"{found}\n"
            if not found.moves:
                break
    fastest.restore()
    return said, fastest.netlist


def _repaired(
    folder: Path, target: Target, seed: int, timing_weight: int, netlist: str, both: bool
) -> tuple[str, list[str]]:
    """Place a netlist of the folder and repair that by the placer's estimates; with `both` by delays after
    routing, first, and by estimates. What was said, and the names of the placed netlists.
    """
    placed = f"heap{seed}.json"
    starts = [f"{name}{seed}.json" for name in (("repaired", "estimated") if both else ("repaired",))]
    said = _nextpnr(folder, target, seed, timing_weight, netlist, ["--no-route", "--write", placed])
    wires = Wires(**target.options["wires"])
    for better, measured in zip(starts, (both, False), strict=False):
        said += f"\n{repaired(folder / placed, folder / better, wires, measured)}\n"
    return said, starts


def _keep_ports(placed: Path, routed: Path) -> None:
    """Give a routed netlist the ports that the placed one has: nextpnr writes none where it does not pack.
    Nets keep their names.
    """
    before, design = json.loads(placed.read_text()), json.loads(routed.read_text())
    was, now = (next(iter(d["modules"].values())) for d in (before, design))
    names = {n["bits"][0]: name for name, n in was["netnames"].items() if len(n["bits"]) == 1}
    for name, port in was["ports"].items():
        bits = [now["netnames"][names[b]]["bits"][0] if isinstance(b, int) else b for b in port["bits"]]
        now["ports"][name] = port | {"bits": bits}
    routed.write_text(json.dumps(design))


def _without_ports(folder: Path, netlist: str) -> str:
    """Write a netlist of the folder without the ports of its modules; the file's name."""
    design = json.loads((folder / netlist).read_text())
    for module in design["modules"].values():
        module["ports"] = {}
    (folder / f"bare_{netlist}").write_text(json.dumps(design))
    return f"bare_{netlist}"


def _named(part: Any, names: Mapping[str, str]) -> Any:
    """A part of a report with the names of the RTL instead of the canonical ones."""
    if isinstance(part, dict):
        return {k: _named(v, names) for k, v in part.items()}
    return _CANONICAL_NAME.sub(lambda m: names.get(m[1], m[0]), part) if isinstance(part, str) else part


def estimate(folder: Path, target: Target, netlist: str, placed: str, seed: int, timing_weight: int) -> float:
    """Place `netlist`, a file of `folder`, for `target` without routing it, and write the result to the file
    `placed` there; the clock in MHz by the placer's estimate of wires. `seed` and `timing_weight` as for
    `place`. Raises CheckFailed where that fails.
    """
    said = _nextpnr(folder, target, seed, timing_weight, netlist, ["--no-route", "--write", placed])
    return float(re.findall(r"Max frequency for clock .*?: ([\d.]+) MHz", said)[-1])


def nextpnr_arguments(
    target: Target, seed: int, timing_weight: int, netlist: str, more: list[str]
) -> list[str]:
    """The command line of nextpnr for `target`, without the tool's name: with `seed`, the weight
    `timing_weight` of timing in `heap`, the file `netlist` to read, and `more` arguments behind these.
    Neither a clock that is not reached nor ports without pads are errors.
    """
    args = [
        *target.device,
        "--timing-allow-fail",
        "--freq",
        "600",
        "--seed",
        str(seed),
        "--json",
        netlist,
        "--placer-heap-timingweight",
        str(timing_weight),
        *more,
    ]
    if target.family == "ecp5":
        args.append("--out-of-context")
    elif target.family == "ice40":
        args.append("--pcf-allow-unconstrained")
    return args


def _nextpnr(
    folder: Path, target: Target, seed: int, timing_weight: int, netlist: str, more: list[str]
) -> str:
    args = nextpnr_arguments(target, seed, timing_weight, netlist, more)
    done = run(f"yowasp-nextpnr-{target.nextpnr}", args, cwd=folder, check=False)
    written = [folder / value for flag, value in pairwise(more) if flag in ("--report", "--write", "--sdf")]
    if done.returncode or not all(path.exists() for path in written):
        errors = [line for line in done.stdout.splitlines() if line.startswith("ERROR")]
        raise CheckFailed(
            f"place and route on {target.name} failed: {errors[0] if errors else done.stdout[-300:]}"
        )
    return done.stdout
