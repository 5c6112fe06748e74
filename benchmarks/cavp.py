"""Run NIST's vectors of GCM, CCM, XTS and CMAC through the emitted RTL; counts go to benchmarks/cavp.json.

Usage: python benchmarks/cavp.py [gcm-loop|gcm-pipeline|ccm|xts|cmac] [--check]

Of GCM, CCM and XTS these are the CAVP files, of CMAC the examples of SP 800-38B, which are all that the
package cryptography-vectors has. Every case of GCM, and every case of XTS whose unit is a number of bytes,
runs on a core of AES with the key's length. The package has no files of GMAC: its cases are those without
a text.

A core of GCM makes and compares tags of one length. `gcm-loop` builds the small core for every length of
key and tag, `gcm-pipeline` a pipeline for each, and every case runs on the core with its lengths.
Pipelines have 12 or 16 stages with small boxes, which simulate fast; the modes are those of the presets.
CCM runs on its preset, with every length of key, nonce and tag. CMAC runs on the presets, with the key's
length. What is named is run alone. `--check` runs nothing: it compares the record's counts with the files.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cipherwright.cipher.gcm import TAG_BITS
from cipherwright.flow import generate
from cipherwright.shell import save
from cipherwright.spec import load
from cipherwright.verify import CcmBench, CoreFolder, MacBench, PacketBench, UnitBench
from tests import cavp_ccm, cavp_cmac, cavp_gcm, cavp_xts

RECORD = Path(__file__).resolve().parent / "cavp.json"
SIZES = (128, 256)
GCM_SIZES = (128, 192, 256)
"""Lengths of keys."""
GCM_CHANGES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=16", "linear_depth=0")
GCM_CORES: dict[str, tuple[str, ...]] = {
    "gcm-loop": ("aes-gcm-small", "iv_bits=any"),
    "gcm-pipeline": ("aes128-gcm", "iv_bits=any", *GCM_CHANGES),
}
XTS_CHANGES = (
    *("sbox=boyar_peralta", "fuse_linear=false", "stages=12", "linear_depth=0", "hops=[]"),
    "direction=both",
)


@contextmanager
def folder_of(preset: str, changes: Sequence[str]) -> Iterator[CoreFolder]:
    """The folder of a core, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as d:
        save(generate(load(preset, changes), {"preset": preset}), Path(d) / "core")
        yield CoreFolder.open(Path(d) / "core")


