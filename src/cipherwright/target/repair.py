"""Placement made better where its wires are longest: a search beside the placed cells.

What limits a pipeline of one lookup table a stage are a few wires of an otherwise good placement. The placer
weighs every net; this looks only at the paths over a limit. A logic cell of such a path (a lookup table, a
flip-flop, or both where one feeds the other) changes places with what is in a nearby slot, where that makes
the sum of the squared excess of all paths through both smaller. Nothing else moves, so the search takes
seconds to minutes. Delays are the placer's own estimates, or those that wires of such a length have after
routing. What is routed can be repaired again: all that no move touches stays routed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from .canonical import CANONICAL_TOP

__all__ = ["Repaired", "RoutedWire", "Wires", "repaired", "rerouted", "routed_wires"]

_PLACED, _ROUTED = "NEXTPNR_BEL", "ROUTING"
_INTERCONNECT = re.compile(r"\s*\(INTERCONNECT (\S+)/\w+ (\S+)/\w+ \(\d+:\d+:(\d+)\)")
_AFTER = (0.98, 0.96, 0.94, 0.92)
_WEAK = "1"
"""How nextpnr writes a wire that its router may take back."""
_ENOUGH = 16
"""What is too long after routing is made shorter than these parts of the longest path, as far as it can be,
and until so many cells have moved: wires that are routed anew may be the next slow ones.
"""
_LEFT = 0.01
"""By measured delays the limit goes down until this part of all cells stays on paths over it."""
_COMB, _FF = "TRELLIS_COMB", "TRELLIS_FF"
_LUT, _RAM = "LOGIC", ("DPRAM", "RAMW")
"""Modes of a lookup table: alone, and as memory."""
_CLOCKS = ("CLK", "WCK", "CLKA", "CLKB")
_LUT_INPUTS = ("A", "B", "C", "D")
_BOUND = ("F1", "FXA", "FXB", "FCI")
"""Inputs without a wire, from a lookup table beside this one."""
_WIDE = ("OFX", "M", *_BOUND)
"""Ports by which a lookup table is bound to its neighbour."""
_TILE, _SLICE = ("CLKMUX", "LSRMUX", "SRMODE"), ("CEMUX", "GSR")
"""Parameters that the flip-flops of a tile share, and those of a slice."""
_PLACES = 8
"""Lookup tables, and flip-flops, of a tile."""

_ROUNDS, _PASSES = 40, 4
_STEP, _GAIN, _MARGINS = 0.97, 0.997, (0.95, 0.9, 0.85)
"""In each round paths are to be shorter than `_STEP` of the longest; a round that gains less than `_GAIN` is
the last. In the end as many as can be are made shorter than these parts of it, since wires differ from their
estimates.
"""
_REACH, _TRIED = 4, 24
"""Tiles to each side in which a better place is looked for, and how many of them are tried."""

Points = Sequence[tuple[float, float]]
Slot = tuple[int, int, int]
"""Column, row, and place of a lookup table and a flip-flop in the tile."""


@dataclass(frozen=True)
class Wires:
    """Estimated delays in ns: `step` for each of `start` and of the tiles between two cells, twice for the
    first `near` of a direction; `register`: to a register's output; `lut`, `wide`: through a lookup table
    alone, and with a multiplexer or a carry; `beside`: from a lookup table to the flip-flop in its slot.
    """

    step: float
    start: int
    near: int
    register: float
    lut: float
    wide: float
    beside: float
    memory: float = 0.0
    """The same of a block RAM with its register, where delays are measured; 0: as of a flip-flop."""
    to_register: Points = ()
    """Delays of wires after routing, to a flip-flop: points (tiles, ns), straight between two of them. Three
    of four wires are about as fast or faster (benchmarks/wires.py). Empty where they were not measured.
    """
    to_lut: Points = ()
    """The same to an input of a lookup table."""

    @property
    def measured(self) -> bool:
        """Whether delays after routing are known."""
        return bool(self.to_register and self.to_lut)

    def routed(self, tiles: int, register: bool) -> float:
        """Delay after routing of a wire over so many columns and rows together, to a register or a lookup
        table.
        """
        points = self.to_register if register else self.to_lut
        (x0, y0), (x1, y1) = next(
            ((a, b) for a, b in pairwise(points) if tiles <= b[0]), (points[-2], points[-1])
        )
        return y0 + (y1 - y0) * (tiles - x0) / (x1 - x0)

    def between(self, dx: int, dy: int) -> float:
        """Delay of a wire over so many columns and rows."""
        far = max(dx - self.near, 0) + max(dy - self.near, 0)
        return self.step * (self.start + far + 2 * (min(dx, self.near) + min(dy, self.near)))


@dataclass(frozen=True)
class Repaired:
    """The estimate of the longest path before and after in ns, and how many cells changed places."""

    before: float
    after: float
    moves: int

    def __str__(self) -> str:
        return (
            f"Repair: the longest path is estimated at {self.after:.3f} ns, {self.before:.3f} ns before; "
            f"{self.moves} cells changed places."
        )


def repaired(source: Path, target: Path, wires: Wires, measured: bool = False) -> Repaired:
    """Read the netlist `source` that nextpnr has placed and not routed, shorten its longest paths, and write
    `target`. The same netlist gives the same places. measured: by the delays of wires after routing.
    """
    design = json.loads(source.read_text())
    netlist = design["modules"][CANONICAL_TOP]["cells"]
    board = _Board(_cells(netlist, wires), wires, measured)
    before = board.time()
    moves = _by_measure(board, before) if measured else _by_estimates(board, before)
    board.write(netlist)
    target.write_text(json.dumps(design))
    return Repaired(before, board.time(), moves)


def _by_estimates(board: _Board, longest: float) -> int:
    """Shorten the longest path while that gains, then as many as can be; the number of moves."""
    moves = 0
    for _ in range(_ROUNDS):
        moves += board.shorten(longest * _STEP)
        now = board.time()
        if now > longest * _GAIN:
            break
        longest = now
    return moves + sum(board.shorten(longest * part) for part in _MARGINS)


def _by_measure(board: _Board, longest: float) -> int:
    """Shorten what is over a limit that goes down, whatever can't be; the number of moves."""
    moves = 0
    for _ in range(_ROUNDS):
        longest *= _STEP
        moves += board.shorten(longest)
        board.time()
        if len(board.too_long()) > _LEFT * len(board.cells):
            break
    return moves


