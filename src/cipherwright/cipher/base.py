"""What a cipher states about itself: sizes, its rounds, its key schedule. Nothing of clocks or hardware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeVar

from .builder import Builder, IntBuilder, IntWord

__all__ = ["KEY_SCHEDULES", "ROUND_KEY", "BuilderCipher", "Cipher"]

ROUND_KEY = "k"
"""The name that every round key carries."""

KEY_SCHEDULES = ("direct", "stepped")

W = TypeVar("W")

# The functions of a cipher are generic in the builder's word type; `Any` stands for it.
State = tuple[Any, ...]


class Cipher(ABC):
    """One block cipher: its name, its sizes, its reference model.

    `standard`: the document that states it. `key_sizes`: keys as supplied (DES: 64 bits, with its parity
    bits). All widths are in bits; ports carry byte 0 of the standard in their most significant byte.
    """

    name: str
    title: str
    standard: str
    block_bits: int
    key_sizes: tuple[int, ...]
    block_sizes: tuple[int, ...] = ()
    """Sizes of a block where the cipher leaves a choice."""

    key_unit: Literal["", "loop", "store"] = ""
    """Whether a key-expansion unit can make the round keys of a held key, which are then words that are
    the same ones in both directions: one after the other in a loop, or over a store of words.
    """

    key_variants: tuple[str, ...] = ("kept",)
    """Ways to have late round keys straight from the key: `kept` since they were first computed, or
    `recomputed`.
    """

    paper_ports: bool = False
    """Whether `interface = paper` is there for the cipher: the ports of a published core of it."""

    datapaths: tuple[int, ...] = ()
    """Bits of the narrower datapaths that the cipher has."""

    def check_datapath(self, datapath_bits: int) -> None:
        """Raise ValueError where the cipher has no datapath of so many bits."""
        if datapath_bits in self.datapaths:
            return
        others = f"of {', '.join(map(str, self.datapaths))} bits and " if self.datapaths else ""
        raise ValueError(
            f"{self.title} has no datapath of {datapath_bits} bits, only {others}of whole blocks"
        )

    def check_block_bits(self, block_bits: int) -> None:
        """Raise ValueError where the cipher has no such block size."""
        sizes = self.block_sizes or (self.block_bits,)
        if block_bits not in sizes:
            raise ValueError(f"{self.name} has blocks of {', '.join(map(str, sizes))} bits, not {block_bits}")

    def with_block(self, block_bits: int) -> Cipher:
        """The same cipher with another block size. Raises ValueError where it has no such size."""
        self.check_block_bits(block_bits)
        return self

    def check_key_bits(self, key_bits: int) -> None:
        """Raise ValueError where the cipher has no such key size."""
        if key_bits not in self.key_sizes:
            sizes = ", ".join(map(str, self.key_sizes))
            raise ValueError(f"{self.name} takes keys of {sizes} bits, not {key_bits}")

    @abstractmethod
    def rounds(self, key_bits: int) -> int:
        """Number of rounds."""

    def standard_rounds(self, key_bits: int) -> int:
        """The standard's number of rounds."""
        return self.rounds(key_bits)

    def with_rounds(self, rounds: int) -> Cipher:
        """The same cipher with another number of the standard's rounds. Raises ValueError where that is
        fixed.
        """
        raise ValueError(f"the number of rounds of {self.title} is fixed")

    @abstractmethod
    def crypt(self, b: Builder[W], block: W, key: W, decrypt: W) -> W:
        """The description over a builder: the block under the supplied key, in the direction `decrypt`
        (one bit). Raises ValueError where the cipher has no such key size.
        """

    def encrypt_block(self, key: bytes, block: bytes, decrypt: bool = False) -> bytes:
        """The reference model on bytes. Raises ValueError where key or block have another size."""
        self._check_block(block)
        out = self.crypt(IntBuilder(), _word(block), _word(key), IntWord(1, int(decrypt)))
        return out.value.to_bytes(self.block_bits // 8, "big")

    def _check_block(self, block: bytes) -> None:
        if len(block) * 8 != self.block_bits:
            raise ValueError(f"{self.name} takes blocks of {self.block_bits // 8} bytes, not {len(block)}")

    @abstractmethod
    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        """Every lookup table by its standard name: (output width, entries)."""


class BuilderCipher(Cipher):
    """A cipher that is described by rounds over a builder, not yet as its standard.

    The rounds are those that a core unrolls or repeats. What stands before and after them is in `start`
    and `finish`, which take a round key of their own where `first_key` and `last_key` say so. Round keys
    are counted through all of them: with a first key, number 0 is `start`'s and round i (from 0) uses
    number i + 1.
    """

    first_key: bool = False
    last_key: bool = False

    def round_keys(self, key_bits: int) -> int:
        """Number of round keys, those of `start` and `finish` included."""
        return self.rounds(key_bits) + self.first_key + self.last_key

    def effective_key(self, b: Builder[Any], key: Any) -> Any:
        """The supplied key (`key_bits` wide) without the bits that the standard ignores: wiring only."""
        return key

    @abstractmethod
    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        """The state before the first round. `round_key` is None without `first_key`."""

    @abstractmethod
    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        """Round `index` (from 0)."""

    def turn(self, b: Builder[Any], key_bits: int, index: int, state: State) -> State:
        """What stands between round `index` and the next one besides the round (TDES: the half-swap);
        wiring.
        """
        return state

    @abstractmethod
    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        """The output block from the state after the last round. `round_key` is None without `last_key`."""

    @abstractmethod
    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        """Round key `index` straight from the effective key, for the direction `decrypt` (one bit)."""

    def direct_keys(
        self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Iterator[Any]:
        """All of them, in the order of use."""
        for i in range(self.round_keys(key_bits)):
            yield b.named(self.round_key(b, key_bits, i, key, decrypt, variant), ROUND_KEY)

    @abstractmethod
    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        """The key schedule's state before the first step."""

    def key_setup(self, key_bits: int, decrypt: bool = True) -> int:
        """Steps that a direction takes before its first round key (decryption where the schedule must
        first run to its end).
        """
        return 0

    @abstractmethod
    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        """The schedule's control word of step `index` (width `control_bits`): a constant when unrolled.
        Steps of the setup count from -key_setup to -1.
        """

    @abstractmethod
    def control_bits(self, key_bits: int) -> int:
        """Width of the control word; also of what `turn` needs when the rounds are folded."""

    @abstractmethod
    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        """One step: its round key, and the state for the next step."""

    def key_words(self, key_bits: int, index: int) -> int:
        """Width of what a key-expansion unit supplies for round key `index` (in the order of use)."""
        return self.block_bits

    def supplied_key(self, b: Builder[Any], word: Any, decrypt: Any) -> Any:
        """A round key from a word that a key-expansion unit made (only with `key_unit`)."""
        raise ValueError(f"{self.title} has no key-expansion unit")

    def folded_round(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, round_key: Any
    ) -> State:
        """One round with `turn` made conditional on the control word: the body of an iterative core."""
        return self.round(b, key_bits, 0, state, round_key)

    def crypt(
        self,
        b: Builder[Any],
        block: Any,
        key: Any,
        decrypt: Any,
        schedule: str = "direct",
        controls: Any = None,
        variant: str = "kept",
    ) -> Any:
        """The whole cipher on one block with the supplied key. `schedule` is one of KEY_SCHEDULES;
        `controls`: the control words of all rounds as one word (round 0 at the top), in place of
        constants; `variant` is one of
        `key_variants` and concerns the direct schedule.
        """
        if schedule not in KEY_SCHEDULES:
            raise ValueError(f"the key schedule is one of {', '.join(KEY_SCHEDULES)}, not {schedule}")
        key_bits = b.width(key)
        self.check_key_bits(key_bits)
        return self.crypt_with_keys(
            b,
            key_bits,
            block,
            self._round_keys(b, key_bits, self.effective_key(b, key), decrypt, schedule, controls, variant),
        )

    def crypt_with_keys(self, b: Builder[Any], key_bits: int, block: Any, keys: Iterator[Any]) -> Any:
        """The rounds alone, with the round keys of `key_bits` long keys in the order of use."""
        state = self.start(b, block, next(keys) if self.first_key else None)
        for i in range(self.rounds(key_bits)):
            state = self.turn(b, key_bits, i, self.round(b, key_bits, i, state, next(keys)))
        return self.finish(b, state, next(keys) if self.last_key else None)

    def _round_keys(
        self,
        b: Builder[Any],
        key_bits: int,
        key: Any,
        decrypt: Any,
        schedule: str,
        controls: Any,
        variant: str,
    ) -> Iterator[Any]:
        """All round keys in the order of use."""
        count = self.round_keys(key_bits)
        if schedule == "direct":
            yield from self.direct_keys(b, key_bits, key, decrypt, variant)
            return
        state = self.key_start(b, key_bits, key, decrypt)
        width = self.control_bits(key_bits)
        setup = [self.key_setup(key_bits, way) for way in (False, True)]
        for i in range(-max(setup), count):
            words = [
                self.key_control(key_bits, i, way) if i >= -setup[way] else None for way in (False, True)
            ]
            if controls is not None:
                low = width * (count - 1 - i)
                control = b.select(controls, range(low + width - 1, low - 1, -1))
            else:
                one, other = (
                    b.const(width, next(w for w in (mine, theirs) if w is not None))
                    for mine, theirs in (words, words[::-1])
                )
                control = b.mux(decrypt, other, one)
            round_key, after = self.key_step(b, key_bits, control, state, decrypt)
            if words[0] is None:  # encryption waits
                after = tuple(b.mux(decrypt, new, old) for new, old in zip(after, state, strict=True))
            elif words[1] is None:
                after = tuple(b.mux(decrypt, old, new) for new, old in zip(after, state, strict=True))
            state = after
            if i >= 0:
                yield b.named(round_key, ROUND_KEY)

    def all_controls(self, key_bits: int) -> int:
        """The control words of all rounds as one word, round 0 at the top."""
        out = 0
        for i in range(self.round_keys(key_bits)):
            out = out << self.control_bits(key_bits) | self.key_control(key_bits, i)
        return out


def _word(data: bytes) -> IntWord:
    return IntWord(len(data) * 8, int.from_bytes(data, "big"))
