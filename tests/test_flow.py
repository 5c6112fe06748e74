"""The generator's calls in order stay on one screen, and the way from them to a line of Verilog is short."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import pytest

import cipherwright.flow
import cipherwright.rtl.verilog
from cipherwright.spec import load
from tests.conftest import LIGHT_GCM


def test_flow_is_on_one_screen() -> None:
    lines = Path(cipherwright.flow.__file__).read_text().splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 110


def calls(frame: FrameType) -> list[str]:
    """Functions that are being run, from `build` to that of a frame; comprehensions are of the function that
    they stand in. Empty where `build` is not among them.
    """
    names: list[str] = []
    now: FrameType | None = frame
    while now is not None:
        if not now.f_code.co_name.startswith("<"):
            names.insert(0, now.f_code.co_name)
        if now.f_code is cipherwright.flow.build.__code__:
            return names
        now = now.f_back
    return []


@pytest.mark.parametrize("preset", [("des-small",), LIGHT_GCM], ids=lambda p: p[0])
def test_few_calls_lead_to_a_line_of_verilog(preset: tuple[str, ...]) -> None:
    """From `build` to the printer's innermost function are fewer than twelve calls."""
    longest: list[str] = []

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal longest
        if event == "call" and frame.f_code.co_filename == cipherwright.rtl.verilog.__file__:
            longest = max(longest, calls(frame), key=len)

    spec = load(preset[0], preset[1:])
    sys.setprofile(called)
    try:
        cipherwright.flow.build(spec, {"preset": preset[0]})
    finally:
        sys.setprofile(None)
    assert longest[0] == "build"
    assert "print_module" in longest
    assert len(longest) < 12, longest
