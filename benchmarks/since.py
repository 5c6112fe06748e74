"""Compare the figures of all records with those that an earlier commit has of the same preset and target.

Usage: python benchmarks/since.py COMMIT

For each record: LUTs, flip-flops, gate equivalents, clock, latency and bits per cycle, then and now. What
has become worse is listed at the end: more than 1 % more LUTs, flip-flops or gates, a clock that is more
than 3 % lower, a longer latency, or fewer bits in a cycle. A clock that fell is told with its critical path.
The exit code is 0 whatever is found: this is a report.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOWEST = {"luts": 0.01, "ffs": 0.01, "gate_equivalents": 0.01, "latency_cycles": 0.0}
"""Figures of which less is better, and the part by which they may grow."""
HIGHEST = {"fmax_mhz": 0.03, "bits_per_cycle": 0.0}
"""Figures of which more is better, and the part by which they may fall."""


def record_of(commit: str, path: Path) -> dict[str, Any] | None:
    """The record at `path` as `commit` has it, None where it has none."""
    name = f"{commit}:{path.relative_to(ROOT)}"
    shown = subprocess.run(["git", "show", name], cwd=ROOT, capture_output=True, text=True, check=False)
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def change(then: float, now: float) -> float:
    """The part by which a figure grew; infinite where there was none of it."""
    return now / then - 1 if then else float("inf") * (now > 0) if now else 0.0


def worse(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each figure that is worse than it may be."""
    for bounds, sign in ((LOWEST, 1), (HIGHEST, -1)):
        for key, most in bounds.items():
            if then.get(key) is None or now.get(key) is None:
                continue
            grown = change(then[key], now[key])
            if sign * grown > most + 1e-9:
                path = f"; {now['critical_path']}" if key == "fmax_mhz" else ""
                yield f"{key} {then[key]:g} -> {now[key]:g}, {grown:+.1%}{path}"


def row(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """All figures that both records have."""
    figures = []
    for key in (*LOWEST, *HIGHEST):
        if then.get(key) is None or now.get(key) is None or not (then[key] or now[key]):
            continue
        grown = change(then[key], now[key])
        figures.append(f"{key} {then[key]:g}" + (f" -> {now[key]:g} ({grown:+.1%})" if grown else ""))
    return ", ".join(figures)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    commit = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{sys.argv[1]}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if commit.returncode:
        raise SystemExit(f"{sys.argv[1]} is no commit of this repository")
    found, count = [], 0
    for path in sorted((ROOT / "benchmarks" / "records").glob("*@*.json")):
        then, now = record_of(commit.stdout.strip(), path), json.loads(path.read_text())
        if then is None or "fmax_mhz" not in now:
            continue
        count += 1
        print(f"{path.stem}: {row(then, now)}")
        found += [f"{path.stem}: {text}" for text in worse(then, now)]
    print(f"\n{count} records compared with {sys.argv[1]}; worse than they may be: {len(found) or 'none'}")
    for line in found:
        print(f"  {line}")


if __name__ == "__main__":
    main()
