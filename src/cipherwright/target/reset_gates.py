"""Synchronous resets made gates in front of their flip-flops, where that takes no lookup table more in a row.

All flip-flops of an ECP5 tile share one reset. So a flip-flop with a reset finds no place near its
neighbours where most have none, and nothing moves it later (repair.py). A gate is part of the lookup table
that feeds the flip-flop alone, where that has an input left, or a lookup table of its own where a register
feeds it. The logic of a reset goes into it as well. Where four inputs do not suffice, and where the
flip-flop has an enable too, the reset stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["gate_resets"]

_LUT, _FF, _PINS = "LUT4", "TRELLIS_FF", "ABCD"

Bit = int | str


@dataclass(frozen=True)
class _Value:
    """A value as a function of bits: those that it reads, and the function of their values."""

    reads: tuple[int, ...]
    of: Callable[[Mapping[Bit, int]], int]


def gate_resets(module: dict[str, Any]) -> int:
    """Make gates of synchronous resets in a flat mapped `module` of an ECP5 netlist (Yosys JSON, changed in
    place); how many flip-flops got one.
    """
    n = _Netlist(module)
    return sum([n.gate(name) for name, c in [*n.cells.items()] if _has_reset(c)])


class _Netlist:
    """A flat module, with the cell that drives each bit and the number of pins that read it."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, dict[str, Any]] = module["cells"]
        self.driver = {b: name for name, c in self.cells.items() for b in _bits(c, "output")}
        self.readers = Counter(b for c in self.cells.values() for b in _bits(c, "input"))
        self.readers.update(
            b for p in module["ports"].values() if p["direction"] == "output" for b in p["bits"]
        )
        self.fresh = 1 + max(b for b in (*self.driver, *self.readers) if isinstance(b, int))

    def table(self, bit: Bit) -> str:
        """The lookup table that drives a bit, or nothing."""
        name = self.driver.get(bit, "")
        return name if name and self.cells[name]["type"] == _LUT else ""

    def value(self, bit: Bit, table: str) -> _Value:
        """A bit by what its lookup table reads, or where it has none by itself."""
        return _of_table(self.cells[table]) if table else _of_bit(bit)

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
        if len(reads) > len(_PINS):
            return False
        self.put(name, own, _gate(reads, d, r, of["REGSET"] == "SET"))
        self.readers.subtract(d.reads if own else (data,))
        self.readers.update(reads)
        ports["LSR"] = ["0"]
        del of["SRMODE"]
        self.drop(reset)
        return True

    def put(self, name: str, own: str, gate: dict[str, Any]) -> None:
        """Put a gate in place of the flip-flop's own lookup table, or between it and what it reads."""
        ports = self.cells[name]["connections"]
        if not own:
            ports["DI"] = [self.fresh]
            self.driver[self.fresh], self.readers[self.fresh] = f"{name}_gate", 1
            self.fresh += 1
        gate["connections"]["Z"] = ports["DI"]
        self.cells[own or f"{name}_gate"] = gate

    def drop(self, reset: Bit) -> None:
        """A pin does not read the reset any more: its lookup table goes if it was the last."""
        self.readers[reset] -= 1
        if self.table(reset) and not self.readers[reset]:
            gone = self.cells.pop(self.driver.pop(reset))
            self.readers.subtract(_of_table(gone).reads)


def _bits(cell: Mapping[str, Any], way: str) -> list[Bit]:
    return [
        b for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == way for b in bits
    ]


def _has_reset(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is a flip-flop without an enable whose synchronous reset is a signal."""
    if cell["type"] != _FF:
        return False
    of, ports = cell["parameters"], cell["connections"]
    usual = (of.get("SRMODE"), of.get("LSRMUX"), of["CEMUX"].strip()) == ("LSR_OVER_CE", "LSR", "1")
    return usual and isinstance(ports["LSR"][0], int) and "M" not in ports


def _of_bit(bit: Bit) -> _Value:
    if isinstance(bit, int):
        return _Value((bit,), lambda known: known[bit])
    return _Value((), lambda known: int(bit == "1"))


def _of_table(cell: Mapping[str, Any]) -> _Value:
    pins = [cell["connections"][p][0] for p in _PINS]
    table = cell["parameters"]["INIT"]

    def of(known: Mapping[Bit, int]) -> int:
        index = sum((known[b] if isinstance(b, int) else int(b == "1")) << k for k, b in enumerate(pins))
        return int(table[-1 - index])

    return _Value(tuple(b for b in pins if isinstance(b, int)), of)


def _gate(reads: tuple[int, ...], data: _Value, reset: _Value, high: bool) -> dict[str, Any]:
    """A lookup table without an output's net: `data`, or after a reset whether `high`."""
    table = ""
    for index in range(1 << len(_PINS)):
        known: dict[Bit, int] = {b: index >> k & 1 for k, b in enumerate(reads)}
        table = str(int(high) if reset.of(known) else data.of(known)) + table
    pins = dict(zip(_PINS, [[b] for b in (*reads, *["0"] * (len(_PINS) - len(reads)))], strict=True))
    return {
        "hide_name": 0,
        "type": _LUT,
        "parameters": {"INIT": table},
        "attributes": {},
        "port_directions": dict.fromkeys(_PINS, "input") | {"Z": "output"},
        "connections": pins,
    }
