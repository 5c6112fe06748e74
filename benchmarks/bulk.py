"""Simulation in bulk: blocks a second on one processor, and the processor time to the first block of a
core that was never run; or many random blocks against the independent libraries, kept as a record. Times
are the machine's, so nothing is asserted of them.

Usage: python benchmarks/bulk.py [PRESET ...]                   speed
       python benchmarks/bulk.py --random N [PRESET ...]        N random blocks (1e9 will do), into
           benchmarks/random_blocks.json

The record names the text that was run (`rtl_digest`) and the netlist that it maps to (`netlist_digest`, on
`target`): it is of the emitted core as long as that maps to the same netlist (tests/target/test_budgets.py).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from cipherwright.flow import build
from cipherwright.progress import Tell
from cipherwright.shell import rtl_digest, save
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise
from cipherwright.tools import scratch
from cipherwright.verify import Bulk, CoreFolder, openssl_version, oracle_name, oracle_of, random_blocks

SPEED = ("des-fast", "aes128-fast", "aes-small", "khazad-fast", "misty1-fast", "tdes-fast", "mars-fast")
CIPHERS = (
    "aes128-fast",
    "des-fast",
    "tdes-fast",
    "khazad-fast",
    "misty1-fast",
    "mars-fast",
    "rijndael256-fast",
    "sm4-fast",
    "camellia-fast",
)
RECORD = Path(__file__).parent / "random_blocks.json"
_SECONDS = 3.0


def compiled(preset: str, folder: Path) -> tuple[CoreFolder, Bulk]:
    save(build(load(preset), {"preset": preset}), folder)
    core = CoreFolder.open(folder)
    return core, Bulk.compile(core.sources, core.record)


def blocks_per_second(preset: str) -> float:
    """Processor time of this process, blocks and results by the piece, as the command line has them."""
    with tempfile.TemporaryDirectory() as d:
        core, bulk = compiled(preset, Path(d) / "core")
        p = core.record["parameters"]
        data, key = (
            np.random.default_rng(1).bytes(p["block_bits"] // 8 << 16),
            bytes(range(p["key_bits"] // 8)),
        )
        bulk.crypt_bulk(key, p["direction"] == "decrypt", data)
        runs, began = 0, time.process_time()
        while time.process_time() - began < _SECONDS:
            bulk.crypt_bulk(key, p["direction"] == "decrypt", data)
            runs += 1
        return (runs << 16) / (time.process_time() - began)


def first_block(preset: str) -> float:
    """Processor time of `cipherwright encrypt` of one block, all of its tools included, with an empty
    cache.
    """
    spec = load(preset)
    with tempfile.TemporaryDirectory() as d:
        given, out = Path(d) / "given", Path(d) / "out"
        given.write_bytes(bytes(spec.block_bits // 8))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [
            sys.executable,
            "-m",
            "cipherwright.cli",
            "encrypt",
            preset,
            str(given),
            str(out),
            "--key",
            "00" * (spec.key_bits // 8),
        ]
        subprocess.run(
            command,
            check=True,
            env={**os.environ, "CIPHERWRIGHT_CACHE": d + "/cache"},
            stderr=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _netlist_digest(core: CoreFolder) -> str:
    """The digest of the netlist that a core maps to on its own target."""
    with scratch() as out:
        target, options = load_target(core.record["parameters"]["target"]), core.record["parameters"]
        return synthesise(core.sources, core.record["top"], target, out, options["mapping"]).digest


def random_record(preset: str, blocks: int, tell: Tell) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as d:
        core, bulk = compiled(preset, Path(d) / "core")
        p = core.record["parameters"]
        found = random_blocks(bulk, p, blocks, tell)
        library = oracle_name(oracle_of(p))
        version = openssl_version() if library == "OpenSSL" else library
        return {
            "cipher": p["cipher"],
            "blocks": blocks,
            "mismatches": 0,
            "result": found,
            "library": version,
            "rtl_digest": rtl_digest({path.name: path.read_text() for path in core.sources}),
            "netlist_digest": _netlist_digest(core),
            "target": core.record["parameters"]["target"],
        }


def main() -> None:
    args = sys.argv[1:]
    if args[:1] == ["--random"]:
        for preset in args[2:] or CIPHERS:
            last = [time.monotonic()]

            def tell(
                text: str, fraction: float | None = None, preset: str = preset, last: list[float] = last
            ) -> None:
                if time.monotonic() - last[0] > 60:
                    last[0] = time.monotonic()
                    print(f"{preset}: {text}: {fraction or 0:.0%}", file=sys.stderr, flush=True)

            made = random_record(preset, int(float(args[1])), tell)
            records = json.loads(RECORD.read_text()) if RECORD.exists() else {}
            RECORD.write_text(json.dumps({**records, preset: made}, indent=2, sort_keys=True) + "\n")
            print(f"{preset}: {made['result']}", flush=True)
        return
    for preset in args or SPEED:
        print(
            (
                f"{preset}: {first_block(preset):.1f} s of processor time to the first block, "
                f"{blocks_per_second(preset) / 1e6:.1f} million blocks/s"
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
