"""Exact comparison of two graphs that differ in linear maps only: sums over uninterpreted operations.

Every bit is written as a sum over GF(2) of inputs and of result bits of the other operations; two
operations are one where they are the same function of arguments with equal sums. Graphs whose outputs have
equal sums are equal for all inputs.
"""

from __future__ import annotations

from typing import Any

from ...graph.graph import Graph

__all__ = ["same_up_to_linear_maps"]

Sum = tuple[frozenset[Any], bool]


class _Table:
    """Numbers for operations over arguments with equal sums, common to the graphs that are compared."""

    def __init__(self) -> None:
        self.sums: dict[Sum, int] = {}
        self.operations: dict[Any, int] = {}

    def number(self, s: Sum) -> int:
        return self.sums.setdefault(s, len(self.sums))

    def operation(self, key: Any) -> int:
        return self.operations.setdefault(key, len(self.operations))


def _outputs(graph: Graph, table: _Table) -> dict[str, tuple[Sum, ...]]:
    values: list[tuple[Sum, ...]] = []  # least significant first

    def total(parts: list[Sum]) -> Sum:
        terms, inverted = frozenset[Any](), False
        for t, i in parts:
            terms, inverted = terms ^ t, inverted ^ i
        return terms, inverted

    for i, node in enumerate(graph.nodes):
        args = [values[a] for a in node.args]
        if node.op == "const":
            value = tuple((frozenset[Any](), bool(node.attr >> k & 1)) for k in range(node.width))
        elif node.op in ("select", "cat"):
            value = tuple(values[s][k] for s, k in graph.bits[i])
        elif node.op == "xor":
            value = tuple(total([a, b]) for a, b in zip(*args, strict=True))
        elif node.op == "not":
            value = tuple((t, not inverted) for t, inverted in args[0])
        elif node.op == "linear":
            value = tuple(
                total([args[0][j] for j in range(len(args[0])) if row >> j & 1])
                for row in reversed(node.attr[1])
            )
        else:
            attr = node.attr[0] if node.op == "input" else node.attr
            key = node.op, node.width, attr, tuple(tuple(map(table.number, a)) for a in args)
            number = table.operation(key)
            value = tuple((frozenset(((number, k),)), False) for k in range(node.width))
        values.append(value)
    return {name: values[i] for name, i in graph.outputs}


def same_up_to_linear_maps(one: Graph, other: Graph) -> bool:
    """Whether all outputs of the graphs `one` and `other`, by name, are equal for all inputs by linear
    algebra alone (False: they differ, or more is needed).

    >>> from cipherwright.graph import GraphBuilder
    >>> b, c = GraphBuilder("two"), GraphBuilder("one")
    >>> b.output("y", b.linear("B", (0b10, 0b11), b.linear("A", (0b11, 0b01), b.input("x", 2))))
    >>> c.output("y", c.linear("C", (0b11, 0b10), c.input("x", 2)))
    >>> same_up_to_linear_maps(b.build(), c.build())
    True
    """
    table = _Table()
    return _outputs(one, table) == _outputs(other, table)
