"""Measure presets on their budgets' targets and write benchmarks/records/PRESET@TARGET.json.

Usage: python benchmarks/measure.py [PRESET [TARGET [SEEDS]]]     (all budgets where nothing is named;
    tdes-fast takes about 20 minutes) SEEDS, as 1 or 1,2: those of place and route, if not 1,2,3; for cores
    of which one takes that long already.
"""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

from building import core_of
from status import write_pages

from cipherwright.report import clock_port, implementation_record, mapped_top
from cipherwright.shell import rtl_digest
from cipherwright.target import Recipe, implement, load_target

HERE = Path(__file__).resolve().parent


def tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}" if fraction is None else f"  {fraction:4.0%} {text}", file=sys.stderr, flush=True)


def main() -> None:
    budgets = tomllib.loads((HERE / "budgets.toml").read_text())["budget"]
    seeds = tuple(int(s) for s in sys.argv[3].split(",")) if len(sys.argv) > 3 else (1, 2, 3)
    for budget in budgets:
        preset, target = budget["preset"], budget["target"]
        if sys.argv[1:] and [preset, target][: len(sys.argv) - 1] != sys.argv[1:3]:
            continue
        with core_of(preset, target) as (made, core, _):
            print(f"{preset} on {target}", file=sys.stderr)
            chosen = load_target(target)
            result = implement(
                core.sources,
                mapped_top(core.record, chosen.kind),
                chosen,
                replace(Recipe.of(made.parameters), seeds=seeds, clock=clock_port(core.record)),
                tell,
            )
            record = implementation_record(core.record, result)
        record["rtl_digest"] = rtl_digest(made.files)
        (HERE / "records" / f"{preset}@{target}.json").write_text(json.dumps(record, indent=2) + "\n")
        print(
            preset,
            target,
            {
                k: record[k]
                for k in (
                    "luts",
                    "ffs",
                    "srls",
                    "gate_equivalents",
                    "fmax_mhz",
                    "throughput_gbps",
                    "runtime_s",
                    "fmax_by_seed",
                )
            },
            flush=True,
        )
    write_pages()


if __name__ == "__main__":
    main()
