"""Data units of XTS on a board: their numbers, and the results that leave late.

In the self-check a batch is cut into units of 16 words, the last of which is short. Each unit has a number of
its own: the first is given, and the next ones are those of a generator as for words. A unit's stolen block
leaves late, beside the results of the units behind it. So late results have a signature of their own, which
stands where the tag of a packet stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...rtl import Clocked, Drive, Let, Pin, Reg, Step, WrapperItem
from .commands import Command, Widths
from .counting import RING, ring_last, ring_steps
from .lfsr import next_word

__all__ = ["UNIT_WORDS", "late_results", "numbers", "second_result", "unit_end", "unit_pins"]

UNIT_WORDS = RING
"""Words of a unit of a batch."""


def _rings(prefix: str) -> list[str]:
    """Two rings, which count the 256 units of a batch."""
    return [f"{prefix}{k}_q" for k in range(2)]


def unit_pins(widths: Widths) -> list[Pin]:
    """The number of a unit, as the core takes it; widths: of the core."""
    return [
        Pin("core_unit_valid_o", out=True),
        Pin("core_unit_o", widths.iv, True),
        Pin("core_unit_ready_i"),
    ]


def numbers(widths: Widths, pulses: Mapping[Command, str]) -> list[WrapperItem]:
    """The numbers that are announced: the one that was given, with the first word behind it; in the
    self-check one after the other, ahead of the words, until a batch ends and the check is to stop. widths:
    of the core; pulses: what is 1 when a command is carried out.
    """
    bits, rings = widths.iv, _rings("unit_ring")
    begins = "restart_q & (~single_q | fresh_q)"
    ends = "unit_taken & (single_q | (unit_last_q & stop_q))"
    number = f"restart_q | unit_last_q ? iv_q : {next_word('unit_q', bits)}"
    return [
        Reg(("fresh_q",), note="A number was given, and no word since."),
        Reg(("unit_offer_q", "unit_last_q")),
        Reg(("unit_q",), bits, "The number that is offered."),
        Reg(tuple(rings), RING, "The unit's place in its batch."),
        Let("unit_taken", "unit_offer_q & core_unit_ready_i"),
        Drive("core_unit_valid_o", "unit_offer_q"),
        Drive("core_unit_o", "unit_q"),
        Clocked(
            (
                Step("fresh_q", f"{pulses[Command.IV]} | (fresh_q & ~restart_q)"),
                Step(
                    "unit_offer_q",
                    f"~{pulses[Command.ZEROISE]} & (({begins}) | (unit_offer_q & ~({ends})))",
                ),
            ),
            (("fresh_q", "1'b0"), ("unit_offer_q", "1'b0")),
        ),
        Clocked(
            (
                Step("unit_q", number, "restart_q | unit_taken"),
                *ring_steps(rings, "restart_q", "unit_taken"),
                Step("unit_last_q", ring_last(rings, "restart_q"), "restart_q | unit_taken"),
            )
        ),
    ]


def unit_end() -> list[WrapperItem]:
    """`at_end`: the result is the last of its batch in order, which is that of the last unit."""
    rings = _rings("out_ring")
    goes_on = "valid_q & result_last_q"
    return [
        Reg(("result_last_q", "last_unit_q")),
        Reg(tuple(rings), RING),
        Let("at_end", "result_last_q & last_unit_q"),
        Clocked(
            (
                Step("result_last_q", "core_last_i"),
                *ring_steps(rings, "restart_q", goes_on),
                Step("last_unit_q", ring_last(rings, "restart_q"), f"restart_q | ({goes_on})"),
            )
        ),
    ]


def second_result(bits: int, zeroise: str) -> list[WrapperItem]:
    """A result, of `bits` bits, that comes while the one before waits to be sent: the last two of a unit come
    one right after the other, since a word is held in the core until the next one is there. `keeps`: it is
    kept; `refills`: it comes once more. zeroise: it is dropped.
    """
    return [
        Reg(("second_q",), bits, "A result that waits behind another."),
        Reg(("second_valid_q",)),
        Let("waits", "toggle_q != taken_q[1]"),
        Let("keeps", "valid_q & single_q & waits"),
        Let("refills", "second_valid_q & single_q & ~waits & ~valid_q & ~core_valid_i"),
        Clocked(
            (Step("second_valid_q", f"~{zeroise} & single_q & (keeps | (second_valid_q & ~refills))"),),
            (("second_valid_q", "1'b0"),),
        ),
        Clocked((Step("second_q", "given_q", "keeps"),)),
    ]


def late_results(widths: Widths, pulses: Mapping[Command, str]) -> list[WrapperItem]:
    """The signature of the late results of a batch, and the one that is expected; of a single unit, its late
    result. Each unit of a batch has one. widths: of the core; pulses: what is 1 when a command is carried
    out.
    """
    bits, rings = widths.tag, _rings("late_ring")
    compacted = f"(late_first_q ? {bits}'d0 : {next_word('tag_q', bits)}) ^ given_q"
    return [
        Reg(("tag_q", "tag_expected_q"), bits, "Of late results."),
        Reg(("late_q", "late_first_q", "late_last_q", "tag_ended_q", "tag_seen_q")),
        Reg(tuple(rings), RING),
        Drive("tag_o", "tag_q"),
        Clocked(
            (
                Step("late_q", "core_valid_i & core_late_i"),
                Step("tag_ended_q", "late_q & late_last_q & ~single_q"),
                Step("tag_seen_q", f"late_q | (tag_seen_q & ~{pulses[Command.IV]})"),
            ),
            tuple((f"{name}_q", "1'b0") for name in ("late", "tag_ended", "tag_seen")),
        ),
        Clocked(
            (
                Step("late_first_q", "restart_q | single_q | late_last_q", "restart_q | late_q"),
                Step("tag_q", compacted, "late_q"),
                Step("tag_expected_q", f"value_i[{bits - 1}:0]", pulses[Command.TAG]),
                *ring_steps(rings, "restart_q", "late_q"),
                Step("late_last_q", ring_last(rings, "restart_q"), "restart_q | late_q"),
            )
        ),
    ]
