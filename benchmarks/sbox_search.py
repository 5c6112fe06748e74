"""Two-level LUT4 circuits for the DES S-boxes by SAT: a pool of 4-input functions, one LUT4 an output bit
over it.

The committed circuits (src/cipherwright/rewrite/sbox/data/lut4_pool.json) were found this way; run it for
longer to find smaller ones. Needs the extra `search` (python-sat). Usage: python benchmarks/sbox_search.py
SECONDS [S1 S2 ...] Prints what it finds and writes it where it is smaller than what is committed.

A circuit is (supports of the pool, for each output the pool members and address bits its LUT4 reads). A
solver decides whether truth tables exist for it. The search starts from the committed circuit and changes
it at random: two members become one, a member reads other bits, an output reads other members; what the
solver can still satisfy is kept.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from pysat.solvers import Glucose4

from cipherwright.cipher import CATALOGUE
from cipherwright.rewrite.sbox.names import digest_of

DATA = (
    Path(__file__).resolve().parents[1]
    / "src"
    / "cipherwright"
    / "rewrite"
    / "sbox"
    / "data"
    / "lut4_pool.json"
)
Tops = list[tuple[list[int], list[int]]]


def address(x: int, bits: list[int]) -> int:
    """The listed bits of x as a number, first bit on top."""
    out = 0
    for k in bits:
        out = out << 1 | x >> k & 1
    return out


def solve(
    entries: tuple[int, ...], supports: list[list[int]], tops: Tops, budget: int = 8000
) -> dict[str, Any] | None:
    """Truth tables for the circuit, or None where there are none or the solver's conflicts run out."""
    solver, n = Glucose4(), 0

    def new(count: int) -> list[int]:
        nonlocal n
        n += count
        return list(range(n - count + 1, n + 1))

    pool = [new(1 << len(s)) for s in supports]
    top_tables = []
    for k, (members, bits) in enumerate(tops):
        table = new(1 << (len(members) + len(bits)))
        top_tables.append(table)
        for x, entry in enumerate(entries):
            signals = [pool[j][address(x, supports[j])] for j in members]
            for values in itertools.product((0, 1), repeat=len(members)):
                place = 0
                for v in values:
                    place = place << 1 | v
                lit = table[place << len(bits) | address(x, bits)]
                solver.add_clause(
                    [
                        *(-s if v else s for s, v in zip(signals, values, strict=True)),
                        lit if entry >> (3 - k) & 1 else -lit,
                    ]
                )
    solver.conf_budget(budget)
    answer = solver.solve_limited()
    model = {v for v in solver.get_model() if v > 0} if answer else set()
    solver.delete()
    if not answer:
        return None

    def number(variables: list[int]) -> int:
        return sum((v in model) << a for a, v in enumerate(variables))

    return {
        "pool": [{"bits": s, "table": number(p)} for s, p in zip(supports, pool, strict=True)],
        "tops": [
            {"pool": m, "bits": b, "table": number(t)} for (m, b), t in zip(tops, top_tables, strict=True)
        ],
    }


def neighbour(r: random.Random, supports: list[list[int]], tops: Tops) -> tuple[list[list[int]], Tops]:
    """A random change, unused members dropped."""
    supports, tops = [list(s) for s in supports], [(list(m), list(b)) for m, b in tops]
    for _ in range(r.choice((1, 1, 2, 3))):
        kind = r.random()
        if kind < 0.35:
            a, b = r.sample(range(len(supports)), 2)
            tops = [(list(dict.fromkeys(a if j == b else j for j in m)), bits) for m, bits in tops]
        elif kind < 0.6:
            supports[r.randrange(len(supports))] = sorted(r.sample(range(6), 4), reverse=True)
        else:
            members, bits = r.choice(tops)
            (members if members else bits).pop(r.randrange(len(members if members else bits)))
        for members, bits in tops:
            while len(members) + len(bits) < 4:
                side, choice = (
                    (bits, r.randrange(6)) if r.random() < 0.25 else (members, r.randrange(len(supports)))
                )
                if choice not in side:
                    side.append(choice)
    used = sorted({j for m, _ in tops for j in m})
    return [supports[j] for j in used], [([used.index(j) for j in m], b) for m, b in tops]


def main() -> None:
    limit, names = float(sys.argv[1]), sys.argv[2:]
    known = json.loads(DATA.read_text())
    boxes = CATALOGUE["des"].tables()
    for name in names or sorted(boxes):
        entries = tuple(boxes[name][1])
        box = digest_of(entries)
        supports = [g["bits"] for g in known[box]["pool"]]
        tops: Tops = [(t["pool"], t["bits"]) for t in known[box]["tops"]]
        r, end = random.Random(f"{name} {limit}"), time.monotonic() + limit
        while time.monotonic() < end:
            s, t = neighbour(r, supports, tops)
            if len(s) > len(supports):
                continue
            found = solve(entries, s, t)
            if found is not None:
                if len(s) < len(known[box]["pool"]):
                    known[box] = {"name": name, **found}
                    rows = json.dumps(known, indent=1)
                    DATA.write_text(rows + "\n")
                    print(f"{name}: {len(s)} functions in the pool", flush=True)
                supports, tops = s, t
        print(f"{name}: {len(known[box]['pool'])} functions at the end", flush=True)


if __name__ == "__main__":
    main()
