"""What repairs a placement: shorter paths, legal places, the same netlist."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cipherwright.target import Recipe, implement, load_target
from cipherwright.target.canonical import CANONICAL_TOP
from cipherwright.target.place import estimate
from cipherwright.target.repair import Wires, repaired
from cipherwright.target.synth import CANONICAL, synthesise
from tests.conftest import Built

TARGET = load_target("ecp5-85k-8")
WIRES = Wires(**TARGET.options["wires"])
Cells = dict[str, dict[str, Any]]


def _cells(path: Path) -> Cells:
    cells: Cells = json.loads(path.read_text())["modules"][CANONICAL_TOP]["cells"]
    return cells


def _cell(kind: str, bel: str, out: str, pins: Mapping[str, list[int]]) -> dict[str, Any]:
    return {
        "type": kind,
        "parameters": {},
        "attributes": {"NEXTPNR_BEL": bel},
        "port_directions": {p: "output" if p == out else "input" for p in pins},
        "connections": dict(pins),
    }


def _flip_flop(bel: str, d: int, q: int, more: Mapping[str, list[int]] | None = None) -> dict[str, Any]:
    return _cell("TRELLIS_FF", bel, "Q", {"CLK": [1], "M": [d], "Q": [q], **(more or {})})


def _write(path: Path, cells: Cells) -> Path:
    path.write_text(json.dumps({"modules": {CANONICAL_TOP: {"cells": cells}}}))
    return path


def _illegal(cells: Cells) -> list[str]:
    """What is wrong with the places of flip-flops and lookup tables."""
    wrong, taken, tiles, slices = list[str](), set[str](), dict[str, Any](), dict[str, Any]()
    for name, c in cells.items():
        bel = c["attributes"]["NEXTPNR_BEL"]
        if bel in taken:
            wrong.append(f"{name}: {bel} is taken")
        taken.add(bel)
        if c["type"] == "TRELLIS_FF":
            pins, parameters = c["connections"], c["parameters"]
            clocks = [pins.get("CLK"), pins.get("LSR"), parameters.get("LSRMUX"), parameters.get("SRMODE")]
            enable = [pins.get("CE"), parameters.get("CEMUX")]
            if tiles.setdefault(bel.rpartition("/")[0], clocks) != clocks:
                wrong.append(f"{name}: another clock or reset in its tile")
            if slices.setdefault(bel.rpartition(".")[0], enable) != enable:
                wrong.append(f"{name}: another enable in its slice")
            source = next(
                (s for s in cells.values() if pins.get("DI") and s["connections"].get("F") == pins["DI"]),
                None,
            )
            if source and source["attributes"]["NEXTPNR_BEL"] != bel.replace(".FF", ".K"):
                wrong.append(f"{name}: not beside its lookup table")
    return wrong


def test_a_register_goes_between_its_neighbours(tmp_path: Path) -> None:
    """9 tiles to one side and none to the other; in the middle both wires are shorter."""
    cells = {
        "a": _flip_flop("X10/Y2/SLICEA.FF0", 9, 2),
        "b": _flip_flop("X10/Y2/SLICEB.FF0", 2, 3),
        "c": _flip_flop("X19/Y2/SLICEA.FF0", 3, 4),
        "d": _flip_flop("X15/Y2/SLICEC.FF1", 8, 7),
    }
    found = repaired(_write(tmp_path / "placed.json", cells), tmp_path / "repaired.json", WIRES)
    assert found.before == pytest.approx(WIRES.register + WIRES.between(9, 0))
    assert found.after <= WIRES.register + WIRES.between(5, 0)
    assert found.moves
    after = _cells(tmp_path / "repaired.json")
    assert not _illegal(after)
    assert {n: c["connections"] for n, c in after.items()} == {n: c["connections"] for n, c in cells.items()}


def test_the_end_of_a_carry_chain_keeps_its_place(tmp_path: Path) -> None:
    """Nobody reads an output of it, and every place near the middle has one."""
    ends = [f"X{x}/Y2/SLICE{s}.K{k}" for x in range(1, 18) for s in "ABCD" for k in (0, 1)]
    cells = {bel: _cell("TRELLIS_COMB", bel, "F", {"A": [50], "FCI": [51], "F": []}) for bel in ends}
    for c in cells.values():
        c["parameters"] = {"MODE": "CCU2"}
    for number, bel in enumerate(("X1/Y2/SLICEA.K0", "X1/Y2/SLICEB.K0")):  # so that these stay: a and c, too
        cells[bel]["connections"]["F"] = [60 + number]
    cells |= {f"q{x}": _flip_flop(f"X{x}/Y2/SLICED.FF1", 9, 100 + x) for x in range(1, 18)}
    cells |= {
        "a": _flip_flop("X1/Y2/SLICEA.FF0", 9, 2),
        "b": _cell("TRELLIS_COMB", "X18/Y2/SLICEB.K0", "F", {"A": [2], "F": [3]}),
        "c": _flip_flop("X1/Y2/SLICEB.FF0", 3, 4),
    }
    repaired(_write(tmp_path / "placed.json", cells), tmp_path / "repaired.json", WIRES)
    after = _cells(tmp_path / "repaired.json")
    assert not _illegal(after)
    assert all(after[bel]["attributes"] == c["attributes"] for bel, c in cells.items() if bel in ends)


@pytest.mark.parametrize(("pin", "slices"), [("LSR", "D"), ("CE", "ABCD")])
def test_flip_flops_of_a_tile_share_what_they_must(tmp_path: Path, pin: str, slices: str) -> None:
    """Every other tile has a flip-flop with a reset, or one with an enable in each slice, with which it may
    change places.
    """
    bels = [f"X{x}/Y2/SLICE{s}" for x in range(2, 31) if x != 10 for s in slices]
    cells = {bel: _flip_flop(f"{bel}.FF0", 9, 20 + k, {pin: [5]}) for k, bel in enumerate(bels)}
    cells |= {
        "a": _flip_flop("X10/Y2/SLICEA.FF0", 9, 2),
        "b": _flip_flop("X10/Y2/SLICEB.FF0", 2, 3),
        "c": _cell("TRELLIS_COMB", "X19/Y2/SLICEA.K0", "F", {"A": [3], "F": [4], "OFX": []}),
    }
    found = repaired(_write(tmp_path / "placed.json", cells), tmp_path / "repaired.json", WIRES)
    after = _cells(tmp_path / "repaired.json")
    assert pin == "CE" or after["b"]["attributes"] == cells["b"]["attributes"]
    assert found.after <= found.before
    assert not _illegal(after)
    moved = after["b"] | {"attributes": {"NEXTPNR_BEL": "X15/Y2/SLICEB.FF1"}}
    assert "b: another" in _illegal(after | {"b": moved})[0]


def test_what_is_checked_here_is_what_the_placer_takes(tmp_path: Path, built: Callable[..., Built]) -> None:
    """The places of a whole core, before and after: legal, and only they differ."""
    core, folder = built("des-small")
    synthesise(folder.sources, core.top, TARGET, tmp_path)
    estimate(tmp_path, TARGET, CANONICAL, "placed.json", 1, 200)
    found = repaired(tmp_path / "placed.json", tmp_path / "repaired.json", WIRES)
    assert repaired(tmp_path / "placed.json", tmp_path / "again.json", WIRES) == found
    assert (tmp_path / "again.json").read_text() == (tmp_path / "repaired.json").read_text()
    assert found.after < 0.9 * found.before
    before, after = _cells(tmp_path / "placed.json"), _cells(tmp_path / "repaired.json")
    assert not _illegal(before)
    assert not _illegal(after)
    places = {n: c["attributes"].pop("NEXTPNR_BEL") for n, c in (*before.items(), *after.items())}
    assert before == after
    assert len(set(places.values())) == len(places)


def test_a_repaired_placement_is_routed_and_proven(tmp_path: Path, built: Callable[..., Built]) -> None:
    core, folder = built("des-small")
    build = implement(folder.sources, core.top, TARGET, Recipe(seeds=(1,), placer="repaired"), keep=tmp_path)
    assert "and after place and route (seed 1) again" in build.proof.statement
    assert "Repair: the longest path" in (tmp_path / "nextpnr.log").read_text()
    assert "--no-place" in (tmp_path / "again.sh").read_text()
    assert not _illegal(_cells(tmp_path / "routed1.json"))


def test_where_wires_are_not_known_nothing_is_repaired() -> None:
    assert load_target("ecp5-25k-6").placer("repaired") == "heap"
    assert load_target("lifcl-40-9").placer("repaired") == "heap"
    assert TARGET.placer("repaired") == "repaired"
