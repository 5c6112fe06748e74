"""AXI-Stream around a core of whole messages: packets of GCM and CCM, data units of XTS, messages of CMAC,
packets of HCTR2.

Nothing holds the results of such a core back. A beat is taken only while a place in a FIFO is free for
whatever it makes leave, so that every result finds room. A core of HCTR2 waits itself until a result is
taken, and has no FIFO. A word is a beat; byte 0 of a message is in TDATA[7:0] of its first beat.
"""

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
    Order,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    bits_reversed,
    concatenated,
    declared_first,
)
from ..core import PortSet
from ..stream import Fifo
from .axi_stream import bytes_reversed
from .queue import Part, Queue

__all__ = ["TAG_DATA", "MessageBus", "message_bus_ports", "message_bus_top"]


@dataclass(frozen=True)
class MessageBus:
    """What AXI-Stream is around.

    inside: module of the core; groups: its ports; kind: packet, unit, message or wide (a packet whose result
    is as long as its text); block_bits: of a word;
    id_bits: of TID; ways: each message says which way it goes; any_iv: IVs come in words, too; tag_bits: that
    are shown; fifos: of results, of late results and of tags, as far as the kind has them, by name. longest:
    words of data of a packet that waits for its verdict in the core's own buffer, which is the FIFO of
    results then (0: none waits).
    """

    inside: str
    groups: Sequence[Group]
    kind: str
    block_bits: int
    id_bits: int
    ways: bool
    any_iv: bool
    tag_bits: int
    fifos: dict[str, Fifo]
    longest: int = 0

    @property
    def lanes(self) -> int:
        """Bytes of a beat."""
        return self.block_bits // 8

    @property
    def user(self) -> tuple[tuple[str, str], ...]:
        """Bits of s_axis_tuser from bit 0 on: port of the core, and meaning."""
        fields = [("decrypt_i", "the message is decrypted (0: encrypted)")] * self.ways
        if self.kind == "packet":
            fields.append(("aad_i", "the beat is additional data (0: data)"))
        if self.kind == "wide":
            fields.append(("aad_i", "the beat is of the tweak, which comes first (0: of the text)"))
        if self.any_iv:
            meaning = "the beat is of an IV that has not 96 bits; TLAST ends the IV, and its packet follows"
            fields.append(("iv_word_i", meaning))
        if any(p.name == "key_slot_i" for g in self.groups if g not in self.loads for p in g.pins):
            fields.append(("key_slot_i", "the slot of the packet's key, in all of its beats"))
        return tuple(fields)

    @property
    def beside(self) -> tuple[Pin, ...]:
        """Ports of the core beside a beat of a packet: its IV or nonce, its expected tag, and its lengths
        where the mode needs them before the data.
        """
        if self.kind != "packet":
            return ()
        of_beat = {*_BEAT, *(port for port, _ in self.user)}
        pins = (p for g in self.groups if g not in self.loads for p in g.pins)
        return tuple(p for p in pins if p.with_block and p.name not in of_beat)

    @property
    def lengths(self) -> tuple[Pin, ...]:
        """Those of the ports beside a beat that are for lengths of a packet."""
        return tuple(p for p in self.beside if p.name not in _OF_PACKET)

    @property
    def back(self) -> tuple[tuple[str, str], ...]:
        """Bits of m_axis_tuser from bit 0 on: name, and meaning."""
        name = "packet" if self.kind == "wide" else self.kind
        way = (("decrypt", f"the {name} was decrypted"),) if self.ways else ()
        return (*way, _REFUSED) if self.kind == "wide" else way

    @property
    def verdict(self) -> tuple[tuple[str, str], ...]:
        """Bits of m_tag_tuser from bit 0 on: name, and meaning."""
        return _verdict(self) if self.kind == "packet" else ()

    @property
    def loads(self) -> tuple[Group, ...]:
        """Ports that are handed through: of a key, and of a unit's number with its slot, or a run of them."""
        return tuple(g for g in self.groups if isinstance(g, Handshake) or _announces(g))

    def bit(self, port: str) -> str:
        """The bit of s_axis_tuser that says what `port` of the core takes."""
        names = [name for name, _ in self.user]
        return f"s_axis_tuser[{names.index(port)}]" if len(names) > 1 else "s_axis_tuser"

    def pin(self, name: str) -> Pin:
        """The port `name` of the core."""
        return next(p for g in self.groups for p in g.pins if p.name == name)


