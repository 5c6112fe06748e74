"""The graph: its rules, its meaning both ways, its text."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherwright.graph import (
    Graph,
    GraphBuilder,
    Node,
    Table,
    digest,
    evaluate,
    evaluate_many,
    from_words,
    to_text,
    to_words,
)


@dataclass(frozen=True)
class Operands:
    """Three words of 4 bits, a graph of two such words, and where the next operation is made and drawn."""

    b: GraphBuilder
    r: random.Random
    x: int
    y: int
    z: int
    inner: Graph

    def some_bit(self, word: int) -> int:
        return self.b.select(word, (self.r.randrange(4),))

    def some(self, count: int, below: int) -> list[int]:
        return [self.r.randrange(below) for _ in range(count)]

    def lut4(self) -> int:
        """A table of three bits."""
        return self.b.node(
            "lut4", 1, [self.some_bit(w) for w in (self.x, self.y, self.z)], self.r.randrange(256)
        )


_OPERATIONS: tuple[Callable[[Operands], int], ...] = (
    lambda o: o.b.xor(o.x, o.y),
    lambda o: o.b.and_(o.x, o.y),
    lambda o: o.b.or_(o.x, o.y),
    lambda o: o.b.not_(o.x),
    lambda o: o.b.mux(o.some_bit(o.z), o.x, o.y),
    lambda o: o.b.add(o.x, o.y),
    lambda o: o.b.sub(o.x, o.y),
    lambda o: o.b.mul(o.x, o.y),
    lambda o: o.b.select(o.x, o.some(4, 4)),
    lambda o: o.b.cat(o.b.select(o.x, (3, 1)), o.b.select(o.y, (0, 2))),
    lambda o: o.b.lookup(f"T{o.r.randrange(3)}", o.some(16, 16), 4, o.x),
    lambda o: o.b.linear("L", o.some(4, 16), o.x),
    lambda o: o.b.lut(o.r.randrange(256), o.x, o.y, o.z),
    lambda o: o.b.cat(*(o.lut4() for _ in range(4))),
    lambda o: o.b.call(o.inner, o.x, o.y),
    lambda o: o.b.node(o.r.choice(("copy", "hop")), 4, (o.x,), o.r.randrange(9)),
    lambda o: o.b.xor(o.x, o.b.const(4, o.r.randrange(16))),
)
"""A word of 4 bits by each operation of the table."""


def random_graph(seed: int, size: int = 25) -> Graph:
    """Every operation of the table, at random."""
    r, b = random.Random(seed), GraphBuilder(f"random{seed}")
    inner = GraphBuilder("inner")
    inner.output("y", inner.lut(0b0110, inner.input("a", 4), inner.input("b", 4)))
    sub = inner.build()
    words = [b.input("p", 4), b.input("q", 4), b.input("s", 1)]
    four = words[:2]
    for _ in range(size):
        x, y, z = (r.choice(four) for _ in range(3))
        four.append(r.choice(_OPERATIONS)(Operands(b, r, x, y, z, sub)))
    for k, w in enumerate(four[-3:]):
        b.output(f"o{k}", w)
    return b.build()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    words=st.lists(
        st.tuples(st.integers(0, 15), st.integers(0, 15), st.integers(0, 1)), min_size=1, max_size=9
    ),
)
def test_both_interpreters_agree(seed: int, words: list[tuple[int, int, int]]) -> None:
    g = random_graph(seed)
    columns = {
        n: from_words([w[k] for w in words], width)
        for k, (n, width) in enumerate((("p", 4), ("q", 4), ("s", 1)))
    }
    many = {n: to_words(v) for n, v in evaluate_many(g, columns).items()}
    for i, (p, q, s) in enumerate(words):
        assert evaluate(g, {"p": p, "q": q, "s": s}) == {n: v[i] for n, v in many.items()}


def test_constants_fold_and_equal_nodes_become_one() -> None:
    b = GraphBuilder("g")
    x = b.input("x", 8)
    assert b.xor(x, b.const(8, 0)) == x
    assert b.add(b.const(8, 250), b.const(8, 10)) == b.const(8, 4)
    assert b.xor(x, b.not_(x)) == b.xor(x, b.not_(x))
    assert b.not_(b.not_(x)) == x
    assert b.select(b.select(x, (3, 2, 1, 0)), (0, 3)) == b.select(x, (0, 3))
    assert b.mux(b.const(1, 1), x, b.not_(x)) == x
    zeros, ones = b.const(8, 0), b.const(8, 255)
    assert [b.and_(x, ones), b.and_(zeros, x), b.or_(zeros, x), b.or_(x, ones)] == [x, zeros, x, ones]


@pytest.mark.parametrize(
    "nodes",
    [
        (Node("input", 4, (), ("x", "agile")), Node("xor", 4, (0,))),
        (Node("input", 4, (), ("x", "agile")), Node("xor", 5, (0, 0))),
        (Node("input", 4, (), ("x", "agile")), Node("select", 1, (0,), (4,))),
        (Node("input", 4, (), ("x", "agile")), Node("mux", 4, (0, 0, 0))),
        (Node("input", 4, (), ("x", "agile")), Node("nonsense", 4, (0,))),
        (Node("input", 4, (), ("x", "agile")), Node("not", 4, (1,))),
        (Node("const", 2, (), 4),),
        (Node("input", 3, (), ("x", "agile")), Node("lookup", 2, (0,), Table("T", 2, (0, 1, 2, 3)))),
    ],
)
def test_rules_are_checked(nodes: tuple[Node, ...]) -> None:
    with pytest.raises(ValueError, match="graph g"):
        Graph("g", nodes, (("y", len(nodes) - 1),))


def test_text_is_stable_and_tells_graphs_apart() -> None:
    assert to_text(random_graph(1)) == to_text(random_graph(1))
    assert digest(random_graph(1)) != digest(random_graph(2))


def test_called_graphs_of_one_name_are_told_apart() -> None:
    """Both stand in the text."""

    def calls(second: str) -> Graph:
        inner = []
        for op in ("not", second):
            f = GraphBuilder("f")
            x = f.input("x", 4)
            f.output("y", f.not_(x) if op == "not" else f.add(x, x))
            inner.append(f.build())
        b = GraphBuilder("caller")
        x = b.input("x", 4)
        b.output("y", b.xor(*(b.call(graph, x) for graph in inner)))
        return b.build()

    assert to_text(calls("add")).count("graph f\n") == 2
    assert digest(calls("add")) != digest(calls("not"))


def test_missing_or_wide_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a value of 4 bits"):
        evaluate(random_graph(3), {"p": 16, "q": 0, "s": 0})
