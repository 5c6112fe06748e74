"""A counter of 32 bits that takes one lookup table a stage."""

from __future__ import annotations

from ...rtl import Clocked, Let, Reg, Step, WrapperItem

__all__ = ["counter_items"]


def counter_items(name: str, start: int, step: str, clear: str) -> tuple[WrapperItem, ...]:
    """A counter of 32 bits as registers `name`_0 to `name`_7 of four bits each, one lookup table deep: it is
    `start` (at most 2) after `clear`, and goes up in a cycle in which `step` is 1.

    A piece moves when all below are 15, which is known from before: the lowest is told by registers that
    follow it one and two values ahead, and what the others are has more than ten cycles to arrive, since the
    lowest has to come round.
    """
    low, moves = f"{name}_0", f"{clear} | {step}"
    steps = [
        Step(low, f"{clear} ? 4'd{start} : {_next(low)}", moves),
        Step(f"{name}_at_14", f"~{clear} & ({low} == 4'd13)", moves),
    ]
    for j in range(1, 8):
        piece, below = f"{name}_{j}", f" & {name}_full[{j - 2}]" if j > 1 else ""
        steps += [
            Step(f"{name}_near[{j - 1}]", f"~{clear} & {name}_at_14{below}", moves),
            Step(piece, f"{clear} ? 4'd0 : {_next(piece)}", f"{clear} | ({step} & {name}_near[{j - 1}])"),
        ]
        if j < 7:
            steps += [
                Step(f"{name}_ones[{j - 1}]", f"&{piece}"),
                Step(f"{name}_full[{j - 1}]", f"{name}_ones[{j - 1}]{below}"),
            ]
    return (
        Reg(tuple(f"{name}_{j}" for j in range(8)), 4),
        Reg((f"{name}_at_14",)),
        Reg((f"{name}_near",), 7),
        Reg((f"{name}_ones", f"{name}_full"), 6),
        Clocked(tuple(steps)),
        Let(name, f"{{{', '.join(f'{name}_{j}' for j in reversed(range(8)))}}}", 32),
    )


def _next(piece: str) -> str:
    """Four bits plus one."""
    p = [f"{piece}[{k}]" for k in range(4)]
    return f"{{{p[3]} ^ ({p[2]} & {p[1]} & {p[0]}), {p[2]} ^ ({p[1]} & {p[0]}), {p[1]} ^ {p[0]}, ~{p[0]}}}"
