"""Gates of one bit, from which adders are made."""

from __future__ import annotations

from dataclasses import dataclass

from ...graph.builder import GraphBuilder

__all__ = ["Bit", "Gates", "Group"]

Bit = int | bool
"""A node of one bit, or a constant (a bool)."""

Group = tuple[Bit, Bit]
"""Whether a group of columns generates a carry, and whether it propagates one: (g, p)."""


@dataclass
class Gates:
    """Gates of one bit, as nodes of `b`, that fold constants: a bit is a node or a bool."""

    b: GraphBuilder

    def and_(self, x: Bit, y: Bit) -> Bit:
        """1 where `x` and `y` are 1."""
        if isinstance(x, bool) or isinstance(y, bool):
            constant, other = (x, y) if isinstance(x, bool) else (y, x)
            return other if constant else False
        return self.b.and_(x, y)

    def or_(self, x: Bit, y: Bit) -> Bit:
        """1 where `x` or `y` is 1."""
        if isinstance(x, bool) or isinstance(y, bool):
            constant, other = (x, y) if isinstance(x, bool) else (y, x)
            return True if constant else other
        return self.b.or_(x, y)

    def xor(self, x: Bit, y: Bit) -> Bit:
        """1 where one of `x` and `y` is 1, and not both."""
        if isinstance(x, bool) and isinstance(y, bool):
            return x ^ y
        if isinstance(x, bool) or isinstance(y, bool):
            constant, other = (x, y) if isinstance(x, bool) else (y, x)
            return self.b.not_(other) if constant else other
        return self.b.xor(x, y)

    def nor(self, x: int, y: int) -> int:
        """1 where neither `x` nor `y` is 1; both are nodes."""
        return self.b.not_(self.b.or_(x, y))

    def choose(self, s: Bit, one: Bit, zero: Bit) -> Bit:
        """`one` where `s` is 1, otherwise `zero`."""
        if isinstance(s, bool):
            return one if s else zero
        if isinstance(one, bool) or isinstance(zero, bool):
            return self.or_(self.and_(s, one), self.and_(self.b.not_(s), zero))
        return self.b.mux(s, one, zero)
