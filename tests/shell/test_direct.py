"""AXI-Stream around a loop whose own first rank is nothing but registers: nothing is in front of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.graph import GraphBuilder
from cipherwright.schedule import UNIT, Io, Schedule
from cipherwright.shell import Core
from cipherwright.target import load_target, synthesise
from cipherwright.verify import CoreFolder
from cipherwright.verify.bus_rules import check_bus_rules
from tests.conftest import Built
from tests.faults import Fault, Faults, all_of, drop, takes
from tests.proofs import Sees, sby
from tests.shell.control_rules import free_outputs, module_of
from tests.shell.test_buses import exchanged
from tests.shell.test_flowing import SCRIPT
from tests.shell.test_formal import spoil
from tests.verify.test_checks import broken_file

DIRECT = ("des-small", "stages=3", "direction=encrypt", "interface=axi-stream", "hops=load")
"""The choice between a new block and the state has a stage to travel in, so blocks and keys wait for it."""

HELD = (*DIRECT, "key=static", "key_expansion=unit")
"""And the key is held: beats wait while one is offered."""

_RULES = """\
    // A beat is taken where the core accepts its block, and none where a key is taken.
    reg f_started = 1'b0;
    always @(posedge clk) f_started <= 1'b1;
    always @(*) begin
        if (!f_started) assume (rst_i);
        assert ((s_axis_tvalid & s_axis_tready) == (core_ready & f_offered));
        if (f_started) assert (!(s_axis_tvalid & s_axis_tready & key_valid_i & key_ready_o));
    end
"""
"""Rules of the bus of `HELD`, inside its module; `f_offered` stands for what the core is offered."""


def added(folder: CoreFolder) -> int:
    """Cycles that the bus adds to the stream inside it."""
    return int(folder.record["latency_cycles"] - folder.record["stream"]["latency_cycles"])


def test_a_beat_goes_straight_into_the_loop(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*DIRECT)
    assert added(folder) == 0
    assert added(built("des-small", "interface=axi-stream")[1]) == 1
    assert added(built(*DIRECT, "tdata_bits=32")[1]) == 2
    assert added(built(*DIRECT, "mode=cbc")[1]) == 1
    mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), tmp_path)
    assert mapped.ffs == core.flip_flops


def test_packets(built: Callable[..., Built], tmp_path: Path) -> None:
    assert exchanged(built(*DIRECT, "tid_bits=3"), tmp_path) == (10, 0)


def test_a_packet_without_an_end_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*DIRECT)
    wrong = broken_file(folder, f"{core.top}.v", takes("block_last", "1'b0"), tmp_path / "b")
    assert exchanged((core, wrong), tmp_path / "sim", "alternate")[1]


@pytest.mark.parametrize("variant", [DIRECT, HELD], ids=["agile", "held"])
def test_rules_of_the_bus(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert "2 outputs of valid and ready depend on registers only" in check_bus_rules(built(*variant)[1])


def _written(core: Core, folder: Path) -> Path:
    """The emitted wrapper with its rules, and the module inside it, whose outputs are free; the first one's
    file.
    """
    text = core.files[f"{core.top}.v"]
    (folder / "inside.v").write_text(free_outputs(module_of(text, f"{core.top}_buffered")))
    axi = module_of(text, core.top).replace("endmodule\n", f"{_RULES}endmodule\n")
    (folder / "axi.v").write_text(axi.replace("f_offered", re.findall(r"\.s_valid_i\((\w+)\)", axi)[0]))
    (folder / "axi.sby").write_text(SCRIPT.replace("axi_top", core.top))
    return folder / "axi.v"


def test_a_beat_is_taken_where_the_core_takes_it(built: Callable[..., Built], tmp_path: Path) -> None:
    """For all times, whatever the core inside does."""
    _written(built(*HELD)[0], tmp_path)
    text = sby(tmp_path, "", "axi.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    "fault",
    [
        drop("s_axis_tready", "open"),
        drop("block_valid", "open"),
        all_of(drop("s_axis_tready", "open"), drop("block_valid", "open")),
        drop("open", "~hold_q"),
    ],
    ids=str,
)
def test_a_broken_gate_is_seen(
    fault: Fault | Faults, built: Callable[..., Built], tmp_path: Path, sees: Sees
) -> None:
    spoil(_written(built(*HELD)[0], tmp_path), fault)
    assert sees(tmp_path, "", "axi.sby")


@pytest.mark.parametrize(("stage", "early"), [(0, False), (1, True)])
def test_an_input_that_goes_into_a_register_first(stage: int, early: bool) -> None:
    """Its second bit is read by nothing, so it does not matter; with an arrival a cycle before, the first one
    always does.
    """
    b = GraphBuilder("late")
    b.output("o", b.xor(b.select(b.input("x", 2), (0,)), b.input("y", 1)))
    g = b.build()
    stages = tuple(stage if n.op == "xor" else 0 for n in g.nodes)
    made = Schedule(g, stages, 2, Io(), UNIT, 9.0)
    assert made.registered("x") is made.registered("y") is early
    assert replace(made, io=Io(arrive=(("x", -1),))).registered("x")
