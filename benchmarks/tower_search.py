"""Search the bases of the tower field for the S-boxes of AES, by the size of the linear layer that they
leave.

Usage: python benchmarks/tower_search.py [CANDIDATES]

For every basis the linear maps around inversion are merged with MixColumns (InvMixColumns): a map of 32
bits from 48 product bits a column. The CANDIDATES with the fewest ones go through the greedy network
search, and those of both boxes for boxes that share an inversion (the fewest in both columns together);
the best is kept in rewrite/sbox/data/towers.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cipherwright.cipher.field import columns_of
from cipherwright.cipher.rijndael import INV_SBOX, SBOX
from cipherwright.graph import Table
from cipherwright.rewrite.linear.xor import network
from cipherwright.rewrite.sbox.names import digest_of
from cipherwright.rewrite.sbox.tower import (
    SHARED_BASES,
    Tower,
    affine_maps,
    all_towers,
    compose,
    times,
)

DATA = (
    Path(__file__).resolve().parents[1] / "src" / "cipherwright" / "rewrite" / "sbox" / "data" / "towers.json"
)
FACTORS = {"SBox": (2, 3, 1, 1), "InvSBox": (14, 11, 13, 9)}


def blocks(t: Tower, name: str, entries: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Factor of the matrix -> the map from the products of one byte to the next bits in."""
    before, _, after, _ = affine_maps(Table(name, 8, entries))
    into, out = compose(t.rows_in(), before), compose(after, t.rows_out())
    return {
        f: compose(into, compose(columns_of(lambda x, f=f: times(x, f), 8, 8), out))
        for f in set(FACTORS[name])
    }


def column(made: dict[int, tuple[int, ...]], name: str) -> tuple[int, ...]:
    """Rows of the whole column, most significant first."""
    rows = []
    for i in range(4):
        for r in range(8):
            rows.append(sum(made[FACTORS[name][(j - i) % 4]][r] << 12 * (3 - j) for j in range(4)))
    return tuple(rows)


def main() -> None:
    candidates = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    kept, every = json.loads(DATA.read_text()), all_towers()
    boxes = {"SBox": SBOX, "InvSBox": INV_SBOX}
    ranked: dict[str, list[int]] = {}
    for name, entries in boxes.items():
        ones = [
            sum(r.bit_count() for made in [blocks(t, name, entries)] for f in FACTORS[name] for r in made[f])
            for t in every
        ]
        ranked[name] = sorted(range(len(every)), key=lambda k, ones=ones: (ones[k], k))[:candidates]
    ranked[SHARED_BASES] = list(dict.fromkeys(k for name in boxes for k in ranked[name]))
    for name, chosen in ranked.items():
        best = None
        for k in chosen:
            size = sum(
                network(tuple(reversed(column(blocks(every[k], box, boxes[box]), box))), 48, 4, 1).size(4, 1)
                for box in boxes
                if name in (box, SHARED_BASES)
            )
            if best is None or size < best[0]:
                best = (size, k)
                print(name, f"{size} LUT4s a column", every[k], flush=True)
        assert best is not None
        t = every[best[1]]
        box = digest_of(boxes.get(name, (*SBOX, *INV_SBOX)))
        kept[name] = {"y": t.y, "z": t.z, "w": list(t.w), "c": t.c, "box": box}
    DATA.write_text(json.dumps(kept) + "\n")


if __name__ == "__main__":
    main()