_REFUSED = (
    "error",
    "the packet breaks a rule or is too long: this beat without bytes is all of its result",
)
"""The bit above the direction where packets may be refused."""

_BEAT = ("block_i", "keep_i", "last_i")
"""Ports of a core that TDATA, TKEEP and TLAST are for; those of TUSER are `MessageBus.user`."""

_OF_PACKET = ("iv_i", "tag_i")
"""Ports of a core for a packet's IV or nonce and its expected tag."""


def _announces(group: Group) -> bool:
    """Whether a group announces a run of units, or one with the slot of its key."""
    return isinstance(group, Stream) and group.valid == "unit_valid_i"


def _told(fields: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"bit {k}: {meaning}" for k, (_, meaning) in enumerate(fields))


def _id(bus: MessageBus, name: str, out: bool, meaning: str) -> list[Pin]:
    return [Pin(name, bus.id_bits, out, meaning=meaning)] if bus.id_bits else []


def _name(bus: MessageBus) -> str:
    """What a message is called."""
    return "packet" if bus.kind == "wide" else bus.kind


def _given_pins(bus: MessageBus) -> tuple[Pin, ...]:
    """What is offered with s_axis_tvalid."""
    word, last = f"bytes of a {bus.kind}", f"{bus.kind}'s last beat"
    if bus.kind == "packet":
        word, last = "additional data or data", "last beat of its kind"
    if bus.kind == "wide":
        word, last = "a tweak or a text", "last beat of either"
    kept = f"bytes that count: all of them, or in the {last} the first ones"
    return (
        Pin("s_axis_tdata", bus.block_bits, order=Order.PIECE_LITTLE, meaning=word),
        Pin("s_axis_tkeep", bus.lanes, meaning=kept),
        Pin("s_axis_tlast", meaning=f"the beat ends a {_name(bus)}"),
        *([Pin("s_axis_tuser", len(bus.user), meaning=_told(bus.user))] if bus.user else []),
        *_id(bus, "s_axis_tid", False, "handed through"),
        *(Pin(f"s_{p.name}", p.width, order=p.order, meaning=p.meaning) for p in bus.beside),
    )


def _result_pins(bus: MessageBus) -> tuple[Pin, ...]:
    """What is offered with m_axis_tvalid."""
    order, kept = Order.PIECE_LITTLE, "bytes that count, the others are 0"
    pins = [
        Pin("m_axis_tdata", bus.block_bits, True, order=order, meaning="bytes of the result"),
        Pin("m_axis_tkeep", bus.lanes, True, meaning=kept),
        Pin("m_axis_tlast", 1, True, meaning=f"the beat ends the result of a {_name(bus)}"),
    ]
    if bus.kind == "message":
        shown = f" ({bus.tag_bits} bits)" if bus.tag_bits < bus.block_bits else ""
        pins[0] = Pin("m_axis_tdata", bus.block_bits, True, order=order, meaning=f"tag of a message{shown}")
        pins[2] = Pin("m_axis_tlast", 1, True, meaning="1: a tag is a packet of one beat")
    told = bus.back[0][1] if len(bus.back) == 1 else _told(bus.back)
    way = [Pin("m_axis_tuser", len(bus.back), True, meaning=told)] if bus.back else []
    whose = "the packet's last beat" if bus.kind == "wide" else "the beat that it is the result of"
    return (*pins, *way, *_id(bus, "m_axis_tid", True, f"TID of {whose}"))


_VERDICT = (
    ("decrypt", "the packet was decrypted"),
    ("good", "the packet was decrypted, and its tag is the expected one"),
    ("text", "the packet had data, so m_axis has a packet of it"),
)
"""Bits of m_tag_tuser from bit 0 on."""

_TOO_LONG = ("long", "the packet was decrypted and is longer than the buffer takes, so none of it leaves")
"""The bit above them where words wait for a verdict."""


def _verdict(bus: MessageBus) -> tuple[tuple[str, str], ...]:
    """Bits of m_tag_tuser from bit 0 on."""
    return (*_VERDICT, _TOO_LONG) if bus.longest else _VERDICT


TAG_DATA = ("m_tag_tdata", "m_tag_tuser", "m_tag_tid")
"""Outputs that belong to m_tag_tvalid."""


