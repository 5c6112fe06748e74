"""Lookup tables of a flat mapped ECP5 netlist (Yosys JSON): what each computes, what reads it, new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "LUT",
    "PINS",
    "Bit",
    "Netlist",
    "Value",
    "inputs",
    "made",
    "of_bit",
    "of_table",
    "put_in",
    "table",
]

LUT, PINS = "LUT4", "ABCD"

Bit = int | str
"""A net by its number, or a constant: "0", "1", "x"."""


@dataclass(frozen=True)
class Value:
    """A value as a function of nets: those that it reads, and the function of their values."""

    reads: tuple[int, ...]
    of: Callable[[Mapping[Bit, int]], int]


class Netlist:
    """A flat module, with the cell that drives each net and the number of pins and ports that read it."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, dict[str, Any]] = module["cells"]
        self.driver = {b: name for name, c in self.cells.items() for b in _bits(c, "output")}
        self.readers = Counter(b for c in self.cells.values() for b in inputs(c))
        self.readers.update(
            b for p in module["ports"].values() if p["direction"] == "output" for b in p["bits"]
        )
        self.fresh = 1 + max(b for b in (*self.driver, *self.readers) if isinstance(b, int))

    def table(self, bit: Bit) -> str:
        """The lookup table that drives a bit, or nothing."""
        name = self.driver.get(bit, "")
        return name if name and self.cells[name]["type"] == LUT else ""

    def value(self, bit: Bit, table: str) -> Value:
        """A bit by what its lookup table reads, or where it has none by itself."""
        return of_table(self.cells[table]) if table else of_bit(bit)

    def net(self, driver: str) -> int:
        """A new net, which the cell `driver` drives."""
        self.driver[self.fresh] = driver
        self.fresh += 1
        return self.fresh - 1

    def drop(self, bit: Bit) -> None:
        """A pin does not read a bit any more: its lookup table goes if that was the last."""
        self.readers[bit] -= 1
        if self.table(bit) and not self.readers[bit]:
            gone = self.cells.pop(self.driver.pop(bit))
            self.readers.subtract(of_table(gone).reads)


def inputs(cell: Mapping[str, Any]) -> list[Bit]:
    """What the pins of a `cell` read."""
    return _bits(cell, "input")


def _bits(cell: Mapping[str, Any], way: str) -> list[Bit]:
    return [
        b for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == way for b in bits
    ]


def of_bit(bit: Bit) -> Value:
    """A `bit`, a net or a constant, by itself."""
    if isinstance(bit, int):
        return Value((bit,), lambda known: known[bit])
    return Value((), lambda known: int(bit == "1"))


def of_table(cell: Mapping[str, Any]) -> Value:
    """What a lookup table, `cell`, computes of the nets at its pins."""
    pins = [cell["connections"][p][0] for p in PINS]
    init = cell["parameters"]["INIT"]

    def of(known: Mapping[Bit, int]) -> int:
        index = sum((known[b] if isinstance(b, int) else int(b == "1")) << k for k, b in enumerate(pins))
        return int(init[-1 - index])

    return Value(tuple(b for b in pins if isinstance(b, int)), of)


def put_in(outer: Value, net: int, inner: Value) -> Value:
    """The value `outer` with `inner` in place of the `net` that it reads."""
    reads = dict.fromkeys((*(b for b in outer.reads if b != net), *inner.reads))
    return Value(tuple(reads), lambda known: outer.of({**known, net: inner.of(known)}))


def table(value: Value, output: int) -> dict[str, Any]:
    """A lookup table that computes a `value` of at most four nets at the net `output`; it reads them in their
    order.
    """
    init = ""
    for index in range(1 << len(PINS)):
        init = str(value.of({b: index >> k & 1 for k, b in enumerate(value.reads)})) + init
    unused = ["0"] * (len(PINS) - len(value.reads))
    return made(LUT, dict(zip(PINS, (*value.reads, *unused), strict=True)), output, INIT=init)


def made(kind: str, pins: Mapping[str, Bit], output: int, **parameters: str) -> dict[str, Any]:
    """A cell of the type `kind` with these `parameters`, which reads `pins` and drives the net `output` at
    its pin Z.
    """
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": parameters,
        "attributes": {},
        "port_directions": dict.fromkeys(pins, "input") | {"Z": "output"},
        "connections": {pin: [bit] for pin, bit in (*pins.items(), ("Z", output))},
    }
