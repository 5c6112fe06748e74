"""The generator's calls in order stay on one screen."""

from __future__ import annotations

from pathlib import Path

import cipherwright.flow


def test_flow_is_on_one_screen() -> None:
    lines = Path(cipherwright.flow.__file__).read_text().splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 110
