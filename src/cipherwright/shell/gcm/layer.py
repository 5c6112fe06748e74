"""Galois/Counter Mode around a pipeline of any cipher with blocks of 128 bits (NIST SP 800-38D).

A slot is a cycle. Every word of a packet takes one slot, and the packet's end one more, in which the cipher
makes E(K, J0) while GHASH takes the block of lengths. A slot goes through the cipher as a counter block; the
word itself and what it means go beside it through delays of the same length. Behind the cipher, byte masks
choose what is hashed (the word, its sum with the key stream, or nothing) and what leaves. In the packet's
last slot the word is the expected tag in decryption, and zero in encryption. So the same sum with E(K, J0)
and with GHASH is the tag of a packet that was encrypted, and zero for one whose tag is right.

An IV that has not 96 bits is hashed as a packet of its own, whose length block counts its bytes as data. The
sum goes back to the IV's registers and to the counter: it is J0. Until then no word is taken.

After a key was expanded, slots of the same pipeline give H = E(K, 0) to the GHASH unit (../ghash.py).
"""

from __future__ import annotations

from collections.abc import Sequence

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
from ..copies import copies, pieces, spread
from ..slot_control import loaded_by_slot
from .counter import Load, counter_items
from .hashed_iv import hashed_iv_items
from .lanes import block_items, chain_of, number_items, value_items
from .ports import IV_BITS, packet_pins, result_pins
from .results import length_items, mask_items, tag_items
from .slots import admission_items, key_items, slot_items
from .timing import BUMP, KEEP, OF_IV, OF_SLOT, VERDICT, GcmTiming, meanings

__all__ = ["gcm_layer"]

_NUMBER = 32
"""Bits of a counter block that count (SP 800-38D, section 6.2)."""


def gcm_layer(
    name: str,
    parts: Sequence[str],
    key_bits: int,
    timing: GcmTiming,
    tag_bits: int = 128,
    any_iv: bool = False,
    held: tuple[Pin, ...] = (),
) -> Wrapper:
    """The module `name`: the mode around a pipeline with its key unit. parts: the modules of the pipeline, of
    the delays, of GHASH and of what makes powers where two keys are resident; key_bits: of a key; timing: of
    the core; tag_bits: of the tag that are shown; any_iv: IVs of any length are taken; held: what tells of a
    word that it waits for a verdict, where words do.
    """
    cipher, delay, ghash = parts[:3]
    slots, lanes = timing.key_slots, timing.lanes
    width = 128 * lanes
    opens = Pin("open_i") if slots == 1 else Pin("open_i", slots)
    within = (Pin("inside_o", out=True),) if slots == 1 else (Pin("stop_i"), Pin("used_o", slots, True))
    return Wrapper(
        name,
        (
            "Galois/Counter Mode, a word a cycle and one cycle more for each packet.",
            "A packet's first word brings its IV, its last the expected tag.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
            *([f"A word is {lanes} blocks, the first of them at the top."] if lanes > 1 else []),
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o", beside=loaded_by_slot(slots)),
            Held((opens, Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), *within)),
            Stream("valid_i", (*packet_pins(any_iv, slots, lanes), Pin("block_i", width)), "ready_o"),
            Stream("valid_o", (Pin("block_o", width, True),), out=True),
            Held((*result_pins(lanes), *held)),
        ),
        declared_first(
            (
                *(_key(timing, key_bits) if slots == 1 else key_items(timing, parts[3], key_bits)),
                *_words(any_iv, slots, timing.word_bytes),
                *(_values() if lanes == 1 else value_items(lanes)),
                *(hashed_iv_items(timing) if any_iv else ()),
                *_initial_value(any_iv, slots, lanes),
                *_meanings(timing.ghash.loop, any_iv, slots),
                *(_counter(any_iv) if lanes == 1 else number_items(lanes)),
                *_cipher(cipher, delay, timing, any_iv),
                *_line(timing, any_iv),
                *length_items(timing, any_iv),
                *mask_items(timing, ghash, tag_bits, any_iv),
                *tag_items(timing, tag_bits, any_iv, bool(held)),
            )
        ),
    )


