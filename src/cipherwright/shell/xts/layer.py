"""The data of XTS (IEEE 1619) around a pipeline of any cipher with blocks of 128 bits: words, tweaks, and the
block that takes stolen bytes in. `turns.py` says whose slot is whose, and counts its cycles from e.

A tweak is a number here: bit k is the coefficient of alpha^k, so byte 0 of the standard is in the lowest
bits. A word has byte 0 in its highest bits, as at the ports.

A block's tweak waits beside the cipher until its result is there. In the slot behind that of a block whose
result gives bytes away, the short word waits in the tweak's place.
"""

from __future__ import annotations

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
    Pin,
    Reg,
    Step,
    Store,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    concatenated,
    declared_first,
    each_byte,
)
from ..buses import bytes_reversed
from ..copies import copies, loads, spread
from ..difference import difference
from ..slot_control import loaded_by_slot, taken_by_slot
from .ports import NUMBER, OFFERED, PENDING, RESULTS, UNIT_SLOT, XtsOptions, number_group, word_pins
from .timing import KEEP, TWEAKS
from .travel import KEY_WAITS, PIECE, keys_of_units
from .turns import ADDRESS, PAIR, PAIRS, SLOTS

__all__ = ["xts_layer"]

COMPARED = 5
"""Registers from a key to what tells whether its halves differ."""


def xts_layer(name: str, parts: tuple[str, str], options: XtsOptions) -> Wrapper:
    """The module `name`: the mode around the modules `parts`, a pipeline with the round keys of both halves
    of a key, and what waits beside it. options: what the core can do.
    """
    both, key_bits, slots = options.both, options.key_bits, options.slots
    return Wrapper(
        name,
        (
            "XTS, a block a cycle, and one cycle more for each unit.",
            "unit_i: the numbers of units, each before its unit's first word.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            *_key_ports(options),
            number_group(options),
            Stream("valid_i", (*word_pins(both), Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((*RESULTS, PENDING)),
        ),
        declared_first(
            (
                *(() if options.travels else key_seen(key_bits, options.distinct, slots)),
                *(() if options.travels else _complete(key_bits, slots)),
                *_turns(f"{name}_turns", options),
                *(_numbers(f"{name}_numbers", options) if options.counted else (_ANNOUNCE,)),
                *_words(both, "numbered" if options.counted else NUMBER.name),
                *_tweaks(),
                *_cipher_input(parts[0], options),
                *_beside(parts[1], options),
                *_stolen(both),
                *_results(),
                *(keys_of_units(options) if options.travels else ()),
            )
        ),
        None
        if options.travels
        else (
            "UNUSEDSIGNAL",
            "fill_i is of the control's protocol, and this mode fills its registers by itself.",
        ),
    )


_FILL = Pin("fill_i", meaning="nothing needs it")

_ONE_KEY = (
    Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), _FILL, Pin("inside_o", out=True))),
    Held((OFFERED,)),
)
"""What the control of one key gives and takes."""

_TWO_KEYS = (
    Held((Pin("open_i", 2), Pin("stop_i"), Pin("drop_i"), Pin("wipe_i"), _FILL, Pin("used_o", 2, True))),
)
"""What the control of two keys gives and takes."""


_NO_KEY = (Held((Pin("stop_i"), Pin("drop_i"))),)
"""What the control gives where keys come with unit numbers."""


def _key_ports(options: XtsOptions) -> tuple[Group, ...]:
    """The ports of keys and of their control."""
    if options.travels:
        return _NO_KEY
    beside = loaded_by_slot(options.slots)
    load = Handshake("key_valid_i", Pin("key_i", options.key_bits), "key_ready_o", beside=beside)
    return (load, *(_ONE_KEY if options.slots == 1 else _TWO_KEYS))


