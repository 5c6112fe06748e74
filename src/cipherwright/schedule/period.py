"""The constraints of a period: the two ends of a path that takes longer are in different stages.

There are as many such pairs as operations can be reached in a period, from each operation. Adders by gates
have over a thousand for each. So only a program of few pairs states them all (`pairs`); a larger one is
solved with those that some solution on the way breaks (`broken`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

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
        for u in reversed(list(edges)):
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
        for u in reversed(list(self.edges)):
            ends = [(stages[v] - n, 0.0 if n else -times[v]) for v, n in users[u]]
            stage, time = min([(last[u], 0.0), *ends])
            time = self.delay[u] - time
            stages[u], times[u] = (stage, time) if time <= self.room else (stage - 1, self.delay[u])
        return stages

    def broken(self, stage: Ints) -> list[tuple[int, int]]:
        """Pairs of which both are in one stage, ascending, where every operation is in its `stage` (by its
        place in `edges`): for each operation at which a path exceeds the room first, all from which one does.
        There is one at least where a stage takes longer than the period.
        """
        late = self._late(stage)
        if not late:
            return []
        at = dict(zip(self.edges, stage.tolist(), strict=True))
        return sorted((u, v) for v in late for u in self._before(v, at))

    def _late(self, stage: Ints) -> list[int]:
        """The operations at which a path exceeds the room first."""
        before, delay = np.zeros(len(stage)), self._delays
        for sources, firsts, users in self._levels:
            u = np.repeat(users, np.diff(firsts, append=len(sources)))
            came = np.where(stage[sources] == stage[u], before[sources] + delay[sources], 0.0)
            before[users] = np.maximum.reduceat(came, firsts)
        late = np.flatnonzero((before <= self.room) & (before + delay > self.room))
        return [self._operations[k] for k in late.tolist()]

    def _before(self, v: int, at: Mapping[int, int]) -> set[int]:
        """The operations from which a path to `v` in its stage exceeds the room, and does not from the next
        one on. at: the stage of every operation.
        """
        found, own = set[int](), at[v]
        longest, frontier = {v: self.delay[v]}, [-v]
        while frontier:
            i = -heappop(frontier)
            for u in self.sources[i]:
                if at[u] != own:
                    continue
                d = longest[i] + self.delay[u]
                if d > self.room:
                    found.add(u)
                else:
                    if u not in longest:
                        heappush(frontier, -u)
                    longest[u] = max(d, longest.get(u, 0.0))
        return found

    @cached_property
    def _operations(self) -> list[int]:
        return list(self.edges)

    @cached_property
    def _delays(self) -> NDArray[np.float64]:
        """The delays of the operations in their order."""
        return np.array([self.delay[v] for v in self.edges])

    @cached_property
    def _levels(self) -> list[tuple[Ints, Ints, Ints]]:
        """Edges without registers, by the number of operations before them: places of their sources, the
        first edge of each user, the users.
        """
        place = {v: k for k, v in enumerate(self.edges)}
        level, levels = dict[int, int](), defaultdict[int, list[int]](list)
        for v, sources in self.sources.items():
            level[v] = max((level[s] + 1 for s in sources), default=0)
            if sources:
                levels[level[v]].append(v)
        found = []
        for _, users in sorted(levels.items()):
            sizes = [len(self.sources[v]) for v in users]
            of_all = np.array([place[s] for v in users for s in self.sources[v]])
            found.append((of_all, np.cumsum([0, *sizes[:-1]]), np.array([place[v] for v in users])))
        return found


def as_rows(pairs: Sequence[tuple[int, int]], index: Mapping[int, int]) -> Ints:
    """Rows (a, b, 1) of a program for `pairs` of operations, whose variables are in `index`."""
    return np.array([(index[u], index[v], 1) for u, v in pairs], dtype=np.int64).reshape(-1, 3)
