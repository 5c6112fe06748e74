"""Lanes in strips of their own: who belongs to which lane, how wide the strips are, and a small core
placed so and routed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.progress import quiet
from cipherwright.target import lanes, load_target
from cipherwright.target.canonical import CANONICAL_TOP
from cipherwright.target.floorplan import Slices, lane_of_name, mark_lanes, strips
from cipherwright.target.lanes import Board, assign, place_lanes
from cipherwright.target.netlist_proof import prove_routed
from cipherwright.target.place import place
from cipherwright.target.synth import CANONICAL, synthesise

from .test_blocks import cell

DEVICE = "ecp5-85k-8"

CORE = """
module lane (input clk, input [15:0] key, input [15:0] block, output reg [15:0] sum);
    reg [15:0] count, words [0:15], mixed;
    reg [3:0] at;
    always @(posedge clk) begin
        count <= count + key;
        at <= at + 1;
        words[at] <= block;
        mixed <= words[at + 4'd3] ^ count;
        sum <= mixed ^ {mixed[7:0], mixed[15:8]} ^ key;
    end
endmodule
module twice (input clk, input [15:0] key, input [31:0] block, output [31:0] sum);
    reg [15:0] first, second;
    always @(posedge clk) begin first <= key; second <= first; end
    lane u_core (.clk(clk), .key(first), .block(block[15:0]), .sum(sum[15:0]));
    lane u_core_1 (.clk(clk), .key(second), .block(block[31:16]), .sum(sum[31:16]));
endmodule
"""


def test_a_cell_belongs_to_the_lane_that_it_names_or_drives_first() -> None:
    cells = {
        "u_cipher.u_core.a": cell("TRELLIS_FF", CLK=1, DI=10, Q=20),
        "u_cipher.u_core_1.a": cell("TRELLIS_FF", CLK=1, DI=11, Q=21),
        "u_counter12.c": cell("LUT4", A=3, Z=12),
        "word": cell("TRELLIS_FF", CLK=1, DI=30, Q=10),
        "word_1": cell("TRELLIS_FF", CLK=1, DI=10, Q=11),
        "made": cell("LUT4", A=31, Z=30),
        "loop": cell("LUT4", A=31, Z=31),
        "out": cell("LUT4", A=21, Z=40),
    }
    mark_lanes(cells)
    found = assign(cells)
    assert found == {
        "u_cipher.u_core.a": 0,
        "u_cipher.u_core_1.a": 1,
        "u_counter12.c": 12,
        "word": 0,
        "word_1": 1,
        "made": 0,
        "loop": 0,
        "out": 0,
    }
    assert lane_of_name("u_cipher.u_core_7.u_box_1.w") == 7
    assert lane_of_name("u_cipher.u_keys.rk1_1") is None


def test_strips_are_as_wide_as_their_lanes_need() -> None:
    slices = Slices((2, 11), (1, 6), frozenset({4}))
    assert strips([10, 10], slices) == [(2, 6), (7, 11)]
    assert strips([30, 10, 10], slices) == [(2, 7), (8, 9), (10, 11)]
    assert slices.sites((2, 3)) == 8 * 2 * 5
    bels = list(slices.bels())
    assert len(bels) == 2 * slices.sites(slices.columns)
    assert not any("/Y4/" in bel for _, _, bel in bels)


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lanes")
    (folder / "twice.v").write_text(CORE)
    out = folder / "out"
    out.mkdir()
    synthesise([folder / "twice.v"], "twice", load_target(DEVICE), out)
    return out


def test_lanes_stand_in_their_strips_and_the_whole_is_routed(
    netlist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Carry chains and LUT RAM come through in their packed form; every flip-flop has the nets that it
    had, and is in its lane's strip.
    """
    monkeypatch.setattr(lanes, "TRIES", 1)
    said: list[str] = []
    target = load_target(DEVICE)
    name = place_lanes(netlist, target, 1, 200, said.append)
    assert said == ["placing lane 1 of 2, seed 1", "placing lane 2 of 2, seed 1"]
    before: dict[str, Any] = json.loads((netlist / CANONICAL).read_text())["modules"]["top"]
    after: dict[str, Any] = json.loads((netlist / name).read_text())["modules"]["top"]
    ffs = {n for n, c in before["cells"].items() if c["type"] == "TRELLIS_FF"}
    assert ffs == {n for n, c in after["cells"].items() if c["type"] == "TRELLIS_FF"}
    kinds = {c["parameters"].get("MODE") for c in after["cells"].values()}
    assert {"CCU2", "DPRAM"} <= kinds
    for n, c in before["cells"].items():
        pins, now = c["connections"], after["cells"].get(n, {}).get("connections", {})
        if c["type"] == "TRELLIS_FF":  # packed with the lookup table that drives it, or alone
            assert (now["Q"], now.get("DI") or now["M"]) == (pins["Q"], pins["DI"])
        elif c["type"] == "LUT4":
            used = {b for b in pins["A"] + pins["B"] + pins["C"] + pins["D"] if isinstance(b, int)}
            assert now["F"] == pins["Z"]
            assert {b for p in "ABCD" for b in now[p]} == used
    lane = assign({n: c for n, c in before["cells"].items() if not c["type"].startswith("$")})
    for n, c in after["cells"].items():
        x = int(re.match(r"X(\d+)/", c["attributes"]["BEL"])[1])  # type: ignore[index]
        inside = lane[n] if n in lane else int(re.match(r"lane(\d)", n)[1])  # type: ignore[index]
        assert (x <= 63) == (inside == 0), n
    assert place(netlist, target, 1, 200, name, keep=True).fmax_mhz > 100
    assert (
        "equals the core's for every state"
        in prove_routed(netlist, netlist / "routed1.json", "clk").statement
    )


def test_what_does_not_fit_its_strip_is_left_to_the_placer(
    netlist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "FULL", 0.0)
    said: list[str] = []
    assert place_lanes(netlist, load_target(DEVICE), 1, 200, said.append) == CANONICAL
    assert said == ["a lane would fill its strip: all lanes are left to the placer"]
    assert place_lanes(netlist, load_target("ice40-hx8k"), 1, 200, quiet) == CANONICAL


def test_a_broken_netlist_is_refused(tmp_path: Path) -> None:
    wrong = {
        "modules": {
            "t": {
                "attributes": {},
                "ports": {},
                "netnames": {},
                "cells": {"u": cell("NO_SUCH_CELL", A=1) | {"attributes": {}, "parameters": {}}},
            }
        }
    }
    (tmp_path / CANONICAL).write_text(json.dumps(wrong))
    with pytest.raises(CheckFailed, match="place and route on"):
        place(tmp_path, load_target(DEVICE), 1, 200)


def test_a_lane_sees_what_earlier_lanes_use_of_a_shared_tile() -> None:
    """The select of a multiplexer that stands comes in where the flip-flop beside it could."""
    select = cell("TRELLIS_COMB", A=3, M=5, OFX=6)
    select["attributes"] = {"BEL": "X2/Y2/SLICEC.K0"}
    cells = {"select": select, "later": cell("TRELLIS_FF", CLK=1, DI=8, Q=9)}
    board = Board(cells, {b: f"net{b}" for b in (1, 3, 5, 6, 8, 9)})
    board.fixed["select"] = None
    ports = {"clk": {"direction": "input", "bits": [1]}}
    alone = board.alone(["later"], Slices.from_table(load_target(DEVICE).options["slices"]), (0, 200), ports)
    seen = alone["modules"][CANONICAL_TOP]["cells"]["select"]["connections"]
    assert seen["M"] == [5]
    assert seen["A"] == []


def test_a_cell_that_does_nothing_has_the_enable_of_its_slice() -> None:
    """A slice has one enable for both of its flip-flops, whatever the tile's other slices have."""
    first = cell("TRELLIS_FF", CLK=1, CE=2, DI=3, Q=4)
    other = cell("TRELLIS_FF", CLK=1, CE=5, DI=3, Q=6)
    first["attributes"] = {"BEL": "X2/Y2/SLICED.FF0"}
    other["attributes"] = {"BEL": "X2/Y2/SLICEB.FF1"}
    cells = {"first": first, "other": other, "later": cell("TRELLIS_FF", CLK=1, DI=8, Q=9)}
    board = Board(cells, {b: f"net{b}" for b in (1, 2, 3, 4, 5, 6, 8, 9)})
    board.fixed = dict.fromkeys(["first", "other"])
    ports = {"clk": {"direction": "input", "bits": [1]}}
    alone = board.alone(["later"], Slices.from_table(load_target(DEVICE).options["slices"]), (5, 200), ports)
    around = alone["modules"][CANONICAL_TOP]["cells"]
    enables = {
        bel: around[f"outside_X2/Y2/{bel}"]["connections"].get("CE") for bel in ("SLICED.FF1", "SLICEB.FF0")
    }
    assert enables == {"SLICED.FF1": [2], "SLICEB.FF0": [5]}
    assert around["outside_X2/Y2/SLICEA.FF0"]["connections"]["CLK"] == [1]
    assert around["outside_X3/Y2/SLICEA.FF0"]["connections"] == {}
