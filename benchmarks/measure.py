"""Measure presets on their budgets' targets and write benchmarks/records/PRESET@TARGET.json.

Usage: python benchmarks/measure.py [PRESET [TARGET [SEEDS]]]     (all budgets where nothing is named;
    tdes-fast takes about 20 minutes) SEEDS, as 1 or 1,2: those of place and route, if not 1,2,3; for cores
    of which one takes that long already. SEEDS as +2: as well as those of the record, which is kept where
    its best seed stays the best. Text, netlist, tools and what places must be those of the record.
"""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from building import core_of
from status import write_pages

from cipherwright.report import clock_port, implementation_record, mapped_top
from cipherwright.shell import rtl_digest
from cipherwright.target import Recipe, Target, implement, load_target
from cipherwright.tools import digest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.recorded import HOME, without_docstrings

HERE = Path(__file__).resolve().parent
# What two records must share to be of one netlist, placed by one code and one version of the tools.
SAME = ("preset", "target", "rtl_digest", "netlist_digest", "tool_versions", "placed_by", "luts", "ffs")
PLACING = ("place", "placed", "repair", "lanes", "floorplan")
"""Modules of the room `target` that decide where cells are once a netlist is mapped."""


def placed_by(target: Target, recipe: Recipe) -> str:
    """Digest of what decides a placement beside the netlist and the tools: the code of this repository that
    places, without its docstrings, what it is told of the device `target`, and the placer of the `recipe`.
    The same netlist with another of these may have another clock.
    """
    code = [without_docstrings((HOME / "target" / f"{name}.py").read_text()) for name in PLACING]
    facts = json.dumps([target.device, target.options], sort_keys=True)
    return digest(*code, facts, target.placer(recipe.placer), str(recipe.placer_weight))


def tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}" if fraction is None else f"  {fraction:4.0%} {text}", file=sys.stderr, flush=True)


def best_of_both(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The record of the faster seed, with the clocks of all seeds of both: one netlist, other seeds."""
    other = [key for key in SAME if old.get(key) != new.get(key)]
    if other:
        raise SystemExit(f"the record is of another netlist or other tools: {', '.join(other)} differ")
    best = max(old, new, key=lambda record: float(record["fmax_mhz"]))
    return best | {"fmax_by_seed": dict(sorted((old["fmax_by_seed"] | new["fmax_by_seed"]).items()))}


def main() -> None:
    budgets = tomllib.loads((HERE / "budgets.toml").read_text())["budget"]
    wanted = sys.argv[3] if len(sys.argv) > 3 else "1,2,3"
    seeds = tuple(int(s) for s in wanted.lstrip("+").split(","))
    for budget in budgets:
        preset, target = budget["preset"], budget["target"]
        if sys.argv[1:] and [preset, target][: len(sys.argv) - 1] != sys.argv[1:3]:
            continue
        with core_of(preset, target) as (made, core, _):
            print(f"{preset} on {target}", file=sys.stderr)
            chosen = load_target(target)
            recipe = replace(Recipe.of(made.parameters), seeds=seeds, clock=clock_port(core.record))
            result = implement(core.sources, mapped_top(core.record, chosen.kind), chosen, recipe, tell)
            record = implementation_record(core.record, result)
        record["rtl_digest"] = rtl_digest(made.files)
        if chosen.kind == "place-and-route":
            record["placed_by"] = placed_by(chosen, recipe)
        path = HERE / "records" / f"{preset}@{target}.json"
        if wanted.startswith("+"):
            record = best_of_both(json.loads(path.read_text()), record)
        path.write_text(json.dumps(record, indent=2) + "\n")
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