def run_gcm(kind: str, key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through the cores of a kind."""
    preset, *changes = GCM_CORES[kind]
    found = {way: Counter[str]() for way in cavp_gcm.FILES}
    for tag_bits in TAG_BITS:
        with folder_of(preset, [*changes, f"key_bits={key_bits}", f"tag_bits={tag_bits}"]) as folder:
            bench = PacketBench.compile(folder.sources, folder.record)
            for way, counts in found.items():
                counts += cavp_gcm.run_cases(bench, of_core(key_bits, way, tag_bits))
        print(f"{kind}: keys of {key_bits} bits, tags of {tag_bits} bits: done", flush=True)
    for way, file in cavp_gcm.FILES.items():
        yield told(file, key_bits, found[way])


def of_core(key_bits: int, way: str, tag_bits: int) -> Iterator[cavp_gcm.Case]:
    """The cases of a file for a core with tags of a length: those with such a tag."""
    return (case for case in cavp_gcm.cases(key_bits, way) if 8 * len(case.tag) == tag_bits)


def run_xts(key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through a core."""
    with folder_of("aes128-xts", [*XTS_CHANGES, f"key_bits={key_bits}"]) as folder:
        bench = UnitBench.compile(folder.sources, folder.record)
        for given, file in cavp_xts.FILES.items():
            yield told(file, key_bits, cavp_xts.run_cases(bench, cavp_xts.cases(key_bits, given)))


CCM_PRESET = "aes128-ccm-small"
CCM_SIZES = (128, 192, 256)
"""Bits of the keys whose files are run."""


def run_ccm(key_bits: int) -> Iterator[dict[str, Any]]:
    """All files of a key's length, through a core for every length of nonce and tag."""
    counts = {file: Counter[str]() for file in cavp_ccm.FILES}
    for nonce, tag in cavp_ccm.kinds(key_bits):
        changes = [f"nonce_bytes={nonce}", f"tag_bits={8 * tag}", f"key_bits={key_bits}", "name=cavp"]
        with folder_of(CCM_PRESET, changes) as folder:
            bench = CcmBench.compile(folder.sources, folder.record)
            for file, found in counts.items():
                found += cavp_ccm.run_cases(bench, cavp_ccm.cases(key_bits, file))
    for file, found in counts.items():
        yield told(file, key_bits, found)


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
    for kind, size in product(GCM_CORES, GCM_SIZES):
        for way, file in cavp_gcm.FILES.items():
            whys = (cavp_gcm.why_left_out(c, len(c.tag), any_iv=True) for c in cavp_gcm.cases(size, way))
            found[f"{kind}: {file.format(size)}"] = run_or_left(whys)
    for size in SIZES:
        for given, file in cavp_xts.FILES.items():
            whys = (cavp_xts.why_left_out(c) for c in cavp_xts.cases(size, given))
            found[file.format(size)] = run_or_left(whys)
    for size, file in product(CCM_SIZES, cavp_ccm.FILES):
        found[file.format(size)] = Counter("run" for _ in cavp_ccm.cases(size, file))
    for of, file in cavp_cmac.FILES.items():
        found[file] = Counter("run" for _ in cavp_cmac.cases(*of))
    return found


def run_or_left(whys: Iterable[str]) -> Counter[str]:
    """How many cases are run, and how many are left out and why. whys: why each is left out, or nothing."""
    return Counter(f"left out: {why}" if why else "run" for why in whys)


def consistent() -> bool:
    """Whether the record accounts for every case of every file."""
    record = json.loads(RECORD.read_text())
    if record["cryptography-vectors"] != metadata.version("cryptography-vectors"):
        return False
    said: dict[str, Counter[str]] = {}
    files = [(mode, f) for mode in (*GCM_CORES, "ccm", "xts", "cmac") for f in record[mode]["files"]]
    for mode, f in files:
        name = f"{mode}: {f['file']}" if mode in GCM_CORES else f["file"]
        counts = said.setdefault(name, Counter())
        for what, number in f["cases"].items():
            counts[what if what.startswith("left out") else "run"] += number
    return said == expected()


def main() -> None:
    if "--check" in sys.argv[1:]:
        sys.exit(0 if consistent() else "benchmarks/cavp.json is of other files: run benchmarks/cavp.py")
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or [*GCM_CORES, "ccm", "xts", "cmac"]
    record: dict[str, Any] = json.loads(RECORD.read_text())
    record["cryptography-vectors"] = metadata.version("cryptography-vectors")
    for kind, core in GCM_CORES.items():
        if kind in chosen:
            files = [found for size in GCM_SIZES for found in run_gcm(kind, size)]
            record[kind] = {"core": list(core), "tag_bits": list(TAG_BITS), "files": files}
    if "ccm" in chosen:
        files = [found for size in CCM_SIZES for found in run_ccm(size)]
        record["ccm"] = {"core": [CCM_PRESET], "files": files}
    if "xts" in chosen:
        files = [found for size in SIZES for found in run_xts(size)]
        record["xts"] = {"core": ["aes128-xts", *XTS_CHANGES], "files": files}
    if "cmac" in chosen:
        files = [run_cmac(*kind) for kind in cavp_cmac.FILES]
        record["cmac"] = {"core": list(MAC_PRESETS.values()), "files": files}
    order = ("cryptography-vectors", *GCM_CORES, "xts", "cmac", "ccm")
    kept = {name: record[name] for name in order if name in record}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
