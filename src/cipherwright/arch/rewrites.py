"""The rewrites that a spec asks for, in the order in which they are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..cipher import ROUND_KEY
from ..errors import UserError
from ..graph import Graph
from ..rewrite import (
    WORD_BASES,
    Merged,
    add_hops,
    changes,
    common_words,
    copy_busy,
    fuse_linear,
    merged,
    narrow,
    realise,
    realise_adders,
    realise_linear,
    realise_multipliers,
    replicate,
    same_networks,
    split_tables,
    sum_inputs,
    without_unread,
)
from ..schedule import DelayModel
from ..spec import Datapath, Loop, Pipeline
from .ghash import multiplier_names

__all__ = ["Rewritten", "mapped", "realised", "rewritten", "widest_table"]

_TABLE_BITS = 16
"""Address bits of the widest lookup table."""


@dataclass(frozen=True)
class Rewritten:
    """`graph`, after rewrites. idle: names of options of these rewrites that changed nothing in it: it is the
    same with their defaults.
    """

    graph: Graph
    idle: frozenset[str] = frozenset()


def realised(spec: Datapath, graph: Graph) -> Rewritten:
    """graph -> graph: S-boxes, multipliers and adders of `graph` as `spec` names them, and linear maps made
    one, or words in the basis of their boxes. Raises UserError where there are no such words.
    """
    common = isinstance(spec, Pipeline) and spec.common_basis
    boxes = realise(graph, spec.sbox, WORD_BASES if common else "")
    products = realise_multipliers(boxes, spec.multiplier, final=spec.final_adder)
    sums = realise_adders(products, spec.adder)
    idle = {
        "sbox": not any(n.op == "lookup" and changes(n.attr, spec.sbox) for n in graph.nodes),
        "multiplier": not _has(boxes, "mul"),
        "adder": not _has(products, "add", "sub"),
    }
    if common:
        try:
            return _rewritten(common_words(sums), idle)
        except ValueError as e:
            raise UserError(f"common_basis = true does not suit {spec.cipher}: {e}") from e
    fused = fuse_linear(sums) if spec.fuse_linear else sums
    return _rewritten(fused, {**idle, "fuse_linear": fused == sums})


def mapped(spec: Datapath, graph: Graph, model: DelayModel) -> Rewritten:
    """graph -> graph: tables of `graph` as fast as the clock of `spec`, XOR networks, merged lookup tables,
    copies of busy bits, stages for wires; what nothing reads is left out. `model`: the target's delays.
    Raises UserError where `hops` names no operation.
    """
    if widest := widest_table(spec, model):
        graph = split_tables(graph, widest)
    maps = narrow(graph)
    sums = realise_linear(maps, spec.sum_inputs, spec.linear_depth, spec.shallow_maps, spec.slice_xor)
    keys = [i for i, n in enumerate(sums.nodes) if n.name == ROUND_KEY]
    early = frozenset(keys[max(len(keys) - spec.early_keys, 0) :])
    found = merged(sums, spec.merge, early)
    graph = found.graph if spec.merge else sums
    copied = _copied(spec, graph) if spec.copies else graph
    made = without_unread(_with_hops(spec, copied) if spec.hops else copied)
    idle = {
        **_idle_maps(spec, maps),
        "early_keys": not found.held_apart,
        "merge": _merges_alike(spec, maps, found),
        "copies": copied == graph,
    }
    return _rewritten(made, idle)


def _has(graph: Graph, *operations: str) -> bool:
    return any(n.op in operations for n in graph.nodes)


def _rewritten(graph: Graph, idle: Mapping[str, bool]) -> Rewritten:
    return Rewritten(graph, frozenset(name for name, does_nothing in idle.items() if does_nothing))


def _idle_maps(spec: Datapath, maps: Graph) -> dict[str, bool]:
    """Whether options of linear layers change nothing in the networks of `maps`."""
    depth, shallow, k = spec.linear_depth, spec.shallow_maps, spec.sum_inputs
    bounds = (depth, shallow)
    return {
        "linear_depth": not depth or same_networks(maps, k, bounds, (0, shallow)),
        "shallow_maps": not shallow or same_networks(maps, k, bounds, (depth, 0)),
        "slice_xor": not _has(maps, "linear"),
    }


def _merges_alike(spec: Datapath, maps: Graph, found: Merged) -> bool:
    """Whether the default of `merge` makes the same lookup tables: those of `found`, and the sums of linear
    `maps`.
    """
    default = type(spec).model_fields["merge"].default
    sums = spec.sum_inputs == sum_inputs(spec.slice_xor, default) or not _has(maps, "linear")
    return sums and found.as_with(default)


def _with_hops(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph with those of `hops` that are of the datapath: others may be of GHASH's multiplier."""
    multiplies = isinstance(spec, Pipeline) and spec.mode == "gcm"
    others = multiplier_names() if multiplies else frozenset[str]()
    named = {n.name for n in graph.nodes}
    hops = tuple(h for h in spec.hops if h in named or h not in others)
    return add_hops(graph, hops, others) if hops else graph


def _copied(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph: `copies` of the direction in a pipeline, of every busy bit that a loop makes."""
    if isinstance(spec, Loop):
        return copy_busy(graph, spec.copies)
    both = spec.cipher_direction == "both" and spec.agile_direction
    return replicate(graph, "decrypt", spec.copies) if both and "decrypt" in graph.inputs else graph


def rewritten(spec: Datapath, graph: Graph, model: DelayModel) -> Rewritten:
    """graph -> graph: everything that is done to operations of `graph` before they are scheduled, as `spec`
    says; `model`: the target's delays. Raises as `realised` and `mapped`.
    """
    made = realised(spec, graph)
    last = mapped(spec, made.graph, model)
    return Rewritten(last.graph, made.idle | last.idle)


def widest_table(spec: Datapath, model: DelayModel) -> int:
    """Address bits of the widest lookup table that a stage of the clock in `spec` has time for by the delays
    of `model`, or of the widest of the fastest where none has; 0 where no clock is asked for.
    """
    if not spec.clock_mhz:
        return 0
    sizes = range(1, _TABLE_BITS + 1)
    room = max(1000 / spec.clock_mhz - model.register, min(map(model.table_delay, sizes)))
    return max(n for n in sizes if model.table_delay(n) <= room)
