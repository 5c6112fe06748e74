"""Widths of the expressions that link instances: names, parts of them, constants, concatenations, repeated
operands, the operators of one width, and choices.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Unreadable", "bits_of", "expression_width"]


class Unreadable(ValueError):
    """An expression of a kind whose width this module does not know."""


_TOKEN = re.compile(
    r"\s*(?:(?P<const>\d+'[bdh][\da-fA-F_]+)|(?P<number>\d+)|(?P<name>[a-zA-Z_]\w*)"
    r"|(?P<mark>[=!<>]=|[<>+\-]|[\[\]{}():,&|^~?]))"
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
            raise Unreadable(
                f"{self.text}: {mark} is expected before {self.tokens[self.place][1] or 'the end'}"
            )
        self.place += 1
        return self.tokens[self.place - 1][1]

    def choice(self) -> int:
        """Operands, or a choice between two of one width by one bit."""
        width = self.operands()
        if self.mark() != "?":
            return width
        if width != 1:
            raise ValueError(f"{self.text}: a choice by {width} bits")
        self.take("?")
        chosen = self.choice()
        self.take(":")
        self.same(chosen, self.choice())
        return chosen

    def operands(self) -> int:
        """Operands of one width between &, | and ^."""
        width = self.compared()
        while self.mark() in ("&", "|", "^"):
            self.take()
            self.same(width, self.compared())
        return width

    def compared(self) -> int:
        """Sums, or how one compares with another of its width."""
        width = self.sums()
        if self.mark() not in ("==", "!=", "<", ">", "<=", ">="):
            return width
        self.take()
        self.same(width, self.sums())
        return 1

    def sums(self) -> int:
        """Operands of one width between + and -."""
        width = self.operand()
        while self.mark() in ("+", "-"):
            self.take()
            self.same(width, self.operand())
        return width

    def same(self, width: int, other: int) -> None:
        if other != width:
            raise ValueError(f"{self.text}: operands of {width} and {other} bits")

    def operand(self) -> int:
        match self.mark():
            case "~":
                self.take()
                return self.operand()
            case "&" | "|" | "^":
                self.take()
                self.operand()
                return 1
            case "(":
                self.take()
                width = self.choice()
                self.take(")")
                return width
            case "{":
                return self.parts()
            case "const":
                return int(self.take().partition("'")[0])
        return self.part()

    def parts(self) -> int:
        """A concatenation, or a repeated operand."""
        self.take("{")
        if self.mark() == "number":
            times = int(self.take())
            width = times * self.parts()
            self.take("}")
            return width
        width = self.choice()
        while self.mark() == ",":
            self.take()
            width += self.choice()
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
    """Bits of the Verilog expression `text`. `widths`: name -> bits.

    Raises Unreadable where it is none of those that this module knows, and ValueError where a name is not
    declared, where bits are beyond a name, and where the operands of an operator differ in width.

    >>> expression_width("{4'd0, word[7:4]} & ~mask", {"word": 16, "mask": 8})
    8
    """
    tokens, place = list[tuple[str, str]](), 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if not found:
            raise Unreadable(f"{text}: no expression of names, constants, parts and bitwise operators")
        assert found.lastgroup is not None
        tokens.append((found.lastgroup, found[found.lastgroup]))
        place = found.end()
    parser = _Parser(text, [*tokens, ("end", "")], widths)
    width = parser.choice()
    if parser.mark() != "end":
        raise Unreadable(f"{text}: the end is expected before {parser.take()}")
    return width


_PLACE = re.compile(r"(\w+)(?:\[(\d+)(?::(\d+))?\])?")


def bits_of(text: str, widths: Mapping[str, int]) -> list[tuple[str, int]]:
    """Bits that `text`, the target of a driver, is: a name, bits of it, or a concatenation of those; the most
    significant first. `widths`: name -> bits.

    >>> bits_of("{carry, word[1:0]}", {"carry": 1, "word": 8})
    [('carry', 0), ('word', 1), ('word', 0)]
    """
    found = []
    for name, high, low in _PLACE.findall(text):
        top = int(high) if high else widths[name] - 1
        bottom = int(low or high or 0)
        found += [(name, k) for k in range(top, bottom - 1, -1)]
    return found
