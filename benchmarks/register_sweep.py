"""Register buses over idle pattern x access pattern x length, by cocotbext; benchmarks/register_sweep.json.

Usage: python benchmarks/register_sweep.py [NUMBER...]

NUMBER: of cores in CORES; all if none is given. Every core takes a message of each length from 1 to LONGEST
blocks and as many of random lengths, in each direction that it has, under each pair of patterns: accesses
with no, one, some or many idle cycles between them; words in order or reversed, the status read or other
registers read and written between them. The bench is tests/shell/cocotb_register_sweep.py, in Icarus Verilog.
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

from cipherwright.shell import Core, rtl_digest
from tests.shell.test_stream import on_icarus

RECORD = Path(__file__).resolve().parent / "register_sweep.json"
TARGET = "ecp5-85k-8"
LONGEST = 4
BUSES = ("control=axi-lite", "control=apb", "control=wishbone")
CORES = (
    *(("des-small", "interface=registers", bus) for bus in BUSES),
    *(("des-small", "interface=registers", "mode=cbc", bus) for bus in BUSES),
    *(("des-small", "interface=axi-stream", "mode=ctr", bus) for bus in BUSES),
)
"""Blocks in registers, without and with an initial value, and a stream beside the registers."""


def swept(variant: tuple[str, ...]) -> dict[str, Any]:
    """One core under all patterns: tests, failed ones, and messages in each."""
    began = time.monotonic()
    with core_of(variant[0], TARGET, variant[1:]) as (core, folder, _), tempfile.TemporaryDirectory() as d:
        assert isinstance(core, Core)
        p = folder.record["parameters"]
        env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8)}
        env |= {"CONTROL": p["control"], "MAP": core.files[f"{core.top}.rdl"], "SWEEP": str(LONGEST)}
        env["AWAITED"] = "KEY IV" if folder.record["bus"]["ports"].get("iv_valid") else "KEY"
        env["COCOTB_LOG_LEVEL"] = "ERROR"
        tests, failed = on_icarus(folder.sources, core.top, "tests.shell.cocotb_register_sweep", Path(d), env)
        return {
            "patterns": tests,
            "failed": failed,
            "lengths": 2 * LONGEST,
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
