"""A counter of 32 bits that takes at most one lookup table a stage."""

from __future__ import annotations

from dataclasses import dataclass

from ...rtl import Clocked, Let, Reg, Step, WrapperItem, concatenated
from ..copies import copies

__all__ = ["Load", "counter_items"]

_DIGIT = 4
"""Bits of a piece."""


@dataclass(frozen=True)
class Load:
    """What a counter takes. when: a register that is 1 in the cycle in which the counter takes `value`, a
    word of 32 bits that stays for a cycle more; `moves` of the counter is then 1 as well.
    """

    when: str
    value: str


def counter_items(
    name: str, start: int, step: str, clear: str, moves: str, load: Load | None = None, bits: int = 32
) -> tuple[WrapperItem, ...]:
    """A counter of 32 bits, `name`, in pieces of four bits, `name`_0 to `name`_7; or of 29 to 31 `bits`,
    whose last piece is shorter. step, clear and moves are registers: the counter is `start` (at most 4) after
    `clear`, goes up in a cycle in which `step` is 1, and `moves` tells that either is 1. load: the value that
    it takes, where it takes one. `name` shows what the lowest piece was one cycle before.

    So the other pieces have a register for their enable. A piece moves when all below are 15. The lowest is
    told by registers that follow it some values ahead. What the others are has more than ten cycles to
    arrive, because the lowest has to come round. A counter that takes a value needs as long before it goes
    up. Clearing is a gate in front of each register, since flip-flops with a reset by logic stand apart from
    others.
    """
    low, loads = f"{name}_0", f"{load.when} | " if load else ""
    late = Load(f"{name}_loaded", load.value) if load else None
    first = concatenated(clear if start >> k & 1 else "1'b0" for k in range(4))
    following = f"{_taken(load, 0)}{_next(low, f'{name}_to_8')}"
    near = [
        Step(low, f"{first} | (~{{4{{{clear}}}}} & ({following}))", moves),
        Step(f"{name}_to_8", f"~{clear} & ({_told(load, 7, 3)}{low}[2:0] == 3'd6)", moves),
        Step(f"{name}_at_5", f"~{clear} & ({_told(load, 5, 3)}{low}[2:0] == 3'd4)", moves),
        Step(f"{name}_at_14", f"~{clear} & ({_told(load, 14)}{name}_at_5 & {low}[3])", moves),
        Step(f"{name}_at_15", f"~{clear} & ({_told(load, 15)}{name}_at_14)", moves),
    ]
    steps = [Step(f"{name}_low", low)]
    steps += [Step(f"{name}_loaded", load.when)] if load else []
    sizes = [min(_DIGIT, bits - _DIGIT * j) for j in range(8)]
    for j in range(1, 8):
        size = sizes[j]
        cleared = f"{name}_cleared[{(j - 1) // 4}]"
        carry, piece, below = (
            f"{name}_carry[{j - 1}]",
            f"{name}_{j}",
            f" & {name}_full[{j - 2}]" if j > 1 else "",
        )
        steps += [
            Step(f"{name}_moves[{j - 1}]", f"{clear} | {loads}({step} & {name}_at_15{below})"),
            *([Step(carry, f"&{piece}[2:0]")] if size == _DIGIT else []),
            Step(
                piece,
                f"~{{{size}{{{cleared}}}}} & ({_taken(late, j)}{_next(piece, carry, size)})",
                f"{name}_moves[{j - 1}]",
            ),
        ]
        if j < 7:
            steps += [
                Step(f"{name}_ones[{j - 1}]", f"&{piece}"),
                Step(f"{name}_full[{j - 1}]", f"{name}_ones[{j - 1}]{below}"),
            ]
    return (
        Reg((*(f"{name}_{j}" for j, size in enumerate(sizes) if size == _DIGIT), f"{name}_low"), _DIGIT),
        *([Reg((f"{name}_7",), sizes[7])] if sizes[7] < _DIGIT else []),
        Reg(tuple(f"{name}_{n}" for n in ("to_8", "at_5", "at_14", "at_15"))),
        *copies(f"{name}_cleared", clear, bits - _DIGIT),
        *([Reg((f"{name}_loaded",))] if load else []),
        *(
            [Reg((f"{name}_moves", f"{name}_carry"), 7)]
            if sizes[7] == _DIGIT
            else [Reg((f"{name}_moves",), 7), Reg((f"{name}_carry",), 6)]
        ),
        Reg((f"{name}_ones", f"{name}_full"), 6),
        Clocked((*near, *steps)),
        Let(name, concatenated((f"{name}_low", *(f"{name}_{j}" for j in range(1, 8)))), bits),
    )


def _taken(load: Load | None, j: int) -> str:
    """The choice of piece j of what is taken, before what the piece is otherwise."""
    return f"{load.when} ? {load.value}[{4 * j + 3}:{4 * j}] : " if load else ""


def _told(load: Load | None, low: int, bits: int = 4) -> str:
    """Whether the lowest bits of what is taken are `low`, before what tells it otherwise."""
    return f"{load.when} ? {load.value}[{bits - 1}:0] == {bits}'d{low} : " if load else ""


def _next(piece: str, carry: str, size: int = _DIGIT) -> str:
    """Four bits, or the first ones of them, plus one; `carry`: a register that tells that the lowest three
    are ones.
    """
    p = [f"{piece}[{k}]" if size > 1 else piece for k in range(4)]
    bits = [f"{p[3]} ^ {carry}", f"{p[2]} ^ ({p[1]} & {p[0]})", f"{p[1]} ^ {p[0]}", f"~{p[0]}"]
    return f"{{{', '.join(bits[-size:])}}}"
