"""What a user of the MARS engine sees: its options, the addresses on its bus, and its cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .keys import expansion_cycles

__all__ = ["ADDRESS", "MarsOptions", "MarsTiming"]

ADDRESS = {"s": 0x000, "keys": 0x228, "message": 0x240, "result": 0x244, "command": 0x248, "status": 0x249}
"""Addresses of the bus's words; the words of the S-box, the key, the message and the result go to the one
named and those after it.
"""

_READS = {"ram4": 3, "ram3": 2, "ram1": 1, "rom": 1}


@dataclass(frozen=True)
class MarsTiming:
    """Cycles: from a block to its result by itself, which is also the time from block to block where each
    needs the one before (`latency`), from block to block (`interval`), and of a key's expansion
    (`expansion`).
    """

    latency: int
    interval: int
    expansion: int


@dataclass(frozen=True)
class MarsOptions:
    """The options of a spec or a record that decide what the engine is (`adder`, `multiplier`, `final_adder`,
    `sbox_memory`, `key_memory`, `key_wait`, `readable_keys`); their meaning and values are documented with
    the spec.
    """

    adder: str
    multiplier: str
    final_adder: str
    sbox_memory: str
    key_memory: str
    key_wait: int
    readable_keys: bool

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> MarsOptions:
        """The engine's own among `parameters`, all options of a spec or a record."""
        return cls(**{f.name: parameters[f.name] for f in fields(cls)})

    @property
    def reads(self) -> int:
        """Reads of the S-box in a cycle while the engine mixes or runs the core."""
        return _READS[self.sbox_memory]

    @property
    def halves(self) -> bool:
        """Whether a round of mixing takes two cycles, since S0 and S1 have one read each."""
        return self.reads == 1

    @property
    def rom(self) -> bool:
        """Whether the S-box is logic, not a memory that is loaded over the bus."""
        return self.sbox_memory == "rom"

    @property
    def banks(self) -> bool:
        """Whether the key storage is two banks with a read and a write each."""
        return self.key_memory == "ram2"

    @property
    def control(self) -> dict[str, int]:
        """Parameters of the hand-written control."""
        return {
            "OVERLAP": int(self.sbox_memory == "ram4"),
            "HALVES": int(self.halves),
            "KEY_WAIT": self.banks * self.key_wait,
            "SPLIT": int(self.banks),
            "READABLE": int(self.readable_keys),
        }

    @property
    def timing(self) -> MarsTiming:
        """Cycles of the engine."""
        mixing = 1 + 8 * (1 + self.halves)
        latency = 2 * mixing + 16 + self.banks * self.key_wait
        return MarsTiming(
            latency,
            2 * mixing if self.sbox_memory == "ram4" else latency,
            expansion_cycles(1, 0, 0) + 60 * self.banks,
        )