def key_seen(key_bits: int, distinct: bool, slots: int) -> tuple[WrapperItem, ...]:
    """Whether a key of `key_bits` bits, both halves, was taken, and whether its halves differ where that is
    asked for (`distinct`). slots: of keys; the control of two of them tells itself which was taken.
    """
    if not distinct and slots > 1:
        return ()
    if not distinct:
        return (
            Reg(("keyed",)),
            Clocked((Step("keyed", "~drop_i & (keyed | key_valid_i)"),), (("keyed", "1'b0"),)),
        )
    half = key_bits // 2
    differs = f"key_i[{key_bits - 1}:{half}] ^ key_i[{half - 1}:0]"
    widths, steps, source = difference("differs", differs, half, COMPARED)
    known = f"compare[{COMPARED - 1}] & (|{source})"
    taken = ["key_valid_i"] if slots == 1 else ["key_valid_i & ~load_slot_i", "key_valid_i & load_slot_i"]
    of_slot = [""] if slots == 1 else [" & ~compared_slot", " & compared_slot"]
    keyed = ["keyed"] if slots == 1 else ["keyed[0]", "keyed[1]"]
    return (
        Note("Whether the halves of the key differ; until that is known, no unit is taken."),
        Reg(("keyed",), slots),
        *([Reg(("compared_slot",))] if slots > 1 else []),
        Reg(("compare",), COMPARED),
        *(Reg((name,), width, vector=True) for name, width in widths.items()),
        Clocked(steps, tuple((n, f"{w}'d0") for n, w in widths.items())),
        Clocked(
            (
                Step("compare", f"{{compare[{COMPARED - 2}:0], key_valid_i}}"),
                *(
                    Step(q, f"~drop_i & {_without(new)} & ({q} | ({known}{of}))")
                    for q, new, of in zip(keyed, taken, of_slot, strict=True)
                ),
                *([Step("compared_slot", "load_slot_i", "key_valid_i | drop_i")] if slots > 1 else []),
            ),
            (
                ("compare", f"{COMPARED}'d0"),
                ("keyed", f"{slots}'b0"),
                *([("compared_slot", "1'b0")] if slots > 1 else []),
            ),
        ),
    )


def _without(taken: str) -> str:
    """A key is not taken: the expression of that it is, inverted."""
    return f"~({taken})" if "&" in taken else f"~{taken}"


def _complete(key_bits: int, slots: int) -> tuple[WrapperItem, ...]:
    """Keys pass a register on the way to the key-expansion units, and so does their order to forget."""
    seen = "~key_valid_q" if slots == 1 else "~(|key_valid_q)"
    changes = f"~key_valid_i & {seen} & ~wipe_i & ~wipe_q"
    cleared = {"key_valid_q": slots, "wipe_q": 1, "complete_q": 1}
    return (
        Note("Keys pass a register. Until the units have seen one, the key before it is not complete."),
        Reg(("key_q",), key_bits),
        *([Reg(tuple(cleared))] if slots == 1 else [Reg((q,), width) for q, width in cleared.items()]),
        Wire(("expanded",)),
        Drive("key_ready_o", "complete_q"),
        Clocked((Step("key_q", "key_i"),)),
        Clocked(
            (
                Step("key_valid_q", "key_valid_i" if slots == 1 else taken_by_slot()),
                Step("wipe_q", "wipe_i"),
                Step("complete_q", f"expanded & {changes}"),
            ),
            tuple((q, f"{width}'b0") for q, width in cleared.items()),
        ),
    )


