"""Iterated known answers through the evaluated netlist of emitted cores: every block is the result before.

Usage: python benchmarks/iterated.py [PRESET ...]       (sm4-fast where nothing is named)

Prints one line a vector, and exits with 1 where an answer is not met. A million encryptions in a row take
some minutes: a core's netlist is evaluated for many blocks at once, and here there is one.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from cipherwright.flow import build
from cipherwright.shell import save
from cipherwright.spec import load
from cipherwright.verify import Bulk, CoreFolder
from cipherwright.verify.montecarlo import dependent_blocks
from cipherwright.verify.vectors import own_vectors


def main() -> None:
    wrong = 0
    for preset in sys.argv[1:] or ["sm4-fast"]:
        with tempfile.TemporaryDirectory() as d:
            save(build(load(preset), {"preset": preset}), Path(d) / "core")
            core = CoreFolder.open(Path(d) / "core")
            bulk, p = Bulk.compile(core.sources, core.record), core.record["parameters"]
            for v in own_vectors(p["cipher"]):
                if v.iterations == 1 or 8 * len(v.key) != p["key_bits"]:
                    continue
                began, way = time.process_time(), int(p["direction"] == "decrypt")
                key, given, want = (
                    np.frombuffer(x, dtype=np.uint8).reshape(1, -1)
                    for x in (v.key, *((v.ct, v.pt) if way else (v.pt, v.ct)))
                )
                right = (dependent_blocks(bulk, key, way, given, None, v.iterations) == want).all()
                wrong += not right
                took = time.process_time() - began
                said = "met" if right else "NOT MET"
                print(f"{preset}: {v.iterations} in a row, {v.source}: {said} ({took:.0f} s)")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
