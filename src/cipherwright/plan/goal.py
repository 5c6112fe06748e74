"""What a user wants of a core: what is to be best, and limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import UserError
from .figures import Figures
from .space import Options

__all__ = ["GOALS", "Goal"]

GOALS = ("throughput", "area", "latency", "efficiency")
"""What may be best: the most Gb/s, the smallest area, the fewest ns from a block to its result, or the most
Gb/s for the area.
"""

_SCORES: Mapping[str, Callable[[Figures], tuple[float, ...]]] = {
    "throughput": lambda f: (-f.gbps, f.area, f.latency_ns),
    "area": lambda f: (f.area, f.brams, -f.gbps),
    "latency": lambda f: (f.latency_ns, f.area, -f.gbps),
    "efficiency": lambda f: (-f.gbps / max(f.area, 1), -f.gbps),
}
"""Of two cores the one with the smaller score is the better one."""


class _Limit(NamedTuple):
    """A limit by its `name`, and the `figure` that it is of; `least`: at least so much, else at most; how
    both are `shown`, and in which `words`.
    """

    name: str
    figure: str
    least: bool
    shown: str
    words: str


_LIMITS = (
    _Limit("min_gbps", "gbps", True, "g", "Gb/s"),
    _Limit("max_luts", "luts", False, ",", "lookup tables"),
    _Limit("max_ffs", "ffs", False, ",", "flip-flops"),
    _Limit("max_brams", "brams", False, ",", "block RAMs"),
    _Limit("max_latency_ns", "latency_ns", False, "g", "ns"),
)


@dataclass(frozen=True)
class Goal:
    """What is to be best (`best`), and limits (None: there is none).

    clock_mhz: the clock at which the core is to run; min_gbps: the least throughput, in Gb/s; max_luts,
    max_ffs, max_brams: the most lookup tables, flip-flops and block RAMs; max_latency_ns: the longest time
    from a block to its result. Raises UserError for another goal, and for a limit that is not over 0 (block
    RAMs: below 0).

    >>> goal = Goal("area", min_gbps=2.0)
    >>> goal.missed(Figures(200.0, 1, 12.8, 10, 900, 400)), goal.missed(Figures(100.0, 1, 12.8, 10, 900, 400))
    ('', '1.28 Gb/s, not 2')
    """

    best: str = "throughput"
    clock_mhz: float | None = None
    min_gbps: float | None = None
    max_luts: int | None = None
    max_ffs: int | None = None
    max_brams: int | None = None
    max_latency_ns: float | None = None

    def __post_init__(self) -> None:
        if self.best not in GOALS:
            raise UserError(f"a goal is {', '.join(GOALS[:-1])} or {GOALS[-1]}, not {self.best}")
        for name in ("clock_mhz", "min_gbps", "max_luts", "max_ffs", "max_latency_ns"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise UserError(f"{name} is over 0, not {value}")
        if self.max_brams is not None and self.max_brams < 0:
            raise UserError(f"max_brams is 0 or more, not {self.max_brams}")

    @property
    def limited(self) -> bool:
        """Whether there is any limit but the clock."""
        return any(getattr(self, limit.name) is not None for limit in _LIMITS)

    @property
    def each(self) -> bool:
        """Whether lookup tables or flip-flops have a limit of their own."""
        return self.max_luts is not None or self.max_ffs is not None

    def missed(self, f: Figures) -> str:
        """The limits that a core with the figures `f` misses, in words; "" where it keeps all."""
        found = list[str]()
        for limit, asked, value in self._limits(f):
            if value is None or (value < asked if limit.least else value > asked):
                many = "cells and no" if value is None else f"{value:{limit.shown}}"
                found.append(f"{many} {limit.words}, not {asked:{limit.shown}}")
        return ", ".join(found)

    def excess(self, f: Figures) -> float:
        """By what factor a core with the figures `f` misses all limits together (1: it keeps them)."""
        product = 1.0
        for limit, asked, value in self._limits(f):
            if value is not None:
                product *= max(1.0, ((asked + 1e-9) / (value + 1e-9)) ** (1 if limit.least else -1))
        return product

    def _limits(self, f: Figures) -> Iterator[tuple[_Limit, float, float | None]]:
        """The limits that there are, what is asked, and what a core with the figures `f` has."""
        for limit in _LIMITS:
            if (asked := getattr(self, limit.name)) is not None:
                yield limit, asked, getattr(f, limit.figure)

    def score(self, f: Figures) -> tuple[float, ...]:
        """How good a core with the figures `f` is: the smaller, the better."""
        return _SCORES[self.best](f)

    def looks_at(self, shape: Options) -> bool:
        """Whether a core of a family with the options `shape` is looked at first: a loop has the most
        throughput only where no pipeline fits, and a pipeline is the smallest only where there is no loop, as
        long as no limit is in the way.
        """
        limits = (self.max_luts, self.max_ffs, self.max_brams)
        if self.best == "throughput" and limits == (None, None, None):
            return bool(shape["architecture"] == "pipelined")
        if self.best == "area" and (self.min_gbps, self.max_latency_ns) == (None, None):
            return bool(shape["architecture"] == "iterative")
        return True
