"""Typed ports: what a module shows, in groups that say which protocol its pins follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "Bus",
    "ClockReset",
    "Group",
    "Handshake",
    "Held",
    "Memory",
    "Order",
    "Pin",
    "Stream",
    "described",
]


class Order(Enum):
    """Which bits of a port hold which part of a value."""

    NUMBER = "bit 0 is the least significant bit"
    BYTES = "byte 0 of the standard is the most significant byte"
    LEFT_TO_RIGHT = "bits are numbered from 1 at the left, as in the standard"
    PIECE_BIG = "a piece of a longer value, whose first byte is the most significant byte"
    PIECE_LITTLE = "a piece of a longer value, whose first byte is the least significant byte"

    def place(self, width: int) -> str:
        """Where the bytes of a value are in a port of `width` bits; empty for a number.

        >>> Order.BYTES.place(64)
        'byte 0 of the standard in bits 63:56, the last byte in bits 7:0'
        """
        top = f"{width - 1}:{width - 8}"
        return {
            Order.NUMBER: "",
            Order.BYTES: f"byte 0 of the standard in bits {top}, the last byte in bits 7:0",
            Order.LEFT_TO_RIGHT: "numbered from 1 at the left, as in the standard",
            Order.PIECE_BIG: f"its first byte in bits {top}, the last byte in bits 7:0",
            Order.PIECE_LITTLE: f"its first byte in bits 7:0, the last byte in bits {top}",
        }[self]


@dataclass(frozen=True)
class Pin:
    """A port `name` of `width` bits; `out`: it is an output.

    meaning: one sentence without a full stop; ports of a whole core have one, those of modules inside need
    none. order: which bits hold which byte. with_block: it belongs to the block that is offered in the same
    cycle; otherwise it is held, or has a handshake of its own. register: an output whose value is a register
    of this module. lint: why some of its bits are not read.
    """

    name: str
    width: int = 1
    out: bool = False
    with_block: bool = False
    register: bool = False
    order: Order = Order.NUMBER
    meaning: str = ""
    lint: str = ""

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"port {self.name} has {self.width} bits")

    @property
    def ascending(self) -> bool:
        """Whether Verilog numbers its bits from 1 at the left."""
        return self.order is Order.LEFT_TO_RIGHT

    @property
    def shape(self) -> tuple[str, bool, int, bool]:
        """What a declaration says: name, whether it is an output, bits, whether they ascend."""
        return self.name, self.out, self.width, self.ascending

    @property
    def text(self) -> str:
        """Its meaning with the order of its bytes."""
        return "; ".join(part for part in (self.meaning, self.order.place(self.width)) if part)


@dataclass(frozen=True)
class ClockReset:
    """The `clock`, and the `reset`, active high, where there is one ("" where not): synchronous, or
    `asynchronous`.
    """

    clock: str = "clk"
    reset: str = "rst_i"
    asynchronous: bool = False

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports of the group, in the order of a declaration."""
        clock = Pin(self.clock, meaning="clock: everything happens at its rising edge")
        kind = "reset, synchronous, active high: one cycle is enough"
        if self.asynchronous:
            kind = "reset, asynchronous, active high: released synchronously to the clock"
        reset = Pin(self.reset, meaning=kind)
        return (clock, *([reset] if self.reset else []))


@dataclass(frozen=True)
class Stream:
    """A word, the `payload`, in every cycle in which `valid` is 1, and `ready` too where there is one. `out`:
    the word leaves the module. `what` is offered with `valid`, in a description: for example `a block`.

    The payload's pins have the direction of the stream.
    """

    valid: str
    payload: tuple[Pin, ...]
    ready: str = ""
    out: bool = False
    what: str = ""

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports of the group, in the order of a declaration."""
        valid = Pin(self.valid, out=self.out, meaning=self._offered())
        ready = [Pin(self.ready, out=not self.out, meaning=_can_be_taken(self.what))] if self.ready else []
        if self.out:
            return (valid, *ready, *self.payload)
        return (valid, *self.payload, *ready)

    def _offered(self) -> str:
        if not self.what:
            return ""
        if self.ready:
            return _offered(self.what, self.ready)
        return f"{self.what} is offered" + (" in this cycle alone" if self.out else ", and is taken")


@dataclass(frozen=True)
class Handshake:
    """A `value` that is taken in a cycle in which `valid` and `ready` are both 1. `what`: as of `Stream`;
    beside: what is taken with the value.
    """

    valid: str
    value: Pin
    ready: str
    what: str = ""
    beside: tuple[Pin, ...] = ()

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports of the group, in the order of a declaration."""
        valid, ready = (_offered(self.what, self.ready), _can_be_taken(self.what)) if self.what else ("", "")
        taken = (self.value, *self.beside)
        return (Pin(self.valid, meaning=valid), *taken, Pin(self.ready, out=True, meaning=ready))


@dataclass(frozen=True)
class Held:
    """Ports of their own (`pins`): controls, states, values that stay while they are used."""

    pins: tuple[Pin, ...]


@dataclass(frozen=True)
class Memory:
    """Accesses to a memory beside the module: `reads` are pairs of an address and the word that comes
    `latency` cycles later, `write` is an enable, an address and a word.
    """

    reads: tuple[tuple[Pin, Pin], ...]
    write: tuple[Pin, Pin, Pin] | None = None
    latency: int = 0

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports of the group, in the order of a declaration."""
        return (*(pin for pair in self.reads for pin in pair), *(self.write or ()))


@dataclass(frozen=True)
class Bus:
    """Accesses to words by their `address`: an access ends in a cycle in which `select` and `ready` are 1.
    With `write` it takes `data_in`, otherwise it gives `data_out`. `states`: ports that tell something
    without an access.
    """

    select: Pin
    write: Pin
    ready: Pin
    address: Pin
    data_in: Pin
    data_out: Pin
    states: tuple[Pin, ...] = ()

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The ports of the group, in the order of a declaration."""
        control = (self.select, self.write, self.ready)
        return (*control, *self.states, self.address, self.data_in, self.data_out)


Group = ClockReset | Stream | Handshake | Held | Memory | Bus


def described(groups: Sequence[Group]) -> tuple[Pin, ...]:
    """All pins of `groups`, in their order. Raises ValueError where one has no description, or stands
    twice.
    """
    pins = tuple(pin for group in groups for pin in group.pins)
    silent = [pin.name for pin in pins if not pin.meaning]
    if silent:
        raise ValueError(f"no description of port {', '.join(silent)}")
    names = [pin.name for pin in pins]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"port {', '.join(twice)} stands twice")
    return pins


def _offered(what: str, ready: str) -> str:
    return f"{what} is offered; it is taken in a cycle in which this and {ready} are 1"


def _can_be_taken(what: str) -> str:
    return f"{what} can be taken in this cycle" if what else ""
