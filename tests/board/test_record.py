"""The record of bitstreams and of the file that went through a board's top is of the text of now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import boards
from cipherwright.board import Order, board_names, load_board, make_board
from cipherwright.board.clock import MARGIN
from cipherwright.rtl import words
from cipherwright.tools import digest


@pytest.fixture(scope="module")
def record(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "benchmarks" / "boards.json").read_text())
    return found


def test_a_megabyte_is_equal_to_openssl(record: dict[str, Any], tmp_path: Path) -> None:
    found = record["file"]["1 MB"]
    assert found["equal_to_openssl"]
    assert found["bytes"] == 1 << 20
    assert found["self_check_blocks"] > 0 == found["self_check_wrong_batches"]
    order = Order(found["preset"], baud=found["baud"], bitstream=False)
    assert found["verilog"] == text_digest(found["board"], order, tmp_path)


def text_digest(board: str, order: Order, folder: Path) -> str:
    facts = make_board(load_board(board), order, folder / board)
    return digest(*(words((folder / board / n).read_text()) for n in facts["files"]))


OF_AN_EARLIER_TEXT = {
    "aes128-fast@orangecrab-85f",
    "aes128-fast@ulx3s-85f",
    "des-small mode=cbc@ulx3s-85f",
}
"""Bitstreams that were made before the core's text changed. `python benchmarks/boards.py BOARD PRESET` makes
one again, and its name goes from here.
"""


@pytest.mark.parametrize(("board", "preset", "changes"), [(b, p, tuple(c)) for b, p, *c in boards.BITSTREAMS])
def test_a_bitstream_is_of_the_present_text(
    board: str, preset: str, changes: tuple[str, ...], record: dict[str, Any], tmp_path: Path
) -> None:
    """The words of all Verilog around and in the core; those that are known to be of an earlier text are."""
    name = f"{' '.join((preset, *changes))}@{board}"
    present = text_digest(board, Order(preset, changes, bitstream=False), tmp_path)
    assert (record["bitstreams"][name]["verilog"] != present) == (name in OF_AN_EARLIER_TEXT)


def test_bitstreams_of_every_board(record: dict[str, Any], root: Path) -> None:
    made = record["bitstreams"]
    page = (root / "docs" / "guide" / "boards.md").read_text()
    assert {f"des-small@{board}" for board in board_names()} <= set(made) - OF_AN_EARLIER_TEXT
    for name, found in made.items():
        assert found["bitstream_bytes"] > 100_000
        assert found["clock_mhz"] * (1 + MARGIN) <= found["placed_mhz"] + 0.01
        assert found["uart_mhz"] > load_board(name.partition("@")[2]).oscillator_mhz
        assert f"| {name} | {found['clock_mhz']:g} MHz | {found['placed_mhz']} MHz |" in page


def test_all_bitstreams_of_the_record_are_measured_again(record: dict[str, Any]) -> None:
    """`python benchmarks/boards.py` makes each bitstream that the page of boards has."""
    made = {f"{' '.join(words)}@{board}" for board, *words in boards.BITSTREAMS}
    assert made == set(record["bitstreams"])
