"""Sites for the boxes that a pipeline has in block RAM.

Left to itself the placer puts block RAMs where there is room, which may be on the other side of the device: its rows of block RAM are few and
far apart, and its cells have no pads to hold on to. So the boxes of a lane are given sites in the order of the rounds, row by row, and
the lanes strips side by side; everything else is placed around them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["place_boxes"]

_BOX = re.compile(r"u_core(?:_(\d+))?\.u_box_(\d+)\.")


def place_boxes(module: dict[str, Any], sites: Mapping[str, Sequence[int]]) -> int:
    """Give the block RAMs called `u_core….u_box_N` of a flat mapped module their sites; how many got one. `sites`: the device's `rows` of block
    RAM in the order in which rounds should go over them, and `columns` of each. None get any where the lanes do not fit side by side."""
    found: dict[int, list[tuple[int, str]]] = {}
    for name, cell in module["cells"].items():
        if cell["type"] == "DP16KD" and (m := _BOX.search(name)):
            found.setdefault(int(m[1] or 0), []).append((int(m[2]), name))
    if not found:
        return 0
    rows, columns = sites["rows"], sites["columns"]
    strip = len(columns) // (max(found) + 1)
    width = -(-max(len(boxes) for boxes in found.values()) // len(rows))
    if width > strip:
        return 0
    for lane, boxes in found.items():
        for i, (_, name) in enumerate(sorted(boxes)):
            row, column = divmod(i, width)
            at = lane * strip + (strip - width) // 2 + column
            module["cells"][name].setdefault("attributes", {})["BEL"] = f"X{columns[at]}/Y{rows[row]}/EBR{at % 4}"
    return sum(len(boxes) for boxes in found.values())
