"""Writes src/cipherwright/schedule/data/schedules.json: of presets whose register programs are solved in a
reduced form, the solution that the full program has.

    python benchmarks/kept_schedules.py aes128-fast-agile rijndael256-fast

Takes up to half a minute a preset.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from cipherwright.flow import build
from cipherwright.schedule import kept, solve
from cipherwright.spec import load

_FILE = Path(kept.__file__).parent / "data" / "schedules.json"


def main(presets: list[str]) -> None:
    found: dict[str, dict[str, str]] = {}

    def in_full(
        rows: kept.Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float], best: float
    ) -> kept.Ints:
        stages, least = solve.optimum(rows, bounds, cost)
        assert abs(least - best) < 1e-3, "the reduced program has another optimum"
        entry = {"preset": preset, "stages": kept.packed(stages)}
        found[kept.program_digest(rows, bounds, cost)] = entry
        return stages

    solve.kept_solution = in_full
    for preset in presets:
        build(load(preset))
    _FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
