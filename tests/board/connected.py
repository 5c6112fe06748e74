"""The driver of a board on the simulated serial port of its top."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from cipherwright.board.driver import link_to
from cipherwright.board.link import BoardLink
from cipherwright.board.simulated import simulated_port
from tests.faults import Fault

__all__ = ["Made", "broken", "connected"]

Made = tuple[Path, dict[str, Any]]
"""The folder of a board, and its facts."""

L = TypeVar("L", bound=BoardLink)


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