def _tag_pins(bus: MessageBus) -> tuple[Pin, ...]:
    """What is offered with m_tag_tvalid."""
    shown = f"; its first {bus.tag_bits} bits, then zeros" if bus.tag_bits < 128 else ""
    tag = f"tag of a packet that was encrypted, 0 of one that was decrypted{shown}"
    return (
        Pin("m_tag_tdata", 128, True, order=Order.PIECE_LITTLE, meaning=tag),
        Pin("m_tag_tuser", len(_verdict(bus)), True, meaning=_told(_verdict(bus))),
        *_id(bus, "m_tag_tid", True, "TID of the packet's last beat"),
    )


def _groups(bus: MessageBus, tells: bool) -> tuple[Group, ...]:
    """All ports; `tells`: with zeroising_o."""
    held = tuple(bus.pin(n) for n in ("zeroise_i", "busy_o", *["zeroising_o"] * tells))
    tags = Stream("m_tag_tvalid", _tag_pins(bus), "m_tag_tready", out=True, what="a tag or a verdict")
    return (
        ClockReset(),
        *bus.loads,
        Stream("s_axis_tvalid", _given_pins(bus), "s_axis_tready", what="a beat"),
        Stream("m_axis_tvalid", _result_pins(bus), "m_axis_tready", out=True, what="a beat"),
        *([tags] if bus.kind == "packet" else []),
        Held(held),
    )


def message_bus_ports(bus: MessageBus) -> PortSet:
    """Names of the ports of `bus` by meaning."""
    held = any(p.name == "key_valid_i" for g in bus.groups for p in g.pins)
    return PortSet(
        valid_in="s_axis_tvalid",
        ready_out="s_axis_tready",
        decrypt="s_axis_tuser" if bus.ways else "",
        block_in="s_axis_tdata",
        valid_out="m_axis_tvalid",
        ready_in="m_axis_tready",
        block_out="m_axis_tdata",
        key_valid="key_valid_i" if held else "",
        key_ready="key_ready_o" if held else "",
        iv="s_iv_i" if bus.kind == "packet" else "",
        busy="busy_o",
        zeroise="zeroise_i",
    )


def message_bus_top(name: str, bus: MessageBus, tells: bool = False) -> Wrapper:
    """The module `name`: the AXI-Stream ports of `bus` around its core of messages. `tells`: it tells what is
    around it to forget, by zeroising_o.
    """
    made = {"packet": _packets, "unit": _units, "message": _tags, "wide": _wide}[bus.kind]
    queues, items = made(bus)
    room = " & ".join([*["data_room"] * (bus.longest > 0), *(f"{q.name}_room" for q in queues)])
    waits = "A beat is taken only while a place is free for whatever it makes leave."
    return Wrapper(
        name,
        (
            f"AXI-Stream ports around {bus.inside}. Byte 0 of a message is in TDATA[7:0]; ready depends "
            "on registers "
            "only.",
            waits if queues else "The core waits until a result is taken.",
        ),
        _groups(bus, tells),
        declared_first(
            (
                Wire(("core_ready", "zeroising")),
                *([Let("room", room)] if room else []),
                Let("take", "s_axis_tvalid & core_ready" + " & room" * bool(room)),
                Drive("s_axis_tready", "core_ready" + " & room" * bool(room)),
                *(item for q in queues for item in q.items("zeroising", "anew" if bus.longest else "rst_i")),
                *items,
                *([Drive("zeroising_o", "zeroising")] if tells else []),
                Cell(bus.inside, "u_core", _links(bus)),
            )
        ),
    )


def _links(bus: MessageBus) -> dict[str, str]:
    """The core's ports: what goes with a beat, the results, and what is handed through."""
    clocks = [g for g in bus.groups if isinstance(g, ClockReset)]
    links = {p.name: p.name for g in (*clocks, *bus.loads) for p in g.pins}
    links |= {n: n for n in ("zeroise_i", "busy_o")} | {"zeroising_o": "zeroising"}
    valid = "s_axis_tvalid" if bus.kind == "wide" else "s_axis_tvalid & room"
    links |= {"valid_i": valid, "ready_o": "core_ready"}
    links |= {"block_i": bytes_reversed("s_axis_tdata", bus.block_bits), "last_i": "s_axis_tlast"}
    links |= {"keep_i": bits_reversed("s_axis_tkeep", bus.lanes)}
    links |= {port: bus.bit(port) for port, _ in bus.user}
    links |= {p.name: f"s_{p.name}" for p in bus.beside}
    if bus.kind == "message":
        return links | {"tag_valid_o": "made", "tag_o": "tag"}
    if bus.kind == "wide":
        shown = ("valid", "block", "keep", "last", "error")
        return links | {f"{n}_o": f"result_{n}" for n in shown} | {"ready_i": "move"}
    links |= {"valid_o": "made", "block_o": "result", "keep_o": "kept", "last_o": "ends"}
    if bus.kind == "unit":
        return links | {"late_o": "late"}
    links |= {"tag_valid_o": "tag_made", "tag_o": "tag", "good_o": "good"}
    return links | _buffered_links(bus) if bus.longest else links


