"""Galois/Counter Mode around a pipeline of any cipher with blocks of 128 bits (NIST SP 800-38D), for IVs of
96 bits.

A slot is a cycle. Every word of a packet takes one slot, and the packet's end one more, in which the cipher
makes E(K, J0) while GHASH takes the block of lengths. A slot goes through the cipher as a counter block; the
word itself and what it means go beside it through delays of the same length. Behind the cipher, byte masks
choose what is hashed (the word, its sum with the key stream, or nothing) and what leaves. In the packet's
last slot the word is the expected tag in decryption, and zero in encryption. So the same sum with E(K, J0) and
with GHASH is the tag of a packet that was encrypted, and zero for one whose tag is right.

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
from .counter import counter_items
from .ports import PACKET, RESULTS
from .results import length_items, mask_items, tag_items
from .timing import KEEP, META, RESET, VERDICT, GcmTiming

__all__ = ["gcm_layer"]


def gcm_layer(
    name: str, parts: Sequence[str], key_bits: int, timing: GcmTiming, tag_bits: int = 128
) -> Wrapper:
    """The mode around a pipeline with its key unit. parts: the modules of the pipeline, of the delays and of
    GHASH.
    """
    cipher, delay, ghash = parts
    return Wrapper(
        name,
        (
            "Galois/Counter Mode, a word a cycle and one cycle more for each packet.",
            "A packet's first word brings its IV, its last the expected tag.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"))),
            Stream("valid_i", (*PACKET, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held(RESULTS),
        ),
        declared_first(
            (
                *_key(timing),
                *_words(),
                *counter_items("count", 2, "data_1", "fresh"),
                *_cipher_input(cipher, delay, timing.ghash.loop),
                *_line(timing),
                *length_items(timing.early),
                *mask_items(timing, ghash, tag_bits),
                *tag_items(timing, tag_bits),
            )
        ),
    )


def _key(timing: GcmTiming) -> tuple[WrapperItem, ...]:
    """Powers of the hash key are made after a key is expanded."""
    length = timing.ghash.loop + 1
    held = "expanded & ~pending & ~filling"
    return (
        Note("A key is complete when the powers of its hash key are there."),
        Wire(("expanded", "filled")),
        Reg(("pending", "filling", "armed")),
        Reg(("setup",), length, "The slots that give one, H, and H again."),
        Let("starts", "pending & expanded & ~wipe_i & ~key_valid_i"),
        Drive("key_ready_o", held),
        Clocked(
            (
                Step("pending", "key_valid_i | wipe_i | (pending & ~starts)"),
                Step("filling", "starts | (filling & ~(armed & filled))"),
                Step("armed", "~starts & (armed | setup_l4)"),
                Step("setup", f"{{setup[{length - 2}:0], starts}}"),
            ),
            (("pending", "1'b0"), ("filling", "1'b0"), ("armed", "1'b0"), ("setup", f"{length}'d0")),
        ),
    )


def _words() -> tuple[WrapperItem, ...]:
    """The word that was taken, and the slot after a packet's last."""
    return (
        Note("Words as they are taken. The slot after a packet's last word is the packet's end."),
        Reg(("start_q", "word_1", "end_1", "first_1", "last_1", "aad_1", "decrypt_1", "data_1")),
        Reg(("keep_1",), KEEP),
        Reg(("block_1", "tag_1"), 128),
        Reg(("iv_1",), 96),
        Drive("ready_o", "~end_0"),
        Reg(("end_0",)),
        Let("take_iv", "(valid_i & start_q) | fill_i | pending"),
        Clocked(
            (
                Step("start_q", "drop_i | (valid_i ? last_i : start_q)"),
                Step("end_0", "valid_i & last_i & ~drop_i"),
                Step("end_1", "end_0 & ~drop_i"),
                Step("word_1", "valid_i"),
                Step("data_1", "valid_i & ~aad_i & keep_i[15]"),
            ),
            (("start_q", "1'b1"), *((q, "1'b0") for q in ("end_0", "end_1", "word_1", "data_1"))),
        ),
        Clocked(
            (
                Step("first_1", "valid_i & start_q"),
                Step("last_1", "last_i"),
                Step("aad_1", "aad_i"),
                Step("decrypt_1", "decrypt_i", "~end_0"),
                Step("keep_1", "keep_i"),
                Step("block_1", "block_i"),
                Step("iv_1", "iv_i & {96{~pending}}", "take_iv"),
                Step("tag_1", "tag_i & {128{decrypt_i}}", "~end_0"),
            )
        ),
    )


