"""Search XOR networks for a cipher's linear layer and keep the best ones in
rewrite/linear/data/xor_networks.json.

Usage: python benchmarks/linear_networks.py NAME K EXTRA DEPTH SECONDS [SEED]

NAME is the linear map's (theta, SBoxMix, InvSBoxMix); EXTRA bits are added to every row; DEPTH bounds the
levels. The search starts from the smallest network kept that fits the depth, else, for theta, from the
paper's decomposition (Standaert et al. 2002, section 3), which is far better a start than none. For one
depth the smallest network is kept; one that another beats in depth and size goes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tower_search import blocks, column  # beside this file

from cipherwright.cipher.khazad import THETA
from cipherwright.cipher.rijndael import INV_SBOX, SBOX
from cipherwright.graph import Table
from cipherwright.rewrite.linear.xor import Network, network
from cipherwright.rewrite.sbox.tower import bases_of
from cipherwright.wording import counted

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "src" / "cipherwright" / "rewrite" / "linear" / "data" / "xor_networks.json"
MAPS = {"theta": (tuple(reversed(THETA.rows)), 64)}
for box, entries in (("SBox", SBOX), ("InvSBox", INV_SBOX)):
    # From the S-box's last products to its next input, a column.
    made = blocks(bases_of(Table(box, 8, entries)), box, entries)
    MAPS[f"{box}Mix"] = (tuple(reversed(column(made, box))), 48)
"""Rows least significant first, and columns."""

# The paper's sums of bytes under 1, X, X^2 and X^3 for b_0 … b_7.
_PLAIN = (
    (0, 1, 3, 6, 7),
    (0, 1, 2, 6, 7),
    (1, 2, 3, 4, 5),
    (0, 2, 3, 4, 5),
    (2, 3, 4, 5, 7),
    (2, 3, 4, 5, 6),
    (0, 1, 5, 6, 7),
    (0, 1, 4, 6, 7),
)
_X = (
    (1, 4, 6, 7),
    (0, 5, 6, 7),
    (3, 4, 5, 6),
    (2, 4, 5, 7),
    (0, 2, 3, 5),
    (1, 2, 3, 4),
    (0, 1, 2, 7),
    (0, 1, 3, 6),
)
_X2 = (
    (2, 3, 4, 7),
    (2, 3, 5, 6),
    (0, 1, 5, 6),
    (0, 1, 4, 7),
    (0, 3, 6, 7),
    (1, 2, 6, 7),
    (1, 2, 4, 5),
    (0, 3, 4, 5),
)
_X3 = ((5, 6), (4, 7), (4, 7), (5, 6), (1, 2), (0, 3), (0, 3), (1, 2))
_FOLD = ((0, 2, 3, 4), (1, 3, 4, 5), (2, 4, 5, 6))  # where the product's bits 8, 9, 10 come back


def papers_theta() -> Network:
    """The decomposition of the paper in three levels of LUT4s, the last one with an input free."""
    nodes: list[tuple[int, ...]] = []
    known: dict[tuple[int, ...], int] = {}
    outs: list[tuple[int, ...]] = [()] * 64

    def node(ops: list[int]) -> int:
        key = tuple(sorted(ops))
        if len(key) == 1:
            return key[0]
        if key not in known:
            nodes.append(key)
            known[key] = 63 + len(nodes)
        return known[key]

    def byte(i: int, t: int) -> int:
        return 56 - 8 * i + t

    for j in range(8):
        plain, x, x2, x3 = (
            [node([byte(i, t) for i in s[j]][:4]) for t in range(8)] for s in (_PLAIN, _X, _X2, _X3)
        )
        high = [[x[7], x2[6], x3[5]], [x2[7], x3[6]], [x3[7]]]
        for t in range(8):
            terms = [
                plain[t],
                byte(_PLAIN[j][4], t),
                *([x[t - 1]] if t else []),
                *([x2[t - 2]] if t > 1 else []),
                *([x3[t - 3]] if t > 2 else []),
            ]
            last, rest = [node(terms[:4])], terms[4:]
            folded = [h for h in range(3) if t in _FOLD[h]]
            if 2 in folded:
                rest += high[2]
            if t in (3, 4):
                rest += high[1]
            if len(rest) > 1 and t != 6:
                rest = [node(rest)]
            last += rest
            if 0 in folded:
                last.append(node(high[0]))
            if t in (1, 5):
                last.append(node(high[1]))
            outs[byte(j, t)] = tuple(last)
    return Network(64, tuple(nodes), tuple(outs))


def text(net: Network, extra: int) -> str:
    """A network as the search reads it; a last node of its own for every row."""
    lines = ["node " + " ".join(map(str, ops)) for ops in net.nodes]
    lines += ["node " + " ".join(map(str, ops)) for ops in net.outs]
    first = net.columns + len(net.nodes)
    return "\n".join(lines + [f"out {first + r}" for r in range(len(net.outs))]) + "\n"


def parse(columns: int, printed: str) -> Network:
    """The search's answer: last nodes apart from the others, but for those that others read."""
    nodes, outs = [], []
    for line in printed.splitlines():
        word, *numbers = line.split()
        if word == "node":
            nodes.append(tuple(map(int, numbers)))
        elif word == "out":
            outs.append(int(numbers[0]))
    last = set(outs) - {o for ops in nodes for o in ops}
    keep = [columns + i for i in range(len(nodes)) if columns + i not in last]
    place = {c: c for c in range(columns)} | {s: columns + k for k, s in enumerate(keep)}
    return Network(
        columns,
        tuple(tuple(place[o] for o in nodes[s - columns]) for s in keep),
        tuple((place[s],) if s in place else tuple(place[o] for o in nodes[s - columns]) for s in outs),
    )


