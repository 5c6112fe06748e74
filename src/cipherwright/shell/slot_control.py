"""The control of a core with two resident keys: when a key is taken, and how it forgets everything.

`open` tells the core which slots have a complete key and none on offer. The core admits a packet by its slot,
and `used` tells whose packet it is within. An offered key waits until its slot is neither open nor used, and
then as long as its last packet is in flight; packets under the other slot go on. Zeroising, busy_o and the
time since the last word are those of a core with one key (control.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rtl import Cell, Clocked, Drive, Let, Note, Pin, Reg, Step, Wire, Wrapper
from ..rtl.timer import TAPS, matches, steps_of, width_for
from .control import (
    SETTLED,
    TO_REST,
    Control,
    Controlled,
    ControlTimes,
    again_cell,
    control_after_reset,
    control_cells,
    control_groups,
    control_links,
    control_steps,
    start_cell,
)

__all__ = ["LOAD_SLOT", "SLOTS_OF_KEYS", "SLOT_PORTS", "loaded_by_slot", "slot_control", "taken_by_slot"]

SLOTS_OF_KEYS = 2
"""Keys that are resident."""

LOAD_SLOT = Pin("load_slot_i", with_block=True, meaning="the slot that the key is for")
"""What goes with a key besides, where two keys are resident."""

SLOT_PORTS = {"key_slot": "key_slot_i", "load_slot": LOAD_SLOT.name}
"""What a port of a core with two resident keys is for -> its name, beside those of the others: the slot of a
packet's or unit's key, and that of a key that is loaded.
"""


def loaded_by_slot(key_slots: int) -> tuple[Pin, ...]:
    """What is taken with a key in a core of `key_slots` resident keys: the slot's number where there are
    several.
    """
    return (LOAD_SLOT,) if key_slots > 1 else ()


def taken_by_slot() -> str:
    """A bit for each slot: whether a key for it is taken."""
    return "{key_valid_i & load_slot_i, key_valid_i & ~load_slot_i}"


_OWN = ("held_q", "open_q", "quiet_q", "offer_q")
"""Registers of the control of one key that are otherwise here."""


def slot_control(name: str, inside: Controlled, times: ControlTimes, private: bool = False) -> Control:
    """The module `name` around the core `inside`, whose ports say which slot a key and a packet belong to
    (load_slot_i with the key). Of `times` in_flight is from a packet's last word to its tag. private: slots
    depend on keys, so that zeroising clears the slot of the last load, too.
    """
    steps, stored = times.steps, times.stored
    width = width_for(steps)
    found = matches(width, steps_of(width, steps))
    wait = width_for(times.in_flight)
    ends = [m.replace("time_q", "wait_q") for m in matches(wait, steps_of(wait, times.in_flight))]
    phase = steps + TO_REST + 2
    phases = 3 + max(1, -(-stored // phase))
    wrapper = Wrapper(
        name,
        (
            "What decides when the core takes a key into a slot, and when it forgets everything.",
            "An offered key is taken when the last packet under its slot has left; packets under the other "
            "slot go on.",
        ),
        control_groups(inside, stored > 0),
        (
            Wire(("complete", "core_valid", "core_ready", "start_q", "drop_q")),
            Wire(("used",), SLOTS_OF_KEYS),
            *_registers(phases, width, len(found)),
            Note("A key on offer: its slot, and the time in which nobody has used that."),
            Reg(("asked_q", "load_q", "blocked_q", "clear_q")),
            Reg(("wait_q",), wait),
            Reg(("ended_q",), len(ends), vector=True),
            # The time begins anew while the core is within a packet.
            start_cell(name, "|used", "1'b1", "1'b1"),
            again_cell(name, "drop", phases),
            Let("take", "key_valid_i & offer_q"),
            Let("moved", "load_slot_i ^ asked_q"),
            Drive("ready_o", "core_ready"),
            Drive("key_ready_o", "offer_q"),
            Drive("busy_o", "start_q | ~rest_q | expand_q | zero_q"),
            Drive("valid_o", "core_valid & ~zero_q"),
            *([Drive("zeroising_o", "zeroise_i | zero_q")] if stored else []),
            Clocked(
                (*_shared(phases, width, found), *_slots(wait, ends, private)),
                _after_reset(phases, width, len(found), wait, len(ends)),
            ),
            Cell(
                inside.module,
                "u_inner",
                {
                    **{k: v for k, v in control_links(inside).items() if k != "inside_o"},
                    "used_o": "used",
                    "stop_i": "zeroise_i",
                    "load_slot_i": "asked_q",
                },
            ),
        ),
    )
    cycles = 1 + phase + max(phase, times.key + SETTLED) + (phases - 2) * phase
    pins = (Pin("zeroise_i"), *inside.pins, Pin("busy_o", out=True))
    return Control((wrapper, *control_cells(name)), pins, cycles)


def _registers(phases: int, width: int, pieces: int) -> tuple[Reg, ...]:
    return (
        Reg(("held_q", "open_q"), SLOTS_OF_KEYS, "A slot has a complete key; and none is on offer for it."),
        Reg(("expand_q", "offer_q", "kick_q", "done_q", "rest_q")),
        Reg(("advance_q", "more_q", "settled_q", "zero_q")),
        Reg(
            ("phase_q",),
            phases,
            "Of zeroising: keys of zeros go in, are expanded, blocks under them go through.",
        ),
        Reg(("time_q",), width, "Since the last word: a shift register with feedback."),
        Reg(("match_q",), pieces, vector=True),
    )


def _shared(phases: int, width: int, found: Sequence[str]) -> list[Step]:
    """What is as with one key."""
    settled = "~zeroise_i & ~advance_q & (phase_q[0] | complete)"
    steps = control_steps(phases, width, found, settled, "1'b0", True)
    return [s for s in steps if isinstance(s, Step) and s.target not in _OWN]


def _slots(wait: int, ends: Sequence[str], private: bool) -> list[Step]:
    """Keys in their slots."""
    feedback = f"wait_q[{wait - 1}] ^ wait_q[{TAPS[wait] - 1}]"
    steps = list[Step]()
    for slot, (of_key, of_offer, of_load) in enumerate(
        (("~asked_q", "~load_slot_i", "~load_q"), ("asked_q", "load_slot_i", "load_q"))
    ):
        done = f"(expand_q & complete & ~zero_q & {of_load})"
        steps += [
            Step(f"held_q[{slot}]", f"~zeroise_i & ((held_q[{slot}] & ~(take & {of_key})) | {done})"),
            Step(f"open_q[{slot}]", f"held_q[{slot}] & ~(key_valid_i & {of_offer}) & ~zeroise_i"),
        ]
    loads = "take ? asked_q : load_q"
    busy = "(asked_q ? open_q[1] | used[1] : open_q[0] | used[0])"
    return [
        *steps,
        Step("asked_q", "load_slot_i"),
        Step("load_q", f"~zeroise_i & ({loads})" if private else loads),
        Step("blocked_q", f"~key_valid_i | moved | expand_q | zero_q | zeroise_i | {busy}"),
        Step("wait_q", f"blocked_q ? {wait}'d1 : {{wait_q[{wait - 2}:0], {feedback}}}"),
        *(Step(f"ended_q[{k}]", f"~blocked_q & {match}") for k, match in enumerate(ends)),
        Step("clear_q", "~blocked_q & (clear_q | (&ended_q))"),
        Step("offer_q", "key_valid_i & clear_q & ~blocked_q & ~moved & ~offer_q & ~expand_q & ~zeroise_i"),
    ]


def _after_reset(phases: int, width: int, pieces: int, wait: int, ends: int) -> tuple[tuple[str, str], ...]:
    """What reset leaves: nothing is in flight, there are no keys."""
    both = f"{SLOTS_OF_KEYS}'d0"
    shared = [r for r in control_after_reset(phases, width, pieces, True) if r[0] not in (*_OWN, "kick_q")]
    return (
        ("held_q", both),
        ("open_q", both),
        *shared,
        *((q, "1'b0") for q in ("offer_q", "kick_q", "asked_q", "load_q", "clear_q")),
        ("blocked_q", "1'b1"),
        ("wait_q", f"{wait}'d1"),
        ("ended_q", f"{ends}'d0"),
    )
