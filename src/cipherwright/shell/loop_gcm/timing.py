"""Timing of a core of GCM around a loop."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LoopGcmTiming"]

_BITS = 128
"""Coefficients of a factor."""


@dataclass(frozen=True)
class LoopGcmTiming:
    """Cycles of a core. cipher: from a block to its result; stages: of the loop, which are the blocks in it;
    digit: coefficients that the multiplier takes in a cycle.

    >>> LoopGcmTiming(110, 11, 9).interval
    17
    """

    cipher: int
    stages: int
    digit: int

    @classmethod
    def of(cls, cipher: int, stages: int, digit: int) -> LoopGcmTiming:
        """The cycles around a loop of `stages` stages that takes `cipher` cycles from a block to its result.
        Where `digit` is 0, the multiplier takes the fewest coefficients in a cycle, at most 32, with which
        the loop is no faster than it.

        >>> LoopGcmTiming.of(110, 11, 0)
        LoopGcmTiming(cipher=110, stages=11, digit=15)
        """
        return cls(cipher, stages, digit or min(32, -(-_BITS // max(1, cipher // stages - 1))))

    @property
    def steps(self) -> int:
        """Cycles of a product."""
        return -(-_BITS // self.digit)

    @property
    def interval(self) -> int:
        """From one word of a packet to the next, at least: a step, and the registers around the rows."""
        return self.steps + 2

    @property
    def latency(self) -> int:
        """From accepting a word to its result, where the loop takes its block at once."""
        return self.cipher + 4

    @property
    def longest(self) -> int:
        """From accepting a word to its result, at most: the word before has just begun, and the place that is
        free comes by last; where words are faster than the loop, all places are taken.
        """
        taken = self.cipher + self.stages
        slow = self.interval * self.stages >= taken
        return self.latency + self.interval - 2 + (self.stages if slow else taken) - 1

    @property
    def tag_latency(self) -> int:
        """From accepting a packet's last word, where the loop takes its block at once, to its tag, at
        least.
        """
        return self.cipher + 2 * self.interval + 7

    @property
    def longest_tag(self) -> int:
        """From accepting a packet's last word to its tag, at most."""
        late = max(2 * self.interval + 1, self.interval + self.stages)
        return self.longest - 2 + late + 4

    @property
    def initial_block(self) -> int:
        """From accepting the last word of an IV of another length than 96 bits, where the loop takes it at
        once, to its packet's first word, at least.
        """
        return self.cipher + 2 * self.interval + 6

    @property
    def longest_initial_block(self) -> int:
        """The same, at most."""
        return self.longest + 2 * self.interval + 2

    @property
    def hash_key(self) -> int:
        """In which the hash key is made, at most, after a key is expanded."""
        return self.cipher + 3

    def hash_key_after(self, expansion: int) -> int:
        """The same exactly, where the key is expanded `expansion` cycles after it is taken: the hash key is
        asked for in the second cycle after that at the earliest.

        >>> LoopGcmTiming(16, 2, 32).hash_key_after(1), LoopGcmTiming(16, 2, 32).hash_key_after(9)
        (19, 18)
        """
        return self.hash_key - (expansion > 1)
