"""Progress of long work: one callback with a text and, where it is known, the fraction that is done."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Tell", "named", "part_of", "quiet", "shown"]

EVERY_S = 60.0
"""Seconds between lines where there is no terminal."""


class Tell(Protocol):
    """Called with what is being done, and the part of the whole that is done by now (0 to 1; None: as far
    as it was, or not known).
    """

    def __call__(self, text: str, fraction: float | None = None) -> None: ...


def quiet(text: str, fraction: float | None = None) -> None:
    """The callback for work that nobody watches: `text` and `fraction` (see `Tell`) are dropped."""


def part_of(tell: Tell, begin: float, end: float, prefix: str = "") -> Tell:
    """The callback for a step of longer work. It calls `tell` with `prefix` before each text, and maps the
    step's own fraction, 0 to 1, to the part of the whole from `begin` to `end`; no fraction counts as 0.

    >>> part_of(lambda text, fraction=None: print(text, fraction), 0.5, 1.0, "AES: ")("placing", 0.5)
    AES: placing 0.75
    """

    def told(text: str, fraction: float | None = None) -> None:
        tell(prefix + text, begin + (end - begin) * (fraction or 0.0))

    return told


def named(tell: Tell, prefix: str) -> Tell:
    """The callback for a part of longer work of which nobody knows how much of the whole it is. It calls
    `tell` with `prefix`, a colon and each text, without a fraction.

    >>> named(lambda text, fraction=None: print(text, fraction), "lane 1")("placing", 0.5)
    lane 1: placing None
    """

    def told(text: str, fraction: float | None = None) -> None:
        tell(f"{prefix}: {text}")

    return told


@contextmanager
def shown(title: str, console: Console) -> Iterator[Tell]:
    """Progress on `console`, inside a `with` statement, which gets the callback: on a terminal a bar with a
    percentage, which is gone at the end, elsewhere a line every `EVERY_S` seconds. `title` is shown until the
    first text.
    """
    with _bar(title, console) if console.is_terminal else _lines(title, console) as tell:
        yield tell


@contextmanager
def _bar(title: str, console: Console) -> Iterator[Tell]:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[percent]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=None, percent="")

        def tell(text: str, fraction: float | None = None) -> None:
            bars.update(task, description=text)
            if fraction is not None:
                bars.update(task, total=1.0, completed=fraction, percent=f"{fraction:4.0%}")

        yield tell


@contextmanager
def _lines(title: str, console: Console) -> Iterator[Tell]:
    now: list[str | float | None] = [title, None]
    done, began = threading.Event(), time.monotonic()

    def tell(text: str, fraction: float | None = None) -> None:
        now[0] = text
        now[1] = now[1] if fraction is None else fraction

    def say() -> None:
        while not done.wait(EVERY_S):
            share = f"{now[1]:.0%}, " if now[1] is not None else ""
            minutes = (time.monotonic() - began) / 60
            console.print(
                f"{now[0]}: {share}{minutes:.0f} min", highlight=False, markup=False, soft_wrap=True
            )

    speaker = threading.Thread(target=say, daemon=True)
    speaker.start()
    try:
        yield tell
    finally:
        done.set()
        speaker.join(1.0)
