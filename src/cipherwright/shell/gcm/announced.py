"""A key for every packet, around a core with two resident keys: each is announced, and loaded into the slot
that the packet before does not use.

A key is announced in the order of the packets, before its packet's first word. It is compared with the keys
that are resident. Where it is one of them, its packet goes under that slot. Otherwise it goes into the slot
that the packet before does not have, as soon as no packet that was announced before waits for that slot; the
core takes it when the last packet under the slot has left. When it was taken, its packet may begin: the core
itself holds the first word back until the powers of the hash key are there.

At most two packets are announced whose first words have not been taken, and one key more waits.
"""

from __future__ import annotations

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    declared_first,
)
from ..difference import difference
from .ports import packet_pins, result_pins
from .timing import GcmTiming

__all__ = ["announce_facts", "announced_keys"]

_ROWS = 4
"""Rows of registers in which the bits that differ are brought together, four to one."""

_COMPARED = _ROWS + 2
"""Cycles from taking a key to telling whether it is resident: its own register, the rows, and the result."""

_PACE = _COMPARED + 2
"""Cycles from one key that is resident to the next one that is announced, at least."""

_LOAD = 14
"""Cycles from taking a key to its load beside those in which packets under its slot may be in flight."""

_CHANGE = 6
"""Cycles of a change of key beside the wait for its slot, its expansion and its powers."""

_FORGET = 3
"""Cycles of zeroising in which keys here are written over."""


def announce_facts(timing: GcmTiming, expansion: int) -> dict[str, int]:
    """What a record says of keys that are announced. timing: of the core; expansion: cycles of the
    key-expansion unit.

    announce_cycles: from a key that is resident to the next key. load_cycles: from a key that is not to its
    load into a core at rest. key_change_cycles: from one packet's first word to that of the next, where both
    are short and under keys that are not resident.
    """
    return {
        "announce_cycles": _PACE,
        "load_cycles": timing.tag_latency + _LOAD,
        "key_change_cycles": timing.tag_latency + expansion + timing.power_cycles + _CHANGE,
    }


def announced_keys(name: str, inside: str, key_bits: int, told: tuple[Pin, ...] = ()) -> Wrapper:
    """The module `name` around the core `inside`, which has two resident keys, of `key_bits` bits each.
    told: ports by which the core tells what is around it to forget.
    """
    word = packet_pins(False)
    held = (Pin("zeroise_i"), *result_pins(), Pin("busy_o", out=True), *told)
    return Wrapper(
        name,
        (
            "A key is announced for every packet, in the order of the packets.",
            "One that is not resident goes into the slot that the packet before does not use.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Stream("valid_i", (*word, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held(held),
        ),
        declared_first(
            (
                *_compared(key_bits),
                *_chosen(),
                *_packets(),
                *_core(inside, tuple(p.name for p in (*word, *result_pins(), *told))),
            )
        ),
    )


_SLOTS = ((0, "~"), (1, ""))
"""Each slot, and what is in front of a bit that is its number."""


def _compared(key_bits: int) -> tuple[WrapperItem, ...]:
    """The key that was announced, those in the slots, and whether it is one of them."""
    found = [difference(f"differs_{k}", f"next_key ^ key_{k}", key_bits, _ROWS) for k, _ in _SLOTS]
    cleared = [(name, width) for widths, _, _ in found for name, width in widths.items()]
    keys = tuple((name, key_bits) for name in ("next_key", "key_0", "key_1"))
    return (
        Note("The key that was announced, those in the slots, and whether it is one of them."),
        Reg(tuple(name for name, _ in keys), key_bits),
        *(Reg((name,), width, vector=True) for name, width in cleared),
        Reg(("same_0", "same_1")),
        Reg(("forget_q",), _FORGET),
        Let("forget", f"zeroise_i | (|forget_q[{_FORGET - 2}:0])"),
        Clocked(
            (
                Step("forget_q", f"{{forget_q[{_FORGET - 2}:0], zeroise_i}}"),
                Step("next_key", "key_i", "take | forget"),
                *(Step(f"key_{k}", "next_key", f"(loaded & {of}slot_q) | forget") for k, of in _SLOTS),
                *(
                    step
                    for k, (_, steps, last) in enumerate(found)
                    for step in (*steps, Step(f"same_{k}", f"there_q[{k}] & ~(|{last})"))
                ),
            ),
            (
                ("forget_q", f"{_FORGET}'d0"),
                *((name, f"{width}'d0") for name, width in (*keys, *cleared)),
                *((f"same_{slot}", "1'b0") for slot, _ in _SLOTS),
            ),
        ),
    )


