"""The least of the best solutions of a system of difference constraints, by a few maximum flows.

The cost of a register program is a linear function over the integer points of a system of difference
constraints. Such a function is L-natural-convex: a point is a best one if no set of variables can be raised
by 1, and none lowered, at less cost (K. Murota, Discrete Convex Analysis, SIAM 2003, the L-optimality
criterion). From the least point that the constraints allow, the smallest best set is raised again and again,
and that ends in the least of all best points (K. Murota and A. Shioura, Exact bounds for steepest descent
algorithms of L-convex function minimization, Operations Research Letters 42, 2014). The best set is a minimum
cut (J.-C. Picard, Maximal closure of a graph, Management Science 22, 1976). A set stays the smallest best one
until a constraint between it and the others stops it, so it is raised until then in one step.

There is one least best point, so the answer does not depend on how a flow is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .price import SHIFT_LUT

__all__ = ["Broken", "Ints", "least_feasible", "least_optimum", "whole_costs"]

Ints = NDArray[np.int64]

Broken = Callable[[Ints], Ints]
"""Point -> rows (a, b, w) of a program that it breaks, at least one where there are any."""

_MOST = 1 << 28
"""Costs are added in words of 32 bits by the search for a flow."""


def whole_costs(cost: Sequence[float]) -> Ints:
    """The costs `cost` in the unit of the cheapest: a cycle of one bit in a shift-register lookup table,
    1/16. Each is a multiple of it, and their absolute values add to less than 2^28 units (AssertionError
    otherwise).

    >>> whole_costs([1.0, -0.5]).tolist()
    [16, -8]
    """
    scaled = np.array(cost) * SHIFT_LUT
    whole = scaled.round().astype(np.int64)
    assert np.abs(scaled - whole).max(initial=0) < 1e-6, "a cost is no multiple of 1/16"
    assert np.abs(whole).sum() < _MOST, "the costs are too large"
    return whole


def least_feasible(rows: Ints, low: Ints, high: Ints) -> Ints | None:
    """The least integers x from `low` to `high` with x_b - x_a >= w for every row (a, b, w) of `rows`, or
    None where there are none.

    >>> least_feasible(np.array([[0, 1, 2], [1, 2, -1]]), np.array([3, 0, 0]), np.array([9, 9, 9])).tolist()
    [3, 5, 4]
    >>> least_feasible(np.array([[0, 1, 1], [1, 0, 0]]), np.array([0, 0]), np.array([9, 9])) is None
    True
    """
    x = low.copy()
    a, b, w = rows[np.argsort(rows[:, 1], kind="stable")].T
    firsts = np.flatnonzero(np.r_[True, b[1:] != b[:-1]][: len(b)])
    ends = b[firsts]
    while len(rows) and (x <= high).all():
        raised = np.maximum(x[ends], np.maximum.reduceat(x[a] + w, firsts))
        if (raised == x[ends]).all():
            break
        x[ends] = raised
    return x if (x <= high).all() else None


def least_optimum(
    rows: Ints,
    bounds: Sequence[tuple[float, float]],
    cost: Sequence[float],
    broken: Broken = lambda x: np.zeros((0, 3), dtype=np.int64),
) -> tuple[Ints, float] | None:
    """The integers x of the least total cost, of several such the least ones, and that cost; None where no
    integers satisfy the constraints. rows: (a, b, w) for x_b - x_a >= w; bounds: of every x, both included;
    cost: of every x, multiples of 1/16; broken: further rows, which are asked for when a point is found that
    breaks them.

    >>> x, total = least_optimum(np.array([[0, 1, 1]]), [(0, 5), (0, 9)], [-2.0, 1.0])
    >>> x.tolist(), total  # both are raised until the first may not be
    ([5, 6], -4.0)
    """
    low, high = np.array(bounds).astype(np.int64).T
    price = whole_costs(cost)
    x = least_feasible(rows, low, high)
    while x is not None and len(more := broken(x)):
        rows = np.concatenate([rows, more])
        x = least_feasible(rows, x, high)
    if x is None:
        return None
    while (raised := _smallest_best_set(_tight(rows, x), price, x == high)) is not None:
        a, b, w = rows.T
        leaving = raised[a] & ~raised[b]
        room = np.concatenate([(high - x)[raised], (x[b] - x[a] - w)[leaving]])
        further = x + room.min() * raised
        if len(more := broken(further)):
            rows = np.concatenate([rows, more])  # the set stays the best one only where no row is broken
        else:
            x = further
    return x, float(np.dot(x, price)) / SHIFT_LUT


def _tight(rows: Ints, x: Ints) -> Ints:
    """The rows that hold at `x` with no room left."""
    a, b, w = rows.T
    tight: Ints = rows[x[b] - x[a] == w]
    return tight


def _smallest_best_set(tight: Ints, price: Ints, full: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """The smallest set of variables whose prices add to the least sum, or None where no sum is below 0. With
    the first variable of a row in `tight` goes the second; variables in `full` stay out.

    It is what a source reaches in the network in which a maximum flow leaves room: the source gives each
    variable what its rise saves, each variable gives a sink what its rise costs, rows have no limit.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    n = len(price)
    source, sink = n, n + 1
    saves, costs = np.flatnonzero(price < 0), np.flatnonzero((price > 0) | full)
    unlimited = int(-price[saves].sum()) + 1
    start = np.concatenate([tight[:, 0], np.full(len(saves), source), costs])
    end = np.concatenate([tight[:, 1], saves, np.full(len(costs), sink)])
    room = np.concatenate(
        [np.full(len(tight), unlimited), -price[saves], np.where(full[costs], unlimited, price[costs])]
    )
    network = csr_array((room.astype(np.int32), (start, end)), shape=(n + 2, n + 2))
    found = maximum_flow(network, source, sink)
    if found.flow_value == unlimited - 1:
        return None
    left = csr_array(network - found.flow > 0)
    reached = np.zeros(n + 2, dtype=bool)
    reached[breadth_first_order(left, source, return_predecessors=False)] = True
    return reached[:n]
