"""Several channels behind one register bus: each has the registers of a core alone, in a window of addresses.

An access goes to the channel whose window its address is in. A read of another address gives 0, and a write
there does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Group,
    Held,
    Let,
    Reg,
    Step,
    Wire,
    Wrapper,
    WrapperItem,
    concatenated,
    declared_first,
)
from ..channels import own_ports
from .register_file import request_pins
from .register_map import CHANNEL_BYTES, WORD

__all__ = ["window_bits", "windows_top"]


def window_bits(count: int) -> int:
    """Bits of an address of a byte in the windows of `count` channels.

    >>> window_bits(2), window_bits(3)
    (9, 10)
    """
    return (CHANNEL_BYTES * count - 1).bit_length()


def windows_top(
    name: str, inside: str, groups: Sequence[Group], bus: tuple[Wrapper, tuple[Group, ...]], count: int
) -> Wrapper:
    """The module `name` of `count` channels, each a module `inside` with the ports `groups`, the port for
    accesses among them. bus: the module of the register bus and its groups of ports.
    """
    front, bus_groups = bus
    bits, all_bits = window_bits(1), window_bits(count)
    groups = [group for group in groups if group != Held(request_pins(bits, False))]
    pins = request_pins(all_bits, True)
    wires = {p.name: p.name[:-2] for p in pins}

    def chosen(what: str, channel: int) -> str:
        number = f"{all_bits - bits}'d{channel}"
        return f"{what} & {what}_address[{all_bits - 1}:{bits}] == {number}"

    items: tuple[WrapperItem, ...] = (
        *(Wire((wires[p.name],), p.width) for p in pins if p.out),
        Cell(front.name, "u_bus", {p.name: wires.get(p.name, p.name) for p in front.pins}),
        *(
            Let(f"{what}s_{channel}", chosen(what, channel))
            for channel in range(count)
            for what in ("write", "read")
        ),
        Reg(("shown_q",), count, "The channel that was read last.", vector=True),
        *(Wire((f"read_data_{channel}",), WORD) for channel in range(count)),
        Let(
            "read_data",
            " | ".join(
                f"({{{WORD}{{shown_q[{channel}]}}}} & read_data_{channel})" for channel in range(count)
            ),
            WORD,
        ),
        Clocked(
            (Step("shown_q", concatenated(f"reads_{channel}" for channel in range(count)), "read"),),
            (("shown_q", f"{count}'d0"),),
        ),
        *(_channel(inside, groups, channel, bits) for channel in range(count)),
    )
    return Wrapper(
        name,
        (
            f"{count} channels, each with words of its own, and with registers of its own in a window of",
            f"{CHANNEL_BYTES} bytes.",
        ),
        (
            ClockReset(),
            *bus_groups,
            *(own for channel in range(count) for own in own_ports(groups, channel)),
        ),
        declared_first(items),
    )


def _channel(inside: str, groups: Sequence[Group], channel: int, bits: int) -> WrapperItem:
    """The core of a channel with its registers."""
    own = own_ports(groups, channel)
    names = [p.name for g in groups if not isinstance(g, ClockReset) for p in g.pins]
    links = {"clk": "clk", "rst_i": "rst_i"}
    links |= dict(zip(names, (p.name for g in own for p in g.pins), strict=True))
    links |= {"write_i": f"writes_{channel}", "read_i": f"reads_{channel}"}
    links |= {f"{what}_address_i": f"{what}_address[{bits - 1}:0]" for what in ("write", "read")}
    links |= {"write_data_i": "write_data", "write_strobe_i": "write_strobe"}
    return Cell(inside, f"u_channel_{channel}", {**links, "read_data_o": f"read_data_{channel}"})
