"""Numbers in sentences."""

from __future__ import annotations

__all__ = ["counted", "paced"]


def counted(number: int, one: str, several: str = "") -> str:
    """`number` with the noun that fits it, as a sentence says it: `one` where it is 1, otherwise `several`
    (empty: `one` with an s).

    >>> counted(1, "cycle"), counted(0, "cycle"), counted(1200, "byte")
    ('1 cycle', '0 cycles', '1200 bytes')
    >>> counted(2, "entry", "entries")
    '2 entries'
    """
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def paced(number: int, one: str, cycles: int) -> str:
    """A rate: `number` of the noun `one` in so many clock `cycles`.

    >>> paced(1, "block", 11), paced(5, "block", 50), paced(1, "block", 1)
    ('1 block every 11 cycles', '5 blocks every 50 cycles', '1 block every cycle')
    """
    return f"{counted(number, one)} every {'cycle' if cycles == 1 else counted(cycles, 'cycle')}"
