"""Writes src/cipherwright/schedule/data/schedules.json: the solutions of register programs that the records
of this folder are of, where they are not the least ones (docs/decisions/0040).

    python benchmarks/kept_schedules.py

They are those of HiGHS, the solver that earlier versions had. A preset whose record is renewed leaves the
file: name it in `RENEWED`. Takes about ten minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.mutants import SUBJECTS
from cipherwright.errors import UserError
from cipherwright.flow import generate
from cipherwright.schedule import kept, least, solve
from cipherwright.spec import load, preset_names

HERE = Path(__file__).resolve().parent
_FILE = Path(kept.__file__).parent / "data" / "schedules.json"

_LARGE = 50_000
"""Constraints of a large program."""

RENEWED: tuple[str, ...] = ()
"""Cores, as a preset and its changes, whose records are of the least solution."""


def cores() -> Iterator[str]:
    """All cores that a record is of, each a preset and its changes."""
    yield from preset_names()
    for record in sorted((HERE / "records").glob("*@*.json")):
        preset, target = record.stem.removeprefix("layout-").split("@")
        yield f"{preset} target={target}"
    for name in ("checked", "bus_sweep", "register_sweep", "random_blocks"):
        yield from json.loads((HERE / f"{name}.json").read_text())
    for subject in SUBJECTS:
        yield " ".join((subject.preset, *subject.changes))
    for preset, ways in json.loads((HERE / "buses.json").read_text()).items():
        for interface in ways:
            buses = [w for w in interface.split(", ") if w != "bare"]
            yield " ".join(
                [preset, *(f"{k}={v}" for k, v in zip(("interface", "control"), buses, strict=False))]
            )


def needed(rows: least.Ints, variables: int) -> least.Ints:
    """The constraints that no two others imply. rows: (a, b, w) for x_b - x_a >= w, w at most 1; they make no
    circle, so all implied ones may go at once.
    """
    a, b, w = rows.T

    def edges(those: NDArray[np.bool_]) -> csr_array:
        ones = np.ones(int(those.sum()), dtype=bool)
        return csr_array((ones, (a[those], b[those])), shape=(variables, variables))

    any_, one = edges(w >= 0), edges(w == 1)
    later = any_ @ one + one @ any_
    by_two = any_ @ any_

    def among(paths: csr_array) -> NDArray[np.bool_]:
        return np.asarray(paths[a, b], dtype=bool)

    implied = np.where(w == 1, among(later), among(by_two))
    return rows[~implied]


def highs(rows: least.Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float]) -> least.Ints:
    """A solution of a register program of the least cost, as earlier versions had it: of a large program by
    the interior-point method on what is needed of it, of others by the dual simplex method.
    """
    method = "highs-ds" if len(rows) < _LARGE else "highs-ipm"
    rows = rows if len(rows) < _LARGE else needed(rows, len(bounds))
    n = len(rows)
    entries = (np.array([1.0, -1.0] * n), (np.repeat(np.arange(n), 2), rows[:, :2].ravel()))
    matrix = coo_array(entries, shape=(n, len(bounds))).tocsr()
    # The stubs know dense matrices only.
    found = linprog(  # type: ignore[call-overload]
        cost,
        A_ub=matrix,
        b_ub=-rows[:, 2].astype(float),
        bounds=bounds,
        method=method,
    )
    assert found.status == 0, found.message
    return np.asarray(found.x.round(), dtype=np.int64)


def main() -> None:
    earlier = json.loads(_FILE.read_text())
    entries: dict[str, dict[str, str]] = {}

    def optimum(
        rows: least.Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float]
    ) -> least.Ints | None:
        found = least.least_optimum(rows, bounds, cost)
        if found is None or core in RENEWED:
            return None if found is None else found[0]
        digest = kept.program_digest(rows, bounds, cost)
        if digest in earlier:
            entries[digest] = earlier[digest]
        elif digest not in entries:
            other = highs(rows, bounds, cost)
            assert abs(float(np.dot(other, cost)) - found[1]) < 1e-6, "the two solutions differ in cost"
            if (other != found[0]).any():
                entries[digest] = {"core": core, "stages": kept.packed(other)}
        text = entries.get(digest)
        return found[0] if text is None else kept.unpacked(text["stages"])

    solve.optimum = optimum
    for core in dict.fromkeys(cores()):
        preset, *changes = core.split()
        try:
            generate(load(preset, changes), {"preset": preset})
        except UserError as error:
            print(f"{core}: {error}", file=sys.stderr)
        print(core, len(entries), flush=True)
    _FILE.write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
