"""A file through the simulated core with a new key and a new direction in every cycle, compared with OpenSSL.

Usage: python examples/agile_file.py CORE FILE
"""

import sys
import time
from pathlib import Path

import numpy as np

from cipherwright.verify import Bench, CoreFolder, oracle_blocks

core = CoreFolder.open(Path(sys.argv[1]))
bench = Bench.compile(core.sources, core.record)
blocks = np.frombuffer(Path(sys.argv[2]).read_bytes(), dtype=np.uint8).reshape(-1, 8)
random = np.random.default_rng(7)
keys = random.integers(0, 256, (len(blocks), core.record["parameters"]["key_bits"] // 8), dtype=np.uint8)
directions = random.integers(0, 2, len(blocks), dtype=np.uint8)
began = time.perf_counter()
traffic = bench.crypt(keys, directions, blocks)
rate = len(blocks) / (time.perf_counter() - began)
expected = oracle_blocks(core.record["parameters"]["cipher"], keys, directions, blocks)
assert (traffic.blocks == expected).all(), "a block differs from OpenSSL"
dead = bench.interval == 1 and (np.diff(traffic.delivered) != 1).any()
assert not dead, "a cycle without a block"
pace = "no dead cycle" if bench.interval == 1 else f"one every {bench.interval} cycles"
print(
    f"   {len(blocks)} blocks, each with its own key and direction, {pace}, all equal to OpenSSL "
    f"({rate:,.0f} blocks/s simulated)"
)
