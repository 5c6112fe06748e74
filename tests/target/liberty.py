"""Liberty files made from the installed library: the same cells under other conditions."""

from __future__ import annotations

import re
from pathlib import Path

from cipherwright.target import load_target

OSU018 = Path(load_target("osu018").liberty)

_TIMES = re.compile(
    r"\b(cell_rise|cell_fall|rise_transition|fall_transition|rise_constraint|fall_constraint)\s*\(\w+\)\s*\{[^{}]*\}"
)


def _scaled(table: str, factor: float) -> str:
    """A table with other times: its values, and the slopes that it is indexed by. Index 1 of a delay is a
    load.
    """
    slopes = r"index_[12]|values" if "_constraint" in table.split("(", 1)[0] else r"index_2|values"

    def times(m: re.Match[str]) -> str:
        return m[1] + re.sub(r"-?\d+\.?\d*", lambda n: f"{float(n[0]) * factor:.9g}", m[2])

    return re.sub(rf"((?:{slopes})\s*\()([^)]*)", times, table)


def scaled(path: Path, factor: float, name: str = "osu018_stdcells") -> Path:
    """The library with every time multiplied by a factor."""
    text = _TIMES.sub(lambda m: _scaled(m[0], factor), OSU018.read_text())
    path.write_text(text.replace("library(osu018_stdcells)", f"library({name})"))
    return path


def without(path: Path, cell: str, text: str = "") -> Path:
    """A library with one cell less."""
    text = text or OSU018.read_text()
    start = text.index(f"cell ({cell})")
    path.write_text(text[:start] + text[text.index("\ncell (", start + 1) + 1 :])
    return path
