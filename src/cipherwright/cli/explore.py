"""cipherwright explore"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UserError
from ..files import check_new, new_folder
from .complete import complete_target
from .console import Json, Sets, err, out, print_json, progress
from .goal import GoalLine, goal_of

if TYPE_CHECKING:
    from ..plan import Exploration, Measure

__all__ = ["explore"]


@dataclass(frozen=True)
class _CipherLine:
    """Its part that says what is searched."""

    cipher: Annotated[
        str,
        typer.Argument(
            metavar="CIPHER|FILE.py|FILE.toml",
            help="A cipher's name, a Python file that describes one, or a TOML file with fixed options.",
        ),
    ]
    target: Annotated[
        str,
        typer.Option(
            "--target", metavar="T", help="The device or cell library.", autocompletion=complete_target
        ),
    ] = ""
    sets: Sets = field(default_factory=list)


@dataclass(frozen=True)
class ExploreLine(GoalLine, _CipherLine):
    """The command line of explore."""

    mapped: Annotated[
        bool, typer.Option("--map", help="Run synthesis for every core that is found, and count its cells.")
    ] = False
    place: Annotated[
        int,
        typer.Option(
            "--place",
            metavar="SEEDS",
            help="Place and route every core that is found, with so many seeds (0: not at all).",
            min=0,
            max=64,
        ),
    ] = 0
    workers: Annotated[
        int, typer.Option(metavar="N", help="Processes of this machine that share the work.", min=1)
    ] = 1
    scheduler: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The scheduler of a Dask cluster that does the work instead."),
    ] = ""
    folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="New folder for a page, a picture, and a TOML file of each core.",
        ),
    ] = None
    as_json: Json = False


def explore(line: ExploreLine) -> None:
    """Find the cores of a cipher that no other core beats in every figure, and the best one for a goal."""
    from ..plan import Question, workers, write_exploration
    from ..plan import explore as explored
    from ..sources import read_changes

    _check(line)
    if line.folder:
        check_new(line.folder)
    changes = read_changes([*line.sets, *([f"target={line.target}"] if line.target else [])])
    question = Question.of(line.cipher, changes, goal_of(line))
    measure: Measure = "place" if line.place else "map" if line.mapped else ""
    with progress(f"searching for cores of {line.cipher}") as tell:
        with workers(line.workers, line.scheduler) as executor:
            found = explored(question, executor, measure, max(line.place, 1), tell)
        if line.folder:
            with new_folder(line.folder) as folder:
                write_exploration(found, folder)
    _tell(line, found)


def _check(line: ExploreLine) -> None:
    """Raise UserError where two options say the same."""
    if line.mapped and line.place:
        raise UserError("--place maps as well; give one of --map and --place")
    if line.scheduler and line.workers > 1:
        raise UserError("--scheduler has workers of its own; give one of --workers and --scheduler")


def _tell(line: ExploreLine, found: Exploration) -> None:
    """Show the cores, and the best one where one is asked for. Raises UserError, behind that, where none
    keeps the limits.
    """
    from ..plan import COLUMNS, described, row_of
    from ..report import print_rows

    asked, missed = line.goal or found.question.goal.limited, None
    number = None
    if asked:
        try:
            number = found.points.index(found.best()) + 1
        except UserError as e:
            missed = e
    if line.as_json:
        print_json({**found.record(), **({"best": number} if asked else {})})
    else:
        fixed = found.question.fixed
        rows = [(*row_of(n, p), described(p.options, fixed)) for n, p in enumerate(found.points, 1)]
        print_rows(out, f"{len(rows)} of {found.tried} cores", (*COLUMNS, "options"), rows)
    if missed:
        raise missed
    if number:
        err.print(f"core {number} is the best for {found.question.goal.best}")
