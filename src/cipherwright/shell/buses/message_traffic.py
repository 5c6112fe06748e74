"""How packets, data units and messages reach a core behind a register bus: AXI-Stream at the top's own
ports.

What belongs to a packet as a whole is in registers: its IV or nonce, without which its first beat waits, the
lengths that CCM needs with it, and the expected tag of one that is decrypted. What belongs to a beat stays
beside the beat.
"""

from __future__ import annotations

from ...rtl import Clocked, Drive, Let, Reg, Step, Stream, Wire, WrapperItem
from .axi_stream import bytes_reversed
from .message_stream import MessageBus
from .traffic import Inner, Traffic

__all__ = ["message_traffic"]

_STREAMS = ("s_axis_tvalid", "m_axis_tvalid", "m_tag_tvalid")


def message_traffic(core: Inner, bus: MessageBus) -> Traffic:
    """What is between the ports of AXI-Stream around `core` and those of the top. bus: that AXI-Stream."""
    streams = [g for g in core.groups if isinstance(g, Stream) and g.valid in _STREAMS]
    beside = {f"s_{p.name}" for p in bus.beside}  # their values come from registers
    groups = tuple(
        Stream(g.valid, tuple(p for p in g.payload if p.name not in beside), g.ready, g.out, g.what)
        for g in streams
    )
    links = {pin.name: pin.name for g in groups for pin in g.pins}
    registers = {"status_ready_i": "s_axis_tready", "interrupt_status_message_i": "leaves"}
    if bus.kind != "packet":
        leaves = Let("leaves", "m_axis_tvalid & m_axis_tready & m_axis_tlast")
        return Traffic((leaves,), links, registers, groups, ("message",))
    links |= {"s_axis_tvalid": "s_axis_tvalid & may", "s_axis_tready": "core_ready"}
    links["s_tag_i"] = "fresh_q ? tag_given : tag_q"
    registers |= {
        "interrupt_status_wrong_tag_i": "leaves & m_tag_tuser[0] & ~m_tag_tuser[1]",
        "tag_o": "tag_words",
        "tag_written_o": "tag_written",
        "tag_clear_i": "zeroise | begins",
        "tag_lock_i": "load_iv | iv_offer_q",
        "status_tag_written_i": "tag_written",
    }
    made = Traffic(tuple(_packets(bus)), links, registers, groups, ("message", "wrong_tag"))
    return made.joined(_lengths(bus))


def _lengths(bus: MessageBus) -> Traffic:
    """The lengths of a packet, where its mode needs them before the data: they go with the IV."""
    items, links, registers = list[WrapperItem](), dict[str, str](), dict[str, str]()
    for pin in bus.lengths:
        name = pin.name.removesuffix("_i")
        items += [Wire((f"{name}_words",), pin.width), Wire((f"{name}_written",))]
        links[f"s_{pin.name}"] = f"{name}_words"
        registers |= {
            f"{name}_o": f"{name}_words",
            f"{name}_written_o": f"{name}_written",
            f"{name}_clear_i": "zeroise | begins",
            f"{name}_lock_i": "load_iv | iv_offer_q",
            f"status_{name}_written_i": f"{name}_written",
        }
    return Traffic(tuple(items), links, registers)


def _packets(bus: MessageBus) -> list[WrapperItem]:
    """`may`: the beat that is offered may be taken; `iv_taken`: it is the first of a packet, whose IV is in
    the register.
    """
    own = bus.bit("iv_word_i") if bus.any_iv else ""
    other = f" & ~{own}" if own else ""
    steps = [
        Step("fresh_q", "zeroise | s_axis_tlast", f"zeroise | (beat{other})"),
        Step("tag_q", "zeroise ? 128'd0 : begins ? tag_given : tag_q"),
    ]
    after = [("fresh_q", "1'b1"), ("tag_q", "128'd0")]
    items: list[WrapperItem] = [
        Let("leaves", "m_tag_tvalid & m_tag_tready"),
        Wire(("core_ready", "tag_written")),
        Wire(("tag_words",), 128),
        Let("tag_given", bytes_reversed("tag_words", 128), 128),
        Reg(("fresh_q",), note="The next beat is the first of a packet."),
        Reg(("tag_q",), 128, "The expected tag of the packet that has begun."),
        Drive("s_axis_tready", "core_ready & may"),
        Let("beat", "s_axis_tvalid & s_axis_tready"),
        Let("begins", f"beat & fresh_q{other}"),
    ]
    if not own:
        items += [Let("may", "~fresh_q | iv_offer_q"), Let("iv_taken", "begins")]
        return [*items, Clocked(tuple(steps), tuple(after))]
    value = f"~zeroise & ({own} ? hashed_q | s_axis_tlast : ~fresh_q & hashed_q)"
    steps.append(Step("hashed_q", value, "zeroise | beat"))
    items += [
        Reg(("hashed_q",), note="The IV of the next packet came in words."),
        Let("may", f"~fresh_q | {own} | hashed_q | iv_offer_q"),
        Let("iv_taken", "begins & ~hashed_q"),
    ]
    return [*items, Clocked(tuple(steps), (*after, ("hashed_q", "1'b0")))]
