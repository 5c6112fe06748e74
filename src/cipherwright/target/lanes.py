"""Placement lane by lane: each lane of a core in a strip of its own, before the whole is routed.

nextpnr's placer spreads a design of several lanes over the device until wires between neighbouring stages
cross half of it. A lane alone in a strip is placed as well as a core of one lane. So the lanes are placed
one after the other: the strip's outside is filled with cells that do nothing, what the lane is connected
to in lanes before stands where it was put, and the best of some seeds is kept. The packed and placed cells
of all lanes make up the netlist that is routed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..process import parallel
from ..progress import Tell
from .canonical import CANONICAL_TOP, net_names
from .facts import Target
from .floorplan import Slices, Strip, lane_count, lane_of, place_boxes, strips
from .place import estimate
from .synth import CANONICAL, Mapped

__all__ = ["FULL", "TRIES", "Board", "assign", "place_lanes"]

Cell = dict[str, Any]
Cells = dict[str, Cell]

TRIES = 2
"""Seeds with which a lane is placed; the best is kept."""

FULL = 0.93
"""The part of a strip's sites above which a lane is left to the placer with all others."""

_OUTSIDE = "outside_"
_PLACED = "NEXTPNR_BEL"
_SHARED = {"CLK", "LSR", "CE", "WCK", "WRE", "M"}
"""Ports that cells of a tile share. M of a lookup table is the select of a multiplexer behind two of them;
the flip-flop beside it takes its input there where no lookup table drives it.
"""


def place_lanes(folder: Path, target: Target, seed: int, timing_weight: int, tell: Tell) -> str:
    """Place the lanes of folder/canonical.json, and write the whole to netlistSEED.json in `folder`; returns
    the name of the netlist to route, which is canonical.json where there are no lanes, where the target's
    slices are not known, or where a lane would fill its strip.

    `target`: its options have `slices` and `block_ram_sites`. Each lane is placed with `seed` and `seed` +
    10, and the better placement counts. `timing_weight`: of timing in nextpnr's `heap`. `tell`: gets each
    lane's step. Raises CheckFailed where nextpnr does not place a lane.
    """
    if "slices" not in target.options:
        return CANONICAL
    module = json.loads((folder / CANONICAL).read_text())["modules"][CANONICAL_TOP]
    count = lane_count(module["cells"].values())
    if count == 1:
        return CANONICAL
    cells: Cells = {name: c for name, c in module["cells"].items() if not c["type"].startswith("$")}
    lane = assign(cells)
    slices = Slices.from_table(target.options["slices"])
    need = [_need(cells[n] for n, k in lane.items() if k == i) for i in range(count)]
    where = strips(need, slices)
    if any(n > FULL * slices.sites(s) for n, s in zip(need, where, strict=True)):
        tell("a lane would fill its strip: all lanes are left to the placer")
        return CANONICAL
    if sites := target.options.get("block_ram_sites"):
        place_boxes(module, sites, where)
    names = net_names(module)
    board = Board(cells, {b: names[b] for b in sorted(_nets(cells, module["ports"]))})
    for i in range(count):
        members = [n for n, k in lane.items() if k == i]
        (folder / "lane.json").write_text(json.dumps(board.alone(members, slices, where[i], module["ports"])))
        tell(f"placing lane {i + 1} of {count}, seed {seed}")
        seeds = [seed + 10 * k for k in range(TRIES)]
        clocks = parallel(
            lambda s: estimate(folder, target, "lane.json", f"lane_{s}.json", s, timing_weight), seeds
        )
        best = seeds[clocks.index(max(clocks))]
        board.fix(i, members, *_placed(folder / f"lane_{best}.json"))
    name = f"netlist{seed}.json"
    (folder / name).write_text(json.dumps(board.design(module["ports"])))
    return name


