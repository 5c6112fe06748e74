"""Lookup tables in a row that only the boundary of a module keeps apart, made one.

Modules are mapped one by one, so that what the generator has chosen stays. A signal of the control that goes
into a unit, such as a key that is taken, is then a lookup table in front of others: two levels and a wire
between, where all inputs together may fit one. Here each of those that read it computes it as well, where
that takes at most four inputs, or five or six and the multiplexers of slices. What nothing reads any more
goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .tables import LUT, PINS, Bit, Netlist, Value, inputs, of_table, put_in, table

__all__ = ["collapse"]

_LOW = {"PFUMX": "BLUT", "L6MUX21": "D0"}
_HIGH = {"PFUMX": "ALUT", "L6MUX21": "D1"}
_SELECT = {"PFUMX": "C0", "L6MUX21": "SD"}
"""Pins of the multiplexers behind two lookup tables and behind two such pairs."""

_MOST_INPUTS = len(PINS) + len(_LOW)

_MOST_READERS = 8
"""Pins that read a lookup table which goes into all of its readers: what it reads drives as many more."""


def collapse(module: dict[str, Any]) -> int:
    """Put lookup tables into those of other modules that read them, in a flat mapped `module` of an ECP5
    netlist (Yosys JSON, changed in place); how often one was put into another.
    """
    n = _Netlist(module)
    found = 0
    while taken := sum(n.take_in(name) for name in [*n.cells]):
        found += taken
    return found


class _Netlist(Netlist):
    """A flat module, whose lookup tables go into others."""

    def __init__(self, module: dict[str, Any]) -> None:
        super().__init__(module)
        muxes = [c for c in self.cells.values() if c["type"] in _LOW]
        self.halves = {b for c in muxes for b in (_pin(c, _LOW), _pin(c, _HIGH))}
        """Nets in front of the multiplexers of slices."""

    def take_in(self, name: str) -> bool:
        """Let the lookup table `name`, or the multiplexer of two, compute one that it reads from another
        module, if there is one.
        """
        found = self.whole(name)
        if found is None:
            return False
        own, parts = found
        output: int = self.cells[name]["connections"]["Z"][0]
        most = len(PINS) if output in self.halves else _MOST_INPUTS
        for net in own.reads:
            source = self.table(net)
            if not source or _module(source) == _module(name) or self.readers[net] > _MOST_READERS:
                continue
            inner = of_table(self.cells[source])
            both = put_in(own, net, inner)
            if len(both.reads) <= most:
                pins = [b for part in (name, *parts) for b in inputs(self.cells[part])]
                self.readers.subtract(b for b in pins if b != net)
                for part in parts:
                    del self.cells[part]
                self.put(name, both, sorted(both.reads, key=lambda b: b not in inner.reads), output)
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
        low, high = (self.table(_pin(cell, side)) for side in (_LOW, _HIGH))
        select = _pin(cell, _SELECT)
        alone = all(self.readers[_pin(cell, side)] == 1 for side in (_LOW, _HIGH))
        if not low or not high or not alone or not isinstance(select, int):
            return None
        zero, one = of_table(self.cells[low]), of_table(self.cells[high])
        reads = dict.fromkeys((*zero.reads, *one.reads, select))
        return Value(tuple(reads), lambda known: (one if known[select] else zero).of(known)), [low, high]

    def put(self, name: str, value: Value, reads: Sequence[int], output: int) -> None:
        """Put a value of the nets `reads` in as cell `name`, with multiplexers by the last of them where it
        is more than a lookup table.
        """
        if len(reads) <= len(PINS):
            cell = table(reads, value.of, output)
        else:
            kind = [*_LOW][len(reads) - len(PINS) - 1]
            *others, select = reads
            sides = []
            for chosen, pin in enumerate((_LOW[kind], _HIGH[kind])):
                side = _chosen(value, select, chosen)
                sides.append(net := self.net(f"{name}_{pin}"))
                self.put(f"{name}_{pin}", side, others, net)
            self.halves.update(sides)
            cell = _mux(kind, (sides[0], sides[1]), select, output)
        self.cells[name] = cell
        self.driver[output] = name
        self.readers.update(inputs(cell))


def _module(name: str) -> str:
    """The instance of a module that a cell of a flat netlist was in."""
    return name.rpartition(".")[0]


def _pin(mux: Mapping[str, Any], side: Mapping[str, str]) -> Bit:
    bit: Bit = mux["connections"][side[mux["type"]]][0]
    return bit


def _chosen(value: Value, select: int, chosen: int) -> Value:
    """A value where one of the nets that it reads is a constant."""
    reads = tuple(b for b in value.reads if b != select)
    return Value(reads, lambda known: value.of({**known, select: chosen}))


def _mux(kind: str, sides: tuple[int, int], select: int, output: int) -> dict[str, Any]:
    """The multiplexer of slices: the second of `sides` where `select` is 1."""
    pins = {_LOW[kind]: sides[0], _HIGH[kind]: sides[1], _SELECT[kind]: select}
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": {},
        "attributes": {},
        "port_directions": dict.fromkeys(pins, "input") | {"Z": "output"},
        "connections": {pin: [net] for pin, net in (pins | {"Z": output}).items()},
    }
