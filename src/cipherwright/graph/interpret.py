"""What a graph means: on integers, and on many blocks at once with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .graph import Graph, Node
from .ops import OPS, evaluate

__all__ = ["Bits", "evaluate", "evaluate_many", "from_words", "to_words"]

Bits = NDArray[np.uint8]
"""Shape (width, blocks), entries 0 or 1; row 0 is the least significant bit."""


def evaluate_many(graph: Graph, inputs: Mapping[str, Bits]) -> dict[str, Bits]:
    """`evaluate` for many blocks: `inputs` has, for each input of `graph` by name, an array of shape (width,
    blocks), and so has the result for each output. Row 0 is the least significant bit. Raises ValueError
    where an array has not a row for each bit, and KeyError where an input is missing.

    >>> from cipherwright.graph import GraphBuilder
    >>> b = GraphBuilder("inverted")
    >>> b.output("y", b.not_(b.input("x", 4)))
    >>> to_words(evaluate_many(b.build(), {"x": from_words([0, 5, 15], 4)})["y"])
    [15, 10, 0]
    """
    values: list[Bits] = []
    for i, node in enumerate(graph.nodes):
        if node.op == "input":
            value = inputs[node.attr[0]]
            if value.shape[0] != node.width:
                raise ValueError(
                    f"graph {graph.name}: input {node.attr[0]} has {value.shape[0]} rows, not {node.width}"
                )
        else:
            value = _many(graph, i, [values[a] for a in node.args])
        values.append(value)
    blocks = next(iter(inputs.values())).shape[1]
    return {
        name: np.broadcast_to(values[i], (values[i].shape[0], blocks)).copy() for name, i in graph.outputs
    }


def _many(graph: Graph, index: int, v: list[Bits]) -> Bits:
    """The values of one node from those of its arguments."""
    node = graph.nodes[index]
    form = _FORMS.get(node.op)
    return form(node, v) if form else _by_words(node, [graph.nodes[a].width for a in node.args], v)


def _const(node: Node, v: list[Bits]) -> Bits:
    return np.array([[node.attr >> k & 1] for k in range(node.width)], dtype=np.uint8)


def _cat(node: Node, v: list[Bits]) -> Bits:
    n = max(x.shape[1] for x in v)
    return np.concatenate([np.broadcast_to(x, (x.shape[0], n)) for x in reversed(v)])


def _mux(node: Node, v: list[Bits]) -> Bits:
    return np.where(v[0] != 0, v[1], v[2])


def _lookup(node: Node, v: list[Bits]) -> Bits:
    entries = np.array(node.attr.entries, dtype=object)
    rows = np.array([[int(e) >> k & 1 for e in entries] for k in range(node.width)], dtype=np.uint8)
    return rows[:, _address(v[0])]


def _lut(node: Node, v: list[Bits]) -> Bits:
    address = np.zeros((1, 1), dtype=np.int64)
    for x in v:
        address = address * 2 + x
    table = np.array([node.attr >> k & 1 for k in range(1 << len(v))], dtype=np.uint8)
    return table[address]


def _linear(node: Node, v: list[Bits]) -> Bits:
    rows = np.array([[r >> k & 1 for k in range(v[0].shape[0])] for r in reversed(node.attr[1])])
    return (rows @ v[0] & 1).astype(np.uint8)


def _call(node: Node, v: list[Bits]) -> Bits:
    inner = node.attr
    return evaluate_many(inner, dict(zip(inner.input_names(), v, strict=True)))[inner.outputs[0][0]]


def _same(node: Node, v: list[Bits]) -> Bits:
    return v[0]


_FORMS: dict[str, Callable[[Node, list[Bits]], Bits]] = {
    "const": _const,
    "select": lambda node, v: v[0][list(reversed(node.attr))],
    "cat": _cat,
    "xor": lambda node, v: v[0] ^ v[1],
    "xor5": lambda node, v: v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4],
    "and": lambda node, v: v[0] & v[1],
    "or": lambda node, v: v[0] | v[1],
    "not": lambda node, v: v[0] ^ np.uint8(1),
    "mux": _mux,
    "muxf5": _mux,
    "muxf6": _mux,
    "again": _same,
    "copy": _same,
    "hop": _same,
    "lookup": _lookup,
    "lut": _lut,
    "lut4": _lut,
    "linear": _linear,
    "call": _call,
}
"""The vector form of each operation: its node and the bits of its arguments -> the bits of its result. What
is left out, such as addition, goes through Python integers, which are exact at any width.
"""


def _by_words(node: Node, widths: list[int], v: list[Bits]) -> Bits:
    """The result through the operation's meaning on integers, block by block."""
    n = max(x.shape[1] for x in v)
    columns = [to_words(np.broadcast_to(x, (x.shape[0], n))) for x in v]
    meaning = OPS[node.op].meaning
    words = [meaning(node.attr, widths, row, node.width) for row in zip(*columns, strict=True)]
    return from_words(words, node.width)


def _address(bits: Bits) -> NDArray[np.int64]:
    weights = np.int64(1) << np.arange(bits.shape[0], dtype=np.int64)
    out: NDArray[np.int64] = weights @ bits.astype(np.int64)
    return out


def from_words(words: Any, width: int) -> Bits:
    """The integers `words`, one a block and each below 2^width, as bits of shape (width, blocks), row 0 the
    least significant.

    >>> from_words([1, 6], 3).tolist()  # a column is a word
    [[1, 0], [0, 1], [0, 1]]
    """
    size = (width + 7) // 8
    raw = np.frombuffer(b"".join(int(w).to_bytes(size, "little") for w in words), dtype=np.uint8)
    return np.unpackbits(raw.reshape(-1, size), axis=1, bitorder="little")[:, :width].T.copy()


def to_words(bits: Bits) -> list[int]:
    """The inverse of `from_words`: an integer for each column of `bits`, of shape (width, blocks), row 0 the
    least significant.
    """
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
