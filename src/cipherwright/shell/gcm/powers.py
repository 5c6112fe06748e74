"""Powers of a hash key, made by a serial multiplier while GHASH works under another.

The factor goes through the multiplier a coefficient a cycle, that of the highest power first (Horner's rule):
P <- P x + f H in GF(2^128) of SP 800-38D, section 6.3, whose coefficient of x^k is bit 127 - k. A product
takes 130 cycles. The first factor is one, so all powers from H^0 on are made and written in the same way.
"""

from __future__ import annotations

from ...rtl import (
    Clocked,
    ClockReset,
    Drive,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Wrapper,
    declared_first,
)
from ...rtl.timer import TAPS, matches, steps_of
from ..copies import copies, spread
from ..ghash import COUNT_BITS, GhashTiming
from .timing import POWER_CYCLES

__all__ = ["power_maker"]

_WIDTH = 9
"""Bits of the register that counts the cycles of a product."""


def power_maker(name: str, timing: GhashTiming) -> Wrapper:
    """The module `name` that makes powers 0 to L for a unit of GHASH with two banks; timing: of that unit."""
    start, last = timing.count(0), timing.count(timing.loop)
    found = matches(_WIDTH, steps_of(_WIDTH, POWER_CYCLES - 3))
    feedback = f"time_q[{_WIDTH - 1}] ^ time_q[{TAPS[_WIDTH] - 1}]"
    shifted = (
        "{acc_q[0], acc_q[127] ^ acc_q[0], acc_q[126] ^ acc_q[0], acc_q[125:122], acc_q[121] ^ acc_q[0], "
        "acc_q[120:1]}"
    )
    following = "{address_q[2:0], address_q[3] ^ address_q[2]}"
    factor = f"acc_q & ~{spread('begins')}"
    controls = (
        Step("started_q", "start_i"),
        Step("running_q", "~stop_i & (started_q | (running_q & ~(turn_1 & at_last_q)))"),
        Step("turn_q", "~stop_i & (started_q | (running_q & (&match_q)))"),
        Step("turn_1", "turn_q"),
        Step("turn_2", "turn_1"),
        Step("begin_q", "started_q"),
        Step("at_last_q", f"address_q == {COUNT_BITS}'d{last}"),
        Step("done_q", "running_q & turn_1 & at_last_q"),
        Step(
            "address_q",
            f"(started_q | ~running_q) ? {COUNT_BITS}'d{start} : turn_1 ? {following} : address_q",
        ),
        Step("time_q", f"turn_q ? {_WIDTH}'d1 : {{time_q[{_WIDTH - 2}:0], {feedback}}}"),
        *(Step(f"match_q[{k}]", f"~turn_q & ~started_q & {match}") for k, match in enumerate(found)),
    )
    bits = ("started_q", "running_q", "turn_q", "turn_1", "turn_2", "begin_q", "at_last_q", "done_q")
    zero = [(q, "1'b0") for q in bits]
    zero += [
        ("address_q", f"{COUNT_BITS}'d{start}"),
        ("time_q", f"{_WIDTH}'d1"),
        ("match_q", f"{len(found)}'d0"),
    ]
    return Wrapper(
        name,
        (
            f"Powers 0 to {timing.loop} of a hash key, one in {POWER_CYCLES} cycles. The hash key is at "
            "value_i in the cycle after start_i.",
            "A power is at power_o in the cycle after write_o; done_o: the last one is written.",
        ),
        (
            ClockReset(),
            Held(
                (
                    Pin("start_i"),
                    Pin("stop_i"),
                    Pin("value_i", 128),
                    Pin("write_o", out=True),
                    Pin("address_o", COUNT_BITS, True),
                    Pin("power_o", 128, True),
                    Pin("done_o", out=True),
                )
            ),
        ),
        declared_first(
            (
                Reg(bits),
                Reg(("time_q",), _WIDTH),
                Reg(("match_q",), len(found), vector=True),
                Reg(("address_q",), COUNT_BITS),
                Clocked(controls, tuple(zero)),
                Note("The hash key, the power so far, and the coefficients of the power before."),
                Reg(("h_q", "acc_q", "factor_q"), 128),
                *copies("takes", "start_i"),
                *copies("begins", "begin_q"),
                *copies("loads", "turn_q"),
                *copies("clear", "turn_2"),
                *copies("adds", "factor_q[0]"),
                Let("shifted", shifted, 128),
                Clocked(
                    (
                        Step("h_q", f"(value_i & {spread('takes')}) | (h_q & ~{spread('takes')})"),
                        Step("acc_q", f"(shifted & ~{spread('clear')}) ^ (h_q & {spread('adds')})"),
                        Step(
                            "factor_q",
                            f"(({_first(factor)}) & {spread('loads')}) | "
                            f"({{1'b0, factor_q[127:1]}} & ~{spread('loads')})",
                        ),
                    )
                ),
                Drive("write_o", "turn_1"),
                Drive("address_o", "address_q"),
                Drive("power_o", "factor_q"),
                Drive("done_o", "done_q"),
            )
        ),
    )


def _first(factor: str) -> str:
    """The factor, or one in the first product."""
    return f"({factor}) | {{begins[7], 127'd0}}"
