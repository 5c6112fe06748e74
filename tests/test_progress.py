"""Progress: a percentage on a terminal, a line now and then where there is none, and nothing on standard
output.
"""

from __future__ import annotations

import io
import sys
import time

import pytest
from rich.console import Console

from cipherwright import progress
from cipherwright.errors import CheckFailed
from cipherwright.target import Recipe, load_target
from cipherwright.target import implement as implementation
from cipherwright.verify.verdict import attempts


def test_a_terminal_shows_a_percentage() -> None:
    out = io.StringIO()
    with progress.shown("starting", Console(file=out, force_terminal=True, width=100)) as tell:
        tell("half of it", 0.5)
        time.sleep(0.3)
    assert "half of it" in out.getvalue()
    assert "50%" in out.getvalue()


def test_a_file_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.1)
    out = io.StringIO()
    with progress.shown("starting", Console(file=out)) as tell:
        time.sleep(0.15)
        tell("most of it", 0.75)
        tell("and what follows")
        time.sleep(0.25)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("starting: 0 min")
    assert lines[1].startswith("and what follows: 75%, ")
    assert len(lines) <= 5
    told = len(out.getvalue())
    time.sleep(0.25)
    assert len(out.getvalue()) == told, "nothing is said when the work is over"


def test_short_work_says_nothing() -> None:
    out = io.StringIO()
    with progress.shown("starting", Console(file=out)) as tell:
        tell("done", 1.0)
    assert out.getvalue() == ""


def test_parts_of_a_whole() -> None:
    seen: list[tuple[str, float | None]] = []
    tell = progress.part_of(lambda text, fraction=None: seen.append((text, fraction)), 0.5, 0.75, "second: ")
    tell("begins")
    tell("half", 0.5)
    progress.named(tell, "a core")("place", 0.9)
    assert seen == [("second: begins", 0.5), ("second: half", 0.625), ("second: a core: place", 0.5)]


def test_checks_are_counted() -> None:
    seen: list[tuple[str, float | None]] = []

    def wrong() -> str:
        raise CheckFailed("wrong")

    verdicts, attempt = attempts(lambda text, fraction=None: seen.append((text, fraction)), 2)
    attempt("first", lambda: "right")
    attempt("second", wrong)
    assert seen == [("first (check 1 of 2)", 0.0), ("second (check 2 of 2)", 0.5)]
    assert [v.passed for v in verdicts] == [True, False]


def test_seeds_are_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthesis and a run of place and route for each seed, told before each of them."""
    seen: list[tuple[str, float | None]] = []

    def stop(*_: object) -> None:
        raise RuntimeError("far enough")

    monkeypatch.setattr(sys.modules["cipherwright.target.implement"], "synthesise", stop)
    with pytest.raises(RuntimeError, match="far enough"):
        implementation(
            [],
            "t",
            load_target("ecp5-85k-8"),
            Recipe((1, 2, 3)),
            lambda text, fraction=None: seen.append((text, fraction)),
        )
    assert seen[0][0].endswith("(step 1 of 4)")
    assert seen[0][1] == 0.0
