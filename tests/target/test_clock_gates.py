"""Clock gating on a cell library: the gates do what the enables did, and save power."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherwright import actions
from cipherwright.errors import CheckFailed, UserError
from cipherwright.rtl import words
from cipherwright.target import CellOptions, load_target, measured_power, synthesise
from cipherwright.target.clock_gates import LEAST, ClockGate, clock_gate, gate_model
from cipherwright.target.library import read_library
from cipherwright.target.sta import Constraints, timing
from tests.conftest import Built
from tests.target.liberty import OSU018, gated

GATING = CellOptions(clock_gating=True)

_DESIGN = f"""
module little (input wire clk, input wire rst_i, input wire en_i, input wire [{LEAST}:0] a_i,
    output wire [7:0] y_o);
    reg [{LEAST}:0] p, free;
    reg [{LEAST - 2}:0] few;
    reg on;
    always @(posedge clk) begin
        on <= en_i & ~rst_i;
        if (on) p <= a_i;
        if (en_i ^ on) few <= a_i[{LEAST - 2}:0];
        free <= a_i ^ p;
    end
    assign y_o = {{few, free}} ^ {{p, 3'b0}};
endmodule
"""

_BENCH = f"""
`timescale 1ns / 1ps
module little_tb;
    reg clk = 0, en = 0, on = 0, rst = 1;
    reg [{LEAST}:0] a = 0, p = 0, last = 0;
    wire [7:0] y;
    integer n, wrong = 0;
    little dut (.clk(clk), .rst_i(rst), .en_i(en), .a_i(a), .y_o(y));
    always #5 clk = ~clk;
    initial begin
        for (n = 0; n < 300; n = n + 1) begin
            @(negedge clk);
            if (n > 20 && y[{LEAST}:0] !== (last ^ {{p[1:0], 3'b0}})) wrong = wrong + 1;
            rst = n < 3;
            en = n < 3 ? 0 : $random;
            a = $random;
            last = a ^ p;
            if (on) p = a;
            on = en & ~rst;
        end
        if (wrong) $display("FAIL %0d", wrong); else $display("PASS");
        $finish;
    end
endmodule
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gated(tmp_path_factory.mktemp("gated") / "gated.lib")


def _mapped(folder: Path, library: Path, asked: CellOptions = GATING) -> Any:
    folder.mkdir()
    (folder.parent / "little.v").write_text(_DESIGN)
    return synthesise(
        [folder.parent / "little.v"], "little", load_target(str(library)), folder, "delay", asked
    )


def test_the_cell_is_found(tmp_path: Path, library: Path) -> None:
    found = clock_gate(library)
    assert found is not None
    assert (found.name, found.clock, found.enable, found.gated) == ("CLKGATE", "CLK", "E", "GCLK")
    assert found.tests == ("SE",)
    assert clock_gate(OSU018) is None
    for kind in ("latch_negedge", "none_posedge", "latch_posedge_postcontrol_obs"):
        assert clock_gate(gated(tmp_path / "other.lib", kind)) is None
    ruled_out = gated(tmp_path / "out.lib", ruled_out="true")
    (tmp_path / "usable.lib").write_text(read_library(ruled_out).text)
    assert clock_gate(tmp_path / "usable.lib") is None


def test_registers_with_a_common_enable_are_gated(tmp_path: Path, library: Path) -> None:
    mapped = _mapped(tmp_path / "out", library)
    assert (mapped.gating.cell, mapped.gating.gates, mapped.gating.registers) == ("CLKGATE", 1, LEAST + 1)
    netlist = (tmp_path / "out" / "netlist.v").read_text()
    gate = re.search(r"CLKGATE \S+ \((.*?)\);", netlist, re.S)
    assert gate
    pins = dict(re.findall(r"\.(\w+)\((.*?)\)", gate[1]))
    assert pins["CLK"] == "clk"
    assert pins["SE"] in ("1'h0", "1'b0")
    without = _mapped(tmp_path / "without", library, CellOptions())
    assert without.gating is None
    assert "CLKGATE" not in without.cells
    assert mapped.area_um2 < without.area_um2 + 128


def test_a_library_without_the_cell_keeps_the_enables(tmp_path: Path) -> None:
    gating = _mapped(tmp_path / "out", OSU018).gating
    why = "osu018_stdcells.lib has no clock-gating cell (latch_posedge), so registers keep their enables"
    assert gating.record() == {"cell": "", "gates": 0, "registers": 0, "why": why}


def test_the_gated_netlist_does_the_same(tmp_path: Path, library: Path) -> None:
    """And takes less power. A gate whose enable is always 1, or always 0, is seen."""
    _mapped(tmp_path / "out", library)
    _mapped(tmp_path / "without", library, CellOptions())
    power, more = (measured_power(tmp_path / n, "little", _BENCH) for n in ("out", "without"))
    assert power.cycles == more.cycles
    assert power.internal_mw < more.internal_mw
    said = (tmp_path / "out" / "power.tcl").read_text()
    assert "stop_propagation" in said
    assert "stop_propagation" not in (tmp_path / "without" / "power.tcl").read_text()
    netlist = (tmp_path / "out" / "netlist.v").read_text()
    for value in ("1'b0", "1'b1"):
        wrong = re.sub(r"(CLKGATE \S+ \(.*?\.E\()[^)]*", rf"\g<1>{value}", netlist, flags=re.S)
        assert wrong != netlist
        (tmp_path / "out" / "netlist.v").write_text(wrong)
        with pytest.raises(CheckFailed, match="fails its testbench"):
            measured_power(tmp_path / "out", "little", _BENCH)


def test_the_enable_of_a_gate_is_timed(tmp_path: Path, library: Path) -> None:
    """A path to it counts where it is the longest."""
    _mapped(tmp_path / "out", library)
    folder = tmp_path / "out"
    asked = Constraints(5.0, 1.0, 1.0)
    before = timing(folder, "little", "clk", "", asked, gated=True)
    text = (folder / "cells.lib").read_text()
    slow = re.sub(
        r'(timing_type : setup_rising;\s*rise_constraint\(scalar\) \{ values \(")0\.1', r"\g<1>3.0", text
    )
    slow = re.sub(r'(fall_constraint\(scalar\) \{ values \(")0\.1', r"\g<1>3.0", slow)
    assert slow != text
    (folder / "cells.lib").write_text(slow)
    after = timing(folder, "little", "clk", "", asked, gated=True)
    assert after.path_ns > 3 > before.path_ns


def test_the_model_of_a_gate() -> None:
    """The enable passes while the clock is 0, and a change while it is 1 does not count."""
    made = ClockGate("G", 1.0, "CK", "EN", "Z", ("T",))
    text = words(gate_model(made))
    assert "module G ( input CK , input EN , input T , output Z ) ;" in text
    assert "if ( ! CK ) open = EN | T ;" in text
    assert "input CK , input EN , output Z ) ;" in words(gate_model(replace(made, tests=())))


def test_record_of_a_core(built: Callable[..., Built], library: Path, tmp_path: Path) -> None:
    """Held round keys: a loop with a memory of flip-flops."""
    changes = ("key=static", "key_expansion=unit", "mapping=area", "clock_gating=true")
    _, folder = built("des-small", *changes)
    out = tmp_path / "out"
    record = actions.implement_core(folder, str(library), out=out)
    assert record["clock_gating"]["registers"] == 16 * 48
    assert record["clock_gating"]["gates"] == record["cells"]["CLKGATE"] == 16
    assert record["netlist_proof"].startswith("not checked: ")
    assert record["power"]["total_mw"] < 0.9 * record["power_without_gating"]["total_mw"]
    again = subprocess.run(["sh", "power.sh"], cwd=out, capture_output=True, text=True, check=True).stdout
    assert "PASS" in again
    total = re.search(r"^Total(?:\s+(\S+)){4}", again, re.M)
    assert total
    assert 1000 * float(total[1]) == pytest.approx(record["power"]["total_mw"], abs=1e-3)
    assert json.loads((out / "record.json").read_text())["clock_gating"] == record["clock_gating"]
    with pytest.raises(UserError, match="clock_gating is for cell libraries, and xcve is none"):
        actions.implement_core(folder, "xcve")


def test_a_gate_that_is_ruled_out_is_told(tmp_path: Path) -> None:
    gating = _mapped(tmp_path / "out", gated(tmp_path / "g.lib", ruled_out="true")).gating
    why = "CLKGATE of g.lib may not be used (dont_use in the library), so registers keep their enables"
    assert gating.record() == {"cell": "", "gates": 0, "registers": 0, "why": why}
