"""AXI-Stream around a core's stream ports (AMBA AXI-Stream, ARM IHI 0051): width conversion, TKEEP,
TLAST, TUSER and TID.

Byte 0 of a packet is in TDATA[7:0] of its first beat, and byte 0 of a block is the block's first byte in
the packet. A packet is a message: in a chaining mode its first block is chained to the initial value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Handshake,
    Held,
    Let,
    Note,
    Order,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    concatenated,
    field_places,
)
from ..core import PortSet
from .convert import Converter, Side, gather, scatter

__all__ = ["AXIS_DATA", "AxiStream", "Front", "Inside", "StreamShell", "axi_stream_top", "bytes_reversed"]

AXIS_DATA = ("m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser", "m_axis_tid")
"""Outputs that belong to m_axis_tvalid."""

_ANY_LENGTH = ("ctr", "ofb", "cfb")

Front = Literal["filling", "pausing", "direct", "flowing"]
"""What takes beats in front of a core.

filling: a register of one block, which takes the next one in the cycle in which the core takes its block.
pausing: the same, which takes the next one only while it is empty: for a core that takes a block in two
cycles at most, so that no register waits for it. direct: nothing, for the core's own first registers take a
block, and a beat is one. flowing: a register in which a beat never waits, for the FIFO of a pipeline tells a
cycle ahead when it has room.
"""


def bytes_reversed(name: str, bits: int) -> str:
    """The word `name`, of `bits` bits, which are whole bytes, with its bytes in the opposite order.

    >>> bytes_reversed("data", 16)
    '{data[7:0], data[15:8]}'
    """
    return concatenated(f"{name}[{8 * k + 7}:{8 * k}]" for k in reversed(range(bits // 8)))


def _index_bits(bits: int) -> int:
    """Bits of the number of a byte in a word of `bits`."""
    return (bits // 8 - 1).bit_length()


@dataclass(frozen=True)
class AxiStream:
    """What the bus carries. mode: of the core; block_bits: of a block; data_bits: of TDATA; id_bits: of TID
    (0: there is none); `ways`: TUSER has the direction; `slot_bits` of the number of the stream that a block
    belongs to, for a core with interleaved streams (0: it has one). Of the widths of a block and of TDATA one
    is a multiple of the other.
    """

    mode: str
    block_bits: int
    data_bits: int
    id_bits: int
    ways: bool
    slot_bits: int

    @property
    def any_length(self) -> bool:
        """Whether a message may end within a block."""
        return self.mode in _ANY_LENGTH

    @property
    def beats(self) -> int:
        """Beats of a block: 1 where a beat has a block or more."""
        return max(1, self.block_bits // self.data_bits)

    @property
    def blocks(self) -> int:
        """Blocks of a beat: 1 where a block has a beat or more."""
        return max(1, self.data_bits // self.block_bits)

    @property
    def user_bits(self) -> int:
        """Bits of s_axis_tuser (0: there is none): direction in bit 0 where there are two, then the slot."""
        return int(self.ways) + self.slot_bits

    @property
    def result_user_bits(self) -> int:
        """Bits of m_axis_tuser: as of s_axis_tuser, and above them whether the block was filled up."""
        return self.user_bits + (not self.any_length)

    @property
    def latency(self) -> int:
        """Cycles that the bus adds, from the last beat of a block to the first beat of its result. Where
        a beat has several blocks, of one with a single block.
        """
        return 1 + int(self.data_bits != self.block_bits or self.any_length)

    def around(self, flows: bool) -> tuple[Pin, ...]:
        """What goes round a core with a block, from bit 0 on: TLAST, which bytes count or whether the block
        was filled up, the direction, TID. `flows`: the block's beat is a register in front of the core, and
        bytes that count are as TKEEP says; else they are the index of the last one.
        """
        counted = ("keep", self.data_bits // 8) if flows else ("count", _index_bits(self.block_bits))
        kept = counted if self.any_length else ("filled", 1)
        fields = (("last", 1), kept, ("way", int(self.ways)), ("id", self.id_bits))
        return tuple(Pin(name, width) for name, width in fields if width)

    def around_bits(self, flows: bool) -> int:
        """Bits that go round the core; `flows`: as in `around`."""
        return sum(p.width for p in self.around(flows))

    @property
    def one_block(self) -> bool:
        """Whether a beat is a block."""
        return self.data_bits == self.block_bits

    @property
    def fills_at_once(self) -> bool:
        """Whether a beat says by itself that its block was filled up: then that is in the tag, and no index
        of the last byte goes with a block.
        """
        return self.one_block and not self.any_length

    def beside_at(self, flows: bool) -> int:
        """Bits of a block's tag below the words that come at ports of their own: from bit 0 on those of
        TUSER, of TID, and whether the block was filled up. `flows`: as in `around`; that has a register of
        its own then.
        """
        return self.user_bits + self.id_bits + (self.fills_at_once and not flows)

    def pins(self, side: str) -> tuple[Pin, ...]:
        """TDATA and what goes with it of the side `side`, `s` or `m`, in order."""
        out = side == "m"
        user = self.result_user_bits if out else self.user_bits
        lanes = self.data_bits // 8
        order = Order.PIECE_LITTLE
        pins = [
            Pin(f"{side}_axis_tdata", self.data_bits, out, order=order, meaning=_MESSAGE[out]),
            Pin(f"{side}_axis_tkeep", lanes, out, meaning=_KEEP[out]),
            Pin(f"{side}_axis_tlast", 1, out, meaning="the beat ends a message"),
        ]
        if user:
            pins.append(Pin(f"{side}_axis_tuser", user, out, meaning=self._user(out)))
        if self.id_bits:
            pins.append(Pin(f"{side}_axis_tid", self.id_bits, out, meaning="handed through with the block"))
        return tuple(pins)

    def _user(self, out: bool) -> str:
        """What the bits of TUSER say."""
        fields, at = [], 0
        if self.ways:
            fields, at = ["bit 0: the block is decrypted (0: encrypted)"], 1
        if self.slot_bits:
            place = f"bits {at + self.slot_bits - 1}:{at}" if self.slot_bits > 1 else f"bit {at}"
            fields.append(f"{place}: number of the stream that the block belongs to")
            at += self.slot_bits
        if out and not self.any_length:
            fields.append(f"bit {at}: the message ended within this block, which was filled up with zeros")
        return "; ".join(fields)


_MESSAGE = ("bytes of a message", "bytes of the result")
_KEEP = (
    "bytes that count: all of them, or in the last beat of a message the first ones",
    "bytes that count, the others are 0",
)


@dataclass(frozen=True)
class StreamShell:
    """The modules of the bus, the outermost first, and its `ports` by meaning."""

    modules: tuple[Wrapper, ...]
    ports: PortSet

    @property
    def module(self) -> Wrapper:
        """The outermost module."""
        return self.modules[0]

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the bus."""
        return sum(m.flip_flops for m in self.modules)


