"""How deep in brackets each character of an expression of Verilog is."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["depths"]


def depths(text: str) -> Iterator[int]:
    """How many brackets are open behind each character of `text`: 0 for what is outside of all, and for the
    bracket that closes the last one; negative behind one that closes none.

    >>> list(depths("a & (b)"))
    [0, 0, 0, 0, 1, 1, 0]
    """
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        yield depth
