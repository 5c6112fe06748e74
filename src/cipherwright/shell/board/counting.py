"""Counters for a clock at which a carry chain is too slow."""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import Clocked, ClockReset, Drive, Held, Pin, Reg, Step, Wrapper

__all__ = ["RING", "event_counter", "ring_last", "ring_steps"]

_DIGIT = 3
"""Bits of a digit: with its enable they fit one lookup table."""

RING = 16
"""Places of a ring."""


def event_counter(name: str, bits: int) -> Wrapper:
    """The module `name` that counts the cycles in which step_i is 1, modulo 2^bits, in digits of three bits.
    A carry is a register, so value_o is right some cycles after the last step: one for each digit. `bits`:
    more than one digit.
    """
    lows = range(0, bits, _DIGIT)
    steps: list[Step] = []
    for k, low in enumerate(lows):
        width = min(_DIGIT, bits - low)
        digit = f"value_q[{low + width - 1}:{low}]"
        enable = f"carry_q[{k - 1}]" if k else "step_i"
        steps.append(Step(digit, f"{digit} + {width}'d1", enable))
        if low + width < bits:
            steps.append(Step(f"carry_q[{k}]", f"~clear_i & {enable} & (&{digit})"))
    return Wrapper(
        name,
        ("Events, counted in digits of three bits; a carry takes a cycle from digit to digit.",),
        (
            ClockReset(reset=""),
            Held((Pin("clear_i"), Pin("step_i"), Pin("value_o", bits, True))),
        ),
        (
            Reg(("value_q",), bits),
            Reg(("carry_q",), len(lows) - 1, vector=True),
            Drive("value_o", "value_q"),
            Clocked((*steps, Step("value_q", f"{bits}'d0", "clear_i"))),
        ),
    )


def ring_steps(rings: Sequence[str], start: str, advance: str) -> tuple[Step, ...]:
    """Steps of `rings` of 16 flip-flops, of which one is 1. A ring steps where all before it are at their
    last place. `start`: all are set to their first place; `advance`: a word goes by.
    """
    steps, carry = [], f"({advance})"
    for ring in rings:
        rotated = f"{{{ring}[{RING - 2}:0], {ring}[{RING - 1}]}}"
        steps.append(Step(ring, f"{start} ? {RING}'d1 : {rotated}", f"{start} | ({carry})"))
        carry += f" & {ring}[{RING - 1}]"
    return tuple(steps)


def ring_last(rings: Sequence[str], start: str) -> str:
    """The expression that tells whether `rings`, in the order of `ring_steps`, are all at their last places
    after one more word. `start`: all are set to their first place.
    """
    places = [f"{ring}[{RING - 1 - (k == 0)}]" for k, ring in enumerate(rings)]
    return f"~{start} & {' & '.join(places)}"
