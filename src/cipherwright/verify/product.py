"""A module without feedback computes its graph: the emitted Verilog, for all inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..graph import Graph
from ..rewrite import prove_field_product
from ..shell import PortSet
from .aig import FALSE, Aig, graph_to_aig
from .cuts import Comparison
from .equivalence import Frame, Logic, Proof, check_ranks, compare
from .netlist import read_netlist

__all__ = ["prove_field_multiplier", "prove_module"]


def prove_module(sources: Sequence[Path], top: str, graph: Graph, stages: int) -> Proof:
    """Every path through the module `top` of the files `sources` has `stages` registers, and with these as
    wires its logic is that of `graph`. Its ports are clk, the graph's inputs with the suffix _i and its
    outputs with _o. Raises CheckFailed where either does not hold.
    """
    n = read_netlist(sources, top)
    bits = check_ranks(n, PortSet(reset=""), stages, {}, ())
    named = [(name, k) for name, word in n.inputs.items() if name != "clk" for k in range(len(word))]
    aig = Aig([f"{name}[{k}]" for name, k in named])
    known = {n.inputs[name][k]: aig.input(j) for j, (name, k) in enumerate(named)}
    frame = Frame(Logic(n, wires=True), aig, {**known, n.inputs["clk"][0]: FALSE})
    core_gates, marks = len(aig.gates), list[int]()
    given = {name: frame.word(n.inputs[f"{name}_i"]) for name in graph.inputs}
    want = graph_to_aig(graph, aig, given, None, marks)
    got = [literal for name in want for literal in frame.word(n.outputs[f"{name}_o"])]
    names = [f"{name}_o bit {k}" for name, word in want.items() for k in range(len(word))]
    wanted = [literal for word in want.values() for literal in word]
    gates = compare(Comparison(aig, core_gates, tuple(marks), tuple(got), tuple(wanted)), names, [{}])
    return Proof(
        f"every path has {stages} registers ({bits} bits of them) and the logic is the graph's", gates
    )


def prove_field_multiplier(sources: Sequence[Path], top: str, graph: Graph, stages: int) -> Proof:
    """The module `top` of the files `sources`, with `stages` registers on every path, multiplies in GCM's
    field: it computes `graph` (by SAT), and the sum of the graph's outputs is the product (by algebra).
    Raises CheckFailed, or AssertionError where the graph is wrong.
    """
    terms = prove_field_product(graph)
    proof = prove_module(sources, top, graph, stages)
    return Proof(
        f"for all factors, {proof.statement}, which is the product: {terms} terms x_i h_j", proof.gates
    )
