"""The whole generator on one screen: the calls in the data's order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .cipher import CATALOGUE, ROUND_KEY
from .graph import AGILE, STATIC, Graph, GraphBuilder
from .graph.rewrite import add_hops, merge_bitwise, narrow, realise, replicate
from .rtl import Design, LowerOptions, fold, lower
from .schedule import Io, Schedule, schedule
from .spec import Spec
from .target import Target, load_target
from .wrap import Core, dress

__all__ = ["build", "describe", "place"]


@dataclass(frozen=True)
class _Loops:
    loops: tuple[tuple[str, str], ...] = ()
    trips: int = 0


def describe(spec: Spec, signals: bool = False) -> Graph:
    """cipher -> graph: the plain cipher (valid, block, key, decrypt -> valid, block), the reference of every proof.

    `signals`: the round numbers of the stepped key schedule are a held input instead of constants.
    """
    cipher, b = CATALOGUE[spec.cipher], GraphBuilder(spec.cipher)
    held = STATIC if spec.key == "static" else AGILE
    valid, block, key = b.input("valid", 1), b.input("block", spec.block_bits), b.input("key", spec.key_bits, held)
    one_way = b.const(1, int(spec.direction == "decrypt"))
    decrypt = b.input("decrypt", 1, held) if spec.direction == "both" else one_way
    b.output("valid", valid)
    controls = None
    if signals:
        controls = b.input("controls", cipher.control_bits(spec.key_bits) * cipher.rounds(spec.key_bits), STATIC)
    b.output("block", cipher.crypt(b, block, key, decrypt, spec.key_schedule, controls))
    return b.build()


def _unscheduled(spec: Spec, plain: Graph) -> tuple[Graph, Io, _Loops]:
    """What is to be scheduled: the plain cipher unrolled, or a loop around its rounds."""
    if spec.architecture == "pipelined":
        graph = describe(spec, signals=True) if spec.round_numbers == "signals" else plain
        return graph, Io(arrive=(("key", -spec.key_lead),) if spec.key_lead else ()), _Loops()
    loop = fold(CATALOGUE[spec.cipher], spec.key_bits, spec.rounds_per_cycle, spec.direction)
    return loop.graph, loop.io, _Loops(loop.loops, loop.trips)


def rewrite(spec: Spec, graph: Graph) -> Graph:
    """graph -> graph: the S-box realisation, merged lookup tables, copies of the direction, stages for wires."""
    graph = narrow(realise(graph, spec.sbox))
    if spec.merge:
        keys = [i for i, n in enumerate(graph.nodes) if n.name == ROUND_KEY]
        graph = merge_bitwise(graph, spec.merge, frozenset(keys[len(keys) - spec.early_keys :]))
    if spec.copies and spec.direction == "both" and spec.key == "agile":
        graph = replicate(graph, "decrypt", spec.copies)
    return add_hops(graph, spec.hops) if spec.hops else graph


def place(spec: Spec, target: Target, plain: Graph) -> tuple[Schedule, _Loops]:
    """graph -> schedule, by the target's delay model."""
    graph, io, loops = _unscheduled(spec, plain)
    period = 1000 / spec.clock_mhz if spec.clock_mhz else None
    stages = spec.stages or (1 if spec.architecture == "iterative" and period is None else None)
    return schedule(rewrite(spec, graph), target.delay, stages, period, io), loops


def _lower(spec: Spec, target: Target, name: str, s: Schedule, loops: _Loops) -> Design:
    """schedule -> rtl. Shift-register LUTs where they are asked for and the target has them."""
    reset = ("busy",) if loops.loops else ("valid",) if spec.reset else ()
    return lower(s, name, LowerOptions(spec.srl_from if spec.delay_lines == "srl" and target.srl else 0, reset, loops.loops))


def build(spec: Spec, given: Mapping[str, str] | None = None) -> Core:
    """The core of a spec. `given`: the preset and changes as the user wrote them, for the provenance header.

    Raises UserError where the spec can't be met, with the nearest that can.
    """
    target = load_target(spec.target)
    plain = describe(spec)
    s, loops = place(spec, target, plain)
    tied = {}
    if spec.round_numbers == "signals":
        tied = {"controls": CATALOGUE[spec.cipher].all_controls(spec.key_bits)}
    return dress(spec, plain, s, lambda name: _lower(spec, target, name, s, loops), loops.trips, given or {"preset": spec.name}, tied)
