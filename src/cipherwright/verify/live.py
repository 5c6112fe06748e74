"""One cycle of a netlist where much is constant: only the gates that matter in that cycle are made.

An engine's control is constant in a proof (a given run of instructions), its data are not. What a multiplexer does not choose is
not evaluated, so a cycle that moves half-words makes no gates of the round's logic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .aig import FALSE, TRUE, Aig
from .equivalence import Logic, is_mux, slot

__all__ = ["LiveFrame"]

_UNKNOWN = 2
"""Stands for any value; with a complement bit it still does."""


class _Ternary:
    """Gates over 0, 1 and unknown, with the calls of an `Aig`."""

    @staticmethod
    def and_(a: int, b: int) -> int:
        if FALSE in (a, b):
            return FALSE
        return b if a == TRUE else a if b == TRUE else _UNKNOWN

    @staticmethod
    def xor(a: int, b: int) -> int:
        return a ^ b if a <= TRUE and b <= TRUE else _UNKNOWN

    @staticmethod
    def mux(s: int, a: int, b: int) -> int:
        if s <= TRUE:
            return a if s else b
        return a if a == b and a <= TRUE else _UNKNOWN


class LiveFrame:
    """Literals of the bits `roots` in one cycle, for the literals of registers and inputs in `known`; what is left out there is 0."""

    def __init__(self, logic: Logic, aig: Aig, known: Mapping[Any, int], roots: Iterable[Any]) -> None:
        constant: list[int] = [FALSE] * logic.size
        constant[1] = TRUE
        for bit, literal in known.items():
            constant[slot(bit)] = literal if literal <= TRUE else _UNKNOWN
        ternary: Any = _Ternary
        for function, out, ins in logic.steps:
            constant[out] = function(ternary, *[constant[i] for i in ins])
        need = bytearray(logic.size)
        for bit in roots:
            need[slot(bit)] = 1
        live = []
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
        value = [c if c <= TRUE else FALSE for c in constant]
        for bit, literal in known.items():
            value[slot(bit)] = literal
        for function, out, ins in reversed(live):
            value[out] = function(aig, *[value[i] for i in ins])
        self._value = value

    def get(self, bit: Any) -> int:
        return self._value[slot(bit)]
