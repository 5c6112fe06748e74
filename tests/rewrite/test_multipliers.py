"""Multipliers and adders for arrival profiles: every pair of operands at small widths, algebra and SAT at
32 bits; a broken one is seen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.graph import Graph, GraphBuilder, Node, evaluate
from cipherwright.rewrite import (
    MULTIPLIERS,
    PROFILE_ADDERS,
    UNIT_CELLS,
    CellDelays,
    TimedBit,
    low_product,
    product_circuit,
    profile_add,
    prove_product,
    realise_multipliers,
)
from cipherwright.rewrite.arith.prefix import PREFIX_NETWORKS
from cipherwright.rewrite.arith.profile import Plan, plan_blocks, plan_network
from cipherwright.verify import prove_final_adder
from cipherwright.verify.aig import Aig, graph_to_aig
from cipherwright.verify.cuts import Comparison
from cipherwright.verify.equivalence import compare

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


@pytest.mark.parametrize("modules", [False, True])
def test_whole_products(modules: bool) -> None:
    """Factors with a zero for every bit of the upper half: every pair of five bits; at 32 bits algebra,
    SAT and random pairs.
    """

    def graph(width: int) -> Graph:
        b = GraphBuilder("whole")
        x, y = (b.cat(b.const(width, 0), b.input(n, width)) for n in "xy")
        b.output("p", b.mul(x, y))
        return realise_multipliers(b.build(), "tree", SLOW_SUM, modules)

    small, wide = graph(5), graph(32)
    for u, v in product(range(32), repeat=2):
        assert evaluate(small, {"x": u, "y": v})["p"] == u * v
    rng = random.Random(2)
    for _ in range(20):
        u, v = rng.getrandbits(32), rng.getrandbits(32)
        assert evaluate(wide, {"x": u, "y": v})["p"] == u * v
    made = product_circuit("tree", 32, SLOW_SUM, "brent_kung", True)
    assert made is not None
    assert made.tree is not None
    assert len(made.tree.tree.columns) == 64
    prove_final_adder(made.tree)
    with pytest.raises(ValueError, match="makes low halves"):
        product_circuit("rows", 8, None, "hybrid", True)


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
    return replace(
        graph,
        nodes=(
            *graph.nodes[:at],
            replace(node, op=change.op, args=change.args or node.args),
            *graph.nodes[at + 1 :],
        ),
    )


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
        op, swapped = (
            "full_adder",
            graph.nodes[next(i for i, n in enumerate(graph.nodes) if n.op == "full_adder")].args,
        )
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
    from cipherwright.rewrite.arith.gates import Gates
    from cipherwright.verify import final_adder

    made = product_circuit("tree", 12)
    assert made is not None
    assert made.tree is not None
    prove_final_adder(made.tree)

    def forgetful(
        b: GraphBuilder, columns: list[list[TimedBit]], cells: CellDelays, slack: float, kind: str
    ) -> tuple[int, None]:
        node, _ = profile_add(b, columns, cells, slack, kind)
        return Gates(b).b.xor(
            node, b.cat(b.const(11, 0), b.and_(columns[0][0].node, columns[5][0].node))
        ), None

    monkeypatch.setattr(final_adder, "profile_add", forgetful)
    with pytest.raises(CheckFailed):
        prove_final_adder(made.tree)


def profiled(kind: str, arrivals: Sequence[float]) -> tuple[Graph, Plan]:
    """The sum of x and y whose bits arrive so."""
    n, b = len(arrivals), GraphBuilder("sum")
    x, y = b.input("x", n), b.input("y", n)
    columns = [[TimedBit(at, b.not_(b.select(w, (k,)))) for w in (x, y)] for k, at in enumerate(arrivals)]
    node, plan = profile_add(b, columns, UNIT_CELLS, 0.0, kind)
    b.output("s", node)
    return b.build(), plan


@pytest.mark.parametrize("kind", PROFILE_ADDERS)
def test_adders_for_profiles(kind: str) -> None:
    """Every pair of five bits under profiles that rise, fall and jump; columns of one bit have none to
    add.
    """
    for arrivals in ([0] * 5, [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [0, 9, 0, 9, 0]):
        graph, _ = profiled(kind, arrivals)
        for u, v in product(range(32), repeat=2):
            assert evaluate(graph, {"x": u, "y": v})["s"] == (u + v) % 32


@pytest.mark.parametrize("kind", PROFILE_ADDERS)
def test_adders_for_profiles_at_32_bits(kind: str) -> None:
    """Equal to x + y for all inputs (SAT), for level columns and for those of a tree of a multiplier."""
    plain = GraphBuilder("plain")
    plain.output("s", plain.add(plain.input("x", 32), plain.input("y", 32)))
    humped = [min(k, 12, 31 - k) * 0.4 for k in range(32)]
    for arrivals in ([0.0] * 32, humped):
        made, _ = profiled(kind, arrivals)
        aig = Aig([f"{n}{k}" for n in "xy" for k in range(32)])
        given = {n: [aig.input(32 * j + k) for k in range(32)] for j, n in enumerate("xy")}
        got, want = (graph_to_aig(g, aig, given)["s"] for g in (made, plain.build()))
        compare(
            Comparison(aig, len(aig.gates), (), tuple(got), tuple(want)),
            [f"bit {k}" for k in range(32)],
            [{}],
        )


@pytest.mark.parametrize("kind", PREFIX_NETWORKS)
def test_prefix_networks_follow_the_profile(kind: str) -> None:
    """Level columns give the levels of the classic network; with a late column it is faster than the one
    for level columns.
    """
    _, level = profiled(kind, [0.0] * 32)
    levels = {"kogge_stone": 5, "sklansky": 5, "han_carlson": 6, "brent_kung": 6}[kind]
    unit = UNIT_CELLS.gates
    assert level.arrival == pytest.approx(2 * unit["xor2"] + levels * unit["aoi21"])
    gained = []
    for k in range(0, 31, 3):
        late = [20.0 * (j == k) for j in range(32)]
        _, made = profiled(kind, late)
        columns = [at + unit["nor2"] for at in late], [at + unit["xor2"] for at in late]
        gained.append(plan_network(kind, *columns, UNIT_CELLS, level.parting).arrival - made.arrival)
    assert min(gained) >= 0
    assert max(gained) > 0


def test_blocks_follow_the_profile() -> None:
    """Where the arrivals rise faster than a carry moves, ripple is enough; where they are level, blocks
    carry past.
    """
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
