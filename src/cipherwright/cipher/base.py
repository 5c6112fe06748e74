"""What every cipher states about itself: names, sizes, a reference model. Nothing of clocks or hardware."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, Self, TypeVar

from .builder import Builder

__all__ = ["KEY_SCHEDULES", "ROUND_KEY", "Cipher", "numbered"]

ROUND_KEY = "k"
"""The name that every round key carries."""

KEY_SCHEDULES = ("direct", "stepped")

W = TypeVar("W")


def numbered(noun: str, first: int, last: int) -> str:
    """What `noun` says, by number: one of them, or those from `first` to `last`.

    >>> numbered("round", 7, 7), numbered("round", 1, 2), numbered("round key", 1, 8)
    ('round 7', 'rounds 1 and 2', 'round keys 1 to 8')
    """
    if first == last:
        return f"{noun} {first}"
    return f"{noun}s {first} {'and' if last == first + 1 else 'to'} {last}"


class Cipher(ABC):
    """One block cipher: its name, its sizes, its reference model.

    `standard`: the document that states it. `key_sizes`: keys as supplied (DES: 64 bits, with its parity
    bits). All widths are in bits; ports carry byte 0 of the standard in their most significant byte.

    >>> from cipherwright.cipher import CATALOGUE
    >>> sm4 = CATALOGUE["sm4"]
    >>> sm4.block_bits, sm4.key_sizes, sm4.rounds(128)
    (128, (128,), 32)
    >>> key = bytes.fromhex("0123456789abcdeffedcba9876543210")
    >>> sm4.encrypt_block(key, key).hex()
    '681edf34d206965e86b3e94f536e4246'
    >>> sm4.encrypt_block(key, sm4.encrypt_block(key, key), decrypt=True) == key
    True
    """

    name: str
    title: str
    standard: str
    block_bits: int
    key_sizes: tuple[int, ...]
    known_answers: tuple[tuple[str, str, str], ...] = ()
    """Published answers of a cipher from outside the package: key, block and encrypted block, in hexadecimal.
    Those of the package are in `data/vectors`.
    """
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
        """Raise ValueError where the cipher has no datapath of `datapath_bits`."""
        if datapath_bits in self.datapaths:
            return
        others = f"of {', '.join(map(str, self.datapaths))} bits and " if self.datapaths else ""
        raise ValueError(
            f"{self.title} has no datapath of {datapath_bits} bits, only {others}of whole blocks"
        )

    def check_block_bits(self, block_bits: int) -> None:
        """Raise ValueError where the cipher has no blocks of `block_bits`."""
        sizes = self.block_sizes or (self.block_bits,)
        if block_bits not in sizes:
            raise ValueError(f"{self.name} has blocks of {', '.join(map(str, sizes))} bits, not {block_bits}")

    def with_block(self, block_bits: int) -> Self:
        """The same cipher with blocks of `block_bits`. Raises ValueError where it has no such size."""
        self.check_block_bits(block_bits)
        return self

    def check_key_bits(self, key_bits: int) -> None:
        """Raise ValueError where the cipher has no keys of `key_bits`, counted as they are supplied."""
        if key_bits not in self.key_sizes:
            sizes = ", ".join(map(str, self.key_sizes))
            raise ValueError(f"{self.name} takes keys of {sizes} bits, not {key_bits}")

    @abstractmethod
    def rounds(self, key_bits: int) -> int:
        """Number of rounds with a key of `key_bits`."""

    def standard_rounds(self, key_bits: int) -> int:
        """The standard's number of rounds with a key of `key_bits`."""
        return self.rounds(key_bits)

    def with_rounds(self, rounds: int) -> Self:
        """The same cipher with so many `rounds`, as the standard counts them. Raises ValueError where their
        number is fixed, or the standard has no such number.
        """
        raise ValueError(f"the number of rounds of {self.title} is fixed")

    @abstractmethod
    def crypt(self, b: Builder[W], block: W, key: W, decrypt: W) -> W:
        """The description over the builder `b`: `block` under the supplied `key`, in the direction `decrypt`
        (one bit). Byte 0 of the standard is the most significant byte of a word. Raises ValueError where the
        cipher has no such key size.
        """

    @abstractmethod
    def encrypt_block(self, key: bytes, block: bytes, decrypt: bool = False) -> bytes:
        """The reference model on bytes: `block` under `key`, encrypted, or with `decrypt` decrypted. Raises
        ValueError where key or block have another size.
        """

    @abstractmethod
    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        """Every lookup table by its standard name: (output width, entries)."""
