"""cipherwright reproduce"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import UserError
from ..progress import part_of
from .complete import complete_paper
from .console import Json, out, print_json, progress

__all__ = ["reproduce"]


@dataclass(frozen=True)
class ReproduceLine:
    """The command line of reproduce."""

    paper: Annotated[
        str,
        typer.Argument(
            metavar="[PAPER]",
            help="The paper, such as des-xilinx; all of them where none is named.",
            autocompletion=complete_paper,
        ),
    ] = ""
    as_json: Json = False
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw a paper's plots into this folder, as SVG.")
    ] = None


def reproduce(line: ReproduceLine) -> None:
    """Print a paper's tables beside what is measured here."""
    from ..report import PAPERS
    from ..report import reproduce as run

    if line.paper and line.paper not in PAPERS:
        raise UserError(f"there is no paper {line.paper}; there are {', '.join(PAPERS)}")
    with progress("reproducing") as tell:
        if line.plots and not line.plots.is_dir():
            raise UserError(f"there is no folder {line.plots} for the plots")
        chosen = [line.paper] if line.paper else list(PAPERS)
        results = {
            name: run(name, part_of(tell, k / len(chosen), (k + 1) / len(chosen), f"{name}: "))
            for k, name in enumerate(chosen)
        }
        if line.plots:
            _draw(results, line.plots)
    if line.as_json:
        print_json(results)
    else:
        _print(results.values())


def _draw(results: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Write the plots of each paper's results into a folder."""
    from ..report import plot

    for name, result in results.items():
        for i, figure in enumerate(result.get("plots", []), 1):
            (folder / f"{name}-{i}.svg").write_bytes(plot(figure))


def _print(results: Iterable[Mapping[str, Any]]) -> None:
    """Print the tables of each paper's results, with their notes."""
    from ..report import print_rows

    for result in results:
        out.print(result["title"], highlight=False)
        for table in result["tables"]:
            print_rows(out, table["title"], table["columns"], table["rows"])
            for note in table["notes"]:
                out.print(f"  {note}", highlight=False)