def _turns(name: str, options: XtsOptions) -> tuple[WrapperItem, ...]:
    """The control, and where unit numbers come from. With numbers that are counted a run of units is pending
    until the last of them has its number.
    """
    counted, slots = options.counted, options.slots
    pending = "pending_0 | ~free" if counted else "pending_0"
    outputs = ("ready", "room", "pending", "word", *SLOTS, "step", "load", "next", "push", "stolen", "valid")
    links = {f"{n}_o": f"{n}_0" for n in outputs} | {
        "read_o": "read_at",
        "last_o": "last_o",
        "late_o": "late_o",
    }
    return (
        Wire(tuple(f"{n}_0" for n in outputs)),
        Wire(("read_at",), ADDRESS),
        *_MAY[slots](options.distinct),
        Cell(
            name,
            "u_turns",
            {
                **{n: n for n in ("clk", "rst_i", "valid_i")},
                "open_i": ("may_q", "open_i", "words_q")[slots],
                **{n: n for n in ("last_i", "drop_i")},
                "full_i": "keep_i[0]",
                "announce_i": "announce",
                **links,
                **({p.name: _PAIR_LINKS[p.name] for p in (PAIR, *PAIRS)} if slots > 1 else {}),
            },
        ),
        Drive("unit_ready_o", "free & may_q" if counted else "room_0 & may_q"),
        Drive("ready_o", ("ready_0 & may_q", "ready_0", "ready_0 & words_q")[slots]),
        Drive("valid_o", "valid_0"),
        Drive("pending_o", pending),
        *([Drive("inside_o", pending)] if slots == 1 else []),
    )


_PAIR_LINKS = {"pair_i": "slot_q", "own_pair_o": "own_slot", "again_pair_o": "again_slot", "used_o": "used_o"}
"""Ports of the control of turns, where two keys are resident -> what they are connected to."""


def _may_always(_: bool) -> tuple[WrapperItem, ...]:
    """When numbers and words are taken where every number brings its key."""
    return (
        Reg(("may_q",), note="Nothing is being forgotten."),
        Clocked((Step("may_q", "~stop_i & ~drop_i"),), (("may_q", "1'b0"),)),
    )


def _may_one(_: bool) -> tuple[WrapperItem, ...]:
    """When a number is taken, with one key."""
    return (
        Reg(("may_q",), note="The key is complete, and no other is offered."),
        Clocked(
            (Step("may_q", f"keyed & complete_q & ~{OFFERED.name} & ~wipe_i & ~drop_i"),),
            (("may_q", "1'b0"),),
        ),
    )


def _may_two(distinct: bool) -> tuple[WrapperItem, ...]:
    """When a number is taken, with two keys: the slot of what is offered is read in the cycle before. open_i
    tells which slots have a complete key and none on offer.
    """
    slots = [f"{UNIT_SLOT.name} & open_i[1]", f"~{UNIT_SLOT.name} & open_i[0]"]
    if distinct:
        slots = [f"{term} & keyed[{1 - k}]" for k, term in enumerate(slots)]
    chosen = " | ".join(f"({term})" for term in slots)
    return (
        Note("The slot of the number on offer, and whether it has a key; and whether words are taken."),
        Wire(("own_slot", "again_slot")),
        Reg(("slot_q", "may_q", "words_q")),
        Clocked(
            (
                Step("slot_q", UNIT_SLOT.name),
                Step("may_q", f"unit_valid_i & ~announce & ({chosen}) & ~stop_i & ~drop_i"),
                Step("words_q", "~stop_i & ~drop_i"),
            ),
            (("slot_q", "1'b0"), ("may_q", "1'b0"), ("words_q", "1'b0")),
        ),
    )


_MAY = (_may_always, _may_one, _may_two)
"""When a number is taken, by how many keys are resident."""

_ANNOUNCE = Let("announce", "unit_valid_i & room_0 & may_q")
"""A unit number is announced as it comes."""


_RUN_GOES_ON = (
    Reg(("run_q",), note="The key is complete. A run goes on while another key is offered."),
    Clocked((Step("run_q", "keyed & complete_q & ~wipe_i & ~drop_i"),), (("run_q", "1'b0"),)),
)


