"""Timing of a core of GCM, and what the slots of its pipeline bring with them."""

from __future__ import annotations

from dataclasses import dataclass

from ..ghash import GhashTiming

__all__ = [
    "BUMP",
    "FRONT",
    "KEEP",
    "META",
    "OF_IV",
    "OF_SLOT",
    "POWER_CYCLES",
    "RESET",
    "SETTLE",
    "SLOTS",
    "VERDICT",
    "GcmTiming",
    "meanings",
]

KEEP = 16
"""Bytes of a block, and of a word of one lane."""

FRONT = 5
"""Registers in front of the cipher, beside one more for each lane's own counter block."""

SLOTS = 3
"""Those in front of the delays of what a slot brings with it."""

VERDICT = 4
"""Lookup tables in a row, each with its register, from a difference of 128 bits to the verdict."""

META = ("data", "end", "setup", "first", "last", "aad", "decrypt", "hash_key")
"""What goes with a slot, one bit each: a word of data; the packet's last slot; the first slot of making
powers; the packet's first word and its last; the word is additional data; the packet is decrypted; the slot
is E(K, 0).
"""

RESET = ("data", "end", "setup")
"""Those from which a control output can be reached."""


_SPARE = 8
"""Cycles between two hash keys beside those in which the powers of the first are made."""

POWER_CYCLES = 130
"""Cycles of a product of the serial multiplier (powers.py): a coefficient each, and two to begin."""

OF_SLOT = "slot"
"""What goes with a slot besides, where two keys are resident: under which key its packet goes."""

OF_IV = "derives"
"""What goes with a slot besides, where IVs of any length are taken: it is of an IV, a word or its end. A
control output can be reached from it.
"""

BUMP = 10
"""Cycles from taking a counter block J0 to the step of the number: the carries of its pieces are there."""

SETTLE = 2 * BUMP - 3
"""Cycles of the line that tells when J0 is there and its number went up; then the next word is taken."""


def meanings(any_iv: bool, key_slots: int = 1) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """META and RESET of a core; any_iv: it takes IVs of any length. Where two keys are resident
    (`key_slots`), powers are made apart, and the slot that is E(K, 0) alone says when.
    """
    if key_slots > 1:
        return (*(n for n in META if n != "setup"), OF_SLOT), ("data", "end", "hash_key")
    more = (OF_IV,) if any_iv else ()
    return (*META, *more), (*RESET, *more)


@dataclass(frozen=True)
class GcmTiming:
    """Cycles of a core. cipher: from a counter block to its value; ghash: of the GHASH unit."""

    cipher: int
    ghash: GhashTiming

    @property
    def key_slots(self) -> int:
        """Resident keys."""
        return self.ghash.banks

    @property
    def lanes(self) -> int:
        """Blocks of a word."""
        return self.ghash.lanes

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return KEEP * self.lanes

    @property
    def front(self) -> int:
        """Registers in front of the cipher."""
        return FRONT + self.ghash.of_lanes

    @property
    def early(self) -> int:
        """Cycles by which what goes with a slot is there before its value leaves the cipher."""
        return self.ghash.flags_lead + 2

    @property
    def beside(self) -> int:
        """Cycles from a slot with what it brings to its value."""
        return self.cipher + self.front - SLOTS

    @property
    def latency(self) -> int:
        """Cycles from accepting a word to its result."""
        return self.front + self.cipher + 1

    @property
    def tag_latency(self) -> int:
        """Cycles from accepting a packet's last word to its tag and verdict."""
        return self.front + 1 + self.cipher + 2 + self.ghash.sum_latency + 1 + VERDICT

    @property
    def tag_lead(self) -> int:
        """Cycles from a packet's last slot leaving the cipher to the last register before its tag."""
        return self.ghash.sum_latency + 2 + VERDICT

    @property
    def initial_block(self) -> int:
        """Cycles from accepting the last word of an IV of another length than 96 bits to its packet's first
        word, at least.
        """
        return self.tag_latency + SETTLE

    @property
    def powers_end(self) -> int:
        """Cycles after zeroise_i in which powers of the hash key of before may still be made, apart from the
        way through the cipher; the block that gives those of the key of zeros may not follow earlier. Where
        two keys are resident they are stopped.
        """
        if self.key_slots > 1:
            return 0
        return self.ghash.flags_lead + self.ghash.most * self.ghash.loop + _SPARE

    @property
    def power_cycles(self) -> int:
        """Cycles in which the powers of a new hash key are made, with those on the way to and from the
        control of keys: E(K, 0) through the cipher, then L turns of L cycles each, for every lane; or where
        two keys are resident, L products of the serial multiplier.
        """
        if self.key_slots > 1:
            return self.front + self.cipher + self.ghash.loop * POWER_CYCLES + 9
        return self.front + self.cipher + self.ghash.most * self.ghash.loop + 9
