"""Which slot of the pipeline is whose: the control of XTS, without any data.

A slot is a cycle. It belongs to a block of data, to a unit number that becomes a tweak, or to a block that
took stolen bytes in and goes through once more; or it is empty. A word that was taken is held until the word
behind it is there, or it is its unit's last: so the last whole word knows whether a short one follows. That
word's result gives its bytes to the short one's, and what is left of it goes through again.

Cycles are counted from e, in which a held word goes on. What a slot means is at the outputs `data_o` and so
on in cycle e + 1, with its block at the cipher in cycle e + 4, and with its result in cycle u = e + 4 + L,
where L is the cipher's latency. Lines of registers carry the meaning along: place k of a line is cycle e + 2
+ k.

*The stolen block.* It is whole in cycle u + 3 and goes on as if it were held in cycle u. That is known
before: ready_o is 0 in cycle u - 1, so no word comes then. Where the held word is a unit's last and goes on
in cycle u all the same, the stolen block goes in cycle u + 1, for the register of held words is empty then.

*Tweaks.* A number that was announced takes the first free slot. After the last word of a unit there is one:
ready_o is 0 for a cycle, or the word is short and needs none. A tweak waits in a memory of TWEAKS words, then
as the next one (`after`), then as that of the current unit (`now`), from which its last block takes it away.
Bits of an address count up; how many tweaks wait or are on their way is a row of ones. A number that waits
for its slot is not in it: `asked` tells of it, and lasts until the row has grown.

*Two pairs of keys.* A number says under which pair its unit goes. That waits in registers, at the
addresses of the tweaks, and moves on as they do: `pair_after`, then `pair_now`. In cycle e a block
takes it from there; a stolen block has it from a line, as its other meanings. How many units of each pair
were announced and have not ended is a row of ones.
"""

from __future__ import annotations

from ...rtl import (
    Clocked,
    ClockReset,
    Drive,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Wrapper,
    WrapperItem,
    declared_first,
)
from .timing import TWEAKS, XtsTiming

__all__ = ["ADDRESS", "PAIR", "PAIRS", "SLOTS", "turns"]


def address_bits(tweaks: int) -> int:
    """Bits of an address of a memory of so many tweaks."""
    return (tweaks - 1).bit_length()


ADDRESS = address_bits(TWEAKS)
"""Bits of an address of the memory of tweaks."""

SLOTS = ("data", "short", "steal", "again", "number")
"""What a slot may be: a block of data; the place of a short word, beside the cipher; a block of data whose
result gives bytes to the short word behind it; a stolen block; a unit number.
"""

_INPUTS = (
    Pin("valid_i", with_block=True, meaning="a word is offered"),
    Pin("open_i", meaning="words may be taken"),
    Pin("last_i", with_block=True, meaning="it is its unit's last"),
    Pin("full_i", with_block=True, meaning="it has all bytes"),
    Pin("announce_i", meaning="a unit number is taken"),
    Pin("drop_i", meaning="everything is forgotten"),
)


PAIR = Pin("pair_i", meaning="the pair of keys of the unit whose number is taken")
"""What is announced with a number, where two pairs of keys are resident."""

PAIRS = (
    Pin("own_pair_o", out=True, meaning="the pair of keys of the slot's block or number"),
    Pin("again_pair_o", out=True, meaning="the same of its stolen block"),
    Pin("used_o", 2, True, meaning="for each pair, whether a unit under it was announced and has not ended"),
)
"""What the control tells besides, where two pairs of keys are resident."""


def _outputs(address: int) -> tuple[Pin, ...]:
    return (
        Pin("ready_o", out=True, meaning="a word can be taken"),
        Pin("room_o", out=True, meaning="a unit number can be taken"),
        Pin("pending_o", out=True, meaning="a unit was announced whose last word was not taken"),
        Pin(
            "word_o",
            out=True,
            meaning="the word that was taken the cycle before is held from the next on; or drop",
        ),
        *(Pin(f"{name}_o", out=True, meaning="the slot's meaning") for name in SLOTS),
        Pin("step_o", out=True, meaning="the current tweak moves on"),
        Pin("load_o", out=True, meaning="it becomes that of the next unit"),
        Pin("next_o", out=True, meaning="the next unit's tweak is read from the memory"),
        Pin("read_o", address, True, meaning="at this address"),
        Pin("push_o", out=True, meaning="a tweak leaves the cipher; or drop"),
        Pin("stolen_o", out=True, meaning="a result of which bytes are stolen leaves the cipher; or drop"),
        Pin("valid_o", out=True, meaning="a result leaves the core"),
        Pin("last_o", out=True, meaning="its position is the unit's last"),
        Pin("late_o", out=True, meaning="it took stolen bytes in"),
    )


