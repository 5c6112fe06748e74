"""Ports of a packet, of its results, and of a whole core of GCM."""

from __future__ import annotations

from dataclasses import replace

from ...rtl import ClockReset, Group, Handshake, Held, Order, Pin, Stream
from ..core import PortSet
from ..slot_control import SLOT_PORTS
from .timing import KEEP

__all__ = [
    "ANY_IV",
    "GCM_PORTS",
    "IV_BITS",
    "IV_WORD_PORTS",
    "PACKET_PORTS",
    "RESULTS",
    "packet_pins",
    "packet_ports",
    "port_groups",
    "result_pins",
]

IV_BITS = 96
"""Bits of an IV that takes no time of its own (SP 800-38D, section 7.1, step 2)."""

ANY_IV = "any"
"""The value of `iv_bits` of a core that takes IVs of other lengths, too."""

_KEPT = "bit {} is 1 where byte 0 of the word is there, bit 0 for its last byte"

PACKET = (
    Pin(
        "keep_i", KEEP, with_block=True, meaning=f"bytes of the word, from the left: {_KEPT.format(KEEP - 1)}"
    ),
    Pin("last_i", with_block=True, meaning="the packet ends with this word"),
    Pin("aad_i", with_block=True, meaning="the word is additional data (0: data)"),
    Pin("decrypt_i", with_block=True, meaning="the packet is decrypted (0: encrypted)"),
    Pin("iv_i", IV_BITS, with_block=True, order=Order.BYTES, meaning="IV, read with the packet's first word"),
    Pin(
        "tag_i",
        128,
        with_block=True,
        order=Order.BYTES,
        meaning="expected tag of a packet that is decrypted, read with its last word",
    ),
)
"""What goes with a word that is offered."""

IV_WORD = Pin(
    "iv_word_i",
    with_block=True,
    meaning="the word is of an IV that has not 96 bits; last_i ends the IV, and its packet follows",
)
"""What goes with a word besides, where IVs of any length are taken."""

KEY_SLOT = Pin(
    SLOT_PORTS["key_slot"],
    with_block=True,
    meaning="the slot of the packet's key, read in the cycle before the packet's first word is taken",
)
"""What goes with a word besides, where two keys are resident."""

RESULTS = (
    Pin("keep_o", KEEP, True, meaning=f"bytes of the result; the others are 0: {_KEPT.format(KEEP - 1)}"),
    Pin("last_o", out=True, meaning="the packet's data end with this word"),
    Pin("tag_valid_o", out=True, meaning="a packet's tag or verdict is there, in this cycle alone"),
    Pin(
        "tag_o",
        128,
        True,
        order=Order.BYTES,
        meaning="tag of a packet that was encrypted, 0 of one that was decrypted",
    ),
    Pin("good_o", out=True, meaning="the packet was decrypted, and its tag is the expected one"),
)
"""What leaves beside a word: with it the first two; with the tag the others."""

GCM_PORTS = PortSet(
    ready_out="ready_o",
    key_valid="key_valid_i",
    key_ready="key_ready_o",
    iv="iv_i",
    busy="busy_o",
    zeroise="zeroise_i",
)

PACKET_PORTS = {
    "keep_in": "keep_i",
    "last_in": "last_i",
    "aad": "aad_i",
    "tag_in": "tag_i",
    "keep_out": "keep_o",
    "last_out": "last_o",
    "tag_valid": "tag_valid_o",
    "tag_out": "tag_o",
    "good": "good_o",
}
"""What a port of a packet is for -> its name, beside those of GCM_PORTS."""

IV_WORD_PORTS = {"iv_word": IV_WORD.name}
"""The same of a core that takes IVs of any length, besides."""


def packet_pins(any_iv: bool, key_slots: int = 1, lanes: int = 1) -> tuple[Pin, ...]:
    """What goes with a word that is offered; any_iv: IVs of any length are taken; key_slots: resident
    keys; lanes: blocks of a word.
    """
    return (*_wide(PACKET, lanes), *([IV_WORD] if any_iv else []), *([KEY_SLOT] if key_slots > 1 else []))


def result_pins(lanes: int = 1) -> tuple[Pin, ...]:
    """What leaves beside a word of `lanes` blocks: with it the first two; with the tag the others."""
    return _wide(RESULTS, lanes)


def _wide(pins: tuple[Pin, ...], lanes: int) -> tuple[Pin, ...]:
    """These ports beside words of so many blocks: a keep port has a bit for each byte."""
    keep, *others = pins
    size = KEEP * lanes
    meaning = keep.meaning.replace(_KEPT.format(KEEP - 1), _KEPT.format(size - 1))
    return (replace(keep, width=size, meaning=meaning), *others)


def packet_ports(any_iv: bool, key_slots: int = 1) -> dict[str, str]:
    """What a port of a packet is for -> its name; `any_iv` and `key_slots` as of `packet_pins`."""
    return PACKET_PORTS | (IV_WORD_PORTS if any_iv else {}) | (SLOT_PORTS if key_slots > 1 else {})


def port_groups(
    key_bits: int,
    tag_bits: int,
    any_iv: bool = False,
    more: tuple[Pin, ...] = (),
    word: tuple[Pin, ...] = (),
    beside: tuple[Pin, ...] = (),
    lanes: int = 1,
) -> tuple[Group, ...]:
    """All ports of a core, in groups. key_bits: of its key; tag_bits: of the tag that are shown; any_iv: it
    takes IVs of any length; more: outputs of its control beside them; word: what goes with a word, where that
    is not as in GCM; beside: what is taken with a key; lanes: blocks of a word.
    """
    n = GCM_PORTS
    keep, last, tag_valid, tag, good = result_pins(lanes)
    if tag_bits < tag.width:
        tag = replace(tag, meaning=f"{tag.meaning}; its first {tag_bits} bits, then zeros")
    busy = "a word or a tag is inside, a key is expanded, or everything is being cleared"
    what = "an IV, additional data or data" if any_iv else "additional data or data"
    of_word = f"{lanes} blocks, the first at the top: " if lanes > 1 else ""
    block = Pin(n.block_in, 128 * lanes, order=Order.BYTES, meaning=f"{of_word}word of {what}")
    result = Pin(n.block_out, 128 * lanes, True, order=Order.BYTES, meaning=f"{of_word}word of the result")
    return (
        ClockReset(n.clk, n.reset),
        Handshake(
            n.key_valid,
            Pin(n.key, key_bits, order=Order.BYTES, meaning="key"),
            n.key_ready,
            what="a key",
            beside=beside,
        ),
        Stream(n.valid_in, (*(word or packet_pins(any_iv)), block), n.ready_out, what="a word"),
        Stream(n.valid_out, (result, keep, last), out=True, what="a word of the result"),
        Held(
            (
                Pin(n.zeroise, meaning="one cycle clears keys, packets and tags"),
                Pin(n.busy, out=True, meaning=busy),
                tag_valid,
                tag,
                good,
                *more,
            )
        ),
    )
