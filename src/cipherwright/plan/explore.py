"""Which cores of a cipher there are on a device, what each is good for, and which is the best for a goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .._version import __version__
from ..actions import implement_core
from ..errors import CheckFailed, ToolFailed, UserError
from ..flow import generate
from ..progress import Tell, quiet
from ..registry import find_cipher
from ..report import mapped_top
from ..shell import BuiltEngine, save
from ..sources import preset_names, read_preset
from ..spec import load
from ..target import load_target, synthesise
from ..tools import scratch
from ..verify import CoreFolder
from .figures import Figures
from .goal import Goal
from .sketch import BUILT, TOO_FAST, TOO_LARGE, Family, Found, Sketch, front, search
from .space import Options, described, families, target_name
from .workers import each

__all__ = ["Exploration", "Measure", "Point", "Question", "choose", "explore"]

Measure = Literal["", "map", "place"]
"""What is measured of each core of the front: nothing; the netlist after mapping; the clock as well."""

_SPEED = frozenset(("stages", "stages_per_round", "clock_mhz"))
_UNSAID = ("name", "title", "source")
"""Options that a file states and no search needs."""


@dataclass(frozen=True)
class Question:
    """What is asked: the `source` of the cipher, which is its name or a Python file; options that are
    `fixed`, by name; what is wanted (`goal`).
    """

    source: str
    fixed: Options
    goal: Goal = field(default_factory=Goal)

    @classmethod
    def of(cls, source: str, changes: Options, goal: Goal | None = None) -> Question:
        """The question about a cipher's name, a Python file that describes one, or a TOML file whose options
        are fixed, with `changes`, which are fixed as well; `goal`: what is wanted. Raises UserError for a
        preset, which is an answer, and where there is no such source.
        """
        if source in preset_names():
            cipher = read_preset(source)[1]["cipher"]
            raise UserError(
                f"{source} is a core that is chosen already; give its cipher, {cipher}, and what is to be "
                "fixed (--set)"
            )
        stated: dict[str, Any] = read_preset(source)[1]
        kept: dict[str, Any]
        if source.endswith(".py"):
            # What the file says of speed is for who asks for nothing.
            name, kept = source, dict.fromkeys(stated.keys() & _SPEED)
        else:
            name = str(stated.get("cipher", source))
            kept = {k: v for k, v in stated.items() if k not in (*_UNSAID, "cipher")}
        wanted, mhz = goal or Goal(), changes.get("clock_mhz")
        if mhz is not None and wanted.clock_mhz not in (None, mhz):
            raise UserError(f"clock_mhz = {mhz} and a clock of {wanted.clock_mhz:g} MHz: give one of them")
        clock = {**kept, **changes}.get("clock_mhz") if wanted.clock_mhz is None else wanted.clock_mhz
        if clock is not None and type(clock) not in (int, float):
            raise UserError(f"clock_mhz is a number, not {clock}")
        fixed = {k: v for k, v in {**kept, **changes}.items() if k != "clock_mhz"}
        return cls(name, fixed, replace(wanted, clock_mhz=None if clock is None else float(clock)))

    def families(self, all_of_them: bool, bounded: bool = False) -> list[Family]:
        """What is searched; without `all_of_them` only what may be the best for the goal, and with `bounded`
        no core that can't be.
        """
        cipher = find_cipher(read_preset(self.source)[1]["cipher"])
        assert cipher is not None
        mhz = (self.goal.clock_mhz,) if self.goal.clock_mhz else ()
        shapes = families(self.fixed, cipher.datapaths)
        return [
            Family(self.source, self.fixed, shape, mhz, self.goal.each, self.goal if bounded else None)
            for shape in shapes
            if all_of_them or self.goal.looks_at({**shape, **self.fixed})
        ]


@dataclass(frozen=True)
class Point:
    """A core: all its `options` but those that have their defaults, and its figures, of which `mapped` and
    `placed` were measured and `figures` are the best that is known.
    """

    options: Options
    planned: Figures
    mapped: Figures | None = None
    placed: Figures | None = None
    failed: str = ""
    """Why it could not be mapped or placed."""

    @property
    def figures(self) -> Figures:
        """Placed, or else mapped, or else planned."""
        return self.placed or self.mapped or self.planned

    def record(self) -> dict[str, Any]:
        """It, as a record has it."""
        named = {"planned": self.planned, "mapped": self.mapped, "placed": self.placed}
        rows = {name: f.row() if f else None for name, f in named.items()}
        return {"options": dict(self.options), **rows, **({"failed": self.failed} if self.failed else {})}


@dataclass(frozen=True)
class Exploration:
    """What a search found for a `question`: the cores of which none is worse than another in rate, area,
    block RAM, multipliers and latency (`points`, the one with the highest rate first, and behind them what
    could not be measured); how many were looked at (`tried`); and why others are refused (`refused`).
    """

    question: Question
    points: tuple[Point, ...]
    tried: int
    refused: tuple[str, ...]

    def best(self, goal: Goal | None = None) -> Point:
        """The core that is the best for `goal` (None: what was asked for). Raises UserError where none keeps
        its limits, with the one that comes the nearest.
        """
        return _ranked(goal or self.question.goal, self.points)[0]

    def record(self) -> dict[str, Any]:
        """All of it, for JSON."""
        q = self.question
        return {
            "cipherwright": __version__,
            "source": q.source,
            "fixed": dict(q.fixed),
            "target": target_name(q.fixed),
            "goal": q.goal.best,
            "limits": {k: v for k, v in vars(q.goal).items() if k != "best" and v is not None},
            "tried": self.tried,
            "points": [p.record() for p in self.points],
            "refused": list(self.refused),
        }


def explore(
    question: Question,
    executor: Executor | None = None,
    measure: Measure = "",
    seeds: int = 1,
    tell: Tell = quiet,
) -> Exploration:
    """All cores of a question of which none is worse than another, built, with exact flip-flops and cycles.

    executor: who does the jobs (`workers.workers`); measure: what is measured of each core, in place and
    route with seeds 1 to `seeds`; tell: called with what is being done. Raises UserError where there is no
    such core.
    """
    found, sketches = _sketched(question, executor, True, tell)
    asked = [(question.source, {**question.fixed, **s.options}, s.figures) for s in sketches]
    built = each(executor, _built, asked, _counted(tell, "building"))
    refused = dict.fromkeys((*(w for f in found for w in f.refused), *_reasons(built)))
    points = front([p for p in built if isinstance(p, Point)], question.goal.each)
    if not points:
        raise UserError([*_reasons(built), "none of the cores that were found could be built"][0])
    if measure:
        jobs = [(question.source, p, measure, seeds, question.goal.clock_mhz) for p in points]
        points = each(executor, _measured, jobs, _counted(tell, "measuring"))
    good = front([p for p in points if not p.failed], question.goal.each)
    ordered = sorted(good, key=lambda p: (-p.figures.gbps, p.figures.area))
    failed = [p for p in points if p.failed]
    return Exploration(question, (*ordered, *failed), sum(f.tried for f in found), tuple(refused))


def choose(question: Question, executor: Executor | None = None, tell: Tell = quiet) -> Point:
    """The best core for a question's goal, built: the best of the first `BUILT` by their sketches that keep
    all limits. `executor` and `tell` as of `explore`; only what may be the best is searched. Raises UserError
    where no core keeps the limits, with the one that comes the nearest.
    """
    goal = question.goal
    fit = [s for s in _bounded(question, executor, tell) if not goal.missed(s.figures)]
    seen = _best_built(question, fit, tell)[0] if fit else []
    if sum(not goal.missed(p.figures) for p in seen) < BUILT:
        # What is around a core has registers, too: what was left out may keep limits that these miss.
        _, sketches = _sketched(question, executor, False, tell)
        seen, reasons = _best_built(question, sketches, tell)
        if not seen:
            raise UserError(reasons[0])
    return _ranked(goal, seen)[0]


def _best_built(question: Question, sketches: Sequence[Sketch], tell: Tell) -> tuple[list[Point], list[str]]:
    """The best of some sketches for a question's goal, built, until `BUILT` of them keep all limits; and why
    others can't be built. Raises UserError where no sketch keeps the limits.
    """
    goal, seen, reasons = question.goal, list[Point](), list[str]()
    points = [Point({**question.fixed, **s.options}, s.figures) for s in sketches]
    for point in _ranked(goal, points):
        tell(f"building a core of {point.figures.gbps:g} Gb/s")
        made = _built((question.source, point.options, point.planned))
        if isinstance(made, str):
            reasons.append(made)
        else:
            seen.append(made)
        if sum(not goal.missed(p.figures) for p in seen) == BUILT:
            break
    return seen, reasons


def _reasons(built: Sequence[Point | str]) -> list[str]:
    """Why cores could not be built."""
    return [why for why in built if isinstance(why, str)]


def _counted(tell: Tell, what: str) -> Callable[[int, int], None]:
    return lambda n, of: tell(f"{what}: {n} of {of}", n / of)


def _sketched(
    question: Question, executor: Executor | None, whole: bool, tell: Tell
) -> tuple[list[Found], list[Sketch]]:
    """What is found in every family, and the sketches of which none dominates another."""
    asked = question.families(whole) or question.families(True)
    if not asked:
        given = ", ".join(f"{k} = {v}" for k, v in question.fixed.items())
        raise UserError(f"no core with {given} is searched for")
    found = each(executor, search, asked, _counted(tell, "searching"))
    if any(f.full for f in found) or not any(f.sketches for f in found):
        others = [family for family in question.families(True) if family not in asked]
        found += each(executor, search, others, _counted(tell, "searching"))
    sketches = front([s for f in found for s in f.sketches], question.goal.each)
    if not sketches:
        reasons = [why for f in found for why in f.refused]
        first = [why for start in (TOO_LARGE, TOO_FAST) for why in reasons if why.startswith(start)]
        raise UserError([*first, *reasons, "there is no such core"][0])
    return found, sketches


def _bounded(question: Question, executor: Executor | None, tell: Tell) -> list[Sketch]:
    """The sketches that may be the best for a question's goal, of which none dominates another; none where no
    core that was sketched keeps its limits. Here, family after family, each knows how good the others are.
    """
    asked, every = question.families(False, True), question.families(True, True)
    found = _searched(question, asked, executor, tell)
    if any(f.full for f in found):
        found += _searched(question, [family for family in every if family not in asked], executor, tell)
    return front([s for f in found for s in f.sketches], question.goal.each)


def _searched(
    question: Question, families: Sequence[Family], executor: Executor | None, tell: Tell
) -> list[Found]:
    """What is found in families that are bounded."""
    done = _counted(tell, "searching")
    if executor:
        return each(executor, search, families, done)
    # What is the smallest is mostly a loop.
    last = "pipelined" if question.goal.best == "area" else None
    found = list[Found]()
    for n, family in enumerate(sorted(families, key=lambda f: f.shape.get("architecture") == last), 1):
        found.append(search(replace(family, scores=found[-1].scores if found else ())))
        done(n, len(families))
    return found


def _ranked(goal: Goal, points: Sequence[Point]) -> list[Point]:
    """The points that keep all limits, the best first. Raises UserError where none does."""
    known = [p for p in points if not p.failed]
    fit = [p for p in known if not goal.missed(p.figures)]
    if not fit:
        if not known:
            raise UserError(points[0].failed)
        near = min(known, key=lambda p: (goal.excess(p.figures), goal.score(p.figures)))
        raise UserError(
            f"no core keeps these limits; the nearest has {goal.missed(near.figures)}: "
            f"{described(near.options, {})}"
        )
    return sorted(fit, key=lambda p: goal.score(p.figures))


def _built(job: tuple[str, Options, Figures]) -> Point | str:
    """A sketch, built: its flip-flops and cycles are exact. Or why there is no such core."""
    source, options, sketch = job
    try:
        spec = load(source, {"name": "core", **options})
        core = generate(spec)
    except UserError as e:
        return str(e)
    assert not isinstance(core, BuiltEngine)
    figures = replace(
        sketch,
        stages=core.schedule.stages,
        bits_per_cycle=core.bits_per_cycle,
        latency_cycles=core.latency,
        ffs=core.flip_flops,
    )
    # A value that is the default has to be said where the source says another one.
    said = {*spec.options(changed=True), *read_preset(source)[1]}
    return Point({k: v for k, v in options.items() if k in said}, figures)


def _measured(job: tuple[str, Point, Measure, int, float | None]) -> Point:
    """A point with what synthesis, or place and route, say of it; at the clock that was asked for, if any."""
    source, point, measure, seeds, asked = job
    spec = load(source, {"name": "core", **point.options})
    core = generate(spec)
    target = load_target(spec.target)
    with scratch() as d:
        save(core, d / "core")
        folder = CoreFolder.open(d / "core")
        try:
            if measure == "map":
                (out := d / "out").mkdir()
                top = mapped_top(folder.record, target.kind)
                m = synthesise(folder.sources, top, target, out, spec.mapping)
                row: Mapping[str, Any] = {
                    "luts": None if target.kind == "cells" else m.luts,
                    "ffs": point.planned.ffs if target.kind == "cells" else m.ffs,
                    "brams": m.brams or 0,
                    "dsps": m.dsps or 0,
                    "area_um2": m.area_um2,
                }
                return replace(point, mapped=replace(point.planned, **row))
            record = implement_core(folder, seeds=seeds, prove=False)
        except (CheckFailed, ToolFailed) as e:
            return replace(point, failed=str(e))
    row = {name: record[name] for name in ("luts", "ffs", "brams", "dsps", "area_um2")}
    row |= {"brams": row["brams"] or 0, "dsps": row["dsps"] or 0}
    reached = record["fmax_mhz"]
    if asked and reached and reached < asked:
        return replace(point, failed=f"it reaches {reached:g} MHz, not {asked:g}")
    placed = replace(point.planned, **row)
    return replace(point, placed=placed.at(asked or reached) if reached else placed)
