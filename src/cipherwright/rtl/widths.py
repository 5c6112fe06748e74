"""Widths of the expressions that link instances: names, parts of them, constants, concatenations, and the
bitwise operators & | ^ ~.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["bits_of", "expression_width"]

_TOKEN = re.compile(
    r"\s*(?:(?P<const>\d+'[bdh][\da-fA-F_]+)|(?P<number>\d+)|(?P<name>[a-zA-Z_]\w*)|(?P<mark>[\[\]{}():,&|^~?]))"
)


@dataclass
class _Parser:
    """Tokens of an expression and the place in them."""

    text: str
    tokens: list[tuple[str, str]]
    widths: Mapping[str, int]
    place: int = 0

    def mark(self) -> str:
        """The next token where it is a mark, otherwise its kind."""
        kind, token = self.tokens[self.place]
        return token if kind == "mark" else kind

    def take(self, mark: str = "") -> str:
        if mark and self.mark() != mark:
            raise ValueError(
                f"{self.text}: {mark} is expected before {self.tokens[self.place][1] or 'the end'}"
            )
        self.place += 1
        return self.tokens[self.place - 1][1]

    def operands(self) -> int:
        """Operands of one width between &, | and ^."""
        width = self.operand()
        while self.mark() in ("&", "|", "^"):
            self.take()
            other = self.operand()
            if other != width:
                raise ValueError(f"{self.text}: operands of {width} and {other} bits")
        return width

    def operand(self) -> int:
        match self.mark():
            case "~":
                self.take()
                return self.operand()
            case "(":
                self.take()
                width = self.operands()
                self.take(")")
                return width
            case "{":
                return self.parts()
            case "const":
                return int(self.take().partition("'")[0])
        return self.part()

    def parts(self) -> int:
        """A concatenation."""
        self.take("{")
        width = self.operands()
        while self.mark() == ",":
            self.take()
            width += self.operands()
        self.take("}")
        return width

    def part(self) -> int:
        """A name, or bits of it."""
        name = self.take("name")
        if name not in self.widths:
            raise ValueError(f"{self.text}: {name} is not declared")
        if self.mark() != "[":
            return self.widths[name]
        high, low = self.range()
        if not self.widths[name] > high >= low:
            raise ValueError(f"{self.text}: {name} has {self.widths[name]} bits")
        return high - low + 1

    def range(self) -> tuple[int, int]:
        self.take("[")
        high = low = int(self.take("number"))
        if self.mark() == ":":
            self.take()
            low = int(self.take("number"))
        self.take("]")
        return high, low


def expression_width(text: str, widths: Mapping[str, int]) -> int:
    """Bits of an expression. `widths`: name -> bits.

    Raises ValueError where it is none of those that this module knows, where a name is not declared, where
    bits are beyond a name, and where the operands of an operator differ in width.

    >>> expression_width("{4'd0, word[7:4]} & ~mask", {"word": 16, "mask": 8})
    8
    """
    tokens, place = list[tuple[str, str]](), 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if not found:
            raise ValueError(f"{text}: no expression of names, constants, parts and bitwise operators")
        assert found.lastgroup is not None
        tokens.append((found.lastgroup, found[found.lastgroup]))
        place = found.end()
    parser = _Parser(text, [*tokens, ("end", "")], widths)
    width = parser.operands()
    if parser.mark() != "end":
        raise ValueError(f"{text}: the end is expected before {parser.take()}")
    return width


_PLACE = re.compile(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?")


def bits_of(text: str, widths: Mapping[str, int]) -> list[tuple[str, int]]:
    """Bits that the target of a driver is: a name, bits of it, or a concatenation of those.

    >>> bits_of("{carry, word[1:0]}", {"carry": 1, "word": 8})
    [('carry', 0), ('word', 1), ('word', 0)]
    """
    found = []
    for name, high, low in _PLACE.findall(text):
        top = int(high) if high else widths[name] - 1
        bottom = int(low or high or 0)
        found += [(name, k) for k in range(top, bottom - 1, -1)]
    return found
