"""Truth tables as readable expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .brackets import depths

__all__ = ["TruthTable", "read_once"]

Halves = list[tuple[int, int]]
"""For each argument of a truth table: the tables that are left where it is 0, and where it is 1."""


@dataclass(frozen=True)
class TruthTable:
    """A bitwise truth table to print. `table`: bit number k is the result at address k. `args`: the names of
    its arguments, the first of them the top address bit. `scalar`: which arguments are one bit for all
    `width` bits of the result. `short`: no parentheses around a single operand, nor around a sum in a sum.

    >>> TruthTable(0x69, ("a", "b", "c"), (False,) * 3, 4, short=True).expression()
    'a ^ b ^ ~c'
    """

    table: int
    args: tuple[str, ...]
    scalar: tuple[bool, ...]
    width: int
    short: bool = False

    def expression(self) -> str:
        """A readable expression."""
        rows = 1 << len(self.args)
        if self.table in (0, (1 << rows) - 1):
            return f"{{{self.width}{{1'b{int(self.table > 0)}}}}}"
        if rows == 2:
            return self._spread(0) if self.table == 2 else f"~{self._spread(0)}"
        halves = [self._halves(j) for j in range(len(self.args))]
        return self._smaller(halves) or self._sum(halves) or self._gated(halves) or self._choice(halves)

    def _spread(self, j: int) -> str:
        """Argument j in the result's width."""
        name = self.args[j]
        return f"{{{self.width}{{{name}}}}}" if self.scalar[j] and self.width > 1 else name

    def _halves(self, j: int) -> tuple[int, int]:
        """The truth tables that are left where argument j is 0, and where it is 1."""
        top, low, high = 1 << (len(self.args) - 1 - j), 0, 0
        zero = [a for a in range(1 << len(self.args)) if not a & top]
        for pos, a in enumerate(zero):
            low |= (self.table >> a & 1) << pos
            high |= (self.table >> (a | top) & 1) << pos
        return low, high

    def _without(self, j: int, table: int) -> str:
        """The expression of a table over the other arguments than j."""
        args, scalar = self.args[:j] + self.args[j + 1 :], self.scalar[:j] + self.scalar[j + 1 :]
        return TruthTable(table, args, scalar, self.width, self.short).expression()

    def _rest(self, j: int, table: int, within: str = "") -> str:
        """The same as an operand. `within`: the operation around it, if more of it needs no parentheses."""
        text = self._without(j, table)
        if self.short:
            return text if _operations(text) <= set(within) else f"({text})"
        return text if text.replace("_", "").isalnum() else f"({text})"

    def _smaller(self, halves: Halves) -> str:
        """Where an argument does not matter: the expression of the others."""
        return next((self._without(j, low) for j, (low, high) in enumerate(halves) if low == high), "")

    def _sum(self, halves: Halves) -> str:
        """Where an argument inverts the rest: an XOR with it."""
        ones = (1 << (1 << len(self.args) - 1)) - 1
        found = (j for j, (low, high) in enumerate(halves) if low == high ^ ones)
        return next((f"{self._spread(j)} ^ {self._rest(j, halves[j][0], '^')}" for j in found), "")

    def _gated(self, halves: Halves) -> str:
        """Where a value of an argument makes the result constant: an AND or OR with it."""
        ones = (1 << (1 << len(self.args) - 1)) - 1
        for j, (low, high) in enumerate(halves):
            name = self._spread(j)
            if low in (0, ones):
                return f"{name} & {self._rest(j, high)}" if low == 0 else f"~{name} | {self._rest(j, high)}"
            if high in (0, ones):
                return f"~{name} & {self._rest(j, low)}" if high == 0 else f"{name} | {self._rest(j, low)}"
        return ""

    def _choice(self, halves: Halves) -> str:
        """A choice by the first argument of one bit, otherwise by the first."""
        j = next((k for k, one in enumerate(self.scalar) if one), 0)
        low, high = (self._rest(j, table) for table in halves[j])
        if self.scalar[j] or self.width == 1:
            return f"{self.args[j]} ? {high} : {low}"
        return f"({self._spread(j)} & {high}) | (~{self._spread(j)} & {low})"


def _operations(text: str) -> set[str]:
    """The operations with two operands or more that are outside all brackets."""
    return {sign for sign, depth in zip(text, depths(text), strict=True) if not depth and sign in "^&|?"}


def read_once(table: int, arguments: int) -> bool:
    """Whether the expression of `table` over so many words (`arguments`) has each of them once.

    >>> read_once(0x6996, 4), read_once(0xCA, 3)
    (True, False)
    """
    names = tuple(f"x{j}_" for j in range(arguments))
    said = TruthTable(table, names, (False,) * arguments, 2).expression()
    return all(len(re.findall(name, said)) == 1 for name in names)
