"""What a period asks of a schedule: the ends of a path that takes longer stand in different stages.

There are as many such pairs as operations can be reached in a period, from each operation. Adders by gates
have over a thousand for each. So only a program of few pairs states them all (`pairs`); a larger one is
solved with those that some solution on the way breaks (`broken`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, islice

import numpy as np

from .least import Ints

__all__ = ["LongPaths", "as_rows"]


class LongPaths:
    """The paths without registers that take longer than a period.

    edges: operation -> the operations and inputs that it reads, with the registers needed between them; in
    order, what is read before what reads it.
    delay: of every operation (ns); room: the delay that fits in a period (ns).
    """

    def __init__(
        self, edges: Mapping[int, Mapping[int, int]], delay: Mapping[int, float], room: float
    ) -> None:
        self.edges, self.delay, self.room = edges, delay, room
        self.users = defaultdict[int, list[int]](list)
        self.sources = {v: [s for s in known if not known[s] and s in edges] for v, known in edges.items()}
        for v, sources in self.sources.items():
            for s in sources:
                self.users[s].append(v)
        self._tail: dict[int, float] = {}
        for u in reversed(edges):
            self._tail[u] = delay[u] + max((self._tail[v] for v in self.users[u]), default=0.0)

    def pairs(self, most: int) -> list[tuple[int, int]] | None:
        """Pairs (u, v) with a path whose delay, u and v included, exceeds the room, and whose prefix does
        not, ascending; None where there are more than `most`.
        """
        found = list(islice(chain.from_iterable(map(self._beyond, self.edges)), most + 1))
        return sorted(found) if len(found) <= most else None

    def _beyond(self, u: int) -> Iterator[tuple[int, int]]:
        """The pairs of `u`, each once."""
        users, delay, tail, room = self.users, self.delay, self._tail, self.room
        found = set[int]()
        longest, frontier = {u: delay[u]}, [u] if tail[u] > room else []
        while frontier:
            i = heappop(frontier)
            for v in users[i]:
                d = longest[i] + delay[v]
                if d > room:
                    found.add(v)
                elif longest[i] + tail[v] > room:
                    if v not in longest:
                        heappush(frontier, v)
                    longest[v] = max(d, longest.get(v, 0.0))
        return ((u, v) for v in found)

    def latest(self, last: Mapping[int, int]) -> dict[int, int]:
        """The latest stage of every operation, where `last` is the last stage that each may have."""
        stages, times = dict[int, int](), dict[int, float]()
        users = defaultdict[int, list[tuple[int, int]]](list)
        for v, sources in self.edges.items():
            for s, latency in sources.items():
                users[s].append((v, latency))
        for u in reversed(self.edges):
            ends = [(stages[v] - n, 0.0 if n else -times[v]) for v, n in users[u]]
            stage, time = min([(last[u], 0.0), *ends])
            time = self.delay[u] - time
            stages[u], times[u] = (stage, time) if time <= self.room else (stage - 1, self.delay[u])
        return stages

    def broken(self, stage: Callable[[int], int]) -> list[tuple[int, int]]:
        """Pairs of which both are in one stage where every operation is in its `stage`, ascending: for each
        operation at which a path exceeds the room first, all from which one does. There is one at least where
        a stage takes longer than the period.
        """
        at, late = dict[int, float](), list[int]()
        same = dict[int, Sequence[int]]()
        for v, sources in self.sources.items():
            own = stage(v)
            same[v] = [s for s in sources if stage(s) == own]
            before = max([at[s] for s in same[v]], default=0.0)
            at[v] = before + self.delay[v]
            if at[v] > self.room >= before:
                late.append(v)
        return sorted((u, v) for v in late for u in self._before(v, same))

    def _before(self, v: int, same: Mapping[int, Sequence[int]]) -> set[int]:
        """The operations from which a path to `v` in its stage exceeds the room, and does not from the next
        one on. same: what every operation reads in its own stage.
        """
        found = set[int]()
        longest, frontier = {v: self.delay[v]}, [-v]
        while frontier:
            i = -heappop(frontier)
            for u in same[i]:
                d = longest[i] + self.delay[u]
                if d > self.room:
                    found.add(u)
                else:
                    if u not in longest:
                        heappush(frontier, -u)
                    longest[u] = max(d, longest.get(u, 0.0))
        return found


def as_rows(pairs: Sequence[tuple[int, int]], index: Mapping[int, int]) -> Ints:
    """Rows (a, b, 1) of a program for `pairs` of operations, whose variables are in `index`."""
    return np.array([(index[u], index[v], 1) for u, v in pairs], dtype=np.int64).reshape(-1, 3)
