"""Consecutive unit numbers, counted by the core: one announcement is for a run of units.

An announcement has the first unit's number and how many units follow with the next numbers. The number is
kept as an integer, with byte 0 of the standard in the lowest bits (IEEE 1619, section 5.1), beside the
complement of how many follow. Both count up at the same times; the complement is all ones at the last unit of
a run.

A sum of 128 bits is not made in one cycle. Which bits the next step turns is found in five cycles, one lookup
table each: groups of four ones, groups of sixteen, the carry into each sixteen, the carry into each four, and
the bits that turn. So a run has a number at most every PACE cycles. A unit of n words takes n + 1 cycles, so
units of PACE - 1 words and more go on without a pause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...rtl import Clocked, ClockReset, Drive, Held, Let, Note, Pin, Reg, Step, Wrapper, WrapperItem
from ...rtl import declared_first as ordered
from ..buses import bytes_reversed
from ..copies import copies, pieces
from .ports import MORE, NUMBER

__all__ = ["PACE", "numbers"]

PACE = 7
"""Cycles from a number of a run to the next one, at least."""

_SETTLED = 5
"""Cycles after a step of the numbers until the bits that the next one turns are known, less one."""

_GROUP = 16
"""Bits whose ones are told by one register: four of four bits."""

_HALF = 4
"""Groups of sixteen over which a carry is found at once."""

_PINS = (
    Pin("start_i", meaning="an announcement is taken"),
    NUMBER,
    MORE,
    Pin("taken_i", meaning="the number at number_o is taken"),
    Pin("drop_i", meaning="everything is forgotten"),
    Pin("free_o", out=True, meaning="an announcement can be taken"),
    Pin("valid_o", out=True, meaning="a number is there"),
    Pin("number_o", 128, True, meaning="the number, as at unit_i"),
)


def numbers(name: str) -> Wrapper:
    """The module `name`: from announcements of runs to the numbers of single units."""
    return Wrapper(
        name,
        (
            "The numbers of a run of units, one after the other.",
            "number_o is read in the cycle in which taken_i is 1; the next number comes some cycles later.",
        ),
        (ClockReset(), Held(_PINS)),
        ordered((*_control(), *_value(), *_turning("number", 128), *_turning("rest", MORE.width))),
    )


def _control() -> tuple[WrapperItem, ...]:
    """When a number is there, and when both counts take a step."""
    return (
        Note("A run, a number that is there, and one that was taken and is not yet followed by the next."),
        Reg(("active", "fresh", "valid_q", "owed", "last_q")),
        Reg(("settled",), _SETTLED),
        Let("ready", f"owed & settled[{_SETTLED - 1}]"),
        Let("steps", "ready & ~last_q"),
        Clocked(
            (
                Step("active", "~drop_i & (start_i | (active & ~(ready & last_q)))"),
                Step("fresh", "~drop_i & (start_i | steps)"),
                Step("valid_q", "~drop_i & (fresh | (valid_q & ~taken_i))"),
                Step("owed", "~drop_i & (taken_i | (owed & ~ready))"),
                Step(
                    "settled",
                    f"(start_i | steps | drop_i) ? {_SETTLED}'d0 : {{settled[{_SETTLED - 2}:0], 1'b1}}",
                ),
                Step("last_q", f"&rest_ones_{_GROUP}"),
            ),
            (
                *((n, "1'b0") for n in ("active", "fresh", "valid_q", "owed", "last_q")),
                ("settled", f"{_SETTLED}'d0"),
            ),
        ),
        Drive("free_o", "~active"),
        Drive("valid_o", "valid_q"),
    )


def _value() -> tuple[WrapperItem, ...]:
    """Both counts: each is loaded, or turns some of its bits."""
    width = MORE.width
    return (
        Note("The number of the next unit, and the complement of how many follow it."),
        Reg(("unit_q", "number"), 128),
        Reg(("more_q", "rest"), width),
        Reg(("load_rest", "move_rest")),
        *copies("load", "start_i | drop_i"),
        *copies("move", "start_i | drop_i | steps"),
        Clocked(
            (
                Step("unit_q", bytes_reversed("unit_i", 128)),
                *(
                    Step(f"number[{high}:{low}]", _loaded("load", k, f"[{high}:{low}]"), f"move[{k}]")
                    for k, (low, high) in enumerate(pieces())
                ),
            )
        ),
        Clocked(
            (
                Step("more_q", "unit_more_i"),
                Step("load_rest", "start_i | drop_i"),
                Step("move_rest", "start_i | drop_i | steps"),
                Step("rest", "load_rest ? ~more_q : rest ^ rest_turns", "move_rest"),
            ),
            (
                ("more_q", f"{width}'d0"),
                ("load_rest", "1'b0"),
                ("move_rest", "1'b0"),
                ("rest", f"{width}'d0"),
            ),
        ),
        Drive("number_o", bytes_reversed("number", 128)),
    )


def _loaded(load: str, piece: int, bits: str) -> str:
    """What a piece of the number takes: what is announced, or itself with the next step's bits turned."""
    return f"{load}[{piece}] ? unit_q{bits} : number{bits} ^ number_turns{bits}"


