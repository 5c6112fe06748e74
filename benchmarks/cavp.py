"""Run NIST's vectors of GCM, CCM, XTS and CMAC through the emitted RTL; counts go to benchmarks/cavp.json.

Usage: python benchmarks/cavp.py [gcm-loop|gcm-pipeline|ccm|xts|xts-loop|cmac] [--check|--digests]

Of GCM, CCM and XTS these are the CAVP files, of CMAC the examples of SP 800-38B, which are all that the
package cryptography-vectors has. Every case of GCM, and every case of XTS whose unit is a number of bytes,
runs on a core of AES with the key's length. The package has no files of GMAC: its cases are those without
a text.

A core of GCM makes and compares tags of one length. `gcm-loop` builds the small core for every length of
key and tag, `gcm-pipeline` a pipeline for each, and every case runs on the core with its lengths.
Pipelines have 12 or 16 stages with small boxes, which simulate fast; the modes are those of the presets.
CCM runs on its preset, with every length of key, nonce and tag. CMAC runs on the presets, with the key's
length. XTS runs on a pipeline of both directions, and on the preset around a loop. What is named is run
alone. `--check` runs nothing: it compares the record's counts with the files. `--digests` runs nothing, too:
it builds all cores again, and tells which are not those of the record. A record's digest is that of the RTL
of all cores that a key's length needs.
"""

from __future__ import annotations

import hashlib
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
from cipherwright.shell import BuiltEngine, Core, rtl_digest, save
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
XTS_CORES: dict[str, tuple[str, ...]] = {
    "xts": ("aes128-xts", *XTS_CHANGES),
    "xts-loop": ("aes128-xts-small",),
}
CCM_PRESET = "aes128-ccm-small"
CCM_SIZES = (128, 192, 256)
"""Bits of the keys whose files are run."""
MAC_PRESETS = {"aes": "aes128-cmac-small", "tdes": "tdes-cmac-small"}
KINDS = (*GCM_CORES, *XTS_CORES, "cmac", "ccm")
"""What is run, in the order of the record."""

Wanted = tuple[str, Sequence[str]]
"""A preset, and the options of it that are others."""


def built(wanted: Wanted) -> Core | BuiltEngine:
    """The core of a preset with other options."""
    preset, changes = wanted
    return generate(load(preset, changes), {"preset": preset})


@contextmanager
def folder_of(wanted: Wanted) -> Iterator[CoreFolder]:
    """The folder of a core, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as d:
        save(built(wanted), Path(d) / "core")
        yield CoreFolder.open(Path(d) / "core")


def cores_of(kind: str, key_bits: int, cipher: str = "aes") -> list[Wanted]:
    """The cores that the files of a key's length need. cipher: of a CMAC."""
    size = f"key_bits={key_bits}"
    if kind in GCM_CORES:
        preset, *changes = GCM_CORES[kind]
        return [(preset, [*changes, size, f"tag_bits={tag}"]) for tag in TAG_BITS]
    if kind in XTS_CORES:
        preset, *changes = XTS_CORES[kind]
        return [(preset, [*changes, size])]
    if kind == "cmac":
        return [(MAC_PRESETS[cipher], [size])]
    return [
        (CCM_PRESET, [f"nonce_bytes={nonce}", f"tag_bits={8 * tag}", size, "name=cavp"])
        for nonce, tag in cavp_ccm.kinds(key_bits)
    ]


