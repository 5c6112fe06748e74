"""Two descriptions over words compared for every input: what a form must be to its standard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cipherwright.cipher.word import Word, all_under, over
from cipherwright.graph import Graph, GraphBuilder
from cipherwright.verify.aig import Aig, graph_to_aig
from cipherwright.verify.cuts import Comparison
from cipherwright.verify.equivalence import compare

Made = Callable[[Mapping[str, Word]], Sequence[Word]]
"""Words out of the inputs by name."""


def graph_of(made: Made, widths: Mapping[str, int]) -> Graph:
    b = GraphBuilder("compared")
    for i, value in enumerate(all_under(b, made({n: over(b, b.input(n, w)) for n, w in widths.items()}))):
        b.output(f"word{i}", value)
    return b.build()


def prove_equal(one: Made, other: Made, widths: Mapping[str, int]) -> None:
    """Both make the same words for all inputs of these widths. Raises CheckFailed where they do not."""
    aig = Aig([f"{name}{k}" for name, w in widths.items() for k in range(w)])
    literals, used = dict[str, list[int]](), 0
    for name, width in widths.items():
        literals[name] = [aig.input(used + k) for k in range(width)]
        used += width
    got = graph_to_aig(graph_of(one, widths), aig, literals)
    gates, marks = len(aig.gates), list[int]()
    want = graph_to_aig(graph_of(other, widths), aig, literals, None, marks)
    assert [(n, len(w)) for n, w in got.items()] == [(n, len(w)) for n, w in want.items()]
    pairs = [
        (f"{n} bit {k}", g, w) for n in got for k, (g, w) in enumerate(zip(got[n], want[n], strict=True))
    ]
    names, left, right = zip(*pairs, strict=True)
    compare(Comparison(aig, gates, tuple(marks), left, right), names, [{}])
