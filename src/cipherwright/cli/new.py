"""cipherwright new"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import err

__all__ = ["new"]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the files (default: this one).")
    ] = Path(),
) -> None:
    """A skeleton of a cipher of your own: NAME.py, test_NAME.py and NAME.md."""
    from ..skeleton import write_skeleton

    files = write_skeleton(name, out)
    err.print(
        f"{', '.join(map(str, files))}: a working example; replace it by your cipher. "
        f"Then: cipherwright build {files[0]} -o {name}-core"
    )
