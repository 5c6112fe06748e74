"""Words of 16 bytes, of which a message's last one may be short."""

from __future__ import annotations

__all__ = ["WORD_BYTES", "keep_of", "keep_text", "word_text", "words_of"]

WORD_BYTES = 16


def words_of(data: bytes) -> list[bytes]:
    """A message word by word; the last one is shorter where the message is no whole number of words."""
    return [data[k : k + WORD_BYTES] for k in range(0, len(data), WORD_BYTES)]


def keep_of(count: int) -> int:
    """Which bytes of a word are there, where its first `count` are: the highest bit is for the first byte.

    >>> f"{keep_of(3):016b}"
    '1110000000000000'
    """
    return 0xFFFF0000 >> count & 0xFFFF


def word_text(part: bytes) -> str:
    """A word, or the first bytes of one, as a value of a block port."""
    return f"128'h{part.ljust(WORD_BYTES, bytes(1)).hex()}"


def keep_text(part: bytes) -> str:
    """Which bytes of a word are there, as a value of a keep port."""
    return f"16'h{keep_of(len(part)):04x}"