def _cipher_input(cipher: str, delay: str, loop: int) -> tuple[WrapperItem, ...]:
    """Counter blocks, and what waits beside the cipher."""
    late = {f"{n}_late_o": f"{n}_late" for n in ("keep", *META)}
    given = {f"{n}_i": f"{n}_2" for n in ("keep", *META)}
    clocked = {"clk": "clk", "rst_i": "rst_i"}
    return (
        Note("Counter blocks: the IV and a number, which is 1 in the packet's end; zero for the hash key."),
        Let("fresh", "end_1 | pending | filling"),
        Reg(("chain",), 128),
        Reg(("block_2",), 128),
        Reg(("keep_2",), KEEP),
        Reg(tuple(f"{n}_2" for n in META if n != "setup")),
        Let("setup_2", "setup[1]"),
        Wire(("stream", "block_late"), 128),
        Wire(("keep_late",), KEEP),
        Wire(("stream_valid",), lint="a slot's meaning is told by what waits beside the cipher."),
        Wire(tuple(f"{n}_late" for n in META)),
        Clocked(
            (
                Step("chain", "{iv_1, count & {32{~fresh}}} | {127'd0, end_1}"),
                Step("block_2", "end_1 ? tag_1 : block_1"),
                Step("keep_2", f"keep_1 & {{{KEEP}{{word_1}}}}"),
                Step("first_2", f"first_1 | setup[0] | setup[{loop}]"),
                Step("last_2", "last_1"),
                Step("aad_2", "aad_1"),
                Step("decrypt_2", "decrypt_1"),
                Step("hash_key_2", f"setup[1] | setup[{loop}]"),
            )
        ),
        Clocked(
            (Step("data_2", "data_1"), Step("end_2", "end_1")),
            (("data_2", "1'b0"), ("end_2", "1'b0")),
        ),
        Cell(
            cipher,
            "u_cipher",
            {
                **clocked,
                "key_valid_i": "key_valid_i",
                "key_i": "key_i",
                "key_ready_o": "expanded",
                "wipe_i": "wipe_i",
                "valid_i": "1'b1",
                "block_i": "chain",
                "valid_o": "stream_valid",
                "block_o": "stream",
            },
        ),
        Cell(
            delay,
            "u_beside",
            {**clocked, "block_i": "block_2", **given, "block_late_o": "block_late", **late},
        ),
    )


def _line(timing: GcmTiming) -> tuple[WrapperItem, ...]:
    """What a slot means, from before its value leaves the cipher until its tag is there: `name_k` is k cycles
    after `name_late`.
    """
    value = timing.early
    tag = value + timing.ghash.loop + 3 + VERDICT
    lengths = {"keep": value - 1, "aad": value - 1, "hash_key": value - 1, "decrypt": tag, "last": value}
    lengths |= {"first": 3, "data": value, "end": tag, "setup": value}
    registers, plain, cleared = list[WrapperItem](), list[Step](), list[Step]()
    for n, length in lengths.items():
        width = KEEP if n == "keep" else 1
        registers.append(Reg(tuple(f"{n}_l{k}" for k in range(1, length + 1)), width))
        steps = [Step(f"{n}_l{k}", f"{n}_l{k - 1}" if k > 1 else f"{n}_late") for k in range(1, length + 1)]
        (cleared if n in RESET else plain).extend(steps)
    zero = tuple((s.target, "1'b0") for s in cleared)
    return (
        Note("What slots mean, while their values are computed and hashed."),
        *registers,
        Clocked(tuple(plain)),
        Clocked(tuple(cleared), zero),
    )
