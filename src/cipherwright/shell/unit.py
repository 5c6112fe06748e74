"""A key-expansion unit that is made for a pipeline: the loop of the key schedule, as fast as the pipeline's
stages, and the registers that hold its round keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..arch import Expansion, Scheduled, Timing, expansion, held_form_of, maps_of, rewritten, second_apart
from ..rewrite import SECOND, copy_busy, replicate
from ..rtl import Design, LowerOptions, Module, lower
from ..schedule import Io, Schedule, schedule, shortest_period
from ..spec import Datapath, Pipeline
from .header import module_name
from .key_memory import memory_unit
from .keys import KeyUnit, key_unit

__all__ = ["BuiltUnit", "KeyLoop", "loop_unit"]

_LOAD_LANES = 16
"""Bits of the unit's state that one registered copy of its load bit drives."""

_MOST_STAGES = 4096


@dataclass(frozen=True)
class KeyLoop:
    """The loop of a key-expansion unit.

    design: the loop, as the module `name`; expansion: the loop before it was scheduled; schedule: the loop
    with its registers; users: the datapath's input for each round key, in the order of encryption; rows: the
    linear map in which each of them is stored; idle: names of options of the rewrites that changed nothing
    in the loop.
    """

    name: str
    design: Design
    expansion: Expansion
    schedule: Schedule
    users: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    idle: frozenset[str] = frozenset()

    @property
    def stages(self) -> int:
        """Register ranks of the loop."""
        return self.schedule.stages


@dataclass(frozen=True)
class BuiltUnit:
    """A key-expansion unit: its registers and their control, and the loop that each of its `units` is around,
    where they are derived from the cipher.
    """

    unit: KeyUnit
    loops: tuple[KeyLoop, ...] = ()

    @property
    def modules(self) -> tuple[Module, ...]:
        """Generated modules of the loops."""
        return tuple(module for loop in self.loops for module in loop.design.modules)


def loop_unit(spec: Datapath, datapath: Scheduled, timing: Timing) -> BuiltUnit:
    """The key-expansion unit of `datapath`, scheduled for `spec` over held round keys, at least as fast as
    its stages where the loop's logic allows that; and one for a second key, where the rounds read less of
    its words. timing: the delays of the target.
    """
    made = _loop_unit(spec, datapath, timing, "")
    if not second_apart(datapath.rows):
        return made
    second = _loop_unit(spec, datapath, timing, SECOND)
    return BuiltUnit(replace(made.unit, second=second.unit), made.loops + second.loops)


def _loop_unit(spec: Datapath, datapath: Scheduled, timing: Timing, prefix: str) -> BuiltUnit:
    """One of the units of `datapath`; prefix: what the names of its words begin with."""
    form, memory = held_form_of(spec.described, spec.key_bits), datapath.memory
    back, count = spec.cipher_direction == "decrypt", form.round_keys
    users = tuple(f"rk{count - 1 - i if back else i}" for i in range(count))
    maps = maps_of(datapath.rows, prefix)
    rows = () if memory else tuple(maps[u] for u in users)
    e = expansion(form, None if memory else rows)
    # Results that get a stage to travel in need not be in the unit as well.
    named = {n.name for n in e.graph.nodes}
    changes: dict[str, object] = {"hops": tuple(h for h in spec.hops if h in named)}
    if isinstance(spec, Pipeline):
        changes["common_basis"] = False  # its words pass through a loop's registers
    else:
        changes["copies"] = 0  # those of the loop are for its own bits
    own = spec.model_copy(update=changes)
    made = rewritten(own, e.graph, timing.model)
    graph, before = made.graph, len(made.graph.nodes)
    if not memory:
        graph = replicate(graph, "valid", _LOAD_LANES, 2)
        before = len(graph.nodes)
        if isinstance(spec, Pipeline) and spec.key_copies:
            graph = copy_busy(graph, spec.key_copies, 1)
    few = {"key_copies"} if len(graph.nodes) == before else set[str]()
    period = max(datapath.schedule.period, shortest_period(graph, timing.model, _MOST_STAGES, Io()))
    s = schedule(graph, timing.model, None, period, Io())
    top = module_name(spec.name)
    name, unit_name = f"{top}_{prefix}schedule", f"{top}_{prefix}keys"
    packed = isinstance(spec, Pipeline) and spec.words == "packed"
    design = lower(s, name, LowerOptions(0, e.control, e.loops, spec.keep_levels, packed_ranks=packed))
    if memory:
        unit = memory_unit(unit_name, name, e, memory, s.stages, spec.key_bits)
    else:
        unit = key_unit(unit_name, name, e, (s.stages, spec.key_rank_count), spec.key_bits, users)
    return BuiltUnit(unit, (KeyLoop(name, design, e, s, users, rows, made.idle | few),))