def rerouted(source: Path, delays: Path, target: Path, wires: Wires) -> Repaired:
    """Read the netlist `source` that nextpnr has routed and the delays of its wires (SDF), shorten its
    longest paths, and write `target`. Nets of a cell that moved are routed no longer, and all others as they
    were: nextpnr routes what is left. The same netlist gives the same places.
    """
    design = json.loads(source.read_text())
    module = design["modules"][CANONICAL_TOP]
    cells = _cells(module["cells"], wires)
    _learn(cells, delays)
    board = _Board(cells, wires, True)
    before = board.time()
    moves = 0
    for part in _AFTER:
        moves += board.shorten(before * part)
        if moves >= _ENOUGH:
            break
    board.write(module["cells"])
    _loosen(module, {c.name for c in cells if c.slot != c.was})
    target.write_text(json.dumps(design))
    return Repaired(before, board.time(), moves)


def _loosen(module: dict[str, Any], moved: set[str]) -> None:
    """Forget how nets are routed that a moved cell drives, and those of them on wires for clocks. Of others,
    nextpnr itself drops the wires to a cell that is gone.
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


@dataclass(frozen=True)
class RoutedWire:
    """A wire after routing: columns and rows together between its cells, whether it ends at a flip-flop or
    at an input of a lookup table, and its delay in ns.
    """

    tiles: int
    register: bool
    ns: float


def routed_wires(source: Path, delays: Path, wires: Wires) -> list[RoutedWire]:
    """The wires of a netlist that nextpnr has routed, from their delays (SDF)."""
    cells = _cells(json.loads(source.read_text())["modules"][CANONICAL_TOP]["cells"], wires)
    _learn(cells, delays)
    return [
        RoutedWire(sum(abs(a - b) for a, b in zip(cells[i].slot[:2], c.slot[:2], strict=True)), c.clocked, ns)
        for c in cells
        for i, ns in c.routed.items()
        if cells[i].partner < 0 or cells[cells[i].partner] is not c
    ]


def _learn(cells: list[_Cell], delays: Path) -> None:
    """Tell cells the delays of the wires that they read, the longest where one is read twice."""
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


@dataclass
class _Cell:
    """A placed cell, or one part of it where its outputs read different pins.

    fixed: it stays; through: delay from an input to the output; shared: what flip-flops of its tile, and of
    its slice, have in common with it; ins, outs: cells on its nets, without clocks; partner: the flip-flop
    that this lookup table feeds in its slot, or that lookup table; bound: cells that it reaches without a
    wire; head: when its output is there; tail: from its inputs to the next register.
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
    was: Slot = (0, 0, -1)
    """Where it was when this began."""
    routed: dict[int, float] = field(default_factory=dict)
    """Delays of wires from cells that it reads, while both stay where they were."""

    @property
    def clocked(self) -> bool:
        """Whether no path goes through it."""
        return self.kind != _COMB

    @property
    def place(self) -> tuple[Slot, bool]:
        """Its slot, and which of the two cells there it is."""
        return self.slot, self.kind == _FF


