"""What a user asks of a cell library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .sta import Constraints

__all__ = ["ALL_CELLS", "CellOptions"]


@dataclass(frozen=True)
class CellOptions:
    """What a user asks of a cell library.

    `dont_use`: patterns of cells that are not to be used (`*`, `?`, `[…]`). `corners`: Liberty files of
    further corners, by the corner's name. `constraints`: the clock and ports that slacks are for (None: the
    longest path alone is wanted). `clock_gating`: whether registers with a common enable get a clock-gating
    cell.
    """

    dont_use: Sequence[str] = ()
    corners: Mapping[str, Path] = field(default_factory=dict)
    constraints: Constraints | None = None
    clock_gating: bool = False


ALL_CELLS = CellOptions()
"""All usable cells, no further corner, no clock gates."""
