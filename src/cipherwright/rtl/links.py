"""Links of instances in a module, against the ports of what they are instances of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from .ports import Pin
from .widths import Unreadable, bits_of, expression_width
from .wrapper import Cell, Clocked, Drive, Let, Step, Wrapper

__all__ = ["Pins", "check_links", "names_in", "steps_of"]

Pins = Callable[[Cell], Mapping[str, Pin]]
"""Ports, by name, of the module that an instance is of; none where they are not known."""

_NAME = re.compile(r"(?<![\w'])[a-zA-Z_]\w*")


def names_in(expression: str) -> list[str]:
    """The names of `expression`, in order; based constants apart.

    >>> names_in("{4'd0, word[7:4]} & ~mask")
    ['word', 'mask']
    """
    return _NAME.findall(expression)


def steps_of(w: Wrapper) -> Iterable[Step]:
    """What registers and memories of the module `w` take, in the order of its text."""
    for item in w.items:
        if isinstance(item, Clocked):
            yield from (s for s in item.steps if isinstance(s, Step))


def check_links(w: Wrapper, pins_of: Pins, strict: bool = True) -> None:
    """The instances in the module `w` fit what they are instances of, where `pins_of` knows the ports of
    that. `strict`: every expression must be one whose width is known (`Unreadable` otherwise).

    Raises ValueError where an instance has no such port, an input of it is open, an expression has another
    width than its port, a bit has two drivers, or a bit of an output of the module has none.
    """
    widths = {p.name: p.width for p in w.pins} | w.widths
    cells = [i for i in w.items if isinstance(i, Cell)]
    for cell in cells:
        if pins := pins_of(cell):
            _check_cell(w.name, cell, pins, widths, strict)
    _check_drivers(w, cells, pins_of, widths)


def _check_cell(
    name: str, cell: Cell, pins: Mapping[str, Pin], widths: Mapping[str, int], strict: bool
) -> None:
    """Every link is at a port, has its width, and no input is open."""
    for port, expression in cell.links.items():
        if port not in pins:
            raise ValueError(f"{name}: {cell.name} ({cell.module}) has no port {port}")
        try:
            width = expression_width(expression, widths) if expression else pins[port].width
        except Unreadable:
            if strict:
                raise
            continue
        if width != pins[port].width:
            raise ValueError(
                f"{name}: {cell.name}.{port} has {pins[port].width} bits, but {expression} has {width}"
            )
    for port, pin in pins.items():
        if not pin.out and not cell.links.get(port):
            raise ValueError(f"{name}: the input {port} of {cell.name} is open")


def _driven(w: Wrapper, cells: Iterable[Cell], pins_of: Pins) -> Iterable[tuple[str, str]]:
    """(expression, what drives it) in a module."""
    for cell in cells:
        for port, pin in pins_of(cell).items():
            if pin.out and cell.links.get(port):
                yield cell.links[port], f"{cell.name}.{port}"
    yield from ((i.name, "an assignment") for i in w.items if isinstance(i, Drive | Let))


def _check_drivers(w: Wrapper, cells: list[Cell], pins_of: Pins, widths: Mapping[str, int]) -> None:
    """Each bit has one driver, and each output of the module has one."""
    drivers: dict[tuple[str, int], str] = {}
    for expression, driver in _driven(w, cells, pins_of):
        for bit in bits_of(expression, widths):
            if bit in drivers:
                raise ValueError(f"{w.name}: {bit[0]}[{bit[1]}] is driven by {drivers[bit]} and by {driver}")
            drivers[bit] = driver
    if not all(map(pins_of, cells)):
        return  # what they drive is not known
    stored = {names_in(s.target)[0] for s in steps_of(w)}
    for pin in w.pins:
        missing = [k for k in range(pin.width) if pin.out and (pin.name, k) not in drivers]
        if missing and pin.name not in stored:
            raise ValueError(f"{w.name}: nothing drives {pin.name}[{missing[0]}]")