def _numbers(name: str, options: XtsOptions) -> tuple[WrapperItem, ...]:
    """The numbers of a run of units are announced one after the other, and the run's key with each."""
    links = {n: n for n in ("clk", "rst_i", "unit_i", "unit_more_i", "drop_i")}
    links |= {"start_i": "start", "taken_i": "announce"}
    links |= {"free_o": "free", "valid_o": "numbered_valid", "number_o": "numbered"}
    return (
        Wire(("free", "numbered_valid")),
        Wire(("numbered",), 128),
        Let("start", "unit_valid_i & free & may_q"),
        *(() if options.travels else _RUN_GOES_ON),
        Let("announce", f"numbered_valid & room_0 & {'may_q' if options.travels else 'run_q'}"),
        Cell(name, "u_numbers", links),
    )


def _words(both: bool, number: str) -> tuple[WrapperItem, ...]:
    """Words and unit numbers as they are taken, and the word that is held. number: the wire of a number."""
    ways = ("way_1", "way_2", "way_held") if both else ()
    return (
        Note("Words and numbers as they come, the held word, and the number of the next tweak."),
        Reg(("block_1", "block_2", "block_held", "number_1", "number_2", "number"), 128),
        Reg(("keep_1", "keep_2"), KEEP),
        *([Reg(ways)] if both else []),
        Reg(("announced",)),
        *copies("hold", "word_0"),
        *copies("take_number", "announced"),
        Clocked((Step("announced", "announce | drop_i"),), (("announced", "1'b0"),)),
        Clocked(
            (
                Step("block_1", "block_i"),
                Step("block_2", "block_1"),
                Step("keep_1", "keep_i"),
                Step("keep_2", "keep_1"),
                Step("number_1", number),
                Step("number_2", "number_1"),
                *loads("block_held", "block_2", "hold"),
                *loads("number", "number_2", "take_number"),
                *(
                    [
                        Step("way_1", "decrypt_i"),
                        Step("way_2", "way_1"),
                        Step("way_held", "way_2", "hold[0]"),
                    ]
                    if both
                    else []
                ),
            )
        ),
    )


def _times_alpha(name: str) -> str:
    """alpha^128 is alpha^7 + alpha^2 + alpha + 1 (IEEE 1619, section 5.2)."""
    top = f"{name}[127]"
    return f"{{{name}[126:0], 1'b0}} ^ {{120'd0, {top}, 4'd0, {{3{{{top}}}}}}}"


def _over_alpha(name: str) -> str:
    """What times alpha gives the tweak `name`."""
    low = f"{name}[0]"
    return f"{{{low}, {name}[127:1]}} ^ {{121'd0, {low}, 4'd0, {{2{{{low}}}}}}}"


