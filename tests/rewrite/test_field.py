"""Products in GCM's field: the standard's algorithm, algebra over all inputs, the emitted Verilog, and
faults in either that are seen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.arch import field_multiplier
from cipherwright.cipher.gcm import ONE, field_product
from cipherwright.errors import CheckFailed, UserError
from cipherwright.graph import Graph, GraphBuilder
from cipherwright.rewrite import KARATSUBA_LEVELS, bilinear_forms, field_product_graph, prove_field_product
from cipherwright.rtl import print_design
from cipherwright.schedule import luts_of
from cipherwright.target import load_target
from cipherwright.verify.product import prove_field_multiplier

LUTS = {2: 7110, 3: 6237, 4: 5994}
"""Levels of Karatsuba -> LUT4s of the graph."""


def test_the_field_is_the_standards() -> None:
    x = 0x66E94BD4EF8A2C3B884CFA59CA342B2E
    assert field_product(x, ONE) == field_product(ONE, x) == x
    # McGrew and Viega, The Galois/Counter Mode of Operation, test case 2: H and X_1.
    assert field_product(0x0388DACE60B6A392F328C2B971B2FE78, x) == 0x5E2EC746917062882C85B0685353DEB7


@pytest.mark.parametrize("levels", KARATSUBA_LEVELS)
def test_every_graph_is_the_product(levels: int) -> None:
    graph = field_product_graph(levels)
    prove_field_product(graph)
    assert sum(luts_of(graph, n) for n in graph.nodes) == LUTS[levels]


def broken(graph: Graph, name: str) -> Graph:
    """The graph with another truth table of one of its operations of a name."""
    nodes = list(graph.nodes)
    k = max(i for i, n in enumerate(nodes) if n.name == name)
    nodes[k] = replace(nodes[k], attr=nodes[k].attr ^ 1 << (1 << len(nodes[k].args)) - 1)
    return replace(graph, nodes=tuple(nodes))


def test_algebra_sees_faults() -> None:
    graph = field_product_graph(4)
    for name in ("reduce", "join_64"):
        with pytest.raises((AssertionError, ValueError)):
            prove_field_product(broken(graph, name))
    b = GraphBuilder("square")
    x, y = b.input("x", 1), b.input("y", 1)
    b.output("p", b.and_(b.xor(x, y), b.xor(x, b.const(1, 1))))
    with pytest.raises(ValueError, match="same factor"):
        bilinear_forms(b.build(), "x", "y")


def test_the_emitted_multiplier_and_a_fault(tmp_path: Path) -> None:
    made = field_multiplier("multiplier", load_target("ecp5-85k-8").delay)
    assert (made.levels, made.stages, made.design.flip_flops()) == (4, 9, 8150)
    file, text = tmp_path / "multiplier.v", print_design(made.design)
    file.write_text(text)
    assert "40832 terms" in prove_field_multiplier([file], "multiplier", made.graph, made.stages).statement
    wrong = text.replace("sum_x_2 = x_5 ^ (x_6 ^", "sum_x_2 = x_5 ^ (x_5 ^", 1)
    assert wrong != text
    file.write_text(wrong)
    with pytest.raises(CheckFailed):
        prove_field_multiplier([file], "multiplier", made.graph, made.stages)


def test_stages_that_are_too_few_are_refused() -> None:
    with pytest.raises(UserError, match="needs 9 stages"):
        field_multiplier("multiplier", load_target("ecp5-85k-8").delay, stages=8)