def _sides(bus: AxiStream, tag_bits: int) -> tuple[Side, Side]:
    """What comes with a beat of the bus, and with a block that is offered to the core."""
    beat, block = _index_bits(bus.data_bits), _index_bits(bus.block_bits)
    if bus.fills_at_once:
        beat = block = 0
    steers = bus.slot_bits > 0
    return Side(bus.data_bits, beat, tag_bits, steers), Side(bus.block_bits, block, tag_bits, steers)


def _collector(
    name: str, bus: AxiStream, sides: tuple[Side, Side], around: _Around, front: Front
) -> Converter:
    """What makes blocks from beats, the `sides` of `_sides`."""
    drops, gated = around.has("zeroise_i"), bool(around.loads)
    if bus.blocks > 1:
        return scatter(f"{name}_in", *sides, bus.blocks, drops, gated)
    beat, block = sides
    return gather(f"{name}_in", beat, bus.beats, block, drops, gated, front == "pausing")


def _emitter(name: str, bus: AxiStream, sides: tuple[Side, Side], drops: bool) -> Converter | None:
    """What makes beats from results; None where a result is a beat as it is. `sides`: of `_sides`."""
    beat, block = sides
    tag_bits = int(not bus.any_length) + bus.user_bits + bus.id_bits
    given = Side(bus.block_bits, block.count if bus.any_length else 0, tag_bits)
    if bus.blocks > 1:
        shown = Side(bus.data_bits, given.count + (bus.blocks - 1).bit_length(), tag_bits, not bus.any_length)
        return gather(f"{name}_out", given, bus.blocks, shown, drops, False)
    shown = Side(bus.data_bits, beat.count if bus.any_length else 0, tag_bits, not bus.any_length)
    if bus.beats > 1:
        return scatter(f"{name}_out", given, shown, bus.beats, drops, False)
    return gather(f"{name}_out", given, 1, shown, drops, False) if bus.any_length else None


