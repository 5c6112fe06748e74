"""Synchronous resets made gates in front of their flip-flops, where that takes no lookup table more in a row.

All flip-flops of an ECP5 tile share one reset. So a flip-flop with a reset finds no place near its
neighbours where most have none, and nothing moves it later (repair.py). A gate is part of the lookup table
that feeds the flip-flop alone, where that has an input left, or a lookup table of its own where a register
feeds it. The logic of a reset goes into it as well. Where four inputs do not suffice, and where the
flip-flop has an enable too, the reset stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import PINS, Netlist, Value, table

__all__ = ["gate_resets"]

_FF = "TRELLIS_FF"


def gate_resets(module: dict[str, Any]) -> int:
    """Make gates of synchronous resets in a flat mapped `module` of an ECP5 netlist (Yosys JSON, changed in
    place); how many flip-flops got one.
    """
    n = _Netlist(module)
    return sum([n.gate(name) for name, c in [*n.cells.items()] if _has_reset(c)])


class _Netlist(Netlist):
    """A flat module, whose resets become gates."""

    def gate(self, name: str) -> bool:
        """Make a gate of a flip-flop's reset, if one lookup table suffices for it and for the data."""
        of, ports = self.cells[name]["parameters"], self.cells[name]["connections"]
        data, reset = ports["DI"][0], ports["LSR"][0]
        own = self.table(data) if self.readers[data] == 1 else ""
        source = self.driver.get(data, "")
        if source and not own and self.cells[source]["type"] != _FF:
            return False  # others read the same logic, or it is more than a lookup table
        d, r = self.value(data, own), self.value(reset, self.table(reset))
        reads = tuple(dict.fromkeys((*d.reads, *r.reads)))
        if len(reads) > len(PINS):
            return False
        high = int(of["REGSET"] == "SET")
        self.put(name, own, Value(reads, lambda known: high if r.of(known) else d.of(known)))
        self.readers.subtract(d.reads if own else (data,))
        self.readers.update(reads)
        ports["LSR"] = ["0"]
        del of["SRMODE"]
        self.drop(reset)
        return True

    def put(self, name: str, own: str, gate: Value) -> None:
        """Put a lookup table in place of the flip-flop's own, or between it and what it reads."""
        ports = self.cells[name]["connections"]
        if not own:
            ports["DI"] = [net := self.net(f"{name}_gate")]
            self.readers[net] = 1
        self.cells[own or f"{name}_gate"] = table(gate, ports["DI"][0])


def _has_reset(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is a flip-flop without an enable whose synchronous reset is a signal."""
    if cell["type"] != _FF:
        return False
    of, ports = cell["parameters"], cell["connections"]
    usual = (of.get("SRMODE"), of.get("LSRMUX"), of["CEMUX"].strip()) == ("LSR_OVER_CE", "LSR", "1")
    return usual and isinstance(ports["LSR"][0], int) and "M" not in ports
