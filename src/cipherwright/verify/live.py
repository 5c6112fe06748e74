"""One cycle of a netlist where much is constant: only the gates that matter in that cycle are made.

An engine's control is constant in a proof (a given run of instructions), its data are not. What a
multiplexer does not choose is not evaluated, so a cycle that moves half-words makes no gates of the
round's logic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .aig import FALSE, TRUE, Aig
from .equivalence import Logic, gate_function, is_mux, slot
from .netlist import GATES, Netlist, in_bits
from .three_valued import ALL, ThreeValued

__all__ = ["UNKNOWN", "Live", "LiveFrame", "passed", "reads", "settled"]

Step = tuple[Callable[..., int], int, list[int]]

UNKNOWN = 2
"""Stands for any value; with a complement bit it still does."""


class _Ternary:
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


def settled(
    cells: Iterable[Mapping[str, Any]], known: Mapping[Any, int], fixed: Mapping[Any, int] | None = None
) -> dict[Any, int]:
    """What the `cells` give, as 0, 1 or unknown. `cells`: a netlist's, drivers before readers; `known`:
    values of bits, `fixed`: of bits that no cell here gives. What is in neither `known` nor `fixed` and does
    not follow from them is unknown: the x in a text and what memories hold too. A gate whose output is in
    `known` keeps that.
    """
    fixed = fixed or {}
    value: dict[Any, int] = {"0": FALSE, "1": TRUE, **known}
    ternary: Any = _Ternary
    for cell in cells:
        kind, pins = cell["type"], cell["connections"]
        if kind in GATES and pins["Y"][0] not in known:
            ins = [value.get(pins[p][0], fixed.get(pins[p][0], UNKNOWN)) for p in GATES[kind]]
            value[pins["Y"][0]] = gate_function(cell)(ternary, *ins)
    return value


def passed(cell: Mapping[str, Any], value: Mapping[Any, int]) -> list[Any]:
    """The inputs of a gate, `cell`, that its output depends on, where the select of a multiplexer may be
    known. `value`: 0, 1 or unknown, by bit.
    """
    pins = cell["connections"]
    select = value.get(pins["S"][0], UNKNOWN) if cell["type"] == "$_MUX_" else UNKNOWN
    return in_bits(cell) if select > TRUE else [pins["B" if select else "A"][0]]


def reads(driver: Mapping[Any, Mapping[str, Any]], bits: Iterable[Any], value: Mapping[Any, int]) -> set[Any]:
    """What `bits` depend on in the same cycle: registers, inputs and whatever no gate drives. `driver`: the
    cell that gives a bit; `value`: what is known, as 0, 1 or unknown, by bit.
    """
    found, seen, todo = set[Any](), set[Any](), list(bits)
    while todo:
        bit = todo.pop()
        if bit in seen or value.get(bit, UNKNOWN) <= TRUE:
            continue
        seen.add(bit)
        cell = driver.get(bit)
        if cell is None or cell["type"] not in GATES:
            found.add(bit)
        else:
            todo += passed(cell, value)
    return found


@dataclass(frozen=True)
class LiveFrame:
    """Literals of bits in one cycle; `value`: by the places of `slot`."""

    value: list[int]

    def get(self, bit: Any) -> int:
        """Literal of a `bit` of the netlist."""
        return self.value[slot(bit)]


class Live:
    """The gates of `n` with flip-flops left out, cycle by cycle."""

    def __init__(self, n: Netlist) -> None:
        self._steps = Logic(n, wires=False).steps
        self._three = ThreeValued(n)
        self._size = len(self._three.can)

    def frame(self, aig: Aig, known: Mapping[Any, int], roots: Iterable[Any]) -> LiveFrame:
        """Literals in `aig` of the bits `roots` in one cycle, for the literals of registers and inputs in
        `known`; what is left out there is 0.
        """
        constant, need = self._constants(known), self._marked(roots)
        return LiveFrame(_values(aig, constant, known, self._live(constant, need)))

    def run(
        self,
        aig: Aig,
        registers: Mapping[Any, Any],
        state: Mapping[Any, int],
        inputs: Sequence[Mapping[Any, int]],
        roots: Sequence[Iterable[Any]],
    ) -> list[dict[Any, int]]:
        """Literals in `aig` of `roots[t]` in every cycle t of a run from the literals `state` of the
        `registers` (bit -> its data bit), with `inputs[t]`. Only gates on which some root of some cycle
        depends are made: other blocks in flight make none.
        """
        constants, now = [], dict(state)
        for given in inputs:
            constants.append(self._constants({**now, **given}))
            now = {q: constants[-1][slot(d)] for q, d in registers.items()}
        wanted: set[Any] = set()
        lives: list[list[Step]] = []
        for t in range(len(inputs) - 1, -1, -1):
            need = self._marked((*roots[t], *(registers[q] for q in wanted)))
            lives.append(self._live(constants[t], need))
            wanted = {q for q in registers if need[slot(q)]}
        lives.reverse()
        out, literals = [], dict(state)
        for t, given in enumerate(inputs):
            value = _values(aig, constants[t], {**literals, **given}, lives[t])
            out.append({bit: value[slot(bit)] for bit in roots[t]})
            literals = {q: value[slot(d)] for q, d in registers.items()}
        return out

    def _marked(self, bits: Iterable[Any]) -> bytearray:
        need = bytearray(self._size)
        for bit in bits:
            need[slot(bit)] = 1
        return need

    def _constants(self, known: Mapping[Any, int]) -> list[int]:
        """What is constant in a cycle (or unknown), for what is known of registers and inputs; what is left
        out there is 0.
        """
        can = self._three.can
        can[:] = ALL, 0
        can[1] = 0, ALL
        places = np.fromiter(map(slot, known), np.int64, len(known))
        literals = np.fromiter(known.values(), np.int64, len(known))
        can[places, 0] = np.where(literals == TRUE, 0, ALL)
        can[places, 1] = np.where(literals == FALSE, 0, ALL)
        self._three.settle()
        zero, one = can[:, 0] != 0, can[:, 1] != 0
        constant: list[int] = np.where(zero & one, UNKNOWN, one).tolist()
        return constant

    def _live(self, constant: Sequence[int], need: bytearray) -> list[Step]:
        """The steps that the slots marked in `need` depend on, in order; the slots that these read are
        marked too.
        """
        live: list[Step] = []
        for step in reversed(self._steps):
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


def _values(aig: Aig, constant: Sequence[int], known: Mapping[Any, int], live: Iterable[Step]) -> list[int]:
    value = [c if c <= TRUE else FALSE for c in constant]
    for bit, literal in known.items():
        value[slot(bit)] = literal
    for function, out, ins in live:
        value[out] = function(aig, *[value[i] for i in ins])
    return value
