"""A cell netlist in several corners: the same cells by several Liberty files, each timed by OpenSTA. The
slowest corner sets the clock, and the one with the least hold slack says whether data stay long enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from .cell_options import CellOptions
from .facts import Target
from .library import read_library
from .sta import Timing, timing
from .synth import LIBRARY

__all__ = [
    "CORNERS",
    "Corner",
    "check_cell_options",
    "corner_files",
    "timed_corners",
]

CORNERS = "corners.txt"
"""The table of corners among the files of an implementation."""


@dataclass(frozen=True)
class Corner:
    """A netlist in one corner. `name`: the corner's; `library`: the name of the Liberty file; `mapped`:
    whether its cells were mapped to; `timing`: what OpenSTA found with it.
    """

    name: str
    library: str
    mapped: bool
    timing: Timing

    def record(self) -> dict[str, str | bool | float | None]:
        """The figures as a record has them."""
        t = self.timing
        return {
            "corner": self.name,
            "library": self.library,
            "mapped": self.mapped,
            "critical_path_ns": t.path_ns,
            "fmax_mhz": round(1000 / t.path_ns, 2),
            "setup_slack_ns": t.setup_ns,
            "hold_slack_ns": t.hold_ns,
            "port_setup_slack_ns": t.port_setup_ns,
            "port_hold_slack_ns": t.port_hold_ns,
        }


def check_cell_options(target: Target, cells: CellOptions) -> None:
    """Raise UserError where options of `cells` are given for a `target` that is no cell library, or where a
    corner has no legal name, the name of the library that is mapped to or of
    its file in the folder of an implementation, or no file.
    """
    options = {"--dont-use": cells.dont_use, "--corner": cells.corners, "clock_gating": cells.clock_gating}
    for option, given in options.items():
        if given and target.kind != "cells":
            raise UserError(f"{option} is for cell libraries, and {target.name} is none")
    for name, path in cells.corners.items():
        if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
            raise UserError(f"a corner's name is of letters, digits and underscores, not {name!r}")
        if name == target.name:
            raise UserError(
                f"the library that is mapped to is the corner {name}: give the other another name"
            )
        if f"{name}.lib".casefold() == LIBRARY:
            raise UserError(
                f"{LIBRARY} is the library that is mapped to, in the folder of an implementation: give the "
                f"corner {name} another name"
            )
        if not path.is_file():
            raise UserError(f"there is no Liberty file {path} for the corner {name}")


def corner_files(corner: str = "") -> tuple[str, str, str]:
    """The names of the library, the script and the log of OpenSTA for a `corner`; "": for the library that is
    mapped to.
    """
    return (
        (f"{corner}.lib", f"sta_{corner}.tcl", f"sta_{corner}.log")
        if corner
        else (LIBRARY, "sta.tcl", "sta.log")
    )


def timed_corners(
    folder: Path, top: str, mapped_to: tuple[str, str], cells: CellOptions, clock: str
) -> list[Corner]:
    """The module `top` in folder/netlist.v in every corner of `cells`, first in that of the library that it
    was `mapped_to` (name of the target, name of the file). Its registers follow the port `clock`. Slacks are
    for the constraints of `cells`.

    Libraries, scripts, logs and the table (CORNERS) are in the `folder` afterwards. Raises UserError where
    the file of a corner is no usable Liberty file, CheckFailed where there is no path between registers.
    """
    name, library = mapped_to
    gated = cells.clock_gating
    first = timing(folder, top, clock, "", cells.constraints, gated=gated)
    found = [Corner(name, library, True, first)]
    for corner, path in cells.corners.items():
        files = corner_files(corner)
        (folder / files[0]).write_text(read_library(path).text)
        timed = timing(folder, top, clock, "", cells.constraints, files, gated)
        found.append(Corner(corner, path.name, False, timed))
    (folder / CORNERS).write_text("\n".join(_table(found)) + "\n")
    return found


def _table(corners: Sequence[Corner]) -> list[str]:
    """The corners for people, a line each; times in ns."""
    rows = [
        {k: "-" if v is None else str(v) for k, v in c.record().items() if k != "mapped"} for c in corners
    ]
    widths = {k: max(len(k), *(len(r[k]) for r in rows)) for k in rows[0]}
    lines = [{k: k for k in widths}, *rows]
    return ["  ".join(r[k].ljust(w) for k, w in widths.items()).rstrip() for r in lines]