def _chosen() -> tuple[WrapperItem, ...]:
    """The slot of the key, and its load where it is not resident."""
    cleared = ("have_q", "new_q", "slot_q", "last_q", "load_q")
    return (
        Note("The slot of the key that was announced: its own, or the one that the packet before has not."),
        Note("While one packet waits at most, that slot is not its own, and a key is loaded."),
        Wire(("core_key_ready",)),
        Reg(("free_q",), note="A key can be announced."),
        Reg(("compare",), _COMPARED),
        Reg(("there_q",), 2, "A slot has had a key."),
        Reg(cleared),
        Let("take", "key_valid_i & free_q"),
        Let("loaded", "load_q & core_key_ready"),
        Let("push", "have_q & (loaded | (~new_q & ~q1_valid))"),
        Let("decide", f"compare[{_COMPARED - 1}]"),
        Drive("key_ready_o", "free_q"),
        Clocked(
            (
                Step("free_q", f"~forget & (forget_q[{_FORGET - 1}] | push | (free_q & ~key_valid_i))"),
                Step("compare", f"forget ? {_COMPARED}'d0 : {{compare[{_COMPARED - 2}:0], take}}"),
                Step("have_q", "~forget & (decide | (have_q & ~push))"),
                Step("new_q", "decide ? ~same_0 & ~same_1 : new_q & ~forget"),
                Step("slot_q", "decide ? same_1 | (~same_0 & ~last_q) : slot_q & ~forget"),
                Step("last_q", "push ? slot_q : last_q & ~forget"),
                Step("load_q", "~forget & have_q & new_q & ~q1_valid & ~loaded"),
                *(
                    Step(f"there_q[{k}]", f"~forget & (there_q[{k}] | (loaded & {of}slot_q))")
                    for k, of in _SLOTS
                ),
            ),
            (
                ("free_q", "1'b1"),
                ("compare", f"{_COMPARED}'d0"),
                ("there_q", "2'd0"),
                *((q, "1'b0") for q in cleared),
            ),
        ),
    )


def _packets() -> tuple[WrapperItem, ...]:
    """Packets that were announced and have not begun, with their slots; and words of the one that has."""
    cleared = ("q0_valid", "q0_slot", "q1_valid", "q1_slot", "inside_q")
    return (
        Note("Packets that were announced and have not begun; words of a packet that has."),
        Wire(("core_ready",)),
        Reg(cleared),
        Let("opens", "inside_q | q0_valid"),
        Let("accept", "valid_i & opens & core_ready"),
        Let("pop", "accept & ~inside_q"),
        Let("stays", "q0_valid & ~pop"),
        Drive("ready_o", "opens & core_ready"),
        Clocked(
            (
                Step("inside_q", "~forget & (accept ? ~last_i : inside_q)"),
                Step("q0_valid", "~forget & (stays | q1_valid | push)"),
                Step("q0_slot", "stays ? q0_slot : q1_valid ? q1_slot : slot_q"),
                Step("q1_valid", "~forget & ((q1_valid & ~pop) | (push & stays))"),
                Step("q1_slot", "push ? slot_q : q1_slot & ~forget"),
            ),
            tuple((q, "1'b0") for q in cleared),
        ),
    )


def _core(inside: str, handed: tuple[str, ...]) -> tuple[WrapperItem, ...]:
    """The core with two resident keys."""
    links = {n: n for n in ("clk", "rst_i", "zeroise_i", "block_i", "valid_o", "block_o", *handed)}
    links |= {"key_valid_i": "load_q", "key_i": "next_key", "load_slot_i": "slot_q"}
    links |= {"key_ready_o": "core_key_ready", "key_slot_i": "q0_slot", "busy_o": "core_busy"}
    links |= {"valid_i": "valid_i & opens", "ready_o": "core_ready"}
    return (
        Wire(("core_busy",)),
        Drive("busy_o", "core_busy | ~free_q | q0_valid"),
        Cell(inside, "u_core", links),
    )
