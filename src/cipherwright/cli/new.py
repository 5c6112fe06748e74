"""cipherwright new"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .console import err

__all__ = ["new"]


@dataclass(frozen=True)
class NewLine:
    """The command line of new."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="The cipher's name, in small letters.")]
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the files (default: this one).")
    ] = Path()


def new(line: NewLine) -> None:
    """Write a skeleton for a cipher of your own: NAME.py, test_NAME.py and NAME.md."""
    from ..skeleton import write_skeleton

    files = write_skeleton(line.name, line.out)
    err.print(
        f"{', '.join(map(str, files))}: a working example; replace it by your cipher. "
        f"Then: cipherwright build {files[0]} -o {line.name}-core"
    )