def _bel(c: _Cell) -> str:
    x, y, place = c.slot
    return f"X{x}/Y{y}/SLICE{'ABCD'[place // 2]}.{'FF' if c.kind == _FF else 'K'}{place % 2}"


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


def _cells(netlist: Mapping[str, dict[str, Any]], wires: Wires) -> list[_Cell]:
    """The placed cells and what connects them."""
    cells, driver = list[_Cell](), dict[int, int]()
    sinks = list[tuple[int, str, int]]()
    for name, c in netlist.items():
        pins = {p: bits for p, bits in c["connections"].items() if bits}
        ways = c["port_directions"]
        out = [p for p in pins if ways[p] == "output"]
        wide = c["type"] == _COMB and _is_wide(c, pins)
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
            cells.append(_cell(name, c, wide, k == 0, wires))
    for b, pin, number in sinks:
        if b in driver:
            _connect(cells, driver[b], number, pin)
    return cells


def _cell(name: str, c: Mapping[str, Any], wide: bool, first: bool, wires: Wires) -> _Cell:
    """A cell; of its parts, the `first` has its slot."""
    x, y, place = _slot(c["attributes"][_PLACED])
    fixed = wide or c["type"] not in (_COMB, _FF)
    made = _Cell(name, c["type"], (x, y, place if first else -1), fixed, wires.wide if wide else wires.lut)
    if c["type"] == _FF:
        clock, reset, enable = (tuple(c["connections"].get(p, ())) for p in ("CLK", "LSR", "CE"))
        tile, half = (tuple(c["parameters"].get(p) for p in shared) for shared in (_TILE, _SLICE))
        made.shared = (clock, reset, *tile), (enable, *half)
    else:
        made.mode = _mode(c)
    made.head, made.was = wires.register, made.slot
    return made


def _read_by(output: str, pins: Mapping[str, Any]) -> list[str]:
    """The pins of a lookup table that one of its outputs depends on."""
    if output == "OFX":
        names: tuple[str, ...] = ("FXA", "FXB", "M") if "FXA" in pins else (*_LUT_INPUTS, "F1", "M")
    else:
        names = (*_LUT_INPUTS, "FCI")
    return [p for p in names if p in pins]


def _connect(cells: list[_Cell], source: int, sink: int, pin: str) -> None:
    a, b = cells[source], cells[sink]
    a.outs.append(sink)
    b.ins.append(source)
    if pin in _BOUND:
        a.fixed = True
        a.bound += (sink,)
    if a.kind == _COMB and b.kind == _FF and pin == "DI":
        a.partner, b.partner = sink, source


