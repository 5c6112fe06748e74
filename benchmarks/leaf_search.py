"""Search sums of four-input functions for S7 and S9 of MISTY1 and keep them in
rewrite/sbox/data/leaves.json where they take fewer lookup tables than those that are kept.

Usage: python benchmarks/leaf_search.py S7|S9 SECONDS [SEED]
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.misty1_tables import S7_PRODUCTS, S9_PRODUCTS
from cipherwright.rewrite.sbox.names import digest_of

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "src" / "cipherwright" / "rewrite" / "sbox" / "data" / "leaves.json"
BOXES = {"S7": (S7_PRODUCTS, [2] * 7), "S9": (S9_PRODUCTS, [1] * 7 + [0] * 2)}
"""Products of every output, and the bits that FI adds to it."""


def luts(entry: dict[str, list[list[str]]], added: list[int]) -> int:
    """LUT4s of a form: leaves, and XORs of four for every output."""
    return len(entry["leaves"]) + sum(
        -(-(len(o) + e - 1) // 3) for o, e in zip(entry["outs"], added, strict=True)
    )


def main() -> None:
    name, seconds = sys.argv[1], sys.argv[2]
    products, added = BOXES[name]
    given = f"{len(products)} {len(products)} {seconds} {sys.argv[3] if len(sys.argv) > 3 else 1}\n"
    for e, terms in zip(added, products, strict=True):
        given += " ".join([str(e), str(len(terms)), *("".join(map(str, t)) or "-" for t in terms)]) + "\n"
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(
            ["g++", "-O3", "-march=native", "-std=c++17", "-o", f"{d}/search", str(HERE / "leaf_search.cpp")],
            check=True,
        )
        done = subprocess.run([f"{d}/search"], input=given, stdout=subprocess.PIPE, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    found = {
        "name": name,
        "leaves": [w[1:] for w in lines if w[0] == "leaf"],
        "outs": [w[1:] for w in lines if w[0] == "out"],
    }
    kept = json.loads(DATA.read_text())
    box = digest_of(CATALOGUE["misty1"].tables()[name][1])
    print(f"{name}: {luts(found, added)} LUT4s found, {luts(kept[box], added)} kept")
    if luts(found, added) < luts(kept[box], added):
        kept[box] = found
        DATA.write_text(json.dumps(kept, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
