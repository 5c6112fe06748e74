"""The driver for cores of packets or messages: a packet with its tag, the tag of a message, and the
self-check of packets at full speed.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from ..cipher.ccm import CcmInput
from ..errors import CheckFailed, UserError
from ..progress import Tell, quiet
from ..shell.board import AAD_WORDS, FILLED_MODES, Command, short_aad, short_text, signature
from ..verify.ccm import sealed_ccm
from ..verify.cmac import mac_tag
from ..verify.gcm import sealed
from .link import BoardLink

__all__ = ["ONES", "CcmLink", "MessageLink", "PacketLink", "StreamLink", "TaggedLink"]

ONES = b"\xff"
"""Bytes of a beat that TKEEP does not name, as the board fills them up."""


@dataclass(frozen=True)
class _Part:
    """Bytes of a packet that are of one kind: additional data (`aad`) or data; `ends`: the packet ends with
    them.
    """

    data: bytes
    aad: bool
    ends: bool


class MessageLink(BoardLink):
    """A board whose core makes tags of messages. Raises as `BoardLink`.

    >>> with MessageLink("/dev/ttyUSB0", read_facts(Path("my-board"))) as board:  # doctest: +SKIP
    ...     board.load_key(bytes(16))
    ...     board.tag(b"a message of any length")

    """

    def _identify(self) -> None:
        """As of `BoardLink`; then a packet of which a part was sent before is dropped."""
        super()._identify()
        self._do(Command.ZEROISE)

    def tag(self, message: bytes, tell: Tell = quiet) -> bytes:
        """The tag of `message`, of any length: the first `tag_bits` of it. `tell` is called with the bytes
        that are sent. Raises CheckFailed where the board lost a word.
        """
        self._words(_Part(message, False, True), False, tell)
        got = self.answer(self._size)
        self._check_lost()
        return got[: self._tag_bytes]

    @property
    def _tag_bytes(self) -> int:
        return int(self._parameters["tag_bits"]) // 8

    def crypt(self, data: bytes, tell: Tell = quiet) -> bytes:
        """Raises UserError: the core does not encrypt."""
        raise UserError(f"a core with mode = {self._parameters['mode']} makes tags and does not encrypt")

    def round_trip(self, key: bytes, words: int = 16) -> None:
        """Raises UserError: the core does not encrypt."""
        self.crypt(bytes(words))

    def _words(self, part: _Part, answered: bool, tell: Tell) -> bytes:
        """Send the words of a part; their results, where they are `answered`. An empty part that ends a
        packet is one word without bytes.
        """
        size, data = self._size, part.data
        if not data and not part.ends:
            return b""
        whole = max(0, (len(data) - 1) // size) * size
        out = bytearray()
        for at in range(0, whole, size * 32):
            if not at:
                self._attributes(size, False, part.aad)
            some = data[at : min(at + size * 32, whole)]
            self._port.write(
                b"".join(Command.BLOCK.value.encode() + some[k : k + size] for k in range(0, len(some), size))
            )
            out += self.answer(len(some)) if answered else b""
            tell(f"{at} bytes", at / len(data))
        last = data[whole:]
        self._attributes(len(last), part.ends, part.aad)
        self.send(Command.BLOCK, last.ljust(size, b"\0"))
        if answered and last:
            out += self.answer(size)[: len(last)]
        return bytes(out)

    def _attributes(self, there: int, ends: bool, aad: bool = False) -> None:
        """What is said of the words that follow: `there` of their bytes are there."""
        kept = ((1 << there) - 1) << (self._size - there)
        self._do(Command.ATTRIBUTES, bytes([aad | ends << 1]) + kept.to_bytes(self._size // 8, "big"))

    def _check_lost(self) -> None:
        if flags := self.read(2) & 12:
            raise CheckFailed(f"the board lost {'a result' if flags & 8 else 'a word'}")

    def _expect(self, keys: Sequence[bytes], iv: bytes, words: bytes, decrypt: bool) -> None:
        """Each batch is a message of which the last word is short. Behind AXI-Stream bytes that a short tag
        does not have are compared as ones.
        """
        text = words[: len(words) - self._size + short_text(self._size)]
        tag = mac_tag(self._parameters, keys[0], text)[: self._tag_bytes]
        rest = ONES if self._parameters["interface"] == "axi-stream" else b"\0"
        self._do(Command.EXPECT, tag.ljust(self._size, rest))

    def _once(self, iv: bytes) -> bool:
        return False


class StreamLink(MessageLink):
    """A board whose core has AXI-Stream ports: what `crypt` sends is one message, whose last beat has TLAST.
    Raises as `BoardLink`.
    """

    def crypt(self, data: bytes, tell: Tell = quiet) -> bytes:
        """A message through the core, under the key, initial value and direction that it has. Raises
        CheckFailed where the board says that something was lost.
        """
        result = self._words(_Part(data, False, bool(data)), True, tell)
        self._check_lost()
        return result

    def round_trip(self, key: bytes, words: int = 16) -> None:
        """As of `BoardLink`."""
        BoardLink.round_trip(self, key, words)

    def _expect(self, keys: Sequence[bytes], iv: bytes, words: bytes, decrypt: bool) -> None:
        """Each batch is a message, whose last word is short where the mode takes one. The marks of bytes
        that are not there are compared as ones.
        """
        size, result = self._size, self.reference(keys[0], iv, words, decrypt)
        if self._parameters["mode"] not in FILLED_MODES:
            result = result[: len(result) - size + short_text(size)]
        self._do(Command.EXPECT, signature(result + ONES * (-len(result) % size), size))

    def _once(self, iv: bytes) -> bool:
        return BoardLink._once(self, iv)


class TaggedLink(MessageLink):
    """A board whose core has a value of its own for each packet or unit, beside the results: a tag, or the
    result that leaves late. Raises as `BoardLink`.
    """

    def _given_tag(self) -> bytes:
        """The value of what was sent last; 0 of a packet that was decrypted."""
        self._until(lambda: bool(self.read(2) & _TAG_SEEN))
        return b"".join(self.read(number).to_bytes(8, "big") for number in (_TAG_WORD + 1, _TAG_WORD))

    def _tags(self, batches: int) -> int:
        """Batches whose value or verdict was wrong. Raises CheckFailed where a batch has none."""
        self._until(lambda: self.read(_COUNTS) >> 32 == batches)
        return self.read(_COUNTS) & 0xFFFF_FFFF


class PacketLink(TaggedLink):
    """A board whose core takes packets with additional data and makes or checks a tag. Raises as `BoardLink`.

    >>> with PacketLink("/dev/ttyUSB0", read_facts(Path("my-board"))) as board:  # doctest: +SKIP
    ...     board.load_key(bytes(16))
    ...     board.seal(bytes(12), b"additional data", b"data of any length")

    """

    def seal(self, iv: bytes, aad: bytes, text: bytes, tell: Tell = quiet) -> tuple[bytes, bytes]:
        """Ciphertext and tag of a packet under the key that the core has: `iv` its IV, of `iv_bytes` bytes,
        `aad` its additional data, `text` its plaintext, both of any length. `tell` is called with the bytes
        that are sent. Raises UserError for an IV of another length, CheckFailed where the board loses a word
        or gives no tag.
        """
        result = self._packet(iv, aad, text, False, tell)
        return result, self._given_tag()[: self._tag_bytes]

    def open(self, iv: bytes, aad: bytes, text: bytes, tag: bytes, tell: Tell = quiet) -> bytes:
        """Plaintext of a packet whose ciphertext is `text` and whose tag is `tag`; `iv`, `aad`, `tell` and
        the errors as of `seal`. Raises UserError for a tag of another length, CheckFailed where it is wrong.
        """
        self._check_tag(tag)
        self._do(Command.TAG, tag.ljust(16, b"\0"))
        result = self._packet(iv, aad, text, True, tell)
        self._given_tag()
        if not self.read(2) & _GOOD:
            raise CheckFailed(
                "the tag is wrong: the message, its additional data, the key or the IV is not what was "
                "encrypted"
            )
        return result

    def _check_tag(self, tag: bytes) -> None:
        if len(tag) != self._tag_bytes:
            raise UserError(f"a tag of this core has {self._tag_bytes} bytes, not {len(tag)}")

    def _lengths(self, aad: int, text: int) -> None:
        """Bytes of the next packets, where the core takes them with a packet's first word. Raises UserError
        where they do not fit.
        """

    def _sealed(self, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
        """Ciphertext and tag of a packet by the reference."""
        return sealed(self._parameters, key, iv, aad, text)

    def _packet(self, iv: bytes, aad: bytes, text: bytes, decrypt: bool, tell: Tell) -> bytes:
        self.load_iv(iv)
        self.direction(decrypt)
        self._lengths(len(aad), len(text))
        self._words(_Part(aad, True, not text), False, tell)
        result = self._words(_Part(text, False, True), True, tell) if text or not aad else b""
        self._check_lost()
        return result

    def round_trip(self, key: bytes, words: int = 16) -> None:
        """Random packets, encrypted and decrypted again by the board, one of them with a wrong tag. Raises
        CheckFailed where they differ, or a verdict is wrong.
        """
        self.load_key(key)
        for size in (0, 1, self._size, words * self._size - 5):
            iv, text = secrets.token_bytes(self.facts["iv_bytes"]), secrets.token_bytes(size)
            aad = secrets.token_bytes(size // 2)
            ciphertext, tag = self.seal(iv, aad, text)
            if self.open(iv, aad, ciphertext, tag) != text:
                raise CheckFailed("a packet that was encrypted and decrypted again differs")
        try:
            self.open(iv, aad, ciphertext, bytes([tag[0] ^ 1]) + tag[1:])
        except CheckFailed:
            return
        raise CheckFailed("a wrong tag was taken for a right one")

    def _expect(self, keys: Sequence[bytes], iv: bytes, words: bytes, decrypt: bool) -> None:
        """Each batch is a packet: additional data first, the last word of both short. The marks of bytes that
        are not there are compared as ones. With two keys they go under both by turns.
        """
        size, border = self._size, AAD_WORDS * self._size
        aad = words[: border - size + short_aad(size)]
        text = words[border : len(words) - size + short_text(size)]
        self._lengths(len(aad), len(text))
        for number, key in enumerate(keys):
            result, tag = self._sealed(key, iv, aad, text)
            if decrypt:
                tag = self._sealed(key, iv, aad, result)[1]
            tag = tag[: self._tag_bytes].ljust(16, b"\0")
            self.slot(number)
            self._do(Command.TAG, tag)
            self._do(Command.EXPECT, signature(result + ONES * (-len(result) % size), size))


class CcmLink(PacketLink):
    """A board whose core takes packets of CCM, whose lengths come before their data. Raises as
    `BoardLink`.
    """

    def _lengths(self, aad: int, text: int) -> None:
        size = 15 - int(self._parameters["nonce_bytes"])
        data = min(8 * size, 32)
        if text >> data or aad >> 32:
            raise UserError(
                f"a packet of this core has less than 2^32 bytes of additional data and less than 2^{data} "
                f"of data, not {aad} and {text}"
            )
        self._do(Command.LENGTHS, aad.to_bytes(4, "big") + text.to_bytes(data // 8, "big"))

    def _sealed(self, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
        return sealed_ccm(self._parameters, key, CcmInput(iv, aad, text))


_TAG_WORD = 6
"""The number of the state's word with the tag's last eight bytes; the next has the first eight."""

_COUNTS = 8
"""The number of the word that counts tags, and those that were wrong."""

_TAG_SEEN, _GOOD = 16, 32
"""Bits of the flags in word 2: a packet has its tag; it was decrypted, and its tag is the expected one."""
