"""XTS (IEEE 1619; NIST SP 800-38E) on integers and bytes: the reference of the hardware.

A data unit is encrypted under two keys. E(K2, unit number) is the first tweak, and each block's tweak is the
one before times alpha in GF(2^128). As an element of the field, a block's byte k has the coefficients 8k to
8k + 7, the lowest in its least significant bit (IEEE 1619, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["BLOCK_BYTES", "LARGEST_UNIT", "halves", "number_after", "times_alpha", "xts"]

BLOCK_BYTES = 16

LARGEST_UNIT = BLOCK_BYTES << 20
"""Bytes of a data unit, at most: 2^20 blocks (SP 800-38E, section 4)."""

_FIELD = 0x87
"""alpha^128 = alpha^7 + alpha^2 + alpha + 1 (IEEE 1619, section 5.2)."""

Crypt = Callable[[bytes, bool], bytes]
"""A block and whether it is decrypted -> the cipher's result under a key."""


def halves(key: bytes) -> tuple[bytes, bytes]:
    """K1, the first half of `key`, which encrypts the data, and K2, which encrypts unit numbers."""
    return key[: len(key) // 2], key[len(key) // 2 :]


def times_alpha(tweak: bytes) -> bytes:
    r"""The tweak of the block after the one with this `tweak`, 16 bytes: that times alpha in GF(2^128) (IEEE
    1619, section 5.2).

    >>> times_alpha(b"\x01" + bytes(15)).hex(), times_alpha(bytes(15) + b"\x80").hex()
    ('02000000000000000000000000000000', '87000000000000000000000000000000')
    """
    value = int.from_bytes(tweak, "little") << 1
    value ^= (value >> 128) * (1 << 128 | _FIELD)
    return value.to_bytes(BLOCK_BYTES, "little")


def number_after(number: bytes, count: int) -> bytes:
    r"""The tweak input of the data unit that comes `count` units after the one with `number`, 16 bytes: the
    number's first byte is its least significant one (IEEE 1619, section 5.1). It goes from the last number to
    zero.

    >>> number_after(b"\xff" * 16, 2).hex()
    '01000000000000000000000000000000'
    """
    value = int.from_bytes(number, "little") + count
    return (value % (1 << 8 * BLOCK_BYTES)).to_bytes(BLOCK_BYTES, "little")


def xts(data: Crypt, tweak: Crypt, number: bytes, unit: bytes, decrypt: bool = False) -> bytes:
    """The data unit `unit`, encrypted, or with `decrypt` decrypted (IEEE 1619, sections 5.3 and 5.4).

    data, tweak: the cipher under K1 and under K2; number: the unit's number as a block, its first byte the
    least significant. Raises ValueError for a unit of less than a block.
    """
    if len(unit) < BLOCK_BYTES:
        raise ValueError("a data unit has at least one whole block")
    t, out = tweak(number, False), b""

    def block(text: bytes, with_tweak: bytes) -> bytes:
        return _sum(data(_sum(text, with_tweak), decrypt), with_tweak)

    whole, rest = divmod(len(unit), BLOCK_BYTES)
    for k in range(whole - bool(rest)):
        out += block(unit[BLOCK_BYTES * k : BLOCK_BYTES * (k + 1)], t)
        t = times_alpha(t)
    if not rest:
        return out
    last, short = unit[-BLOCK_BYTES - rest : -rest], unit[-rest:]
    first, second = (times_alpha(t), t) if decrypt else (t, times_alpha(t))
    stolen_from = block(last, first)
    return out + block(short + stolen_from[rest:], second) + stolen_from[:rest]


def _sum(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
