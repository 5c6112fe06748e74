"""Two resident keys in the mode: which packet is admitted under which, and how a key and its powers are made
while packets go on.

A packet is admitted by its slot in the cycle before its first word is taken: in the cycle of the end of the
packet before, or in one without a packet. From then on the slot is the packet's own, whatever is at the port.

The hash key of a new key is E(K, 0) of one slot of the pipeline, in which no word is taken: two cycles are
kept free, and the second can not be a packet's end. A serial multiplier makes the powers (powers.py).
"""

from __future__ import annotations

from ...rtl import Cell, Clocked, Drive, Note, Reg, Step, Wire, WrapperItem
from ..copies import copies
from ..ghash import COUNT_BITS
from ..slot_control import taken_by_slot
from .ports import IV_BITS
from .timing import OF_SLOT, GcmTiming

__all__ = ["admission_items", "key_items", "slot_items"]

_STEAL = 5
"""Registers from the decision that a cycle is kept free to what its slot means, less one."""


def key_items(timing: GcmTiming, maker: str, key_bits: int) -> tuple[WrapperItem, ...]:
    """A key of `key_bits` bits is expanded by the unit of its slot. Then the module `maker` makes the powers.
    Keys of zeros (wipe_i) go into both. timing: of the core.
    """
    return (
        Note("A key is complete when the powers of its hash key are there."),
        Wire(("expanded", "power_write", "power_done")),
        Wire(("power_address",), COUNT_BITS),
        Wire(("power",), 128),
        Reg(("key_q",), key_bits),
        Reg(("key_valid_q", "load_bank"), 2, "By slot; with wipe_i both."),
        Reg(("wipe_q", "pending", "filling", "armed", "done_q", "complete_q")),
        Reg(("making",), 1, "There has been no key since the reset."),
        Reg(("steal",), _STEAL, "Cycles that are kept free, and the way of the second one."),
        Drive("key_ready_o", "complete_q"),
        Clocked(
            (
                Step("key_q", "key_i"),
                Step("load_bank", "{wipe_i | load_slot_i, wipe_i | ~load_slot_i}", "wipe_i | key_valid_i"),
            )
        ),
        Clocked(
            (
                Step("key_valid_q", taken_by_slot()),
                Step("wipe_q", "wipe_i"),
                Step("pending", "(|key_valid_q) | wipe_q | (pending & ~expanded)"),
                Step("steal", f"{{steal[{_STEAL - 2}:0], pending & expanded & ~(|key_valid_q) & ~wipe_q}}"),
                Step("filling", "~pending & (steal[0] | (filling & ~done_q))"),
                Step("armed", f"~pending & (armed | hash_key_l{timing.early - 1})"),
                Step("done_q", "filling & armed & power_done"),
                Step("complete_q", "~key_valid_i & ~wipe_i & (complete_q | done_q)"),
                Step("making", "drop_i | (making & ~done_q)"),
            ),
            (
                ("key_valid_q", "2'd0"),
                *((q, "1'b0") for q in ("wipe_q", "pending", "filling", "armed", "done_q")),
                ("complete_q", "1'b1"),
                ("making", "1'b1"),
                ("steal", f"{_STEAL}'d0"),
            ),
        ),
        Cell(
            maker,
            "u_powers",
            {
                "clk": "clk",
                "rst_i": "rst_i",
                "start_i": f"hash_key_l{timing.early - 1}",
                "stop_i": "pending",
                "value_i": "stream",
                "write_o": "power_write",
                "address_o": "power_address",
                "power_o": "power",
                "done_o": "power_done",
            },
        ),
    )


def admission_items() -> list[WrapperItem]:
    """admit_q: a packet is admitted, or being taken; slot_q: under which key. In a packet's end the next one
    can be admitted.
    """
    chosen = "(key_slot_i ? open_i[1] : open_i[0])"
    return [
        Note("A packet is admitted by its slot, which it keeps."),
        Reg(("admit_q", "slot_q")),
        Drive("used_o", "{admit_q & slot_q, admit_q & ~slot_q}"),
        Clocked(
            (
                Step("admit_q", f"~stop_i & ~drop_i & ((admit_q & ~end_0) | (valid_i & {chosen}))"),
                Step("slot_q", "admit_q & ~end_0 ? slot_q : key_slot_i"),
            ),
            (("admit_q", "1'b0"), ("slot_q", "1'b0")),
        ),
    ]


def slot_items() -> tuple[WrapperItem, ...]:
    """What a slot means, as it goes beside the cipher from here on; and the moves of the counter."""
    last = f"steal[{_STEAL - 1}]"
    return (
        Note("What a slot means. One that is kept free gives H under the new key."),
        Reg(("hash_key_3", "clear_3", "blank_3", "moves_3", "second_3")),
        Reg(tuple(f"{OF_SLOT}_{k}" for k in (1, 2, 3))),
        *copies("hash_key_4", "hash_key_3", IV_BITS),
        Clocked(
            (
                Step("first_2", "taken_1 & ~inside_q"),
                Step("first_3", "first_2"),
                Step("clear_3", "end_2 | making"),
                Step("blank_3", f"end_2 | making | {last}"),
                Step("moves_3", "data_2 | end_2 | making"),
                Step("second_3", f"{last} ? load_bank[1] : {OF_SLOT}_2"),
                Step(f"{OF_SLOT}_1", f"{OF_SLOT}_q"),
                Step(f"{OF_SLOT}_2", f"{OF_SLOT}_1"),
                Step(f"{OF_SLOT}_3", f"{OF_SLOT}_2"),
            )
        ),
        Clocked((Step("hash_key_3", last),), (("hash_key_3", "1'b0"),)),
    )
