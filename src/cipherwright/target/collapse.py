"""Lookup tables in a row made one, where the inputs of both are few: those that only the boundary of a module
keeps apart, or all.

Modules are mapped one by one, so that what the generator has chosen stays. A signal of the control that goes
into a unit, such as a key that is taken, is then a lookup table in front of others: two levels and a wire
between, where all inputs together may fit one. Within a module the mapper makes no path shorter than the
module's longest, and one lookup table that several read is fewer than one for each. Here each of those that
read it computes it as well, where that takes at most four inputs, or five or six and the multiplexers of
slices. What nothing reads any more goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .tables import LUT, PINS, Bit, Netlist, Value, inputs, made, of_bit, of_table, put_in, table

__all__ = ["collapse"]

_LOW = {"PFUMX": "BLUT", "L6MUX21": "D0"}
_HIGH = {"PFUMX": "ALUT", "L6MUX21": "D1"}
_SELECT = {"PFUMX": "C0", "L6MUX21": "SD"}
"""Pins of the multiplexers behind two lookup tables and behind two such pairs."""

_MOST_INPUTS = len(PINS) + len(_LOW)
_MOST_READERS = 8
"""Pins that read a lookup table which goes into all of its readers: what it reads drives as many more."""


def collapse(module: dict[str, Any], within: bool = False) -> int:
    """Put lookup tables into those of other modules that read them, and with `within` into those of their
    own, in a flat mapped `module` of an ECP5 netlist (Yosys JSON, changed in place); how often one was put
    into another.
    """
    n = _Netlist(module, within)
    found = 0
    while taken := sum(n.take_in(name) for name in [*n.cells]):
        found += taken
    return found


class _Netlist(Netlist):
    """A flat module, whose lookup tables go into others."""

    def __init__(self, module: dict[str, Any], within: bool) -> None:
        super().__init__(module)
        self.within = within
        muxes = [c for c in self.cells.values() if c["type"] in _LOW]
        self.halves = {b for c in muxes for b in (_pin(c, _LOW), _pin(c, _HIGH))}
        """Nets in front of the multiplexers of slices."""

    def take_in(self, name: str) -> bool:
        """Let the lookup table `name`, or the multiplexer of two, compute one that it reads, if there is one
        that fits.
        """
        found = self.whole(name)
        if found is None:
            return False
        own, parts = found
        output: int = self.cells[name]["connections"]["Z"][0]
        most = len(PINS) if output in self.halves else _MOST_INPUTS
        for net in own.reads:
            source = self.table(net)
            if not source or self.readers[net] > _MOST_READERS:
                continue
            if not self.within and _module(source) == _module(name):
                continue
            inner = of_table(self.cells[source])
            both = put_in(own, net, inner)
            if len(both.reads) <= most:
                pins = [b for part in (name, *parts) for b in inputs(self.cells[part])]
                self.readers.subtract(b for b in pins if b != net)
                for part in parts:
                    del self.cells[part]
                # What comes from further away goes into the tables, not to a multiplexer.
                reads = sorted(both.reads, key=lambda b: b not in inner.reads)
                self.put(name, Value(tuple(reads), both.of), output)
                for _ in range(pins.count(net)):
                    self.drop(net)
                return True
        return False

    def whole(self, name: str) -> tuple[Value, list[str]] | None:
        """What a lookup table computes, or two and their multiplexer, and the names of these two. Nothing
        for other cells.
        """
        cell = self.cells.get(name)
        if cell and cell["type"] == LUT:
            return of_table(cell), []
        if not cell or cell["type"] != "PFUMX" or cell["connections"]["Z"][0] in self.halves:
            return None
        sides, select = [_pin(cell, side) for side in (_LOW, _HIGH)], _pin(cell, _SELECT)
        low, high = (self.table(net) for net in sides)
        alone = all(self.readers[net] == 1 for net in sides)
        if not low or not high or not alone or not isinstance(select, int):
            return None
        zero, one = of_table(self.cells[low]), of_table(self.cells[high])
        reads = dict.fromkeys((*zero.reads, *one.reads, select))
        return Value(tuple(reads), lambda known: (one if known[select] else zero).of(known)), [low, high]

    def put(self, name: str, value: Value, output: int) -> None:
        """Put a value in as cell `name`, with multiplexers by the last of its nets where it is more than a
        lookup table.
        """
        if len(value.reads) <= len(PINS):
            cell = table(value, output)
        else:
            kind, select = [*_LOW][len(value.reads) - len(PINS) - 1], value.reads[-1]
            pins: dict[str, Bit] = {}
            for chosen, pin in (("0", _LOW[kind]), ("1", _HIGH[kind])):
                pins[pin] = net = self.net(f"{name}_{pin}")
                self.put(f"{name}_{pin}", put_in(value, select, of_bit(chosen)), net)
            self.halves.update(pins.values())
            cell = made(kind, pins | {_SELECT[kind]: select}, output)
        self.cells[name] = cell
        self.driver[output] = name
        self.readers.update(inputs(cell))


def _module(name: str) -> str:
    """The instance of a module that a cell of a flat netlist was in."""
    return name.rpartition(".")[0]


def _pin(mux: Mapping[str, Any], side: Mapping[str, str]) -> Bit:
    bit: Bit = mux["connections"][side[mux["type"]]][0]
    return bit