@dataclass(frozen=True)
class _Row:
    """A register `name` with one bit for each of some places of a count; other places are constants.

    values: place -> what its bit takes.
    """

    name: str
    values: Mapping[int, str]

    def at(self, place: int) -> list[str]:
        """The bit of a place as a factor of a product: none where the place is constantly one."""
        return [f"{self.name}[{list(self.values).index(place)}]"] if place in self.values else []

    def span(self, low: int, high: int) -> str:
        """The bits of the places `low` to `high` - 1."""
        order = list(self.values)
        first, last = order.index(low), order.index(high - 1)
        return f"{self.name}[{first}]" if first == last else f"(&{self.name}[{last}:{first}])"

    @property
    def steps(self) -> list[Step]:
        """What its bits take."""
        return [Step(f"{self.name}[{k}]", value) for k, value in enumerate(self.values.values())]


def _rows(count: str, width: int) -> list[_Row]:
    """The registers, in their order, between the register `count` and the bits that its next step turns. Of
    `rest` the highest group of ones is told as well, since a run ends where all bits are ones.
    """
    fours, sixteens = range(width // 4), range(width // _GROUP)
    most = None if count == "rest" else -1
    ones_4 = _Row(f"{count}_ones_4", {k: f"&{count}[{4 * k + 3}:{4 * k}]" for k in fours[:most]})
    ones_16 = _Row(f"{count}_ones_{_GROUP}", {k: ones_4.span(4 * k, 4 * k + 4) for k in sixteens[:most]})
    below = _Row(f"{count}_below", {k: ones_4.span(k - k % 4, k) for k in fours if k % 4})
    held = _Row(f"{count}_below_1", {k: below.at(k)[0] for k in below.values})
    into_16 = _Row(f"{count}_into_16", {k: ones_16.span(k - k % _HALF, k) for k in sixteens if k % _HALF})
    low = _Row(f"{count}_low", {0: ones_16.span(0, _HALF)} if len(sixteens) > _HALF else {})
    carries = {
        k: " & ".join((*held.at(k), *into_16.at(k // 4), *(low.at(0) if k // 4 >= _HALF else ())))
        for k in fours[1:]
    }
    into_4 = _Row(f"{count}_into_4", carries)
    turns = {
        k: " & ".join((*into_4.at(k // 4), *([f"(&{count}[{k - 1}:{k - k % 4}])"] if k % 4 else ())))
        for k in range(1, width)
    }
    return [
        ones_4,
        ones_16,
        below,
        held,
        into_16,
        *([low] if low.values else []),
        into_4,
        _Row(f"{count}_up", turns),
    ]


def _turning(count: str, width: int) -> tuple[WrapperItem, ...]:
    """`count_turns`: the bits of the register `count` that its next step turns, five cycles after the last.
    Those of `rest` say when a run ends, so they have a reset.
    """
    rows = _rows(count, width)
    reset = tuple((r.name, f"{len(r.values)}'d0") for r in rows) if count == "rest" else ()
    return (
        Note(f"The bits that the next step turns in {count}; bit 0 always."),
        *(Reg((r.name,), len(r.values), vector=True) for r in rows),
        Clocked(tuple(s for r in rows for s in r.steps), reset),
        Let(f"{count}_turns", f"{{{count}_up, 1'b1}}", width),
    )
