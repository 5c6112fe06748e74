"""How messages reach a core behind a register bus. No block is taken without an initial value where its mode
needs one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...rtl import Clocked, Drive, Group, Let, Pin, Reg, Step, Stream, Wire, Wrapper, WrapperItem
from .axi_stream import AxiStream

__all__ = ["Inner", "Traffic", "packets"]


@dataclass(frozen=True)
class Inner:
    """The core behind the registers: its `groups` of ports, and the streams that a mode interleaves in it
    (`slots`).
    """

    groups: Sequence[Group]
    slots: int

    @property
    def pins(self) -> dict[str, Pin]:
        """Its ports by name."""
        return {pin.name: pin for g in self.groups for pin in g.pins}

    def has(self, name: str) -> bool:
        """Whether it has a port called `name`."""
        return name in self.pins

    def port(self, what: str) -> str:
        """The port of the key or the initial value (`what` is key or iv), with the prefix s_ where it comes
        with a block; "" where there is none.
        """
        return next((n for n in (f"{what}_i", f"s_{what}_i") if self.has(n)), "")

    @property
    def counts(self) -> bool:
        """Whether it takes a counter block by a handshake; else an initial value comes with a message."""
        return self.has("iv_valid_i")

    @property
    def chains(self) -> bool:
        """Whether an initial value comes with a message."""
        return self.port("iv") != "" and not self.counts


@dataclass(frozen=True)
class Traffic:
    """What is between the registers and the core for its blocks. items: of the top's wrapper; links: ports of
    the core, and registers: ports of the register file, each -> the expression at it; groups: ports of the
    top; events: what it can tell software; modules: that its items are instances of.
    """

    items: tuple[WrapperItem, ...]
    links: Mapping[str, str]
    registers: Mapping[str, str]
    groups: tuple[Group, ...] = ()
    events: tuple[str, ...] = field(default=())
    modules: tuple[Wrapper, ...] = ()

    def joined(self, part: Traffic) -> Traffic:
        """Both together; where both say something of the same port, that of `part` counts. The ports of the
        top are those of this one.
        """
        return replace(
            self,
            items=(*self.items, *part.items),
            links={**self.links, **part.links},
            registers={**self.registers, **part.registers},
            events=(*self.events, *part.events),
            modules=(*self.modules, *part.modules),
        )


def packets(core: Inner, bus: AxiStream) -> Traffic:
    """AXI-Stream at the top's own ports; core: what is behind the registers; bus: what the AXI-Stream around
    it carries. An initial value is for one message: its first beat waits until there is one, and the last
    beat of its first block takes it.
    """
    beside = {"s_key_i", "s_iv_i"}
    streams = [g for g in core.groups if isinstance(g, Stream)]
    groups = tuple(
        Stream(g.valid, tuple(p for p in g.payload if p.name not in beside), g.ready, g.out, g.what)
        for g in streams
    )
    links = {pin.name: pin.name for g in groups for pin in g.pins}
    items: list[WrapperItem] = [Let("leaves", "m_axis_tvalid & m_axis_tready & m_axis_tlast")]
    registers = {"status_ready_i": "s_axis_tready", "interrupt_status_message_i": "leaves"}
    if core.chains:
        items += _first_blocks(core, bus)
        links |= {"s_axis_tvalid": "s_axis_tvalid & may", "s_axis_tready": "core_ready"}
    events = ["message"]
    if not bus.any_length:
        width = core.pins["m_axis_tuser"].width
        top = f"m_axis_tuser[{width - 1}]" if width > 1 else "m_axis_tuser"
        registers["interrupt_status_filled_i"] = f"leaves & {top}"
        events.append("filled")
    return Traffic(tuple(items), links, registers, groups, tuple(events))


def _first_blocks(core: Inner, bus: AxiStream) -> list[WrapperItem]:
    """`may`: the beat that is offered may be taken; `iv_taken`: with it the first block of a message is
    complete.
    """
    ones = f"{core.slots}'d{(1 << core.slots) - 1}"
    stream, place_bits = "", (bus.beats - 1).bit_length()
    if bus.slot_bits:
        low = int(bus.ways)
        high = low + bus.slot_bits - 1
        stream = f"s_axis_tuser[{high}:{low}]" if bus.user_bits > 1 else "s_axis_tuser"
    one = f"{core.slots}'d1"
    index = f"|(fresh_q & ({one} << {stream}))" if stream else "fresh_q"
    items: list[WrapperItem] = [
        Wire(("core_ready",)),
        Reg(("fresh_q",), core.slots, "Of each stream: the next block is the first of a message."),
        Let("fresh", index),
        Let("may", "~fresh | iv_offer_q"),
        Drive("s_axis_tready", "core_ready & may"),
        Let("beat", "s_axis_tvalid & s_axis_tready"),
    ]
    steps, after = list[Step](), [("fresh_q", ones)]
    ends = "beat"
    if place_bits:
        last = f"s_axis_tlast | place_q == {place_bits}'d{bus.beats - 1}"
        items += [
            Reg(("place_q",), place_bits, "The beat of its block that comes next."),
            Let("ends", f"beat & ({last})"),
        ]
        ends = "ends"
        zero = f"{place_bits}'d0"
        steps.append(
            Step("place_q", f"zeroise | {ends} ? {zero} : place_q + {place_bits}'d1", "zeroise | beat")
        )
        after.append(("place_q", zero))
    value = "s_axis_tlast"
    if stream:
        value = f"s_axis_tlast ? fresh_q | ({one} << {stream}) : fresh_q & ~({one} << {stream})"
    steps.append(Step("fresh_q", f"zeroise ? {ones} : ({value})", f"zeroise | {ends}"))
    return [*items, Let("iv_taken", f"{ends} & fresh"), Clocked(tuple(steps), tuple(after))]
