"""The driver: what a host does with a board over its UART. The same driver talks to the same top in
simulation.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import serial

from ..cipher.modes import ONE_WAY_MODES
from ..errors import CheckFailed, UserError
from ..progress import Tell, quiet
from ..shell.board import MAGIC, READ_BYTES, Command, generated, signature
from ..verify.modes import in_mode
from ..verify.reference import reference_of
from .make import FACTS

__all__ = ["BoardLink", "Facts", "SelfCheck", "read_facts"]

_AHEAD = 64
"""Words that are sent before a result is read: they fit the buffers of any converter."""

_FLUSH = bytes(80)
"""Longer than the value of any command: whatever was half sent before is complete after it."""

Facts = Mapping[str, Any]
"""What board.json holds of a board's design, by key: the core's `parameters`, its `digest`, `word_bytes`,
`key_bytes` and `iv_bytes`, `baud`, and what the self-check needs.
"""


def read_facts(folder: Path) -> dict[str, Any]:
    """The facts that `cipherwright board` wrote into `folder`. Raises UserError where the folder has none."""
    try:
        facts = json.loads((folder / FACTS).read_text())
    except (OSError, ValueError):
        raise UserError(
            f"{folder} is no folder of a board: it has no {FACTS} (cipherwright board makes one)"
        ) from None
    assert isinstance(facts, dict)
    return facts


@dataclass(frozen=True)
class SelfCheck:
    """What a self-check counted. `blocks` of them left the core in `cycles` cycles of its clock, which is
    `gbps` Gb/s; `wrong` of the `batches` had another signature than the reference.
    """

    batches: int
    wrong: int
    blocks: int
    cycles: int
    gbps: float
    wrong_tags: int = 0
    """Batches with a wrong tag or verdict, of a core whose words come in packets."""

    @property
    def passed(self) -> bool:
        """Whether there was a batch, and none was wrong."""
        return self.batches > 0 and not self.wrong and not self.wrong_tags


class BoardLink:
    """A board, or its simulation, on a serial port. `port`: its path; `facts`: of the core (`read_facts`);
    `timeout_s`: seconds to wait for an answer. Byte 0 of a key, block or initial value is the most
    significant byte of the core's port. Raises UserError where the port can't be opened, CheckFailed where
    what answers is not the core of the facts, or does not answer in time.

    >>> with BoardLink("/dev/ttyUSB0", read_facts(Path("my-board"))) as board:  # doctest: +SKIP
    ...     board.load_key(bytes(8))
    ...     board.crypt(b"8 bytes.")
    """

    def __init__(self, port: str, facts: Facts, timeout_s: float = 5.0) -> None:
        self.facts = facts
        self._parameters: Mapping[str, Any] = facts["parameters"]
        self._size = int(facts["word_bytes"])
        self._slots = int(self._parameters["key_slots"])
        try:
            self._port = serial.Serial(port, facts["baud"], timeout=timeout_s, write_timeout=60)
        except (serial.SerialException, ValueError) as e:
            raise UserError(f"can't open the serial port {port}: {e}") from None
        try:
            self._identify()
        except BaseException:
            self._port.close()
            raise

    def __enter__(self) -> BoardLink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._port.close()

    def _identify(self) -> None:
        """End what was half sent, stop a self-check, and compare what answers with the facts."""
        self._port.write(_FLUSH + Command.STOP.value.encode())
        self._port.flush()
        time.sleep(0.05)
        while not self._port.read(1).endswith(Command.STOP.value.encode()):
            if not self._port.in_waiting:
                raise CheckFailed("nothing answers on the serial port: is the bitstream loaded?")
        self._port.reset_input_buffer()
        f = self.facts
        wanted = MAGIC << 32 | self._size << 24 | f["key_bytes"] << 16 | f["iv_bytes"] << 8 | bool(f["both"])
        digest = int(f["digest"][:8], 16) << 32 | f["batch"]
        if (self.read(0), self.read(1)) != (wanted, digest):
            raise CheckFailed(f"the board does not have the core of {f['core']} that was built here")

    def send(self, command: Command, value: bytes = b"") -> None:
        """Send the letter of `command` and then `value`, whose length the command has, without waiting for an
        answer.
        """
        self._port.write(command.value.encode() + value)

    def answer(self, size: int) -> bytes:
        """The next `size` bytes that the board sends. Raises CheckFailed where they do not come in time."""
        got: bytes = self._port.read(size)
        if len(got) != size:
            raise CheckFailed(f"the board answered with {len(got)} of {size} bytes")
        return got

    def _do(self, command: Command, value: bytes = b"") -> None:
        """A command whose answer is its letter."""
        self.send(command, value)
        if (answer := self.answer(1)) != command.value.encode():
            raise CheckFailed(f"the board answered {answer!r} to the command {command.name}")

    def read(self, number: int) -> int:
        """The word `number` of the board's state, an integer of 64 bits; its most significant byte is sent
        first.
        """
        self.send(Command.READ, bytes([number]))
        return int.from_bytes(self.answer(READ_BYTES), "big")

    def slot(self, number: int) -> None:
        """Keys, packets and units that follow are of the slot `number`: with two resident keys 0 or 1, at
        first 0. Raises UserError where the core has no such slot.
        """
        if number not in range(self._slots):
            raise UserError(f"there is no slot {number}: slots of this core are 0 to {self._slots - 1}")
        if self._slots > 1:
            self._do(Command.SLOT, bytes([number]))

    def load_key(self, key: bytes) -> None:
        """Give the core `key`, for the slot in use. Raises UserError where it has another length."""
        self._check(key, "key_bytes", "a key")
        self._do(Command.KEY, key)

    def load_iv(self, iv: bytes) -> None:
        """Give the core `iv`: its initial value, first counter block, IV, nonce or number of a data unit,
        with which the next block begins a message, packet or unit. Raises UserError where the core takes
        none, or one of another length.
        """
        self._check(iv, "iv_bytes", "an initial value")
        self._do(Command.IV, iv)

    def _check(self, value: bytes, fact: str, what: str) -> None:
        if len(value) != self.facts[fact]:
            raise UserError(f"{what} of this core has {self.facts[fact]} bytes, not {len(value)}")

    def direction(self, decrypt: bool) -> None:
        """The blocks that follow are decrypted where `decrypt` is true, otherwise encrypted. Raises UserError
        where the core has the other direction only.
        """
        if self.facts["both"]:
            self._do(Command.DIRECTION, bytes([decrypt]))
        elif (
            decrypt != (self._parameters["direction"] == "decrypt")
            and self._parameters["mode"] not in ONE_WAY_MODES
        ):
            raise UserError(f"the core has direction = {self._parameters['direction']}")

    def crypt(self, data: bytes, tell: Tell = quiet) -> bytes:
        """`data` through the core, under the key, initial value and direction that it has; returns as many
        bytes. A last word is filled up with zeros. `tell` is called with the bytes that are done. Raises
        CheckFailed where the board says that something was lost.
        """
        words = data + bytes(-len(data) % self._size)
        out, sent = bytearray(), 0
        while len(out) < len(words):
            end = min(len(out) + _AHEAD * self._size, len(words))
            self._port.write(
                b"".join(
                    Command.BLOCK.value.encode() + words[at : at + self._size]
                    for at in range(sent, end, self._size)
                )
            )
            sent = end
            out += self.answer(min(len(words) - len(out), _AHEAD * self._size // 2))
            tell(f"{len(out)} bytes", len(out) / len(words))
        if flags := self.read(2) & 12:
            raise CheckFailed(f"the board lost {'a result' if flags & 8 else 'a block'}")
        return bytes(out[: len(data)])

    def self_check(self, key: bytes, decrypt: bool = False, seconds: float = 1.0) -> SelfCheck:
        """Blocks at full speed under `key`, for about `seconds`, decrypted where `decrypt` is true; the
        signature of each batch is compared on the board with the reference's. A batch of a mode that chains
        is a message. In counter mode of a pipeline batches differ, and one is run. With two resident keys
        that of slot 0 is `key`, that of slot 1 is random, and both are used; slot 0 is the one in use after
        it. Raises CheckFailed where blocks are lost; batches that are wrong are only counted.
        """
        seed, iv = secrets.token_bytes(self._size), secrets.token_bytes(self.facts["iv_bytes"])
        keys = [key, *(secrets.token_bytes(len(key)) for _ in range(1, self._slots))]
        for number, one in enumerate(keys):
            self.slot(number)
            self.load_key(one)
        self.direction(decrypt)
        if iv:
            self.load_iv(iv)
        words = generated(seed, self.facts["batch"])
        self._do(Command.SEED, seed)
        self._expect(keys, iv, words, decrypt)
        self.slot(0)
        once = self._once(iv)
        self._do(Command.START, bytes([once]))
        time.sleep(0 if once else seconds)
        self._do(Command.STOP)
        self._until(lambda: not self.read(2) & 1)
        self._until(lambda: self.read(3) >> 32 == self.read(3) & 0xFFFF_FFFF)
        batches, cycles = self.read(3) >> 32, self.read(5)
        blocks = batches * self.facts["batch"] * self._size * 8 // self._parameters["block_bits"]
        bits = blocks * self._parameters["block_bits"]
        rate = bits / cycles * self.facts["clock_mhz"] / 1000 if cycles else 0.0
        return SelfCheck(batches, self.read(4), blocks, cycles, round(rate, 3), self._tags(batches))

    def _expect(self, keys: Sequence[bytes], iv: bytes, words: bytes, decrypt: bool) -> None:
        """Tell the board what comes out of a batch under the key of each slot."""
        self._do(Command.EXPECT, signature(self.reference(keys[0], iv, words, decrypt), self._size))

    def _once(self, iv: bytes) -> bool:
        """Whether a batch differs from the next, so that one is run."""
        return bool(iv) and not self.facts["chained"]

    def _tags(self, batches: int) -> int:
        """Batches with a wrong tag."""
        return 0

    def round_trip(self, key: bytes, words: int = 16) -> None:
        """`words` random words under `key`, encrypted and decrypted again by the board. Raises CheckFailed
        where they differ, UserError where the core has one direction.
        """
        if not self.facts["both"]:
            raise UserError(f"the core has direction = {self._parameters['direction']}")
        data, iv = secrets.token_bytes(words * self._size), secrets.token_bytes(self.facts["iv_bytes"])
        self.load_key(key)
        done = data
        for way in (False, True):
            self.direction(way)
            if iv:
                self.load_iv(iv)
            done = self.crypt(done)
        if done != data:
            raise CheckFailed("blocks that were encrypted and decrypted again differ")

    def reference(self, key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes:
        """What the core has to make of `data`, whole blocks, under `key` and, in a mode that chains or
        counts, `iv`; by an independent library. decrypt: the direction.
        """
        if not iv:
            return reference_of(self._parameters).bulk(key, data, decrypt)
        ways = np.full(len(data) // len(iv), decrypt, dtype=np.uint8)
        return in_mode(self._parameters, key, iv, data, ways)

    def _until(self, reached: Callable[[], bool]) -> None:
        for _ in range(200):
            if reached():
                return
        raise CheckFailed("the self-check does not end: blocks that were accepted have no result")
