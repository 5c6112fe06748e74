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
from cipherwright.target.activity import pins
from cipherwright.target.power import POWER_FILES
from cipherwright.verify import BusTraffic, bus_traffic
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
    before = (out / "activity.tcl").read_text()
    (out / "activity.tcl").unlink()
    done = subprocess.run(["sh", "power.sh"], cwd=out, capture_output=True, text=True, check=True)
    assert "PASS" in done.stdout
    assert (out / "activity.tcl").read_text() == before
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
    wanted = {f"{cell}/{pin}": net for cell, pin, net in pins(netlist)}
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


BUSES = {
    "a stream": ("interface=axi-stream",),
    "blocks in registers": ("interface=registers", "control=apb"),
    "messages on a stream": ("interface=axi-stream", "mode=cmac", "direction=encrypt"),
}


@pytest.mark.parametrize("bus", BUSES)
def test_power_of_a_core_on_a_bus(bus: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """Blocks go through the bus; the script in the folder gives the same figures, and a netlist that answers
    otherwise in one cycle has none.
    """
    core, folder = built("des-small", "mapping=area", *BUSES[bus])
    out = tmp_path / "out"
    record = actions.implement_core(folder, "osu018", out=out)
    power, bench = record["power"], (out / "testbench.v").read_text()
    assert not any("power" in why for why in record["warnings"])
    assert f"module {core.top}_tb;" in bench and f"    {core.top} dut (" in bench
    assert power["cycles"] > 200
    assert min(power["internal_mw"], power["switching_mw"], power["leakage_mw"]) > 0
    (out / "activity.tcl").unlink()
    again = subprocess.run(["sh", "power.sh"], cwd=out, capture_output=True, text=True, check=True)
    total = re.search(r"^Total(?:\s+(\S+)){4}", again.stdout, re.M)
    assert total and 1000 * float(total[1]) == pytest.approx(power["total_mw"], abs=1e-3)
    at = [m.end() for m in re.finditer(r"seen\[\d+\] = \d+'h", bench)][-1]
    other = "1" if bench[at] == "0" else "0"
    with pytest.raises(CheckFailed, match="the outputs differ in 1 cycles"):
        measured_power(out, core.top, bench[:at] + other + bench[at + 1 :])


def test_traffic_is_the_same_every_time(built: Callable[..., Built]) -> None:
    _, folder = built("des-small", "interface=axi-stream")
    first, second = bus_traffic(folder), bus_traffic(folder)
    assert (first.given == second.given).all() and (first.seen == second.seen).all()
    assert _beats(first, "s_axis") == _beats(first, "m_axis") == 12


def _beats(traffic: BusTraffic, side: str) -> int:
    """Beats of a stream that are taken."""
    rows = {p.name: traffic.given for p in traffic.simulation.inputs}
    rows |= {p.name: traffic.seen for p in traffic.simulation.outputs}
    valid, ready = (
        traffic.simulation.view(rows[f"{side}_{name}"], f"{side}_{name}")[:, 0]
        for name in ("tvalid", "tready")
    )
    return int((valid & ready).sum())


def test_traffic_of_messages_behind_registers(built: Callable[..., Built]) -> None:
    """What is written and read is in the traffic: beats beside a bus of registers, and words over one."""
    changes = ("mode=cmac", "direction=encrypt")
    beside = bus_traffic(built("des-small", *changes, "interface=axi-stream", "control=axi-lite")[1])
    assert _beats(beside, "m_axis") == 6 < _beats(beside, "s_axis")
    within = bus_traffic(built("des-small", *changes, "interface=registers", "control=wishbone")[1])
    asked = within.simulation.view(within.given, "wb_stb_i")[:, 0]
    answered = within.simulation.view(within.seen, "wb_ack_o")[:, 0]
    assert asked.sum() >= answered.sum() > 100
