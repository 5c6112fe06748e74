"""Run NIST's CAVP vectors of GCM through the emitted RTL, and write counts to benchmarks/cavp.json.

Usage: python benchmarks/cavp.py [--check]

Every case with an IV of 96 bits runs on a core of AES with the key's length (a pipeline of 14 stages with
small boxes, which simulates fast; mode, GHASH and tags are those of the presets). A core compares tags of one
length, here 128 bits; encryption is compared with the first bytes of its tag. `--check` runs nothing: it
compares the record's counts with the files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cipherwright.flow import generate
from cipherwright.shell import save
from cipherwright.spec import load
from cipherwright.verify import CoreFolder, PacketBench
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out

RECORD = Path(__file__).resolve().parent / "cavp.json"
SIZES = (128, 256)
CHANGES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=14", "linear_depth=0")


def counted(key_bits: int, way: str) -> dict[str, int]:
    """How many cases a file has that are run, and that are left out and why."""
    whys = (why_left_out(c, 16) for c in cases(key_bits, way))
    found = Counter(f"left out: {why}" if why else "run" for why in whys)
    return dict(sorted(found.items()))


def run(key_bits: int) -> list[dict[str, object]]:
    """Both files of a key's length through a core."""
    changes = [*CHANGES, f"key_bits={key_bits}"]
    made = generate(load("aes128-gcm", changes), {"preset": "aes128-gcm"})
    with tempfile.TemporaryDirectory() as d:
        save(made, Path(d) / "core")
        folder = CoreFolder.open(Path(d) / "core")
        bench = PacketBench.compile(folder.sources, folder.record)
        out: list[dict[str, object]] = []
        for way, file in FILES.items():
            counts = run_cases(bench, cases(key_bits, way))
            out.append({"file": file.format(key_bits), "cases": dict(sorted(counts.items()))})
            print(json.dumps(out[-1]), flush=True)
    return out


def consistent() -> bool:
    """Whether the record accounts for every case of every file."""
    record = json.loads(RECORD.read_text())
    if record["cryptography-vectors"] != metadata.version("cryptography-vectors"):
        return False
    told = {f["file"]: f["cases"] for f in record["files"]}
    for key_bits in SIZES:
        for way, file in FILES.items():
            said = dict(told.get(file.format(key_bits), {}))
            ran = said.pop("right", 0) + said.pop("must fail, and fails", 0)
            if {**said, "run": ran} != counted(key_bits, way):
                return False
    return True


def main() -> None:
    if "--check" in sys.argv[1:]:
        sys.exit(0 if consistent() else "benchmarks/cavp.json is of other files: run benchmarks/cavp.py")
    files = [found for size in SIZES for found in run(size)]
    version = metadata.version("cryptography-vectors")
    RECORD.write_text(
        json.dumps(
            {"cryptography-vectors": version, "core": ["aes128-gcm", *CHANGES], "files": files}, indent=1
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