def _key(timing: GcmTiming, key_bits: int) -> tuple[WrapperItem, ...]:
    """Powers of the hash key are made after a key is expanded. Nothing of the core's control reaches the
    key-expansion unit without a register between them.
    """
    length = timing.ghash.loop + 1
    return (
        Note("A key is complete when the powers of its hash key are there."),
        Wire(("expanded_0", "filled")),
        Reg(("key_q", "key_q2"), key_bits),
        Reg(("key_valid_q", "key_valid_q2", "wipe_q", "wipe_q2", "renew")),
        Reg(("pending", "filling", "making", "armed", "done_q", "complete_q", "fill_q")),
        Reg(("expanded",), note="The unit is ready, and was not told to take a key since."),
        Reg(("setup",), length, "The slots that give one, H, and H again."),
        Drive("key_ready_o", "complete_q"),
        Clocked((Step("key_q", "key_i"), Step("key_q2", "key_q"), Step("fill_q", "fill_i"))),
        Clocked(
            (
                Step("key_valid_q", "key_valid_i"),
                Step("key_valid_q2", "key_valid_q"),
                Step("wipe_q", "wipe_i"),
                Step("wipe_q2", "wipe_q"),
                Step("renew", "key_valid_q | wipe_q"),
                Step("expanded", "expanded_0 & ~renew"),
                Step("pending", "renew | (pending & ~expanded)"),
                Step("filling", "(pending & expanded) | (filling & ~done_q)"),
                Step("making", "pending | filling"),
                Step("armed", "~pending & (armed | setup_l4)"),
                Step("done_q", "filling & armed & filled"),
                Step("complete_q", "~key_valid_i & ~wipe_i & (complete_q | done_q)"),
                Step("setup", f"{{setup[{length - 2}:0], pending & expanded & ~renew}}"),
            ),
            (
                *((q, "1'b0") for q in ("key_valid_q", "key_valid_q2", "wipe_q", "wipe_q2", "renew")),
                *((q, "1'b0") for q in ("pending", "filling", "making", "expanded", "armed", "done_q")),
                ("complete_q", "1'b1"),
                ("setup", f"{length}'d0"),
            ),
        ),
    )


def _words(any_iv: bool, key_slots: int, word_bytes: int) -> tuple[WrapperItem, ...]:
    """Words as they are taken, and the slot after a packet's last. `name_1` is in the cycle after a word is
    taken, and so on. Words of an IV are neither additional data nor text: they are hashed as they are, as a
    ciphertext is.
    """
    open_, steals = ("open_i", "") if key_slots == 1 else ("admit_q", " & ~steal[0] & ~steal[1]")
    taken = f"valid_i & {open_} & free_q & last_i"
    of_iv, no_iv = (" | iv_word_i", " & ~iv_word_i") if any_iv else ("", "")
    free = "free_q ? ~(valid_i & open_i & last_i) : ~hold_q & ~(end_0 & iv_word_1)"
    within = "~last_1 | iv_word_1" if any_iv else "~last_1"
    return (
        Note("Words as they are taken. The slot after a packet's last word is the packet's end."),
        Reg(("free_q", "end_0", "end_1", "end_2", "taken_1", "text_1", "data_2", "data_3")),
        *([Reg(("inside_late",))] if key_slots == 1 else []),
        Reg(("inside_q", "first_2", "first_3", "last_1", "last_2", "last_3", "aad_1", "aad_2", "aad_3")),
        Reg(("decrypt_1", "decrypt_2", "decrypt_3", "end_3", *(() if any_iv else ("end_4",)))),
        Drive("ready_o", "free_q" if key_slots == 1 else "free_q & admit_q"),
        *([Drive("inside_o", "inside_late")] if key_slots == 1 else admission_items()),
        Clocked(
            (
                Step("taken_1", f"valid_i & {open_} & free_q"),
                Step("last_1", "last_i"),
                Step("text_1", f"~aad_i{no_iv} & keep_i[{word_bytes - 1}]"),
                Step("end_0", taken),
                Step("free_q", free if any_iv else f"~({taken}){steals}"),
                Step("end_1", "end_0 & ~drop_i"),
                Step("end_2", "end_1"),
                Step("end_3", "end_2"),
                Step("inside_q", f"~drop_i & (taken_1 ? {within} : inside_q)"),
                *([Step("inside_late", "inside_q")] if key_slots == 1 else []),
                Step("data_2", "taken_1 & text_1"),
                Step("data_3", "data_2"),
            ),
            (
                *((q, "1'b0") for q in ("taken_1", "text_1", "last_1", "end_0", "end_1", "end_2", "end_3")),
                ("free_q", "1'b1"),
                ("inside_q", "1'b0"),
                *([("inside_late", "1'b0")] if key_slots == 1 else []),
                ("data_2", "1'b0"),
                ("data_3", "1'b0"),
            ),
        ),
        Clocked(
            (
                Step("last_2", "last_1"),
                Step("last_3", "last_2"),
                Step("aad_1", f"aad_i{no_iv}"),
                Step("aad_2", "aad_1"),
                Step("aad_3", "aad_2"),
                Step("decrypt_1", f"decrypt_i{of_iv}"),
                Step("decrypt_2", "end_1 ? decrypt_2 : decrypt_1"),
                Step("decrypt_3", "decrypt_2"),
                *(() if any_iv else (Step("end_4", "end_3"),)),
            )
        ),
    )


