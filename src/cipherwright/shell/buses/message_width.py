"""Beats of another width than a word, around AXI-Stream whose beats are words of messages.

A beat is a part of a word, or several words. A word of a message may be short where its additional data or
its data end, so its bytes that count go with it (TKEEP). Data do not begin in the word of additional data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
    concatenated,
    declared_first,
    field_places,
)
from .message_stream import MessageBus

__all__ = ["BeatWidth", "message_width"]


@dataclass(frozen=True)
class BeatWidth:
    """AXI-Stream with beats of another width, the outermost module first; `before`: cycles from a word's last
    beat until the word is offered inside, and `behind`: from a word that leaves until its beat is offered.
    """

    modules: tuple[Wrapper, ...]
    before: int
    behind: int = 1

    @property
    def flip_flops(self) -> int:
        """Those of all its modules."""
        return sum(m.flip_flops for m in self.modules)


@dataclass(frozen=True)
class _Unit:
    """A part of what is gathered: `bits` of data. tag: bits that go with each of them, those of the last one
    with the whole; first: bits that the first one of the whole brings. ends: the bit of the tag that ends the
    whole early where it falls (negative: none does).
    """

    bits: int
    tag: int = 0
    first: int = 0
    ends: int = -1

    @property
    def lanes(self) -> int:
        """Bytes."""
        return self.bits // 8

    def pins(self, side: str, ratio: int = 1) -> tuple[Pin, ...]:
        """The payload of `ratio` units at the side `side`, `in` or `out`."""
        out, end = side == "out", side[0]
        widths = {"data": self.bits * ratio, "keep": self.lanes * ratio, "last": 1}
        widths |= {"tag": self.tag, "first": self.first}
        return tuple(Pin(f"{side}_{n}_{end}", w, out) for n, w in widths.items() if w)


def _ports(before: Sequence[Pin], after: Sequence[Pin], tells: bool) -> tuple[Group, ...]:
    """Ports of a converter; `tells`: among them idle_o, which is 1 while it holds nothing."""
    return (
        ClockReset(),
        Held((Pin("drop_i"), *([Pin("idle_o", out=True)] if tells else []))),
        Stream("in_valid_i", tuple(before), "in_ready_o"),
        Stream("out_valid_o", tuple(after), "out_ready_i", out=True),
    )


def _payload(name: str, width: int, value: str, enable: str) -> Step:
    """A register of the payload, which drop_i clears."""
    return Step(name, f"drop_i ? {width}'d0 : ({enable}) ? {value} : {name}")


def _registers(widths: Iterable[tuple[str, int]], note: str = "") -> list[WrapperItem]:
    """Registers of a payload, by name and width, those with bits."""
    found = [(n, w) for n, w in widths if w]
    return [
        Reg((n,), w, note if k == 0 else "", vector=not n.endswith("last_q"))
        for k, (n, w) in enumerate(found)
    ]


def _gathered(name: str, unit: _Unit, ratio: int, clears: bool, tells: bool) -> Wrapper:
    """The module `name`: a register that takes `ratio` units and gives all of them as one, or fewer behind
    the last one. clears: bytes that do not count are zeros; `tells`: as of `_ports`.
    """
    bits = (ratio - 1).bit_length()
    early = unit.ends >= 0
    given = "beat_{}_q" if early else "in_{}_i"
    data, keep, last, tag, first = (given.format(n) for n in ("data", "keep", "last", "tag", "first"))
    valid = "beat_valid_q" if early else "in_valid_i"
    whole = [("data_q", unit.bits * ratio), ("keep_q", unit.lanes * ratio), ("last_q", 1)]
    beside = [("tag_q", unit.tag, tag, "take"), ("first_q", unit.first, first, "take & starts")]
    beside = [b for b in beside if b[1]]
    items: list[WrapperItem] = [
        Reg(("full_q",)),
        Reg(("place_q",), bits, "The unit that comes next.", vector=True),
        *_registers([*whole, *((n, w) for n, w, _, _ in beside)]),
        Let("starts", f"place_q == {bits}'d0"),
        Let("complete", f"{last} | place_q == {bits}'d{ratio - 1}"),
    ]
    turns, control, payload = "1'b0", list[Step](), list[Step]()
    if early:
        turns = "turns"
        items += _front(unit)
        items.append(Let("turns", f"{valid} & ~starts & tag_q[{unit.ends}] & ~{tag}[{unit.ends}]"))
        takes = "in_valid_i & in_ready"
        control.append(Step("beat_valid_q", "~drop_i & (in_ready ? in_valid_i : beat_valid_q)"))
        payload += [
            _payload(f"beat_{p.name.split('_')[1]}_q", p.width, p.name, takes) for p in unit.pins("in")
        ]
    may = "(~full_q | out_ready_i)" + (" & ~turns" if early else "")
    items += [Let("may", may), Let("take", f"{valid} & may")]
    if early:
        items.append(Let("in_ready", "~beat_valid_q | may"))
    control += [
        Step("full_q", f"~drop_i & (take ? complete : {turns} | (full_q & ~out_ready_i))"),
        Step(
            "place_q",
            f"drop_i | {turns} ? {bits}'d0 : take ? (complete ? {bits}'d0 : place_q + {bits}'d1) : place_q",
        ),
    ]
    for k in range(ratio):
        mine = f"take & (starts | place_q == {bits}'d{k})" if k else "take & starts"
        own = mine if clears or not k else f"take & place_q == {bits}'d{k}"
        for what, width, value, enable in (
            ("data", unit.bits, data, own),
            ("keep", unit.lanes, keep, mine),
        ):
            zero = k and (clears or what == "keep")
            target = f"{what}_q[{(k + 1) * width - 1}:{k * width}]"
            payload.append(
                _payload(target, width, f"(starts ? {width}'d0 : {value})" if zero else value, enable)
            )
    payload.append(_payload("last_q", 1, last, "take"))
    payload += [_payload(n, w, value, enable) for n, w, value, enable in beside]
    out = unit.pins("out", ratio)
    return Wrapper(
        name,
        (
            f"{ratio} units of {unit.bits} bits make a word, fewer where one is the last; it is "
            "taken while the next one comes in.",
        ),
        _ports(unit.pins("in"), out, tells),
        declared_first(
            (
                *items,
                Drive("in_ready_o", "in_ready" if early else "may"),
                Drive("out_valid_o", "full_q"),
                *([Drive("idle_o", "~full_q & starts" + " & ~beat_valid_q" * early)] if tells else []),
                *(Drive(p.name, f"{p.name.split('_')[1]}_q") for p in out),
                *_clocked(items, control, payload),
            )
        ),
    )


def _front(unit: _Unit) -> list[WrapperItem]:
    """A register of one unit in front of the word: what comes next is known before the word is given away."""
    pins = unit.pins("in")
    return [
        Reg(("beat_valid_q",)),
        *_registers([(f"beat_{p.name.split('_')[1]}_q", p.width) for p in pins]),
    ]


def _clocked(
    registers: Iterable[WrapperItem], control: Sequence[Step], payload: Sequence[Step]
) -> tuple[Clocked, Clocked]:
    """What `registers` take: those that reset clears, and the others, which are data. What is done with a
    word depends on what goes with its data.
    """
    widths = {name: r.width for r in registers if isinstance(r, Reg) for name in r.names}
    kept = ("keep_q", "last_q", "tag_q", "first_q")
    steps = [*control, *(s for s in payload if s.target.split("[")[0].removeprefix("beat_") in kept)]
    cleared = dict.fromkeys(s.target.split("[")[0] for s in steps)
    others = tuple(s for s in payload if s not in steps)
    return Clocked(tuple(steps), tuple((n, f"{widths[n]}'d0") for n in cleared)), Clocked(others)


def _spread(name: str, unit: _Unit, ratio: int, tells: bool) -> Wrapper:
    """The module `name`: a register that takes `ratio` units as one and gives them one after the other, up to
    the last one of which bytes count; `tells`: as of `_ports`.
    """
    data, keep, lanes = unit.bits, unit.lanes * ratio, unit.lanes
    whole = [("data_q", unit.bits * ratio), ("keep_q", keep), ("last_q", 1), ("tag_q", unit.tag)]
    shifted = {
        "data": f"{{{data}'d0, data_q[{unit.bits * ratio - 1}:{data}]}}",
        "keep": f"{{{lanes}'d0, keep_q[{keep - 1}:{lanes}]}}",
    }
    steps = [
        _payload(f"{n}_q", width, f"(take ? in_{n}_i : {shifted[n]})", "take | step")
        for n, width in (("data", unit.bits * ratio), ("keep", keep))
    ]
    steps += [_payload("last_q", 1, "in_last_i", "take")]
    steps += [_payload("tag_q", unit.tag, "in_tag_i", "take")] * (unit.tag > 0)
    shown = {"data": f"data_q[{data - 1}:0]", "keep": f"keep_q[{lanes - 1}:0]", "last": "last_q & ends"}
    shown |= {"tag": "tag_q"} if unit.tag else {}
    registers = [Reg(("full_q",)), *_registers(whole)]
    offered = Step("full_q", "~drop_i & (take | (full_q & ~(out_ready_i & ends)))")
    return Wrapper(
        name,
        (f"A word is given as {ratio} units of {unit.bits} bits, fewer where it is short.",),
        _ports(unit.pins("in", ratio), unit.pins("out"), tells),
        declared_first(
            (
                *registers,
                Let("ends", f"~keep_q[{lanes}]"),
                Let("may", "~full_q | (out_ready_i & ends)"),
                Let("take", "in_valid_i & may"),
                Let("step", "full_q & out_ready_i"),
                Drive("in_ready_o", "may"),
                Drive("out_valid_o", "full_q"),
                *([Drive("idle_o", "~full_q")] if tells else []),
                *(Drive(f"out_{n}_o", value) for n, value in shown.items()),
                *_clocked(registers, [offered], steps),
            )
        ),
    )


def message_width(name: str, words: Wrapper, bus: MessageBus, bits: int, held: bool) -> BeatWidth:
    """The module `name`: `words`, AXI-Stream of `bus` whose beats are words, behind beats of `bits`. held: a
    message is under the key that was there when its first beat was taken, so a new key waits for what is in
    front of the core.
    """
    narrow = bits < bus.block_bits
    unit = min(bits, bus.block_bits)
    ratio = max(bits, bus.block_bits) // unit
    tag, first, back = _fields(bus, narrow)
    given = _Unit(unit, _bits(tag), _bits(first), _ends(bus) if narrow else -1)
    left = _Unit(unit, _bits(back))
    gather, spread = f"{name}_gather", f"{name}_spread"
    if narrow:
        front = _gathered(gather, given, ratio, False, held)
        behind = _spread(spread, left, ratio, False)
    else:
        front = _spread(spread, given, ratio, held)
        behind = _gathered(gather, left, ratio, True, False)
    top = Wrapper(
        name,
        (f"Beats of {bits} bits around {words.name}, whose beats are words of {bus.block_bits} bits.",),
        tuple(_beats(g, bits) for g in words.ports),
        declared_first(
            (
                Wire(("zeroising", "given_valid", "given_ready", "given_last")),
                Wire(("left_valid", "left_ready", "left_last")),
                *_wires(bus, "given", tag, first),
                *_wires(bus, "left", back, ()),
                Wire(("front_ready", *(["front_idle", "words_busy"] if held else []))),
                Drive("s_axis_tready", "front_ready & open"),
                *([Drive("busy_o", "words_busy | ~front_idle")] if held else []),
                *_opened(bus, held),
                _front_cell(front, tag, first, held),
                Cell(words.name, "u_words", _inner_links(words, tag, first, held)),
                _back_cell(behind, back),
            )
        ),
    )
    return BeatWidth((top, front, behind), 1 + (given.ends >= 0))


_Fields = Sequence[tuple[str, int]]
"""Names of ports and their bits, from bit 0 of a tag on."""


def _bits(fields: _Fields) -> int:
    return sum(width for _, width in fields)


def _fields(bus: MessageBus, narrow: bool) -> tuple[_Fields, _Fields, _Fields]:
    """What goes with every beat, what the first beat of a word brings, and what leaves with a beat. The IV
    and the lengths are read with a packet's first beat, the expected tag with its last.
    """
    tag = [("s_axis_tuser", len(bus.user))] * bool(bus.user) + [("s_axis_tid", bus.id_bits)] * bool(
        bus.id_bits
    )
    tag += [("s_tag_i", p.width) for p in bus.beside if p.name == "tag_i"]
    first = [(f"s_{p.name}", p.width) for p in bus.beside if p.name != "tag_i"]
    back = [("m_axis_tuser", len(bus.back))] * bool(bus.back) + [("m_axis_tid", bus.id_bits)] * bool(
        bus.id_bits
    )
    return (tag, first, back) if narrow else ([*tag, *first], [], back)


def _ends(bus: MessageBus) -> int:
    """The bit of TUSER that falls where additional data end, which ends a word (-1: there is none)."""
    ports = [port for port, _ in bus.user]
    return ports.index("aad_i") if "aad_i" in ports else -1


def _opened(bus: MessageBus, held: bool) -> tuple[WrapperItem, ...]:
    """`open`: a beat may be taken. None is while everything is being forgotten, and where keys are loaded
    before there is one.
    """
    keyed = any(isinstance(g, Handshake) and g.valid == "key_valid_i" for g in bus.loads)
    steps = [Step("closed_q", "zeroising")]
    registers = [Reg(("closed_q",), note="Everything is being forgotten.")]
    open_, more = "~closed_q", list[WrapperItem]()
    if keyed and (held or bus.kind == "unit"):
        registers.append(Reg(("loaded_q",), note="There is a key."))
        steps.append(Step("loaded_q", "~zeroising & (loads | loaded_q)"))
        open_ += " & (loaded_q | offer_q) & (within_q | ~hold_q | offer_q)" if held else " & loaded_q"
        more.append(Let("loads", "offer_q & key_taken" if held else "key_valid_i & key_ready_o"))
    if held:
        ends = f"s_axis_tlast & ~{bus.bit('iv_word_i')}" if bus.any_iv else "s_axis_tlast"
        registers += [
            Reg(
                ("hold_q",), note="A key is offered: no message begins until it is offered to the core, where"
            ),
            Reg(("offer_q",), note="it is when nothing is in front of that."),
            Reg(("within_q",), note="A message has begun at s_axis."),
        ]
        steps += [
            Step("hold_q", "key_valid_i"),
            Step("offer_q", "hold_q & key_valid_i & ~loads & (offer_q | front_idle)"),
            Step("within_q", f"~zeroising & (take ? ~({ends}) : within_q)"),
        ]
        more += [
            Wire(("key_taken",)),
            Let("take", "s_axis_tvalid & s_axis_tready"),
            Drive("key_ready_o", "loads"),
        ]
    names = [name for r in registers for name in r.names]
    return (
        *registers,
        *more,
        Let("open", open_),
        Clocked(tuple(steps), tuple((name, "1'b0") for name in names)),
    )


def _beats(group: Group, bits: int) -> Group:
    """A group of ports with beats of `bits`, and without what only the module around it needs."""
    widths = {"tdata": bits, "tkeep": bits // 8}
    if isinstance(group, Held):
        return Held(tuple(p for p in group.pins if p.name != "zeroising_o"))
    if not isinstance(group, Stream) or group.valid not in ("s_axis_tvalid", "m_axis_tvalid"):
        return group
    return replace(
        group, payload=tuple(_pin(p, widths.get(p.name.split("_axis_")[-1], p.width)) for p in group.payload)
    )


def _pin(pin: Pin, width: int) -> Pin:
    """The port with so many bits; a tag may be several beats."""
    ends = "the beat ends a tag" if pin.meaning.startswith("1: a tag") else pin.meaning
    return replace(pin, width=width, meaning=ends)


def _wires(bus: MessageBus, name: str, tag: _Fields, first: _Fields) -> list[WrapperItem]:
    """What goes with a word between a converter and what is inside."""
    widths = {"data": bus.block_bits, "keep": bus.lanes}
    widths |= {"tag": sum(w for _, w in tag), "first": sum(w for _, w in first)}
    return [Wire((f"{name}_{n}",), w, vector=True) for n, w in widths.items() if w]


def _inner_links(words: Wrapper, tag: _Fields, first: _Fields, held: bool) -> dict[str, str]:
    """The ports of what is inside."""
    links = {p.name: p.name for p in words.pins} | {"zeroising_o": "zeroising"}
    if held:
        links |= {"key_valid_i": "offer_q", "key_ready_o": "key_taken", "busy_o": "words_busy"}
    for side, name in (("s", "given"), ("m", "left")):
        parts = ("valid", "ready", "data", "keep", "last")
        links |= {f"{side}_axis_t{n}": f"{name}_{n}" for n in parts}
    back = [(p.name, p.width) for p in words.pins if p.name in ("m_axis_tuser", "m_axis_tid")]
    return links | _places("given_tag", tag) | _places("given_first", first) | _places("left_tag", back)


def _places(word: str, fields: _Fields) -> dict[str, str]:
    """Where each of the fields is in `word`, which is a vector also where it has one bit."""
    return field_places(word, fields) if _bits(fields) > 1 else {n: f"{word}[0]" for n, _ in fields}


def _front_cell(front: Wrapper, tag: _Fields, first: _Fields, held: bool) -> Cell:
    """The instance of what is in front of the words. What is in it where no key is `held` belongs to no
    message yet: its unit or its key was announced, and then the core is busy, or is not there.
    """
    sides = {"in_{}_i": "s_axis_t{}", "out_{}_o": "given_{}"}
    links = _of_sides(sides) | {"out_ready_i": "given_ready"}
    for what, fields in (("tag", tag), ("first", first)):
        if fields:
            links |= {f"in_{what}_i": concatenated(n for n, _ in fields), f"out_{what}_o": f"given_{what}"}
    links |= {"in_valid_i": "s_axis_tvalid & open", "in_ready_o": "front_ready"}
    links |= {"idle_o": "front_idle"} if held else {}
    return Cell(front.name, "u_front", links)


def _back_cell(behind: Wrapper, back: _Fields) -> Cell:
    """The instance of what is behind them."""
    sides = {"in_{}_i": "left_{}", "out_{}_o": "m_axis_t{}"}
    links = _of_sides(sides) | {"in_ready_o": "left_ready", "out_ready_i": "m_axis_tready"}
    if back:
        links |= {"in_tag_i": "left_tag", "out_tag_o": concatenated(n for n, _ in back)}
    return Cell(behind.name, "u_back", links)


def _of_sides(sides: dict[str, str]) -> dict[str, str]:
    """Links of a converter to both of its sides, but for ready."""
    links = {"clk": "clk", "rst_i": "rst_i", "drop_i": "zeroising"}
    for port, value in sides.items():
        links |= {port.format(n): value.format(n) for n in ("valid", "data", "keep", "last")}
    return links
