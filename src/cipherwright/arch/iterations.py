"""A cipher over fewer bits a cycle than a block has, for the loop of `arch/loop/narrow.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..cipher.word import Word, Words

__all__ = ["Iterations"]


class Iterations(ABC):
    """A cipher's encryption as iterations of a loop with less than a round in each: `rounds` times `group`
    iterations, whose control words say what each does.
    """

    bits: int
    """Width of a control word."""
    group: int

    @property
    @abstractmethod
    def rounds(self) -> int:
        """Groups of iterations from a block's load to its result."""

    @abstractmethod
    def control(self, round_number: int, iteration: int) -> int:
        """The control word of `iteration` in round `round_number` (both from 0). Bits that are not read may
        be anything.
        """

    @abstractmethod
    def widths(self) -> tuple[int, ...]:
        """Widths of the state's words."""

    @abstractmethod
    def start(self, block: Word, key: Word) -> tuple[Word | None, ...]:
        """The state as `block` is loaded with its `key`; None where it has no meaning yet."""

    @abstractmethod
    def iteration(self, control: Word, state: Words) -> Words:
        """The state after an iteration from `state`, which the word `control` tells."""

    @abstractmethod
    def finish(self, state: Words) -> Word:
        """The block from `state`, which is after the last iteration; wiring."""
