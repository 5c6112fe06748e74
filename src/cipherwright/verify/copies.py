"""Registers that are copies of each other: equal after a reset, and from then on for all times.

Registers that one cycle of reset gives the same value are taken to be equal at first. Those whose next values
are not the same function of registers, up to copies, and of inputs are then told apart, until nothing
changes. What is left is an inductive invariant: it holds after the reset, and from one cycle to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .aig import TRUE
from .guarded import Logic
from .live import UNKNOWN, settled
from .netlist import FLIP_FLOP, GATES, Netlist, in_bits, out_bits

__all__ = ["without_copies"]

Cell = Mapping[str, Any]


def without_copies(n: Netlist, reset: str, order: Sequence[str]) -> Netlist:
    """The netlist `n` in which one of several registers that are copies is read in place of each. So it is
    the same after a cycle of the input `reset`. `order`: its cells, drivers before readers; it holds for the
    new netlist too.
    """
    gates = (c for name in order if (c := n.cells[name])["type"] in GATES)
    during = settled(gates, {n.inputs[reset][0]: TRUE})
    wires = (c["connections"] for c in n.cells.values() if c["type"] == FLIP_FLOP)
    taken = {w["Q"][0]: w["D"][0] for w in wires if during.get(w["D"][0], UNKNOWN) <= TRUE}
    first, read = dict[int, Any](), dict[Any, Any]()
    for q, number in _groups(Logic.of(n).cone(taken.values()).gates, taken, during).items():
        if first.setdefault(number, q) != q:
            read[q] = first[number]
    if not read:
        return n
    cells = {name: _reading(c, read) for name, c in n.cells.items()}
    outputs = {name: [read.get(b, b) for b in bits] for name, bits in n.outputs.items()}
    return replace(n, cells=cells, outputs=outputs)


def _reading(cell: Cell, read: Mapping[Any, Any]) -> dict[str, Any]:
    """The cell with other bits at its inputs."""
    if not read.keys() & set(in_bits(cell)):
        return dict(cell)
    own = set(out_bits(cell))
    pins = {
        pin: [b if b in own else read.get(b, b) for b in bits] for pin, bits in cell["connections"].items()
    }
    return {**cell, "connections": pins}


def _groups(gates: Sequence[Cell], registers: Mapping[Any, Any], during: Mapping[Any, int]) -> dict[Any, int]:
    """The number of the group of each register; those of a group are equal. `gates`: what they take depends
    on, drivers before readers; `registers`: output -> what it takes; `during`: bits in reset.
    """
    group = {q: during[d] for q, d in registers.items()}
    count = 0
    while count != len(set(group.values())):
        count = len(set(group.values()))
        group = _told_apart(gates, registers, group)
    return group


def _told_apart(
    gates: Sequence[Cell], registers: Mapping[Any, Any], group: Mapping[Any, int]
) -> dict[Any, int]:
    """The groups, each split by what its registers take."""
    known, split = dict[Any, int](), dict[Any, int]()

    def number(key: Any) -> int:
        return known.setdefault(key, len(known))

    def bit(b: Any) -> int:
        return of[b] if b in of else number(("bit", b))

    of = {q: number(("copy", g)) for q, g in group.items()}
    for cell in gates:
        of[cell["connections"]["Y"][0]] = number((cell["type"], tuple(bit(b) for b in in_bits(cell))))
    return {q: split.setdefault((g, bit(registers[q])), len(split)) for q, g in group.items()}
