"""Parallel prefix networks for inputs that arrive at different times.

A group of columns low … high is made of its upper part and its lower part, and where they part is free.
The four classic networks are four ways to choose: for columns that arrive together they are the classic
ones in levels, for others the parting follows the arrivals.

`kogge_stone`   every group by itself as early as it can be, groups shared where they meet
`sklansky`      halves of halves: the lower half's group is taken in by every group of the upper half
`brent_kung`    one tree of groups up and down again: the fewest nodes
`han_carlson`   pairs of columns, `kogge_stone` over the pairs, one more node for every second column
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

__all__ = ["PREFIX_NETWORKS", "Parting", "prefix_parting"]

Parting = dict[tuple[int, int], int]
"""(low, high) -> the lowest column of the group's upper part."""

_KEPT = 12
"""Trees that are kept for each group."""


def _power_below(n: int) -> int:
    return 1 << (n - 1).bit_length() - 1


def _kogge_stone(at: Sequence[float], delay: float, fanout: float) -> Parting:
    """The parting with the earliest group; of equal ones that with 1, 2, 4, … columns above, which other
    groups have as well.
    """
    known: dict[tuple[int, int], tuple[float, int]] = {(k, k): (t, k) for k, t in enumerate(at)}
    for length in range(2, len(at) + 1):
        for low in range(len(at) - length + 1):
            high = low + length - 1

            def cost(m: int, low: int = low, high: int = high) -> tuple[float, int, int]:
                above = high - m + 1
                return (
                    max(known[m, high][0], known[low, m - 1][0]),
                    int(above & (above - 1) != 0),
                    abs(above - _power_below(high - low + 1)),
                )

            m = min(range(low + 1, high + 1), key=cost)
            known[low, high] = cost(m)[0] + delay, m
    parting: Parting = {}

    def need(low: int, high: int) -> None:
        if low < high and (low, high) not in parting:
            m = parting[low, high] = known[low, high][1]
            need(low, m - 1)
            need(m, high)

    for high in range(len(at)):
        need(0, high)
    return parting


def _sklansky(at: Sequence[float], delay: float, fanout: float) -> Parting:
    """Where a block parts, its latest group is as early as it can be; then its nodes are few."""

    @cache
    def block(low: int, high: int) -> tuple[tuple[float, ...], int, int]:
        """Arrivals of the groups (low, low …), their nodes, and where it parts."""
        if low == high:
            return (at[low],), 0, low
        best: tuple[float, int, int, tuple[float, ...]] | None = None
        for m in range(low + 1, high + 1):
            (lower, few, _), (upper, more, _) = block(low, m - 1), block(m, high)
            made = (*lower, *(max(t, lower[-1] + fanout * len(upper)) + delay for t in upper))
            found = max(made), few + more + len(upper), abs(2 * m - low - high - 1), made
            if best is None or found[:3] < best[:3]:
                best, parts = found, m
        assert best is not None
        return best[3], best[1], parts

    parting: Parting = {}

    def take(low: int, high: int) -> None:
        if low < high:
            m = block(low, high)[2]
            parting.update({(low, k): m for k in range(m, high + 1)})
            take(low, m - 1)
            take(m, high)

    take(0, len(at) - 1)
    return parting


@dataclass(frozen=True)
class _Tree:
    """A tree over a block: arrival of its group; a carry that comes in at t leaves for its last column by
    max(t + steps, later).
    """

    up: float
    steps: float
    later: float
    parts: int
    below: _Tree | None = None
    above: _Tree | None = None

    def beats(self, other: _Tree) -> bool:
        return self.up <= other.up and self.steps <= other.steps and self.later <= other.later


def _brent_kung(at: Sequence[float], delay: float, fanout: float) -> Parting:
    """The tree whose last carry is the earliest."""

    @cache
    def trees(low: int, high: int) -> tuple[_Tree, ...]:
        if low == high:
            return (_Tree(at[low], 0.0, float("-inf"), low),)
        found = []
        for m in sorted(range(low + 1, high + 1), key=lambda m: abs(2 * m - low - high - 1)):
            for below in trees(low, m - 1):
                for above in trees(m, high):
                    # The upper part's carry in comes from this one's, or from the group below.
                    steps = max(below.steps, delay + above.steps)
                    later = max(below.later, above.later, below.up + delay + above.steps)
                    found.append(_Tree(max(below.up, above.up) + delay, steps, later, m, below, above))
        kept: list[_Tree] = []
        for t in sorted(found, key=lambda t: (t.up + t.steps, t.later)):
            if not any(k.beats(t) for k in kept):
                kept.append(t)
        return tuple(kept[:_KEPT])

    parting: Parting = {}

    def take(tree: _Tree, low: int, high: int) -> None:
        """The groups of the tree."""
        if tree.below is None or tree.above is None:
            return
        m = tree.parts
        parting.setdefault((low, high), m)
        take(tree.below, low, m - 1)
        take(tree.above, m, high)

    def carries(tree: _Tree, low: int, high: int) -> None:
        """Groups from column 0 up to the columns of a block below its last."""
        if tree.below is None or tree.above is None:
            return
        m = tree.parts
        if low:
            parting[0, m - 1] = low
        carries(tree.below, low, m - 1)
        carries(tree.above, m, high)

    root = min(trees(0, len(at) - 1), key=lambda t: (max(t.later, t.up), t.up))
    take(root, 0, len(at) - 1)
    carries(root, 0, len(at) - 1)
    return parting


def _han_carlson(at: Sequence[float], delay: float, fanout: float) -> Parting:
    pairs = [max(at[k], at[k + 1]) + delay for k in range(0, len(at) - 1, 2)]
    parting: Parting = {
        (2 * low, 2 * high + 1): 2 * m for (low, high), m in _kogge_stone(pairs, delay, fanout).items()
    }
    parting |= {(k, k + 1): k + 1 for k in range(0, len(at) - 1, 2)}
    return parting | {(0, k): k for k in range(2, len(at), 2)}


PREFIX_NETWORKS: dict[str, Callable[[Sequence[float], float, float], Parting]] = {
    "brent_kung": _brent_kung,
    "sklansky": _sklansky,
    "kogge_stone": _kogge_stone,
    "han_carlson": _han_carlson,
}


def prefix_parting(kind: str, at: Sequence[float], delay: float, fanout: float = 0.0) -> Parting:
    """How the groups (0, 0), (0, 1), … are made of columns that arrive at `at` (ns, the lowest first), by the
    network `kind` (one of `PREFIX_NETWORKS`) of nodes of `delay` ns; `fanout`: delay of each further reader.
    """
    return PREFIX_NETWORKS[kind](at, delay, fanout) if at else {}
