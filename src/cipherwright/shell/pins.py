"""Ports of a core that the layers around its datapath hand through."""

from __future__ import annotations

from ..rtl import Pin

__all__ = ["Pin", "pins_of"]


def pins_of(key_bits: int, agile: bool, unit: bool, both: bool) -> tuple[Pin, ...]:
    """Pins of a core with its key: loaded into a key-expansion unit, or with the block (`agile`), or held."""
    direction = (Pin("decrypt_i", with_block=agile or unit),) if both else ()
    if unit:
        return (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True), *direction)
    return (Pin("key_i", key_bits, with_block=agile), *direction)
