"""The control of a core of XTS whose keys come with unit numbers: how it forgets everything, and when it is
busy. No key waits for anything, so there is none of a key.
"""

from __future__ import annotations

from ...rtl import Cell, Clocked, Drive, Reg, Step, Wire, Wrapper, through
from ...rtl.timer import matches, steps_of, width_for
from ..control import (
    TO_REST,
    Control,
    Controlled,
    ControlTimes,
    again_cell,
    control_after_reset,
    control_cells,
    control_groups,
    control_steps,
    start_cell,
)
from .ports import PENDING

__all__ = ["forgetting_control"]

_KEPT = ("kick_q", "done_q", "rest_q", "advance_q", "more_q", "settled_q", "zero_q", "phase_q", "time_q")
"""Registers that are as in the control of a key."""

_LATE = 2
"""Cycles by which a unit that is pending lengthens the first phase."""


def forgetting_control(name: str, inside: Controlled, times: ControlTimes) -> Control:
    """The module `name` around the core `inside`, which has stop_i, drop_i and pending_o. Of `times` key is
    of no meaning.

    Zeroising has phases of equal length. In the first what is presented reaches all registers of the core; in
    the others results of it are written to every place of a FIFO behind it.
    """
    steps, stored = times.steps, times.stored
    width = width_for(steps)
    found = matches(width, steps_of(width, steps))
    phase = steps + TO_REST + 2
    phases = 1 + max(1, -(-stored // phase))
    kept = {*_KEPT, *(f"match_q[{k}]" for k in range(len(found))), "match_q"}
    moves = control_steps(phases, width, found, "~zeroise_i & ~advance_q", "1'b0", True)
    resets = control_after_reset(phases, width, len(found), True)
    links = {"clk": "clk", "rst_i": "rst_i", **through(inside.pins), "stop_i": "zeroise_i"}
    links |= {"drop_i": "drop_q", "valid_i": "valid_i", "block_i": "block_i", "ready_o": "ready_o"}
    links |= {"valid_o": "core_valid", "block_o": "block_o", PENDING.name: "pending"}
    wrapper = Wrapper(
        name,
        (
            "How the core forgets everything, for which one cycle of zeroise_i asks, and when it is busy.",
            "busy_o: a unit is in flight, or everything from before is being forgotten.",
        ),
        control_groups(inside, stored > 0),
        (
            Wire(("core_valid", "pending", "start_q", "drop_q")),
            Reg(("kick_q", "done_q", "rest_q", "advance_q", "more_q", "settled_q", "zero_q")),
            Reg(("phase_q",), phases, "Of zeroising: blocks go through."),
            Reg(("time_q",), width, "Since the last unit was pending: a shift register with feedback."),
            Reg(("match_q",), len(found), vector=True),
            start_cell(name, "pending", "1'b1", "1'b1"),
            again_cell(name, "drop", phases),
            Drive("busy_o", "start_q | ~rest_q | zero_q"),
            Drive("valid_o", "core_valid & ~zero_q"),
            Drive(PENDING.name, "pending"),
            *([Drive("zeroising_o", "zeroise_i | zero_q")] if stored else []),
            Clocked(
                tuple(s for s in moves if isinstance(s, Step) and s.target in kept),
                tuple(r for r in resets if r[0] in kept),
            ),
            Cell(inside.module, "u_inner", links),
        ),
    )
    pins = (*inside.pins,)
    cycles = 1 + phases * phase + _LATE
    return Control((wrapper, *control_cells(name)), pins, cycles)
