"""Modules that connect and control others: typed ports, wires, registers, instances, as values.

Expressions are text; a wrapper is checked when it is made: every name in an expression is a port, a wire or a
register of the module, every register is assigned, and its flip-flops are counted from its declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = [
    "Cell",
    "ClockReset",
    "Clocked",
    "Drive",
    "Group",
    "Handshake",
    "Held",
    "Let",
    "Note",
    "Pin",
    "Reg",
    "Step",
    "Stream",
    "Wire",
    "Wrapper",
    "WrapperItem",
    "through",
]

_FLIP_FLOPS = {"cipherwright_copy": 1, "cipherwright_copy_reset": 1}
"""Flip-flops of the cells that the printer puts beside a core."""

_NAME = re.compile(r"(?<![\w'])[a-zA-Z_]\w*")


@dataclass(frozen=True)
class Pin:
    """A port of `width` bits. `with_block`: it belongs to the block that is offered in the same cycle;
    otherwise it is held, or has a handshake of its own. `register`: an output whose value is a register of
    this module. `ascending`: bits are numbered from 1 at the left.
    """

    name: str
    width: int = 1
    out: bool = False
    with_block: bool = False
    register: bool = False
    ascending: bool = False


@dataclass(frozen=True)
class ClockReset:
    """The clock, and the synchronous reset where there is one."""

    clock: str = "clk"
    reset: str = "rst_i"

    @property
    def pins(self) -> tuple[Pin, ...]:
        return (Pin(self.clock), *([Pin(self.reset)] if self.reset else []))


@dataclass(frozen=True)
class Stream:
    """A word in every cycle in which `valid` is 1, and `ready` too where there is one. `out`: the word leaves
    the module.
    """

    valid: str
    payload: tuple[Pin, ...]
    ready: str = ""
    out: bool = False

    @property
    def pins(self) -> tuple[Pin, ...]:
        ready = [Pin(self.ready, out=not self.out)] if self.ready else []
        if self.out:
            return (Pin(self.valid, out=True), *ready, *self.payload)
        return (Pin(self.valid), *self.payload, *ready)


@dataclass(frozen=True)
class Handshake:
    """A value that is taken in a cycle in which `valid` and `ready` are both 1."""

    valid: str
    value: Pin
    ready: str

    @property
    def pins(self) -> tuple[Pin, ...]:
        return (Pin(self.valid), self.value, Pin(self.ready, out=True))


@dataclass(frozen=True)
class Held:
    """Ports of their own: controls, states, values that stay while they are used."""

    pins: tuple[Pin, ...]


Group = ClockReset | Stream | Handshake | Held


@dataclass(frozen=True)
class Note:
    """A comment."""

    text: str


@dataclass(frozen=True)
class Wire:
    """Wires that instances or `Drive`s give a value. `lint`: why some of their bits are not read."""

    names: tuple[str, ...]
    width: int = 1
    lint: str = ""
    vector: bool = False
    """Declared as a vector even where it is one bit wide."""


@dataclass(frozen=True)
class Let:
    """A name for an expression."""

    name: str
    value: str
    width: int = 1


@dataclass(frozen=True)
class Drive:
    """An output port or a wire takes the value of an expression."""

    name: str
    value: str


@dataclass(frozen=True)
class Reg:
    """Registers of one width: that many flip-flops each."""

    names: tuple[str, ...]
    width: int = 1
    note: str = ""
    vector: bool = False


@dataclass(frozen=True)
class Step:
    """`target`, a register or some of its bits, takes `value` at a clock edge at which `enable` is 1 (empty:
    at every one).
    """

    target: str
    value: str
    enable: str = ""


@dataclass(frozen=True)
class Clocked:
    """What registers take at a rising edge of the clock. `reset`: what some take instead while rst_i is 1."""

    steps: tuple[Step | Note, ...]
    reset: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Cell:
    """An instance; a link is a port and the expression at it."""

    module: str
    name: str
    links: Mapping[str, str]
    parameters: Mapping[str, int] = field(default_factory=dict)


WrapperItem = Note | Wire | Let | Drive | Reg | Clocked | Cell


@dataclass(frozen=True)
class Wrapper:
    """A module of the shell. `lint`: a warning that does not apply to it, and why. Raises ValueError where an
    expression has a name that the module does not declare, or a register is never assigned.
    """

    name: str
    comment: tuple[str, ...]
    ports: tuple[Group, ...]
    items: tuple[WrapperItem, ...]
    lint: tuple[str, str] | None = None
    apart: bool = False
    """Synthesis keeps it a module of its own, so that its logic is shared with nothing else."""

    def __post_init__(self) -> None:
        known = {*(p.name for p in self.pins), *self.widths}
        unknown = {n for text in self._expressions() for n in _NAME.findall(text)} - known
        if unknown:
            raise ValueError(f"module {self.name} declares no {', '.join(sorted(unknown))}")
        unset = set(self.registers) - {_NAME.findall(s.target)[0] for s in self._steps()}
        if unset:
            raise ValueError(f"module {self.name} never assigns {', '.join(sorted(unset))}")

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports in order."""
        return tuple(pin for group in self.ports for pin in group.pins)

    @property
    def widths(self) -> dict[str, int]:
        """Wires and registers of the module -> bits."""
        found: dict[str, int] = {}
        for i in self.items:
            if isinstance(i, Wire | Reg):
                found.update(dict.fromkeys(i.names, i.width))
            elif isinstance(i, Let):
                found[i.name] = i.width
        return found

    @property
    def registers(self) -> dict[str, int]:
        """Registers, those that are output ports included -> flip-flops."""
        found = {p.name: p.width for p in self.pins if p.register}
        return found | {name: i.width for i in self.items if isinstance(i, Reg) for name in i.names}

    @property
    def flip_flops(self) -> int:
        """Flip-flops of this module and of the printer's cells in it; other instances apart."""
        cells = sum(_FLIP_FLOPS.get(i.module, 0) for i in self.items if isinstance(i, Cell))
        return sum(self.registers.values()) + cells

    def _steps(self) -> Iterable[Step]:
        for i in self.items:
            if isinstance(i, Clocked):
                yield from (s for s in i.steps if isinstance(s, Step))

    def _expressions(self) -> Iterable[str]:
        for step in self._steps():
            yield from (step.target, step.value, step.enable)
        for i in self.items:
            if isinstance(i, Let | Drive):
                yield i.value
            elif isinstance(i, Cell):
                yield from i.links.values()
            if isinstance(i, Drive):
                yield i.name


def through(pins: Sequence[Pin]) -> dict[str, str]:
    """Links of pins that are handed through under their names."""
    return {p.name: p.name for p in pins}
