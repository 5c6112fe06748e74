"""Components: modules with typed ports, their timing, and flip-flops that are counted from the modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from .links import check_links
from .module import Instance, Module, Register, ValidLine
from .ports import ClockReset, Group, Handshake, Pin, Stream, described
from .wrapper import Cell, Wrapper

__all__ = ["AnyModule", "Component", "Rate", "WrittenModule", "count_flip_flops", "module_pins"]


@dataclass(frozen=True)
class Rate:
    """Timing of a component. `latency`: cycles from accepting a word to offering its result. `slots` words in
    `interval` cycles are sustained (with one slot, `interval` is the initiation interval). `stalls`: its
    result waits for a ready, so that it may leave later.

    >>> Rate(latency=17, interval=17)  # a loop of 17 cycles with one block in it
    Rate(latency=17, interval=17, slots=1, stalls=False)
    """

    latency: int
    interval: int = 1
    slots: int = 1
    stalls: bool = False

    def __post_init__(self) -> None:
        if self.latency < 0 or self.interval < 1 or self.slots < 1:
            raise ValueError(f"no rate: {self.slots} in {self.interval} cycles, latency {self.latency}")


@dataclass(frozen=True)
class WrittenModule:
    """A hand-written module, whose text is a file in a folder `sv`. `name`: the module's; `pins`: its ports
    as they are declared. `flip_flops`: of this module and of those in the same file that it uses, with its
    parameters; a test counts them in the mapped netlist.
    """

    name: str
    pins: tuple[Pin, ...]
    flip_flops: int = 0
    instances: tuple[str, ...] = ()
    """Generated modules that it has an instance of."""

    parameters: Mapping[str, int] = field(default_factory=dict)
    """The parameters for which `flip_flops` is; empty: any."""


AnyModule = Module | Wrapper | WrittenModule


def module_pins(module: AnyModule) -> tuple[Pin, ...]:
    """The ports of `module` in the order of its declaration; those of a scheduled module without
    descriptions.
    """
    if isinstance(module, Module):
        return tuple(Pin(p.name, p.width, p.direction == "output") for p in module.ports)
    return module.pins


@dataclass(frozen=True)
class Component:
    """`modules`, used ones first, of which the last is the top; its `ports` in groups; `rate`: its timing.

    Raises ValueError where a port has no description, where the groups and the top's declaration differ in a
    port's name, direction, width or numbering of bits, and where an instance does not fit the module that it
    is of: see `check_links`.
    """

    modules: tuple[AnyModule, ...]
    ports: tuple[Group, ...]
    rate: Rate

    def __post_init__(self) -> None:
        grouped = {pin.shape for pin in described(self.ports)}
        declared = {pin.shape for pin in module_pins(self.top)}
        if grouped != declared:
            odd = ", ".join(sorted({shape[0] for shape in grouped ^ declared}))
            raise ValueError(f"module {self.name} and its groups of ports differ in {odd}")
        pins_of: dict[str, dict[str, Pin]] = {}
        for m in self.modules:
            pins = {pin.name: pin for pin in module_pins(m)}
            # Of a hand-written module that is there with several widths, `connect` has seen each instance.
            pins_of[m.name] = pins if pins_of.get(m.name, pins) == pins else {}
        for m in self.modules:
            if isinstance(m, Wrapper):
                check_links(m, lambda cell: pins_of.get(cell.module, {}), strict=False)

    @property
    def top(self) -> AnyModule:
        """The outermost module."""
        return self.modules[-1]

    @property
    def name(self) -> str:
        """Name of the outermost module."""
        return self.top.name

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """The ports with their descriptions, in the order of the top's declaration."""
        by_name = {pin.name: pin for pin in described(self.ports)}
        return tuple(by_name[pin.name] for pin in module_pins(self.top))

    @property
    def clock(self) -> ClockReset:
        """Clock and reset."""
        return next(g for g in self.ports if isinstance(g, ClockReset))

    @property
    def inputs(self) -> tuple[Stream | Handshake, ...]:
        """Groups in which the component takes words."""
        return tuple(
            g for g in self.ports if isinstance(g, Handshake) or (isinstance(g, Stream) and not g.out)
        )

    @property
    def outputs(self) -> tuple[Stream, ...]:
        """Streams that the component offers."""
        return tuple(g for g in self.ports if isinstance(g, Stream) and g.out)

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the top and of every instance below it; those of delay lines and of blocks of the
        device apart.
        """
        return count_flip_flops(self.modules)


def count_flip_flops(modules: Sequence[AnyModule]) -> int:
    """Flip-flops that the last of `modules` and all instances below it declare. Synthesis may take away some
    that nobody reads. Instances of modules that are not listed count nothing.
    """
    known = {_key(m.name, m.parameters if isinstance(m, WrittenModule) else {}): m for m in modules}

    @cache
    def whole(key: _Key) -> int:
        module = known.get(key) or known.get((key[0], ()))
        if module is None:
            return 0
        return _own(module) + sum(whole(k) * n for k, n in _instances(module).items())

    return whole((modules[-1].name, ()))


_Key = tuple[str, tuple[tuple[str, int | str], ...]]
"""A module and its parameters."""


def _key(name: str, parameters: Mapping[str, int | str]) -> _Key:
    return name, tuple(sorted(parameters.items()))


def _own(module: AnyModule) -> int:
    """Flip-flops of a module, without those of the instances in it."""
    if not isinstance(module, Module):
        return module.flip_flops
    if module.device:
        return 0
    return sum(
        len(i.data) if isinstance(i, Register) else i.flip_flops()
        for i in module.items
        if isinstance(i, Register | ValidLine)
    )


def _instances(module: AnyModule) -> Counter[_Key]:
    """Module with its parameters -> number of its instances in `module`."""
    if isinstance(module, WrittenModule):
        return Counter((name, ()) for name in module.instances)
    items: Iterable[object] = module.items
    cells = (i for i in items if isinstance(i, Cell | Instance))
    return Counter(_key(c.module, c.parameters if isinstance(c, Cell) else {}) for c in cells)
