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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .canonical import CANONICAL_TOP
from .placed import COMB, FF, RAM, Cell, Slot, Wires, cells_of, learn, loosen, write_places

__all__ = ["Repaired", "repaired", "rerouted"]

_PLACES, _MEMORY = 8, 6
"""Lookup tables, and flip-flops, of a tile; of these, those that its distributed RAM takes, or may take."""

_ROUNDS, _PASSES = 40, 4
_STEP, _GAIN, _MARGINS = 0.97, 0.997, (0.95, 0.9, 0.85)
"""In each round paths are to be shorter than `_STEP` of the longest; a round that gains less than `_GAIN` is
the last. In the end as many as can be are made shorter than these parts of it, since wires differ from their
estimates.
"""
_LEFT = 0.01
"""By measured delays the limit goes down until this part of all cells stays on paths over it."""
_AFTER, _ENOUGH = (0.98, 0.96, 0.94, 0.92), 16
"""What is too long after routing is made shorter than these parts of the longest path, as far as it can be,
and until so many cells have moved: wires that are routed anew may be the next slow ones.
"""
_REACH, _TRIED = 4, 24
"""Tiles to each side in which a better place is looked for, and how many of them are tried."""


@dataclass(frozen=True)
class Repaired:
    """What a repair did: the estimate of the longest path `before` and `after` in ns, and `moves`, how many
    times a cell, with its partner, changed places.
    """

    before: float
    after: float
    moves: int

    def __str__(self) -> str:
        return (
            f"Repair: the longest path is estimated at {self.after:.3f} ns, {self.before:.3f} ns before; "
            f"{self.moves} cells changed places."
        )


def repaired(source: Path, target: Path, wires: Wires, measured: bool = False) -> Repaired:
    """Read the netlist in the file `source` that nextpnr has placed and not routed, shorten its longest
    paths, and write the file `target`. `wires`: delays of the device. The same netlist gives the same places.
    measured: by the delays of wires after routing.
    """
    design = json.loads(source.read_text())
    netlist = design["modules"][CANONICAL_TOP]["cells"]
    board = _Board(cells_of(netlist, wires), wires, measured)
    before = board.time()
    moves = _by_measure(board, before) if measured else _by_estimates(board, before)
    write_places(board.cells, netlist)
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
    """Read the netlist in the file `source` that nextpnr has routed and the file `delays` of its wires (SDF),
    shorten its longest paths, and write the file `target`. `wires`: delays of the device, for wires whose
    cells moved. Wires from and to cells that moved are routed no longer, and all others as they were: nextpnr
    routes what is left. The same netlist gives the same places.
    """
    design = json.loads(source.read_text())
    module = design["modules"][CANONICAL_TOP]
    cells = cells_of(module["cells"], wires)
    learn(cells, delays)
    board = _Board(cells, wires, True)
    before = board.time()
    moves = 0
    for part in _AFTER:
        moves += board.shorten(before * part)
        if moves >= _ENOUGH:
            break
    write_places(board.cells, module["cells"])
    loosen(module, {c.name for c in cells if c.slot != c.was})
    target.write_text(json.dumps(design))
    return Repaired(before, board.time(), moves)