def _tweaks() -> tuple[WrapperItem, ...]:
    """Tweaks that wait in memories, the next one and the current one."""
    pieces = range(128 // PIECE)
    stores, steps, wires = list[WrapperItem](), list[Step](), list[WrapperItem]()
    for k in pieces:
        bits = f"[{PIECE * k + PIECE - 1}:{PIECE * k}]"
        stores.append(Store(f"tweaks_{k}", PIECE, TWEAKS, "distributed"))
        steps.append(Step(f"tweaks_{k}[write_{k}]", f"made{bits}", f"push[{k}]"))
    for bit in range(ADDRESS):
        wires += _address("read", f"read_at[{bit}]", bit)
    return (
        Note("Tweaks: made by the cipher, in the memory, the next unit's and the current block's."),
        Reg(("made", "after", "tweak"), 128),
        *stores,
        *wires,
        *(
            Let(
                f"read_{k}",
                concatenated(f"read_bit_{b}[{k}]" for b in range(ADDRESS)),
                ADDRESS,
            )
            for k in pieces
        ),
        *(Reg((f"write_{k}",), ADDRESS) for k in pieces),
        Note("Reset is in front of these copies, so that nothing is written in the cycle behind it."),
        *copies("push", "push_0 & ~rst_i", 64),
        *copies("step", "step_0"),
        *copies("load", "load_0"),
        *copies("next", "next_0"),
        Let("stored", concatenated(f"tweaks_{k}[read_{k}]" for k in pieces), 128),
        Let(
            "following", f"({spread('load')} & after) | (~{spread('load')} & ({_times_alpha('tweak')}))", 128
        ),
        Clocked((Step("made", bytes_reversed("stream", 128)), *steps)),
        Clocked(
            (*loads("after", "stored", "next"), *loads("tweak", "following", "step")),
        ),
        *(
            Clocked(
                (Step(f"write_{k}", f"write_{k} + {ADDRESS}'d1", f"push[{k}]"),),
                ((f"write_{k}", f"{ADDRESS}'d0"),),
            )
            for k in pieces
        ),
    )


def _address(name: str, value: str, bit: int) -> list[WrapperItem]:
    """Copies of a bit of an address, one for each memory."""
    return list(copies(f"{name}_bit_{bit}", value, 64))


def _cipher_input(cipher: str, options: XtsOptions) -> tuple[WrapperItem, ...]:
    """Blocks with their tweaks, unit numbers, and stolen blocks. With two keys the half of a key is chosen a
    cycle before its slot.
    """
    both, slots = options.both, options.slots
    held = {"key_valid_i": "key_valid_q", "key_i": "key_q", "key_ready_o": "expanded", "wipe_i": "wipe_q"}
    keys: dict[str, str] = (
        {"valid_i": "1'b1", "key_i": "key_q"},
        {**held, "second_i": "second_2"},
        {**held, "second_i": "number_0", "slot_i": "slot_2"},
    )[slots]
    choice = ((), ("second_2",), ("slot_2",))[slots]
    choices: tuple[Step, ...] = (
        (),
        (Step("second_2", "number_0"),),
        (Step("slot_2", "again_0 ? again_slot : own_slot"),),
    )[slots]
    right = f"({_times_alpha('tweak')})"
    chosen = f"({spread('turned_2')} & {right}) | (~{spread('turned_2')} & tweak)" if both else "tweak"
    return (
        Note("What goes into the cipher: a block with its tweak, a unit number, or a stolen block."),
        *copies("data_2", "data_0"),
        *copies("number_slot_2", "number_0"),
        *copies("short_3", "short_2"),
        *copies("again_3", "again_2"),
        *copies("again_4", "again_3_q"),
        *(copies("turned_2", "steal_0 & way_held") if both else ()),
        Reg(("block_a", "block_b", "whitened", "whitening", "input_q"), 128),
        Reg(("short_2", "again_2", "again_3_q", *choice)),
        *([Reg(("way_2a", "way_3", "way_4"))] if both else []),
        Let("own", chosen, 128),
        Wire(("stream",), 128),
        Wire(("stream_valid",), lint="a slot's meaning is known to the control."),
        Clocked((Step("short_2", "short_0"), Step("again_2", "again_0"), Step("again_3_q", "again_2"))),
        Clocked(
            (
                *choices,
                Step("block_a", "block_held"),
                Step("block_b", "block_a"),
                Step(
                    "whitened",
                    f"({spread('number_slot_2')} & number) | (~{spread('number_slot_2')} & block_a)",
                ),
                Step("whitening", f"{spread('data_2')} & own"),
                Step(
                    "input_q",
                    f"({spread('again_3')} & again_input) | (~{spread('again_3')} & (whitened ^ "
                    f"{bytes_reversed('whitening', 128)}))",
                ),
                *(
                    [
                        Step("way_2a", "way_held & data_0"),
                        Step("way_3", "way_2a"),
                        Step("way_4", "again_3[0] ? again_way_1 : way_3"),
                    ]
                    if both
                    else []
                ),
            )
        ),
        Cell(
            cipher,
            "u_cipher",
            {
                "clk": "clk",
                "rst_i": "rst_i",
                **keys,
                **({"decrypt_i": "way_4"} if both else {}),
                "block_i": "input_q",
                "valid_o": "stream_valid",
                "block_o": "stream",
            },
        ),
    )


def _beside(module: str, options: XtsOptions) -> tuple[WrapperItem, ...]:
    """What waits beside the cipher: tweaks and short words, the bytes of short words, directions, and keys
    of units.
    """
    both = options.both
    links = {
        "clk": "clk",
        "beside_i": "beside",
        "beside_late_o": "late_0",
        "keep_i": "keep_a",
        "keep_late_o": "keep_late_0",
    }
    ways = {"way_i": "way_2a", "way_late_o": "way_late"} if both else {}
    return (
        Note("What waits beside the cipher: a block's tweak or a short word; a short word's bytes."),
        Reg(("beside_a", "beside"), 128),
        Reg(("keep_a", "keep_late"), KEEP),
        Reg(("late",), 128),
        Wire(("late_0",), 128),
        Wire(("keep_late_0",), KEEP),
        *((Wire(("way_late",)), Let("way_back", "way_late")) if both else ()),
        Clocked(
            (
                Step(
                    "beside_a",
                    f"({spread('short_3')} & block_b) | "
                    f"(~{spread('short_3')} & {bytes_reversed('whitening', 128)})",
                ),
                Step(
                    "beside",
                    f"({spread('again_4')} & {bytes_reversed('again_tweak_2', 128)}) | "
                    f"(~{spread('again_4')} & beside_a)",
                ),
                Step("keep_a", f"keep_2 | {{{KEEP}{{~steal_0}}}}"),
                Step("late", "late_0"),
                Step("keep_late", "keep_late_0"),
            )
        ),
        Cell(module, "u_beside", {**links, **ways, **(KEY_WAITS if options.travels else {})}),
    )


def _stolen(both: bool) -> tuple[WrapperItem, ...]:
    """The block that takes stolen bytes in, with the unit's other tweak: encryption gives the short word's
    bytes and the next tweak, decryption the tweak before.
    """
    other = f"({_times_alpha('late_tweak')})"
    if both:
        back = f"({_over_alpha('late_tweak')})"
        other = f"({spread('back')} & {back}) | (~{spread('back')} & {other})"
    mask = each_byte("short_keep", KEEP)
    return (
        Note(
            "A stolen block: the short word, what is left of the result before, and the other of two tweaks."
        ),
        Reg(("late_1", "again_block", "again_tweak", "again_tweak_1", "again_tweak_2", "again_input"), 128),
        *([Reg(("again_way", "again_way_1"))] if both else []),
        *copies("cap", "stolen_0"),
        *(copies("back", "way_back") if both else ()),
        Let("short_keep", "keep_late", KEEP),
        Let("late_tweak", bytes_reversed("late_1", 128), 128),
        Let("other_tweak", other, 128),
        Let("filled_up", f"({mask} & late) | (~{mask} & result_0)", 128),
        Clocked(
            (
                Step("late_1", "late"),
                *loads("again_block", "filled_up", "cap"),
                *loads("again_tweak", "other_tweak", "cap"),
                Step("again_tweak_1", "again_tweak"),
                Step("again_tweak_2", "again_tweak_1"),
                Step("again_input", f"again_block ^ {bytes_reversed('again_tweak', 128)}"),
                *([Step("again_way", "back[0]", "cap[0]"), Step("again_way_1", "again_way")] if both else []),
            )
        ),
    )


def _results() -> tuple[WrapperItem, ...]:
    """Results: a block with its tweak; in the place of a block that gave bytes away, these bytes."""
    return (
        Note("Results."),
        Reg(("result_0", "result_1"), 128),
        Reg(("keep_q",), KEEP),
        Clocked(
            (
                Step("result_0", "stream ^ late"),
                Step("result_1", f"result_0 & {each_byte('keep_late', KEEP)}"),
                Step("keep_q", "keep_late"),
            )
        ),
        Drive("block_o", "result_1"),
        Drive("keep_o", "keep_q"),
    )
