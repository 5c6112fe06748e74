"""What a text of Verilog says: its words without comments and layout, and its modules."""

from __future__ import annotations

import re

from ..errors import UserError

__all__ = ["modules_in", "named_twice", "words"]

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


def named_twice(module: str) -> UserError:
    """What is wrong where two modules of a core have the name `module`: only tables have names that a user
    gives.

    >>> print(named_twice("mine_stage1"))
    two modules of the core are called mine_stage1: a table of the cipher needs another name
    """
    return UserError(f"two modules of the core are called {module}: a table of the cipher needs another name")