def _counted(keep: str, last: str, lanes: int) -> str:
    """The index of the last byte that counts, from TKEEP, whose ones begin at bit 0; all ones in a beat
    that does not end a packet.
    """
    bits = []
    for j in range((lanes - 1).bit_length()):
        terms = [f"~{last}"]
        for low in range(1 << j, lanes, 2 << j):
            above = low + (1 << j)
            terms.append(f"({keep}[{low}] & ~{keep}[{above}])" if above < lanes else f"{keep}[{low}]")
        bits.append(" | ".join(terms))
    return concatenated(bits)


def _filled(lanes: int) -> str:
    """Whether a beat of so many bytes, which is a block, ends a packet within it."""
    return f"s_axis_tlast & ~s_axis_tkeep[{lanes - 1}]"


def _masked(data: str, keeps: Sequence[str]) -> str:
    """Bytes of a word, those that do not count as zeros."""
    parts = [f"{{8{{{k}}}}} & {data}[{8 * i + 7}:{8 * i}]" for i, k in enumerate(keeps)]
    return concatenated(parts)


@dataclass(frozen=True)
class _Around:
    """The core inside: its pins, and what of them the bus drives."""

    pins: Sequence[Pin]
    slot_bits: int

    def has(self, name: str) -> bool:
        return any(p.name == name for p in self.pins)

    @property
    def beside(self) -> tuple[Pin, ...]:
        """Words that come with every block at ports of their own."""
        return tuple(
            Pin(f"s_{p.name}", p.width)
            for p in self.pins
            if p.with_block and p.name not in ("decrypt_i", "first_i")
        )

    @property
    def loads(self) -> tuple[str, ...]:
        """What is loaded by a handshake of its own."""
        return tuple(n for n in ("key", "iv") if self.has(f"{n}_valid_i"))

    @property
    def through(self) -> tuple[Pin, ...]:
        """Ports that are handed through."""
        gone = {"slot_o"}
        return tuple(p for p in self.pins if not p.with_block and p.name not in gone)


@dataclass(frozen=True)
class Inside:
    """The stream shell that a bus is put around, the module `name`. pins: of the core inside it; slots:
    interleaved streams of a chaining mode; `groups` of ports, and their names by meaning (`ports`); `front`:
    what takes beats in front of it.
    """

    name: str
    pins: Sequence[Pin]
    slots: int
    groups: Sequence[Group]
    ports: PortSet
    front: Front = "filling"


def axi_stream_top(name: str, bus: AxiStream, inside: Inside) -> StreamShell:
    """The module `name`: the AXI-Stream ports of `bus` around the stream shell `inside`.

    A block is held back while a key or a counter block is offered, and while the core has none: so whatever
    is loaded is for the blocks that are accepted after it.
    """
    return _flowing_top(name, bus, inside) if inside.front == "flowing" else _waiting_top(name, bus, inside)


def _flowing_top(name: str, bus: AxiStream, inside: Inside) -> StreamShell:
    """A register in front of the core, and nothing behind its FIFO but the zeros of bytes that do not
    count.
    """
    around = _Around(inside.pins, 0)
    gated = bool(around.loads)
    tag_bits = bus.beside_at(True) + sum(p.width for p in around.beside)
    items = [
        Wire(("core_ready",), lint="" if gated else "the core takes a block at any time."),
        Wire(("early", "open")),
        *_taken(bus, around, tag_bits),
        *(_gate(around, True) if gated else [Drive("open", "early")]),
        *([Let("accept", "block_valid")] if around.has("first_i") else []),
        *_first(around, 1),
        *_inside(inside.name, bus, around, True),
        *_given(bus),
    ]
    comment = (
        f"AXI-Stream ports around {inside.name}. Byte 0 of a message is in TDATA[7:0]; ready depends on "
        "registers only.",
        "A beat that is taken is accepted in the next cycle: the core's FIFO tells ahead when it has room.",
    )
    lint = (
        None if bus.any_length else ("UNUSEDSIGNAL", "a beat has at least one byte: TKEEP[0] says nothing.")
    )
    module = Wrapper(name, comment, _groups(bus, around, inside.groups), tuple(items), lint)
    return StreamShell((module,), _ports(bus, around, inside.ports))


