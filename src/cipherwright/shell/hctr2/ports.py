"""Ports of a word of a packet, of its result, and of a whole core of HCTR2."""

from __future__ import annotations

from ...rtl import ClockReset, Group, Handshake, Held, Order, Pin, Stream
from ..core import PortSet

__all__ = ["RUNNING", "WIDE_PORTS", "WIDE_PORT_NAMES", "port_groups", "result_pins", "word_pins"]

WIDE_PORTS = PortSet(
    ready_out="ready_o",
    key_valid="key_valid_i",
    key_ready="key_ready_o",
    busy="busy_o",
    zeroise="zeroise_i",
    ready_in="ready_i",
)
"""Names of a core's ports."""

WIDE_PORT_NAMES = {
    "keep_in": "keep_i",
    "last_in": "last_i",
    "aad": "aad_i",
    "keep_out": "keep_o",
    "last_out": "last_o",
    "error": "error_o",
}
"""What a port of a packet is for -> its name, beside those of WIDE_PORTS."""

RUNNING = Pin("running_o", out=True)
"""What the mode tells beside its results: a packet has begun whose last word has not left."""

_KEPT = "bit {0} is 1 where byte 0 of the word is there, bit 0 for its last byte"


def word_pins(block_bits: int) -> tuple[Pin, ...]:
    """What goes with a word, of `block_bits` bits, that is offered."""
    size, n = block_bits // 8, WIDE_PORT_NAMES
    kept = (
        f"bytes of the word, from the left: {_KEPT.format(size - 1)}; only the last word of the tweak and of "
        "the text may lack some"
    )
    return (
        Pin(n["keep_in"], size, with_block=True, meaning=kept),
        Pin(n["last_in"], with_block=True, meaning="the packet ends with this word"),
        Pin(n["aad"], with_block=True, meaning="the word is of the tweak; those of the text follow it"),
        Pin(
            WIDE_PORTS.decrypt,
            with_block=True,
            meaning="the packet is decrypted (0: encrypted), read with its first word",
        ),
    )


def result_pins(block_bits: int) -> tuple[Pin, ...]:
    """What leaves beside a word of `block_bits` bits."""
    size, n = block_bits // 8, WIDE_PORT_NAMES
    return (
        Pin(
            n["keep_out"],
            size,
            True,
            meaning=f"bytes of the result; the others are 0: {_KEPT.format(size - 1)}",
        ),
        Pin(n["last_out"], out=True, meaning="the packet's result ends with this word"),
        Pin(
            n["error"],
            out=True,
            meaning="the packet breaks a rule or is too long: this word without bytes is all of its result",
        ),
    )


def port_groups(key_bits: int, block_bits: int, tells: tuple[Pin, ...] = ()) -> tuple[Group, ...]:
    """All ports of a core, in groups: for keys of `key_bits` and words of `block_bits` bits. tells: the port
    that tells what is around the core to forget, where something is.
    """
    n = WIDE_PORTS
    result = Pin(n.block_out, block_bits, True, order=Order.BYTES, meaning="word of the result, otherwise 0")
    busy = (
        "a packet has begun and its last word has not left, a key is expanded, or everything is being cleared"
    )
    key = Pin(n.key, key_bits, order=Order.BYTES, meaning="key")
    block = Pin(n.block_in, block_bits, order=Order.BYTES, meaning="word of a tweak or of a text")
    return (
        ClockReset(n.clk, n.reset),
        Handshake(n.key_valid, key, n.key_ready, what="a key"),
        Stream(n.valid_in, (*word_pins(block_bits), block), n.ready_out, what="a word"),
        Stream(
            n.valid_out, (result, *result_pins(block_bits)), n.ready_in, out=True, what="a word of the result"
        ),
        Held(
            (
                Pin(n.zeroise, meaning="one cycle clears keys, packets and the buffer"),
                Pin(n.busy, out=True, meaning=busy),
                *tells,
            )
        ),
    )
