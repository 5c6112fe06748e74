"""The driver of a board on the simulated serial port of its top."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cipherwright.board import Order, load_board, make_board
from cipherwright.board.driver import link_to
from cipherwright.board.link import BoardLink
from cipherwright.board.simulated import simulated_port
from tests.faults import Fault

__all__ = ["FAST", "Made", "broken", "connected", "made_of"]

Made = tuple[Path, dict[str, Any]]
"""The folder of a board, and its facts."""

FAST = 6_250_000
"""A rate of the UART at which a byte takes 40 cycles of the core's clock."""

L = TypeVar("L", bound=BoardLink)


def made_of(folder: Path, preset: str, *changes: str, baud: int = 0) -> Made:
    """The files of a board around a core, without a bitstream. baud: the UART's rate, 0: the board's own."""
    order = Order(preset, changes, baud, bitstream=False)
    return folder, make_board(load_board("ulx3s-85f"), order, folder)


@contextmanager
def connected(made: Made, kind: type[L]) -> Iterator[L]:
    """The driver, which is of this very kind and waits for at most a minute."""
    with simulated_port(*made) as port, link_to(port, made[1], 60) as link:
        assert type(link) is kind
        yield link


def broken(made: Made, folder: Path, fault: Fault) -> Made:
    """The same folder with a fault in the top."""
    folder.mkdir()
    for path in made[0].iterdir():
        text = path.read_text()
        (folder / path.name).write_text(fault(text) if path.name == f"{made[1]['top']}.v" else text)
    return folder, made[1]