def _beside(bus: AxiStream, around: _Around, filled: Sequence[str] = ()) -> list[str]:
    """What goes with a block to the core, from bit 0 on: TUSER, TID, `filled`, and the pins beside data."""
    return [
        *["s_axis_tuser"] * bool(bus.user_bits),
        *["s_axis_tid"] * bool(bus.id_bits),
        *filled,
        *(p.name for p in around.beside),
    ]


def _taken(bus: AxiStream, around: _Around, tag_bits: int) -> list[WrapperItem]:
    """The register in front of the core, which takes whatever is offered; `valid_q` says that it was
    taken.
    """
    lanes = bus.data_bits // 8
    keeps = [f"s_axis_tkeep[{i}]" for i in range(lanes)]
    data = "s_axis_tdata" if bus.any_length else _masked("s_axis_tdata", keeps)
    fields = _beside(bus, around)
    kept = "s_axis_tkeep" if bus.any_length else _filled(lanes)
    width = lanes if bus.any_length else 1
    drops, chained, busy = (around.has(n) for n in ("zeroise_i", "first_i", "busy_o"))
    valid = Step("valid_q", _unless("take", 1, drops))
    steps = [Step("data_q", _unless(data, bus.block_bits, drops))]
    steps += [Step("last_q", "s_axis_tlast"), Step("kept_q", kept)]
    if tag_bits:
        steps.append(Step("tag_q", _unless(concatenated(fields), tag_bits, drops)))
    return [
        Reg(("valid_q", "last_q")),
        Reg(("data_q",), bus.block_bits),
        Reg(("kept_q",), width, "TKEEP." if bus.any_length else "The message ends within the block."),
        *([Reg(("tag_q",), tag_bits, vector=True)] if tag_bits else []),
        Wire(("block_valid", *["block_last"] * chained, *["idle"] * busy)),
        Wire(("block",), bus.block_bits),
        Drive("block_valid", "valid_q"),
        Drive("block", "data_q"),
        *([Drive("block_last", "last_q")] if chained else []),
        *([Drive("idle", "~valid_q")] if busy else []),
        Drive("s_axis_tready", "open"),
        Let("take", "s_axis_tvalid & open"),
        Clocked((valid,), (("valid_q", "1'b0"),)),
        Clocked(tuple(steps)),
    ]


def _unless(value: str, width: int, drops: bool) -> str:
    """A value, or zeros while everything is forgotten."""
    zero = f"{width}'d0" if width > 1 else "1'b0"
    return f"zeroise_i ? {zero} : {value}" if drops else value


def _sent(bus: AxiStream, flows: bool) -> str:
    """What goes round the core with a block (`AxiStream.around`)."""
    low, word = bus.user_bits, "tag_q" if flows else "block_tag"
    full = f"{_index_bits(bus.block_bits)}'d{bus.block_bits // 8 - 1}"
    filled = "block_count" if bus.any_length else f"block_last & block_count != {full}"
    if bus.fills_at_once:
        filled = f"block_tag[{bus.user_bits + bus.id_bits}]"
    fields = ["last_q", "kept_q"] if flows else ["block_last", filled]
    fields += [f"{word}[0]"] * bus.ways + [f"{word}[{low + bus.id_bits - 1}:{low}]"] * bool(bus.id_bits)
    return concatenated(fields)


def _came(bus: AxiStream, flows: bool) -> dict[str, str]:
    """The fields of what went round the core, by name (`AxiStream.around`)."""
    return field_places("beside", ((p.name, p.width) for p in bus.around(flows)))


