"""The S-box of MARS: 512 words out of SHA-1, as the round-2 specification makes them (appendix "The
S-box").
"""

from __future__ import annotations

import hashlib
import struct

__all__ = ["S0", "S1", "S"]

_C1, _C2, _C3 = 0xB7E15162, 0x243F6A88, 0x02917D59
"""The expansions of e and pi, and the third constant that the designers searched for."""

_MENDED = (17, 67, 76, 131, 147, 210, 297, 351, 420)
"""Entries that are multiplied by 3, so that any two entries differ in at least four bits."""


def _sbox() -> tuple[int, ...]:
    words: list[int] = []
    for i in range(103):  # 5 words a digest
        words += struct.unpack("<5I", hashlib.sha1(struct.pack("<4I", 5 * i, _C1, _C2, _C3)).digest())
    for i in _MENDED:
        words[i] = words[i] * 3 % (1 << 32)
    return tuple(words[:512])


S = _sbox()
S0, S1 = S[:256], S[256:]
