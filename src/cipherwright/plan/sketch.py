"""The search within a family, without text: datapaths with their registers, counted by the operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from ..arch import Scheduled, Unscheduled, widest_table
from ..datapath import Prepared, prepare, with_registers
from ..errors import UserError
from ..graph import Graph
from ..process import without_collector
from ..schedule import fewest_stages, shortest_period
from ..shell import BuiltUnit
from ..sources import read_preset
from ..spec import Datapath, Loop, parse
from ..target import Target, load_target
from .figures import Figures, alike, area_of, dominates
from .goal import Goal
from .space import Options, axes, clocks, target_name

__all__ = ["BUILT", "TOO_FAST", "TOO_LARGE", "Family", "Found", "Sketch", "figures_of", "front", "search"]


class _Rated(Protocol):
    """Something with figures."""

    @property
    def figures(self) -> Figures: ...


T = TypeVar("T", bound=_Rated)
W = TypeVar("W")

_PROBES = 6
"""The fastest clocks, at which ways to make a core are compared."""

_KEPT = 3
"""Ways that stay of an axis at most."""

_FEW = 6
"""Stages of a loop of which all numbers are looked at."""

BUILT = 3
"""Cores that are built to choose one of them."""

TOO_FAST, TOO_LARGE = "no number of stages reaches", "a core takes"

_COSTS = 4
"""Numbers that tell what a way costs at a clock."""

_SPEED = ("name", "title", "source", "stages", "stages_per_round", "clock_mhz")
"""Options that do not change a datapath without registers."""


@dataclass(frozen=True)
class Family:
    """What is searched: the `source` of the cipher, as `spec.load` takes it; options that are `fixed`; those
    of the family, `shape`; and the clocks in MHz (empty: those of the target).
    """

    source: str
    fixed: Options
    shape: Options
    clocks: tuple[float, ...] = ()
    each: bool = False
    """Lookup tables and flip-flops have limits each by themselves."""
    goal: Goal | None = None
    """What is to be best, where only that is searched: a core that can't be is not sketched."""
    scores: tuple[tuple[float, ...], ...] = ()
    """The best scores that cores of other families have for it."""

    @property
    def target(self) -> Target:
        """The device or cell library. Raises UserError where there is none of that name."""
        return load_target(target_name(self.fixed))

    @property
    def rungs(self) -> tuple[float | None, ...]:
        """Clocks that are tried, the fastest first; None alone where the number of stages is fixed."""
        if any(self.fixed.get(name) is not None for name in ("stages", "stages_per_round")):
            return self.clocks or (None,)
        return self.clocks or clocks(self.target)


@dataclass(frozen=True)
class Sketch:
    """A core before it is built: its options without those that are fixed, and its figures, of which
    flip-flops and latency are without what is around the datapath.
    """

    options: Options
    figures: Figures


@dataclass(frozen=True)
class Found:
    """What a search found: `sketches`, of which none dominates another; how many cores were looked at
    (`tried`); and why others are refused (`refused`), some of them because the device is too small (`full`).
    `scores`: the best for the family's goal, up to `BUILT`, those that were known before among them.
    """

    sketches: tuple[Sketch, ...]
    tried: int
    refused: tuple[str, ...]
    full: bool = False
    scores: tuple[tuple[float, ...], ...] = ()


