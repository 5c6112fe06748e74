"""What a text of Verilog says: its words without comments and layout, and its modules."""

from __future__ import annotations

import re

__all__ = ["modules_in", "words"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_MODULE = re.compile(r"(?ms)^module (\w+)\b.*?^endmodule")


def words(text: str) -> str:
    """The words and signs of `text`, one space between them: equal for two texts that differ in comments,
    blanks and line breaks alone, and so in nothing that a tool reads.

    >>> words("assign y = a ^ b;  // the sum")
    'assign y = a ^ b ;'
    """
    return " ".join(re.findall(r"\w+|\S", _COMMENT.sub(" ", text)))


def modules_in(text: str) -> dict[str, tuple[int, int]]:
    """Name of every module in `text` whose first word begins a line -> where it starts in the text, and where
    its last word ends.
    """
    return {m[1]: m.span() for m in _MODULE.finditer(text)}
