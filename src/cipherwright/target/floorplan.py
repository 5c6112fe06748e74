"""Where lanes and their block RAMs stand on a device: strips side by side, and sites for the boxes in
block RAM.

Left to itself the placer puts block RAMs where there is room, which may be on the other side of the
device: its rows of block RAM are few and far apart, and its cells have no pads to hold on to. So the boxes
of a lane are given sites in the order of the rounds, row by row, in the lane's strip; everything else is
placed around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

__all__ = ["Slices", "lane_count", "lane_of", "lane_of_name", "mark_lanes", "place_boxes", "strips"]

_RAM = "DP16KD"
_LANE = re.compile(r"(?:^|\.)u_(?:core|counter|relay)_?(\d*)\.")
_BOX = re.compile(r"\.u_box_(\d+)\.")
_LANE_MARK, _BOX_MARK = "CIPHERWRIGHT_LANE", "CIPHERWRIGHT_BOX"
"""Attributes of cells that say what their names said, for netlists under canonical names."""

Strip = tuple[int, int]
"""First and last column."""


@dataclass(frozen=True)
class Slices:
    """Tiles of a device with four slices of two lookup tables and two flip-flops each: the first and last of
    their `columns` and of their `rows`, and the `blocks`, rows between those that have none.
    """

    columns: Strip
    rows: Strip
    blocks: frozenset[int]

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Slices:
        """From the `slices` of a target's facts, a `table` with `columns` and `rows` (first and last) and
        `blocks`.
        """
        return cls(tuple(table["columns"]), tuple(table["rows"]), frozenset(table["blocks"]))

    def sites(self, strip: Strip) -> int:
        """How many lookup tables fit a `strip` of all rows, and as many flip-flops.

        >>> Slices((2, 9), (1, 20), frozenset({7})).sites((2, 3))  # 2 columns, 19 rows, 8 in a tile
        304
        """
        return 8 * (strip[1] - strip[0] + 1) * (self.rows[1] - self.rows[0] + 1 - len(self.blocks))

    def bels(self) -> Iterator[tuple[int, str, str]]:
        """Column, cell type and name of every place for a lookup table or flip-flop."""
        for x in range(self.columns[0], self.columns[1] + 1):
            for y in range(self.rows[0], self.rows[1] + 1):
                if y not in self.blocks:
                    for half in ("A", "B", "C", "D"):
                        for side in (0, 1):
                            yield x, "LUT4", f"X{x}/Y{y}/SLICE{half}.K{side}"
                            yield x, "TRELLIS_FF", f"X{x}/Y{y}/SLICE{half}.FF{side}"


def lane_of_name(name: str) -> int | None:
    """The lane that a cell's hierarchical `name` says, if any: `u_core`, `u_counter0` and `u_relay0` are in
    the first, which is 0.

    >>> lane_of_name("u_core_2.stage1.q"), lane_of_name("u_core.q"), lane_of_name("u_join.q")
    (2, 0, None)
    """
    found = _LANE.search(name)
    return int(found[1] or 0) if found else None


def mark_lanes(cells: Mapping[str, dict[str, Any]]) -> None:
    """Say in attributes which lane and which box in block RAM the names of `cells` tell (name to entry in
    Yosys JSON, changed in place), where there is more than one lane or a block RAM.
    """
    several = any(lane_of_name(n) for n in cells)
    for name, cell in cells.items():
        lane, box = lane_of_name(name), _BOX.search(name) if cell["type"] == _RAM else None
        if lane is not None and (several or box):
            cell.setdefault("attributes", {})[_LANE_MARK] = f"lane {lane}"
        if box:
            cell.setdefault("attributes", {})[_BOX_MARK] = f"box {box[1]}"


def _marked(cell: Mapping[str, Any], mark: str) -> int | None:
    found = cell.get("attributes", {}).get(mark)
    return int(found.split()[1]) if found else None


def lane_of(cell: Mapping[str, Any]) -> int | None:
    """The lane, from 0, that the mark of a `cell` says (`mark_lanes`); None where it has no mark."""
    return _marked(cell, _LANE_MARK)


def lane_count(cells: Iterable[Mapping[str, Any]]) -> int:
    """How many lanes marked `cells` are in; 1 where none has a mark."""
    return 1 + max((lane_of(c) or 0 for c in cells), default=0)


def strips(need: Sequence[int], slices: Slices) -> list[Strip]:
    """A strip of all rows for each lane, from left to right, as (first, last) column. `need`: sites that each
    lane takes; the columns of `slices` are shared out in that proportion.

    >>> strips([100, 300], Slices((2, 9), (1, 20), frozenset()))
    [(2, 3), (4, 9)]
    """
    first, last = slices.columns
    edges, total, done = [first], sum(need), 0
    for n in need:
        done += n
        edges.append(first + round((last + 1 - first) * done / total))
    return [(a, b - 1) for a, b in pairwise(edges)]


def place_boxes(module: dict[str, Any], sites: Mapping[str, Sequence[int]], lanes: Sequence[Strip]) -> int:
    """Give the block RAMs marked as boxes (`u_core….u_box_N`) of a flat mapped `module` (Yosys JSON, changed
    in place) their sites, in the strips of their `lanes`; how many got one. `sites`: the device's `rows` of
    block RAM in the order in which rounds should go over them, and `columns` of each. None get any where a
    lane has no strip, or more than its strip holds.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    for name, cell in module["cells"].items():
        lane, box = lane_of(cell), _marked(cell, _BOX_MARK)
        if cell["type"] == _RAM and lane is not None and box is not None:
            found.setdefault(lane, []).append((box, name))
    if max(found, default=0) >= len(lanes):
        return 0
    rows, columns = sites["rows"], sites["columns"]
    given: dict[str, str] = {}
    for lane, boxes in found.items():
        first, last = lanes[lane]
        width = -(-len(boxes) // len(rows))
        inside = [i for i, x in enumerate(columns) if first <= x <= last]
        if width > len(inside):
            return 0
        inside = sorted(sorted(inside, key=lambda i: abs(2 * columns[i] - first - last))[:width])
        for n, (_, name) in enumerate(sorted(boxes)):
            row, column = divmod(n, width)
            given[name] = f"X{columns[inside[column]]}/Y{rows[row]}/EBR{inside[column] % 4}"
    for name, site in given.items():
        module["cells"][name].setdefault("attributes", {})["BEL"] = site
    return len(given)
