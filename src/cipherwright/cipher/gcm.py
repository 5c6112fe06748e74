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
    """Coefficients of t^0 to t^127 of `block`: its bits from the most significant on."""
    return [block >> (BLOCK_BITS - 1 - i) & 1 for i in range(BLOCK_BITS)]


def field_product(x: int, y: int) -> int:
    """`x` times `y` in GF(2^128), blocks of 128 bits (algorithm 1 of section 6.3).

    >>> field_product(ONE, 5), field_product(1, ONE >> 1) == ONE >> 7 | ONE >> 2 | ONE >> 1 | ONE
    (5, True)
    """
    z, v = 0, y
    for bit in coefficients(x):
        z ^= v * bit
        v = v >> 1 ^ (v & 1) * _R
    return z


def powers(h: int, count: int) -> list[int]:
    """`h`^1 to h^`count` in GF(2^128), in this order."""
    out = [h]
    while len(out) < count:
        out.append(field_product(out[-1], h))
    return out


def ghash(h: int, blocks: Sequence[int]) -> int:
    """GHASH of `blocks`, of 128 bits each, under the hash key `h` (algorithm 2 of section 6.4)."""
    y = 0
    for x in blocks:
        y = field_product(y ^ x, h)
    return y


def padded_blocks(data: bytes) -> list[int]:
    r"""The bytes `data` as blocks, byte 0 the most significant, the last one filled with zeros on the right.

    >>> [hex(block) for block in padded_blocks(b"\x01")]
    ['0x1000000000000000000000000000000']
    """
    return [int.from_bytes(data[k : k + 16].ljust(16, b"\0"), "big") for k in range(0, len(data), 16)]


def length_block(aad: int, data: int) -> int:
    """The last block of GHASH: the lengths of the additional data, `aad`, and of `data`, both given in bytes,
    as 64-bit numbers of bits, that of `aad` first (section 7.1, step 5).
    """
    return aad * 8 << 64 | data * 8


def initial_counter(h: int, iv: bytes) -> int:
    r"""The counter block J0 of `iv` under the hash key `h` (section 7.1, step 2). Raises ValueError for an
    empty IV.

    >>> hex(initial_counter(0, bytes(11) + b"\xff"))  # 12 bytes: h does not matter
    '0xff00000001'
    """
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
    """What GCM makes of a message. `data`: ciphertext (of decryption: plaintext); `tag`: the whole tag, 16
    bytes.
    """

    data: bytes
    tag: bytes


def gcm(
    encrypt: Callable[[int], int], iv: bytes, aad: bytes, data: bytes, decrypt: bool = False
) -> GcmResult:
    """Authenticated encryption, or with `decrypt` decryption (sections 7.1 and 7.2); the caller compares the
    tag.

    encrypt: the block cipher under its key, on integers of 128 bits.
    iv: of any number of bytes but 0 (ValueError); aad: the additional data; data: the plaintext, in
    decryption the ciphertext.
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