def _buffered_links(bus: MessageBus) -> dict[str, str]:
    """The ports of a core whose buffer is the FIFO of results."""
    links = {f"{n}_o": f"data_{n}" for n in ("valid", "block", "keep", "last", "room")}
    links |= {"waited_o": "data_decrypt", "too_long_o": "too_long"}
    links |= {"announce_i": "take & has_text & ~full", "stall_i": "~m_axis_tready"}
    ids = {"id_i": "id_value", "enters_o": "enters", "id_o": "data_id"}
    return links | (ids if bus.id_bits else {})


def _handed(bus: MessageBus, ways: bool) -> tuple[Part, ...]:
    """What goes round the core with a beat."""
    way = [Part("decrypt", 1, bus.bit("decrypt_i"))] if ways else []
    return (*way, *([Part("id", bus.id_bits, "s_axis_tid")] if bus.id_bits else []))


def _results(bus: MessageBus) -> tuple[Part, ...]:
    """A word of the result as it leaves the core."""
    return (Part("block", bus.block_bits, "result"), Part("keep", bus.lanes, "kept"), Part("last", 1, "ends"))


def _packets(bus: MessageBus) -> tuple[tuple[Queue, ...], list[WrapperItem]]:
    """Packets of GCM and CCM: a FIFO of results and one of tags. Additional data have no result, a packet has
    one tag.
    """
    words = " & ~".join(
        ["s_axis_tkeep[0]", bus.bit("aad_i"), *([bus.bit("iv_word_i")] if bus.any_iv else [])]
    )
    ends = f"s_axis_tlast & ~{bus.bit('iv_word_i')}" if bus.any_iv else "s_axis_tlast"
    shown = "tag" if bus.tag_bits == 128 else f"tag[127:{128 - bus.tag_bits}]"
    beside = (*_handed(bus, True), Part("text", 1, "had_q | has_text"))
    long = (Part("long", 1, "too_long"),) * (bus.longest > 0)
    results, items, kept = (_from_buffer if bus.longest else _from_queue)(bus)
    tags = Queue(
        "tag",
        bus.fifos["tag"],
        "take & ends_packet",
        "tag_made",
        (Part("value", bus.tag_bits, shown), Part("good", 1, "good"), *long),
        beside,
        "m_tag_tready",
    )
    rest = 128 - bus.tag_bits
    value = f"{{tag_value, {rest}'d0}}" if rest else "tag_value"
    said = {name: f"tag_{name}" for name, _ in _verdict(bus)}
    if bus.longest:  # of a packet that is refused m_axis has none
        said["text"] = "tag_text & (tag_good | ~tag_decrypt)"
    return (*results, tags), [
        *items,
        Wire(("tag",), 128, "" if bus.tag_bits == 128 else "the bits behind a short tag are 0."),
        *kept,
        Let("has_text", words),
        Let("ends_packet", ends),
        Reg(("had_q",), note="The packet had data."),
        Clocked(
            (Step("had_q", "zeroising ? 1'b0 : take ? (had_q | has_text) & ~(ends_packet) : had_q"),),
            (("had_q", "1'b0"),),
        ),
        Let("tag_shown", value, 128),
        *_leave(bus, "data_valid", "data"),
        Drive("m_tag_tvalid", "tag_valid"),
        Drive("m_tag_tdata", bytes_reversed("tag_shown", 128)),
        Drive("m_tag_tuser", concatenated(said.values())),
        *([Drive("m_tag_tid", "tag_id")] if bus.id_bits else []),
    ]


_Way = tuple[tuple[Queue, ...], list[WrapperItem], tuple[Wire, ...]]
"""How words of a result leave: FIFOs, what is in front of the tag's wire, and wires behind it."""


