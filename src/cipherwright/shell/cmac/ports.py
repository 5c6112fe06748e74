"""Ports of a message's words, of its tag, and of a whole core of CMAC."""

from __future__ import annotations

from ...rtl import ClockReset, Group, Handshake, Held, Order, Pin, Stream
from ..core import PortSet

__all__ = ["MAC_PORTS", "MAC_PORT_NAMES", "port_groups", "word_pins"]

MAC_PORTS = PortSet(
    ready_out="ready_o",
    decrypt="",
    key_valid="key_valid_i",
    key_ready="key_ready_o",
    busy="busy_o",
    zeroise="zeroise_i",
    valid_out="tag_valid_o",
    block_out="tag_o",
)
"""Names of a core's ports: the tag is its result."""

MAC_PORT_NAMES = {"keep_in": "keep_i", "last_in": "last_i"}
"""What a port of a word is for -> its name, beside those of MAC_PORTS."""


def word_pins(block_bits: int) -> tuple[Pin, ...]:
    """What goes with a word, of `block_bits` bits, that is offered."""
    size = block_bits // 8
    kept = (
        f"bytes of the word, from the left: bit {size - 1} is 1 where byte 0 of the word is there, bit "
        "0 for its "
        "last byte; a word that is not the last has all"
    )
    return (
        Pin(MAC_PORT_NAMES["keep_in"], size, with_block=True, meaning=kept),
        Pin(MAC_PORT_NAMES["last_in"], with_block=True, meaning="the message ends with this word"),
    )


def port_groups(
    key_bits: int, block_bits: int, tag_bits: int, more: tuple[Pin, ...] = ()
) -> tuple[Group, ...]:
    """All ports of a core, in groups: for keys of `key_bits` and words of `block_bits` bits. tag_bits: of the
    tag that are shown; more: outputs of its control beside them.
    """
    n = MAC_PORTS
    shown = f"; its first {tag_bits} bits, then zeros" if tag_bits < block_bits else ""
    tag = Pin(
        n.block_out, block_bits, True, order=Order.BYTES, meaning=f"tag of the message, otherwise 0{shown}"
    )
    busy = "a word or a tag is on its way, a key is expanded, or everything is being cleared"
    key = Pin(n.key, key_bits, order=Order.BYTES, meaning="key")
    block = Pin(n.block_in, block_bits, order=Order.BYTES, meaning="word of a message")
    return (
        ClockReset(n.clk, n.reset),
        Handshake(n.key_valid, key, n.key_ready, what="a key"),
        Stream(n.valid_in, (*word_pins(block_bits), block), n.ready_out, what="a word"),
        Stream(n.valid_out, (tag,), out=True, what="a message's tag"),
        Held(
            (
                Pin(n.zeroise, meaning="one cycle clears keys, subkeys, messages and tags"),
                Pin(n.busy, out=True, meaning=busy),
                *more,
            )
        ),
    )