def turns(name: str, timing: XtsTiming, tweaks: int = TWEAKS, pairs: int = 1) -> Wrapper:
    """The control as the module `name`, with a memory of `tweaks` tweaks, a power of two. timing: of the
    core; pairs: resident pairs of keys, 1 or 2.
    """
    told = (PAIR, *PAIRS) if pairs > 1 else ()
    return Wrapper(
        name,
        (
            "Whose slot of the pipeline is whose: blocks, unit numbers, and stolen blocks that go "
            "through again.",
        ),
        (ClockReset(), Held((*_INPUTS, *_outputs(address_bits(tweaks)), *told))),
        declared_first(
            (
                *_lines(timing.cipher),
                *_words(),
                *_tweaks(tweaks),
                *(_pairs(timing.cipher, tweaks) if pairs > 1 else ()),
            )
        ),
    )


def _words() -> tuple[WrapperItem, ...]:
    """The word that was taken and the one that is held, and whose slot comes next."""
    cleared = (
        "word_1",
        "taken_q",
        "ended_1",
        "held",
        "whole",
        "leaves",
        "ends",
        "short_1",
        "again_x",
        *(f"{n}_q" for n in SLOTS),
        "asked",
    )
    steps = (
        Step("start_q", "drop_i | (accept ? last_i : start_q)"),
        Step("word_1", "accept & ~drop_i"),
        Step("taken_q", "accept | drop_i"),
        Step("ended_1", "accept & last_i & ~drop_i"),
        Step("held", "~drop_i & (word_1 | (held & ~leaves))"),
        Step("whole", "~drop_i & (word_1 ? ~short_1 : whole & ~leaves)"),
        Step("leaves", "~drop_i & word_1 & last_1"),
        Step("ends", "~drop_i & word_1 & last_1 & ~short_1"),
        Step("short_1", "~drop_i & accept & last_i & ~full_i & ~start_q"),
        Step("data_q", "goes"),
        Step("short_q", "held & held_short"),
        Step("steal_q", "short_1"),
        Step("again_x", "again_0 & leaves"),
        Step("again_q", "again_now"),
        Step("asked", "~drop_i & (announce_i | (asked & ~number_q))"),
        Step("number_q", "asked & ~number_q & ~goes & ~again_now"),
    )
    return (
        Note("A word, and the one before it, which is held."),
        Reg(("start_q", "word_1", "taken_q", "last_1")),
        Reg(("short_1",), note="It is short: a whole one of its unit is held, and gives bytes to it."),
        Reg(("ended_1", "held", "held_short")),
        Reg(("whole",), note="A word is held that is not short."),
        Reg(("leaves", "ends"), note="A unit's last word is held, and goes on; it is not short."),
        Reg(tuple(f"{n}_q" for n in SLOTS)),
        Reg(("again_x", "asked", "last_q")),
        Reg(("ended",), note="A unit's last word was taken in one of the last two cycles."),
        Let("accept", "valid_i & open_i & ready_q"),
        Let("goes", "(whole & word_1) | ends"),
        Let("again_now", "(again_0 & ~leaves) | again_x"),
        Clocked(steps, (("start_q", "1'b1"), *((n, "1'b0") for n in cleared))),
        Clocked(
            (
                Step("last_1", "last_i"),
                Step("held_short", "short_1", "word_1"),
                Step("last_q", "uses"),
            ),
            tuple((n, "1'b0") for n in ("last_1", "held_short")),
        ),
        Clocked((Step("ended", "(accept & last_i & ~drop_i) | (ended_1 & ~short_1)"),), (("ended", "1'b0"),)),
        Drive("word_o", "taken_q"),
        *(Drive(f"{n}_o", f"{n}_q") for n in SLOTS),
    )


