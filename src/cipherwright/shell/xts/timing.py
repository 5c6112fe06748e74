"""Timing of a core of XTS."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KEEP", "SETUP", "TWEAKS", "XtsTiming"]

KEEP = 16
"""Bytes of a word."""

TWEAKS = 16
"""Units whose numbers may be on their way to the tweaks that wait: the words of a memory in distributed RAM.
"""

SETUP = 4
"""Cycles from an expanded key to the first unit number."""

_FRONT = 6
"""Cycles from accepting a word whose successor comes at once to its block at the cipher."""

_BEHIND = 2
"""Registers behind the cipher."""

_BOTH = 12
"""Cycles from accepting a short word to the result that took its stolen bytes in, beside two passes of the
cipher, at most.
"""


@dataclass(frozen=True)
class XtsTiming:
    """Cycles of a core. cipher: from a block to its result."""

    cipher: int

    @property
    def latency(self) -> int:
        """Cycles from accepting a word to its result, where the next word comes at once, or the word is its
        unit's last.
        """
        return _FRONT + self.cipher + _BEHIND

    @property
    def longest(self) -> int:
        """The same, at most: a word is not held up."""
        return self.latency

    @property
    def late_latency(self) -> int:
        """Cycles from accepting a unit's short word to the result that takes the stolen bytes in, at most."""
        return 2 * self.cipher + _BOTH

    @property
    def flush(self) -> int:
        """Cycles in which whatever is presented reaches all registers, and all words of the memory."""
        return self.late_latency + TWEAKS + 8
