"""The datapath of a spec with its registers, and its key-expansion unit, before they are text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .arch import KeyParts, Scheduled, Timing, Unscheduled, describe, placed, unplaced
from .engine import key_parts, unit_for
from .graph import Graph
from .rtl import most_levels
from .shell import BuiltUnit, arrivals
from .spec import Datapath
from .target import delay_lines_from, load_target, require

__all__ = ["Prepared", "idle_options", "prepare", "with_registers"]


@dataclass(frozen=True)
class Prepared:
    """A datapath whose operations are the target's, without registers.

    plain: the cipher as described; parts: what a key-expansion unit divides it into, where the core has one;
    timing: what registers are placed by; found: the datapath, for each way to make late round keys.
    """

    plain: Graph
    parts: KeyParts | None
    timing: Timing
    found: Mapping[str, Unscheduled]


def prepare(spec: Datapath) -> Prepared:
    """The datapath of `spec`, ready for its registers. Raises UserError where the target has not what the
    spec asks for, or where the options do not suit the cipher.
    """
    target = load_target(spec.target)
    timing = Timing(target.delay, delay_lines_from(spec, target), arrivals(spec))
    require(spec, target)
    plain, parts = describe(spec), key_parts(spec)
    return Prepared(plain, parts, timing, unplaced(spec, plain, parts, timing))


def with_registers(spec: Datapath, ready: Prepared) -> tuple[Scheduled, BuiltUnit | None]:
    """The datapath with its registers, and the key-expansion unit, where there is one. `ready`: that of a
    spec which differs from `spec` at most in how fast the core is (`arch.unplaced`). Raises UserError where
    the stages or the clock can't be reached, with the nearest that can.
    """
    datapath = placed(spec, ready.found, ready.timing)
    return datapath, unit_for(spec, datapath, ready.timing) if ready.parts else None


def idle_options(spec: Datapath, datapath: Scheduled, unit: BuiltUnit | None) -> frozenset[str]:
    """Names of options of `spec` that found nothing to change: the `datapath` and its `unit`, as from
    `with_registers`, are the same with their defaults. An option that has its default is one of them.
    """
    loops = unit.loops if unit else ()
    idle = datapath.idle.intersection(*(loop.idle for loop in loops))
    if unit and not loops:  # the cipher's own form of the unit
        idle |= {"key_ranks", "key_copies"}
    elif all("key_copies" in loop.idle for loop in loops):
        idle |= {"key_copies"}
    schedules = (datapath.schedule, *(loop.schedule for loop in loops))
    levels = spec.keep_levels and max(map(most_levels, schedules)) > 1
    return idle if levels else idle | {"keep_levels"}