def assign(cells: Cells) -> dict[str, int]:
    """The lane of every one of `cells` (name to entry in Yosys JSON), by its name: by its mark
    (floorplan.py), else the first of those that it drives (round keys go from lane to lane), else the first
    of all.
    """
    sinks: dict[str, set[str]] = {name: set() for name in cells}
    driver = {b: name for name, c in cells.items() for b in _bits(c, "output")}
    for name, c in cells.items():
        for b in _bits(c, "input"):
            if b in driver and driver[b] != name:
                sinks[driver[b]].add(name)
    lane = {name: k for name, c in cells.items() if (k := lane_of(c)) is not None}
    rest = [name for name in cells if name not in lane]
    while True:
        now = {
            name: min(lane[s] for s in sinks[name])
            for name in rest
            if sinks[name] and all(s in lane for s in sinks[name])
        }
        if not now:
            return lane | dict.fromkeys(rest, 0)
        lane |= now
        rest = [name for name in rest if name not in now]


class Board:
    """A flat netlist of which lane after lane gets its place. `cells`: name to entry in Yosys JSON; `names`:
    net to a name of its own, by which nets go and which the placer keeps.
    """

    def __init__(self, cells: Cells, names: dict[int, str]) -> None:
        self.cells = dict(cells)
        self.names = names
        self.bits = {name: b for b, name in names.items()}
        self.next = max(names) + 1
        self.fixed: dict[str, None] = {}
        """Names of placed cells, in an order that is the same in every run: the placer's result depends on
        it.
        """

    def alone(
        self, members: Sequence[str], slices: Slices, strip: Strip, ports: dict[str, Any]
    ) -> dict[str, Any]:
        """A design of the cells named `members`, of all placed cells with what connects them to these, and of
        cells without a connection everywhere else outside the `strip` (first and last column) of `slices`. Of
        `ports`, the module's, it has `clk` only.

        A flip-flop without a clock may not be beside one that has one: flip-flops of a tile share clock and
        reset, those of a slice their enable too. So a cell that does nothing takes these of the flip-flop in
        its slice, else of one in its tile.
        """
        cells = {name: self.cells[name] for name in members}
        nets = _nets(cells, {})
        taken, clocked = set(), dict[str, Cell]()
        for name in self.fixed:
            c = self.cells[name]
            tile = _tile(c["attributes"]["BEL"])
            if c["type"] == "TRELLIS_FF":
                clocked[tile] = clocked[_slice(c["attributes"]["BEL"])] = c
            elif c["connections"].get("WCK"):
                clocked.setdefault(tile, c)
            cells[name] = c | {
                "connections": {
                    p: [b for b in bits if b in nets or p in _SHARED] for p, bits in c["connections"].items()
                }
            }
            taken.add(c["attributes"]["BEL"])
        for x, kind, bel in slices.bels():
            if not strip[0] <= x <= strip[1] and bel not in taken:
                beside = clocked.get(_slice(bel)) or clocked.get(_tile(bel))
                cells[_OUTSIDE + bel] = _filler(kind, bel, beside if kind == "TRELLIS_FF" else None)
        return self._design(cells, {"clk": ports["clk"]})

    def fix(self, lane: int, members: Iterable[str], placed: Cells, nets: dict[int, str]) -> None:
        """Put the packed cells of `lane`, with their places, in the place of its own, those named `members`.
        `placed`: the cells that nextpnr wrote, each with its site in an attribute; `nets`: the names of the
        nets in them, by their numbers there.
        """
        before = set(members)
        for name in before:
            del self.cells[name]
        to: dict[int, int] = {}
        for b, name in nets.items():
            if name not in self.bits:
                name = f"lane{lane}.{name}"
                self.bits[name], self.names[self.next] = self.next, name
                self.next += 1
            to[b] = self.bits[name]
        for name, c in placed.items():
            if name.startswith(_OUTSIDE) or name in self.fixed:
                continue
            site = c["attributes"].pop(_PLACED)
            c["attributes"] = {"BEL": site}
            c["connections"] = {
                p: [to[b] if isinstance(b, int) else b for b in bits] for p, bits in c["connections"].items()
            }
            name = name if name in before else f"lane{lane}.{name}"
            self.cells[name] = _unpacked(c)
            self.fixed[name] = None

    def design(self, ports: dict[str, Any]) -> dict[str, Any]:
        """The whole netlist as it is now, as Yosys JSON; `ports`: those of the module."""
        return self._design(self.cells, ports)

    def _design(self, cells: Cells, ports: dict[str, Any]) -> dict[str, Any]:
        names = {
            self.names[b]: {"hide_name": 0, "bits": [b], "attributes": {}}
            for b in sorted(_nets(cells, ports))
        }
        return {
            "creator": "cipherwright",
            "modules": {
                CANONICAL_TOP: {"attributes": {"top": "1"}, "ports": ports, "cells": cells, "netnames": names}
            },
        }


