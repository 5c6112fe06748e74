"""The graph: its rules, its meaning both ways, its text."""

from __future__ import annotations

import random

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
        op = r.randrange(17)
        if op == 0:
            four.append(b.xor(x, y))
        elif op == 1:
            four.append(b.and_(x, y))
        elif op == 2:
            four.append(b.or_(x, y))
        elif op == 3:
            four.append(b.not_(x))
        elif op == 4:
            four.append(b.mux(b.select(z, (r.randrange(4),)), x, y))
        elif op == 5:
            four.append(b.add(x, y))
        elif op == 6:
            four.append(b.sub(x, y))
        elif op == 7:
            four.append(b.mul(x, y))
        elif op == 8:
            four.append(b.select(x, [r.randrange(4) for _ in range(4)]))
        elif op == 9:
            four.append(b.cat(b.select(x, (3, 1)), b.select(y, (0, 2))))
        elif op == 10:
            four.append(b.lookup(f"T{r.randrange(3)}", [r.randrange(16) for _ in range(16)], 4, x))
        elif op == 11:
            four.append(b.linear("L", [r.randrange(16) for _ in range(4)], x))
        elif op == 12:
            four.append(b.lut(r.randrange(256), x, y, z))
        elif op == 13:
            bits = [
                b.node("lut4", 1, [b.select(w, (r.randrange(4),)) for w in (x, y, z)], r.randrange(256))
                for _ in range(4)
            ]
            four.append(b.cat(*bits))
        elif op == 14:
            four.append(b.call(sub, x, y))
        elif op == 15:
            four.append(b.node(r.choice(("copy", "hop")), 4, (x,), r.randrange(9)))
        else:
            four.append(b.xor(x, b.const(4, r.randrange(16))))
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


def test_missing_or_wide_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a value of 4 bits"):
        evaluate(random_graph(3), {"p": 16, "q": 0, "s": 0})
