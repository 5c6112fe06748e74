"""Words of one width from words of another: a register that gathers units, and one that hands them on.

A word is a number of units. Unit 0 is in the lowest bits. `last` marks the last unit of a packet, and `count`
is the index of its last byte; a word may end before its last unit. Every unit of a word has the same tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rtl import Cell, Clocked, ClockReset, Drive, Held, Let, Pin, Reg, Step, Stream, Wrapper, WrapperItem

__all__ = ["Converter", "Side", "gather", "scatter"]


@dataclass(frozen=True)
class Side:
    """One side of a converter: bits of data, bits of the index of the last byte (`count`; 0: it is not
    known), and bits of the tag (0: there is none). `steers`: a control output depends on the tag, so reset
    clears it.
    """

    data: int
    count: int
    tag: int
    steers: bool = False

    def pins(self, prefix: str, out: bool) -> tuple[Pin, ...]:
        """Ports of the payload, named PREFIX_data and so on after `prefix`, outputs where `out` is true;
        those with 0 bits are missing.
        """
        end = "o" if out else "i"
        widths = {"data": self.data, "last": 1, "count": self.count, "tag": self.tag}
        return tuple(Pin(f"{prefix}_{name}_{end}", width, out) for name, width in widths.items() if width)


@dataclass(frozen=True)
class Converter:
    """A converter's module and both of its sides: what it takes (`before`) and what it gives (`after`).
    `drops`: it has drop_i, which clears it. `gated`: it has open_i, without which it begins no word, and
    idle_o.
    """

    module: Wrapper
    before: Side
    after: Side
    drops: bool
    gated: bool

    def cell(self, name: str, links: dict[str, str]) -> Cell:
        """An instance called `name`, with clock and reset and the other ports linked as `links` says."""
        return Cell(self.module.name, name, {"clk": "clk", "rst_i": "rst_i", **links})


def _ports(before: Side, after: Side, drops: bool, gated: bool) -> tuple[ClockReset | Held | Stream, ...]:
    control = ([Pin("drop_i")] if drops else []) + ([Pin("open_i"), Pin("idle_o", out=True)] if gated else [])
    return (
        ClockReset(),
        *([Held(tuple(control))] if control else []),
        Stream("in_valid_i", before.pins("in", False), "in_ready_o"),
        Stream("out_valid_o", after.pins("out", True), "out_ready_i", out=True),
    )


def _kept(name: str, width: int, value: str, enable: str, drops: bool) -> Step:
    """A register of the payload, which drop_i clears."""
    if not drops:
        return Step(name, value, enable)
    return Step(name, f"drop_i ? {width}'d0 : ({enable}) ? {value} : {name}")


def _dropped(value: str, drops: bool) -> str:
    return f"~drop_i & ({value})" if drops else value


def gather(
    name: str, unit: Side, ratio: int, after: Side, drops: bool, gated: bool, pauses: bool = False
) -> Converter:
    """The module `name`: a register that takes `ratio` units of `unit.data` bits and gives a word of them,
    whose payload is `after`, or fewer where a packet ends; the units that are missing are zeros. A unit a
    cycle is sustained. `after.count` has the number of the last unit above the unit's own count. `drops`,
    `gated`: as `Converter` has them. `pauses`: it takes nothing in the cycle in which its word is taken, so
    that no register waits for who takes it; a word in two cycles is sustained.
    """
    place_bits = (ratio - 1).bit_length()
    several = ratio > 1
    items: list[WrapperItem] = [Reg(("full_q",))]
    steps: list[Step] = []
    begin, complete = "", "1'b1"
    if several:
        items.append(Reg(("place_q",), place_bits, "The unit that comes next."))
        begin, complete = f"(place_q == {place_bits}'d0)", "complete"
        items.append(Let("complete", f"in_last_i | place_q == {place_bits}'d{ratio - 1}"))
    items.append(Reg(("data_q",), after.data))
    items.append(Reg(("last_q",)))
    may = "~full_q" if pauses else "(~full_q | out_ready_i)"
    if gated:
        may += f" & (open_i | ~{begin})" if several else " & open_i"
    items += [Let("ready", may), Let("take", "in_valid_i & ready")]
    steps.append(Step("full_q", _dropped(f"take ? {complete} : full_q & ~out_ready_i", drops)))
    if several:
        following = f"complete ? {place_bits}'d0 : place_q + {place_bits}'d1"
        steps.append(Step("place_q", _kept_value(f"take ? ({following}) : place_q", place_bits, drops)))
    for k in range(ratio):
        steps.append(_unit(k, unit.data, place_bits, begin, several, drops))
    steps.append(_kept("last_q", 1, "in_last_i", "take", drops))
    drives: list[WrapperItem] = [
        Drive("in_ready_o", "ready"),
        Drive("out_valid_o", "full_q"),
        Drive("out_data_o", "data_q"),
        Drive("out_last_o", "last_q"),
    ]
    for what, width, value in (
        ("count", after.count, _count(unit.count, place_bits if after.count > unit.count else 0)),
        ("tag", after.tag, "in_tag_i"),
    ):
        if width:
            items.append(Reg((f"{what}_q",), width))
            steps.append(_kept(f"{what}_q", width, value, "take", drops))
            drives.append(Drive(f"out_{what}_o", f"{what}_q"))
    if gated:
        drives.append(Drive("idle_o", "~full_q" + (f" & {begin}" if several else "")))
    cleared = [("full_q", "1'b0"), *([("place_q", f"{place_bits}'d0")] if several else [])]
    cleared += [("last_q", "1'b0"), *([("tag_q", f"{after.tag}'d0")] if after.steers else [])]
    many = f"{ratio} units of {unit.data} bits make a word" if several else "a register for a word"
    then = "the next one comes in when it is empty" if pauses else "it is taken while the next one comes in"
    module = Wrapper(
        name,
        (f"{many[:1].upper()}{many[1:]}; {then}.",),
        _ports(unit, after, drops, gated),
        (*items, *drives, *_clocked(steps, cleared)),
    )
    return Converter(module, unit, after, drops, gated)


def _clocked(steps: Sequence[Step], cleared: Sequence[tuple[str, str]]) -> tuple[Clocked, Clocked]:
    """Registers that reset clears, and the payload."""
    control = tuple(s for s in steps if s.target in dict(cleared))
    payload = tuple(s for s in steps if s.target not in dict(cleared))
    return Clocked(control, tuple(cleared)), Clocked(payload)


def _kept_value(value: str, width: int, drops: bool) -> str:
    return f"drop_i ? {width}'d0 : {value}" if drops else value


def _count(bits: int, place_bits: int) -> str:
    """The index of a word's last byte, with the number of the unit above the unit's own."""
    if not place_bits:
        return "in_count_i"
    return "{place_q, in_count_i}" if bits else "place_q"


def _unit(k: int, bits: int, place_bits: int, begin: str, several: bool, drops: bool) -> Step:
    """Unit k of a word: taken in its turn, and zero from the word's first unit on until then."""
    target = f"data_q[{(k + 1) * bits - 1}:{k * bits}]" if several else "data_q"
    value, enable = "in_data_i", "take"
    if several:
        enable = f"take & ({begin} | place_q == {place_bits}'d{k})" if k else f"take & {begin}"
        value = f"({begin} ? {bits}'d0 : in_data_i)" if k else value
    return _kept(target, bits, value, enable, drops)