def _filler(kind: str, bel: str, neighbour: Cell | None) -> Cell:
    """A cell at a place that does nothing; with the clock, reset and enable of a flip-flop in its tile, or
    with the write clock of LUT RAM there.
    """
    pins: dict[str, list[int | str]] = {}
    parameters: dict[str, str] = {}
    if neighbour and "CLK" in neighbour["connections"]:
        pins = {p: bits for p, bits in neighbour["connections"].items() if p in ("CLK", "LSR", "CE")}
        parameters = neighbour["parameters"]
    elif neighbour:
        pins, parameters = {"CLK": neighbour["connections"]["WCK"]}, {"CLKMUX": "CLK", "CEMUX": "1 "}
    return {
        "type": kind,
        "parameters": parameters,
        "attributes": {"BEL": bel},
        "port_directions": dict.fromkeys(pins, "input"),
        "connections": pins,
    }


def _unpacked(cell: Cell) -> Cell:
    """A placed cell as the packer takes it once more. It has moved the input of a flip-flop that no lookup
    table of the slice drives from DI to M, and would move what is then at DI, nothing, over it.
    """
    if cell["type"] != "TRELLIS_FF" or "M" not in cell["connections"]:
        return cell
    pins, ways = dict(cell["connections"]), dict(cell["port_directions"])
    pins["DI"], ways["DI"] = pins.pop("M"), ways.pop("M")
    parameters = {k: v for k, v in cell["parameters"].items() if k != "SD"}
    return cell | {"connections": pins, "port_directions": ways, "parameters": parameters}


def _tile(bel: str) -> str:
    return bel.rpartition("/")[0]


def _slice(bel: str) -> str:
    """The slice of a place: X25/Y64/SLICED of X25/Y64/SLICED.FF0."""
    return bel.rpartition(".")[0]


def _bits(cell: Cell, direction: str = "") -> Iterable[int]:
    for port, bits in cell["connections"].items():
        if not direction or cell["port_directions"][port] == direction:
            yield from (b for b in bits if isinstance(b, int))


def _need(cells: Iterable[Cell]) -> int:
    """The greater of a lane's lookup tables and flip-flops."""
    mapped = Mapped(Counter(c["type"] for c in cells))
    return max(mapped.luts, mapped.ffs)


def _nets(cells: Cells, ports: dict[str, Any]) -> set[int]:
    """Every net at a cell or a port."""
    return {b for c in cells.values() for b in _bits(c)} | {
        b for p in ports.values() for b in p["bits"] if isinstance(b, int)
    }


def _placed(path: Path) -> tuple[Cells, dict[int, str]]:
    """Cells and nets that the placer wrote."""
    module = json.loads(path.read_text())["modules"][CANONICAL_TOP]
    nets: dict[int, str] = {}
    for name, net in module["netnames"].items():
        if len(net["bits"]) == 1:
            nets.setdefault(net["bits"][0], name)
    return {name: c for name, c in module["cells"].items() if _PLACED in c["attributes"]}, nets
