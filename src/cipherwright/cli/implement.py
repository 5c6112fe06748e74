"""cipherwright implement"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UserError
from ..files import check_new
from .complete import complete_target
from .console import CipherFile, Json, Made, Sets, out, print_json, progress, register_file, warn

__all__ = ["implement"]


@dataclass(frozen=True)
class ImplementLine:
    """The command line of implement."""

    what: Made
    target: Annotated[
        str,
        typer.Option(
            "--target",
            metavar="T",
            help="The target, or a Liberty file (default: the core's own target).",
            autocompletion=complete_target,
        ),
    ] = ""
    sets: Sets = field(default_factory=list)
    dont_use: Annotated[
        list[str],
        typer.Option(
            "--dont-use",
            metavar="PATTERN",
            help="Cells of the library that are not used, such as 'TIE*'; may be repeated.",
        ),
    ] = field(default_factory=list)
    corners: Annotated[
        list[str],
        typer.Option(
            "--corner",
            metavar="NAME=FILE.lib",
            help="Another corner of the library, in which the netlist is timed as well; may be repeated.",
        ),
    ] = field(default_factory=list)
    seeds: Annotated[
        int,
        typer.Option(help="Place and route with the seeds 1 to N; the best result counts.", min=1, max=64),
    ] = 3
    prove: Annotated[
        bool | None,
        typer.Option(
            "--prove/--no-prove",
            help=(
                "Prove the netlist after mapping and after routing equal to the core (default: where "
                "there is place and route)."
            ),
        ),
    ] = None
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="New folder for netlists, constraints, logs and commands."
        ),
    ] = None
    cipher: CipherFile = None
    as_json: Json = False


def implement(line: ImplementLine) -> None:
    """Run synthesis on a target, and place and route or timing analysis; report clock and area."""
    from ..actions import implement_core, opened_or_built
    from ..report import print_summary
    from ..target import CellOptions, load_target

    register_file(line.cipher)
    sets, cells = line.sets, CellOptions(line.dont_use, _corners(line.corners))
    if line.folder:
        check_new(line.folder)
    with progress("implementing") as tell:
        if line.target and not Path(line.what).is_dir():
            load_target(line.target)
            sets = [*sets, *([f"target={line.target}"] if not line.target.endswith(".lib") else [])]
        with opened_or_built(line.what, sets) as core:
            warn(core.record["warnings"])
            record = implement_core(core, line.target, line.seeds, cells, line.prove, tell, line.folder)
        warn(record["warnings"])
    if line.as_json:
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
