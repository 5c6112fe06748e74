"""Boards and their clocks as data."""

from __future__ import annotations

import re
import subprocess

import pytest

from cipherwright.board import board_names, load_board
from cipherwright.board.clock import pll_below
from cipherwright.errors import UserError
from cipherwright.shell.board import LEDS
from cipherwright.target import load_target
from cipherwright.tools import find


@pytest.mark.parametrize("name", board_names())
def test_board(name: str) -> None:
    board = load_board(name)
    assert load_target(board.target).family == "ecp5"
    assert set(board.leds) <= set(LEDS)
    text = board.constraints(100.0)
    assert f'LOCATE COMP "osc_i" SITE "{board.oscillator}";' in text
    sites = re.findall(r'SITE "(\w+)"', text)
    assert len(sites) == len(set(sites)) == 3 + len(board.leds) + len(board.high)
    assert board.divisor(board.baud) * board.baud == board.oscillator_mhz * 1e6
    assert board.load.count("FILE") == 1


def test_unknown_board() -> None:
    with pytest.raises(UserError, match="no board ulx3s; did you mean ulx3s-85f"):
        load_board("ulx3s")


@pytest.mark.parametrize(
    ("baud", "words"), [(20_000_000, "too fast"), (3_000_000, "can't be made of 25 MHz")]
)
def test_no_such_rate(baud: int, words: str) -> None:
    with pytest.raises(UserError, match=words):
        load_board("ulx3s-85f").divisor(baud)


@pytest.mark.parametrize("oscillator", [12.0, 25.0, 48.0, 100.0])
def test_pll_is_in_its_limits(oscillator: float) -> None:
    """The highest clock below the limit, by any dividers; the limits of the data sheet hold."""
    for most in range(13, 420, 7):
        pll = pll_below(oscillator, most)
        clock = pll.output_mhz(oscillator)
        assert 400 <= clock * pll.output_divider <= 800
        assert oscillator / pll.input_divider >= 10
        every = (oscillator / d * f for d in range(1, 11) for f in range(1, 129) if oscillator / d >= 10)
        assert clock == pytest.approx(max(c for c in every if c <= min(most, 400) + 1e-9))


def test_no_clock() -> None:
    with pytest.raises(UserError, match="can't make a clock of 3 MHz"):
        pll_below(25.0, 3.0)


def test_pll_as_ecppll() -> None:
    """The tool of Project Trellis makes the same clock with the same dividers."""
    pll = pll_below(25.0, 140.0)
    clock = pll.output_mhz(25.0)
    said = subprocess.run(
        [find("yowasp-ecppll"), "-i", "25", "-o", str(clock)], capture_output=True, text=True, check=True
    ).stdout
    found = [float(x) for x in re.findall(r": ([\d.]+)", said)]
    assert found[:3] == [pll.input_divider, pll.feedback_divider, pll.output_divider]
    assert found[3] == clock
