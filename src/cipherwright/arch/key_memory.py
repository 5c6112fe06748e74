"""The memories from which a loop reads its round keys by address. A key-expansion unit fills them."""

from __future__ import annotations

from dataclasses import dataclass

from .form import Form

__all__ = ["KeyMemory", "key_memory"]


@dataclass(frozen=True)
class KeyMemory:
    """Round keys by number (in the order of encryption, from 0), in `reads` memories of equal contents. Each
    memory gives one word in a cycle.

    count: round keys; width: bits of a word, whose most significant bits are the round key; late: cycles from
    an address to its word, 0 or 1; fixed: numbers of those that registers hold as well, to be added before
    the first round and after the last one; reverse: whether the core only decrypts. Then the inputs for round
    keys are numbered in the order of use.
    """

    reads: int
    count: int
    width: int
    late: int = 0
    fixed: tuple[int, ...] = ()
    reverse: bool = False

    @property
    def address_bits(self) -> int:
        """Width of an address: enough for one for each round key."""
        return max(1, (self.count - 1).bit_length())

    def address(self, number: int) -> int:
        """Where the round key `number` is: the unit numbers its words from 1, modulo 2^address_bits."""
        return (number + 1) % (1 << self.address_bits)

    def number(self, address: int) -> int | None:
        """The number of the round key at `address`; None where there is none."""
        found = (address - 1) % (1 << self.address_bits)
        return found if found < self.count else None

    def user(self, number: int) -> str:
        """The name of the round key `number` as an input of the rounds."""
        return f"rk{self.count - 1 - number if self.reverse else number}"

    @property
    def fixed_ports(self) -> tuple[str, ...]:
        """Ports of a loop that show the round keys that registers hold."""
        return tuple(f"{self.user(n)}_i" for n in self.fixed)

    @property
    def users(self) -> tuple[str, ...]:
        """These names in the order of encryption."""
        return tuple(map(self.user, range(self.count)))


def key_memory(form: Form, direction: str, reads: int, stages: int) -> KeyMemory:
    """The memory of a loop of at least `stages` stages, with `reads` rounds of `form` in an iteration, for
    `direction` (encrypt, decrypt or both). A word leaves its memory through a register where there are two
    stages or more. Registers hold the round keys of `start` and, where the loop does not do it as a round, of
    `finish`.

    >>> from cipherwright.arch.forms import form_of
    >>> from cipherwright.cipher import CATALOGUE
    >>> memory = key_memory(form_of(CATALOGUE["aes"], 128), "both", 1, 2)
    >>> memory.count, memory.width, memory.fixed, memory.address(10), memory.number(11)
    (11, 128, (0, 10), 11, 10)
    """
    count = form.round_keys
    first, last = form.first_key, form.last_key and form.loop != "rounds"
    ends = {"encrypt": (0, count - 1), "decrypt": (count - 1, 0)}
    ways = ("encrypt", "decrypt") if direction == "both" else (direction,)
    fixed = {n for way in ways for n, wanted in zip(ends[way], (first, last), strict=True) if wanted}
    width = max(map(form.key_words, range(count)))
    return KeyMemory(reads, count, width, int(stages > 1), tuple(sorted(fixed)), direction == "decrypt")
