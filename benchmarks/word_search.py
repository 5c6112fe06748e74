"""Search the bases of the tower field for words that are kept in them (rewrite/linear/common.py), and the
networks of the maps that are left.

Usage: python benchmarks/word_search.py [CANDIDATES [SECONDS]]

For Camellia: a box's products become the byte that the next box reads by one map for each rotation behind
the box (none, 1 and 7 bits; four, two and two boxes of a round have it). Bases count where the map in front
of the box that reads a rotated byte has at most four ones in a row, so that it is one level. The CANDIDATES
with the fewest lookup tables by the count of ones go through benchmarks/linear_search.cpp, for SECONDS a map;
the best is kept in rewrite/sbox/data/towers.json, its networks in rewrite/linear/data/xor_networks.json. The
network of P's sums of bytes is searched too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cipherwright.cipher.camellia import S1, P
from cipherwright.cipher.field import columns_of
from cipherwright.graph import Table
from cipherwright.rewrite import Network
from cipherwright.rewrite.linear.domain import inverse_rows
from cipherwright.rewrite.sbox.names import digest_of
from cipherwright.rewrite.sbox.tower import WORD_BASES, Tower, affine_maps, all_towers, compose

HERE = Path(__file__).resolve().parent
REWRITE = HERE.parent / "src" / "cipherwright" / "rewrite"
TOWERS, NETWORKS = (
    REWRITE / "sbox" / "data" / "towers.json",
    REWRITE / "linear" / "data" / "xor_networks.json",
)
BOXES = {0: 4, 1: 2, 7: 2}
"""Rotation to the left behind a box: the number of such boxes in a round."""
INPUTS = 4
DEPTH = 2

# Sums of bytes t1 … t8 (as 8 … 1 here: numbers of a network's inputs count from the least significant) that
# the first level makes, and for y1 … y8 what is added up. Every row has three signals: the fourth input is
# for the word that it is added to.
_FIRST = ((1, 3, 6, 8), (1, 2, 5, 8), (2, 3, 5, 6), (1, 5, 6), (2, 5, 8), (5, 6, 8))
_LAST = (
    ((0,), (4, 7)),
    ((1,), (4, 7)),
    ((2,), (1, 8)),
    ((2,), (4, 7)),
    ((3, 4), (7,)),
    ((4,), (3, 7)),
    ((5,), (3, 4)),
    ((3,), (4, 7)),
)


def maps_of(t: Tower) -> dict[int, tuple[int, ...]]:
    """By rotation: the map from a box's products to the byte in the basis, most significant row first."""
    before, _, after, _ = affine_maps(Table(S1.name, 8, S1.entries))
    into = compose(t.rows_in(), before)
    return {r: compose(into, compose(rotation(r), compose(after, t.rows_out()))) for r in BOXES}


def rotation(n: int) -> tuple[int, ...]:
    return columns_of(lambda x: (x << n | x >> 8 - n) & 255, 8, 8)


def rotated_input(t: Tower) -> tuple[int, ...]:
    """The map from a byte in the basis to what the box behind a rotation by one bit reads."""
    before, _, _, _ = affine_maps(Table(S1.name, 8, S1.entries))
    into = compose(t.rows_in(), before)
    back = inverse_rows(into)
    assert back is not None
    return compose(compose(into, rotation(1)), back)


