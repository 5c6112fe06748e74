"""The driver for cores of XTS: data units with their numbers, and the self-check of units at full speed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from ..cipher.xts import number_after
from ..errors import CheckFailed
from ..progress import Tell, quiet
from ..shell.board import UNIT_WORDS, Command, generated, short_text, signature, slot_of_unit
from ..verify import Unit
from ..verify.xts import unit_results
from .packets import TaggedLink

__all__ = ["UnitLink"]

_AHEAD = 32
"""Words that are sent before a result is read."""


class UnitLink(TaggedLink):
    """A board whose core takes data units with numbers. Raises as `BoardLink`.

    >>> with UnitLink("/dev/ttyUSB0", read_facts(Path("my-board"))) as board:  # doctest: +SKIP
    ...     board.load_key(bytes(32))
    ...     board.crypt_units([(bytes(16), b"a unit of any length from 16 bytes")])

    """

    @property
    def _late(self) -> bool:
        """Whether stolen blocks leave late; behind AXI-Stream a unit leaves in its order."""
        return bool(self._parameters["interface"] == "plain")

    def _tags(self, batches: int) -> int:
        return super()._tags(batches) if self._late else 0

    def crypt_units(self, units: Sequence[tuple[bytes, bytes]], tell: Tell = quiet) -> bytes:
        """The results of `units` one after another, under the key and direction that the core has. Each unit
        is a pair: its number, 16 bytes of which the first is the least significant, and at least 16 bytes of
        data. `tell` is called before each unit. Raises UserError for a number of another length, CheckFailed
        where the board loses a word.
        """
        out = list[bytes]()
        for k, (number, data) in enumerate(units):
            tell(f"unit {k + 1} of {len(units)}", k / len(units))
            self.load_iv(number)
            out.append(self._unit(data))
        self._check_lost()
        return b"".join(out)

    def crypt(self, data: bytes, tell: Tell = quiet) -> bytes:
        """One unit, whose number was given by `load_iv`. Raises as `crypt_units`."""
        result = self._unit(data)
        self._check_lost()
        return result

    def _unit(self, data: bytes) -> bytes:
        """The result of a unit. A word's result comes when the next word was taken; the stolen block of a
        unit with a short word leaves late.
        """
        size = self._size
        words = [data[at : at + size] for at in range(0, len(data), size)]
        before, short, out = words[:-1], len(words[-1]) < size, bytearray()
        if before:
            self._attributes(size, False)
        for at in range(0, len(before), _AHEAD):
            some = before[at : at + _AHEAD]
            self._port.write(b"".join(Command.BLOCK.value.encode() + word for word in some))
            out += self.answer((len(some) - (at == 0)) * size)
        self._attributes(len(words[-1]), True)
        self.send(Command.BLOCK, words[-1].ljust(size, b"\0"))
        if not short or not self._late:
            return bytes(out + self.answer(min(2, len(words)) * size))[: len(data)]
        last = self.answer(size)[: len(words[-1])]
        return bytes(out) + self._given_tag() + last

    def round_trip(self, key: bytes, words: int = 16) -> None:
        """Random units, encrypted and decrypted again by the board. Raises CheckFailed where they differ."""
        self.load_key(key)
        start = secrets.token_bytes(self._size)
        sizes = (self._size, self._size + 1, 2 * self._size, words * self._size - 5)
        plain = [(number_after(start, k), secrets.token_bytes(size)) for k, size in enumerate(sizes)]
        for number, data in plain:
            self.direction(False)
            done = self.crypt_units([(number, data)])
            self.direction(True)
            if self.crypt_units([(number, done)]) != data:
                raise CheckFailed("a unit that was encrypted and decrypted again differs")

    def _expect(self, keys: Sequence[bytes], iv: bytes, words: bytes, decrypt: bool) -> None:
        """Each batch is units of 16 words, the last of which is short. Late results have a signature of their
        own; the marks of bytes that are not there are compared as ones. Of two keys a unit's number chooses.
        """
        size, whole = self._size, UNIT_WORDS * self._size
        texts = [words[at : at + whole - size + short_text(size)] for at in range(0, len(words), whole)]
        numbers, order, late = generated(iv, len(texts)), bytearray(), bytearray()
        units = [Unit(numbers[16 * k : 16 * k + 16], text, decrypt) for k, text in enumerate(texts)]
        chosen = [slot_of_unit(u.number) % len(keys) for u in units]
        made = [
            iter(
                unit_results(self._parameters, key, [u for u, s in zip(units, chosen, strict=True) if s == k])
            )
            for k, key in enumerate(keys)
        ]
        for slot in chosen:
            result = next(made[slot])
            last = result[whole - size :].ljust(size, b"\xff")
            if self._late:
                late += result[whole - 2 * size : whole - size]
                order += result[: whole - 2 * size] + last
            else:
                order += result[: whole - size] + last
        if late:
            self._do(Command.TAG, signature(bytes(late), size))
        self._do(Command.EXPECT, signature(bytes(order), size))
