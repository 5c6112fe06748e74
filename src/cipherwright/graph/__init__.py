"""Graphs: word operations without clocks, their meaning, their text form, and proven rewrites."""

from .builder import GraphBuilder
from .graph import OUTPUT, Graph, Node
from .interpret import Bits, evaluate, evaluate_many, from_words, to_words
from .ops import AGILE, OPS, STATIC, Op, Table
from .text import digest, to_text

__all__ = [
    "AGILE",
    "OPS",
    "OUTPUT",
    "STATIC",
    "Bits",
    "Graph",
    "GraphBuilder",
    "Node",
    "Op",
    "Table",
    "digest",
    "evaluate",
    "evaluate_many",
    "from_words",
    "to_text",
    "to_words",
]