def _given(bus: AxiStream) -> list[WrapperItem]:
    """The result as it leaves the FIFO is the beat."""
    lanes, place = bus.data_bits // 8, _came(bus, True)
    word = bytes_reversed("result", bus.block_bits)
    user = [place[n] for n in ("way", "filled") if n in place]
    items: list[WrapperItem] = [
        Let("given", word, bus.block_bits),
        Drive("m_axis_tvalid", "result_valid"),
        Drive("result_ready", "m_axis_tready"),
        Drive("m_axis_tlast", place["last"]),
    ]
    if bus.any_length:
        keeps = [f"beside[{1 + i}]" for i in range(lanes)]
        items += [Drive("m_axis_tdata", _masked("given", keeps)), Drive("m_axis_tkeep", place["keep"])]
    else:
        items += [Drive("m_axis_tdata", "given"), Drive("m_axis_tkeep", f"{{{lanes}{{1'b1}}}}")]
    if user:
        items.append(Drive("m_axis_tuser", concatenated(user)))
    return [*items, *([Drive("m_axis_tid", place["id"])] if bus.id_bits else [])]


def _waiting_top(name: str, bus: AxiStream, inside: Inside) -> StreamShell:
    """Registers that change the width, which wait for the core; or none in front of it (`Front`, direct)."""
    around = _Around(inside.pins, bus.slot_bits)
    drops = around.has("zeroise_i")
    sides = _sides(bus, bus.beside_at(False) + sum(p.width for p in around.beside))
    into = None if inside.front == "direct" else _collector(name, bus, sides, around, inside.front)
    out = _emitter(name, bus, sides, drops)
    items = _input(bus, into, around) if into else _straight(bus, sides[1], around)
    items += _gate(around) if around.loads else []
    items += _turns(bus)
    items += _first(around, inside.slots)
    items += _inside(inside.name, bus, around)
    items += _output(bus, out, drops)
    module = Wrapper(
        name,
        (
            f"AXI-Stream ports around {inside.name}. Byte 0 of a message is in TDATA[7:0]; ready "
            "depends on registers "
            f"only.",
        ),
        _groups(bus, around, inside.groups),
        tuple(items),
        ("UNUSEDSIGNAL", "a beat has at least one byte, so TKEEP[0] says nothing.")
        if bus.any_length
        else None,
    )
    modules = (module, *(c.module for c in (into, out) if c))
    return StreamShell(modules, _ports(bus, around, inside.ports))


def _groups(bus: AxiStream, around: _Around, inner: Sequence[Group]) -> tuple[Group, ...]:
    """The bus's ports: those of the stream inside that go with no block stay."""
    known = {pin.name: pin for group in inner for pin in group.pins}
    loads = [g for g in inner if isinstance(g, Handshake)]
    loaded = {pin.name for g in loads for pin in g.pins}
    held = tuple(known[p.name] for p in around.through if p.name not in loaded)
    beside = tuple(known[p.name] for p in around.beside)
    return (
        ClockReset(),
        *loads,
        Stream("s_axis_tvalid", (*bus.pins("s"), *beside), "s_axis_tready", what="a beat"),
        Stream("m_axis_tvalid", bus.pins("m"), "m_axis_tready", out=True, what="a beat"),
        *([Held(held)] if held else []),
    )


def _ports(bus: AxiStream, around: _Around, inner: PortSet) -> PortSet:
    """Names of the bus's ports by meaning."""
    direct = {p.name for p in around.through}
    kept = {
        kind: value if value in direct or value.startswith("s_") else ""
        for kind, value in (("key", inner.key), ("iv", inner.iv))
    }
    return PortSet(
        valid_in="s_axis_tvalid",
        ready_out="s_axis_tready",
        decrypt="s_axis_tuser" if bus.ways else inner.decrypt,
        block_in="s_axis_tdata",
        valid_out="m_axis_tvalid",
        ready_in="m_axis_tready",
        block_out="m_axis_tdata",
        first="s_axis_tlast" if inner.first else "",
        key=kept["key"],
        iv=kept["iv"],
        key_valid=inner.key_valid,
        key_ready=inner.key_ready,
        iv_valid=inner.iv_valid,
        iv_ready=inner.iv_ready,
        busy=inner.busy,
        zeroise=inner.zeroise,
    )


