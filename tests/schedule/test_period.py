"""What a period divides: stated in full or found on the way, the schedule is the same, and the work is small
where there are many pairs.
"""

from __future__ import annotations

import pytest

from cipherwright.graph import Graph, GraphBuilder
from cipherwright.schedule import UNIT, Schedule, schedule, solve
from cipherwright.schedule.least import Ints
from cipherwright.schedule.period import LongPaths
from tests.schedule.test_schedule import small


def butterfly(levels: int, bits: int) -> Graph:
    """Bits of which each reads itself and another one a power of two away, again and again: as many pairs a
    level as a prefix adder has. Another word waits for the last level.
    """
    b = GraphBuilder("butterfly")
    word = [b.input(f"x{k}", 1) for k in range(bits)]
    for level in range(levels):
        apart = 1 << level % (bits.bit_length() - 1)
        word = [b.xor(word[k], b.not_(word[(k + apart) % bits])) for k in range(bits)]
    late = b.input("late", bits)
    b.output("sum", b.and_(b.cat(*word), b.xor(late, b.not_(b.select(late, range(bits))))))
    return b.build()


def found_on_the_way(monkeypatch: pytest.MonkeyPatch, g: Graph, stages: int, **more: bool) -> Schedule:
    """The schedule where no pair is stated before."""
    with monkeypatch.context() as m:
        m.setattr(solve, "MOST_PAIRS", -1)
        return schedule(g, UNIT, stages, **more)


@pytest.mark.parametrize("seed", range(40))
def test_pairs_found_on_the_way_give_the_same_schedule(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    g = small(seed)
    for stages in (1, 2, 3):
        assert found_on_the_way(monkeypatch, g, stages) == schedule(g, UNIT, stages)


@pytest.mark.parametrize("stages", [2, 3, 5])
def test_the_same_where_there_are_many(stages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    g = butterfly(8, 16)
    assert found_on_the_way(monkeypatch, g, stages) == schedule(g, UNIT, stages)


def rounds(count: int) -> Graph:
    """Rounds that are alike, of unequal paths."""
    b = GraphBuilder("rounds")
    word = [b.input(f"x{k}", 1) for k in range(4)]
    for number in range(1, count + 1):
        b.section(f"round {number}")
        a, c = b.not_(b.xor(word[0], word[1])), b.not_(b.not_(word[2]))
        word = [b.and_(a, c), word[3], b.xor(c, word[3]), a]
    b.output("o", b.cat(*word))
    return b.build()


@pytest.mark.parametrize("stages", [3, 5, 6, 8])
def test_equal_rounds_are_the_same(stages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    g = rounds(4)
    whole = schedule(g, UNIT, stages, equal_rounds=True)
    assert found_on_the_way(monkeypatch, g, stages, equal_rounds=True) == whole


def test_a_missed_pair_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: no pair is ever found. Some schedules need one beside the bounds that a period gives."""
    monkeypatch.setattr(LongPaths, "broken", lambda *_: [])
    with pytest.raises(ValueError, match="takes"):
        found_on_the_way(monkeypatch, butterfly(24, 64), 4)


def test_few_pairs_are_found_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget of a program with many pairs: those that it states, and the points that it asks of."""
    g, found, known, asked = butterfly(24, 64), list[int](), LongPaths.broken, list[LongPaths]()

    def counted(paths: LongPaths, stage: Ints) -> list[tuple[int, int]]:
        pairs = known(paths, stage)
        found.append(len(pairs))
        asked.append(paths)
        return pairs

    monkeypatch.setattr(LongPaths, "broken", counted)
    found_on_the_way(monkeypatch, g, 4)
    operations, whole = len(asked[0].edges), asked[0].pairs(10**6)
    assert whole is not None and len(whole) > 100 * operations
    assert 0 < sum(found) < operations
    assert len(found) < 10


def test_pairs_are_not_counted_beyond_the_most() -> None:
    """Of a chain of n operations with room for one, a pair each but for the last."""
    chain = {i: {i - 1: 0} if i else {} for i in range(50)}
    paths = LongPaths(chain, dict.fromkeys(chain, 1.0), 1.5)
    assert paths.pairs(49) == [(i, i + 1) for i in range(49)]
    assert paths.pairs(48) is None
