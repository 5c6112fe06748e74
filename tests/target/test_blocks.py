"""What is read from a Liberty file, and registers that go into blocks of the device."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cipherwright.target import cell_delays, load_target
from cipherwright.target.absorb import absorb_registers
from cipherwright.target.floorplan import mark_lanes, place_boxes
from cipherwright.target.liberty import full_adder_cell, read_cells, truth_table
from cipherwright.target.synth import synthesise
from tests.conftest import Built

LIBERTY = Path(load_target("osu018").liberty)


def test_functions_of_a_library() -> None:
    for text, inputs, table in (
        ("(!(A B))", ("A", "B"), 0b0111),
        ("(A^B)", ("A", "B"), 0b0110),
        ("A' + B", ("A", "B"), 0b1101),
        ("!A", ("A",), 0b01),
        ("(((A B)+(B C))+(C A))", ("A", "B", "C"), 0b11101000),
        ("(A*B)", ("A", "B"), 0b1000),
    ):
        assert truth_table(text, inputs) == table
    assert truth_table("(IQ)", ("D",)) is None


def test_the_adders_of_osu018() -> None:
    cells = read_cells(LIBERTY)
    assert "DFFPOSX1" not in cells
    assert cells["NAND2X1"].area == 24
    assert full_adder_cell(LIBERTY) == ("FAX1", ("B", "C", "A"), "YS", "YC")
    found = cell_delays(LIBERTY)
    assert found is not None
    assert found.area["full"] == 5
    assert (
        found.full_sum[0] > found.full_sum[2] > found.full_carry[0] > found.full_carry[2] > 0.2
    )  # slowest pin first


def cell(kind: str, **pins: Any) -> dict[str, Any]:
    outputs = [p for p in pins if p.startswith(("Q", "DO", "P", "Z"))]
    return {
        "type": kind,
        "parameters": {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"} if kind == "DP16KD" else {},
        "connections": {p: [b] for p, b in pins.items()},
        "port_directions": {p: "output" if p in outputs else "input" for p in pins},
    }


def ram(second_reader: bool = False, clock: int = 2, held: int | str = "0") -> dict[str, Any]:
    """A block RAM with two outputs and a flip-flop behind each; the net 2 is its clock."""
    cells = {
        "ram": cell("DP16KD", CLKA="0", CLKB=2, DOA0=10, DOB0=11),
        "q0": cell("TRELLIS_FF", CLK=clock, DI=10, Q=20, LSR="0"),
        "q1": cell("TRELLIS_FF", CLK=2, DI=11, Q=21, LSR=held),
        "user": cell("LUT4", A=20, B=21, Z=30),
    }
    if second_reader:
        cells["other"] = cell("LUT4", A=10, Z=31)
    return {"cells": cells, "ports": {}}


def test_an_output_register_goes_into_a_block_ram() -> None:
    m = ram()
    assert absorb_registers(m) == 2
    found = m["cells"]["ram"]
    assert set(m["cells"]) == {"ram", "user"}
    assert (found["connections"]["DOA0"], found["connections"]["DOB0"]) == ([20], [21])
    assert (found["parameters"]["REGMODE_A"], found["parameters"]["REGMODE_B"]) == ("OUTREG", "OUTREG")
    assert found["connections"]["CLKA"] == [2]


def test_an_enable_goes_into_a_block_ram() -> None:
    """Registers with one enable become the output register with that enable; with two they stay."""
    for second, gone in ((40, 2), (41, 0)):
        m = ram()
        for name, enable in (("q0", 40), ("q1", second)):
            m["cells"][name]["connections"]["CE"] = [enable]
            m["cells"][name]["port_directions"]["CE"] = "input"
            m["cells"][name]["parameters"]["CEMUX"] = "CE"
        assert absorb_registers(m) == gone
        if gone:
            pins = m["cells"]["ram"]["connections"]
            assert (pins["OCEA"], pins["OCEB"]) == ([40], [40])


def test_what_is_no_output_register_stays() -> None:
    """Another reader beside the flip-flop, another clock, a reset, an output of the module."""
    for m in (
        ram(True),
        ram(clock=3),
        ram(held=7),
        {**ram(), "ports": {"y": {"direction": "output", "bits": [10]}}},
    ):
        before = set(m["cells"])
        assert absorb_registers(m) == 0
        assert set(m["cells"]) == before
        assert m["cells"]["ram"]["parameters"]["REGMODE_A"] == "NOREG"


def test_both_registers_of_a_multiplier() -> None:
    """A flip-flop that others read stays beside the block's own register, a constant input needs none."""
    cells = {
        "mul": cell("MULT18X18D", A0=10, A1="0", B0=11, P0=12),
        "a": cell("TRELLIS_FF", CLK=2, DI=5, Q=10, LSR="0"),
        "b": cell("TRELLIS_FF", CLK=2, DI=6, Q=11, LSR="0"),
        "p": cell("TRELLIS_FF", CLK=2, DI=12, Q=20, LSR="0"),
        "user": cell("LUT4", A=11, B=20, Z=30),
    }
    m: dict[str, Any] = {"cells": cells, "ports": {}}
    assert absorb_registers(m) == 2
    found = m["cells"]["mul"]
    assert set(m["cells"]) == {"mul", "b", "user"}
    assert (found["connections"]["A0"], found["connections"]["B0"], found["connections"]["P0"]) == (
        [5],
        [6],
        [20],
    )
    assert found["parameters"]["REG_INPUTA_CLK"] == found["parameters"]["REG_OUTPUT_CLK"] == "CLK0"
    assert found["connections"]["CLK0"] == [2]