class _Board:
    """Cells on their slots. `limit`: paths over it are too long; `yields`: cells make room for others, which
    they do by estimates alone (docs/decisions/0037-room-in-a-full-device.md).
    """

    def __init__(self, cells: list[Cell], wires: Wires, measured: bool = False) -> None:
        self.cells, self.limit, self.beside, self.yields = cells, 0.0, wires.beside, not measured
        size = range(256)
        if measured:
            far = [[wires.routed(d, register) for d in range(512)] for register in (False, True)]
            self.wire = [[[by[x + y] for y in size] for x in size] for by in far]
            for c in cells:
                if c.kind not in (COMB, FF):
                    c.head = wires.memory or wires.register
        else:
            self.wire = [[[wires.between(x, y) for y in size] for x in size]] * 2
        self.at = {c.place: i for i, c in enumerate(cells) if c.slot[2] >= 0}
        closed = {c.slot[:2] for c in cells if c.kind not in (COMB, FF)}
        self.tiles = {c.slot[:2] for c in cells if c.kind in (COMB, FF)} - closed
        memory = {c.slot[:2] for c in cells if c.mode in RAM} - closed
        taken = _MEMORY if self.yields else _PLACES
        self.shut = {(x, y, place) for x, y in memory for place in range(taken)}
        self.tiles -= set() if self.yields else memory
        for c in cells:
            c.fixed |= c.slot[:2] in closed or c.slot in self.shut
        for c in cells:
            c.fixed |= self._held(c)
        self.order = self._order()

    def _held(self, c: Cell) -> bool:
        """Whether a flip-flop is beside a lookup table that stays: that may feed it, or share its input."""
        beside = self.at.get((c.slot, False))
        return c.kind == FF and beside is not None and self.cells[beside].fixed

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

    def _wire(self, a: Cell, b: Cell) -> float:
        """Delay from a cell to one that reads it."""
        if a.bound and any(self.cells[j] is b for j in a.bound):
            return 0.0
        if a.slot == b.slot and a.partner >= 0 and self.cells[a.partner] is b:
            return self.beside
        if b.routed and a.slot == a.was and b.slot == b.was:
            known = b.routed.get(a.number)
            if known is not None:
                return known
        return self.wire[b.clocked][abs(a.slot[0] - b.slot[0])][abs(a.slot[1] - b.slot[1])]

    def _arrives(self, c: Cell) -> float:
        return max((self.cells[j].head + self._wire(self.cells[j], c) for j in c.ins), default=0.0)

    def _leaves(self, c: Cell) -> float:
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
        best = [(x, y) for _, x, y in sorted(ranked)[:_TRIED]]
        if any(self._swap(unit, (*tile, place)) for tile in best for place in range(_PLACES)):
            return True
        return self.yields and any(self._make_room(unit, tile) for tile in best)

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
        kinds = {self.cells[k].kind == FF for k in unit}
        other = [self.at[slot, kind] for kind in sorted(kinds) if (slot, kind) in self.at]
        if slot == here or slot in self.shut or not self._free(slot, other):
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

    def _make_room(self, unit: list[int], tile: tuple[int, int]) -> bool:
        """Move a cell with its partner to a tile, and what is in its way there to free slots near it: what is
        in one slot, or all flip-flops, where these have another clock or reset. A reset that few flip-flops
        have is in few tiles; where all tiles are in use, nothing else brings them to their neighbours.
        """
        own = next((self.cells[k].shared[0] for k in unit if self.cells[k].kind == FF), None)
        there = [self.at[at] for place in range(_PLACES) if (at := ((*tile, place), True)) in self.at]
        if own is not None and any(self.cells[k].shared[0] != own for k in there):
            return any(self._displace(unit, (*tile, place), there) for place in range(_PLACES))
        for place in range(_PLACES):
            slot = (*tile, place)
            within = [self.at[slot, kind] for kind in (False, True) if (slot, kind) in self.at]
            if within and self._displace(unit, slot, within):
                return True
        return False

    def _displace(self, unit: list[int], slot: Slot, others: list[int]) -> bool:
        """Move cells to a slot, and others with their partners to free slots near it, if that is better."""
        units = {frozenset(j for j in (k, self.cells[k].partner) if j >= 0) for k in others}
        moving = sorted(sorted(u) for u in units)
        if any(self.cells[k].fixed or k in unit for u in moving for k in u):
            return False
        everything = [*unit, *(k for u in moving for k in u)]
        was, before = self._cost(everything), {k: self.cells[k].slot for k in everything}
        if (
            all(self._goes_near(u, slot[:2]) for u in moving)
            and self._goes_to(unit, slot)
            and self._cost(everything) < was - 1e-6
        ):
            self._renew(everything)
            return True
        for k in everything:
            del self.at[self.cells[k].place]
        for k, back in before.items():
            self.cells[k].slot = back
        self.at |= {self.cells[k].place: k for k in everything}
        return False

    def _goes_near(self, unit: list[int], tile: tuple[int, int]) -> bool:
        """Move cells to a free slot near a tile, and not in it, where no path through them is too long."""
        here, (x, y) = self.cells[unit[0]].slot, tile
        window = range(-_REACH, _REACH + 1)
        near = sorted((abs(a) + abs(b), x + a, y + b) for a in window for b in window if (a, b) != (0, 0))
        for _, column, row in near:
            if (column, row) not in self.tiles:
                continue
            for place in range(_PLACES):
                if self._goes_to(unit, (column, row, place)):
                    if self._cost(unit) <= 0.0:
                        return True
                    self._exchange(unit, [], self.cells[unit[0]].slot, here)
        return False

    def _goes_to(self, unit: list[int], slot: Slot) -> bool:
        """Move cells to a slot if that is free for them and they may be there."""
        here = self.cells[unit[0]].slot
        beside = self.at.get((slot, False))
        if slot in self.shut or any((slot, self.cells[k].kind == FF) in self.at for k in unit):
            return False
        if beside is not None and (self.cells[beside].fixed or self.cells[beside].partner >= 0):
            return False
        self._exchange(unit, [], here, slot)
        if self._fits(unit):
            return True
        self._exchange(unit, [], slot, here)
        return False

    def _exchange(self, unit: list[int], other: list[int], here: Slot, there: Slot) -> None:
        for k in (*unit, *other):
            del self.at[self.cells[k].place]
        self._put(unit, there)
        self._put(other, here)
        self.at |= {self.cells[k].place: k for k in (*unit, *other)}

    def _fits(self, moved: list[int]) -> bool:
        """Whether flip-flops share clock and reset in their tile, and enable in their slice."""
        return all(self._beside(k) for k in moved if self.cells[k].kind == FF)

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
