"""XOR networks for GF(2)-linear maps: few k-input XOR nodes, by known networks or by shared pairs.

Known networks (data/xor_networks.json) come from benchmarks/linear_search.cpp; each is checked against its
matrix when it is read. For other matrices pairs of signals that many rows share are taken out one after
the other (Paar 1997), and nodes with one user are absorbed into it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heappop, heappush
from importlib import resources
from typing import Any

__all__ = ["Network", "network"]


@dataclass(frozen=True)
class Network:
    """`nodes[i]` are the operands of signal `columns + i`; signals below `columns` are input bits (0 =
    least significant). `outs[r]` are the operands of row r's last node, at most k less the spare inputs
    kept for what is added to the row (more than that takes further nodes).
    """

    columns: int
    nodes: tuple[tuple[int, ...], ...]
    outs: tuple[tuple[int, ...], ...]

    def levels(self) -> list[int]:
        """Nodes on the longest path to every signal."""
        level = [0] * self.columns
        for ops in self.nodes:
            level.append(1 + max(level[o] for o in ops))
        return level

    def levels_to_end(self) -> list[int]:
        """Nodes from every signal to the end, the longest way: signals of equal count may be equally late."""
        far = [0] * (self.columns + len(self.nodes))
        for ops in self.outs:
            for o in ops:
                far[o] = 1
        for n in range(len(self.nodes) - 1, -1, -1):
            for o in self.nodes[n]:
                far[o] = max(far[o], far[self.columns + n] + 1)
        return far

    def depth(self) -> int:
        """Levels, the last nodes included."""
        level = self.levels()
        return max((max(level[o] for o in ops) + (len(ops) > 1) for ops in self.outs if ops), default=0)

    def size(self, k: int, extra: int = 0) -> int:
        """Nodes of at most `k` inputs, the last ones of every row included, with `extra` bits added to each
        row.
        """
        return len(self.nodes) + sum(-(-(len(ops) + extra - 1) // (k - 1)) for ops in self.outs)

    def vectors(self) -> list[int]:
        """Every signal as a mask of input bits."""
        values = [1 << c for c in range(self.columns)]
        for ops in self.nodes:
            values.append(_sum(values, ops))
        return values

    def rows(self) -> tuple[int, ...]:
        """The matrix that the network computes."""
        values = self.vectors()
        return tuple(_sum(values, ops) for ops in self.outs)


def _sum(values: Sequence[int], ops: Sequence[int]) -> int:
    out = 0
    for o in ops:
        out ^= values[o]
    return out


def network(rows: Sequence[int], columns: int, k: int, extra: int, depth: int = 0) -> Network:
    """The network known for the `rows` (masks of input bits, of which there are `columns`) that is smallest
    with `extra` bits added to each row, of nodes of at most `k` inputs. `depth`: bound on the levels (0:
    none), met where a known network meets it and as near as may be otherwise.

    >>> network((0b011, 0b111), 3, 2, 0).rows()
    (3, 7)
    """
    found = _network(tuple(rows), columns, k, extra, depth)
    if found.rows() != tuple(rows):
        raise AssertionError("an XOR network does not compute its matrix")
    return found


@cache
def _network(rows: tuple[int, ...], columns: int, k: int, extra: int, depth: int) -> Network:
    made = _known(rows, columns, k, min(extra, k // 2))
    fit = [n for n in made if not depth or n.depth() <= depth]
    return (
        min(fit, key=lambda n: n.size(k, extra))
        if fit
        else min(made, key=lambda n: (n.depth(), n.size(k, extra)))
    )


@cache
def _known(rows: tuple[int, ...], columns: int, k: int, spare: int) -> list[Network]:
    """All networks known for the rows, whatever their levels, whose sums have room for `spare` bits more."""
    if all(r.bit_count() <= k - spare for r in rows):
        return [Network(columns, (), tuple(_bits(r) for r in rows))]
    made = [_shared_pairs(rows, columns, k, spare), _separate(rows, columns, k, spare)]
    for entry in _library():
        if entry["rows"] == [f"{r:x}" for r in rows] and entry["k"] == k:
            made.append(Network(columns, tuple(map(tuple, entry["nodes"])), tuple(map(tuple, entry["outs"]))))
    return made


@cache
def _library() -> list[dict[str, Any]]:
    text = (resources.files(__package__) / "data" / "xor_networks.json").read_text()
    found: list[dict[str, Any]] = json.loads(text)["networks"]
    return found


def _bits(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def _separate(rows: Sequence[int], columns: int, k: int, spare: int) -> Network:
    """Each row as a balanced tree; only equal sums are shared: the fewest levels."""
    nodes: list[tuple[int, ...]] = []
    known: dict[tuple[int, ...], int] = {}
    outs = []
    for row in rows:
        terms = list(_bits(row))
        while len(terms) > k - spare:
            groups = [tuple(terms[i : i + k]) for i in range(0, len(terms), k)]
            terms = []
            for g in groups:
                if len(g) > 1 and g not in known:
                    nodes.append(g)
                    known[g] = columns + len(nodes) - 1
                terms.append(known[g] if len(g) > 1 else g[0])
        outs.append(tuple(terms))
    return Network(columns, tuple(nodes), tuple(outs))


def _shared_pairs(rows: Sequence[int], columns: int, k: int, spare: int) -> Network:
    """Take out the pair of signals that most rows share, until none is shared; then absorb what has one
    user.
    """
    work = [set(_bits(r)) for r in rows]
    pairs: list[Pair] = []
    count: Counter[Pair] = Counter()
    for terms in work:
        ordered = sorted(terms)
        count.update((a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :])
    queue = [(-n, pair) for pair, n in count.items()]
    heapify(queue)
    while queue:
        n, pair = heappop(queue)
        if count[pair] != -n:
            continue  # it was counted again since
        if n > -2:
            break
        pairs.append(pair)
        new = columns + len(pairs) - 1
        for changed in _take_out(pair, new, work, count):
            heappush(queue, (-count[changed], changed))
    return _packed(columns, pairs, [sorted(t) for t in work], k, spare)


Pair = tuple[int, int]
"""Two signals, the lower number first."""


def _take_out(pair: Pair, new: int, work: list[set[int]], count: Counter[Pair]) -> set[Pair]:
    """Write the signal `new` for a pair in every row that has both; the pairs whose `count` changes."""
    a, b = pair
    changed = set[Pair]()
    for terms in work:
        if a in terms and b in terms:
            gone = [(min(x, y), max(x, y)) for x in terms for y in pair if x != y and (x != b or y != a)]
            terms -= {a, b}
            joined = [(min(x, new), max(x, new)) for x in terms]
            terms.add(new)
            count.subtract(gone)
            count.update(joined)
            changed.update(gone, joined)
    return changed


def _packed(columns: int, pairs: list[tuple[int, int]], outs: list[list[int]], k: int, spare: int) -> Network:
    """Nodes of two inputs and sums of any length, packed into nodes of at most k inputs."""
    ops: dict[int, list[int]] = {columns + i: list(p) for i, p in enumerate(pairs)}
    users: Counter[int] = Counter(o for p in [*ops.values(), *outs] for o in p)

    def absorb(terms: list[int], limit: int) -> list[int]:
        changed = True
        while changed:
            changed = False
            for t in terms:
                if t in ops and users[t] == 1 and len(terms) - 1 + len(ops[t]) <= limit:
                    terms = [x for x in terms if x != t] + ops.pop(t)
                    changed = True
                    break
        return terms

    for s in sorted(ops):
        if s in ops:
            ops[s] = absorb(ops[s], k)
    nodes: list[tuple[int, ...]] = []
    place: dict[int, int] = {c: c for c in range(columns)}

    def add(terms: Sequence[int]) -> int:
        nodes.append(tuple(terms))
        return columns + len(nodes) - 1

    for s in sorted(ops):
        place[s] = add([place[o] for o in ops[s]])
    made = []
    for terms in outs:
        terms = absorb(list(terms), k - spare) if len(terms) <= k - spare else terms
        signals = [place.get(t, t) for t in terms]
        while len(signals) > k - spare:
            signals = [*signals[k:], add(signals[:k])]
        made.append(tuple(signals))
    return Network(columns, tuple(nodes), tuple(made))
