"""What the fabric allows: pipelines that compute nothing useful, one kind of stage each, placed and routed.

The record stands beside the delay entries of target/data. Usage: python benchmarks/fabric.py [TARGET]
Writes benchmarks/records/fabric-TARGET.json (best of seeds 1-3, MHz).
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from cipherwright.graph import Graph, GraphBuilder
from cipherwright.rtl import lower, print_design
from cipherwright.schedule import UNIT, schedule
from cipherwright.target import implement, load_target

STAGES, WIDTH = 12, 64


def pipeline(kind: str) -> Graph:
    """`permutation`; `lut4`, `lut5`, `lut6` with random wiring; `lut4 bytes`: wiring inside bytes; `two
    lut4`: two levels a stage.
    """
    r, b = random.Random(kind), GraphBuilder("fabric")
    x = b.input("x", WIDTH)
    levels = 2 if kind.startswith("two") else 1
    inputs = int(kind[-1]) if kind[-1].isdigit() else 4
    for stage in range(STAGES):
        if kind == "permutation":
            order = list(range(WIDTH))
            r.shuffle(order)
            x = b.node("hop", WIDTH, (b.select(x, order),), stage)
            continue
        for _ in range(levels):
            span = 8 if "bytes" in kind else WIDTH
            lanes = [
                [r.randrange(k - k % span, k - k % span + span) for _ in range(inputs - 1)] + [k]
                for k in range(WIDTH)
            ]
            words = [b.select(x, [lanes[k][j] for k in reversed(range(WIDTH))]) for j in range(inputs)]
            x = b.lut(sum((a.bit_count() & 1 if a % 3 else a & 1) << a for a in range(1 << inputs)), *words)
    b.output("y", x)
    return b.build()


def main() -> None:
    target = load_target(sys.argv[1] if len(sys.argv) > 1 else "ecp5-85k-8")
    found: dict[str, float | None] = {}
    for kind in ("permutation", "lut4", "lut4 bytes", "lut5", "lut6", "two lut4"):
        g = pipeline(kind)
        levels = 2 if kind.startswith("two") else 1
        stages = STAGES + 1 if kind == "permutation" else STAGES
        design = lower(schedule(g, UNIT, stages=stages, period=float(levels)), "fabric")
        with tempfile.TemporaryDirectory() as d:
            path = Path(d) / "fabric.v"
            path.write_text(print_design(design))
            found[kind] = implement([path], "fabric", target).fmax_mhz
        print(kind, found[kind], flush=True)
        out = Path(__file__).resolve().parent / "records" / f"fabric-{target.name}.json"
        out.write_text(
            json.dumps(
                {"target": target.name, "stages": STAGES, "width": WIDTH, "placer_weight": 200, "mhz": found},
                indent=2,
            )
            + "\n"
        )


if __name__ == "__main__":
    main()