@dataclass
class _Search:
    """One family: what is known already. `stated`: what its source states; `ready`: datapaths without
    registers, by their options; `good`: those of its sketches that keep the goal's limits, of which none
    dominates another.
    """

    family: Family
    stated: Options
    target: Target
    ready: dict[str, Prepared]
    good: list[Sketch] = field(default_factory=list)
    tried: int = 0
    refused: dict[str, None] = field(default_factory=dict)
    full: bool = False

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """What is refused in a `with` statement is left out, and its reason is kept."""
        try:
            yield
        except (UserError, ValueError) as e:
            self.refused[str(e)] = None

    def spec(self, options: Options, mhz: float | None) -> Datapath:
        """A core of the family. Raises UserError where there is none."""
        f = self.family
        speed = {} if mhz is None else {"clock_mhz": mhz}
        spec = parse({"name": "core", **self.stated, **f.fixed, **f.shape, **options, **speed})
        if not isinstance(spec, Datapath):
            raise UserError(f"{spec.name} is an engine, which has one shape")
        return spec

    def prepared(self, spec: Datapath) -> Prepared:
        """Its datapath without registers. Where that has no tables, every clock has the same one."""
        known = {k: v for k, v in spec.options().items() if k not in _SPEED}
        # A loop that reads held keys is made for a number of stages; no other one is.
        least = spec.least_stages if isinstance(spec, Loop) and spec.key_expansion == "unit" else 0
        any_clock = repr((known, least))
        one_clock = repr((known, least, widest_table(spec, self.target.delay)))
        ready = self.ready.get(any_clock) or self.ready.get(one_clock)
        if ready is None:
            ready = prepare(spec)
            tables = any(n.op == "lookup" for u in ready.found.values() for n in u.graph.nodes)
            self.ready[one_clock if tables else any_clock] = ready
        return ready

    def need(self, way: Options, mhz: float | None) -> tuple[float, ...] | None:
        """What a way to make the core costs at a clock: lookup tables, block RAMs, multipliers, stages (where
        no clock is asked for, the longest path instead). None: there is no such core.
        """
        found = self.graph(way, mhz)
        if found is None:
            return None
        area, model = area_of(found.graph, self.target), self.target.delay
        if mhz is None:
            return (*area, model.levels(found.graph))
        stages = fewest_stages(found.graph, model, 1000 / mhz, found.io)
        if stages is None and self.family.clocks:
            self.refused[f"{TOO_FAST} {mhz:g} MHz by the delay model"] = None
        return (*area, stages) if stages else None

    def graph(self, way: Options, mhz: float | None) -> Unscheduled | None:
        """The datapath of a core without registers. None: there is no such core."""
        with self.refusing():
            return next(iter(self.prepared(self.spec(way, mhz)).found.values()))
        return None

    def profile(self, way: Options) -> tuple[float, ...] | None:
        """What a way costs at the fastest clocks, one after the other. None: there is no such core."""
        found = [self.need(way, mhz) for mhz in self.family.rungs[:_PROBES]]
        if not any(found):
            return None
        return tuple(cost for costs in found for cost in costs or (float("inf"),) * _COSTS)

    def ways(self) -> list[Options]:
        """Ways to make the core, of which none is worse than another in every respect."""
        kept: list[Options] = []
        with self.refusing():
            first = self.spec({}, self.family.rungs[0])
            known = {**self.family.fixed, **self.family.shape}
            kept = [{}]
            for axis in axes(first, self.target, known):
                ways = [{**way, **value} for way in kept for value in axis]
                tried = [(way, self.profile(way)) for way in ways]
                self.tried += len(tried)
                kept = _best(_undominated((way, costs) for way, costs in tried if costs))
        return kept

    def ladder(self, ways: Sequence[Options]) -> Iterator[Sketch]:
        """The core at every clock, from the fastest to that of a single stage: at each the ways of which none
        is worse than another, each at the highest clock of its number of stages. Of a loop, all numbers up to
        `_FEW`.
        """
        seen, open_ = set[tuple[int, float]](), list(range(len(ways)))
        able = set[int]()
        for mhz in self.family.rungs:
            costs = [(i, c) for i in open_ if (c := self.need(ways[i], mhz))]
            able |= {i for i, _ in costs}
            for i, (*_, stages) in _undominated(costs):
                if (i, stages) not in seen:
                    seen.add((i, stages))
                    yield from self.at_clocks(ways[i], mhz, int(stages))
            open_ = [i for i in open_ if (i, 1) not in {(j, c[-1]) for j, c in costs}]
        if not self.loops or self.family.rungs != clocks(self.target):
            return
        for i in sorted(able):
            for stages in range(1, _FEW + 1):
                yield from self.sketch({**ways[i], "stages": stages}, None)

    @property
    def loops(self) -> bool:
        """Whether the family's cores are loops."""
        return {**self.family.fixed, **self.family.shape}.get("architecture") == "iterative"

    def at_clocks(self, way: Options, mhz: float | None, stages: int) -> Iterator[Sketch]:
        """A core of so many stages at their highest clock, and a loop also at `mhz`, where it may have fewer
        flip-flops. Where a clock is asked for, at that alone.
        """
        if mhz is None or self.family.clocks:
            yield from self.sketch(way, mhz)
            return
        highest = self.highest(way, mhz, stages)
        for clock in dict.fromkeys((highest, mhz) if self.loops else (highest,)):
            yield from self.sketch(way, clock)

    def sketch(self, way: Options, clock: float | None) -> Iterator[Sketch]:
        """A core with its registers, if there is one. None: its stages are asked for, and no clock."""
        self.tried += 1
        with self.refusing():
            spec = self.spec(way, clock)
            ready = self.prepared(spec)
            # Where ways to make late round keys are to be priced, each has its own number of stages.
            first, *others = ready.found.values()
            if not others and self.hopeless(spec, first, clock):
                return
            made, unit = with_registers(spec, ready)
            figures = figures_of(spec, made, unit, self.target)
            used = {name: getattr(figures, name) or 0 for name in ("luts", "ffs", "brams", "dsps")}
            if beyond := self.target.beyond(used):
                self.full = True
                raise UserError(f"{TOO_LARGE} {' and '.join(beyond)}")
            options = {**self.family.shape, **way, **({} if clock is None else {"clock_mhz": clock})}
            figures = figures.at(clock) if clock and self.family.clocks else figures
            found, goal = Sketch(options, figures), self.family.goal
            if goal and not goal.missed(figures):
                self.good = front([*self.good, found], self.family.each)
            yield found

    @property
    def scores(self) -> tuple[tuple[float, ...], ...]:
        """The best scores for the family's goal, of this family and of those that it knows, up to `BUILT`."""
        goal = self.family.goal
        own = (goal.score(s.figures) for s in self.good) if goal else ()
        return tuple(sorted({*self.family.scores, *own})[:BUILT])

    def hopeless(self, spec: Datapath, found: Unscheduled, clock: float | None) -> bool:
        """Whether a core is known not to be among the best for the family's goal before it has registers:
        even without any it misses a limit, or is worse than `BUILT` others.
        """
        goal, model, asked = self.family.goal, self.target.delay, spec.asked_stages
        if goal is None or not (clock or asked):
            return False
        period = 1000 / clock if clock else shortest_period(found.graph, model, asked or 1, found.io)
        if period == float("inf"):
            return False
        stages = fewest_stages(found.graph, model, period, found.io) or 1
        best = _without_registers(spec, found, found.graph, period, stages, self.target)
        scores = self.scores
        full = len(scores) == BUILT
        return bool(goal.missed(best)) or (full and goal.score(best)[0] > scores[-1][0])

    def highest(self, way: Options, mhz: float, stages: int) -> float:
        """The highest clock of so many stages, to 0.1 MHz; `mhz` where tables would be cut in another way."""
        found, model = self.graph(way, mhz), self.target.delay
        if found is None:
            return mhz
        period = shortest_period(found.graph, model, stages, found.io)
        clock = int(10_000 / period) / 10 if period < float("inf") else mhz
        if clock <= 0 or stages != fewest_stages(found.graph, model, 1000 / clock, found.io):
            return mhz
        return clock if self.graph(way, clock) is found else mhz


