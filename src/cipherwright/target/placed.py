"""The cells of a netlist that nextpnr has placed or routed: where they are, what is connected, how fast."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from .canonical import CANONICAL_TOP

__all__ = [
    "COMB",
    "FF",
    "RAM",
    "Cell",
    "RoutedWire",
    "Slot",
    "Wires",
    "cells_of",
    "learn",
    "loosen",
    "routed_wires",
    "write_places",
]

_PLACED, _ROUTED = "NEXTPNR_BEL", "ROUTING"
_WEAK = "1"
"""How nextpnr writes a wire that its router may take back."""
_INTERCONNECT = re.compile(r"\s*\(INTERCONNECT (\S+)/\w+ (\S+)/\w+ \(\d+:\d+:(\d+)\)")
COMB, FF = "TRELLIS_COMB", "TRELLIS_FF"
"""Kinds of cells: a lookup table, also as a part of a memory, and a flip-flop."""
_LUT, RAM = "LOGIC", ("DPRAM", "RAMW")
"""Modes of a lookup table: alone, and as memory."""
_CLOCKS = ("CLK", "WCK", "CLKA", "CLKB")
_LUT_INPUTS = ("A", "B", "C", "D")
_BOUND = ("F1", "FXA", "FXB", "FCI")
"""Inputs without a wire, from a lookup table beside this one."""
_WIDE = ("OFX", "M", *_BOUND)
"""Ports by which a lookup table is bound to its neighbour."""
_TILE, _SLICE = ("CLKMUX", "LSRMUX", "SRMODE"), ("CEMUX", "GSR")
"""Parameters that the flip-flops of a tile share, and those of a slice."""

Points = Sequence[tuple[float, float]]
Slot = tuple[int, int, int]
"""Column, row, and place of a lookup table and a flip-flop in the tile."""


@dataclass(frozen=True)
class Wires:
    """Estimated delays in ns: `step` for each of `start` and of the tiles between two cells, twice for the
    first `near` of a direction; `register`: to a register's output; `lut`, `wide`: through a lookup table
    alone, and with a multiplexer; `beside`: from a lookup table to the flip-flop in its slot.
    """

    step: float
    start: int
    near: int
    register: float
    lut: float
    wide: float
    beside: float
    carry: float = 0.0
    """From a carry to the next one."""
    total: float = 0.0
    """From a carry to the sum at its place, with what a way into the chain takes more than one along it, for
    a path goes into a chain once and leaves it once. An operand's way to the sum at its own place is shorter.
    """
    memory: float = 0.0
    """As `register`, of a block RAM with its register, where delays are measured; 0: as of a flip-flop."""
    to_register: Points = ()
    """Delays of wires after routing, to a flip-flop: points (tiles, ns), straight between two of them. Three
    of four wires are about as fast or faster (benchmarks/wires.py). Empty where they were not measured.
    """
    to_lut: Points = ()
    """The same to an input of a lookup table."""

    def routed(self, tiles: int, register: bool) -> float:
        """Delay in ns after routing of a wire over `tiles` columns and rows together, to a `register` or else
        to an input of a lookup table; on the line through the last two points beyond them.

        >>> Wires(0.1, 4, 2, 0.5, 0.2, 0.3, 0.1, to_register=((0, 0.25), (10, 1.25))).routed(5, True)
        0.75
        """
        points = self.to_register if register else self.to_lut
        (x0, y0), (x1, y1) = next(
            ((a, b) for a, b in pairwise(points) if tiles <= b[0]), (points[-2], points[-1])
        )
        return y0 + (y1 - y0) * (tiles - x0) / (x1 - x0)

    def between(self, dx: int, dy: int) -> float:
        """Estimated delay in ns of a wire over `dx` columns and `dy` rows."""
        far = max(dx - self.near, 0) + max(dy - self.near, 0)
        return self.step * (self.start + far + 2 * (min(dx, self.near) + min(dy, self.near)))


@dataclass
class Cell:
    """A placed cell, or one part of it where its outputs read different pins.

    name, kind: of the cell in the netlist, and its type; mode: of a lookup table, what it is used as. slot:
    where it is; fixed: it stays; through: delay in ns from an input to the output; shared: what flip-flops of
    its tile, and of its slice, have in common with it; ins, outs: cells on its nets, without clocks; partner:
    the flip-flop that this lookup table feeds in its slot, or that lookup table; bound: cells that it reaches
    without a wire; head: when its output is there; tail: from its inputs to the next register.
    """

    name: str
    kind: str
    slot: Slot
    fixed: bool
    through: float
    mode: str = _LUT
    shared: tuple[tuple[Any, ...], tuple[Any, ...]] = ((), ())
    ins: list[int] = field(default_factory=list)
    outs: list[int] = field(default_factory=list)
    partner: int = -1
    bound: tuple[int, ...] = ()
    head: float = 0.0
    tail: float = 0.0
    number: int = -1
    """Its place among all."""
    was: Slot = (0, 0, -1)
    """Where it was when this began."""
    routed: dict[int, float] = field(default_factory=dict)
    """Delays of wires from cells that it reads, while both stay where they were."""

    @property
    def clocked(self) -> bool:
        """Whether no path goes through it."""
        return self.kind != COMB

    @property
    def place(self) -> tuple[Slot, bool]:
        """Its slot, and which of the two cells there it is."""
        return self.slot, self.kind == FF


def _slot(bel: str) -> Slot:
    """The slot of a lookup table or flip-flop; the last number of anything else is -1."""
    column, row, name = bel.split("/", 2)
    place = 2 * "ABCD".index(name[5]) + int(name[-1]) if name[-2:-1] in ("K", "F") else -1
    return int(column[1:]), int(row[1:]), place


def _mode(cell: Mapping[str, Any]) -> str:
    return str(cell["parameters"].get("MODE", _LUT)).strip()


def _is_wide(cell: Mapping[str, Any], pins: Iterable[str]) -> bool:
    """Whether a lookup table is more than that."""
    return _mode(cell) != _LUT or any(p in _WIDE for p in pins)


def cells_of(netlist: Mapping[str, dict[str, Any]], wires: Wires) -> list[Cell]:
    """The placed cells of `netlist` (name to entry, as nextpnr wrote them) and what connects them, with the
    delays of `wires`. ins, outs, partner and bound are places in the list.
    """
    cells, driver = list[Cell](), dict[int, int]()
    sinks = list[tuple[int, str, int]]()
    for name, c in netlist.items():
        pins = {p: bits for p, bits in c["connections"].items() if bits}
        ways = c["port_directions"]
        out = [p for p in pins if ways[p] == "output"]
        wide = c["type"] == COMB and _is_wide(c, pins)
        # The end of a carry chain may have no output that is read: it has a place, and no path.
        for k, part in enumerate([[p] for p in out] or [[]] if wide else [out]):
            read = _read_by(part[0], pins) if wide and part else [p for p in pins if ways[p] == "input"]
            driver |= {b: len(cells) for p in part for b in pins[p]}
            sinks += [
                (b, p, len(cells))
                for p in read
                if out and p not in _CLOCKS
                for b in pins[p]
                if isinstance(b, int)
            ]
            made = _cell(name, c, wide, k == 0)
            made.head, made.through = wires.register, _through(part, pins, wide, wires)
            made.number = len(cells)
            cells.append(made)
    for b, pin, number in sinks:
        if b in driver:
            _connect(cells, driver[b], number, pin)
    return cells


def _cell(name: str, c: Mapping[str, Any], wide: bool, first: bool) -> Cell:
    """A cell; of its parts, the `first` has its slot."""
    x, y, place = _slot(c["attributes"][_PLACED])
    fixed = wide or c["type"] not in (COMB, FF)
    made = Cell(name, c["type"], (x, y, place if first else -1), fixed, 0.0)
    if c["type"] == FF:
        clock, reset, enable = (tuple(c["connections"].get(p, ())) for p in ("CLK", "LSR", "CE"))
        tile, half = (tuple(c["parameters"].get(p) for p in shared) for shared in (_TILE, _SLICE))
        made.shared = (clock, reset, *tile), (enable, *half)
    else:
        made.mode = _mode(c)
    made.was = made.slot
    return made


def _through(outputs: Sequence[str], pins: Mapping[str, Any], wide: bool, wires: Wires) -> float:
    """The delay in ns from an input of a lookup table, or of a part of one, to its `outputs`."""
    if "FCO" in outputs:
        return wires.carry
    if wide:
        return wires.total if "FCI" in pins else wires.wide
    return wires.lut


def _read_by(output: str, pins: Mapping[str, Any]) -> list[str]:
    """The pins of a lookup table that one of its outputs depends on."""
    if output == "OFX":
        names: tuple[str, ...] = ("FXA", "FXB", "M") if "FXA" in pins else (*_LUT_INPUTS, "F1", "M")
    else:
        names = (*_LUT_INPUTS, "FCI")
    return [p for p in names if p in pins]


def _connect(cells: list[Cell], source: int, sink: int, pin: str) -> None:
    a, b = cells[source], cells[sink]
    a.outs.append(sink)
    b.ins.append(source)
    if pin in _BOUND:
        a.fixed = True
        a.bound += (sink,)
    if a.kind == COMB and b.kind == FF and pin == "DI":
        a.partner, b.partner = sink, source


def learn(cells: list[Cell], delays: Path) -> None:
    """Tell `cells` the delays of the wires that they read from the file `delays` (SDF, in ps), the longest
    where one is read twice.
    """
    outputs, inputs = dict[str, list[int]](), dict[str, list[int]]()
    for i, c in enumerate(cells):
        if c.outs:
            outputs.setdefault(c.name, []).append(i)
        inputs.setdefault(c.name, []).append(i)
    with delays.open() as lines:
        for found in filter(None, map(_INTERCONNECT.match, lines)):
            for i in outputs.get(found[1], ()):
                for j in inputs.get(found[2], ()):
                    known = cells[j].routed
                    known[i] = max(known.get(i, 0.0), int(found[3]) / 1000)


def loosen(module: dict[str, Any], moved: set[str]) -> None:
    """Forget in `module` (as nextpnr wrote it, changed in place) how nets are routed that a cell in `moved`,
    a set of names, drives, and those that it reads on wires for clocks. Of others, nextpnr itself drops the
    wires to a cell that is gone.
    """
    driven, read = set[int](), set[int]()
    for name in moved:
        cell = module["cells"][name]
        for pin, bits in cell["connections"].items():
            (driven if cell["port_directions"][pin] == "output" else read).update(bits)
    for net in module["netnames"].values():
        strengths = net["attributes"].get(_ROUTED, "").split(";")[2::3]
        locked = any(s != _WEAK for s in strengths)
        if driven.intersection(net["bits"]) or (locked and read.intersection(net["bits"])):
            net["attributes"].pop(_ROUTED, None)


def write_places(cells: Iterable[Cell], netlist: dict[str, dict[str, Any]]) -> None:
    """Write the places of those `cells` that may move into `netlist`, from which they were read."""
    for c in cells:
        if not c.fixed:
            netlist[c.name]["attributes"][_PLACED] = _bel(c)


def _bel(c: Cell) -> str:
    x, y, place = c.slot
    return f"X{x}/Y{y}/SLICE{'ABCD'[place // 2]}.{'FF' if c.kind == FF else 'K'}{place % 2}"


@dataclass(frozen=True)
class RoutedWire:
    """A wire after routing: `tiles`, the columns and rows together between its cells; `register`, whether it
    ends at a flip-flop or a block, else at an input of a lookup table; and its delay in `ns`.
    """

    tiles: int
    register: bool
    ns: float


def routed_wires(source: Path, delays: Path, wires: Wires) -> list[RoutedWire]:
    """The wires of the netlist in the file `source` that nextpnr has routed, from the file `delays` (SDF);
    `wires` is what is known of the device. A wire from a lookup table to the flip-flop in its slot is left
    out.
    """
    cells = cells_of(json.loads(source.read_text())["modules"][CANONICAL_TOP]["cells"], wires)
    learn(cells, delays)
    return [
        RoutedWire(sum(abs(a - b) for a, b in zip(cells[i].slot[:2], c.slot[:2], strict=True)), c.clocked, ns)
        for c in cells
        for i, ns in c.routed.items()
        if cells[i].partner < 0 or cells[cells[i].partner] is not c
    ]
