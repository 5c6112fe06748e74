"""The least best solution of difference constraints: against all points of small programs, and against a
solver that nobody here wrote.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from cipherwright.schedule.least import Ints, least_feasible, least_optimum, whole_costs

Program = tuple[Ints, list[tuple[float, float]], list[float]]


@st.composite
def programs(draw: st.DrawFn, variables: int = 5, room: int = 3) -> Program:
    """Rows, bounds and costs in sixteenths; also such as no point satisfies, and circles of rows."""
    n = draw(st.integers(1, variables))
    some = st.integers(0, n - 1)
    rows = draw(st.lists(st.tuples(some, some, st.integers(-2, 2)), max_size=3 * n))
    lows = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    bounds = [(float(low), float(low + draw(st.integers(0, room)))) for low in lows]
    costs = draw(st.lists(st.integers(-40, 40), min_size=n, max_size=n))
    apart = [r for r in rows if r[0] != r[1]]
    return np.array(apart, dtype=np.int64).reshape(-1, 3), bounds, [c / 16 for c in costs]


def points(rows: Ints, bounds: list[tuple[float, float]]) -> list[tuple[int, ...]]:
    ranges = [range(int(low), int(high) + 1) for low, high in bounds]
    return [x for x in itertools.product(*ranges) if all(x[b] - x[a] >= w for a, b, w in rows)]


@settings(max_examples=150, deadline=None)
@given(programs())
def test_it_is_the_least_of_the_best_points(program: Program) -> None:
    rows, bounds, cost = program
    every = points(rows, bounds)
    low, high = np.array(bounds).astype(np.int64).T
    least, found = least_feasible(rows, low, high), least_optimum(rows, bounds, cost)
    if not every:
        assert least is None
        assert found is None
        return
    assert least is not None
    assert tuple(least) == tuple(map(min, zip(*every, strict=True)))
    assert found is not None
    totals = {x: sum(c * v for c, v in zip(cost, x, strict=True)) for x in every}
    best = [x for x in every if totals[x] == min(totals.values())]
    assert found[1] == min(totals.values())
    assert tuple(found[0]) == tuple(map(min, zip(*best, strict=True)))


@settings(max_examples=25, deadline=None)
@given(programs(variables=40, room=12))
def test_the_cost_is_that_of_another_solver(program: Program) -> None:
    rows, bounds, cost = program
    matrix = np.zeros((len(rows), len(bounds)))
    for n, (a, b, _) in enumerate(rows):
        matrix[n, a], matrix[n, b] = 1, -1
    limits = -rows[:, 2].astype(float)
    # The stubs know tuples of two numbers or one pair.
    other = linprog(
        cost, A_ub=matrix if len(rows) else None, b_ub=limits if len(rows) else None, bounds=bounds
    )
    found = least_optimum(rows, bounds, cost)
    if found is None:
        assert other.status == 2
    else:
        assert (found[0][rows[:, 1]] - found[0][rows[:, 0]] >= rows[:, 2]).all()
        assert other.fun == pytest.approx(found[1])


def test_costs_that_are_no_multiples_are_refused() -> None:
    assert whole_costs([1.0, -0.0625]).tolist() == [16, -1]
    with pytest.raises(AssertionError, match="no multiple"):
        whole_costs([0.03])
    with pytest.raises(AssertionError, match="too large"):
        whole_costs([1e8])