def digest_of(kind: str, key_bits: int, cipher: str = "aes") -> str:
    """One SHA-256 over the RTL of the cores that the files of a key's length need. cipher: of a CMAC."""
    digests = [rtl_digest(built(wanted).files) for wanted in cores_of(kind, key_bits, cipher)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def run_gcm(kind: str, key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through the cores of a kind."""
    found = {way: Counter[str]() for way in cavp_gcm.FILES}
    for tag_bits, wanted in zip(TAG_BITS, cores_of(kind, key_bits), strict=True):
        with folder_of(wanted) as folder:
            bench = PacketBench.compile(folder.sources, folder.record)
            for way, counts in found.items():
                counts += cavp_gcm.run_cases(bench, of_core(key_bits, way, tag_bits))
        print(f"{kind}: keys of {key_bits} bits, tags of {tag_bits} bits: done", flush=True)
    for way, file in cavp_gcm.FILES.items():
        yield told(file, key_bits, found[way])


def of_core(key_bits: int, way: str, tag_bits: int) -> Iterator[cavp_gcm.Case]:
    """The cases of a file for a core with tags of a length: those with such a tag."""
    return (case for case in cavp_gcm.cases(key_bits, way) if 8 * len(case.tag) == tag_bits)


def run_xts(kind: str, key_bits: int) -> Iterator[dict[str, Any]]:
    """Both files of a key's length through a core of a kind."""
    with folder_of(*cores_of(kind, key_bits)) as folder:
        bench = UnitBench.compile(folder.sources, folder.record)
        for given, file in cavp_xts.FILES.items():
            yield told(file, key_bits, cavp_xts.run_cases(bench, cavp_xts.cases(key_bits, given)))


def run_ccm(key_bits: int) -> Iterator[dict[str, Any]]:
    """All files of a key's length, through a core for every length of nonce and tag."""
    counts = {file: Counter[str]() for file in cavp_ccm.FILES}
    for wanted in cores_of("ccm", key_bits):
        with folder_of(wanted) as folder:
            bench = CcmBench.compile(folder.sources, folder.record)
            for file, found in counts.items():
                found += cavp_ccm.run_cases(bench, cavp_ccm.cases(key_bits, file))
    for file, found in counts.items():
        yield told(file, key_bits, found)


def run_cmac(cipher: str, key_bits: int) -> dict[str, Any]:
    """The file of a cipher and a key's length through a core."""
    with folder_of(*cores_of("cmac", key_bits, cipher)) as folder:
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
    for kind, size in product(XTS_CORES, SIZES):
        for given, file in cavp_xts.FILES.items():
            whys = (cavp_xts.why_left_out(c) for c in cavp_xts.cases(size, given))
            found[f"{kind}: {file.format(size)}"] = run_or_left(whys)
    for size, file in product(CCM_SIZES, cavp_ccm.FILES):
        found[f"ccm: {file.format(size)}"] = Counter("run" for _ in cavp_ccm.cases(size, file))
    for of, file in cavp_cmac.FILES.items():
        found[f"cmac: {file}"] = Counter("run" for _ in cavp_cmac.cases(*of))
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
    for kind, file in ((k, f) for k in KINDS for f in record[k]["files"]):
        counts = said.setdefault(f"{kind}: {file['file']}", Counter())
        for what, number in file["cases"].items():
            counts[what if what.startswith("left out") else "run"] += number
    return said == expected()


def keys_of(kind: str) -> list[tuple[int, str]]:
    """Lengths of keys, each with its cipher, in the order of the record's digests."""
    if kind == "cmac":
        return [(size, cipher) for cipher, size in cavp_cmac.FILES]
    return [(size, "aes") for size in (SIZES if kind in XTS_CORES else GCM_SIZES)]


def run(kind: str) -> dict[str, Any]:
    """The record of a kind, newly measured."""
    files = list[dict[str, Any]]()
    for size, cipher in keys_of(kind):
        if kind == "cmac":
            files.append(run_cmac(cipher, size))
        elif kind == "ccm":
            files += run_ccm(size)
        else:
            files += (run_gcm if kind in GCM_CORES else run_xts)(kind, size)
    said: dict[str, Any] = {"core": list(MAC_PRESETS.values()) if kind == "cmac" else [CCM_PRESET]}
    if kind in GCM_CORES:
        said = {"core": list(GCM_CORES[kind]), "tag_bits": list(TAG_BITS)}
    elif kind in XTS_CORES:
        said = {"core": list(XTS_CORES[kind])}
    return {**said, "rtl_digests": digests_of(kind), "files": files}


def digests_of(kind: str) -> list[str]:
    """The digest of the cores of each length of key."""
    return [digest_of(kind, size, cipher) for size, cipher in keys_of(kind)]


def of_other_rtl(chosen: Sequence[str]) -> list[str]:
    """What in the record ran on other RTL than is made today, or has no digest."""
    record = json.loads(RECORD.read_text())
    return [kind for kind in chosen if record.get(kind, {}).get("rtl_digests") != digests_of(kind)]


def main() -> None:
    if "--check" in sys.argv[1:]:
        sys.exit(0 if consistent() else "benchmarks/cavp.json is of other files: run benchmarks/cavp.py")
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or list(KINDS)
    if "--digests" in sys.argv[1:]:
        others = of_other_rtl(chosen)
        sys.exit(f"of other RTL: {', '.join(others)}" if others else 0)
    for kind in chosen:
        made = run(kind)
        record: dict[str, Any] = json.loads(RECORD.read_text())
        record[kind] = made
        record["cryptography-vectors"] = metadata.version("cryptography-vectors")
        order = ("cryptography-vectors", *KINDS)
        kept = {name: record[name] for name in order if name in record}
        RECORD.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
