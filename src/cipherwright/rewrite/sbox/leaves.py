"""Substitution boxes as sums of functions of four input bits: one level of LUT4s, then a linear map over
them.

For boxes of low algebraic degree (S7 and S9 of MISTY1: cubic, quadratic). The sums are linear maps, so
what is added to the box's output is added in the same lookup tables (linear.py). Leaves by
benchmarks/leaf_search.cpp, in data/leaves.json.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph
from ...graph.ops import Table
from .names import digest_of

__all__ = ["has_leaves", "summed", "summed_whole"]


@cache
def _library() -> dict[str, dict[str, Any]]:
    """By the digest of a table's entries."""
    text = (resources.files(__package__) / "data" / "leaves.json").read_text()
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def has_leaves(table: Table) -> bool:
    """Whether such a form is known for the entries of `table`."""
    return digest_of(table.entries) in _library()


@cache
def _leaves(table: Table) -> tuple[Graph, tuple[int, ...], int]:
    """Leaves (address -> their bits), the rows of the sums over address (below) and leaves (above), most
    significant output first, and the constant part.
    """
    entry = _library()[digest_of(table.entries)]
    n = table.address_bits
    b = GraphBuilder(f"{table.name}_leaves", "lut4")
    a = b.input("a", n)
    made = []
    for j, products in enumerate(entry["leaves"]):
        terms = [tuple(map(int, t)) for t in products]
        bits = sorted({v for t in terms for v in t})
        truth = 0
        for x in range(1 << len(bits)):
            value = sum(all(x >> bits.index(v) & 1 for v in t) for t in terms) & 1
            truth |= value << x
        made.append(b.node("lut4", 1, tuple(b.select(a, (v,)) for v in reversed(bits)), truth, f"g{j}"))
    b.output("y", b.cat(*reversed(made)))
    rows = []
    for signals in reversed(entry["outs"]):
        rows.append(sum(1 << (int(s[1:]) if s[0] == "x" else n + int(s[1:])) for s in signals))
    return b.build(), tuple(rows), table.entries[0]


def summed(b: GraphBuilder, table: Table, address: int) -> int:
    """The entry of `table` at `address`, both nodes of `b`: leaves, a linear map, and a constant."""
    graph, rows, constant = _leaves(table)
    leaves = b.call(graph, address, name=f"{table.name.lower()}_g")
    y = b.linear(table.name, rows, b.cat(leaves, address))
    return b.xor(y, b.const(table.width, constant))


@cache
def summed_whole(table: Table) -> Graph:
    """`summed` of `table` as a graph of its own (a -> y), for the proof."""
    b = GraphBuilder(f"{table.name}_summed")
    b.output("y", summed(b, table, b.input("a", table.address_bits)))
    return b.build()
