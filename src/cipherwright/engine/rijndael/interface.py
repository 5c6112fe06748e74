"""What a user of the Rijndael processor sees: its options, its instructions, and its cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...cipher.rijndael import RIJNDAEL

__all__ = ["INSTRUCTIONS", "RijndaelOptions", "processor_rounds"]

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
"""Table 1 of the paper."""


@dataclass(frozen=True)
class RijndaelOptions:
    """The options of a spec or a record that decide what the processor is; their meaning and values are
    documented with the spec. The sizes are those that the record's figures are for: every processor has
    all nine.
    """

    block_bits: int
    key_bits: int
    direction: str
    key_expansion: str
    sbox: str
    linear_depth: int

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> RijndaelOptions:
        """Of all options of a spec or a record."""
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
    """Rounds, which are cycles, of a block."""
    return RIJNDAEL.with_block(block_bits).standard_rounds(key_bits)
