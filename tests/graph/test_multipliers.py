"""Multipliers and adders for arrival profiles: every pair of operands at small widths, algebra and SAT at 32 bits; a broken one is seen."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.graph import Graph, GraphBuilder, Node, evaluate
from cipherwright.graph.rewrite import (
    MULTIPLIERS,
    UNIT_CELLS,
    CellDelays,
    TimedBit,
    low_product,
    product_circuit,
    profile_add,
    prove_product,
    realise_multipliers,
)
from cipherwright.graph.rewrite.profile import plan_blocks
from cipherwright.verify.mars_proof import prove_final_adder

KINDS = sorted(set(MULTIPLIERS) - {"operator"})

SLOW_SUM = replace(UNIT_CELLS, full_sum=(3.0, 2.5, 0.7), full_carry=(1.1, 0.9, 0.4), half_sum=(1.3, 0.2))
"""A full adder with six different ways through it."""


def plain(width: int) -> Graph:
    b = GraphBuilder("product")
    b.output("p", b.mul(b.input("x", width), b.input("y", width)))
    return b.build()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cells", [UNIT_CELLS, SLOW_SUM], ids=["unit", "slow sum"])
def test_every_pair_of_small_operands(kind: str, cells: CellDelays) -> None:
    for width in (2, 3, 4, 5):
        made = realise_multipliers(plain(width), kind, cells)
        assert not any(n.op == "mul" for n in made.nodes)
        for x, y in product(range(1 << width), repeat=2):
            assert evaluate(made, {"x": x, "y": y})["p"] == x * y % (1 << width)


@pytest.mark.parametrize("kind", KINDS)
def test_all_inputs_at_32_bits(kind: str) -> None:
    """By algebra; what it leaves open, the final adder of a tree, by SAT."""
    made = product_circuit(kind, 32, SLOW_SUM)
    assert made is not None
    assert (made.tree is not None) == (kind == "tree")
    if made.tree:
        prove_final_adder(made.tree)
    r = random.Random(7)
    for _ in range(200):
        x, y = r.getrandbits(32), r.getrandbits(32)
        assert evaluate(made.graph, {"x": x, "y": y})["p"] == x * y % (1 << 32)


def changed(graph: Graph, op: str, n: int, change: Node) -> Graph:
    """With the n-th operation `op` replaced."""
    at = [i for i, node in enumerate(graph.nodes) if node.op == op][n]
    node = graph.nodes[at]
    return replace(graph, nodes=(*graph.nodes[:at], replace(node, op=change.op, args=change.args or node.args), *graph.nodes[at + 1 :]))


@pytest.mark.parametrize("kind", KINDS)
def test_algebra_sees_a_fault(kind: str) -> None:
    made = product_circuit(kind, 32)
    assert made is not None
    graph = made.graph
    if made.tree:
        b = GraphBuilder("tree")
        tree = low_product(b, b.input("x", 32), b.input("y", 32), 32, UNIT_CELLS).tree
        for k, column in enumerate(tree.columns):
            for j, bit in enumerate(column):
                b.output(f"{k}.{j}", bit.node)
        graph = b.build()
        rows = [(graph.bits[i][0], 1 << int(n.split(".")[0]), True) for n, i in graph.outputs]
        op, swapped = "full_adder", graph.nodes[next(i for i, n in enumerate(graph.nodes) if n.op == "full_adder")].args
    else:
        rows = [(bit, 1 << k, False) for k, bit in enumerate(graph.bits[dict(graph.outputs)["p"]])]
        op = "dsp" if kind == "dsp" else "and"
        swapped = (graph.nodes[next(i for i, n in enumerate(graph.nodes) if n.op == op)].args[0],) * 2
    prove_product(graph, "x", "y", 32, rows)
    for broken in ([*rows[1:]], [*rows[:-1], (rows[-1][0], rows[-1][1] >> 1, rows[-1][2])]):
        with pytest.raises(AssertionError):
            prove_product(graph, "x", "y", 32, broken)
    wrong = changed(graph, op, 0, Node(op, 1, (swapped[0], *swapped[:-1]) if len(swapped) > 2 else swapped))
    with pytest.raises(AssertionError):
        prove_product(wrong, "x", "y", 32, rows)


def test_sat_sees_a_broken_final_adder(monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherwright.graph.rewrite.adders import Gates
    from cipherwright.verify import mars_proof

    made = product_circuit("tree", 12)
    assert made is not None
    assert made.tree is not None
    prove_final_adder(made.tree)

    def forgetful(b: GraphBuilder, columns: list[list[TimedBit]], cells: CellDelays, slack: float) -> tuple[int, None]:
        node, _ = profile_add(b, columns, cells, slack)
        return Gates(b).b.xor(node, b.cat(b.const(11, 0), b.and_(columns[0][0].node, columns[5][0].node))), None

    monkeypatch.setattr(mars_proof, "profile_add", forgetful)
    with pytest.raises(CheckFailed):
        prove_final_adder(made.tree)


def test_adders_for_profiles() -> None:
    """Every pair of five bits under profiles that rise, fall and jump; columns of one bit have none to add."""
    for arrivals in ([0] * 5, [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [0, 9, 0, 9, 0]):
        b = GraphBuilder("sum")
        x, y = b.input("x", 5), b.input("y", 5)
        columns = [[TimedBit(at, b.not_(b.select(w, (k,)))) for w in (x, y)] for k, at in enumerate(arrivals)]
        b.output("s", profile_add(b, columns, UNIT_CELLS)[0])
        graph = b.build()
        for u, v in product(range(32), repeat=2):
            assert evaluate(graph, {"x": u, "y": v})["s"] == (u + v) % 32


def test_blocks_follow_the_profile() -> None:
    """Where the arrivals rise faster than a carry moves, ripple is enough; where they are level, blocks carry past."""
    steep = plan_blocks([2.0 * k for k in range(16)], [2.0 * k for k in range(16)], UNIT_CELLS)
    assert {b.kind for b in steep.blocks} == {"ripple"}
    level = plan_blocks([0.0] * 32, [0.0] * 32, UNIT_CELLS)
    assert {b.kind for b in level.blocks} > {"ripple"}
    assert level.arrival < 32 * 0.5
    slack = plan_blocks([0.0] * 32, [0.0] * 32, UNIT_CELLS, 3.0)
    assert slack.area < level.area
    assert [b.low for b in level.blocks][1:] == [b.high for b in level.blocks][:-1]


def test_the_latest_input_takes_the_fastest_pin() -> None:
    """A tree for its cells is faster than the same cells wired for others."""
    def latest(cells: CellDelays) -> float:
        b = GraphBuilder("p")
        made = low_product(b, b.input("x", 24), b.input("y", 24), 24, cells)
        return max(t.arrival for c in made.tree.columns for t in c)

    blind = replace(SLOW_SUM, full_sum=(3.0, 3.0, 3.0), full_carry=(1.1, 1.1, 1.1))
    assert latest(SLOW_SUM) < latest(blind)
