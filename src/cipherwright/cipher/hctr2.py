r"""HCTR2 on integers and bytes: the reference of the hardware.

Crowley, Huckleberry and Biggers, "Length-preserving encryption with HCTR2", IACR ePrint 2021/1441. A message
of one block or more becomes one of the same length, under a key and a tweak of any length; every bit of the
result depends on every bit of the message and of the tweak.

A block is an integer whose least significant byte is the standard's first byte: numbers are little-endian,
and bit k is the coefficient of x^k. The hash is POLYVAL of RFC 8452 for blocks of 128 bits. For blocks of 256
bits no standard has one. Here it is the same construction over GF(2^256), with the irreducible polynomial of
OMAC (Iwata and Kurosawa, FSE 2003, section 5.4 of the full version: the first one in lexicographic order with
the fewest coefficients). That is experimental: there are no published vectors.

>>> dot(1 << 127, 1 << 1, 128) == 1  # x^127 times x times x^-128
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = [
    "POLYNOMIALS",
    "PUBLISHED_BLOCK_BITS",
    "WIDE_BLOCK_BITS",
    "dot",
    "hash_blocks",
    "hash_words",
    "hctr2",
    "length_block",
    "polynomial",
]

POLYNOMIALS = {128: (127, 126, 121, 0), 256: (10, 5, 2, 0)}
"""Bits of a block -> exponents of the field's polynomial beside the highest: RFC 8452, section 3; OMAC."""

WIDE_BLOCK_BITS = tuple(POLYNOMIALS)
"""Bits of the blocks for which there is a hash."""


PUBLISHED_BLOCK_BITS = (128,)
"""Those for which the mode, its hash and vectors are published; with others it is experimental."""


def polynomial(block_bits: int) -> int:
    """The polynomial of the field for blocks of `block_bits` (128 or 256): bit k is the coefficient of x^k.

    >>> hex(polynomial(256) ^ 1 << 256)
    '0x425'
    """
    return sum(1 << k for k in (block_bits, *POLYNOMIALS[block_bits]))


def dot(a: int, b: int, block_bits: int) -> int:
    """`a` times `b` times x^-n, in the field for blocks of n = `block_bits` (RFC 8452, section 3)."""
    total, modulus = 0, polynomial(block_bits)
    for k in range(block_bits):
        total ^= b if a >> k & 1 else 0
        total = (total ^ modulus * (total & 1)) >> 1
    return total


def hash_blocks(key: int, blocks: Sequence[int], block_bits: int) -> int:
    """POLYVAL of `blocks`, each of `block_bits`, under `key` (RFC 8452, section 3)."""
    total = 0
    for block in blocks:
        total = dot(total ^ block, key, block_bits)
    return total


def length_block(tweak_bytes: int, whole: bool) -> int:
    """The first block that is hashed: twice the bits of the tweak of `tweak_bytes` bytes, and 2, or 3 where
    the text behind the first block is not `whole` blocks (section 3, H).

    >>> length_block(2, True), length_block(2, False)
    (34, 35)
    """
    return 16 * tweak_bytes + (2 if whole else 3)


def hash_words(tweak: bytes, text: bytes, block_bits: int) -> list[int]:
    """The blocks, of `block_bits`, that are hashed for a `tweak` and the `text` behind the first block: the
    lengths, the tweak, filled up with zeros, and the text, filled up with a one and zeros where it is not
    whole blocks.
    """
    size = block_bits // 8
    whole = len(text) % size == 0
    filled = tweak + bytes(-len(tweak) % size) + (text if whole else text + b"\1")
    filled += bytes(-len(filled) % size)
    parts = [filled[k : k + size] for k in range(0, len(filled), size)]
    return [length_block(len(tweak), whole), *(int.from_bytes(part, "little") for part in parts)]


def hctr2(
    crypt: Callable[[int, bool], int], block_bits: int, tweak: bytes, text: bytes, decrypt: bool = False
) -> bytes:
    """`text`, of a block or more, encrypted under a `tweak` of any length, or decrypted where `decrypt` is
    true (figure 1).

    crypt: the cipher under its key, `crypt(block, decrypt)`, on integers whose least significant byte is the
    standard's first one; block_bits: of its block, 128 or 256. Raises ValueError where the text is shorter
    than a block.
    """
    size = block_bits // 8
    if len(text) < size:
        raise ValueError(f"HCTR2 takes a text of {size} bytes or more, not {len(text)}")
    key, mask = crypt(0, False), crypt(1, False)
    head, rest = int.from_bytes(text[:size], "little"), text[size:]
    middle = head ^ hash_blocks(key, hash_words(tweak, rest, block_bits), block_bits)
    made = crypt(middle, decrypt)
    start = middle ^ made ^ mask
    blocks = range(1, -(-len(rest) // size) + 1)
    stream = b"".join(crypt(start ^ number, False).to_bytes(size, "little") for number in blocks)
    result = bytes(a ^ b for a, b in zip(rest, stream, strict=False))
    made ^= hash_blocks(key, hash_words(tweak, result, block_bits), block_bits)
    return made.to_bytes(size, "little") + result