def _from_queue(bus: MessageBus) -> _Way:
    """Words of the result of a packet, in a FIFO."""
    data = Queue(
        "data",
        bus.fifos["data"],
        "take & has_text",
        "made",
        _results(bus),
        _handed(bus, True),
        "m_axis_tready",
    )
    wires = [Wire(("made", "ends", "tag_made", "good")), Wire(("result",), bus.block_bits)]
    return (data,), [*wires], (Wire(("kept",), bus.lanes),)


KEPT_FREE = 8
"""Places of a buffer that no packet that waits for its verdict takes."""


def _from_buffer(bus: MessageBus) -> _Way:
    """Words of the result of a packet, which are in the core's buffer until its verdict. A place is announced
    for each that is written there: of a packet that waits not for those behind the longest.
    """
    items: list[WrapperItem] = [
        Wire(("tag_made", "good", "data_valid", "data_last", "data_room", "data_decrypt", "too_long")),
        Wire(("data_block",), bus.block_bits),
        Wire(("data_keep",), bus.lanes),
    ]
    bits = (bus.longest + KEPT_FREE).bit_length()
    start = f"{bits}'d{KEPT_FREE}"
    # A verdict decides when there is room, so how full a FIFO is depends on data: it starts from its first
    # place when zeroising begins, whatever came before.
    items += [
        Reg(("zeroising_q",)),
        Clocked((Step("zeroising_q", "zeroising"),), (("zeroising_q", "1'b0"),)),
        Let("anew", "rst_i | (zeroising & ~zeroising_q)"),
    ]
    waits = f"take & has_text & {bus.bit('decrypt_i')} & ~full"
    items += [
        Reg(("announced_q",), bits, "Words of the packet that wait for its verdict, and 8."),
        Let("full", f"announced_q[{bits - 1}]"),
        Clocked(
            (
                Step(
                    "announced_q",
                    f"zeroising | (take & ends_packet) ? {start} : "
                    f"{waits} ? announced_q + {bits}'d1 : announced_q",
                ),
            ),
            (("announced_q", start),),
        ),
    ]
    if not bus.id_bits:
        return (), items, ()
    ids = Queue(
        "id",
        bus.fifos["id"],
        "take & has_text",
        "id_accepts",
        (Part("value", bus.id_bits, "s_axis_tid"),),
        (),
        "enters",
        "the buffer tells when a word enters it.",
    )
    return (ids,), [*items, Wire(("enters",)), Wire(("data_id",), bus.id_bits, vector=True)], ()


def _leave(bus: MessageBus, valid: str, name: str) -> list[WrapperItem]:
    """A word of the result at m_axis; names begin with `name`."""
    return [
        Drive("m_axis_tvalid", valid),
        Drive("m_axis_tdata", bytes_reversed(f"{name}_block", bus.block_bits)),
        Drive("m_axis_tkeep", bits_reversed(f"{name}_keep", bus.lanes)),
        Drive("m_axis_tlast", f"{name}_last"),
        *([Drive("m_axis_tuser", concatenated(f"{name}_{n}" for n, _ in bus.back))] if bus.back else []),
        *([Drive("m_axis_tid", f"{name}_id")] if bus.id_bits else []),
    ]


def _units(bus: MessageBus) -> tuple[tuple[Queue, ...], list[WrapperItem]]:
    """Data units of XTS: a FIFO of results and one of late results. A short word's result leaves the core
    in the place of the last whole one, which comes later; here it waits for that one, so that a unit leaves
    in its order.
    """
    whole = f"s_axis_tkeep[{bus.lanes - 1}]"
    block = (Part("block", bus.block_bits, "result"),)
    handed = _handed(bus, bus.ways)
    data = Queue(
        "data", bus.fifos["data"], f"take & {whole}", "made & ~late", _results(bus), handed, "move & ~waits"
    )
    late = Queue(
        "late", bus.fifos["late"], f"take & ~{whole}", "made & late", block, (), "move & data_valid & waits"
    )
    kept, fields = bus.lanes, [("block", bus.block_bits), ("keep", bus.lanes), ("last", 1)]
    values = {
        "block": "waits ? late_block : data_block",
        "keep": f"data_keep | {{{kept}{{waits}}}}",
        "last": "data_last & ~waits",
    }
    fields += [(p.name, p.width) for p in handed]
    steps = [Step(f"out_{n}", values.get(n, f"data_{n}"), "move") for n, _ in fields]
    return (data, late), [
        Wire(("made", "ends", "late")),
        Wire(("result",), bus.block_bits),
        Wire(("kept",), bus.lanes),
        Reg(("out_valid", "given_q"), note="A word is offered; the late result before a short one was."),
        *(Reg((f"out_{n}",), width, vector=width > 1 or n == "id") for n, width in fields),
        Let("waits", "data_last & ~data_keep[0] & ~given_q"),
        Let("move", "~out_valid | m_axis_tready"),
        Clocked(
            (
                Step("out_valid", "~zeroising & (move ? data_valid & (~waits | late_valid) : out_valid)"),
                Step(
                    "given_q",
                    "~zeroising & (move & data_valid ? waits & late_valid : given_q)",
                ),
            ),
            (("out_valid", "1'b0"), ("given_q", "1'b0")),
        ),
        Clocked(tuple(steps)),
        *_leave(bus, "out_valid", "out"),
    ]


