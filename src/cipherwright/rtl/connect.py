"""Tops from parts: instances of modules with typed ports, whose links are checked in width and in timing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..wording import paced
from .component import Rate
from .links import check_links, names_in, steps_of
from .ports import Group, Held, Pin, Stream
from .wrapper import Cell, Drive, Let, Wrapper, WrapperItem

__all__ = ["Part", "Placed", "connect"]


@dataclass(frozen=True)
class Part:
    """A module that a top has instances of. `name`: the module's; `ports`: in groups; `rate`: its timing,
    where it takes words.
    """

    name: str
    ports: tuple[Group, ...]
    rate: Rate | None = None

    @property
    def pins(self) -> dict[str, Pin]:
        """Ports by their names."""
        return {pin.name: pin for group in self.ports for pin in group.pins}


@dataclass(frozen=True)
class Placed:
    """An instance of a `part`. `links`: port -> the expression at it; an output may be open, an input not.
    `parameters`: Verilog parameter -> its value.
    """

    part: Part
    instance: str
    links: Mapping[str, str]
    parameters: Mapping[str, int | str] = field(default_factory=dict)

    def at(self, port: str) -> str:
        """The expression at `port`; empty where it is open."""
        return self.links.get(port, "")


@dataclass(frozen=True)
class _Top:
    """A top while it is checked."""

    wrapper: Wrapper
    placed: tuple[Placed, ...]
    ports: tuple[Group, ...]


def connect(
    name: str,
    comment: Sequence[str],
    ports: Sequence[Group],
    items: Sequence[WrapperItem | Placed],
    order: Sequence[str] = (),
) -> Wrapper:
    """The module `name` with the ports `ports`, around instances of parts.

    comment: its lines of comment, printed above it.
    items: what the module has, instances among it. order: names of ports as they are declared; empty: as in
    the groups.

    Raises ValueError where
    - an instance has no such port, or an input of it is open;
    - an expression has another width than its port;
    - a bit has two drivers, or a bit of an output of the top has none;
    - a port that is held follows a word of a stream, which changes while it is used;
    - a part may refuse a word, and nothing reads its ready;
    - parts that take the same words have different timing, so that their results come apart;
    - `order` does not name every port once.

    >>> from cipherwright.rtl import ClockReset, print_wrapper
    >>> taken, shown = Pin("word_i", 8), Pin("word_o", 8, out=True)
    >>> ports = (ClockReset(), Stream("valid_i", (taken,)), Stream("valid_o", (shown,), out=True))
    >>> inner = Part("inner", ports, Rate(latency=3))
    >>> links = {name: name for name in inner.pins}
    >>> print(print_wrapper(connect("top", ["One of them."], ports, [Placed(inner, "u_inner", links)])))
    // One of them.
    module top (
    ...
        inner u_inner (
            .clk(clk), .rst_i(rst_i), .valid_i(valid_i), .word_i(word_i), .valid_o(valid_o),
            .word_o(word_o)
        );
    endmodule
    <BLANKLINE>
    >>> connect("top", [], ports, [Placed(inner, "u_inner", links | {"word_i": "word_i[3:0]"})])
    Traceback (most recent call last):
    ValueError: top: u_inner.word_i has 8 bits, but word_i[3:0] has 4
    """
    pins = {pin.name: pin for group in ports for pin in group.pins}
    if order and sorted(order) != sorted(pins):
        raise ValueError(f"{name}: the order of ports names {', '.join(sorted(set(order) ^ pins.keys()))}")
    declared = (Held(tuple(pins[port] for port in order)),) if order else tuple(ports)
    cells = (_cell(i) if isinstance(i, Placed) else i for i in items)
    placed = tuple(i for i in items if isinstance(i, Placed))
    top = _Top(Wrapper(name, tuple(comment), declared, tuple(cells)), placed, tuple(ports))
    pins_of = {p.instance: p.part.pins for p in placed}
    check_links(top.wrapper, lambda cell: pins_of.get(cell.name, {}))
    _check_held(top)
    _check_ready(top)
    _check_rates(top)
    return top.wrapper


def _cell(p: Placed) -> Cell:
    return Cell(p.part.name, p.instance, p.links, p.parameters)


def _check_held(top: _Top) -> None:
    """Held inputs do not follow words of a stream."""
    words = {pin.name for g in top.ports if isinstance(g, Stream) and not g.out for pin in g.payload}
    for p in top.placed:
        shown = (pin for stream in _streams(p.part, out=True) for pin in stream.payload)
        words |= {name for pin in shown for name in names_in(p.at(pin.name))}
    for p in top.placed:
        held = (pin for g in p.part.ports if isinstance(g, Held) for pin in g.pins if not pin.out)
        for pin in held:
            if moving := sorted(words.intersection(names_in(p.at(pin.name)))):
                raise ValueError(
                    f"{top.wrapper.name}: {p.instance}.{pin.name} is held, but {', '.join(moving)} changes "
                    f"with every word"
                )


def _streams(part: Part, out: bool) -> Iterable[Stream]:
    return (g for g in part.ports if isinstance(g, Stream) and g.out == out)


def _read(top: _Top) -> set[str]:
    """Names that something in a top reads, its outputs among them."""
    texts = [i.value for i in top.wrapper.items if isinstance(i, Let | Drive)]
    texts += [text for step in steps_of(top.wrapper) for text in (step.value, step.enable)]
    texts += [p.at(port) for p in top.placed for port, pin in p.part.pins.items() if not pin.out]
    return {pin.name for pin in top.wrapper.pins if pin.out} | {n for t in texts for n in names_in(t)}


def _check_ready(top: _Top) -> None:
    """Where a part may refuse a word, something reads its ready."""
    read = _read(top)
    for p in top.placed:
        for stream in _streams(p.part, out=False):
            if stream.ready and not read.intersection(names_in(p.at(stream.ready))):
                raise ValueError(
                    f"{top.wrapper.name}: {p.instance} may refuse a word, and nothing reads its "
                    f"{stream.ready}"
                )


def _check_rates(top: _Top) -> None:
    """Parts that take words with the same valid have the same timing."""
    first: dict[str, Placed] = {}
    for p in top.placed:
        for stream in _streams(p.part, out=False):
            known = first.setdefault(p.at(stream.valid), p)
            if p.part.rate and known.part.rate and known.part.rate != p.part.rate:
                raise ValueError(
                    f"{top.wrapper.name}: {known.instance} and {p.instance} take the same words, but one has "
                    f"{_said(known.part.rate)}, the other {_said(p.part.rate)}"
                )


def _said(rate: Rate) -> str:
    return f"a latency of {rate.latency} and {paced(rate.slots, 'word', rate.interval)}"