class _Board:
    """Cells on their slots. `limit`: paths over it are too long."""

    def __init__(self, cells: list[_Cell], wires: Wires, measured: bool = False) -> None:
        self.cells, self.limit, self.beside = cells, 0.0, wires.beside
        size = range(256)
        if measured:
            far = [[wires.routed(d, register) for d in range(512)] for register in (False, True)]
            self.wire = [[[by[x + y] for y in size] for x in size] for by in far]
            for c in cells:
                if c.kind not in (_COMB, _FF):
                    c.head = wires.memory or wires.register
        else:
            self.wire = [[[wires.between(x, y) for y in size] for x in size]] * 2
        self.number = {id(c): i for i, c in enumerate(cells)}
        self.at = {c.place: i for i, c in enumerate(cells) if c.slot[2] >= 0}
        closed = {c.slot[:2] for c in cells if c.mode in _RAM or c.kind not in (_COMB, _FF)}
        self.tiles = {c.slot[:2] for c in cells if c.kind in (_COMB, _FF)} - closed
        for c in cells:
            c.fixed |= c.slot[:2] in closed or self._held(c)
        self.order = self._order()

    def _held(self, c: _Cell) -> bool:
        """Whether a flip-flop is beside a lookup table that stays: that may feed it, or share its input."""
        beside = self.at.get((c.slot, False))
        return c.kind == _FF and beside is not None and self.cells[beside].fixed

    def _order(self) -> list[int]:
        """Lookup tables, each after those that it reads."""
        order, seen = list[int](), set[int]()
        for root, c in enumerate(self.cells):
            if c.clocked or root in seen:
                continue
            seen.add(root)
            stack = [(root, iter(c.ins))]
            while stack:
                i, rest = stack[-1]
                before = next((j for j in rest if not self.cells[j].clocked and j not in seen), None)
                if before is None:
                    order.append(i)
                    stack.pop()
                else:
                    seen.add(before)
                    stack.append((before, iter(self.cells[before].ins)))
        return order

    def _wire(self, a: _Cell, b: _Cell) -> float:
        """Delay from a cell to one that reads it."""
        if a.bound and any(self.cells[j] is b for j in a.bound):
            return 0.0
        if a.slot == b.slot and a.partner >= 0 and self.cells[a.partner] is b:
            return self.beside
        if b.routed and a.slot == a.was and b.slot == b.was:
            known = b.routed.get(self.number[id(a)])
            if known is not None:
                return known
        return self.wire[b.clocked][abs(a.slot[0] - b.slot[0])][abs(a.slot[1] - b.slot[1])]

    def _arrives(self, c: _Cell) -> float:
        return max((self.cells[j].head + self._wire(self.cells[j], c) for j in c.ins), default=0.0)

    def _leaves(self, c: _Cell) -> float:
        return max((self._wire(c, self.cells[j]) + self.cells[j].tail for j in c.outs), default=0.0)

    def time(self) -> float:
        """Every lookup table's times anew; the longest path."""
        for i in self.order:
            self.cells[i].head = self.cells[i].through + self._arrives(self.cells[i])
        for i in reversed(self.order):
            self.cells[i].tail = self.cells[i].through + self._leaves(self.cells[i])
        return max((self._arrives(c) for c in self.cells if c.clocked), default=0.0)

    def _renew(self, moved: Iterable[int]) -> None:
        """The times of cells that moved, and of all that depends on them."""
        near = {j for k in moved for j in (k, *self.cells[k].ins, *self.cells[k].outs)}
        ahead = [k for k in sorted(near) if not self.cells[k].clocked]
        back = list(ahead)
        while ahead:
            c = self.cells[ahead.pop()]
            if abs((head := c.through + self._arrives(c)) - c.head) > 1e-9:
                c.head = head
                ahead += [j for j in c.outs if not self.cells[j].clocked]
        while back:
            c = self.cells[back.pop()]
            if abs((tail := c.through + self._leaves(c)) - c.tail) > 1e-9:
                c.tail = tail
                back += [j for j in c.ins if not self.cells[j].clocked]

    def write(self, netlist: dict[str, dict[str, Any]]) -> None:
        """Write the places of what may move."""
        for c in self.cells:
            if not c.fixed:
                netlist[c.name]["attributes"][_PLACED] = _bel(c)

    def shorten(self, limit: float) -> int:
        """Move what is on paths over the limit until that gains no more; the number of moves."""
        self.limit, moves = limit, 0
        for _ in range(_PASSES):
            moved = sum(self._better(i) for i in self.too_long())
            moves += moved
            if not moved:
                break
        return moves

    def too_long(self) -> list[int]:
        """What is on paths over the limit, the longest first."""
        longest: dict[int, float] = {}
        for i, c in enumerate(self.cells):
            for j in c.outs:
                length = c.head + self._wire(c, self.cells[j]) + self.cells[j].tail
                if length > self.limit:
                    longest |= {k: max(longest.get(k, 0.0), length) for k in (i, j)}
        return sorted(longest, key=lambda i: (-longest[i], i))

    def _better(self, i: int) -> bool:
        """Move a cell with its partner to the best slot near its neighbours, if one is better."""
        unit = [k for k in (i, self.cells[i].partner) if k >= 0]
        now = 0.0 if any(self.cells[k].fixed for k in unit) else self._cost(unit)
        if now <= 0.0:
            return False
        here, ranked = self.cells[i].slot, list[tuple[float, int, int]]()
        for x, y in self._around(unit):
            self._put(unit, (x, y, here[2]))
            if (cost := self._cost(unit)) < now:
                ranked.append((cost, x, y))
        self._put(unit, here)
        return any(
            self._swap(unit, (x, y, place)) for _, x, y in sorted(ranked)[:_TRIED] for place in range(_PLACES)
        )

    def _around(self, unit: list[int]) -> Iterator[tuple[int, int]]:
        """Tiles near the cell, near the median of those that it is connected to, and near their middle."""
        x, y, _ = self.cells[unit[0]].slot
        near = [
            self.cells[j].slot
            for k in unit
            for j in (*self.cells[k].ins, *self.cells[k].outs)
            if j not in unit
        ]
        xs, ys = sorted(s[0] for s in near), sorted(s[1] for s in near)
        middles = {
            (x, y),
            (xs[len(xs) // 2], ys[len(ys) // 2]),
            ((xs[0] + xs[-1]) // 2, (ys[0] + ys[-1]) // 2),
        }
        window = range(-_REACH, _REACH + 1)
        return iter(
            sorted({(mx + a, my + b) for mx, my in middles for a in window for b in window} & self.tiles)
        )

    def _put(self, unit: Iterable[int], slot: Slot) -> None:
        for k in unit:
            self.cells[k].slot = slot

    def _cost(self, unit: list[int]) -> float:
        """Squared excess of all paths through these cells."""
        cells, wire, total = self.cells, self._wire, 0.0
        for k in unit:
            c = cells[k]
            arrive = [cells[j].head + wire(cells[j], c) for j in c.ins if j not in unit]
            leave = [wire(c, cells[j]) + cells[j].tail for j in c.outs if j not in unit]
            before, behind = c.head, 0.0
            if not c.clocked:
                before = c.through + max(arrive, default=0.0)
                behind = c.through + max([self.beside] * (c.partner >= 0) + leave, default=0.0)
            over = [t + behind - self.limit for t in arrive] + [before + t - self.limit for t in leave]
            total += sum(t * t for t in over if t > 0.0)
        return total

    def _swap(self, unit: list[int], slot: Slot) -> bool:
        """Change places with what is in `slot` if that is allowed and better."""
        here = self.cells[unit[0]].slot
        kinds = {self.cells[k].kind == _FF for k in unit}
        other = [self.at[slot, kind] for kind in sorted(kinds) if (slot, kind) in self.at]
        if slot == here or not self._free(slot, other):
            return False
        was = self._cost(unit) + self._cost(other)
        self._exchange(unit, other, here, slot)
        if self._fits([*unit, *other]) and self._cost(unit) + self._cost(other) < was - 1e-6:
            self._renew([*unit, *other])
            return True
        self._exchange(unit, other, slot, here)
        return False

    def _free(self, slot: Slot, other: list[int]) -> bool:
        """Whether these cells of a slot may leave it, and others come."""
        beside = self.at.get((slot, False))
        if beside is not None and self.cells[beside].fixed:
            return False
        return all(not self.cells[k].fixed and self.cells[k].partner in (-1, *other) for k in other)

    def _exchange(self, unit: list[int], other: list[int], here: Slot, there: Slot) -> None:
        for k in (*unit, *other):
            del self.at[self.cells[k].place]
        self._put(unit, there)
        self._put(other, here)
        self.at |= {self.cells[k].place: k for k in (*unit, *other)}

    def _fits(self, moved: list[int]) -> bool:
        """Whether flip-flops share clock and reset in their tile, and enable in their slice."""
        return all(self._beside(k) for k in moved if self.cells[k].kind == _FF)

    def _beside(self, k: int) -> bool:
        x, y, own = self.cells[k].slot
        tile, half = self.cells[k].shared
        for place in range(_PLACES):
            o = self.at.get(((x, y, place), True))
            if o is None:
                continue
            shared = self.cells[o].shared
            if shared[0] != tile or (place // 2 == own // 2 and shared[1] != half):
                return False
        return True