def _tweaks(tweaks: int) -> tuple[WrapperItem, ...]:
    """How many tweaks there are, and when they move."""
    top, address = tweaks - 1, address_bits(tweaks)
    moved = (
        Step("pop_q", "~drop_i & more & (load | ~after)"),
        Step("way", _moved("way", "number_q", "pop_q", top)),
        Step("full", _moved("full", "push_q", "pop_q", top)),
        Step("now", "~drop_i & (after | (now & ~uses))"),
        Step("after", "~drop_i & (more | (after & ~load))"),
        Step("write_q", f"write_q + {address}'d1", "made_q"),
        Step("read_q", "settle_q ? write_q : read_next", "pop_q | settle_q"),
        Step("read_next", f"read_q + {address}'d1"),
        Step("stop_q", "stop | drop_i"),
        Step("ready_q", "~stop_q & there & ~(accept & last_i & (full_i | start_q | ~both))"),
        Step("drop_q", "drop_i"),
        Step("settle_q", "drop_i | drop_q"),
        Step("pending_q", "asked | way[0] | after | now"),
        Step("room_q", f"~announce_i & (number_q ? ~way[{top - 1}] : ~asked & ~way[{top}])"),
    )
    cleared = ("pop_q", "now", "after", "stop_q", "ready_q", "pending_q", "room_q", "drop_q", "settle_q")
    return (
        Note(
            "Tweaks whose number has had its slot, that wait in the memory, the next one and the current one."
        ),
        Note("While everything is forgotten, all of the memory is written. write_q counts what is written."),
        Reg(("way", "full"), tweaks),
        Reg(("drop_q",)),
        Reg(("settle_q",), note="Everything is forgotten, or was a cycle ago: read_q follows write_q."),
        Reg(("pop_q", "now", "after", "stop_q", "ready_q", "pending_q")),
        Reg(
            ("room_q",), note="A number can be taken: none waits for its slot, and the row does not fill up."
        ),
        Reg(("write_q", "read_q", "read_1"), address),
        Reg(("read_next",), address, note="Known when read_q takes it: not in the cycle behind a change."),
        Reg(("step_q", "load_q", "next_q")),
        Note(
            "A word after the next one is a unit's first where the next one is its last, and waits for "
            "a tweak."
        ),
        Let("there", "ended ? after : (now | after)"),
        Let("both", "now & after & ~ended"),
        Let("uses", "ends | short_1"),
        Let("load", "uses | ~now"),
        Note(
            "A tweak is taken from the memory in every other cycle at most, so the row may follow a "
            "cycle later."
        ),
        Let("more", "full[0] & ~pop_q"),
        Clocked(
            moved,
            (
                ("way", f"{tweaks}'d0"),
                ("full", f"{tweaks}'d0"),
                ("write_q", f"{address}'d0"),
                ("read_q", f"{address}'d0"),
                ("read_next", f"{address}'d0"),
                *((n, "1'b0") for n in cleared),
            ),
        ),
        Clocked(
            (
                Step("read_1", "read_q"),
                Step("step_q", "goes | load | drop_i"),
                Step("load_q", "load | drop_i"),
                Step("next_q", "load | ~after | drop_i"),
            )
        ),
        Drive("ready_o", "ready_q"),
        Drive("room_o", "room_q"),
        Drive("pending_o", "pending_q"),
        Drive("step_o", "step_q"),
        Drive("load_o", "load_q"),
        Drive("next_o", "next_q"),
        Drive("read_o", "read_1"),
    )


_UNDER_WAY = 4
"""Units that were announced and have not ended, beside those whose tweaks are on their way or in the memory:
one whose number waits for its slot, that of the next tweak, that of the current one, and one whose end is
known a cycle later.
"""