def _offered(bus: AxiStream, around: _Around) -> dict[str, str]:
    """What is offered to the bus: bytes that do not count are zeros where a mode takes whole blocks only."""
    lanes = bus.data_bits // 8
    keeps = [f"s_axis_tkeep[{i}]" for i in range(lanes)]
    return {
        "data": "s_axis_tdata" if bus.any_length else _masked("s_axis_tdata", keeps),
        "last": "s_axis_tlast",
        "count": _counted("s_axis_tkeep", "s_axis_tlast", lanes),
        "tag": concatenated(_beside(bus, around, [_filled(lanes)] * bus.fills_at_once)),
    }


def _block(block: Side, around: _Around) -> list[WrapperItem]:
    """The `block` that is offered to the core."""
    gated = bool(around.loads)
    return [
        Wire(("block_valid", "block_last", *["idle"] * gated)),
        Wire(("block",), block.data),
        *([Wire(("block_count",), block.count)] if block.count else []),
        *([Wire(("block_tag",), block.tag, vector=True)] if block.tag else []),
        *([Wire(("open",))] if gated else []),
        Wire(("core_ready", "block_ready", *["accept"] * around.has("first_i"))),
    ]


def _straight(bus: AxiStream, block: Side, around: _Around) -> list[WrapperItem]:
    """A beat is the `block` that is offered to the core."""
    offered, gated = _offered(bus, around), bool(around.loads)
    gate = " & open" * gated
    fields = ["data", "last", *["count"] * bool(block.count), *["tag"] * bool(block.tag)]
    return [
        *_block(block, around),
        Drive("block_valid", f"s_axis_tvalid{gate}"),
        Drive("s_axis_tready", f"block_ready{gate}"),
        *([Drive("idle", "1'b1")] if gated else []),
        *(Drive("block" if f == "data" else f"block_{f}", offered[f]) for f in fields),
    ]


def _input(bus: AxiStream, into: Converter, around: _Around) -> list[WrapperItem]:
    """From beats to blocks, by `into`."""
    offered = _offered(bus, around)
    links = {
        "in_valid_i": "s_axis_tvalid",
        "in_data_i": offered["data"],
        "in_last_i": offered["last"],
        "in_ready_o": "s_axis_tready",
        "out_valid_o": "block_valid",
        "out_data_o": "block",
        "out_last_o": "block_last",
        "out_ready_i": "block_ready",
    }
    if into.after.count:
        links |= {"in_count_i": offered["count"], "out_count_o": "block_count"}
    if into.after.tag:
        links |= {"in_tag_i": offered["tag"], "out_tag_o": "block_tag"}
    if into.drops:
        links["drop_i"] = "zeroise_i"
    if into.gated:
        links |= {"open_i": "open", "idle_o": "idle"}
    return [*_block(into.after, around), into.cell("u_in", links)]


def _gate(around: _Around, flows: bool = False) -> list[WrapperItem]:
    """Whether a block may begin: the core has been ready since the last load, and nothing is offered.
    `flows`: it is ready and there is room, and stays so until the block is accepted.
    """
    offers = tuple(f"{n}_offer_q" for n in around.loads)
    offered = " | ".join(f"{n}_valid_i" for n in around.loads)
    taken = " & ".join(f"~({n}_valid_i & {n}_ready_o)" for n in around.loads)
    drops = around.has("zeroise_i")
    calm, why = "hold_q & idle", ": none begins while hold_q is 1"
    live, before = f"(live_q | core_ready) & {taken}", list[Step]()
    registers = [Reg(("live_q",), note="The core has been ready since the last load.")]
    if flows:
        calm, why, live = "calm_q", "", f"ready_q & ~hold_q & ~({offered})"
        before = [
            Step("calm_q", f"hold_q & ({offered})"),
            Step("ready_q", _dropped("core_ready", drops, flows)),
            Step("open_q", _dropped("early & live_q", drops, flows)),
        ]
        registers = [
            Reg(("calm_q",), note="And it was a cycle before: no block is held."),
            Reg(("ready_q", "live_q"), note="The core has been ready, and nothing was offered since."),
            Reg(("open_q",), note="There is room besides: a beat may be taken."),
        ]
    return [
        Reg(("hold_q",), note="A key or a counter block is offered: no block begins."),
        *registers,
        Drive("open", f"{'open_q' if flows else 'live_q'} & ~hold_q"),
        Note(f"It is offered to the core, for no block is held{why}."),
        Reg(offers),
        *(Wire((f"core_{n}_ready",)) for n in around.loads),
        Clocked(
            (
                Step("hold_q", offered),
                *before,
                Step("live_q", _dropped(live, drops, flows)),
                *(
                    Step(
                        f"{n}_offer_q",
                        _dropped(f"{calm} & {n}_valid_i & ~({n}_offer_q & core_{n}_ready)", drops, flows),
                    )
                    for n in around.loads
                ),
            ),
            tuple((name, "1'b0") for r in registers for name in r.names)
            + tuple((name, "1'b0") for name in ("hold_q", *offers)),
        ),
    ]


