"""What the cells of a Liberty file compute, for the proof of a mapped netlist: logic by its functions,
flip-flops by their `ff` groups, clock-gating cells by their name for it.

A cell whose functions are not understood is left out, and the proof refuses a netlist that has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..verify.aig import Aig
from ..verify.cell_models import Flop, Gate, Make, Models, Output, Pin
from .clock_gates import clock_gate
from .liberty import cells_of, pins_of, read_cells, truth_table

__all__ = ["liberty_models"]


def liberty_models(liberty: Path) -> Models:
    """The models of the cells in the file `liberty`; a cell that is not understood has none."""
    outputs = {
        name: [Output((pin, 0), _pins(cell.inputs), _table(table)) for pin, table in cell.tables.items()]
        for name, cell in read_cells(liberty).items()
    }
    flops = {name: flop for name, text in cells_of(liberty) if (flop := _flop(text))}
    gates = {}
    if gate := clock_gate(liberty):
        enables = _pins((gate.enable, *gate.tests))
        gates[gate.name] = Gate((gate.clock, 0), enables, (gate.gated, 0))
    return Models(outputs, flops, gates)


def _pins(names: Sequence[str]) -> tuple[Pin, ...]:
    return tuple((n, 0) for n in names)


def _table(truth: int) -> Make:
    return lambda g, a: g.table(truth, a)


def _flop(text: str) -> Flop | None:
    """A flip-flop with one output, None for another cell."""
    group = re.search(r'\bff\s*\(\s*"?(\w+)"?\s*,\s*"?(\w+)"?\s*\)\s*\{(.*?)\}', text, re.S)
    if not group:
        return None
    said = dict(re.findall(r'\b(\w+)\s*:\s*"([^"]*)"', group[3]))
    clock = _literal(said.get("clocked_on", ""))
    asynchronous = [(_literal(said[k]), value) for k, value in (("clear", 0), ("preset", 1)) if k in said]
    shown = re.findall(r'\bfunction\s*:\s*"\s*\(?\s*(\w+)\s*\)?\s*"', text)
    out = [name for name, pin in pins_of(text) if re.search(r"\bfunction\s*:", pin)]
    state, following = group[1], said.get("next_state", "")
    data = tuple(dict.fromkeys(n for n in re.findall(r"[A-Za-z_]\w*", following) if n != state))
    truth = truth_table(following, (*data, state)) if data else None
    if clock is None or truth is None or shown != [group[1]] or len(out) != 1:
        return None
    known = [(*pin, value) for pin, value in asynchronous if pin]
    if len(known) != len(asynchronous):
        return None
    idle = tuple(((pin, 0), "0" if high else "1") for pin, high, _ in known)
    reads = _pins((*data, *(pin for pin, _, _ in known)))
    return Flop((clock[0], 0), clock[1], (out[0], 0), reads, _next(truth, len(data), known), idle)


def _literal(text: str) -> tuple[str, bool] | None:
    """A pin, and whether it acts when it is 1, of a function of one pin."""
    found = re.fullmatch(r"\(?\s*([!~]?)\s*\(?(\w+)\)?\s*('?)\s*\)?", text.strip())
    return (found[2], not (found[1] or found[3])) if found else None


def _next(truth: int, width: int, asynchronous: Sequence[tuple[str, bool, int]]) -> Make:
    """The next value from the literals of data, of set and clear, and of the present value."""

    def make(g: Aig, a: Sequence[int]) -> int:
        value = g.table(truth, [*a[:width], a[-1]])
        for k, (_, high, given) in enumerate(asynchronous):
            value = g.mux(a[width + k] ^ (not high), given, value)
        return value

    return make