def _tags(bus: MessageBus) -> tuple[tuple[Queue, ...], list[WrapperItem]]:
    """Messages of CMAC: a FIFO of tags."""
    rest = bus.block_bits - bus.tag_bits
    shown = f"tag[{bus.block_bits - 1}:{rest}]" if rest else "tag"
    queue = Queue(
        "tag",
        bus.fifos["tag"],
        "take & s_axis_tlast",
        "made",
        (Part("value", bus.tag_bits, shown),),
        _handed(bus, False),
        "m_axis_tready",
    )
    keep = "".join("1" if k < bus.tag_bits // 8 else "0" for k in reversed(range(bus.lanes)))
    return (queue,), [
        Wire(("made",)),
        Wire(("tag",), bus.block_bits, "the bits behind a short tag are 0." if rest else ""),
        Let("tag_shown", f"{{tag_value, {rest}'d0}}" if rest else "tag_value", bus.block_bits),
        Drive("m_axis_tvalid", "tag_valid"),
        Drive("m_axis_tdata", bytes_reversed("tag_shown", bus.block_bits)),
        Drive("m_axis_tkeep", f"{bus.lanes}'b{keep}"),
        Drive("m_axis_tlast", "1'b1"),
        *([Drive("m_axis_tid", "tag_id")] if bus.id_bits else []),
    ]


def _wide(bus: MessageBus) -> tuple[tuple[Queue, ...], list[WrapperItem]]:
    """Packets of HCTR2, one at a time: no word is taken while a result leaves, so what goes with the packet
    waits in registers until it has left. A result is in a register at the port.
    """
    tid = [("id", bus.id_bits)] if bus.id_bits else []
    held = [("within_q", 1), ("way_q", 1), *((f"{n}_q", width) for n, width in tid)]
    steps = [
        Step("within_q", "~zeroising & (take ? ~s_axis_tlast : within_q)"),
        Step("way_q", f"~zeroising & (take & ~within_q ? {bus.bit('decrypt_i')} : way_q)"),
        *(Step("id_q", f"zeroising ? {width}'d0 : take ? s_axis_tid : id_q") for _, width in tid),
        Step("out_valid", "~zeroising & (move ? result_valid : out_valid)"),
    ]
    cleared = [*held, ("out_valid", 1)]
    values = {"decrypt": "way_q", "id": "id_q"}
    fields = [("block", bus.block_bits), ("keep", bus.lanes), ("last", 1), ("error", 1), ("decrypt", 1), *tid]
    return (), [
        Wire(("result_valid", "result_last", "result_error")),
        Wire(("result_block",), bus.block_bits),
        Wire(("result_keep",), bus.lanes),
        Reg(("within_q",), note="A packet has begun whose last beat was not taken."),
        Reg(("way_q",), note="The packet is decrypted."),
        *(Reg(("id_q",), width, vector=True) for _, width in tid),
        Reg(("out_valid",), note="A word is offered."),
        *(Reg((f"out_{n}",), width, vector=width > 1 or n == "id") for n, width in fields),
        Let("move", "~out_valid | m_axis_tready"),
        Clocked(tuple(steps), tuple((n, f"{width}'d0") for n, width in cleared)),
        Clocked(tuple(Step(f"out_{n}", values.get(n, f"result_{n}"), "move") for n, _ in fields)),
        *_leave(bus, "out_valid", "out"),
    ]
