"""cipherwright registers"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .console import err

__all__ = ["registers"]


@dataclass(frozen=True)
class RegistersLine:
    """The command line of registers."""

    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The folder of a core with a register bus, which `build` made."),
    ]
    out: Annotated[Path, typer.Option("-o", "--out", metavar="OUT", help="New folder for the pages.")]


def registers(line: RegistersLine) -> None:
    """Write pages of a core's register map for a browser, made by peakrdl-html."""
    from ..actions import opened, register_pages
    from ..files import check_new

    check_new(line.out)
    register_pages(opened(line.folder), line.out)
    err.print(f"{line.out}: open index.html in a browser")
