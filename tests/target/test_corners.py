"""Corners of a cell library: one netlist by several Liberty files, and the slacks at its ports."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cipherwright import actions
from cipherwright.errors import CheckFailed, UserError
from cipherwright.report import print_summary
from cipherwright.target import (
    CellOptions,
    Constraints,
    Recipe,
    check_cell_options,
    implement,
    load_target,
    through,
)
from cipherwright.target.library import read_library
from cipherwright.target.sta import timing
from cipherwright.tools import run
from tests.conftest import Built
from tests.target.liberty import OSU018, scaled, without

FACTORS = {"slow": 1.5, "typical": 1.0, "fast": 0.5}

_DESIGN = """
module small (input wire clk, input wire [7:0] a_i, input wire [7:0] b_i, output reg [7:0] y_o);
    reg [7:0] q;
    always @(posedge clk) begin q <= a_i ^ b_i; y_o <= ~(q & b_i) ^ {a_i[0], q[7:1]}; end
endmodule
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("libraries")
    return {name: scaled(folder / f"{name}.lib", factor) for name, factor in FACTORS.items()}


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory, built: Callable[..., Built], libraries: dict[str, Path]
) -> tuple[dict[str, Any], Path]:
    """Record and files of des-small in three corners, mapped in the one of the middle."""
    out = tmp_path_factory.mktemp("corners") / "out"
    _, folder = built("des-small", "input_delay=0.4", "output_delay=25%")
    others = {name: libraries[name] for name in ("fast", "slow")}
    cells = CellOptions(corners=others)
    return actions.implement_core(folder, str(libraries["typical"]), cells=cells, out=out), out


def test_every_corner_is_timed(made: tuple[dict[str, Any], Path]) -> None:
    """Where all times of a library are multiplied by a factor, so are those of the netlist."""
    record, _ = made
    found = {c["corner"]: c for c in record["corners"]}
    assert [c for c in found if found[c]["mapped"]] == ["typical"]
    for name, factor in FACTORS.items():
        for figure in ("critical_path_ns", "hold_slack_ns"):
            assert found[name][figure] == pytest.approx(factor * found["typical"][figure], abs=2e-4)
    assert (record["setup_corner"], record["hold_corner"]) == ("slow", "fast")
    assert record["critical_path_ns"] == found["slow"]["critical_path_ns"]
    assert record["fmax_mhz"] == found["slow"]["fmax_mhz"]
    assert record["hold_slack_ns"] == found["fast"]["hold_slack_ns"] > 0


def test_the_table_is_printed_and_kept(made: tuple[dict[str, Any], Path]) -> None:
    record, out = made
    lines = [line.split() for line in (out / "corners.txt").read_text().splitlines()]
    assert [line[0] for line in lines] == ["corner", "typical", "fast", "slow"]
    assert [float(line[2]) for line in lines[1:]] == [c["critical_path_ns"] for c in record["corners"]]
    console = Console(file=io.StringIO(), width=120)
    print_summary(console, record)
    said = console.file.getvalue()
    assert "Corners" in said
    assert all(name in said for name in FACTORS)


def test_a_run_outside_gives_the_same_figures(made: tuple[dict[str, Any], Path]) -> None:
    record, out = made
    done = subprocess.run(["sh", "again.sh"], cwd=out, capture_output=True, text=True, check=True)
    runs = done.stdout.split("cipherwright: hold between registers")
    first = [float(re.findall(r"(-?\d+\.\d+)\s+slack", text)[-1 if k else 0]) for k, text in enumerate(runs)]
    assert len(runs) == 1 + len(record["corners"])
    assert round(1000 - first[0], 4) == record["corners"][0]["critical_path_ns"]
    for name in ("timing.txt", "timing_fast.txt", "timing_slow.txt"):
        assert (out / name).read_text() in done.stdout


