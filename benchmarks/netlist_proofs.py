"""Prove the mapped netlist of presets equal to the emitted text and write
benchmarks/records/netlist-proofs.json (entries of other presets stay).

Usage: python benchmarks/netlist_proofs.py [--placed] [PRESET [TARGET]]     (all budgets on devices where
    nothing is named) --placed: place and route with seed 1 too and prove that netlist. Without it
    synthesis takes nearly all of the time. Place and route by
`cipherwright implement` and benchmarks/measure.py proves both by default; this is for a quick look at all
presets.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from building import core_of

from cipherwright.report import clock_port
from cipherwright.target import load_target, synthesise
from cipherwright.target.lanes import place_lanes
from cipherwright.target.netlist_proof import emitted, prove_mapped, prove_routed
from cipherwright.target.place import place
from cipherwright.verify.mapped import Unknown

HERE = Path(__file__).resolve().parent
RECORD = HERE / "records" / "netlist-proofs.json"


def proven(preset: str, target_name: str, placed: bool) -> dict[str, Any]:
    """The entry of one preset: what was shown or why it was not, what became of registers, seconds of the
    proof and of synthesis.
    """
    target = load_target(target_name)
    with core_of(preset, target_name) as (made, core, out):
        start = time.monotonic()
        mapped = synthesise(core.sources, made.top, target, out, made.parameters["mapping"])
        synthesis, clock = time.monotonic() - start, clock_port(core.record)
        entry: dict[str, Any] = {
            "netlist_digest": mapped.digest,
            "luts": mapped.luts,
            "ffs": mapped.ffs,
            "synthesis_s": round(synthesis, 1),
        }
        start = time.monotonic()
        try:
            found = prove_mapped(out, emitted(core.sources, made.top, clock), made.top, clock)
            entry |= {
                "mapped": found.statement,
                "merged": found.merged,
                "constant": found.constant,
                "removed": found.removed,
            }
        except Unknown as e:
            entry["mapped"] = f"not checked: {e}"
        entry["proof_s"] = round(time.monotonic() - start, 1)
        if placed:
            netlist = place_lanes(out, target, 1, made.parameters["placer_weight"], lambda *text: None)
            place(
                out,
                target,
                1,
                made.parameters["placer_weight"],
                netlist,
                keep=True,
                placer=made.parameters["placer"],
            )
            start = time.monotonic()
            entry["routed"] = prove_routed(out, out / "routed1.json", clock).statement
            entry["routed_proof_s"] = round(time.monotonic() - start, 1)
    return entry


def main() -> None:
    words = [w for w in sys.argv[1:] if w != "--placed"]
    for budget in tomllib.loads((HERE / "budgets.toml").read_text())["budget"]:
        preset, target = budget["preset"], budget["target"]
        if (words and [preset, target][: len(words)] != words) or load_target(target).kind == "cells":
            continue
        entry = proven(preset, target, "--placed" in sys.argv)
        print(
            preset,
            target,
            {k: v if isinstance(v, str) else len(v) if isinstance(v, tuple) else v for k, v in entry.items()},
            flush=True,
        )
        known = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        RECORD.write_text(
            json.dumps(dict(sorted((known | {f"{preset}@{target}": entry}).items())), indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
