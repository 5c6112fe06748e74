"""Takes out of src/cipherwright/schedule/data/schedules.json the solutions that no committed record needs any
more (docs/decisions/0040). With presets: their records are made anew, so they need none.

    python benchmarks/kept_schedules.py [PRESET ...]

The solutions are of the solver that earlier versions had; none is ever added. Takes about ten minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.buses import INTERFACES
from benchmarks.mutants import SUBJECTS
from cipherwright.flow import generate
from cipherwright.schedule import kept, least, solve
from cipherwright.spec import load, preset_names

HERE = Path(__file__).resolve().parent
_FILE = Path(kept.__file__).parent / "data" / "schedules.json"


def cores() -> Iterator[tuple[str, ...]]:
    """All cores that a record is of, each a preset and its changes."""
    for preset in preset_names():
        yield (preset,)
    for record in sorted((HERE / "records").glob("*@*.json")):
        preset, target = record.stem.removeprefix("layout-").split("@")
        yield preset, f"target={target}"
    for name in ("checked", "bus_sweep", "register_sweep", "random_blocks"):
        for core in json.loads((HERE / f"{name}.json").read_text()):
            yield tuple(core.split())
    for subject in SUBJECTS:
        yield subject.preset, *subject.changes
    for preset, ways in json.loads((HERE / "buses.json").read_text()).items():
        for way in ways:
            yield preset, *INTERFACES[way]


def main(renewed: Sequence[str]) -> None:
    entries, used = json.loads(_FILE.read_text()), set[str]()
    known = solve.kept_solution

    def noted(
        rows: least.Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float], best: float
    ) -> least.Ints | None:
        found = known(rows, bounds, cost, best)
        if found is not None:
            used.add(kept.program_digest(rows, bounds, cost))
        return found

    solve.kept_solution = noted
    for preset, *changes in dict.fromkeys(core for core in cores() if core[0] not in renewed):
        generate(load(preset, changes), {"preset": preset})
        print(preset, *changes, len(used), flush=True)
    _FILE.write_text(json.dumps({d: e for d, e in entries.items() if d in used}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
