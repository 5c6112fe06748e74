"""Adders: every pair of operands at small widths, all inputs by SAT at 32 bits, incrementers; a broken one
is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.graph import Graph, GraphBuilder, evaluate
from cipherwright.rewrite import ADDERS, realise_adders
from cipherwright.verify.aig import Aig, graph_to_aig
from cipherwright.verify.cuts import Comparison
from cipherwright.verify.equivalence import compare

KINDS = sorted(set(ADDERS) - {"carry_chain"})


def arithmetic(width: int, op: str, constant: int | None = None) -> Graph:
    b = GraphBuilder("arithmetic")
    left = b.input("a", width)
    right = b.input("b", width) if constant is None else b.const(width, constant)
    b.output("y", b.add(left, right) if op == "add" else b.sub(left, right))
    return b.build()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", ["add", "sub"])
def test_every_pair_of_small_operands(kind: str, op: str) -> None:
    for width in (1, 2, 3, 4, 5):
        made = realise_adders(arithmetic(width, op), kind)
        assert not any(n.op in ("add", "sub") for n in made.nodes)
        for a, b in product(range(1 << width), repeat=2):
            want = a + b if op == "add" else a - b
            assert evaluate(made, {"a": a, "b": b})["y"] == want % (1 << width)


def equal(plain: Graph, made: Graph) -> int:
    names = [f"{n}[{k}]" for n, i in plain.inputs.items() for k in range(plain.nodes[i].width)]
    aig = Aig(names)
    place, words = 0, {}
    for n, i in plain.inputs.items():
        words[n] = [aig.input(place + k) for k in range(plain.nodes[i].width)]
        place += plain.nodes[i].width
    got = graph_to_aig(made, aig, words)["y"]
    gates = len(aig.gates)
    want = graph_to_aig(plain, aig, words)["y"]
    return compare(
        Comparison(aig, gates, (), tuple(got), tuple(want)), [f"bit {k}" for k in range(len(want))], [{}]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [32, 33])
def test_all_inputs_at_32_bits(kind: str, width: int) -> None:
    for op in ("add", "sub"):
        plain = arithmetic(width, op)
        assert equal(plain, realise_adders(plain, kind)) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_incrementers(kind: str) -> None:
    """A constant operand folds: an incrementer has no OR of a carry that can't be."""
    plain = arithmetic(64, "add", 1)
    made = realise_adders(plain, kind)
    assert equal(plain, made) > 0
    if kind not in ("carry_select",):
        assert not any(n.op == "or" for n in made.nodes)


def test_levels_are_what_the_names_promise() -> None:
    """Levels of two-input gates of the carries, for 32 bits: log2 for the prefix networks, all columns for
    ripple.
    """

    def levels(kind: str) -> int:
        graph = realise_adders(arithmetic(32, "add"), kind)
        depth: dict[int, int] = {}
        for i, n in enumerate(graph.nodes):
            before = max((depth.get(src, 0) for a in n.args for src, _ in graph.bits[a]), default=0)
            depth[i] = before + (n.op not in ("input", "const", "select", "cat"))
        return max(depth.values())

    found = {kind: levels(kind) for kind in KINDS}
    assert found["kogge_stone"] == found["sklansky"] <= 12
    assert (
        found["kogge_stone"]
        < found["han_carlson"]
        < found["brent_kung"]
        < found["carry_skip"]
        < found["ripple"]
    )
    sizes = {kind: len(realise_adders(arithmetic(32, "add"), kind).nodes) for kind in KINDS}
    assert sizes["ripple"] < sizes["brent_kung"] < sizes["sklansky"] < sizes["kogge_stone"]


def test_a_broken_adder_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherwright.rewrite.arith import adders

    whole = adders.ADDERS["kogge_stone"]
    assert whole is not None

    def short(x: adders.Gates, columns: Sequence[adders.Group], carry: adders.Bit) -> list[adders.Bit]:
        """Carries that look back 16 columns and no further."""
        return [*whole(x, columns, carry)[:17], *whole(x, columns[16:], False)[1:]]

    monkeypatch.setitem(adders.ADDERS, "kogge_stone", short)
    plain = arithmetic(32, "add")
    with pytest.raises(CheckFailed):
        equal(plain, realise_adders(plain, "kogge_stone"))
    with pytest.raises(ValueError, match="there is no adder carry_lookahead"):
        realise_adders(plain, "carry_lookahead")
