"""What repairs a placement: shorter paths, legal places, the same netlist."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherwright.target import Recipe, implement, load_target
from cipherwright.target.canonical import CANONICAL_TOP
from cipherwright.target.place import estimate
from cipherwright.target.placed import RoutedWire, Wires, routed_wires
from cipherwright.target.repair import repaired, rerouted
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
    nets = sorted({b for c in cells.values() for bits in c["connections"].values() for b in bits})
    named = {
        f"n{b}": {"bits": [b], "attributes": {"ROUTING": f"first{b};;1;next{b};pip;{5 if b == 1 else 1}"}}
        for b in nets
    }
    path.write_text(json.dumps({"modules": {CANONICAL_TOP: {"cells": cells, "netnames": named}}}))
    return path


def _delays(path: Path, wires: Mapping[tuple[str, str], int]) -> Path:
    """As nextpnr writes them, in ps."""
    path.write_text(
        "".join(
            f"        (INTERCONNECT {a} {b} ({t}:{t}:{t}) ({t}:{t}:{t}))\n" for (a, b), t in wires.items()
        )
    )
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


def test_a_carry_chain_is_as_fast_as_nextpnr_says(tmp_path: Path) -> None:
    """0.355 ns from an input to the first carry, 0.056 ns from each to the next, 0.328 ns to a sum (the
    report of nextpnr for speed grade 8).
    """
    bels = [f"X4/Y2/SLICE{s}.K{k}" for s in "ABCD" for k in (0, 1)]
    cells = {}
    for place, bel in enumerate(bels):
        pins = {"A": [2] if place == 0 else [40], "FCO": [60 + place]}
        cells[bel] = _cell("TRELLIS_COMB", bel, "FCO", pins | ({"FCI": [59 + place]} if place else {}))
        cells[bel]["parameters"] = {"MODE": "CCU2"}
    cells[bels[-1]] = _cell("TRELLIS_COMB", bels[-1], "F", {"A": [40], "FCI": [66], "F": [70]})
    cells[bels[-1]]["parameters"] = {"MODE": "CCU2"}
    cells |= {
        "a": _flip_flop("X1/Y2/SLICEA.FF0", 9, 2),
        "sum": _cell("TRELLIS_FF", bels[-1].replace(".K", ".FF"), "Q", {"CLK": [1], "DI": [70], "Q": [71]}),
    }
    found = repaired(_write(tmp_path / "placed.json", cells), tmp_path / "repaired.json", WIRES)
    chain = 0.355 + 6 * 0.056 + 0.328
    assert found.before == pytest.approx(WIRES.register + WIRES.between(3, 0) + chain + WIRES.beside)


def test_beside_a_memory_the_last_slice_is_free(tmp_path: Path) -> None:
    """What a distributed RAM takes of its tile, and may take, keeps its cells and gets no others. A register
    leaves the fourth slice, and another comes there.
    """
    memory = {
        f"ram{k}": _cell("TRELLIS_COMB", f"X10/Y2/SLICEA.K{k}", "F", {"A": [70], "F": [80 + k]})
        | {"parameters": {"MODE": "DPRAM"}}
        for k in (0, 1)
    }
    cells = memory | {
        "first": _flip_flop("X1/Y2/SLICEA.FF0", 9, 2),
        "stays": _flip_flop("X10/Y2/SLICEC.FF0", 2, 3),
        "leaves": _flip_flop("X10/Y2/SLICED.FF1", 2, 4),
        "second": _flip_flop("X2/Y2/SLICEA.FF0", 3, 5),
        "third": _flip_flop("X2/Y2/SLICEB.FF0", 4, 6),
        "comes": _flip_flop("X19/Y2/SLICEA.FF0", 2, 7),
        "fourth": _flip_flop("X19/Y2/SLICEB.FF0", 7, 8),
    }
    repaired(_write(tmp_path / "placed.json", cells), tmp_path / "repaired.json", WIRES)
    after = {n: c["attributes"]["NEXTPNR_BEL"] for n, c in _cells(tmp_path / "repaired.json").items()}
    assert after["stays"] == "X10/Y2/SLICEC.FF0"
    assert not after["leaves"].startswith("X10/Y2/")
    there = [bel for n, bel in after.items() if bel.startswith("X10/Y2/") and n not in (*memory, "stays")]
    assert there
    assert all(".SLICED." in bel.replace("/", ".") for bel in there)


def test_by_measured_delays_far_wires_are_faster_and_near_ones_slower() -> None:
    assert WIRES.routed(0, True) > WIRES.between(0, 0)
    assert WIRES.routed(30, True) < WIRES.between(15, 15)
    assert WIRES.routed(2, False) == pytest.approx(0.85)
    assert WIRES.routed(3, False) == pytest.approx((0.85 + 1.02) / 2)
    assert WIRES.routed(40, True) > WIRES.routed(36, True)


def test_what_limits_elsewhere_does_not_end_the_search(tmp_path: Path) -> None:
    """A longest path of cells that stay, and a register with one long wire: that
    gets shorter.
    """
    wide = {
        name: _cell("TRELLIS_COMB", f"X{x}/Y9/SLICEA.K0", "F", {"A": [a], "FCI": [99], "F": [b]})
        for name, x, a, b in (("w", 40, 70, 71), ("v", 60, 71, 72))
    }
    cells = wide | {
        "p": _flip_flop("X39/Y9/SLICEB.FF0", 9, 70),
        "q": _flip_flop("X61/Y9/SLICEB.FF0", 72, 73),
        "a": _flip_flop("X10/Y2/SLICEA.FF0", 9, 2),
        "b": _flip_flop("X10/Y2/SLICEB.FF0", 2, 3),
        "c": _flip_flop("X28/Y2/SLICEA.FF0", 3, 4),
        **{f"d{x}": _flip_flop(f"X{x}/Y2/SLICEC.FF1", 8, 100 + x) for x in range(11, 28)},
        **{f"e{k}": _flip_flop(f"X{k % 90}/Y{20 + k // 90}/SLICEC.FF1", 8, 200 + k) for k in range(900)},
    }
    source = _write(tmp_path / "placed.json", cells)
    found = repaired(source, tmp_path / "repaired.json", WIRES, measured=True)
    assert found.after > WIRES.routed(20, False)  # from one wide cell to the other
    after = _cells(tmp_path / "repaired.json")
    assert not _illegal(after)
    a, b, c = (int(after[n]["attributes"]["NEXTPNR_BEL"][1:].split("/")[0]) for n in "abc")
    assert max(abs(a - b), abs(b - c)) < 13


def test_a_wire_that_routing_made_slow_is_routed_anew(tmp_path: Path) -> None:
    """b is beside a, and the wire between them goes astray. Nets stay routed, but
    those that a moved cell drives, and those on wires for clocks.
    """
    cells = {
        "a": _flip_flop("X10/Y2/SLICEA.FF0", 9, 2),
        "b": _flip_flop("X10/Y2/SLICEB.FF0", 2, 3),
        "c": _flip_flop("X12/Y2/SLICEA.FF0", 3, 4),
        "d": _flip_flop("X11/Y2/SLICEC.FF1", 8, 7),
    }
    routed = _write(tmp_path / "routed.json", cells)
    fast = {("a/Q", "b/M"): 400, ("b/Q", "c/M"): 450}
    slow = fast | {("a/Q", "b/M"): 2000}
    for delays, moves in ((fast, False), (slow, True)):
        found = rerouted(routed, _delays(tmp_path / "d.sdf", delays), tmp_path / "next.json", WIRES)
        design = json.loads((tmp_path / "next.json").read_text())["modules"][CANONICAL_TOP]
        assert bool(found.moves) == moves
        assert found.before == pytest.approx(WIRES.register + max(delays.values()) / 1000)
        assert not _illegal(design["cells"])
        moved = [c for n, c in design["cells"].items() if c["attributes"] != cells[n]["attributes"]]
        assert bool(moved) == moves
        gone = {c["connections"]["Q"][0] for c in moved} | ({1} if moves else set())  # and the clock
        for bit in (1, 2, 3, 4, 7, 8, 9):
            assert ("ROUTING" in design["netnames"][f"n{bit}"]["attributes"]) == (bit not in gone)
        assert gone <= {1, 2, 3, 4}
    assert found.after < found.before
    assert routed_wires(routed, tmp_path / "d.sdf", WIRES) == [
        RoutedWire(0, True, 2.0),
        RoutedWire(2, True, 0.45),
    ]


@pytest.mark.parametrize(("pin", "slices"), [("LSR", "D"), ("CE", "ABCD")])
def test_flip_flops_of_a_tile_share_what_they_must(tmp_path: Path, pin: str, slices: str) -> None:
    """Every other tile has a flip-flop with a reset, which goes to another tile so that there is room; or one
    with an enable in each slice, with which it may change places.
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
    assert pin == "CE" or after["b"]["attributes"] != cells["b"]["attributes"]
    assert found.after <= found.before
    assert not _illegal(after)
    moved = after["b"] | {"attributes": {"NEXTPNR_BEL": "X15/Y2/SLICEB.FF1"}}
    assert "b: another" in _illegal(after | {"b": moved})[0]


