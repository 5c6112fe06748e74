"""A board with a cipher from outside the package: its description is named again where it is checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cipherwright.cli.board_run import BoardRunLine, board_run
from cipherwright.errors import UserError
from cipherwright.registry import find_cipher, unregister
from cipherwright.skeleton import write_skeleton

from .connected import Made, made_of

LOOP = ("architecture=iterative", "stages=1", "direction=encrypt")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[Made, Path]]:
    """The files of a board around a skeleton's loop, and the skeleton, which this process has forgotten."""
    write_skeleton("mine", tmp_path)
    file = tmp_path / "mine.py"
    made = made_of(tmp_path / "board", str(file), *LOOP)
    unregister("mine")
    yield made, file
    if find_cipher("mine"):
        unregister("mine")


def test_the_self_check_takes_the_description(
    own: tuple[Made, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder, _), file = own
    with pytest.raises(UserError, match=r"is a core of the cipher mine, which came from .* with --cipher"):
        board_run(BoardRunLine(folder, "sim", seconds=0.0))
    board_run(BoardRunLine(folder, "sim", seconds=0.0, cipher=file))
    assert "0 of 1 batches wrong" in capsys.readouterr().err


def test_another_description_is_refused(own: tuple[Made, Path]) -> None:
    (folder, _), file = own
    file.write_text(f"{file.read_text()}\n# another one\n")
    with pytest.raises(UserError, match="was built from another description of mine"):
        board_run(BoardRunLine(folder, "sim", seconds=0.0, cipher=file))
