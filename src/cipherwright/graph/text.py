"""The text form of a graph: one line a node, stable bytes; for reading, tests and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from .graph import Graph, Node
from .ops import Table

__all__ = ["digest", "to_text"]


def to_text(graph: Graph) -> str:
    """The text of `graph`: nodes as `%3 = xor 32 (%1 %2) name`, outputs as `out name %3`. A graph that is
    called comes before its caller, once for each caller.

    >>> from cipherwright.graph import GraphBuilder
    >>> b = GraphBuilder("flip")
    >>> b.output("y", b.not_(b.input("x", 4)))
    >>> print(to_text(b.build()), end="")
    graph flip
      %0 = input 4 () x agile x
      %1 = not 4 (%0)
      out y %1
    """
    seen: dict[Graph, None] = {}
    body = "".join(line + "\n" for line in _lines(graph, seen))
    return "".join(to_text(inner) for inner in seen) + body


def _lines(graph: Graph, seen: dict[Graph, None]) -> Iterator[str]:
    yield f"graph {graph.name}"
    for i, node in enumerate(graph.nodes):
        if node.op == "call":
            seen.setdefault(node.attr)
        args = " ".join(f"%{a}" for a in node.args)
        yield f"  %{i} = {node.op} {node.width} ({args}) {_attr(node)} {node.name}".rstrip()
    for name, i in graph.outputs:
        yield f"  out {name} %{i}"


def _attr(node: Node) -> str:
    a = node.attr
    if a is None:
        return ""
    if isinstance(a, Table):
        return f"{a.name}[{' '.join(map(str, a.entries))}]"
    if isinstance(a, Graph):
        return f"@{a.name}"
    if isinstance(a, tuple):
        return " ".join(map(str, a)).replace(",", "")
    return f"{a:#x}"


def digest(graph: Graph) -> str:
    """SHA-256 of the text of `graph` (`to_text`), in hexadecimal digits."""
    return hashlib.sha256(to_text(graph).encode()).hexdigest()