@pytest.mark.long_check
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


@pytest.mark.long_check
def test_a_repaired_placement_is_routed_and_proven(tmp_path: Path, built: Callable[..., Built]) -> None:
    core, folder = built("des-small")
    build = implement(folder.sources, core.top, TARGET, Recipe(seeds=(1,), placer="repaired"), keep=tmp_path)
    assert "and after place and route (seed 1) again" in build.proof.statement
    assert "Repair: the longest path" in (tmp_path / "nextpnr.log").read_text()
    assert "--no-place" in (tmp_path / "again.sh").read_text()
    assert not _illegal(_cells(tmp_path / "routed1.json"))


@pytest.mark.long_check
def test_what_is_repaired_after_routing_is_the_fastest_and_proven(
    tmp_path: Path, built: Callable[..., Built]
) -> None:
    core, folder = built("des-small")
    recipe = Recipe(seeds=(1,), placer="rerouted")
    build = implement(folder.sources, core.top, TARGET, recipe, keep=tmp_path)
    assert "and after place and route (seed 1) again" in build.proof.statement
    said = (tmp_path / "nextpnr.log").read_text()
    clocks = [
        float(line.split()[0]) for line in said.splitlines() if line.endswith(" MHz") and line[0].isdigit()
    ]
    assert said[: said.index(f"{clocks[0]} MHz")].count("Repair: the longest path") == 2  # of both placements
    assert len(clocks) > 2
    assert build.fmax_mhz == max(clocks)
    assert clocks[1:] != clocks[:-1]
    assert not _illegal(_cells(tmp_path / "routed1.json"))


def test_where_wires_are_not_known_nothing_is_repaired() -> None:
    assert load_target("ecp5-25k-6").placer("repaired") == "heap"
    assert load_target("lifcl-40-9").placer("repaired") == "heap"
    assert load_target("lifcl-40-9").placer("rerouted") == "heap"
    assert {TARGET.placer(p) for p in ("repaired", "rerouted")} == {"repaired", "rerouted"}
    assert replace(TARGET, options={"wires": {}}).placer("rerouted") == "heap"
    estimates = {k: v for k, v in TARGET.options["wires"].items() if not k.startswith("to_")}
    assert replace(TARGET, options={"wires": estimates}).placer("rerouted") == "repaired"
