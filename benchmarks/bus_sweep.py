"""AXI-Stream over idle pattern x back-pressure x length x width, by cocotbext-axi; benchmarks/bus_sweep.json.

Usage: python benchmarks/bus_sweep.py [NUMBER...]

NUMBER: of cores in CORES; all if none is given. Every core takes a message of each length from 1 to LONGEST
bytes, and half as many of a random length up to five times that, under each pair of patterns. Data, TKEEP,
TLAST, TUSER and TID of each result are compared, and results stay until they are taken. The bench is that of
the tests (tests/shell/cocotb_axi_stream.py), in Icarus Verilog.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import core_of

from cipherwright.shell import rtl_digest
from tests.shell.test_stream import on_icarus

RECORD = Path(__file__).resolve().parent / "bus_sweep.json"
TARGET = "ecp5-85k-8"
LONGEST = 32
BUS = "interface=axi-stream"
PIPELINE = ("architecture=pipelined", "stages=16", "key=agile")
CORES = (
    *(("des-small", BUS, f"tdata_bits={bits}", "tid_bits=3") for bits in (32, 64, 128, 256, 512)),
    *(("des-small", BUS, "mode=cfb", "direction=encrypt", f"tdata_bits={bits}") for bits in (32, 64, 256)),
    *(("des-small", *PIPELINE, BUS, f"tdata_bits={bits}") for bits in (32, 64, 256)),
    ("aes-small", BUS, "tdata_bits=128", "tid_bits=3"),
)
"""A loop with whole blocks, one with messages of any length, and a pipeline whose FIFO is in block RAM:
narrower than a block, as wide, and wider; a loop with nothing in front of it.
"""


def swept(variant: tuple[str, ...]) -> dict[str, Any]:
    """One core under all patterns: tests, failed ones, and messages in each."""
    began = time.monotonic()
    with core_of(variant[0], TARGET, variant[1:]) as (core, folder, _), tempfile.TemporaryDirectory() as d:
        p = folder.record["parameters"]
        env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8)}
        env |= {"SWEEP": str(LONGEST), "COCOTB_TEST_FILTER": "packets", "COCOTB_LOG_LEVEL": "ERROR"}
        tests, failed = on_icarus(
            folder.sources, folder.record["top"], "tests.shell.cocotb_axi_stream", Path(d), env
        )
        return {
            "patterns": tests,
            "failed": failed,
            "messages": LONGEST + LONGEST // 2,
            "verilog": rtl_digest(core.files),
            "runtime_s": round(time.monotonic() - began, 1),
        }


def main() -> None:
    for k in [int(word) for word in sys.argv[1:]] or range(len(CORES)):
        found = swept(CORES[k])
        record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
        record[" ".join(CORES[k])] = found
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
        print(" ".join(CORES[k]), found, flush=True)


if __name__ == "__main__":
    main()