def main() -> None:
    name, k, extra, depth, seconds = sys.argv[1], *map(int, sys.argv[2:6])
    seed = sys.argv[6] if len(sys.argv) > 6 else "1"
    rows, columns = MAPS[name]
    kept = json.loads(DATA.read_text())["networks"]
    mine = [
        Network(columns, tuple(map(tuple, e["nodes"])), tuple(map(tuple, e["outs"])))
        for e in kept
        if e["name"] == name and e["k"] == k
    ]
    starts = [
        n
        for n in [
            *mine,
            *([papers_theta()] if name == "theta" else [network(rows, columns, k, extra, depth)]),
        ]
        if n.depth() <= depth
    ]
    start = min(starts, key=lambda n: n.size(k, extra), default=None)
    assert start is None or start.rows() == rows
    with tempfile.TemporaryDirectory() as d:
        subprocess.run(
            [
                "g++",
                "-O3",
                "-march=native",
                "-std=c++17",
                "-o",
                f"{d}/search",
                str(HERE / "linear_search.cpp"),
            ],
            check=True,
        )
        given = (
            f"{k} {depth} {len(rows)} {columns} {extra} {seconds} {seed}\n"
            + "\n".join(f"{r:x}" for r in rows)
            + "\n"
        )
        given += text(start, extra) if start else ""
        done = subprocess.run([f"{d}/search"], input=given, stdout=subprocess.PIPE, text=True, check=True)
    found = parse(columns, done.stdout)
    assert found.rows() == rows
    best: dict[int, Network] = {}
    for net in [*mine, found]:
        if net.depth() not in best or net.size(k, extra) < best[net.depth()].size(k, extra):
            best[net.depth()] = net
    good = [
        n
        for n in best.values()
        if not any(
            m is not n and m.depth() <= n.depth() and m.size(k, extra) <= n.size(k, extra)
            for m in best.values()
        )
    ]
    entries = [e for e in kept if e["name"] != name or e["k"] != k]
    for n in sorted(good, key=Network.depth):
        entry = {
            "name": name,
            "k": k,
            "depth": n.depth(),
            "size": n.size(k, extra),
            "rows": [f"{r:x}" for r in rows],
        }
        entries.append(entry | {"nodes": n.nodes, "outs": n.outs})
        added = f"{counted(extra, 'bit')} added to each row"
        print(f"{name}, LUT{k}, {n.depth()} levels: {n.size(k, extra)} with {added}")
    lines = ",\n".join(json.dumps(e, separators=(",", ":")) for e in entries)
    DATA.write_text('{"networks": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
