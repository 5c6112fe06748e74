"""The proof of a pipeline: every path has as many registers as the latency says, and the logic is the
cipher.
"""

from __future__ import annotations

from collections.abc import Mapping

from .aig import FALSE, Aig, graph_to_aig
from .cuts import Comparison
from .delay_lines import KEPT, is_valid_line, with_delays
from .equivalence import Claim, Frame, Logic, Proof, check_ranks, compare, directions, spec_inputs
from .netlist import read_netlist

__all__ = ["prove_pipeline"]


def prove_pipeline(claim: Claim, early: Mapping[str, int]) -> Proof:
    """Prove the `claim` of a pipelined core: ranks and function. `early`: inputs that come before the others,
    and by how many cycles. Raises CheckFailed where either does not hold.
    """
    ports, plain, latency = claim.ports, claim.plain, claim.latency
    n = read_netlist(claim.sources, claim.top, ports.clk, KEPT)
    kinds = n.kept.keys() & {c["type"] for c in n.cells.values()}
    lines = sum(not is_valid_line(kind) for kind in kinds)
    n = with_delays(n, ports.clk, ports.reset)
    flip_flops = check_ranks(n, ports, latency, early, claim.held)
    named = [
        (name, k)
        for name, bits in n.inputs.items()
        for k in range(len(bits))
        if name not in (ports.clk, ports.reset)
    ]
    aig = Aig([f"{name}[{k}]" for name, k in named])
    known = {n.inputs[name][k]: aig.input(j) for j, (name, k) in enumerate(named)}
    if ports.reset:
        known[n.inputs[ports.reset][0]] = FALSE
    known[n.inputs[ports.clk][0]] = FALSE
    frame = Frame(Logic(n, wires=True), aig, known)
    literal = {name: frame.word(bits) for name, bits in n.inputs.items()}
    core_gates, marks = len(aig.gates), list[int]()
    want = graph_to_aig(plain, aig, spec_inputs(plain, aig, ports, literal), claim.hints, marks)
    got = frame.word(n.outputs[ports.block_out]) + frame.word(n.outputs[ports.valid_out])
    names = [f"{ports.block_out} bit {k}" for k in range(len(want["block"]))] + [ports.valid_out]
    pairs = Comparison(aig, core_gates, tuple(marks), tuple(got), tuple(want["block"] + want["valid"]))
    gates = compare(pairs, names, directions(literal.get(ports.decrypt)))
    waits = [f"of {lines} kinds of rings of RAM"] * bool(lines) + ["of the valid bit"] * (len(kinds) > lines)
    rings = f", those {' and '.join(waits)} as long as no reset comes between" if waits else ""
    return Proof(
        (
            f"for every key and block, every path has {latency} registers ({flip_flops} bits of them{rings}) "
            f"and the logic equals the cipher"
        ),
        gates,
    )
