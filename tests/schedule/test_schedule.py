"""Schedules: the fewest registers against brute force, and checkers that see a wrong schedule."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cipherwright.errors import UserError
from cipherwright.graph import STATIC, Graph, GraphBuilder
from cipherwright.schedule import (
    UNIT,
    DelayModel,
    Io,
    Schedule,
    logic_cells,
    register_classes,
    schedule,
    shortest_period,
    solve,
)
from cipherwright.schedule.kept import kept_solution, packed, program_digest
from tests.conftest import Built


def small(seed: int) -> Graph:
    """A graph of up to five operations with wiring between them."""
    r, b = random.Random(seed), GraphBuilder(f"small{seed}")
    words = [b.input("x", 4), b.input("y", 4)]
    for k in range(r.randrange(2, 6)):
        p, q = r.choice(words), r.choice(words)
        if r.random() < 0.4:
            p = b.select(p, [r.randrange(4) for _ in range(4)])
        words.append(
            b.named(b.xor(p, q) if r.random() < 0.6 and p != q else b.lut(0b0111, p, b.not_(q)), f"w{k}")
        )
    b.output("o", words[-1])
    if r.random() < 0.5:
        b.output("p", b.select(words[r.randrange(len(words))], (2, 0)))
    return b.build()


def assignments(g: Graph, stages: int, period: float, io: Io) -> Iterator[Schedule]:
    """Every choice of a stage for each operation, also such as are no schedule."""
    logic = [i for i in g.logic() if g.agile[i]]
    for choice in itertools.product(range(io.first, stages), repeat=len(logic)):
        stage = [0] * len(g.nodes)
        for name, i in g.inputs.items():
            stage[i] = io.arrival(name)
        for i, s in zip(logic, choice, strict=True):
            stage[i] = s
        yield Schedule(g, tuple(stage), stages, io, UNIT, period)


def holds(s: Schedule) -> bool:
    try:
        s.verify()
        s.verify_timing()
    except ValueError:
        return False
    return True


def brute_force(g: Graph, stages: int, period: float, io: Io) -> int | None:
    """Fewest register bits over all assignments of stages."""
    return min((s.register_bits() for s in assignments(g, stages, period, io) if holds(s)), default=None)


@pytest.mark.parametrize("seed", range(40))
def test_registers_are_the_fewest(seed: int) -> None:
    g = small(seed)
    io = Io(arrive=(("y", -1),)) if seed % 3 == 0 else Io()
    for stages in (1, 2, 3):
        period = shortest_period(g, UNIT, stages, io)
        found = schedule(g, UNIT, stages=stages, io=io)
        assert found.period == period
        assert found.register_bits() == brute_force(g, stages, period, io)
        loose = schedule(g, UNIT, stages=stages, period=period + 1, io=io)
        assert loose.register_bits() == brute_force(g, stages, period + 1, io)


@pytest.mark.parametrize("seed", range(10))
def test_the_shortest_period_is_the_shortest(seed: int) -> None:
    g = small(seed)
    for stages in (1, 2, 3):
        period = shortest_period(g, UNIT, stages, Io())
        assert brute_force(g, stages, period, Io()) is not None
        assert brute_force(g, stages, period - 0.5, Io()) is None


def chain(n: int) -> Graph:
    b = GraphBuilder("chain")
    x, y = b.input("x", 1), b.input("y", 1)
    for _ in range(n):
        x = b.node("lut", 1, (x, y), 0b0110 if n % 2 else 0b0111)
        y = b.not_(x)
    b.output("o", y)
    return b.build()


@pytest.mark.parametrize("seed", range(0, 40, 10))
def test_a_kept_solution_is_taken_where_it_is_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    g, stages = small(seed), 3
    least = schedule(g, UNIT, stages)
    digests: list[str] = []

    def kept(rows: Any, bounds: Any, cost: Any, best: float) -> Any:
        digests.append(program_digest(rows, bounds, cost))
        return kept_solution(rows, bounds, cost, best)

    monkeypatch.setattr(solve, "kept_solution", kept)
    assert schedule(g, UNIT, stages) == least
    operations = [*g.inputs.values(), *(i for i in g.logic() if g.agile[i])]

    def keep(stage: Sequence[int]) -> None:
        """Of a schedule, and of the last cycle of each of its register classes."""
        ends = [
            max([*(stage[u] for u in users), *(stages for _ in outs)], default=0)
            for _, _, users, outs in register_classes(g)
        ]
        text = packed(np.array([*(stage[i] for i in operations), *ends]))
        monkeypatch.setattr("cipherwright.schedule.kept.library", lambda: {digests[0]: text})

    for other in assignments(g, stages, least.period, least.io):
        best = holds(other) and other.register_bits() == least.register_bits()
        keep(other.stage)
        assert schedule(g, UNIT, stages) == (other if best else least)  # not one that costs more
        keep([s + 200 for s in other.stage])  # nor one that breaks constraints
        assert schedule(g, UNIT, stages) == least


def test_live_sets_count_what_register_bits_counts() -> None:
    s = schedule(small(7), UNIT, stages=3)
    assert (
        sum(len(bits) for k in range(3) for bits in s.live_out(k).values())
        == s.register_bits()
        == sum(s.rank_bits().values())
    )


def test_static_values_cost_no_registers() -> None:
    b = GraphBuilder("g")
    x, k = b.input("x", 8), b.input("k", 8, STATIC)
    for _ in range(3):
        x = b.xor(b.not_(x), b.not_(k))
    b.output("o", x)
    assert schedule(b.build(), UNIT, stages=3).register_bits() == 24


def test_verify_sees_a_wrong_schedule() -> None:
    """Mutation: each operation moved to every other stage; verify() or verify_timing() must object."""
    s = schedule(chain(3), UNIT, stages=6)
    assert s.period == 1.0
    for i in s.graph.logic():
        for wrong in set(range(-1, 7)) - {s.stage[i]}:
            moved = replace(s, stage=(*s.stage[:i], wrong, *s.stage[i + 1 :]))
            with pytest.raises(ValueError, match=r"stage|too early|before"):
                moved.verify()
                moved.verify_timing()


def test_impossible_wishes_name_the_nearest() -> None:
    with pytest.raises(
        UserError, match=r"2 stages reach 3\.000 ns .* not 1\.000 ns; that period takes stages = 6 or more"
    ):
        schedule(chain(3), UNIT, stages=2, period=1.0)
    with pytest.raises(UserError, match=r"no number of stages reaches 0\.500 ns"):
        schedule(chain(3), UNIT, period=0.5)
    with pytest.raises(UserError, match="ask for a number of stages"):
        schedule(chain(3), UNIT)
    b = GraphBuilder("hop")
    b.output("o", b.not_(b.node("hop", 1, (b.not_(b.input("x", 1)),), 0)))
    with pytest.raises(UserError, match="2 stages can't hold this design; it takes stages = 3 or more"):
        schedule(b.build(), UNIT, stages=2)


def test_delay_models_take_the_next_larger_entry() -> None:
    m = DelayModel.from_table("m", {"register": 1.0, "lut4": 0.5, "lut6": 0.8, "add8": 1.0})
    assert m.look_up("lut2") == 0.5
    assert m.look_up("lut5") == 0.8
    assert m.look_up("add16") == 2.0
    with pytest.raises(UserError, match="the delays of mul on m are not known, so no stages can be planned"):
        m.look_up("mul8")


def test_late_round_keys_by_price(built: Callable[..., Built]) -> None:
    """Both ways are scheduled; the record tells both prices, and the cheaper one is built."""
    for preset, more in (("khazad-ucl-small", "direction=decrypt"), ("misty1-ucl", "direction=encrypt")):
        core, folder = built(preset, more, "stages=110", "key_words=priced")
        words = folder.record["key_words"]
        assert set(words["logic_cells"]) == {"kept", "recomputed"}
        assert words["logic_cells"][words["chosen"]] == min(words["logic_cells"].values())
        assert (
            logic_cells(core.schedule, core.parameters["srl_from"]) == words["logic_cells"][words["chosen"]]
        )


def test_delay_lines_tell_what_they_save(built: Callable[..., Built]) -> None:
    core, folder = built("misty1-ucl")
    lines = folder.record["delay_lines"]
    assert lines["shift_luts"] == core.design.shift_luts() > 2000
    assert (
        lines["flip_flops"] + lines["flip_flops_saved"]
        == lines["flip_flops_without"]
        == core.schedule.register_bits()
    )
