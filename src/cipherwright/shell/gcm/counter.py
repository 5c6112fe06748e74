"""A counter of 32 bits that takes at most one lookup table a stage."""

from __future__ import annotations

from ...rtl import Clocked, Let, Reg, Step, WrapperItem

__all__ = ["counter_items"]


def counter_items(name: str, start: int, step: str, clear: str, moves: str) -> tuple[WrapperItem, ...]:
    """A counter of 32 bits, `name`, in pieces of four bits, `name`_0 to `name`_7. step, clear and moves are
    registers: the counter is `start` (at most 15) after `clear`, goes up in a cycle in which `step` is 1, and
    `moves` tells that either is 1. `name` shows what the lowest piece was one cycle before.

    So the other pieces have a register for their enable. A piece moves when all below are 15. The lowest is
    told by registers that follow it one and two values ahead. What the others are has more than ten cycles to
    arrive, because the lowest has to come round.
    """
    low = f"{name}_0"
    near = [
        Step(low, f"{clear} ? 4'd{start} : {_next(low)}", moves),
        Step(f"{name}_at_14", f"~{clear} & ({low} == 4'd13)", moves),
        Step(f"{name}_at_15", f"~{clear} & {name}_at_14", moves),
    ]
    steps = [Step(f"{name}_cleared", clear), Step(f"{name}_low", low)]
    for j in range(1, 8):
        piece, below = f"{name}_{j}", f" & {name}_full[{j - 2}]" if j > 1 else ""
        steps += [
            Step(f"{name}_moves[{j - 1}]", f"{clear} | ({step} & {name}_at_15{below})"),
            Step(piece, f"{name}_cleared ? 4'd0 : {_next(piece)}", f"{name}_moves[{j - 1}]"),
        ]
        if j < 7:
            steps += [
                Step(f"{name}_ones[{j - 1}]", f"&{piece}"),
                Step(f"{name}_full[{j - 1}]", f"{name}_ones[{j - 1}]{below}"),
            ]
    return (
        Reg((*(f"{name}_{j}" for j in range(8)), f"{name}_low"), 4),
        Reg((f"{name}_at_14", f"{name}_at_15", f"{name}_cleared")),
        Reg((f"{name}_moves",), 7),
        Reg((f"{name}_ones", f"{name}_full"), 6),
        Clocked((*near, *steps)),
        Let(name, f"{{{', '.join(f'{name}_{j}' for j in reversed(range(1, 8)))}, {name}_low}}", 32),
    )


def _next(piece: str) -> str:
    """Four bits plus one."""
    p = [f"{piece}[{k}]" for k in range(4)]
    return f"{{{p[3]} ^ ({p[2]} & {p[1]} & {p[0]}), {p[2]} ^ ({p[1]} & {p[0]}), {p[1]} ^ {p[0]}, ~{p[0]}}}"
