"""Timing of a core of XTS around a loop."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LoopXtsTiming"]


@dataclass(frozen=True)
class LoopXtsTiming:
    """Cycles of a core. cipher: from a block to its result; stages: of the loop, which are the blocks in it.

    >>> LoopXtsTiming(110, 11).latency, LoopXtsTiming(110, 11).interval
    (112, 10)
    """

    cipher: int
    stages: int

    @property
    def interval(self) -> int:
        """Cycles of the loop for each of its blocks: the rate of a long unit."""
        return max(1, self.cipher // self.stages)

    @property
    def latency(self) -> int:
        """From accepting a unit's last word, where the loop takes it at once, to its result. The result of
        the word before leaves a cycle earlier.
        """
        return self.cipher + 2

    @property
    def _waits(self) -> int:
        """In which a block waits for a place of the loop, at most: all are taken, and a number goes first."""
        return self.cipher + (self.stages if self.stages > 1 else self.cipher)

    @property
    def longest(self) -> int:
        """From accepting a unit's last word, where it is whole, to its result, at most."""
        return self.latency + self._waits

    @property
    def least_late(self) -> int:
        """From accepting a unit's short word to the result that takes the stolen bytes in, at least."""
        return 2 * self.cipher + 2

    @property
    def late_latency(self) -> int:
        """The same, at most: of the places only numbers have taken one meanwhile."""
        return self.least_late + (self.stages if self.stages > 1 else self.cipher)