def test_the_constraints_have_the_delays_at_the_ports(made: tuple[dict[str, Any], Path]) -> None:
    """The slacks at the ports are what OpenSTA finds with the core's own SDC file."""
    record, out = made
    sdc = (out / "des_small.sdc").read_text()
    assert "0.4 ns before an input, and 25 % of a period after an output" in sdc
    (out / "own.tcl").write_text(
        "read_liberty cells.lib\nread_verilog netlist.v\nlink_design des_small\nread_sdc des_small.sdc\n"
        "report_checks -path_delay max -from [get_ports block_i] -digits 4\n"
        "report_checks -path_delay max -to [all_outputs] -digits 4\nexit\n"
    )
    said = run("sta", ["-no_splash", "-exit", "own.tcl"], cwd=out).stdout
    slacks = [float(s) for s in re.findall(r"(-?\d+\.\d+)\s+slack", said)]
    assert len(slacks) == 2
    assert min(slacks) >= record["corners"][0]["port_setup_slack_ns"] - 0.001
    period = float(re.findall(r"-period ([\d.]+)", sdc)[0])
    assert f"-max {period / 4:.3f} [get_ports {{ready_o" in sdc
    assert record["setup_slack_ns"] == pytest.approx(period - record["critical_path_ns"], abs=0.001)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small.v").write_text(_DESIGN)
    return tmp_path / "small.v"


def test_delays_at_ports_take_from_their_slack(small: Path) -> None:
    def slack(before: float, after: float) -> float:
        cells = CellOptions(constraints=Constraints(5.0, before, after))
        build = implement([small], "small", load_target("osu018"), Recipe(cells=cells))
        found = build.corners[0].timing.port_setup_ns
        assert found is not None
        return found

    free = slack(0.0, 0.0)
    assert slack(1.0, 0.0) == pytest.approx(free - 1.0, abs=2e-4)
    assert slack(0.0, 4.0) < free - 1.0


def test_a_library_in_other_units_gives_the_same_times(small: Path, tmp_path: Path) -> None:
    """Picoseconds instead of nanoseconds."""
    path = scaled(tmp_path / "ps.lib", 1000)
    path.write_text(path.read_text().replace('time_unit : "1ns"', 'time_unit : "1ps"'))
    cells = CellOptions(constraints=Constraints(5.0, 1.0, 1.0))
    ns, ps = (
        implement([small], "small", load_target(name), Recipe(mapping="area", cells=cells)).corners[0].timing
        for name in ("osu018", str(path))
    )
    assert ps.path_ns == pytest.approx(ns.path_ns, abs=2e-4)
    assert ps.port_setup_ns == pytest.approx(ns.port_setup_ns, abs=2e-4)


def test_a_cell_that_a_corner_lacks_is_not_used(tmp_path: Path) -> None:
    text = OSU018.read_text().replace("cell (NOR2X1) {", "cell (NOR2X1) {\n  dont_use : true;")
    start = text.index("cell (OR2X1)")
    text = text[:start] + text[start:].replace("pin(A)", "pin(A1)", 1)
    found = read_library(OSU018, (), {"slow": without(tmp_path / "l.lib", "XNOR2X1", text)})
    assert {k: v for k, v in found.left_out.items() if "TBUF" not in k} == {
        "XNOR2X1": "not in the corner slow",
        "NOR2X1": "dont_use in the library, in the corner slow",
        "OR2X1": "other pins in the corner slow",
    }


def test_libraries_that_are_no_corners_of_each_other(tmp_path: Path) -> None:
    other = tmp_path / "other.lib"
    other.write_text(re.sub(r"\bcell \((\w+)\)", r"cell (\1_L)", OSU018.read_text()))
    with pytest.raises(UserError, match=r"osu018_stdcells\.lib and other\.lib have no usable cell in common"):
        read_library(OSU018, (), {"slow": other})
    other.write_text(OSU018.read_text().replace('"1ns"', '"1ps"'))
    with pytest.raises(UserError, match=r"other\.lib has time_unit = 1ps and osu018_stdcells\.lib 1ns"):
        read_library(OSU018, (), {"slow": other})
    text = OSU018.read_text()
    for flip_flop in ("DFFNEGX1", "DFFPOSX1", "DFFSR"):
        text = without(other, flip_flop, text).read_text()
    other.write_text(text.replace("cell (LATCH) {", 'cell (LATCH) {\n  ff (x, y) { clocked_on : "CLK"; }'))
    with pytest.raises(UserError, match="no flip-flop that may be used"):
        read_library(OSU018, (), {"slow": other})