def _dropped(value: str, drops: bool, flows: bool) -> str:
    """A bit that is 0 behind zeroise_i. `flows`: by the reset of its register, not by a lookup table."""
    if flows:
        return _unless(value, 1, drops)
    return f"{value}{' & ~zeroise_i' * drops}"


def _turns(bus: AxiStream) -> list[WrapperItem]:
    """The stream that may send a block now, that of the result, and that of the block that is offered."""
    if not bus.slot_bits:
        return []
    low = int(bus.ways)
    value = f"block_tag[{low + bus.slot_bits - 1}:{low}]"
    return [Wire(("turn", "result_slot"), bus.slot_bits), Let("slot", value, bus.slot_bits)]


def _first(around: _Around, slots: int) -> list[WrapperItem]:
    """Whether a block is the first of its message: of each stream, whether the last one has ended."""
    if not around.has("first_i"):
        return []
    forgets = "zeroise_i" if around.has("zeroise_i") else ""
    ones = f"{slots}'d{(1 << slots) - 1}"
    low = "slot"
    if slots == 1:
        value, read = "block_last", "first_q"
    else:
        value, read = (
            f"(first_q & ~({slots}'d1 << {low})) | ({{{slots - 1}'d0, block_last}} << {low})",
            f"|(first_q & ({slots}'d1 << {low}))",
        )
    if forgets:
        value = f"{forgets} ? {ones} : {value}"
    return [
        Reg(("first_q",), slots, "Of every stream: its next block begins a message."),
        Let("first", read),
        Clocked(
            (Step("first_q", value, f"accept | {forgets}" if forgets else "accept"),), (("first_q", ones),)
        ),
    ]


def _inside(core: str, bus: AxiStream, around: _Around, flows: bool = False) -> list[WrapperItem]:
    """The core with its stream ports. A block waits until it is its stream's turn. `flows`: a block does
    not wait, and what belongs to it goes round with it.
    """
    turn = " & turn == slot" if bus.slot_bits else ""
    links = {
        "clk": "clk",
        "rst_i": "rst_i",
        **_block_links(bus, around, flows),
        "s_valid_i": f"block_valid{turn}",
        "s_ready_o": "core_ready",
        "s_block_i": bytes_reversed("block", bus.block_bits),
        "m_valid_o": "result_valid",
        "m_ready_i": "result_ready",
        "m_block_o": "result",
        "s_beside_i": _sent(bus, flows),
        "m_beside_o": "beside",
    }
    items: list[WrapperItem] = [
        Wire(("result_valid", "result_ready")),
        Wire(("result",), bus.block_bits),
        Wire(("beside",), bus.around_bits(flows), vector=True),
    ]
    if flows:
        links["s_early_o"] = "early"
    else:
        items += [
            Drive("block_ready", f"core_ready{turn}"),
            *([Drive("accept", "block_valid & block_ready")] if around.has("first_i") else []),
        ]
    if bus.slot_bits:
        links |= {"slot_o": "turn", "m_slot_o": "result_slot"}
    for n in around.loads:
        links |= {f"{n}_valid_i": f"{n}_offer_q", f"{n}_ready_o": f"core_{n}_ready"}
        items.append(Drive(f"{n}_ready_o", f"core_{n}_ready & {n}_offer_q"))
    if around.has("busy_o"):
        links["busy_o"] = "core_busy"
        items += [Wire(("core_busy",)), Drive("busy_o", "core_busy | ~idle")]
    return [*items, Cell(core, "u_core", links)]


