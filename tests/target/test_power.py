"""Power of a cell netlist: changes are counted in the netlist itself, and weighed by the library."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright import actions
from cipherwright.errors import CheckFailed
from cipherwright.target import measured_power
from cipherwright.target.power import POWER_FILES, pins
from tests.conftest import Built
from tests.target.liberty import scaled


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, built: Callable[..., Built]) -> Path:
    """What `implement --out` leaves of des-small on a cell library."""
    folder = tmp_path_factory.mktemp("power") / "out"
    actions.implement_core(built("des-small")[1], "osu018", out=folder)
    return folder


def test_a_run_outside_gives_the_same_power(out: Path) -> None:
    assert set(POWER_FILES) <= {p.name for p in out.iterdir()}
    power = json.loads((out / "record.json").read_text())["power"]
    done = subprocess.run(["sh", "power.sh"], cwd=out, capture_output=True, text=True, check=True)
    assert "PASS" in done.stdout
    total = re.search(r"^Total(?:\s+(\S+)){4}", done.stdout, re.M)
    assert total is not None
    assert 1000 * float(total[1]) == pytest.approx(power["total_mw"], abs=1e-3)
    parts = (power["internal_mw"], power["switching_mw"], power["leakage_mw"])
    assert min(parts) > 0
    assert power["total_mw"] == pytest.approx(sum(parts), abs=1e-3)
    assert power["cycles"] == 205
    assert power["clock_mhz"] == 100


def test_every_pin_has_its_activity(out: Path) -> None:
    """And the clock's pins change twice a cycle."""
    netlist, said = (out / "netlist.v").read_text(), (out / "activity.tcl").read_text()
    given = dict(re.findall(r"act {(\S+)} (\S+) \S+", said))
    wanted = {f"{cell}/{pin}": net for cell, pin, net in pins(netlist, "des_small")}
    assert given.keys() == wanted.keys()
    clocked = [float(given[pin]) for pin, net in wanted.items() if net == "clk"]
    assert len(clocked) == 127
    assert clocked == pytest.approx([2] * 127, abs=0.01)


_STILL = """
module des_small_tb;
    reg clk = 0;
    des_small dut (.clk(clk), .rst_i(1'b1), .valid_i(1'b0), .block_i(64'd0), .key_i(64'd0), .decrypt_i(1'b0));
    always #5 clk = ~clk;
    initial #2000 begin
        $display("PASS");
        $finish;
    end
endmodule
"""


def test_fewer_changes_take_less_power(out: Path, tmp_path: Path) -> None:
    """A core that is held in reset: its data registers have none, so the loop's logic goes on from 0."""
    power = json.loads((out / "record.json").read_text())["power"]
    for name in ("netlist.v", "cells.lib"):
        shutil.copy(out / name, tmp_path / name)
    idle = measured_power(tmp_path, "des_small", _STILL)
    assert idle.cycles == 200
    assert 0 < idle.total_mw < 0.75 * power["total_mw"]
    assert idle.switching_mw < power["switching_mw"]


def test_a_netlist_that_fails_its_testbench_has_no_power(out: Path, tmp_path: Path) -> None:
    netlist = (out / "netlist.v").read_text()
    (tmp_path / "netlist.v").write_text(netlist.replace("  XOR2X1 ", "  OR2X1 ", 1))
    shutil.copy(out / "cells.lib", tmp_path)
    with pytest.raises(CheckFailed, match="the mapped netlist fails its testbench"):
        measured_power(tmp_path, "des_small", (out / "testbench.v").read_text())


def test_the_units_of_the_library_do_not_matter(out: Path, tmp_path: Path) -> None:
    """Picoseconds instead of nanoseconds, at the same clock."""
    power = json.loads((out / "record.json").read_text())["power"]
    shutil.copy(out / "netlist.v", tmp_path)
    text = scaled(tmp_path / "cells.lib", 1000).read_text()
    (tmp_path / "cells.lib").write_text(text.replace('time_unit : "1ns"', 'time_unit : "1ps"'))
    found = measured_power(tmp_path, "des_small", (out / "testbench.v").read_text())
    assert found.switching_mw == pytest.approx(power["switching_mw"], rel=0.01)
    assert found.leakage_mw == pytest.approx(power["leakage_mw"], rel=0.01)


def test_a_core_on_a_bus_has_no_power(built: Callable[..., Built], tmp_path: Path) -> None:
    """Its testbench is of the core inside; the record and the files say so, and all else is there."""
    _, folder = built("des-small", "interface=axi-stream", "mapping=area")
    record = actions.implement_core(folder, "osu018", out=tmp_path / "out")
    assert record["power"] == {}
    why = (tmp_path / "out" / "power.txt").read_text().strip()
    assert why.startswith("power is not measured: the testbench drives des_small_")
    assert why in record["warnings"]
    assert json.loads((tmp_path / "out" / "record.json").read_text()) == record
    assert why not in actions.implement_core(folder, "osu018")["warnings"]
