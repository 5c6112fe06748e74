"""Words of 16 bytes, or of a smaller block, of which a message's last one may be short."""

from __future__ import annotations

__all__ = ["WORD_BYTES", "keep_of", "keep_text", "word_text", "words_of"]

WORD_BYTES = 16


def words_of(data: bytes) -> list[bytes]:
    """`data` in words of 16 bytes, in order; the last one is shorter where it is no whole number of words.

    >>> [len(word) for word in words_of(bytes(20))]
    [16, 4]
    """
    return [data[k : k + WORD_BYTES] for k in range(0, len(data), WORD_BYTES)]


def keep_of(count: int, size: int = WORD_BYTES) -> int:
    """Which bytes of a word of `size` bytes are there, where its first `count` are: the highest bit is for
    the first byte.

    >>> f"{keep_of(3):016b}", f"{keep_of(3, 8):08b}"
    ('1110000000000000', '11100000')
    """
    every = (1 << size) - 1
    return every << (size - count) & every


def word_text(part: bytes, size: int = WORD_BYTES) -> str:
    """`part`, a word of `size` bytes or the first ones of it, as a value of a block port: the first byte at
    the top, bytes that are missing 0.

    >>> word_text(b"\\x01\\x02", 4)
    "32'h01020000"
    """
    return f"{8 * size}'h{part.ljust(size, bytes(1)).hex()}"


def keep_text(part: bytes, size: int = WORD_BYTES) -> str:
    """Which bytes of a word of `size` bytes are there, where its first ones are `part`, as a value of a keep
    port: the highest bit is for the first byte. `size` is a multiple of 4.

    >>> keep_text(b"abc", 8)
    "8'he0"
    """
    return f"{size}'h{keep_of(len(part), size):0{size // 4}x}"
