"""What a user of the Rijndael processor sees: its options, its instructions, and its cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...cipher.rijndael import RIJNDAEL
from ...rtl import ClockReset, Group, Handshake, Order, Pin, Stream

__all__ = ["INSTRUCTIONS", "PORTS", "RijndaelOptions", "processor_rounds"]

INSTRUCTIONS = {
    "reset": 0b0000,
    "block_128": 0b1010,
    "block_192": 0b1011,
    "block_256": 0b1100,
    "key_128": 0b0010,
    "key_192": 0b0011,
    "key_256": 0b0100,
    "input_data": 0b1001,
    "input_key": 0b0001,
    "encrypt": 0b1101,
    "encrypt_feedback": 0b1110,
    "decrypt": 0b0101,
    "decrypt_feedback": 0b0110,
    "output_data": 0b0111,
}
"""Table 1 of Kuo and Verbauwhede (CHES 2001): name -> code of four bits."""

_CODES = ", ".join(
    f"{code:x} {name.replace('_', ' ')}"
    for name, code in INSTRUCTIONS.items()
    if not name.startswith(("block", "key"))
)

PORTS: tuple[Group, ...] = (
    ClockReset(),
    Handshake(
        "instruction_valid_i",
        Pin(
            "instruction_i",
            4,
            meaning=f"block length a, b, c and key length 2, 3, 4 (128, 192, 256 bits); {_CODES}",
        ),
        "ready_o",
        "an instruction",
    ),
    Stream(
        "in_valid_i",
        (Pin("in_data_i", 16, order=Order.PIECE_BIG, meaning="half-word of a block or key, in order"),),
        "in_ready_o",
        what="a half-word",
    ),
    Stream(
        "out_valid_o",
        (Pin("out_data_o", 16, True, order=Order.PIECE_BIG, meaning="half-word of a result, in order"),),
        "out_ready_i",
        True,
        "a half-word of a result",
    ),
)
"""Ports of the processor."""


@dataclass(frozen=True)
class RijndaelOptions:
    """The options of a spec or a record that decide what the processor is (`direction`, `key_expansion`,
    `sbox`, `linear_depth`); their meaning and values are documented with the spec. The sizes (`block_bits`,
    `key_bits`) are those that the record's figures are for: every processor has all nine.
    """

    block_bits: int
    key_bits: int
    direction: str
    key_expansion: str
    sbox: str
    linear_depth: int

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> RijndaelOptions:
        """The processor's own among `parameters`, all options of a spec or a record."""
        return cls(**{f.name: parameters[f.name] for f in fields(cls)})

    @property
    def both(self) -> bool:
        """Whether it decrypts as well."""
        return self.direction == "both"

    @property
    def buffer(self) -> bool:
        """Whether round keys are made once, into a buffer."""
        return self.key_expansion == "buffer"


def processor_rounds(block_bits: int, key_bits: int) -> int:
    """Rounds, which are cycles, of a block of `block_bits` bits under a key of `key_bits` bits: 10 to 14.

    >>> processor_rounds(128, 128), processor_rounds(256, 128)
    (10, 14)
    """
    return RIJNDAEL.with_block(block_bits).standard_rounds(key_bits)
