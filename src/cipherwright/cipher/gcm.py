"""Galois/Counter Mode (NIST SP 800-38D) on integers and bytes: the reference of the hardware.

A block of 128 bits is an integer whose most significant bit is the standard's leftmost bit. As an element of
GF(2^128) the leftmost bit is the coefficient of t^0 (section 6.3), so coefficient i is bit 127 - i of the
integer, and the field's one is 1 << 127.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = [
    "BLOCK_BITS",
    "ONE",
    "REDUCTION",
    "TAG_BITS",
    "GcmResult",
    "coefficients",
    "field_product",
    "gcm",
    "ghash",
    "initial_counter",
    "iv_of",
    "length_block",
    "padded_blocks",
    "powers",
]

BLOCK_BITS = 128

REDUCTION = (0, 1, 2, 7)
"""t^128 = t^7 + t^2 + t + 1 (section 6.3)."""

TAG_BITS = (128, 120, 112, 104, 96, 64, 32)
"""Lengths of a tag (section 5.2.1.2)."""

ONE = 1 << (BLOCK_BITS - 1)
"""The field's one."""

_R = sum(ONE >> k for k in REDUCTION)


def coefficients(block: int) -> list[int]:
    """Coefficients of t^0 to t^127 of a block."""
    return [block >> (BLOCK_BITS - 1 - i) & 1 for i in range(BLOCK_BITS)]


def field_product(x: int, y: int) -> int:
    """x times y in GF(2^128) (algorithm 1 of section 6.3)."""
    z, v = 0, y
    for bit in coefficients(x):
        z ^= v * bit
        v = v >> 1 ^ (v & 1) * _R
    return z


def powers(h: int, count: int) -> list[int]:
    """h^1 to h^count."""
    out = [h]
    while len(out) < count:
        out.append(field_product(out[-1], h))
    return out


def ghash(h: int, blocks: Sequence[int]) -> int:
    """GHASH of blocks under the hash key h (algorithm 2 of section 6.4)."""
    y = 0
    for x in blocks:
        y = field_product(y ^ x, h)
    return y


def padded_blocks(data: bytes) -> list[int]:
    """Bytes as blocks, the last one filled with zeros on the right."""
    return [int.from_bytes(data[k : k + 16].ljust(16, b"\0"), "big") for k in range(0, len(data), 16)]


def length_block(aad: int, data: int) -> int:
    """The last block of GHASH: the lengths, given in bytes, as 64-bit numbers of bits."""
    return aad * 8 << 64 | data * 8


def initial_counter(h: int, iv: bytes) -> int:
    """The counter block J0 (section 7.1, step 2). Raises ValueError for an empty IV."""
    if not iv:
        raise ValueError("an IV of GCM has at least one byte")
    if len(iv) == 12:
        return int.from_bytes(iv, "big") << 32 | 1
    return ghash(h, [*padded_blocks(iv), length_block(0, len(iv))])


def iv_of(h: int, block: int) -> bytes:
    """The IV of 16 bytes from which the hash key h makes the counter block J0 `block`: to test counters near
    the end. h is not 0.

    >>> h, block = 0x66E94BD4EF8A2C3B884CFA59CA342B2E, (1 << 128) - 2
    >>> initial_counter(h, iv_of(h, block)) == block
    True
    """
    inverse, power = ONE, h  # h^(2^128 - 2), the product of h^2, h^4 and so on
    for _ in range(BLOCK_BITS - 1):
        power = field_product(power, power)
        inverse = field_product(inverse, power)
    within = field_product(block, inverse) ^ length_block(0, 16)
    return field_product(within, inverse).to_bytes(16, "big")


@dataclass(frozen=True)
class GcmResult:
    """What GCM makes of a message: ciphertext (of decryption: plaintext) and the whole tag."""

    data: bytes
    tag: bytes


def gcm(
    encrypt: Callable[[int], int], iv: bytes, aad: bytes, data: bytes, decrypt: bool = False
) -> GcmResult:
    """Authenticated encryption or decryption (sections 7.1 and 7.2); the caller compares the tag.

    encrypt: the block cipher under its key, on integers.
    """
    h = encrypt(0)
    j0 = initial_counter(h, iv)
    high, low = j0 >> 32 << 32, j0 & 0xFFFFFFFF
    blocks = padded_blocks(data)
    stream = [encrypt(high | (low + 1 + i) & 0xFFFFFFFF) for i in range(len(blocks))]
    out = b"".join((x ^ s).to_bytes(16, "big") for x, s in zip(blocks, stream, strict=True))[: len(data)]
    hashed = [
        *padded_blocks(aad),
        *padded_blocks(data if decrypt else out),
        length_block(len(aad), len(data)),
    ]
    return GcmResult(out, (ghash(h, hashed) ^ encrypt(j0)).to_bytes(16, "big"))