def _block_links(bus: AxiStream, around: _Around, flows: bool) -> dict[str, str]:
    """The core's ports that go with a block, out of its tag, and those that are handed through. `flows`: as
    in `AxiStream.around`.
    """
    links, place = {p.name: p.name for p in around.through}, bus.beside_at(flows)
    tag = "tag_q" if flows else "block_tag"
    if around.has("first_i"):
        links["s_first_i"] = "first"
    if bus.ways:
        links["s_decrypt_i"] = f"{tag}[0]"
    for p in around.beside:
        links[p.name] = f"{tag}[{place + p.width - 1}:{place}]"
        place += p.width
    return links


def _output(bus: AxiStream, out: Converter | None, drops: bool) -> list[WrapperItem]:
    """From results to beats."""
    lanes, block_bytes = bus.data_bits // 8, bus.block_bits // 8
    count, place = _index_bits(bus.block_bits), _came(bus, False)
    user = [place["way"]] if bus.ways else []
    user += ["result_slot"] if bus.slot_bits else []
    user += [place["filled"]] if not bus.any_length else []
    tag = [*user, *([place["id"]] if bus.id_bits else [])]
    word = bytes_reversed("result", bus.block_bits)
    if out is None:
        return [
            Drive("m_axis_tvalid", "result_valid"),
            Drive("result_ready", "m_axis_tready"),
            Drive("m_axis_tdata", word),
            Drive("m_axis_tkeep", f"{{{lanes}{{1'b1}}}}"),
            Drive("m_axis_tlast", place["last"]),
            *([Drive("m_axis_tuser", concatenated(user))] if user else []),
            *([Drive("m_axis_tid", place["id"])] if bus.id_bits else []),
        ]
    links = {
        "in_valid_i": "result_valid",
        "in_ready_o": "result_ready",
        "in_data_i": word,
        "in_last_i": place["last"],
        "out_valid_o": "m_axis_tvalid",
        "out_ready_i": "m_axis_tready",
        "out_data_o": "m_axis_tdata",
        "out_last_o": "m_axis_tlast",
    }
    items: list[WrapperItem] = []
    if bus.any_length:
        items += [Let("given", word, bus.block_bits)]
        last = place["count"]
        keeps = [f"({last} >= {count}'d{i})" if i else "1'b1" for i in range(block_bytes)]
        links |= {"in_data_i": _masked("given", keeps), "in_count_i": last}
    if tag:
        links |= {"in_tag_i": concatenated(tag), "out_tag_o": "shown_tag"}
        items += _shown_tag(bus)
    if drops:
        links["drop_i"] = "zeroise_i"
    if out.after.count:
        links["out_count_o"] = "shown_count"
    items += _shown_keep(out.after.count, lanes, 1 if bus.any_length else block_bytes)
    return [*items, out.cell("u_out", links)]


def _shown_tag(bus: AxiStream) -> list[WrapperItem]:
    """TUSER and TID of a beat."""
    user, total = bus.result_user_bits, bus.result_user_bits + bus.id_bits
    items: list[WrapperItem] = [Wire(("shown_tag",), total, vector=True)]
    if user:
        items.append(Drive("m_axis_tuser", f"shown_tag[{user - 1}:0]"))
    if bus.id_bits:
        items.append(Drive("m_axis_tid", f"shown_tag[{total - 1}:{user}]"))
    return items


def _shown_keep(count: int, lanes: int, step: int) -> list[WrapperItem]:
    """TKEEP of a beat with a count of so many bits, each step of which is `step` bytes."""
    if not count:
        return [Drive("m_axis_tkeep", f"{{{lanes}{{1'b1}}}}")]
    bits = [f"shown_count >= {count}'d{i // step}" if i >= step else "1'b1" for i in range(lanes)]
    return [Wire(("shown_count",), count), Drive("m_axis_tkeep", concatenated(bits))]
