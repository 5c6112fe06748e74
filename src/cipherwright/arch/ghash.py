"""The multiplier of GHASH with its registers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache

from ..errors import UserError
from ..graph import Graph
from ..rewrite import add_hops, field_product_graph
from ..rtl import Design, lower
from ..schedule import DelayModel, Io, Schedule, fewest_stages, schedule

__all__ = ["FieldMultiplier", "field_multiplier", "multiplier_names"]

_LEVELS, _LEVELS_OF_PERIOD = 4, 3
"""Levels of Karatsuba where a stage is one lookup table: a bit of a factor of a smallest product goes to 8
tables, to 16 with three levels; and where a period is asked for: fewer registers.
"""


@dataclass(frozen=True)
class FieldMultiplier:
    """x_i, h_i -> a_o, b_o, `stages` cycles later: words whose sum is the product in GCM's field.

    levels: of Karatsuba; graph: what the proof compares the design with; schedule: where its registers are;
    design: its modules.
    """

    levels: int
    graph: Graph
    schedule: Schedule
    design: Design

    @property
    def stages(self) -> int:
        """Registers between factors and product."""
        return self.schedule.stages


def field_multiplier(
    name: str,
    model: DelayModel,
    levels: int | None = None,
    period: float | None = None,
    stages: int | None = None,
    hops: Collection[str] = (),
) -> FieldMultiplier:
    """The multiplier as the module `name` with the fewest registers, by the delays of `model`.

    levels: of Karatsuba, none for those that suit the period; period in ns (none: one lookup table a stage);
    stages: none for as few as the period takes; hops: names of results that get a stage to travel in, of
    which those count that the multiplier has (`multiplier_names`). Raises UserError where the period or the
    stages can't be reached.
    """
    levels = levels or (_LEVELS_OF_PERIOD if period else _LEVELS)
    own = tuple(sorted(multiplier_names() & set(hops)))
    s = _scheduled(levels, model, period or model.register + model.table_delay(4), stages, own)
    return FieldMultiplier(levels, field_product_graph(levels), s, lower(s, name))


@lru_cache(maxsize=8)
def _scheduled(
    levels: int, model: DelayModel, period: float, stages: int | None, hops: tuple[str, ...]
) -> Schedule:
    """Where the registers of a multiplier are: cores of GCM with the same one share it. Parameters and errors
    as of `field_multiplier`, but the period is given.
    """
    travels = add_hops(field_product_graph(levels), hops)
    fewest = fewest_stages(travels, model, period, Io())
    if fewest is None:
        raise UserError(f"one operation of a product in GF(2^128) takes longer than {period:.2f} ns")
    if stages is not None and stages < fewest:
        raise UserError(
            f"a product in GF(2^128) with {levels} levels of Karatsuba needs {fewest} stages of "
            f"{period:.2f} ns, not {stages}"
        )
    return schedule(travels, model, stages or fewest)


@cache
def multiplier_names() -> frozenset[str]:
    """The names that operations of a multiplier have."""
    return frozenset(n.name for n in field_product_graph(_LEVELS).nodes if n.name and n.op != "input")
