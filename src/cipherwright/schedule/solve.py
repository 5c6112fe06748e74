"""Finding the schedule: the shortest period or fewest stages by relaxation, then the fewest register bits
exactly.

This is minimum-register retiming (C. E. Leiserson and J. B. Saxe, Retiming Synchronous Circuitry,
Algorithmica 6, 1991): for given stages and period the minimum of register bits is a linear program over a
system of difference constraints. `least.py` solves it in integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..errors import UserError
from ..graph import OPS, Graph
from ..wording import counted
from .delay import DelayModel
from .kept import kept_solution
from .least import Broken, Ints, least_optimum
from .period import LongPaths, as_rows
from .price import SHIFT_LUT, logic_cells
from .rounds import Ties, ties_of
from .schedule import Io, Schedule, edge_latency, register_classes, stage_map

__all__ = [
    "MOST_PAIRS",
    "TooFewStages",
    "earliest",
    "fewest_stages",
    "least_stages",
    "optimum",
    "schedule",
    "shortest_period",
    "useful_stages",
]

_EPS = 1e-6
_PRICINGS = 4

MOST_PAIRS = 1 << 18
"""Pairs of operations that a period divides, which a program states before it is solved."""

_DEAR = 1.01
"""What equal rounds may cost, as a multiple of the logic cells without them."""


class TooFewStages(UserError):
    """So many stages hold no design, or miss the period that was asked for; the message says what reaches
    it.
    """


@lru_cache(maxsize=2)
def _edges(graph: Graph) -> dict[int, dict[int, int]]:
    """Agile def-use edges between operations and inputs through wiring: user -> {source: registers
    needed}.
    """
    out: dict[int, dict[int, int]] = {}
    for i in graph.logic():
        if graph.agile[i]:
            sources = {s for a in graph.nodes[i].args for s, _ in graph.bits[a] if graph.agile[s]}
            out[i] = {s: edge_latency(graph, s, i) for s in sorted(sources)}
    return out


Timed = list[tuple[int, float, list[tuple[int, int]]]]
"""Operations, each with its delay and (source, registers needed) of its edges."""


def _timed(graph: Graph, model: DelayModel) -> Timed:
    return [
        (i, model.delay(graph, graph.nodes[i]), list(sources.items())) for i, sources in _edges(graph).items()
    ]


def earliest(
    graph: Graph, model: DelayModel, period: float, io: Io, timed: Timed | None = None
) -> dict[int, int] | None:
    """Earliest stage of every agile operation and input of `graph` by its index, or None where one operation
    alone exceeds the period.

    model: the delays; period: of the clock, in ns, register included; io: when inputs arrive. When outputs
    leave does not matter here.
    timed: what `_timed` gives for the graph and the model, where it is known.
    """
    found = _filled(graph, timed or _timed(graph, model), period - model.register + _EPS, io)
    return found.stage if found.fits else None


@dataclass(frozen=True)
class _Filled:
    """Stages filled one after another. fits: no operation alone exceeds the room of a stage; stage: of every
    operation and input, as far as it fits. longest: delay in a stage; over: the least delay that did not fit
    in one. With any room from `longest` on and below `over` it is the same.
    """

    fits: bool
    stage: dict[int, int]
    longest: float
    over: float


def _filled(graph: Graph, timed: Timed, room: float, io: Io) -> _Filled:
    """The earliest stage of everything where a stage has room for a delay of `room` (ns)."""
    stages = {i: io.arrival(n) for n, i in graph.inputs.items() if graph.agile[i]}
    times = dict.fromkeys(stages, 0.0)
    longest, over, first = 0.0, float("inf"), io.first
    for i, delay, sources in timed:
        if delay > room:
            return _Filled(False, stages, longest, min(over, delay))
        stage, time = first, 0.0
        for s, latency in sources:
            made, after = stages[s], times[s]
            if latency:
                made, after = made + latency, 0.0
            if made > stage or (made == stage and after > time):
                stage, time = made, after
        time += delay
        if time > room:
            over = min(over, time)
            stage, time = stage + 1, delay
        longest = max(longest, time)
        stages[i], times[i] = stage, time
    return _Filled(True, stages, longest, over)


def _fits(
    graph: Graph, model: DelayModel, period: float, io: Io, stages: int, timed: Timed | None = None
) -> bool:
    return _holds(graph, earliest(graph, model, period, io, timed), io, stages)


def _holds(graph: Graph, at: Mapping[int, int] | None, io: Io, stages: int) -> bool:
    """Whether so many stages hold everything that is placed `at` its earliest stage."""
    if at is None or max(at.values(), default=0) >= stages:
        return False
    return all(
        at[s] <= io.departure(n, stages) for n, i in graph.outputs for s, _ in graph.bits[i] if s in at
    )


def fewest_stages(graph: Graph, model: DelayModel, period: float, io: Io) -> int | None:
    """Fewest stages that reach a period (ns), or None where no number does. `graph`, `model`, `period` and
    `io` are those of `earliest`.

    >>> from cipherwright.graph import GraphBuilder
    >>> from cipherwright.schedule import UNIT
    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> fewest_stages(b.build(), UNIT, 2.0, Io()), fewest_stages(b.build(), UNIT, 1.0, Io())
    (1, 2)
    >>> fewest_stages(b.build(), UNIT, 0.5, Io()) is None
    True
    """
    at = earliest(graph, model, period, io)
    return None if at is None else max([*(s + 1 for s in at.values()), 1])


def least_stages(graph: Graph, model: DelayModel, period: float | None, io: Io, below: int) -> int | None:
    """The fewest stages that hold all of `graph` at a `period` in ns (None: at any), outputs that leave early
    included; None where that takes `below` stages or more. `model` and `io` are those of `earliest`.
    """
    timed, wanted = _timed(graph, model), period or _ENDLESS
    return next((n for n in range(1, below) if _fits(graph, model, wanted, io, n, timed)), None)


def useful_stages(s: Schedule) -> int:
    """Stages that the schedule `s` has use for: with so many its period can be kept, and what is beyond them
    only delays.
    """
    found = fewest_stages(s.graph, s.model, s.period, s.io)
    assert found is not None, "a schedule's period has a number of stages"
    return found


def shortest_period(graph: Graph, model: DelayModel, stages: int, io: Io) -> float:
    """Shortest period (ns) of `graph` with so many `stages`, by the delays of `model`, to 1e-4 ns; infinity
    where even an endless period is too short. `io`: when ports have their values.

    >>> from cipherwright.graph import GraphBuilder
    >>> from cipherwright.schedule import UNIT
    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> [shortest_period(b.build(), UNIT, stages, Io()) for stages in (1, 2)]
    [2.0, 1.0]
    """
    low, high = model.register, model.register + model.levels(graph) + 1.0
    timed = _timed(graph, model)
    if not _fits(graph, model, high, io, stages, timed):
        return float("inf")
    enough, short = float("inf"), 0.0  # rooms of a stage that are known to be
    while high - low > 1e-5:
        mid = (low + high) / 2
        room = mid - model.register + _EPS
        if short <= room < enough:
            found = _filled(graph, timed, room, io)
            if found.fits and _holds(graph, found.stage, io, stages):
                enough = found.longest
            else:
                short = found.over
        low, high = (low, mid) if room >= enough else (mid, high)
    return round(high + 1e-5, 4)


_ENDLESS = 1e9
"""A period in ns in which everything fits that fits at all."""

_MOST_STAGES = 10_000
"""Stages with which every graph fits that fits at all."""


def _without_room(graph: Graph, model: DelayModel, stages: int, io: Io) -> str:
    """Why a graph does not fit so many stages at any period, in a sentence."""
    if _fits(graph, model, _ENDLESS, io, stages + _MOST_STAGES):
        more = range(stages + 1, stages + _MOST_STAGES)
        low = next(n for n in more if _fits(graph, model, _ENDLESS, io, n))
        return f"{counted(stages, 'stage')} can't hold this design; it takes stages = {low} or more"
    hops = sorted({graph.nodes[n.args[0]].name or n.name for n in graph.nodes if n.op == "hop"})
    if not hops:
        return "no number of stages can hold this design: an input is needed before it comes"
    return (
        f"no number of stages can hold this design with hops = {hops}: one of these values is needed in the "
        f"cycle in which it is made; leave it out of hops"
    )


def schedule(
    graph: Graph,
    model: DelayModel,
    stages: int | None = None,
    period: float | None = None,
    io: Io | None = None,
    srl_from: int = 0,
    equal_rounds: bool = False,
) -> Schedule:
    """The schedule of `graph` with the fewest register bits for `stages`, for `period` (ns, register
    included), or for both; `model` has the delays.

    io: when ports have their values; left out, all inputs come at stage 0 and all outputs leave after the
    last rank.
    srl_from: delays of at least so many cycles are shift-register LUTs (0: none); then the schedule with the
    fewest logic cells that is found.
    equal_rounds: rounds that are alike get equal places (see `rounds.py`), where that is possible and costs
    at most 1 % more logic cells.

    Raises UserError where it can't be done, and says the nearest that can.

    >>> from cipherwright.graph import GraphBuilder
    >>> from cipherwright.schedule import UNIT  # every operation takes 1 ns, a register nothing
    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> found = schedule(b.build(), UNIT, stages=2)
    >>> found.period, found.rank_bits()  # after the AND: its result and z; after the XOR: the sum
    (1.0, {1: 8, 2: 4})
    """
    io = io or Io()
    stages = stages if stages is not None else _stages_for(graph, model, period, io)
    period = _period_for(graph, model, stages, period, io)
    program = _Program(graph, model, stages, period, io)
    solved = program.solve()
    assert solved is not None
    first = Schedule(graph, stage_map(graph, solved), stages, io, model, period)
    found, prices = _priced(first, program, srl_from) if srl_from else (first, None)
    if equal_rounds:
        found = _with_equal_rounds(found, program, prices, srl_from)
    found.verify()
    found.verify_timing()
    return found


def _stages_for(graph: Graph, model: DelayModel, period: float | None, io: Io) -> int:
    """The fewest stages for a period. Raises UserError where no number reaches it."""
    if period is None:
        raise UserError("ask for a number of stages, a clock, or both")
    stages = fewest_stages(graph, model, period, io)
    if stages is not None:
        return stages
    raise UserError(
        f"no number of stages reaches {period:.3f} ns ({1000 / period:.0f} MHz): {_slowest(graph, model)}"
    )


def _slowest(graph: Graph, model: DelayModel) -> str:
    """The operation that limits the clock, and the clock that it allows, as a part of a sentence."""
    slow = max((n for i, n in enumerate(graph.nodes) if graph.agile[i]), key=lambda n: model.delay(graph, n))
    most = model.delay(graph, slow) + model.register
    return (
        f"one operation ({model.key(graph, slow)}) takes {most:.3f} ns with its register, so ask for at most "
        f"{int(1000 / most)} MHz"
    )


def _period_for(graph: Graph, model: DelayModel, stages: int, period: float | None, io: Io) -> float:
    """The period that was asked for, or the shortest that so many stages reach. Raises TooFewStages where
    they hold no design or miss the period.
    """
    if period is not None and _fits(graph, model, period, io, stages):
        return period
    best = shortest_period(graph, model, stages, io)
    if best == float("inf"):
        raise TooFewStages(_without_room(graph, model, stages, io))
    if period is None or best <= period + _EPS:
        return best if period is None else period
    need = fewest_stages(graph, model, period, io)
    more = (
        f"that period takes stages = {need} or more"
        if need
        else f"no number of stages reaches that period: {_slowest(graph, model)}"
    )
    raise TooFewStages(
        f"{counted(stages, 'stage')} reach{'es' * (stages == 1)} {best:.3f} ns ({1000 / best:.0f} MHz) by "
        f"the delay model, not {period:.3f} ns; {more}"
    )


def _priced(found: Schedule, program: _Program, srl_from: int) -> tuple[Schedule, list[float] | None]:
    """The schedule with the fewest logic cells that is found, and the prices of the last one tried: a delay
    that a shift-register LUT takes grows at a sixteenth of the price of flip-flops.
    """
    asked: list[float] = []
    for _ in range(_PRICINGS):
        prices = [_price(found, c, srl_from) for c in program.classes]
        if prices == asked:
            break
        asked, again = prices, program.solve(prices)
        assert again is not None
        other = Schedule(
            found.graph, stage_map(found.graph, again), found.stages, found.io, found.model, found.period
        )
        if logic_cells(other, srl_from) >= logic_cells(found, srl_from):
            break
        found = other
    return found, asked or None


def _with_equal_rounds(s: Schedule, program: _Program, prices: list[float] | None, srl_from: int) -> Schedule:
    """The schedule with equal rounds at equal places, or the same one where that can't be or takes over 1 %
    more logic cells.
    """
    ties = ties_of(s.graph, s.stage)
    stages = program.solve(prices, ties) if ties else None
    if stages is None:
        return s
    moved = stage_map(s.graph, stages)
    other = Schedule(s.graph, moved, s.stages, s.io, s.model, s.period, moved != s.stage)
    dear = logic_cells(other, srl_from) > _DEAR * logic_cells(s, srl_from)
    return s if dear else other


def _price(s: Schedule, c: tuple[int, int, tuple[int, ...], tuple[str, ...]], srl_from: int) -> float:
    """Price of one more cycle of a register class, a flip-flop being 1."""
    src, _, users, outs = c
    last = max([*(s.reads(u) for u in users), *(s.io.departure(o, s.stages) for o in outs)])
    return 1 / SHIFT_LUT if last - s.made(src) >= srl_from else 1.0


class _Program:
    """The linear program of the fewest register bits: built once, solved for one price of a cycle each
    class or several.
    """

    def __init__(self, graph: Graph, model: DelayModel, stages: int, period: float, io: Io) -> None:
        edges = _edges(graph)
        fixed = {i: io.arrival(n) for n, i in graph.inputs.items() if graph.agile[i]}
        self.index = {i: k for k, i in enumerate([*fixed, *edges])}
        self.classes = register_classes(graph)
        index, rows = self.index, []  # (a, b, w): x_b - x_a >= w
        for v, sources in edges.items():
            rows += [(index[s], index[v], latency) for s, latency in sources.items()]
        delay = {i: model.delay(graph, graph.nodes[i]) for i in edges}
        self.paths = LongPaths(edges, delay, period - model.register + _EPS)
        pairs = self.paths.pairs(MOST_PAIRS)
        self.whole = pairs is not None
        rows += [(index[u], index[v], 1) for u, v in pairs or ()]
        self.bounds: list[tuple[float, float]] = [
            *((s, s) for s in fixed.values()),
            *[(io.first, stages - 1)] * len(edges),
        ]
        for n, (src, _, users, outs) in enumerate(self.classes):
            last = max((io.departure(o, stages) for o in outs), default=io.first)
            early = min((io.departure(o, stages) for o in outs), default=None)
            if early is not None:
                low, high = self.bounds[index[src]]
                self.bounds[index[src]] = (low, min(high, early))
            self.bounds.append((last, stages))
            t = len(index) + n
            rows += [(index[u], t, -OPS[graph.nodes[u].op].clocked) for u in users] + [
                (index[src], t, int(OPS[graph.nodes[src].op].clocked))
            ]
        self.rows = np.array(rows)
        if not self.whole:
            self._narrow(earliest(graph, model, period, io) or {})

    def _narrow(self, first: Mapping[int, int]) -> None:
        """Bounds as narrow as the period makes them. `first`: the earliest stage of every operation."""
        index, bounds = self.index, self.bounds
        last = self.paths.latest({i: int(bounds[index[i]][1]) for i in self.paths.edges})
        for i, stage in last.items():
            bounds[index[i]] = (max(bounds[index[i]][0], first[i]), stage)

    def _broken(self, x: Ints) -> Ints:
        """Rows for the period that the point `x` breaks and that the program does not state."""
        first = len(self.index) - len(self.paths.edges)  # behind the inputs
        return as_rows(self.paths.broken(x[first : len(self.index)]), self.index)

    def solve(self, prices: Sequence[float] | None = None, ties: Ties | None = None) -> dict[int, int] | None:
        """Stages of all agile operations and inputs; None where `ties` between them leave no solution."""
        cost = [0.0] * len(self.bounds)
        for n, (src, bits, _, _) in enumerate(self.classes):
            price = bits * (prices[n] if prices else 1.0)
            cost[self.index[src]] -= price
            cost[len(self.index) + n] = price
        if ties is not None:
            joined = self._joined(cost, ties)
            return None if joined is None else {i: int(joined[k]) for i, k in self.index.items()}
        found = self._optimum(self.rows, self.bounds, cost, self._broken)
        assert found is not None, "the register program has no solution"
        return {i: int(found[k]) for i, k in self.index.items()}

    def _joined(self, cost: Sequence[float], ties: Ties) -> Ints | None:
        """The solution where tied variables are one: x = (its leader's x) + (its stages behind it)."""
        lead, shift = np.arange(len(self.bounds)), np.zeros(len(self.bounds), dtype=np.int64)
        for i, (leader, behind) in ties.items():
            lead[self.index[i]], shift[self.index[i]] = self.index[leader], behind
        bounds, total = list(self.bounds), np.zeros(len(self.bounds))
        for k, ((low, high), price) in enumerate(zip(self.bounds, cost, strict=True)):
            total[lead[k]] += price
            own = bounds[lead[k]]
            bounds[lead[k]] = (max(own[0], low - shift[k]), min(own[1], high - shift[k]))
        a, b, w = self.rows.T
        rows = np.stack([lead[a], lead[b], w - shift[b] + shift[a]], axis=1)
        same = rows[:, 0] == rows[:, 1]
        if (rows[same, 2] > 0).any() or any(low > high for low, high in bounds):
            return None
        # Variables that follow another one cost nothing and are read from their leader.
        order = np.lexsort((-rows[:, 2], rows[:, 1], rows[:, 0]))
        rows = rows[order][~same[order]]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
        total[lead != np.arange(len(lead))] = 0

        def broken(x: Ints) -> Ints:
            a, b, w = self._broken(x[lead] + shift).T
            return np.stack([lead[a], lead[b], w - shift[b] + shift[a]], axis=1)

        found = self._optimum(rows[first], bounds, total.tolist(), broken)
        return None if found is None else found[lead] + shift

    def _optimum(
        self, rows: Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float], broken: Broken
    ) -> Ints | None:
        if self.whole:
            return optimum(rows, bounds, cost)
        found = least_optimum(rows, bounds, cost, broken)
        return None if found is None else found[0]


def optimum(rows: Ints, bounds: Sequence[tuple[float, float]], cost: Sequence[float]) -> Ints | None:
    """A solution of a register program of the least cost: the kept one (`kept_solution`), or else the least
    (`least_optimum`); None where there is none. `rows`: (a, b, w) for x_b - x_a >= w; `bounds`: of every x,
    both included; `cost`: of every x, multiples of 1/16.
    """
    found = least_optimum(rows, bounds, cost)
    if found is None:
        return None
    least, best = found
    kept = kept_solution(rows, bounds, cost, best)
    return least if kept is None else kept
