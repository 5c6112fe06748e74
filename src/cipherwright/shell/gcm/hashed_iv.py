"""IVs that have not 96 bits: what tells that one is hashed, and where its sum goes as J0 (SP 800-38D, section
7.1).
"""

from __future__ import annotations

from ...rtl import Clocked, Note, Reg, Step, WrapperItem
from ..copies import copies, spread
from .ports import IV_BITS
from .timing import OF_IV, SETTLE, VERDICT, GcmTiming

__all__ = ["hashed_iv_items"]

_NUMBER = 128 - IV_BITS


def hashed_iv_items(timing: GcmTiming) -> tuple[WrapperItem, ...]:
    """Slots of an IV, the wait for J0, and the number of J0, which is 1 with an IV of 96 bits. timing: of the
    core.
    """
    tag = timing.early + timing.tag_lead
    before = f"{OF_IV}_l{tag - 2} & end_l{tag - 2}"
    settled, fresh = spread("settled_number", _NUMBER), spread("fresh_number", _NUMBER)
    sum_ = f"difference_{VERDICT - 1}[{_NUMBER - 1}:0]"
    one = f"{{{{{_NUMBER - 1}{{1'b0}}}}, fresh_number[0]}}"
    return (
        Note("An IV in words is hashed. begun_q: within it or within its packet; hold_q: its J0 is awaited."),
        Reg(("iv_word_1", "begun_q", "hold_q", "derived_q", "settles", "derives_2", "derives_3")),
        Reg(("settle",), SETTLE, "J0 is taken, its number goes up, and a word is taken."),
        Reg(("fresh_4",)),
        *copies("settled_iv", "settles", IV_BITS),
        *copies("settled_number", "settles", _NUMBER),
        *copies("fresh_number", "fresh_4", _NUMBER),
        *copies("shows_initial", "end_3", _NUMBER),
        Reg(("initial_q",), _NUMBER, "The number of J0."),
        Clocked(
            (
                Step("iv_word_1", "iv_word_i"),
                Step("begun_q", "~drop_i & (taken_1 ? ~last_1 : begun_q)"),
                Step("hold_q", f"~drop_i & ((end_0 & iv_word_1) | (hold_q & ~settle[{SETTLE - 1}]))"),
                Step("derived_q", "~drop_i & (settle[0] | (derived_q & ~end_0))"),
                Step("derives_2", "end_1 ? derives_2 : taken_1 & iv_word_1"),
                Step("derives_3", "derives_2"),
                Step("settles", before),
                Step("settle", f"{{settle[{SETTLE - 2}:0], settles}}"),
            ),
            (
                *((q, "1'b0") for q in ("iv_word_1", "begun_q", "hold_q", "derived_q")),
                *((q, "1'b0") for q in ("derives_2", "derives_3", "settles")),
                ("settle", f"{SETTLE}'d0"),
            ),
        ),
        Clocked(
            (
                Step("fresh_4", "end_3 | making"),
                Step("initial_q", f"({sum_} & {settled}) | (initial_q & ~{settled} & ~{fresh}) | {one}"),
            )
        ),
    )
