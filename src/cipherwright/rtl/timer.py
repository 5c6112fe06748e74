"""Counting cycles with one lookup table a bit: a shift register with feedback, compared piece by piece."""

from __future__ import annotations

__all__ = ["TAPS", "matches", "steps_of", "width_for"]

TAPS = {3: 2, 4: 3, 5: 3, 6: 5, 7: 6, 9: 5, 10: 7, 11: 9, 15: 14}
"""Width of a shift register with feedback from its last bit and this one, by which it goes through all
values but one: 0 where the feedback is their XOR, all ones where it is the complement.
"""

_PIECE = 3
"""Bits of the time that one lookup table compares, beside a reset or a start."""


def width_for(count: int) -> int:
    """The narrowest register that takes `count` different values and one more; `count` is at most 32,765.

    >>> width_for(100)
    7
    """
    return next(w for w in TAPS if (1 << w) - 2 > count)


def steps_of(width: int, count: int, start: int = 1, complement: bool = False) -> int:
    """The value of a register of `width` bits (one of `TAPS`) `count` steps after `start`. A step shifts
    towards the most significant bit; bit 0 takes the XOR of the two tapped bits, or its `complement`.

    >>> [steps_of(3, count) for count in range(8)]  # with 3 bits, the eighth value is the first again
    [1, 2, 5, 3, 7, 6, 4, 1]
    """
    value, tap = start, TAPS[width]
    for _ in range(count):
        value = value << 1 & (1 << width) - 1 | (value >> width - 1 ^ value >> tap - 1 ^ complement) & 1
    return value


def matches(width: int, value: int = 0) -> list[str]:
    """Comparisons in Verilog, one a piece, that are all 1 where the register time_q of `width` bits holds
    `value`.

    >>> matches(7, steps_of(7, 100))
    ["time_q[2:0] == 3'd3", "time_q[5:3] == 3'd7", "time_q[6:6] == 1'd0"]
    """
    out = []
    for low in range(0, width, _PIECE):
        size = min(_PIECE, width - low)
        out.append(f"time_q[{low + size - 1}:{low}] == {size}'d{value >> low & (1 << size) - 1}")
    return out
