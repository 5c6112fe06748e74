"""cipherwright implement"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UserError
from ..files import check_new
from .complete import complete_target
from .console import CipherFile, Json, Made, Sets, out, print_json, progress, register_file, warn

__all__ = ["implement"]


def implement(
    what: Made,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="T",
            help="Target or Liberty file (default: the core's own).",
            autocompletion=complete_target,
        ),
    ] = "",
    sets: Sets = [],  # noqa: B006
    dont_use: Annotated[
        list[str],
        typer.Option(
            "--dont-use",
            metavar="PATTERN",
            help="Cells of a library not to map to, such as 'TIE*'; may be repeated.",
        ),
    ] = [],  # noqa: B006
    corners: Annotated[
        list[str],
        typer.Option(
            "--corner",
            metavar="NAME=FILE.lib",
            help="Time the netlist in a further corner of the library as well; may be repeated.",
        ),
    ] = [],  # noqa: B006
    seeds: Annotated[
        int, typer.Option(help="Place and route with seeds 1..N; the best counts.", min=1, max=64)
    ] = 3,
    prove: Annotated[
        bool | None,
        typer.Option(
            "--prove/--no-prove",
            help=(
                "Prove the netlist after mapping and after routing equal to the core (default: where "
                "there is place and route)."
            ),
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="New folder: netlists, constraints, logs, commands."),
    ] = None,
    cipher: CipherFile = None,
    as_json: Json = False,
) -> None:
    """Synthesis, place and route or timing analysis on a target."""
    from ..actions import implement_core, opened_or_built
    from ..report import print_summary
    from ..target import CellOptions, load_target

    register_file(cipher)
    cells = CellOptions(dont_use, _corners(corners))
    if folder:
        check_new(folder)
    with progress("implementing") as tell:
        if target and not Path(what).is_dir():
            load_target(target)
            sets = [*sets, *([f"target={target}"] if not target.endswith(".lib") else [])]
        with opened_or_built(what, sets) as core:
            warn(core.record["warnings"])
            record = implement_core(core, target, seeds, cells, prove, tell, folder)
        warn(record["warnings"])
    if as_json:
        print_json(record)
    else:
        print_summary(out, record)


def _corners(given: Sequence[str]) -> dict[str, Path]:
    """Corners by name from texts NAME=FILE. Raises UserError."""
    out: dict[str, Path] = {}
    for text in given:
        name, sep, file = text.partition("=")
        if not sep or not name or not file:
            raise UserError(f"--corner takes NAME=FILE.lib, not {text!r}")
        if name in out:
            raise UserError(f"--corner {name} is given twice")
        out[name] = Path(file)
    return out
