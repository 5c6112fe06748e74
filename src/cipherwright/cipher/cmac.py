"""CMAC (NIST SP 800-38B) on integers and bytes: the reference of the hardware.

A block is an integer whose most significant bit is the standard's leftmost bit.

>>> from cipherwright.cipher import CATALOGUE
>>> key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
>>> def aes(block):
...     return int.from_bytes(CATALOGUE["aes"].encrypt_block(key, block.to_bytes(16, "big")), "big")
>>> cmac(aes, 128, b"").hex()
'bb1d6929e95937287fa37d129b756746'
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["MAC_BLOCK_BITS", "R_B", "cmac", "doubled", "mac_words", "subkeys", "tag_length"]

R_B = {64: 0x1B, 128: 0x87}
"""Bits of a block -> the constant R_b (section 5.3)."""

MAC_BLOCK_BITS = tuple(R_B)
"""Bits of the blocks for which the standard has a constant."""


def doubled(block: int, block_bits: int) -> int:
    """`block`, of `block_bits` (64 or 128), times x in GF(2^b): the step from L to K1, and from K1 to K2
    (section 6.1, steps 2 and 3).

    >>> hex(doubled(1 << 63, 64)), hex(doubled(1, 128))
    ('0x1b', '0x2')
    """
    carry = block >> (block_bits - 1)
    return (block << 1) & ((1 << block_bits) - 1) ^ carry * R_B[block_bits]


def subkeys(encrypt: Callable[[int], int], block_bits: int) -> tuple[int, int]:
    """K1 and K2 (section 6.1), for blocks of `block_bits`. encrypt: the block cipher under its key, on
    integers.
    """
    first = doubled(encrypt(0), block_bits)
    return first, doubled(first, block_bits)


def mac_words(message: bytes, block_bits: int) -> list[bytes]:
    r"""The words of `message`: blocks of `block_bits`, the last of which may be shorter; of an empty message
    one empty word.

    >>> mac_words(b"", 64), mac_words(bytes(8), 64), mac_words(bytes(9), 64)[1]
    ([b''], [b'\x00\x00\x00\x00\x00\x00\x00\x00'], b'\x00')
    """
    size = block_bits // 8
    return [message[k : k + size] for k in range(0, len(message), size)] or [b""]


def cmac(encrypt: Callable[[int], int], block_bits: int, message: bytes) -> bytes:
    """The whole tag of `message`, a block of `block_bits` (section 6.2). encrypt: the block cipher under its
    key, on integers.
    """
    size, (first, second), chain = block_bits // 8, subkeys(encrypt, block_bits), 0
    *before, last = mac_words(message, block_bits)
    for word in before:
        chain = encrypt(chain ^ int.from_bytes(word, "big"))
    padded = last if len(last) == size else (last + b"\x80").ljust(size, b"\0")
    subkey = first if len(last) == size else second
    return encrypt(chain ^ int.from_bytes(padded, "big") ^ subkey).to_bytes(size, "big")


def tag_length(tag_bits: int, block_bits: int) -> int:
    """Bits of the tag that a core with blocks of `block_bits` shows where `tag_bits` are asked for: at most a
    block.
    """
    return min(tag_bits, block_bits)
