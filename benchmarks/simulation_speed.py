"""Blocks a second through the simulated hardware: 4 MiB under one key on all processors. Wall-clock, so nothing is asserted.

Usage: python benchmarks/simulation_speed.py [PRESET ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from cipherwright.pipeline import build
from cipherwright.spec import load, preset_names
from cipherwright.verify import Bench, CoreFolder
from cipherwright.wrap import save


def main() -> None:
    for preset in sys.argv[1:] or preset_names():
        with tempfile.TemporaryDirectory() as d:
            save(build(load(preset)), Path(d) / "core")
            core = CoreFolder.open(Path(d) / "core")
            bench = Bench.compile(core.sources, core.record)
            data = bytes(4 << 20)
            key = bytes(core.record["parameters"]["key_bits"] // 8)
            began = time.perf_counter()
            bench.crypt_bulk(key, False, data)
            print(f"{preset}: {len(data) / 8 / (time.perf_counter() - began):,.0f} blocks/s", flush=True)


if __name__ == "__main__":
    main()
