"""Modules that connect and control others: ports in groups, wires, registers, instances, as values.

Expressions are text; a wrapper is checked when it is made: every name in an expression is declared in the
module, every register is assigned, and its flip-flops are counted from its declarations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .ports import Group, Pin

__all__ = [
    "Box",
    "Cell",
    "Clocked",
    "Drive",
    "Let",
    "Note",
    "Reg",
    "Step",
    "Store",
    "Wire",
    "Wrapper",
    "WrapperItem",
    "declared_first",
    "through",
]

_FLIP_FLOPS = {"cipherwright_copy": 1, "cipherwright_copy_reset": 1}
"""Flip-flops of the cells that the printer puts beside a core."""

_NAME = re.compile(r"(?<![\w'])[a-zA-Z_]\w*")


@dataclass(frozen=True)
class Note:
    """A comment, printed as `text` in lines of its own."""

    text: str


@dataclass(frozen=True)
class Wire:
    """Wires (`names`) of `width` bits that instances or `Drive`s give a value. `lint`: why some of their bits
    are not read.
    """

    names: tuple[str, ...]
    width: int = 1
    lint: str = ""
    vector: bool = False
    """Declared as a vector even where it is one bit wide."""


@dataclass(frozen=True)
class Let:
    """A name for the expression `value` of `width` bits. `lint`: why some of its bits are not read."""

    name: str
    value: str
    width: int = 1
    lint: str = ""


@dataclass(frozen=True)
class Drive:
    """An output port or a wire, `name` or bits of it, takes the `value` of an expression."""

    name: str
    value: str


@dataclass(frozen=True)
class Reg:
    """Registers (`names`) of one `width`: that many flip-flops each. `note`: a comment above them; `vector`:
    as of `Wire`.
    """

    names: tuple[str, ...]
    width: int = 1
    note: str = ""
    vector: bool = False


@dataclass(frozen=True)
class Store:
    """A memory of `words` words of `width` bits: a `Step` whose target is `name[address]` writes one, an
    expression `name[address]` reads one in the same cycle. `style`: what synthesis makes of it, for example
    `distributed`.
    """

    name: str
    width: int
    words: int
    style: str = ""


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
    """What registers take at a rising edge of the clock: `steps`, with comments between them. `reset`: what
    some take instead while rst_i is 1; with `asynchronous` they take it at once, and all registers are among
    them.
    """

    steps: tuple[Step | Note, ...]
    reset: tuple[tuple[str, str], ...] = ()
    asynchronous: bool = False
    gated: bool = False
    """The reset is a gate in front of each register, which then may share a slice of an FPGA with any other:
    for lines of registers that cross the device. An asynchronous one is the registers' own. Every step has a
    reset then, to 0, and no enable; otherwise ValueError.
    """

    def __post_init__(self) -> None:
        if not self.gated:
            return
        zero = {name for name, value in self.reset if re.fullmatch(r"\d+'d0|1'b0", value)}
        if [s for s in self.steps if isinstance(s, Note) or s.enable or s.target not in zero]:
            raise ValueError("a reset as a gate is for steps without an enable, whose registers it sets to 0")


@dataclass(frozen=True)
class Cell:
    """An instance `name` of `module`. `links`: port -> the expression at it; `parameters`: Verilog parameter
    -> its value.
    """

    module: str
    name: str
    links: Mapping[str, str]
    parameters: Mapping[str, int | str] = field(default_factory=dict)


WrapperItem = Note | Wire | Let | Drive | Reg | Store | Clocked | Cell


@dataclass(frozen=True)
class Wrapper:
    """A module of the shell: `comment` lines above it, `ports` in groups, `items` in the order of the text.
    `lint`: a warning that does not apply to it, and why. Raises ValueError where a name is declared twice, an
    expression has a name that the module does not declare or declares later, or a register is never assigned.
    """

    name: str
    comment: tuple[str, ...]
    ports: tuple[Group, ...]
    items: tuple[WrapperItem, ...]
    lint: tuple[str, str] | None = None
    apart: bool = False
    """Synthesis keeps it a module of its own, so that its logic is shared with nothing else."""

    def __post_init__(self) -> None:
        declared = Counter((*(p.name for p in self.pins), *(n for n, _ in self._declared())))
        if twice := [name for name, times in declared.items() if times > 1]:
            raise ValueError(f"module {self.name} declares {', '.join(sorted(twice))} twice")
        known = {*(p.name for p in self.pins), *self.widths}
        unknown = {n for i in self.items for text in _expressions(i) for n in _NAME.findall(text)} - known
        if unknown:
            raise ValueError(f"module {self.name} declares no {', '.join(sorted(unknown))}")
        self._check_order()
        stores = {i.name for i in self.items if isinstance(i, Store)}
        unset = {*self.registers, *stores} - {_NAME.findall(s.target)[0] for s in self._steps()}
        if unset:
            raise ValueError(f"module {self.name} never assigns {', '.join(sorted(unset))}")

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports in order."""
        return tuple(pin for group in self.ports for pin in group.pins)

    @property
    def widths(self) -> dict[str, int]:
        """Wires, registers and memories of the module -> bits."""
        return dict(self._declared())

    def _declared(self) -> Iterable[tuple[str, int]]:
        for i in self.items:
            if isinstance(i, Wire | Reg):
                yield from ((name, i.width) for name in i.names)
            elif isinstance(i, Let | Store):
                yield i.name, i.width

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

    def _check_order(self) -> None:
        """Raises ValueError where a name is used before it is declared, which some front ends refuse."""
        declared = {p.name for p in self.pins}
        for i in self.items:
            if isinstance(i, Wire | Reg):
                declared.update(i.names)
            early = {n for text in _expressions(i) for n in _NAME.findall(text)} - declared
            if early:
                raise ValueError(f"module {self.name} uses {', '.join(sorted(early))} before the declaration")
            if isinstance(i, Let | Store):
                declared.add(i.name)


def _expressions(item: WrapperItem) -> Iterable[str]:
    """What an item drives and reads."""
    if isinstance(item, Clocked):
        for step in item.steps:
            yield from (step.target, step.value, step.enable) if isinstance(step, Step) else ()
    elif isinstance(item, Cell):
        yield from item.links.values()
    elif isinstance(item, Let | Drive):
        yield item.value
    if isinstance(item, Drive):
        yield item.name


@dataclass(frozen=True)
class Box:
    """A module `name` with the ports `pins` and without contents: what is mapped is the logic around it.
    `parameters`: name -> default.
    """

    name: str
    pins: tuple[Pin, ...]
    parameters: Mapping[str, int] = field(default_factory=dict)


def declared_first(items: Sequence[WrapperItem]) -> tuple[WrapperItem, ...]:
    """The same `items` with wires, registers and memories before named expressions, and these before all that
    drives or reads: so every name is declared before it is used.
    """

    def place(item: WrapperItem) -> int:
        return 0 if isinstance(item, Wire | Reg | Store) else 1 if isinstance(item, Let) else 2

    return tuple(sorted(items, key=place))


def through(pins: Sequence[Pin]) -> dict[str, str]:
    """Links of `pins` that are handed through under their names."""
    return {p.name: p.name for p in pins}
