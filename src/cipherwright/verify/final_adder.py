"""Proof, by SAT, that the final adder of a multiplier's tree adds the tree's rows."""

from __future__ import annotations

from ..graph import GraphBuilder
from ..rewrite import Made, TimedBit, profile_add
from .aig import FALSE, TRUE, Aig, graph_to_aig
from .cuts import Comparison
from .equivalence import compare

__all__ = ["prove_final_adder"]


def prove_final_adder(made: Made) -> None:
    """Raise CheckFailed unless the final adder of the tree `made` adds its rows, for all values."""
    width = len(made.tree.columns)
    b = GraphBuilder("final")
    columns = [
        [TimedBit(bit.arrival, b.input(f"row{k}_{j}", 1)) for j, bit in enumerate(column)]
        for k, column in enumerate(made.tree.columns)
    ]
    b.output("p", profile_add(b, columns, *made.adder)[0])
    graph = b.build()
    aig = Aig(list(graph.inputs))
    bits = {name: [aig.input(k)] for k, name in enumerate(graph.inputs)}
    got = graph_to_aig(graph, aig, bits)["p"]
    core_gates = len(aig.gates)
    rows = [[bits.get(f"row{k}_{j}", [TRUE])[0] ^ 1 for k in range(width)] for j in (0, 1)]
    compare(
        Comparison(aig, core_gates, (), tuple(got), tuple(aig.add(rows[0], rows[1], FALSE))),
        [f"bit {k} of the final adder" for k in range(width)],
        [{}],
    )
