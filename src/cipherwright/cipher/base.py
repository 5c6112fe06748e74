"""What a cipher states about itself: sizes, its rounds, its key schedule. Nothing of clocks or hardware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .builder import Builder, IntBuilder, Word

__all__ = ["KEY_SCHEDULES", "ROUND_KEY", "Cipher"]

ROUND_KEY = "k"
"""The name that every round key carries."""

KEY_SCHEDULES = ("direct", "stepped")

# The functions of a cipher are generic in the builder's word type; `Any` stands for it.
State = tuple[Any, ...]


class Cipher(ABC):
    """One block cipher, described by rounds over a builder.

    `key_bits` is the key as supplied (DES 64 with its parity bits). All widths are in bits; ports carry
    byte 0 of the standard in their most significant byte.
    """

    name: str
    title: str
    standard: str
    block_bits: int
    key_sizes: tuple[int, ...]

    def check_key_bits(self, key_bits: int) -> None:
        """Raise ValueError where the cipher has no such key size."""
        if key_bits not in self.key_sizes:
            sizes = ", ".join(map(str, self.key_sizes))
            raise ValueError(f"{self.name} takes keys of {sizes} bits, not {key_bits}")

    @abstractmethod
    def rounds(self, key_bits: int) -> int:
        """Number of rounds."""

    @abstractmethod
    def effective_key(self, b: Builder[Any], key: Any) -> Any:
        """The supplied key (`key_bits` wide) without the bits that the standard ignores: wiring only."""

    @abstractmethod
    def start(self, b: Builder[Any], block: Any) -> State:
        """The state before the first round."""

    @abstractmethod
    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        """Round `index` (from 0)."""

    @abstractmethod
    def turn(self, b: Builder[Any], key_bits: int, index: int, state: State) -> State:
        """What stands between round `index` and the next one besides the round (TDES: the half-swap); wiring."""

    @abstractmethod
    def finish(self, b: Builder[Any], state: State) -> Any:
        """The output block from the state after the last round."""

    @abstractmethod
    def round_key(self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any) -> Any:
        """Round key `index` straight from the effective key, for the direction `decrypt` (one bit)."""

    @abstractmethod
    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        """The key schedule's state before the first round."""

    @abstractmethod
    def key_control(self, key_bits: int, index: int) -> int:
        """The schedule's control word of round `index` (width `control_bits`): a constant when unrolled."""

    @abstractmethod
    def control_bits(self, key_bits: int) -> int:
        """Width of the control word; also of what `turn` needs when the rounds are folded."""

    @abstractmethod
    def key_step(self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any) -> tuple[Any, State]:
        """The round key that the schedule's state holds, and the state for the next round."""

    @abstractmethod
    def folded_round(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, round_key: Any
    ) -> State:
        """One round with `turn` made conditional on the control word: the body of an iterative core."""

    def crypt(self, b: Builder[Any], block: Any, key: Any, decrypt: Any, schedule: str = "direct", controls: Any = None) -> Any:
        """The whole cipher on one block with the supplied key. `schedule` is one of KEY_SCHEDULES; `controls`: the
        control words of all rounds as one word (round 0 at the top), in place of constants."""
        if schedule not in KEY_SCHEDULES:
            raise ValueError(f"the key schedule is one of {', '.join(KEY_SCHEDULES)}, not {schedule}")
        key_bits = b.width(key)
        self.check_key_bits(key_bits)
        key = self.effective_key(b, key)
        state = self.start(b, block)
        keys = self.key_start(b, key_bits, key, decrypt) if schedule == "stepped" else ()
        for i in range(self.rounds(key_bits)):
            if schedule == "direct":
                round_key = self.round_key(b, key_bits, i, key, decrypt)
            else:
                width = self.control_bits(key_bits)
                control = b.const(width, self.key_control(key_bits, i))
                if controls is not None:
                    low = width * (self.rounds(key_bits) - 1 - i)
                    control = b.select(controls, range(low + width - 1, low - 1, -1))
                round_key, keys = self.key_step(b, key_bits, control, keys, decrypt)
            state = self.turn(b, key_bits, i, self.round(b, key_bits, i, state, b.named(round_key, ROUND_KEY)))
        return self.finish(b, state)

    def all_controls(self, key_bits: int) -> int:
        """The control words of all rounds as one word, round 0 at the top."""
        out = 0
        for i in range(self.rounds(key_bits)):
            out = out << self.control_bits(key_bits) | self.key_control(key_bits, i)
        return out

    def encrypt_block(self, key: bytes, block: bytes, decrypt: bool = False) -> bytes:
        """Reference model on bytes."""
        if len(block) * 8 != self.block_bits:
            raise ValueError(f"{self.name} takes blocks of {self.block_bits // 8} bytes, not {len(block)}")
        b = IntBuilder()
        out = self.crypt(b, _word(block), _word(key), Word(1, int(decrypt)))
        return int(out.value).to_bytes(self.block_bits // 8, "big")

    @abstractmethod
    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        """Every lookup table by its standard name: (output width, entries)."""


def _word(data: bytes) -> Word:
    return Word(len(data) * 8, int.from_bytes(data, "big"))