def _pairs(cipher: int, tweaks: int) -> tuple[WrapperItem, ...]:
    """Under which pair of keys every slot's block goes, and how many units each pair has."""
    address, value, units = address_bits(tweaks), cipher + 2, tweaks + _UNDER_WAY
    rows, steps, reset = list[WrapperItem](), list[Step](), list[tuple[str, str]]()
    for pair, of in enumerate(("~", "")):
        row = f"units_{pair}"
        rows.append(Reg((row,), units))
        steps.append(
            Step(row, _moved(row, f"(begun_q & {of}pair_asked)", f"(ended_q & {of}pair_ended)", units - 1))
        )
        reset.append((row, f"{units}'d0"))
    cleared = ("pair_asked", "pair_head", "pair_after", "pair_now", "pair_ended", "begun_q", "ended_q")
    reset += [("pairs", f"{tweaks}'d0"), ("pair_write", f"{address}'d0"), ("pair_read", f"{address}'d0")]
    return (
        Note("Under which pair of keys: by unit in the order of announcements, and of each slot."),
        Note("pair_read is a cycle ahead of read_q, so that a register is behind the choice."),
        Reg(("pairs",), tweaks),
        Reg(("pair_write", "pair_read"), address),
        Reg(cleared),
        Reg(("own_pair_q", "again_pair_q")),
        Reg(("pair_line",), value + 2),
        *rows,
        Clocked(
            (
                Step("own_pair_q", "goes ? pair_now : pair_asked"),
                Step("again_pair_q", f"again_x ? pair_line[{value + 1}] : pair_line[{value}]"),
                Step("pair_line", f"{{pair_line[{value}:0], own_pair_q}}"),
            )
        ),
        Clocked(
            (
                Step("pairs[pair_write]", "pair_i", "announce_i | drop_q"),
                Step("pair_asked", "pair_i", "announce_i | drop_q"),
                Step("pair_head", "pairs[pair_read]"),
                Step("pair_after", "pair_head", "load | ~after"),
                Step("pair_now", "pair_after", "load"),
                Step("pair_ended", "pair_now"),
                *(
                    Step(f"pair_{n}", f"drop_q ? write_q + {address}'d1 : pair_{n} + {address}'d1", moves)
                    for n, moves in (
                        ("write", "announce_i | drop_q"),
                        ("read", "(more & (load | ~after)) | drop_q"),
                    )
                ),
                Step("begun_q", "announce_i & ~drop_i"),
                Step("ended_q", "uses & ~drop_i"),
                *steps,
            ),
            (*((q, "1'b0") for q in cleared), *reset),
        ),
        Drive("own_pair_o", "own_pair_q"),
        Drive("again_pair_o", "again_pair_q"),
        Drive("used_o", "{units_1[0], units_0[0]}"),
    )


def _moved(row: str, more: str, fewer: str, top: int) -> str:
    """A row of ones that grows with `more` and shrinks with `fewer`."""
    grown, shrunk = f"{{{row}[{top - 1}:0], 1'b1}}", f"{{1'b0, {row}[{top}:1]}}"
    return f"drop_i ? {top + 1}'d0 : ({more} & ~{fewer}) ? {grown} : ({fewer} & ~{more}) ? {shrunk} : {row}"


def _lines(cipher: int) -> tuple[WrapperItem, ...]:
    """What slots mean while their values are computed."""
    value = cipher + 2  # the place in cycle u
    places = {
        "steal": value + 1,
        "number": value + 1,
        "shown": value + 3,
        "last": value + 3,
        "late": value + 3,
    }
    given = {
        "steal": "steal_q & ~drop_q",
        "number": "number_q & ~drop_q",
        "shown": "(data_q | again_q) & ~drop_q",
        "last": "data_q & last_q",
        "late": "again_q",
    }
    steps = {n: Step(f"{n}_line", f"{{{n}_line[{k - 2}:0], {given[n]}}}") for n, k in places.items()}
    control = ("steal", "number", "shown")
    return (
        Note("What slots mean, while their values are computed."),
        *(Reg((f"{n}_line",), k) for n, k in places.items()),
        Note(
            "What enables the registers of all data is a register itself, and 1 while everything is "
            "forgotten."
        ),
        Reg(("push_q", "made_q", "stolen_q")),
        Let("stop", f"steal_line[{value - 3}]"),
        Let("again_0", f"steal_line[{value}]"),
        Clocked(
            (*(steps[n] for n in control), Step("push_q", f"number_line[{value}]")),
            (*((f"{n}_line", f"{places[n]}'d0") for n in control), ("push_q", "1'b0")),
            gated=True,
        ),
        Clocked(
            (
                Step("made_q", f"number_line[{value - 1}] | drop_i"),
                Step("stolen_q", f"steal_line[{value - 1}] | drop_i"),
            ),
            (("made_q", "1'b0"), ("stolen_q", "1'b0")),
        ),
        Clocked(tuple(steps[n] for n in places if n not in control)),
        Drive("push_o", "made_q"),
        Drive("stolen_o", "stolen_q"),
        *(
            Drive(f"{o}_o", f"{n}_line[{value + 2}]")
            for o, n in (("valid", "shown"), ("last", "last"), ("late", "late"))
        ),
    )
