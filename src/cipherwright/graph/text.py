"""The text form of a graph: one line a node, stable bytes; for reading, tests and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from .graph import Graph, Node
from .ops import Table

__all__ = ["digest", "to_text"]


def to_text(graph: Graph) -> str:
    """Nodes as `%3 = xor 32 (%1 %2) name`, sub-graphs (each once) before their caller."""
    seen: dict[str, Graph] = {}
    body = "".join(line + "\n" for line in _lines(graph, seen))
    return "".join(to_text(inner) for inner in seen.values()) + body


def _lines(graph: Graph, seen: dict[str, Graph]) -> Iterator[str]:
    yield f"graph {graph.name}"
    for i, node in enumerate(graph.nodes):
        if node.op == "call":
            seen.setdefault(node.attr.name, node.attr)
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
    """SHA-256 of the text form."""
    return hashlib.sha256(to_text(graph).encode()).hexdigest()