def _values() -> tuple[WrapperItem, ...]:
    """What a slot brings: a word, or in a packet's end the expected tag where it is decrypted."""
    return (
        Note("The packet's end has the expected tag in place of a word, or zero where there is none."),
        Reg(("keep_1", "keep_2", "keep_3"), KEEP),
        Reg(tuple(f"{value}_{k}" for value in ("block", "tag") for k in (1, 2, 3)), 128),
        Reg(("tagged_1",)),
        *copies("ends_2", "end_1"),
        *copies("tagged_2", "tagged_1"),
        Clocked(
            (
                Step("keep_1", "keep_i"),
                Step("keep_2", f"keep_1 & {{{KEEP}{{taken_1}}}}"),
                Step("keep_3", "keep_2"),
                Step("block_1", "block_i"),
                Step("block_2", "block_1"),
                Step("tagged_1", "end_0 & decrypt_1"),
                Step("tag_1", "tag_i"),
                Step("tag_2", "tag_1"),
                Step("tag_3", "tag_2"),
                Step("block_3", f"(block_2 & ~{spread('ends_2')}) | (tag_3 & {spread('tagged_2')})"),
            )
        ),
    )


def _initial_value(any_iv: bool, key_slots: int, lanes: int) -> tuple[WrapperItem, ...]:
    """The packet's IV, held from its first word to its end; of a core with one key zero while that is
    made. The pipelines of several lanes fill the device, so that what loads it travels for a cycle more, and
    it waits for that.
    """
    zeros, last = key_slots == 1, 3 if lanes == 1 else 4
    told = ("load", "zero") if zeros else ("load",)
    loads = [
        Step(
            f"iv_{last + 1}[{high}:{low}]",
            f"iv_{last}[{high}:{low}]" + (f" & {{{high - low + 1}{{~zero_{last}[{k}]}}}}" if zeros else ""),
            f"load_{last}[{k}]",
        )
        for k, (low, high) in enumerate(pieces(IV_BITS))
    ]
    travels = [Step("iv_4", "iv_3"), *(Step(f"{name}_4", f"{name}_3") for name in told)] if lanes > 1 else []
    parts = len(pieces(IV_BITS))
    first, second = "(taken_1 & ~inside_q)", "iv_1"
    if any_iv:
        first = "(taken_1 & ~begun_q & ~derived_q) | settle[0]"
        settled = spread("settled_iv", IV_BITS)
        second = f"(difference_{VERDICT - 1}[127:{_NUMBER}] & {settled}) | (iv_1 & ~{settled})"
    return (
        Note("The IV comes with a packet's first word."),
        Reg(tuple(f"iv_{k}" for k in range(1, last + 2)), IV_BITS),
        Reg(tuple(f"{name}_2" for name in told)),
        *(item for name in told for item in copies(f"{name}_3", f"{name}_2", IV_BITS)),
        *([Reg(tuple(f"{name}_4" for name in told), parts)] if lanes > 1 else []),
        Clocked(
            (
                Step("load_2", f"{first} | fill_q | pending" if zeros else f"{first} | fill_i"),
                *([Step("zero_2", "pending")] if zeros else []),
                Step("iv_1", "iv_i"),
                Step("iv_2", second),
                Step("iv_3", "iv_2"),
                *travels,
                *loads,
            )
        ),
    )


def _meanings(loop: int, any_iv: bool, key_slots: int) -> tuple[WrapperItem, ...]:
    """What a slot means, as it goes beside the cipher from here on; and the moves of the counter."""
    if key_slots > 1:
        return slot_items()
    begun, settles = ("begun_q", f" | settle[0] | settle[{BUMP}]") if any_iv else ("inside_q", "")
    return (
        Note("What a slot means. While a key is made, slots give H."),
        Reg(("hash_key_3", "clear_3", "moves_3")),
        Let("setup_3", "setup[1]"),
        Clocked(
            (
                Step("first_2", f"taken_1 & ~{begun}"),
                Step("first_3", f"first_2 | setup[0] | setup[{loop}]"),
                Step("hash_key_3", f"setup[1] | setup[{loop}]"),
                Step("clear_3", "end_2 | making"),
                Step("moves_3", f"data_2 | end_2 | making{settles}"),
            )
        ),
    )


