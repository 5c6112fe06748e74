"""Shift registers with feedback: words of a generator, and signatures of results, the same in hardware and in
software.

A word is made of pieces of 32 bits. Each piece is multiplied by x modulo x^32 + x^22 + x^2 + x + 1, which is
primitive: a piece that is not zero returns after 2^32 - 1 steps. A signature starts as the first result; each
further result is added (exclusive or) to the signature's next word. So the signature differs where one result
of a batch differs, whichever it is. Differences of several results cancel where their sum over the steps is
zero in each piece: for random differences with a probability of 2^-32 for each piece that differs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...rtl import concatenated

__all__ = ["PIECE", "generated", "next_word", "signature"]

PIECE = 32
"""Bits of a piece. A word has a whole number of them."""

_TAPS = 0x0040_0007
"""The polynomial without its highest power."""


def next_word(name: str, bits: int) -> str:
    """The Verilog expression of the word after the word `name` of `bits` bits.

    >>> next_word("w", 32)
    "{w[30:0], 1'b0} ^ ({32{w[31]}} & 32'h00400007)"
    """
    pieces = []
    for low in range(0, bits, PIECE):
        top = low + PIECE - 1
        pieces.append(f"{{{name}[{top - 1}:{low}], 1'b0}} ^ ({{32{{{name}[{top}]}}}} & 32'h{_TAPS:08x})")
    return pieces[0] if len(pieces) == 1 else concatenated(pieces)


def _step(pieces: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return ((pieces << np.uint32(1)) ^ ((pieces >> np.uint32(31)) * np.uint32(_TAPS))).astype(np.uint32)


def generated(seed: bytes, count: int) -> bytes:
    """`count` words, of which `seed` is the first. Byte 0 of a word is its most significant byte. The seed
    has a multiple of 4 bytes.

    >>> generated(bytes(3) + b"\\x01", 3).hex()
    '000000010000000200000004'
    """
    piece = np.frombuffer(seed, dtype=">u4").astype(np.uint32)
    words = np.empty((count, len(piece)), dtype=">u4")
    for k in range(count):
        words[k] = piece
        piece = _step(piece)
    return words.tobytes()


def signature(results: bytes, size: int) -> bytes:
    """The signature of `results` of `size` bytes each, a multiple of 4: it has as many bytes."""
    words = np.frombuffer(results, dtype=">u4").astype(np.uint32).reshape(-1, size // 4)
    total = words[0]
    for word in words[1:]:
        total = _step(total) ^ word
    return bytes(total.astype(">u4"))
