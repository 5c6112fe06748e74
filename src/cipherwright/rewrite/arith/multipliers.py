"""Multipliers by name: how the low half of a product is made, or the whole where both factors have a zero
for every bit of the upper half.

`operator`  one `*`, left to synthesis
`dsp`       the device's multipliers, each with its registers: three of half the width, whose results two
            carry chains join: x y = x0 y0 + 2^h (x1 y0 + x0 y1) modulo 2^(2h)
`tree`      a compressor tree and a final adder grown from the delays of a cell library: see trees.py; for
            whole products too
`rows`      carry chains alone: partial products added in pairs, pairs in pairs, each row only as long as
            the low half needs
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from .._walk import rebuild
from .compressor import UNIT_CELLS, CellDelays
from .trees import Made, low_product, prove_product

__all__ = ["MULTIPLIERS", "Product", "product_circuit", "realise_multipliers"]


@dataclass(frozen=True)
class Product:
    """The `graph` of a product, and how its `tree` was made (None of another multiplier). What algebra leaves
    open is the tree's final adder: that p is the sum of the rows.
    """

    graph: Graph
    tree: Made | None


Multiplier = Callable[[GraphBuilder, int, int], int]
"""(builder, x, y) -> x y modulo 2^width."""


def _part(b: GraphBuilder, a: int, high: int, low: int) -> int:
    return b.select(a, range(high, low - 1, -1))


def _dsp(b: GraphBuilder, x: int, y: int) -> int:
    width = b.width(x)
    half = width - width // 2
    if width <= 18:
        return b.node("dsp", width, (x, y))
    if half > 18:
        raise ValueError(f"a product of {width} bits does not fit three multipliers of 18 bits")
    rest = width - half
    x0, y0 = _part(b, x, half - 1, 0), _part(b, y, half - 1, 0)
    low = b.node("dsp", min(width, 2 * half), (x0, y0), None, "product_low")
    cross = [
        b.node("dsp", rest, (u, v), None, "product_mid")
        for u, v in ((_part(b, x, width - 1, half), y0), (x0, _part(b, y, width - 1, half)))
    ]
    middle = b.named(b.add(*cross), "product_sum")
    return b.cat(
        b.named(b.add(_part(b, low, width - 1, half), middle), "product_high"), _part(b, low, half - 1, 0)
    )


def _rows(b: GraphBuilder, x: int, y: int) -> int:
    """Row k is x y_k 2^k: `width - k` bits; a sum starts at its lower row's place."""
    width = b.width(x)
    rows = []
    for k in range(width):
        bit = b.select(y, (k,) * (width - k))
        rows.append((k, b.named(b.and_(_part(b, x, width - 1 - k, 0), bit), "row")))
    while len(rows) > 1:
        pairs = []
        for (low, a), (high, c) in zip(rows[::2], rows[1::2], strict=False):
            gap = high - low
            total = b.named(b.add(_part(b, a, width - 1 - low, gap), c), "rows")
            pairs.append((low, b.cat(total, _part(b, a, gap - 1, 0))))
        rows = [*pairs, *rows[len(rows) - len(rows) % 2 :]]
    return rows[0][1]


MULTIPLIERS: dict[str, Multiplier | None] = {"operator": None, "dsp": _dsp, "rows": _rows, "tree": None}

TREE_SLACK = 0.2
"""How much later than it could a tree's result may come by the delay model, in ns, for a smaller final
adder; mapped, it is not later.
"""


def product_circuit(
    kind: str, width: int, cells: CellDelays | None = None, final: str = "hybrid", whole: bool = False
) -> Product | None:
    """x, y -> p, the low half of the product of two words of `width` bits as `realise_multipliers` makes it
    by the multiplier `kind`, or the `whole` of it, proven by algebra; None where that is one operation.
    `cells`: delays for a tree (None: those of unit gates); `final`: the adder behind a tree. Raises
    AssertionError where it is no product, ValueError where it can't be made.
    """
    if kind == "operator":
        return None
    b = GraphBuilder(f"product_{kind}{'_whole' if whole else ''}")
    x, y = b.input("x", width), b.input("y", width)
    if whole and kind != "tree":
        raise ValueError(
            f"the multiplier {kind} makes low halves of products; whole ones are made by tree and operator"
        )
    if kind != "tree":
        make = MULTIPLIERS[kind]
        assert make is not None
        b.output("p", make(b, x, y))
        graph = b.build()
        prove_product(
            graph,
            "x",
            "y",
            width,
            [(bit, 1 << k, False) for k, bit in enumerate(graph.bits[dict(graph.outputs)["p"]])],
        )
        return Product(graph, None)
    made = low_product(b, x, y, 2 * width if whole else width, cells or UNIT_CELLS, TREE_SLACK, final)
    b.output("p", made.node)
    alone = b.build()
    for k, column in enumerate(made.tree.columns):
        for j, bit in enumerate(column):
            b.output(f"row{k}_{j}", bit.node)
    graph = b.build()
    rows = dict(graph.outputs)
    finals = [
        (graph.bits[rows[f"row{k}_{j}"]][0], 1 << k, True)
        for k, column in enumerate(made.tree.columns)
        for j in range(len(column))
    ]
    prove_product(graph, "x", "y", len(made.tree.columns), finals)
    return Product(alone, made)


def _factor(b: GraphBuilder, word: int) -> int:
    """The lower half of a word whose upper half is 0; otherwise the word."""
    n = b.at(word)
    if (
        n.op == "cat"
        and len(n.args) == 2
        and 2 * b.width(n.args[1]) == n.width
        and (b.at(n.args[0]).op, b.at(n.args[0]).attr) == ("const", 0)
    ):
        return n.args[1]
    return word


def realise_multipliers(
    graph: Graph, kind: str, cells: CellDelays | None = None, modules: bool = False, final: str = "hybrid"
) -> Graph:
    """Every product of `graph` by the multiplier `kind`; `cells`: delays for a tree (none: those of unit
    gates), and `final` its last adder; with `modules`, a call of a graph of its own, which is a module in
    the text. Raises ValueError where there is none of that name.
    """
    if kind not in MULTIPLIERS:
        raise ValueError(f"there is no multiplier {kind}; there are {', '.join(MULTIPLIERS)}")

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op != "mul":
            return None
        x, y = (_factor(b, a) for a in args)
        whole = kind == "tree" and b.width(x) == b.width(y) < node.width
        if not whole:
            x, y = args
        if modules and (made := product_circuit(kind, b.width(x), cells, final, whole)):
            return b.call(made.graph, x, y)
        if kind == "tree":
            return low_product(b, x, y, node.width, cells or UNIT_CELLS, TREE_SLACK, final).node
        make = MULTIPLIERS[kind]
        return make(b, args[0], args[1]) if make else None

    return rebuild(graph, replace)