def figures_of(spec: Datapath, made: Scheduled, unit: BuiltUnit | None, target: Target) -> Figures:
    """What is known of the core of `spec` on `target` from its datapath with registers, `made`, and its
    key-expansion unit: without what is around them.
    """
    s = made.schedule
    found = _without_registers(spec, made, s.graph, s.period, s.stages, target)
    luts, brams, dsps = found.luts or 0, found.brams, found.dsps
    ffs = spec.lane_count * spec.channels * s.register_bits()
    if unit:
        ffs += spec.channels * sum(each.flip_flops for each in unit.unit.units)
        for loop in unit.loops:
            own = tuple(spec.channels * n for n in area_of(loop.schedule.graph, target))
            luts, brams, dsps = luts + own[0], brams + own[1], dsps + own[2]
            ffs += spec.channels * loop.design.flip_flops()
    return replace(found, luts=luts, ffs=ffs, brams=brams, dsps=dsps)


def _without_registers(
    spec: Datapath, made: Scheduled | Unscheduled, graph: Graph, period: float, stages: int, target: Target
) -> Figures:
    """What is known of the core of `spec` from the operations of its datapath, `graph`, a stage's time and
    the number of stages: everything but its flip-flops.
    """
    turns, lanes = made.iterations or 1, spec.lane_count * spec.channels
    luts, brams, dsps = (lanes * n for n in area_of(graph, target))
    rate = spec.block_bits * lanes / turns
    return Figures(round(1000 / period, 1), stages, rate, stages * turns, luts, 0, brams, dsps)


def _undominated(tried: Iterable[tuple[W, tuple[float, ...]]]) -> list[tuple[W, tuple[float, ...]]]:
    """Those that no other one is as cheap as in every respect; of those that are alike the first."""
    kept = list[tuple[W, tuple[float, ...]]]()
    for way, costs in tried:
        if not any(_no_dearer(other, costs) for _, other in kept):
            kept = [k for k in kept if not _no_dearer(costs, k[1])]
            kept.append((way, costs))
    return kept


def _no_dearer(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def _best(ways: Sequence[tuple[Options, tuple[float, ...]]]) -> list[Options]:
    """At most so many ways: those with the smallest product of lookup tables and stages."""
    places = sorted(range(len(ways)), key=lambda i: (ways[i][1][0] + 1) * sum(ways[i][1][3::_COSTS]))
    return [ways[i][0] for i in sorted(places[:_KEPT])]


@without_collector
def search(family: Family) -> Found:
    """The cores of a family, of which none dominates another. What is refused is left out."""
    doing = _Search(family, read_preset(family.source)[1], family.target, {})
    sketches = front(list(doing.ladder(doing.ways())), family.each)
    return Found(tuple(sketches), doing.tried, tuple(doing.refused), doing.full, doing.scores)


def front(cores: Sequence[T], each: bool = False) -> list[T]:
    """Those of `cores` that no other one dominates (`figures.dominates`, also for `each`); of those with the
    same figures the first.
    """
    kept = list[T]()
    for core in cores:
        beaten = any(dominates(o.figures, core.figures, each) for o in cores)
        if not beaten and not any(alike(o.figures, core.figures, each) for o in kept):
            kept.append(core)
    return kept
