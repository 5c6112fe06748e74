"""cipherwright reproduce"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import UserError
from ..progress import part_of
from .console import Json, out, print_json, progress

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="[PAPER]")] = "",
    as_json: Json = False,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw a paper's plots into this folder, as SVG.")
    ] = None,
) -> None:
    """A paper's tables beside what is measured here (all papers where none is named)."""
    from ..report import PAPERS, plot, print_rows
    from ..report import reproduce as run

    if paper and paper not in PAPERS:
        raise UserError(f"there is no paper {paper}; there are {', '.join(PAPERS)}")
    with progress("reproducing") as tell:
        if plots and not plots.is_dir():
            raise UserError(f"there is no folder {plots} for the plots")
        chosen = [paper] if paper else list(PAPERS)
        results = {
            name: run(name, part_of(tell, k / len(chosen), (k + 1) / len(chosen), f"{name}: "))
            for k, name in enumerate(chosen)
        }
        for name, result in results.items():
            for i, figure in enumerate(result.get("plots", []) if plots else []):
                assert plots is not None
                (plots / f"{name}-{i + 1}.svg").write_bytes(plot(figure))
    if as_json:
        print_json(results)
        return
    for result in results.values():
        out.print(result["title"], highlight=False)
        for table in result["tables"]:
            print_rows(out, table["title"], table["columns"], table["rows"])
            for note in table["notes"]:
                out.print(f"  {note}", highlight=False)
