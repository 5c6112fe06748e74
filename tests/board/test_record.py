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


def test_bitstreams_of_every_board(record: dict[str, Any], root: Path, tmp_path: Path) -> None:
    made = record["bitstreams"]
    page = (root / "docs" / "guide" / "boards.md").read_text()
    for board in board_names():
        found = made[f"des-small@{board}"]
        assert found["verilog"] == text_digest(board, Order("des-small", bitstream=False), tmp_path)
    for name, found in made.items():
        assert found["bitstream_bytes"] > 100_000
        assert found["clock_mhz"] * (1 + MARGIN) <= found["placed_mhz"] + 0.01
        assert found["uart_mhz"] > load_board(name.partition("@")[2]).oscillator_mhz
        assert f"| {name} | {found['clock_mhz']:g} MHz | {found['placed_mhz']} MHz |" in page


def test_all_bitstreams_of_the_record_are_measured_again(record: dict[str, Any]) -> None:
    """`python benchmarks/boards.py` makes each bitstream that the page of boards has."""
    made = {f"{' '.join(words)}@{board}" for board, *words in boards.BITSTREAMS}
    assert made == set(record["bitstreams"])
