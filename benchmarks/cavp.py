"""Run NIST's vectors of GCM, XTS and CMAC through the emitted RTL, and write counts to benchmarks/cavp.json.

Usage: python benchmarks/cavp.py [gcm|xts|cmac] [--check]

Of GCM and XTS these are the CAVP files, of CMAC the examples of SP 800-38B, which are all that the package
cryptography-vectors has. Every case of GCM with an IV of 96 bits, and every case of XTS whose unit is a
number of bytes, runs on a core of AES with the key's length (a pipeline of 12 or 14 stages with small boxes,
which simulates fast; the modes are those of the presets). A core of GCM compares tags of one length, here 128
bits; encryption is compared with the first bytes of its tag. CMAC runs on the presets, with the key's length.
A mode that is named is run alone. `--check` runs nothing: it compares the record's counts with the files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cipherwright.flow import generate
from cipherwright.shell import save
from cipherwright.spec import load
from cipherwright.verify import CoreFolder, MacBench, PacketBench, UnitBench
from tests import cavp_cmac, cavp_gcm, cavp_xts

RECORD = Path(__file__).resolve().parent / "cavp.json"
SIZES = (128, 256)
CHANGES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=14", "linear_depth=0")
XTS_CHANGES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=12", "linear_depth=0", "direction=both")


@contextmanager
def folder_of(preset: str, changes: Sequence[str]) -> Iterator[CoreFolder]:
    """The folder of a core, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as d:
        save(generate(load(preset, changes), {"preset": preset}), Path(d) / "core")
        yield CoreFolder.open(Path(d) / "core")


def run_gcm(key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through a core."""
    with folder_of("aes128-gcm", [*CHANGES, f"key_bits={key_bits}"]) as folder:
        bench = PacketBench.compile(folder.sources, folder.record)
        for way, file in cavp_gcm.FILES.items():
            yield told(file, key_bits, cavp_gcm.run_cases(bench, cavp_gcm.cases(key_bits, way)))


def run_xts(key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through a core."""
    with folder_of("aes128-xts", [*XTS_CHANGES, f"key_bits={key_bits}"]) as folder:
        bench = UnitBench.compile(folder.sources, folder.record)
        for given, file in cavp_xts.FILES.items():
            yield told(file, key_bits, cavp_xts.run_cases(bench, cavp_xts.cases(key_bits, given)))


MAC_PRESETS = {"aes": "aes128-cmac-small", "tdes": "tdes-cmac-small"}


def run_cmac(cipher: str, key_bits: int) -> dict[str, Any]:
    """The file of a cipher and a key's length through a core."""
    with folder_of(MAC_PRESETS[cipher], [f"key_bits={key_bits}"]) as folder:
        bench = MacBench.compile(folder.sources, folder.record)
        found = cavp_cmac.run_cases(bench, cavp_cmac.cases(cipher, key_bits))
        return told(cavp_cmac.FILES[cipher, key_bits], key_bits, found)


def told(file: str, key_bits: int, counts: Mapping[str, int]) -> dict[str, Any]:
    """What the record says of a file."""
    found = {"file": file.format(key_bits), "cases": dict(sorted(counts.items()))}
    print(json.dumps(found), flush=True)
    return found


def expected() -> dict[str, Counter[str]]:
    """File -> how many of its cases are run, and how many are left out and why."""
    found: dict[str, Counter[str]] = {}
    for size in SIZES:
        for way, file in cavp_gcm.FILES.items():
            whys = (cavp_gcm.why_left_out(c, 16) for c in cavp_gcm.cases(size, way))
            found[file.format(size)] = Counter(f"left out: {why}" if why else "run" for why in whys)
        for given, file in cavp_xts.FILES.items():
            whys = (cavp_xts.why_left_out(c) for c in cavp_xts.cases(size, given))
            found[file.format(size)] = Counter(f"left out: {why}" if why else "run" for why in whys)
    for kind, file in cavp_cmac.FILES.items():
        found[file] = Counter("run" for _ in cavp_cmac.cases(*kind))
    return found


def consistent() -> bool:
    """Whether the record accounts for every case of every file."""
    record = json.loads(RECORD.read_text())
    if record["cryptography-vectors"] != metadata.version("cryptography-vectors"):
        return False
    said: dict[str, Counter[str]] = {}
    for f in (*record["files"], *record["xts"]["files"], *record["cmac"]["files"]):
        counts = said.setdefault(f["file"], Counter())
        for what, number in f["cases"].items():
            counts[what if what.startswith("left out") else "run"] += number
    return said == expected()


def main() -> None:
    if "--check" in sys.argv[1:]:
        sys.exit(0 if consistent() else "benchmarks/cavp.json is of other files: run benchmarks/cavp.py")
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or ["gcm", "xts", "cmac"]
    record: dict[str, Any] = json.loads(RECORD.read_text())
    record["cryptography-vectors"] = metadata.version("cryptography-vectors")
    if "gcm" in chosen:
        record["core"] = ["aes128-gcm", *CHANGES]
        record["files"] = [found for size in SIZES for found in run_gcm(size)]
    if "xts" in chosen:
        files = [found for size in SIZES for found in run_xts(size)]
        record["xts"] = {"core": ["aes128-xts", *XTS_CHANGES], "files": files}
    if "cmac" in chosen:
        files = [run_cmac(*kind) for kind in cavp_cmac.FILES]
        record["cmac"] = {"core": list(MAC_PRESETS.values()), "files": files}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
