"""One cycle of a netlist where much is constant: only the gates that matter in that cycle are made.

An engine's control is constant in a proof (a given run of instructions), its data are not. What a
multiplexer does not choose is not evaluated, so a cycle that moves half-words makes no gates of the
round's logic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .aig import FALSE, TRUE, Aig
from .equivalence import Logic, is_mux, slot

__all__ = ["UNKNOWN", "LiveFrame", "Ternary", "live_run"]

Step = tuple[Callable[..., int], int, list[int]]

UNKNOWN = 2
"""Stands for any value; with a complement bit it still does."""


class Ternary:
    """Gates over 0, 1 and unknown, with the calls of an `Aig`."""

    @staticmethod
    def and_(a: int, b: int) -> int:
        if FALSE in (a, b):
            return FALSE
        return b if a == TRUE else a if b == TRUE else UNKNOWN

    @staticmethod
    def xor(a: int, b: int) -> int:
        return a ^ b if a <= TRUE and b <= TRUE else UNKNOWN

    @staticmethod
    def mux(s: int, a: int, b: int) -> int:
        if s <= TRUE:
            return a if s else b
        return a if a == b and a <= TRUE else UNKNOWN


def _constants(logic: Logic, known: Mapping[Any, int]) -> list[int]:
    """What is constant in a cycle (or unknown), for what is known of registers and inputs; what is left
    out there is 0.
    """
    constant: list[int] = [FALSE] * logic.size
    constant[1] = TRUE
    for bit, literal in known.items():
        constant[slot(bit)] = literal if literal <= TRUE else UNKNOWN
    ternary: Any = Ternary
    for function, out, ins in logic.steps:
        constant[out] = function(ternary, *[constant[i] for i in ins])
    return constant


def _live(logic: Logic, constant: Sequence[int], need: bytearray) -> list[Step]:
    """The steps that the slots marked in `need` depend on, in order; the slots that these read are marked
    too.
    """
    live: list[Step] = []
    for step in reversed(logic.steps):
        function, out, ins = step
        if not need[out] or constant[out] <= TRUE:
            continue
        live.append(step)
        if is_mux(function) and constant[ins[0]] <= TRUE:
            need[ins[1 if constant[ins[0]] else 2]] = 1
        else:
            for i in ins:
                need[i] = 1
    live.reverse()
    return live


class LiveFrame:
    """Literals of the bits `roots` in one cycle, for the literals of registers and inputs in `known`; what
    is left out there is 0.
    """

    def __init__(self, logic: Logic, aig: Aig, known: Mapping[Any, int], roots: Iterable[Any]) -> None:
        constant = _constants(logic, known)
        need = bytearray(logic.size)
        for bit in roots:
            need[slot(bit)] = 1
        self._value = _values(aig, constant, known, _live(logic, constant, need))

    def get(self, bit: Any) -> int:
        return self._value[slot(bit)]


def _values(aig: Aig, constant: Sequence[int], known: Mapping[Any, int], live: Iterable[Step]) -> list[int]:
    value = [c if c <= TRUE else FALSE for c in constant]
    for bit, literal in known.items():
        value[slot(bit)] = literal
    for function, out, ins in live:
        value[out] = function(aig, *[value[i] for i in ins])
    return value


def live_run(
    logic: Logic,
    aig: Aig,
    registers: Mapping[Any, Any],
    state: Mapping[Any, int],
    inputs: Sequence[Mapping[Any, int]],
    roots: Sequence[Iterable[Any]],
) -> list[dict[Any, int]]:
    """Literals of `roots[t]` in every cycle t of a run from the literals `state` of the registers (bit ->
    its data bit), with `inputs[t]`. Only gates on which some root of some cycle depends are made: other
    blocks in flight make none.
    """
    constants, now = [], dict(state)
    for given in inputs:
        constants.append(_constants(logic, {**now, **given}))
        now = {q: min(constants[-1][slot(d)], UNKNOWN) for q, d in registers.items()}
    wanted: set[Any] = set()
    lives: list[list[Step]] = []
    for t in range(len(inputs) - 1, -1, -1):
        need = bytearray(logic.size)
        for bit in (*roots[t], *(registers[q] for q in wanted)):
            need[slot(bit)] = 1
        lives.append(_live(logic, constants[t], need))
        wanted = {q for q in registers if need[slot(q)]}
    lives.reverse()
    out, literals = [], dict(state)
    for t, given in enumerate(inputs):
        value = _values(aig, constants[t], {**literals, **given}, lives[t])
        out.append({bit: value[slot(bit)] for bit in roots[t]})
        literals = {q: value[slot(d)] for q, d in registers.items()}
    return out