def test_record_of_one_library(tmp_path: Path, made: tuple[dict[str, Any], Path]) -> None:
    """The files of a corner alone give its figures."""
    record, out = made
    shutil.copytree(out, tmp_path / "copy")
    said = run("sta", ["-no_splash", "-exit", "sta_slow.tcl"], cwd=tmp_path / "copy").stdout
    slack = re.search(r"(-?\d+\.\d+)\s+slack", said)
    assert slack
    assert round(1000 - float(slack[1]), 4) == record["critical_path_ns"]
    assert json.loads((out / "record.json").read_text()) == record


_ASYNCHRONOUS = """
module small (input wire clk, input wire rst_i, input wire [7:0] a_i, output wire [7:0] y_o);
    reg [7:0] q;
    always @(posedge clk or posedge rst_i) if (rst_i) q <= 0; else q <= (a_i + q) * 8'd201;
    assign y_o = q;
endmodule
"""


def test_the_slack_at_ports_is_the_least_of_all_groups_of_paths(tmp_path: Path) -> None:
    """The path to an asynchronous reset is a group of its own, which OpenSTA reports first."""
    (tmp_path / "small.v").write_text(_ASYNCHRONOUS)
    cells = CellOptions(constraints=Constraints(2.0, 0.5, 0.5))
    out = tmp_path / "out"
    out.mkdir()
    build = implement([tmp_path / "small.v"], "small", load_target("osu018"), Recipe(cells=cells), keep=out)
    said = (out / "timing.txt").read_text()
    found = [
        [float(s) for s in re.findall(r"(-?\d+\.\d+)\s+slack", report)]
        for report in said.split("cipherwright: ")[1:]
        if report.startswith("port_setup")
    ]
    assert "Path Group: **async_default**" in said
    assert min(min(slacks) for slacks in found) < min(slacks[0] for slacks in found)
    assert build.corners[0].timing.port_setup_ns == min(min(slacks) for slacks in found)


_PARTS = """
module small (input wire clk, input wire [7:0] a_i, output wire [15:0] y_o);
    reg [1:0] q;
    always @(posedge clk) q <= a_i[1:0] ^ {q[0], ~q[1]};
    wire one = q[0] & a_i[7], other = q[1] | a_i[6];
    assign y_o = {4'd0, one, one, one, 3'd0, other, 3'd0, q};
endmodule
"""


def test_parts_of_a_bus_that_are_assigned_together_are_timed(tmp_path: Path) -> None:
    """OpenSTA reads no concatenation on the left of an assignment."""
    (tmp_path / "small.v").write_text(_PARTS)
    cells = CellOptions(constraints=Constraints(5.0, 0.5, 0.5))
    build = implement([tmp_path / "small.v"], "small", load_target("osu018"), Recipe(cells=cells))
    assert build.corners[0].timing.path_ns > 0


def test_what_opensta_can_not_do_is_one_sentence(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    implement([small], "small", load_target("osu018"), keep=out)
    (out / "netlist.v").write_text("module small (clk); input clk; assign { a, b } = clk; endmodule\n")
    with pytest.raises(CheckFailed, match=r"OpenSTA found no path between registers: Error: .*netlist\.v"):
        timing(out, "small")
    (out / "netlist.v").write_text("module small (clk); input clk; endmodule\n")
    with pytest.raises(CheckFailed, match="OpenSTA found no path from an input to an output: "):
        through(out, "small")


@pytest.mark.parametrize("name", ["cells", "CELLS"])
def test_a_corner_has_a_file_of_its_own(name: str) -> None:
    """`cells.lib` is the library that is mapped to."""
    cells = CellOptions(corners={name: OSU018})
    with pytest.raises(UserError, match=f"give the corner {name} another name"):
        check_cell_options(load_target("osu018"), cells)
