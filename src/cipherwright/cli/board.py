"""cipherwright board"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ..files import check_new
from .complete import complete_board
from .console import Json, Sets, Source, err, print_json, progress

__all__ = ["board"]


@dataclass(frozen=True)
class BoardLine:
    """The command line of board."""

    name: Annotated[
        str,
        typer.Argument(metavar="BOARD", help="The board, such as ulx3s-85f.", autocompletion=complete_board),
    ]
    source: Source
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the bitstream.")]
    sets: Sets = field(default_factory=list)
    baud: Annotated[
        int, typer.Option(help="Bits that the UART sends in a second (0: the board's own rate).", min=0)
    ] = 0
    seed: Annotated[int, typer.Option(help="Seed of place and route.", min=1)] = 1
    bitstream: Annotated[
        bool,
        typer.Option(
            "--bitstream/--no-bitstream",
            help="Whether to place and route, or to write the Verilog alone, for simulation.",
        ),
    ] = True
    as_json: Json = False


def board(line: BoardLine) -> None:
    """Make a bitstream with a core, a UART to talk to it, and a self-check at full speed."""
    from ..board import Order, load_board, make_board

    check_new(line.out)
    known = load_board(line.name)
    with progress(f"making {line.source} for {line.name}") as tell:
        order = Order(line.source, tuple(line.sets), line.baud, line.seed, line.bitstream)
        facts = make_board(known, order, line.out, tell)
    if line.as_json:
        print_json(facts)
        return
    err.print(f"{line.out}: {facts['core']} for {known.title}, {facts['baud']} baud")
    if line.bitstream:
        placed = facts["placed"]
        err.print(
            f"{facts['top']}.bit: the core runs at {facts['clock_mhz']:g} MHz, {facts['gbps_at_best']} Gb/s "
            f"(placed: {placed['fmax_mhz']} MHz); {facts['load']}"
        )
