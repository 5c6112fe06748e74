"""What realisations know a table by: its entries, whatever it is called."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

__all__ = ["BOTH_BOXES", "digest_of"]

BOTH_BOXES = "SBoxBoth"
"""AES's SBox or, where the address's top bit is 1, its InvSBox: 512 entries of 8 bits."""


def digest_of(entries: Sequence[int]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a table's `entries`, each in as many bytes as
    the largest takes, the most significant first.

    >>> digest_of(range(256))
    '40aff2e9d2d8922e'
    """
    size = max(1, (max(entries).bit_length() + 7) // 8)
    return hashlib.sha256(b"".join(e.to_bytes(size, "big") for e in entries)).hexdigest()[:16]