def scatter(name: str, before: Side, unit: Side, ratio: int, drops: bool, gated: bool) -> Converter:
    """The module `name`: a register that takes a word, whose payload is `before`, and gives its `ratio` units
    of `unit.data` bits, one after the other, up to the one in which a packet ends. A unit a cycle is
    sustained. `before.count` has the number of the last unit above the unit's own count. `drops`, `gated`: as
    `Converter` has them.
    """
    place_bits = (ratio - 1).bit_length()
    end = f"{place_bits}'d{ratio - 1}"
    if before.count:
        low = before.count - place_bits
        high = f"in_count_i[{before.count - 1}:{low}]" if before.count > 1 else "in_count_i"
        end = f"in_last_i ? {high} : {place_bits}'d{ratio - 1}"
    ready = "(~full_q | (out_ready_i & at_end))" + (" & open_i" if gated else "")
    items: list[WrapperItem] = [
        Reg(("full_q",)),
        Reg(("left_q",), place_bits, "Units that follow the one that is offered."),
        Reg(("data_q",), before.data),
        Reg(("last_q",)),
        Let("at_end", f"left_q == {place_bits}'d0"),
        Let("ready", ready),
        Let("take", "in_valid_i & ready"),
        Let("step", "full_q & out_ready_i"),
    ]
    steps = [
        _kept(
            "data_q",
            before.data,
            f"(take ? in_data_i : {_shifted(before.data, unit.data)})",
            "(take | step)",
            drops,
        ),
        _kept("last_q", 1, "in_last_i", "take", drops),
    ]
    drives: list[WrapperItem] = [
        Drive("in_ready_o", "ready"),
        Drive("out_valid_o", "full_q"),
        Drive("out_data_o", f"data_q[{unit.data - 1}:0]"),
        Drive("out_last_o", "last_q & at_end"),
    ]
    if unit.count:
        items.append(Reg(("count_q",), unit.count))
        steps.append(
            _kept(
                "count_q",
                unit.count,
                f"in_count_i[{unit.count - 1}:0]" if before.count > 1 else "in_count_i",
                "take",
                drops,
            )
        )
        drives.append(
            Drive("out_count_o", f"last_q & at_end ? count_q : {unit.count}'d{(1 << unit.count) - 1}")
        )
    if unit.tag:
        items.append(Reg(("tag_q",), unit.tag))
        steps.append(_kept("tag_q", unit.tag, "in_tag_i", "take", drops))
        drives.append(Drive("out_tag_o", "tag_q"))
    if gated:
        drives.append(Drive("idle_o", "~full_q"))
    steps += [
        Step("full_q", _dropped("take | (full_q & ~(out_ready_i & at_end))", drops)),
        _kept("left_q", place_bits, f"(take ? ({end}) : left_q - {place_bits}'d1)", "(take | step)", drops),
    ]
    cleared = [("full_q", "1'b0"), ("left_q", f"{place_bits}'d0")]
    cleared += [("last_q", "1'b0"), *([("tag_q", f"{unit.tag}'d0")] if unit.steers else [])]
    module = Wrapper(
        name,
        (f"A word is given as {ratio} units of {unit.data} bits, fewer where a packet ends.",),
        _ports(before, unit, drops, gated),
        (*items, *drives, *_clocked(steps, cleared)),
    )
    return Converter(module, before, unit, drops, gated)


def _shifted(word: int, unit: int) -> str:
    return f"{{{unit}'d0, data_q[{word - 1}:{unit}]}}"
