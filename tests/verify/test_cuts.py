"""Cut points make a comparison smaller, and never let two different circuits pass for equal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cipherwright.verify.aig import Aig
from cipherwright.verify.cuts import Comparison, Cut, cut, restricted
from cipherwright.verify.equivalence import all_equal

WIDTH = 24
Step = Callable[[Aig, list[int], list[int]], list[int]]


def round_one(g: Aig, state: list[int], key: list[int]) -> list[int]:
    """A toy round: neighbours combined, then the key added."""
    n = len(state)
    return [g.xor(g.xor(state[i], g.and_(state[(i + 1) % n], state[(i + 5) % n])), key[i]) for i in range(n)]


def round_two(g: Aig, state: list[int], key: list[int]) -> list[int]:
    """The same in another structure."""
    n = len(state)
    return [
        g.mux(state[(i + 1) % n], g.xor(g.xor(key[i], state[(i + 5) % n]), state[i]), g.xor(key[i], state[i]))
        for i in range(n)
    ]


def rare_fault(g: Aig, state: list[int], key: list[int]) -> list[int]:
    """Wrong for one state in 2^24 only: random inputs do not find it."""
    out, all_ones = round_two(g, state, key), 1
    for s in state:
        all_ones = g.and_(all_ones, s)
    return [g.xor(out[0], all_ones), *out[1:]]


def chain(core: Step, last: Step, rounds: int = 6) -> Comparison:
    g = Aig([f"x{i}" for i in range(2 * WIDTH)])
    state, key = [g.input(i) for i in range(WIDTH)], [g.input(WIDTH + i) for i in range(WIDTH)]
    got = state
    for r in range(rounds):
        got = (last if r == rounds - 2 else core)(g, got, key)
    gates, want, marks = len(g.gates), state, list[int]()
    for _ in range(rounds):
        want = round_one(g, want, key)
        marks += want
    return Comparison(g, gates, tuple(marks), tuple(got), tuple(want))


def test_equal_circuits_are_cut_at_every_round() -> None:
    c = chain(round_two, round_two)
    made = cut(c)
    assert len(made.functions) == 6 * WIDTH
    assert all_equal(made)


@pytest.mark.parametrize("rounds", [2, 6])
def test_a_rare_difference_is_found(rounds: int) -> None:
    c = chain(round_two, rare_fault, rounds)
    assert c.first_difference() is None
    assert not all_equal(cut(c))
    assert not all_equal(Cut(c.aig, c.got, c.want)) or rounds > 2


@pytest.mark.parametrize("fault", [False, True])
def test_a_walk_back_is_shown_to_repeat_its_cut(fault: bool) -> None:
    """A Feistel step and its inverse: the way back is a function of a later cut, and still no new value."""
    g = Aig([f"x{i}" for i in range(2 * WIDTH)])
    key = [g.input(WIDTH + i) for i in range(WIDTH)]
    left = round_one(g, [g.input(i) for i in range(WIDTH)], key)
    right = round_one(g, left, key)
    f = [g.and_(right[i], right[(i + 2) % WIDTH]) for i in range(WIDTH)]
    later = [g.xor(a, b) for a, b in zip(left, f, strict=True)]
    back = [g.xor(b, a) for a, b in zip(f, later, strict=True)]
    if fault:
        every = 1
        for s in later:
            every = g.and_(every, s)
        back[3] = g.xor(back[3], every)
    got, gates = round_two(g, back, key), len(g.gates)
    c = Comparison(g, gates, (*left, *right, *later), tuple(got), tuple(round_one(g, left, key)))
    assert all_equal(cut(c)) is not fault


@pytest.mark.parametrize("fault", [False, True])
def test_a_member_that_reads_its_own_cut(fault: bool) -> None:
    """A value, and the same once more behind a choice that is never taken: equal for the values that the cut
    has, not for all.
    """
    g = Aig([f"x{i}" for i in range(WIDTH)])
    x = [g.input(i) for i in range(WIDTH)]
    value = [g.xor(a, g.and_(b, c)) for a, b, c in zip(x, x[1:] + x[:1], x[5:] + x[:5], strict=True)]
    never = g.and_(value[0], g.and_(x[0], g.and_(x[1], x[5])))
    if fault:
        every = 1
        for bit in x[1:]:
            every = g.and_(every, bit)
        never = g.or_(never, g.and_(every, x[0] ^ 1))
    again = [g.and_(value[0], never ^ 1), *value[1:]]
    got, gates, marks = round_two(g, again, x), len(g.gates), list[int]()
    want = [g.mux(g.and_(b, c), a ^ 1, a) for a, b, c in zip(x, x[1:] + x[:1], x[5:] + x[:5], strict=True)]
    marks += want
    c = Comparison(g, gates, tuple(marks), tuple(got), tuple(round_one(g, want, x)))
    made = cut(c)
    assert len(made.functions) == WIDTH
    assert all_equal(made) is not fault


def sums(g: Aig, x: list[int], y: list[int], by_sum: bool) -> list[int]:
    """The bits of x + y. `by_sum`: the first carry is read from the first bit of the sum."""
    carry, out = 0, list[int]()
    for i, (a, b) in enumerate(zip(x, y, strict=True)):
        either = g.xor(a, b)
        out.append(g.xor(either, carry))
        carry = g.mux(out[0], 0, a) if by_sum and i == 0 else g.or_(g.and_(a, b), g.and_(either, carry))
    return out


@pytest.mark.parametrize("fault", [False, True])
def test_a_carry_that_seldom_runs_far(fault: bool) -> None:
    """Upper bits of a sum read the cut of its first bit; random inputs do not show it. The fault is one that
    they do not show either.
    """
    n = 28
    g = Aig([f"x{i}" for i in range(n)] + [f"y{i}" for i in range(n)])
    x, y = [g.input(i) for i in range(n)], [g.input(n + i) for i in range(n)]
    got = sums(g, x, y, False)
    if fault:
        every = 1
        for bit in x:
            every = g.and_(every, bit)
        got[-1] = g.xor(got[-1], every)
    gates = len(g.gates)
    want = sums(g, x, y, True)
    made = cut(Comparison(g, gates, tuple(want), tuple(got), tuple(want)))
    assert len(made.functions) == n
    assert all_equal(made) is not fault


def test_restricting_keeps_the_function_of_the_other_inputs() -> None:
    c = chain(round_two, round_two)
    half = restricted(c, {1: 0, 2: 1})
    assert half.first_difference() is None
    assert len(half.aig.gates) < len(c.aig.gates)
    broken = chain(round_two, lambda g, s, k: [x ^ 1 for x in round_two(g, s, k)])
    assert restricted(broken, {1: 1}).first_difference() is not None