def ones(rows: tuple[int, ...]) -> int:
    """Lookup tables of a map whose rows share nothing."""
    return sum(-(-(row.bit_count() - 1) // (INPUTS - 1)) for row in rows)


def searched(program: str, rows: tuple[int, ...], columns: int, seconds: int) -> Network:
    """The best network that the search finds for rows, least significant first."""
    lines = [f"{INPUTS} {DEPTH} {len(rows)} {columns} 0 {seconds} 1", *(f"{r:x}" for r in rows)]
    done = subprocess.run(
        [program], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True
    )
    found = parsed(columns, done.stdout)
    assert found.rows() == rows and found.depth() <= DEPTH
    return found


def parsed(columns: int, printed: str) -> Network:
    """The search's answer; a row that is read within the network as well is a node of its own."""
    nodes, outs = [], []
    for line in printed.splitlines():
        word, *numbers = line.split()
        if word == "node":
            nodes.append(tuple(map(int, numbers)))
        elif word == "out":
            outs.append(int(numbers[0]))
    read = {o for ops in nodes for o in ops}
    last = {s for s in outs if s >= columns and s not in read and outs.count(s) == 1}
    keep = [columns + i for i in range(len(nodes)) if columns + i not in last]
    place = {c: c for c in range(columns)} | {s: columns + k for k, s in enumerate(keep)}
    return Network(
        columns,
        tuple(tuple(place[o] for o in nodes[s - columns]) for s in keep),
        tuple(tuple(place[o] for o in nodes[s - columns]) if s in last else (place[s],) for s in outs),
    )


def layer() -> tuple[tuple[int, ...], Network]:
    """P as sums of bytes, least significant row first, and its network."""
    rows = [sum(1 << k // 8 for k in range(64) if row >> k & 1) for row in P.rows[7::8]][::-1]
    nodes = tuple(tuple(8 - t for t in ops) for ops in _FIRST)
    outs = tuple((*(8 + k for k in made), *(8 - t for t in direct)) for made, direct in _LAST)
    return tuple(rows), Network(8, nodes, outs[::-1])


def entry(name: str, rows: tuple[int, ...], net: Network, extra: int) -> dict[str, object]:
    assert net.rows() == rows
    size = {"depth": net.depth(), "size": net.size(INPUTS, extra), "rows": [f"{r:x}" for r in rows]}
    return {"name": name, "k": INPUTS, **size, "nodes": net.nodes, "outs": net.outs}


def main() -> None:
    candidates, seconds = (int(a) for a in (*sys.argv[1:], *("12", "1")[len(sys.argv) - 1 :]))
    fit = [t for t in all_towers() if max(row.bit_count() for row in rotated_input(t)) <= INPUTS]
    counted = sorted(
        fit,
        key=lambda t: (sum(n * ones(maps_of(t)[r]) for r, n in BOXES.items()), ones(rotated_input(t))),
    )
    best: tuple[int, Tower, dict[int, Network]] | None = None
    with tempfile.TemporaryDirectory() as d:
        command = ["g++", "-O3", "-march=native", "-std=c++17", "-o", f"{d}/search"]
        subprocess.run([*command, str(HERE / "linear_search.cpp")], check=True)
        for t in counted[:candidates]:
            nets = {
                r: searched(f"{d}/search", rows[::-1], len(t.rows_out()) + 4, seconds)
                for r, rows in maps_of(t).items()
            }
            total = sum(n * nets[r].size(INPUTS) for r, n in BOXES.items()) + 2 * ones(rotated_input(t))
            print(f"{t}: {total} lookup tables a round", flush=True)
            if best is None or total < best[0]:
                best = (total, t, nets)
    assert best is not None
    _, t, nets = best
    name = f"{S1.name}{WORD_BASES}"
    towers = json.loads(TOWERS.read_text())
    towers[name] = {"y": t.y, "z": t.z, "w": list(t.w), "c": t.c, "box": digest_of(S1.entries)}
    TOWERS.write_text(json.dumps(towers) + "\n")
    rows, net = layer()
    made = [entry(f"{name}{r}", maps_of(t)[r][::-1], nets[r], 0) for r in BOXES]
    made.append(entry("P", rows, net, 1))
    kept = [
        e for e in json.loads(NETWORKS.read_text())["networks"] if e["name"] not in {m["name"] for m in made}
    ]
    lines = ",\n".join(json.dumps(e, separators=(",", ":")) for e in [*kept, *made])
    NETWORKS.write_text('{"networks": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
