"""Timing of a core of HCTR2 around a loop."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

__all__ = ["WideTiming"]

_LARGEST_DIGIT = 32


@dataclass(frozen=True)
class WideTiming:
    """Cycles of a core. block_bits: of a word; cipher: from a block to its result; stages: of the loop, which
    are the blocks in it; digit: coefficients that the multiplier takes in a cycle.

    >>> t = WideTiming(128, 55, 5, 16)
    >>> t.steps, t.product, t.interval
    (8, 10, 11)
    """

    block_bits: int
    cipher: int
    stages: int
    digit: int

    @classmethod
    def of(cls, block_bits: int, cipher: int, stages: int, digit: int) -> WideTiming:
        """The cycles around a loop of `stages` stages that takes `cipher` cycles from a block of `block_bits`
        to its result. Where `digit` is 0, the multiplier takes the fewest coefficients in a cycle, a power of
        two of at most 32, with which the loop is no faster than it.

        >>> WideTiming.of(128, 55, 5, 0).digit, WideTiming.of(128, 11, 1, 0).digit
        (16, 16)
        """
        sizes = [1 << k for k in range(_LARGEST_DIGIT.bit_length())]
        fit = [d for d in sizes if block_bits // d + 2 <= cipher // stages]
        return cls(block_bits, cipher, stages, digit or min(fit, default=_LARGEST_DIGIT))

    @property
    def steps(self) -> int:
        """Cycles of a product in which coefficients are taken."""
        return self.block_bits // self.digit

    @property
    def product(self) -> int:
        """From one block that is hashed to the next: a product, and the registers around its rows."""
        return self.steps + 2

    @property
    def interval(self) -> int:
        """From one block of the key stream to the next: the fewest in which the multiplier is free, and in
        which the place of the loop that comes by is always a free one.
        """
        least = max(self.product, -(-self.cipher // self.stages))
        return next(n for n in range(least, least + self.stages + 1) if gcd(n, self.stages) == 1)

    @property
    def setup(self) -> int:
        """In which h and L are made, after a key is expanded."""
        return 2 * self.cipher + self.steps + 4

    @property
    def word(self) -> int:
        """Cycles for each word of a long text, from the first one to the next packet: it is taken, hashed,
        encrypted, and leaves.
        """
        return self.product + self.interval + 2

    def latency(self, tweaks: int, words: int) -> int:
        """From accepting the last of a packet's words, `tweaks` of a tweak and `words` of a text, to its
        first result. The others follow, one in each cycle in which they are taken.

        >>> WideTiming(128, 55, 5, 16).latency(0, 1), WideTiming(128, 55, 5, 16).latency(1, 256)
        (72, 5492)
        """
        hashed = 2 + (tweaks + words) * self.product
        begins = hashed + 2 + max(self.cipher, (1 + tweaks) * self.product)
        behind = words - 1
        streamed = 1 + self.cipher + (behind - 1) * self.interval + self.product if behind else 0
        return begins + streamed + 3

    @property
    def refused(self) -> int:
        """From accepting the last word of a packet that breaks a rule to the word that tells it."""
        return 2
