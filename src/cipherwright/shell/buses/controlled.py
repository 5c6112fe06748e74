"""A core behind a register bus: keys, initial values, commands, status and interrupts are registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Handshake,
    Held,
    Let,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
)
from .axi_stream import bytes_reversed
from .register_bus import BUSES
from .register_file import address_bits, register_file, request_pins
from .register_map import MapFacts, rdl_source, read_map, registers_of

__all__ = ["Controlled", "controlled_top"]


@dataclass(frozen=True)
class Controlled:
    """The modules, the outermost first, and the SystemRDL source that they are made from."""

    modules: tuple[Wrapper, ...]
    source: str

    @property
    def module(self) -> Wrapper:
        """The outermost module."""
        return self.modules[0]

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the bus and the registers."""
        return sum(m.flip_flops for m in self.modules)


@dataclass(frozen=True)
class _Core:
    """The core inside: its groups of ports."""

    groups: Sequence[Group]

    @property
    def loads(self) -> tuple[str, ...]:
        """What it takes by a handshake."""
        return tuple(g.valid.removesuffix("_valid_i") for g in self.groups if isinstance(g, Handshake))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(pin.name for g in self.groups for pin in g.pins)

    def port(self, what: str) -> str:
        """The port of the key or the initial value; "" where there is none."""
        return next((n for n in (f"{what}_i", f"s_{what}_i") if n in self.names), "")

    @property
    def streams(self) -> tuple[Stream, ...]:
        """Streams, without what the registers give."""
        beside = {"s_key_i", "s_iv_i"}
        found = []
        for g in self.groups:
            if isinstance(g, Stream):
                payload = tuple(p for p in g.payload if p.name not in beside)
                found.append(Stream(g.valid, payload, g.ready, g.out, g.what))
        return tuple(found)


def controlled_top(name: str, inner: str, groups: Sequence[Group], kind: str, facts: MapFacts) -> Controlled:
    """The module `name` around the core `inner` with AXI-Stream ports and the bus `kind` for its registers.

    A key or counter block that is loaded by a command is offered until the core takes it; then its registers are
    cleared. A key without a command is what its registers hold.
    """
    core, text = _Core(groups), rdl_source(facts)
    registers = registers_of(read_map(text))
    bits = address_bits(registers)
    bus, bus_groups = BUSES[kind]
    front, file = bus(f"{name}_bus", bits), register_file(f"{name}_registers", registers)
    links = {pin.name: pin.name for g in core.streams for pin in g.pins} | {"clk": "clk", "rst_i": "rst_i"}
    at_file = {"clk": "clk", "rst_i": "rst_i"}
    items: list[WrapperItem] = []
    for what in ("key", "iv"):
        if core.port(what):
            made, inside, outside = _value(core, what, facts)
            items += made
            links |= inside
            at_file |= outside
    made, inside, outside = _state(core, facts)
    items += made
    links |= inside
    at_file |= outside
    request = {p.name: p.name.removesuffix("_o").removesuffix("_i") for p in request_pins(bits, True)}
    wires = [Wire((request[p.name],), p.width) for p in request_pins(bits, True)]
    at_bus = {p.name: p.name for g in bus_groups(bits) for p in g.pins} | request
    at_bus |= {p.name: p.name for g in front.ports if isinstance(g, ClockReset) for p in g.pins}
    at_file |= {f"{n[:-2]}_{'i' if n.endswith('_o') else 'o'}": wire for n, wire in request.items()}
    module = Wrapper(
        name,
        (f"Registers around {inner}: keys, initial values, commands, status and interrupts.",),
        (
            ClockReset(),
            *bus_groups(bits),
            *core.streams,
            Held(
                (
                    Pin(
                        "irq_o",
                        out=True,
                        meaning="interrupt: an event that is enabled has happened, until it is cleared",
                    ),
                )
            ),
        ),
        (
            *wires,
            *items,
            Cell(front.name, "u_bus", at_bus),
            Cell(file.module.name, "u_registers", at_file),
            Cell(inner, "u_core", links),
        ),
    )
    return Controlled((module, front, file.module), text)


_Linked = tuple[list[WrapperItem], dict[str, str], dict[str, str]]
"""Items of the module, links of the core, links of the registers."""


def _value(core: _Core, what: str, facts: MapFacts) -> _Linked:
    """The key, or the initial value: from its registers to the core."""
    bits = facts.key_bits if what == "key" else facts.iv_bits
    words = -(-bits // 32) * 32
    items: list[WrapperItem] = [
        Wire((f"{what}_words",), words, "" if words == bits else "the last word is not full."),
    ]
    links = {core.port(what): bytes_reversed(f"{what}_words", bits)}
    outside = {f"{what}_o": f"{what}_words", f"{what}_clear_i": "zeroise"}
    if what not in core.loads:
        return items, links, outside
    taken = f"{what}_taken"
    items += [
        Wire((f"load_{what}", f"{what}_ready")),
        Reg((f"{what}_offer_q",), note=f"The {what} is offered until the core takes it."),
        Let(taken, f"{what}_offer_q & {what}_ready"),
        Clocked(
            (Step(f"{what}_offer_q", f"~zeroise & (load_{what} | ({what}_offer_q & ~{what}_ready))"),),
            ((f"{what}_offer_q", "1'b0"),),
        ),
    ]
    links |= {f"{what}_valid_i": f"{what}_offer_q", f"{what}_ready_o": f"{what}_ready"}
    outside |= {
        f"{what}_clear_i": f"zeroise | {taken}",
        f"control_load_{what}_o": f"load_{what}",
        f"status_{what}_pending_i": f"load_{what} | {what}_offer_q",
        f"interrupt_status_{what}_taken_i": taken,
    }
    return items, links, outside


def _state(core: _Core, facts: MapFacts) -> _Linked:
    """Commands, status and events."""
    events = [f"{n}_taken" for n in core.loads]
    items: list[WrapperItem] = [Wire(("zeroise",))]
    links, outside = dict[str, str](), {"control_zeroise_o": "zeroise", "status_ready_i": "s_axis_tready"}
    if facts.zeroises:
        items += [
            Wire(("busy",)),
            Reg(("busy_q",)),
            Clocked((Step("busy_q", "busy"),), (("busy_q", "1'b0"),)),
        ]
        links |= {"zeroise_i": "zeroise", "busy_o": "busy"}
        outside |= {"status_busy_i": "busy", "interrupt_status_idle_i": "busy_q & ~busy"}
        events.append("idle")
    if facts.held_way:
        items.append(Wire(("decrypt",)))
        links["decrypt_i"] = "decrypt"
        outside["control_decrypt_o"] = "decrypt"
    items.append(Let("leaves", "m_axis_tvalid & m_axis_tready & m_axis_tlast"))
    outside["interrupt_status_message_i"] = "leaves"
    events.append("message")
    if facts.fills:
        user = next(p for g in core.streams for p in g.pins if p.name == "m_axis_tuser")
        top = f"m_axis_tuser[{user.width - 1}]" if user.width > 1 else "m_axis_tuser"
        outside["interrupt_status_filled_i"] = f"leaves & {top}"
        events.append("filled")
    happened = [f"{e}_happened" for e in events]
    enabled = [f"{e}_enabled" for e in events]
    items.append(Wire((*happened, *enabled)))
    items.append(Drive("irq_o", " | ".join(f"({h} & {e})" for h, e in zip(happened, enabled, strict=True))))
    for e in events:
        outside |= {f"interrupt_status_{e}_o": f"{e}_happened", f"interrupt_enable_{e}_o": f"{e}_enabled"}
    return items, links, outside
