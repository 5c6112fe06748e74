"""cipherwright board"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files import check_new
from .complete import complete_board, complete_source
from .console import Json, Sets, err, print_json, progress

__all__ = ["board"]


def board(
    name: Annotated[str, typer.Argument(metavar="BOARD", autocompletion=complete_board)],
    source: Annotated[
        str, typer.Argument(metavar="PRESET|FILE.toml|FILE.py", autocompletion=complete_source)
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the bitstream.")],
    sets: Sets = [],  # noqa: B006
    baud: Annotated[int, typer.Option(help="Rate of the UART (0: the board's own).", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of place and route.", min=1)] = 1,
    bitstream: Annotated[
        bool,
        typer.Option(
            "--bitstream/--no-bitstream", help="Place and route, or the Verilog alone, for simulation."
        ),
    ] = True,
    as_json: Json = False,
) -> None:
    """A bitstream with the core, a UART and a self-check at full speed."""
    from ..board import Order, load_board, make_board

    check_new(out)
    known = load_board(name)
    with progress(f"making {source} for {name}") as tell:
        facts = make_board(known, Order(source, tuple(sets), baud, seed, bitstream), out, tell)
    if as_json:
        print_json(facts)
        return
    err.print(f"{out}: {facts['core']} for {known.title}, {facts['baud']} baud")
    if bitstream:
        placed = facts["placed"]
        err.print(
            f"{facts['top']}.bit: the core runs at {facts['clock_mhz']:g} MHz, {facts['gbps_at_best']} Gb/s "
            f"(placed: {placed['fmax_mhz']} MHz); {facts['load']}"
        )
