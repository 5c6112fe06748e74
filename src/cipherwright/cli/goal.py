"""What a user wants of a core, on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Protocol

import typer

if TYPE_CHECKING:
    from ..plan import Goal

__all__ = ["Brams", "Clock", "Ffs", "Gbps", "GoalLine", "GoalName", "Latency", "Luts", "goal_of"]

GoalName = Annotated[
    str,
    typer.Option("--goal", metavar="GOAL", help="throughput, area, latency or efficiency: what is best."),
]
Clock = Annotated[
    float | None,
    typer.Option(
        "--clock", metavar="MHZ", help="The clock of your design; cores that do not reach it are left out."
    ),
]
Gbps = Annotated[float | None, typer.Option("--min-gbps", metavar="G", help="The least throughput.")]
Luts = Annotated[int | None, typer.Option("--max-luts", metavar="N", help="The most lookup tables.")]
Ffs = Annotated[int | None, typer.Option("--max-ffs", metavar="N", help="The most flip-flops.")]
Brams = Annotated[int | None, typer.Option("--max-brams", metavar="N", help="The most block RAMs.")]
Latency = Annotated[
    float | None, typer.Option("--max-latency", metavar="NS", help="The longest time from block to result.")
]


class GoalLine(Protocol):
    """A command line with these options."""

    @property
    def goal(self) -> str: ...
    @property
    def clock(self) -> float | None: ...
    @property
    def min_gbps(self) -> float | None: ...
    @property
    def max_luts(self) -> int | None: ...
    @property
    def max_ffs(self) -> int | None: ...
    @property
    def max_brams(self) -> int | None: ...
    @property
    def max_latency(self) -> float | None: ...


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
