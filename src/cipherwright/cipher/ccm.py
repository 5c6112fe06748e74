"""CCM (NIST SP 800-38C) on integers and bytes: the reference of the hardware.

A block of 128 bits is an integer whose most significant bit is the standard's leftmost bit. The formatting of
the input and the counter blocks are those of appendix A.

>>> from cipherwright.cipher import CATALOGUE
>>> key = bytes(range(0x40, 0x50))
>>> def aes(block):
...     return int.from_bytes(CATALOGUE["aes"].encrypt_block(key, block.to_bytes(16, "big")), "big")
>>> made = ccm(aes, CcmInput(bytes(range(0x10, 0x17)), bytes(range(8)), bytes(range(0x20, 0x24))), 4)
>>> made.data.hex(), made.tag.hex()
('7162015b', '4dac255d')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .gcm import padded_blocks

__all__ = [
    "CCM_TAG_BITS",
    "LARGEST_AAD",
    "NONCE_BYTES",
    "CcmInput",
    "CcmResult",
    "aad_length",
    "ccm",
    "counter_block",
    "first_block",
    "largest_data",
]

NONCE_BYTES = (7, 8, 9, 10, 11, 12, 13)
"""Lengths of a nonce (section A.1)."""

CCM_TAG_BITS = (128, 112, 96, 80, 64, 48, 32)
"""Lengths of a tag (section A.1)."""

LARGEST_AAD = (1 << 32) - 1
"""Bytes of additional data that are encoded in at most six bytes (section A.2.2)."""

_SHORT_AAD = (1 << 16) - (1 << 8)
"""From so many bytes on the length of additional data takes six bytes (section A.2.2)."""


@dataclass(frozen=True)
class CcmInput:
    """What CCM takes. `nonce`: 7 to 13 bytes; `aad`: the additional data; `data`: the plaintext (in
    decryption the ciphertext, without its tag).
    """

    nonce: bytes
    aad: bytes
    data: bytes


@dataclass(frozen=True)
class CcmResult:
    """What CCM makes of a message. `data`: ciphertext (of decryption: plaintext); `tag`: as long as it was
    asked for.
    """

    data: bytes
    tag: bytes


def largest_data(nonce_bytes: int) -> int:
    """Bytes of data, at most, under a nonce of `nonce_bytes`: their number has 15 - n bytes, of which a core
    takes four.

    >>> largest_data(13), largest_data(7)
    (65535, 4294967295)
    """
    return (1 << 8 * min(15 - nonce_bytes, 4)) - 1


def aad_length(count: int) -> bytes:
    """The length of additional data of `count` bytes as it comes before them: nothing, two bytes or six
    (section A.2.2). Raises OverflowError from 2^32 bytes on.

    >>> aad_length(0), aad_length(8).hex(), aad_length(65280).hex()
    (b'', '0008', 'fffe0000ff00')
    """
    if not count:
        return b""
    return count.to_bytes(2, "big") if count < _SHORT_AAD else b"\xff\xfe" + count.to_bytes(4, "big")


def first_block(nonce: bytes, aad: int, data: int, tag_bytes: int) -> bytes:
    """B_0 under `nonce`, for `aad` bytes of additional data, `data` bytes of data and `tag_bytes` of the tag
    (section A.2.1). Raises OverflowError where the nonce leaves too few bytes for the number of bytes of
    data.

    >>> first_block(bytes(13), 0, 5, 8).hex()
    '19000000000000000000000000000005'
    """
    q = 15 - len(nonce)
    flags = (aad > 0) << 6 | (tag_bytes - 2) // 2 << 3 | q - 1
    return bytes([flags]) + nonce + data.to_bytes(q, "big")


def counter_block(nonce: bytes, number: int) -> bytes:
    """Ctr_i under `nonce` for i = `number`, from 0 (section A.3).

    >>> counter_block(bytes(13), 1).hex()
    '01000000000000000000000000000001'
    """
    q = 15 - len(nonce)
    return bytes([q - 1]) + nonce + number.to_bytes(q, "big")


def ccm(encrypt: Callable[[int], int], given: CcmInput, tag_bytes: int, decrypt: bool = False) -> CcmResult:
    """Authenticated encryption, or with `decrypt` decryption (sections 6.1 and 6.2); the caller compares the
    tag.

    encrypt: the block cipher under its key, on integers of 128 bits.
    given: nonce, additional data and data; tag_bytes: length of the tag, which is part of what it is made of.
    Raises OverflowError as `first_block` and `aad_length` do.
    """
    blocks = padded_blocks(given.data)
    stream = [encrypt(int.from_bytes(counter_block(given.nonce, i), "big")) for i in range(len(blocks) + 1)]
    out = b"".join((x ^ s).to_bytes(16, "big") for x, s in zip(blocks, stream[1:], strict=True))
    out = out[: len(given.data)]
    text = out if decrypt else given.data
    formatted = [
        int.from_bytes(first_block(given.nonce, len(given.aad), len(text), tag_bytes), "big"),
        *padded_blocks(aad_length(len(given.aad)) + given.aad),
        *padded_blocks(text),
    ]
    chain = 0
    for block in formatted:
        chain = encrypt(chain ^ block)
    return CcmResult(out, (chain ^ stream[0]).to_bytes(16, "big")[:tag_bytes])
