"""A datapath with its registers: what is scheduled, by which delays, and which way to make late round keys is
the cheapest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..errors import UserError
from ..graph import Graph
from ..rewrite import without_moves
from ..rtl import Design, LowerOptions, lower
from ..schedule import DelayModel, Io, Schedule, TooFewStages, least_stages, logic_cells, schedule
from ..spec import Datapath, Loop, Pipeline
from .graphs import Unscheduled, key_variants, unscheduled
from .key_memory import KeyMemory
from .key_unit import KeyParts
from .rewrites import mapped

__all__ = ["KeyWords", "Scheduled", "Timing", "lowered", "placed", "unplaced", "waiting"]

_MOST_STAGES = 4097
"""More stages than can be asked for."""

_RING_BITS = 16
"""Bits of a delay line in distributed RAM that share a counter."""


@dataclass(frozen=True)
class Timing:
    """What registers are placed by.

    model: the target's delays; srl_from: cycles of the shortest delay that is a delay line instead of
    flip-flops (0: none); io: when the inputs of a pipeline arrive.
    """

    model: DelayModel
    srl_from: int
    io: Io


@dataclass(frozen=True)
class KeyWords:
    """`chosen`: whether late round keys are stored (`kept`) or recomputed; `logic_cells`: those of the whole
    core for each way that was priced.
    """

    chosen: str
    logic_cells: Mapping[str, int]


@dataclass(frozen=True)
class Scheduled:
    """A datapath whose registers have their places, as `schedule` says.

    loops: (input, output) pairs of a loop; iterations: of a loop, from a block's load to its result, which
    are those until the next load (None: a pipeline); rows: the linear map in which each held round key is
    stored, by input; memory: the round keys that a loop reads by address; key_words: where ways to make late
    round keys were priced; idle: names of options of the rewrites that changed nothing, whichever way that
    is.
    """

    schedule: Schedule
    loops: tuple[tuple[str, str], ...] = ()
    iterations: int | None = None
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    memory: KeyMemory | None = None
    key_words: KeyWords | None = None
    idle: frozenset[str] = frozenset()


def unplaced(spec: Datapath, plain: Graph, parts: KeyParts | None, timing: Timing) -> dict[str, Unscheduled]:
    """The datapath of `spec` with all its operations as the target has them and no register, for each way to
    make late round keys that is to be tried.

    plain: the cipher as described; parts: what a key-expansion unit divides it into; timing: what registers
    are placed by. Of the options that say how fast the core is, none matters but the widest lookup table that
    a clock leaves time for (`rewrites.widest_table`), and in a loop whether it may have a single stage.
    Raises UserError where the options do not suit the cipher.
    """
    found = {v: unscheduled(spec, plain, parts, timing.io, v) for v in key_variants(spec)}
    return {v: _mapped(spec, u, timing.model) for v, u in found.items()}


def _mapped(spec: Datapath, found: Unscheduled, model: DelayModel) -> Unscheduled:
    made = mapped(spec, found.graph, model)
    return replace(found, graph=made.graph, idle=found.idle | made.idle)


def placed(spec: Datapath, found: Mapping[str, Unscheduled], timing: Timing) -> Scheduled:
    """The datapath of `spec` with its registers. Where late round keys can be made in several ways and
    `key_words` is `priced`, each is scheduled and the one with the fewest logic cells counts.

    found: the datapath without them (`unplaced`); timing: what registers are placed by. Raises UserError
    where the stages or the clock can't be reached, with the nearest that can.
    """
    made = {variant: _placed(spec, u, timing) for variant, u in found.items()}
    if len(made) == 1:
        return next(iter(made.values()))
    prices = {v: logic_cells(p.schedule, timing.srl_from) for v, p in made.items()}
    best = min(prices, key=lambda v: (prices[v], v))
    idle = frozenset.intersection(*(p.idle for p in made.values()))
    return replace(made[best], key_words=KeyWords(best, prices), idle=idle)


def _placed(spec: Datapath, found: Unscheduled, timing: Timing) -> Scheduled:
    period = 1000 / spec.clock_mhz if spec.clock_mhz else None
    stages = spec.asked_stages or (1 if isinstance(spec, Loop) and period is None else None)
    graph = found.graph
    equal = isinstance(spec, Pipeline) and spec.equal_rounds
    try:
        s = schedule(graph, timing.model, stages, period, found.io, timing.srl_from, equal)
    except TooFewStages as e:
        raise UserError(f"{e}{_without_moves(found, timing.model, period)}") from None
    return Scheduled(s, found.loops, found.iterations, found.rows, found.memory, idle=found.idle)


_MOVES = {"copy": "copies = 0", "hop": "hops = none"}
"""Operations that take a stage and only move a bit, and the options without which there are none."""


def _without_moves(found: Unscheduled, model: DelayModel, period: float | None) -> str:
    """The end of a sentence: without which options `found` takes the fewest stages at a `period` (None: at
    any), and how many these are. Empty where there are no such operations, or the stages are as many.
    """
    there = [op for op in _MOVES if any(n.op == op for n in found.graph.nodes)]
    most, said = _MOST_STAGES, ""
    for operations in dict.fromkeys([(), *((op,) for op in there), tuple(there)]):
        graph = without_moves(found.graph, operations)
        least = least_stages(graph, model, period, found.io, most)
        if least is not None:
            most = least
            options = " and ".join(_MOVES[op] for op in operations)
            said = f"; with {options} it takes stages = {least} or more" if options else ""
    return said


def lowered(spec: Datapath, made: Scheduled, srl_from: int, name: str) -> Design:
    """schedule -> rtl: the datapath `made` of `spec` as the module `name`. `srl_from`: as in `Timing`."""
    control = ("valid", "ready") if made.loops else ("valid",) if spec.resets else ()
    packed = isinstance(spec, Pipeline) and spec.words == "packed"
    options = replace(
        waiting(spec, srl_from, control), loops=made.loops, levels=spec.keep_levels, packed=packed
    )
    return lower(made.schedule, name, options)


def waiting(spec: Datapath, srl_from: int, control: tuple[str, ...]) -> LowerOptions:
    """How bits that only wait are kept: in the delay lines that `spec` asks for, from `srl_from` cycles on
    (as in `Timing`). control: outputs that tell when something happens.
    """
    ring_bits = _RING_BITS if spec.delay_lines == "ram" else 0
    return LowerOptions(srl_from, control, delay_lines=spec.delay_lines, ring_bits=ring_bits)
