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


def git(*arguments: str) -> str | None:
    """What a command of git prints, None where it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def record_of(commit: str, path: Path) -> dict[str, Any] | None:
    """The record at `path` as `commit` has it, None where it has none."""
    shown = git("show", f"{commit}:{path.relative_to(ROOT)}")
    return json.loads(shown) if shown is not None else None


def growth(then: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, float]:
    """The part by which each figure that both records have grew; infinite where there was none of it. A
    figure that was and is 0 is left out.
    """
    keys = [k for k in (*LOWEST, *HIGHEST) if then.get(k) is not None and now.get(k) is not None]
    return {k: now[k] / then[k] - 1 if then[k] else float("inf") for k in keys if then[k] or now[k]}


def worse(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each figure that is worse than it may be."""
    for key, grown in growth(then, now).items():
        if (grown if key in LOWEST else -grown) > (LOWEST | HIGHEST)[key] + 1e-9:
            path = f"; {now['critical_path']}" if key == "fmax_mhz" else ""
            yield f"{key} {then[key]:g} -> {now[key]:g}, {grown:+.1%}{path}"


def row(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """All figures that both records have."""
    return ", ".join(
        f"{key} {then[key]:g}" + (f" -> {now[key]:g} ({grown:+.1%})" if grown else "")
        for key, grown in growth(then, now).items()
    )


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    commit = git("rev-parse", "--verify", "--quiet", f"{sys.argv[1]}^{{commit}}")
    if commit is None:
        raise SystemExit(f"{sys.argv[1]} is no commit of this repository")
    found, count = [], 0
    for path in sorted((ROOT / "benchmarks" / "records").glob("*@*.json")):
        then, now = record_of(commit.strip(), path), json.loads(path.read_text())
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