def test_a_multiplier_without_a_register_on_one_side_stays() -> None:
    cells = {
        "mul": cell("MULT18X18D", A0=10, B0=11, P0=12),
        "a": cell("TRELLIS_FF", CLK=2, DI=5, Q=10, LSR="0"),
        "p": cell("TRELLIS_FF", CLK=2, DI=12, Q=20, LSR="0"),
        "user": cell("LUT4", A=20, B=11, Z=30),
        "maker": cell("LUT4", A=1, Q=11),
    }
    m: dict[str, Any] = {"cells": cells, "ports": {}}
    assert absorb_registers(m) == 0
    assert len(m["cells"]) == 5


def test_boxes_get_sites_row_by_row() -> None:
    """Two lanes of three boxes on a device of two rows with four columns; and no sites where the lanes are
    too wide.
    """
    sites = {"rows": [9, 3], "columns": [1, 2, 5, 6]}
    module: dict[str, Any] = {
        "cells": {
            f"top.u_core{lane}.u_box_{n}.words.0.0": {"type": "DP16KD"}
            for lane in ("", "_1")
            for n in (2, 10, 4)
        }
    }
    mark_lanes(module["cells"])
    assert place_boxes(module, sites, [(0, 4), (5, 9)]) == 6
    got = {n: c["attributes"]["BEL"] for n, c in module["cells"].items()}
    assert [got[f"top.u_core.u_box_{n}.words.0.0"] for n in (2, 4, 10)] == [
        "X1/Y9/EBR0",
        "X2/Y9/EBR1",
        "X1/Y3/EBR0",
    ]
    assert [got[f"top.u_core_1.u_box_{n}.words.0.0"] for n in (2, 4, 10)] == [
        "X5/Y9/EBR2",
        "X6/Y9/EBR3",
        "X5/Y3/EBR2",
    ]
    wide: dict[str, Any] = {"cells": {f"u_core_1.u_box_{n}.w": {"type": "DP16KD"} for n in range(5)}}
    mark_lanes(wide["cells"])
    assert place_boxes(wide, sites, [(0, 4), (5, 9)]) == 0
    assert place_boxes(module, sites, [(0, 9)]) == 0
    other: dict[str, Any] = {"cells": {"u_keys.u_rom_1.w": {"type": "DP16KD"}}}
    mark_lanes(other["cells"])
    assert place_boxes(other, sites, [(0, 9)]) == 0


@pytest.mark.long_check
def test_the_registers_behind_a_deep_fifo_are_in_its_block_ram(
    built: Callable[..., Built], tmp_path: Path
) -> None:
    """Both registers of every word: nothing reads the memory without one behind it."""
    core, folder = built("des-small", "architecture=pipelined", "stages=16", "key=agile", "interface=stream")
    synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), tmp_path)
    cells = json.loads((tmp_path / "netlist.json").read_text())["modules"][core.top]["cells"].values()
    rams = [c["parameters"] for c in cells if c["type"] == "DP16KD"]
    assert rams
    assert all(r["REGMODE_A"] == r["REGMODE_B"] == "OUTREG" for r in rams)