def _counter(any_iv: bool) -> tuple[WrapperItem, ...]:
    """The number in counter blocks. That of a J0 is taken, and then one more is the first block's."""
    if not any_iv:
        return counter_items("count", 2, "data_3", "clear_3", "moves_3")
    moves = Clocked((Step("load_count", "settle[0]"), Step("step_3", f"data_2 | settle[{BUMP}]")))
    taken = Load("load_count", "initial_q")
    return (
        Reg(("load_count", "step_3")),
        moves,
        *counter_items("count", 2, "step_3", "clear_3", "moves_3", taken),
    )


def _cipher(cipher: str, delay: str, timing: GcmTiming, any_iv: bool) -> tuple[WrapperItem, ...]:
    """Counter blocks go through the cipher, and what waits beside it."""
    key_slots, lanes, width = timing.key_slots, timing.lanes, 128 * timing.lanes
    meta, _ = meanings(any_iv, key_slots)
    late = {f"{n}_late_o": f"{n}_late" for n in ("keep", *meta)}
    given = {f"{n}_i": f"{n}_3" for n in ("keep", *meta)}
    chosen = {"second_i": "second_3"} if key_slots > 1 else {"valid_i": "1'b1"}
    chain = "{iv_4, number} | {127'd0, end_4}"
    if any_iv:
        chain = f"{{iv_4, number | (initial_q & {spread('shows_initial', _NUMBER)})}}"
    if key_slots > 1:
        chain = f"{{iv_4 & ~{spread('hash_key_4', IV_BITS)}, number}} | {{127'd0, end_4}}"
    clocked = {"clk": "clk", "rst_i": "rst_i"}
    one, held = lanes == 1, "q2" if key_slots == 1 else "q"
    return (
        Note("Counter blocks: the IV and a number, which is 1 in the packet's end; zero for the hash key."),
        *([Reg(("chain",), 128)] if one else block_items(lanes)),
        Wire(("stream", "block_late_0"), width),
        Reg(("block_late",), width, "A register behind the memory in which it waits."),
        Wire(("keep_late",), timing.word_bytes),
        Wire(("stream_valid",), lint="a slot's meaning is told by what waits beside the cipher."),
        Wire(tuple(f"{n}_late" for n in meta)),
        *(copies("blank_4", "blank_3" if key_slots > 1 else "clear_3", _NUMBER) if one else ()),
        *([Let("number", f"count & ~{spread('blank_4', _NUMBER)}", _NUMBER)] if one else []),
        Clocked((*([Step("chain", chain)] if one else []), Step("block_late", "block_late_0"))),
        Cell(
            cipher,
            "u_cipher",
            {
                **clocked,
                "key_valid_i": f"key_valid_{held}",
                "key_i": f"key_{held}",
                "key_ready_o": "expanded_0" if key_slots == 1 else "expanded",
                "wipe_i": f"wipe_{held}",
                **chosen,
                "block_i": "chain" if lanes == 1 else f"{{{', '.join(map(chain_of, range(lanes)))}}}",
                "valid_o": "stream_valid",
                "block_o": "stream",
            },
        ),
        Cell(
            delay,
            "u_beside",
            {**clocked, "block_i": "block_3", **given, "block_late_o": "block_late_0", **late},
        ),
    )


def _line(timing: GcmTiming, any_iv: bool) -> tuple[WrapperItem, ...]:
    """What a slot means, from before its value leaves the cipher until its tag is there: `name_k` is k cycles
    after `name_late`.
    """
    value = timing.early
    tag = value + timing.tag_lead
    meta, reset = meanings(any_iv, timing.key_slots)
    lengths = {"keep": value - 1, "aad": value - 2, "hash_key": value - 1, "decrypt": tag, "last": value}
    lengths |= {"first": 3, "data": value, "end": tag, "setup": value, OF_SLOT: value + 1}
    lengths = {n: length for n, length in lengths.items() if n == "keep" or n in meta}
    lengths |= {OF_IV: tag} if any_iv else {}
    registers, plain, cleared = list[WrapperItem](), list[Step](), list[Step]()
    for n, length in lengths.items():
        width = timing.word_bytes if n == "keep" else 1
        registers.append(Reg(tuple(f"{n}_l{k}" for k in range(1, length + 1)), width))
        steps = [Step(f"{n}_l{k}", f"{n}_l{k - 1}" if k > 1 else f"{n}_late") for k in range(1, length + 1)]
        (cleared if n in reset else plain).extend(steps)
    zero = tuple((s.target, "1'b0") for s in cleared)
    return (
        Note("What slots mean, while their values are computed and hashed."),
        *registers,
        Clocked(tuple(plain)),
        Clocked(tuple(cleared), zero, gated=True),
    )
