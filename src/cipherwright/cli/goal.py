"""What a user wants of a core, on a command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..plan import Goal

__all__ = ["GoalLine", "goal_of"]


@dataclass(frozen=True)
class GoalLine:
    """The part of a command line that says what is wanted. Of a class with several bases, the fields of the
    last base come first.
    """

    goal: Annotated[
        str,
        typer.Option(metavar="GOAL", help="What is to be best: throughput, area, latency or efficiency."),
    ] = ""
    clock: Annotated[
        float | None,
        typer.Option(
            metavar="MHZ", help="The clock of your design; cores that do not reach it are left out."
        ),
    ] = None
    min_gbps: Annotated[
        float | None, typer.Option(metavar="G", help="The least throughput that will do, in Gb/s.")
    ] = None
    max_luts: Annotated[
        int | None, typer.Option(metavar="N", help="The most lookup tables that the core may take.")
    ] = None
    max_ffs: Annotated[
        int | None, typer.Option(metavar="N", help="The most flip-flops that the core may take.")
    ] = None
    max_brams: Annotated[
        int | None, typer.Option(metavar="N", help="The most block RAMs that the core may take.")
    ] = None
    max_latency: Annotated[
        float | None, typer.Option(metavar="NS", help="The longest time from a block to its result, in ns.")
    ] = None


def goal_of(line: GoalLine) -> Goal:
    """What a command line wants. Raises UserError as `plan.Goal` does."""
    from ..plan import Goal

    return Goal(
        line.goal or "throughput",
        line.clock,
        line.min_gbps,
        line.max_luts,
        line.max_ffs,
        line.max_brams,
        line.max_latency,
    )
