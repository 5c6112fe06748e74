"""The rewrites that a spec asks for, in the order in which they are done."""

from __future__ import annotations

from ..cipher import ROUND_KEY
from ..errors import UserError
from ..graph import Graph
from ..rewrite import (
    WORD_BASES,
    add_hops,
    common_words,
    copy_busy,
    fuse_linear,
    merge_bitwise,
    narrow,
    realise,
    realise_adders,
    realise_linear,
    realise_multipliers,
    replicate,
    split_tables,
    without_unread,
)
from ..schedule import DelayModel
from ..spec import Datapath, Loop, Pipeline
from .ghash import multiplier_names

__all__ = ["mapped", "realised", "rewritten", "widest_table"]

_TABLE_BITS = 16
"""Address bits of the widest lookup table."""


def realised(spec: Datapath, graph: Graph) -> Graph:
    """graph -> graph: S-boxes, multipliers and adders of `graph` as `spec` names them, and linear maps made
    one, or words in the basis of their boxes. Raises UserError where there are no such words.
    """
    common = isinstance(spec, Pipeline) and spec.common_basis
    boxes = realise(graph, spec.sbox, WORD_BASES if common else "")
    products = realise_multipliers(boxes, spec.multiplier, final=spec.final_adder)
    sums = realise_adders(products, spec.adder)
    if not common:
        return fuse_linear(sums) if spec.fuse_linear else sums
    try:
        return common_words(sums)
    except ValueError as e:
        raise UserError(f"common_basis = true does not suit {spec.cipher}: {e}") from e


def mapped(spec: Datapath, graph: Graph, model: DelayModel) -> Graph:
    """graph -> graph: tables of `graph` as fast as the clock of `spec`, XOR networks, merged lookup tables,
    copies of busy bits, stages for wires; what nothing reads is left out. `model`: the target's delays.
    Raises UserError where `hops` names no operation.
    """
    if widest := widest_table(spec, model):
        graph = split_tables(graph, widest)
    graph = realise_linear(
        narrow(graph), spec.sum_inputs, spec.linear_depth, spec.shallow_maps, spec.slice_xor
    )
    if spec.merge:
        keys = [i for i, n in enumerate(graph.nodes) if n.name == ROUND_KEY]
        graph = merge_bitwise(graph, spec.merge, frozenset(keys[len(keys) - spec.early_keys :]))
    if spec.copies:
        graph = _copied(spec, graph)
    return without_unread(_with_hops(spec, graph) if spec.hops else graph)


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


def rewritten(spec: Datapath, graph: Graph, model: DelayModel) -> Graph:
    """graph -> graph: everything that is done to operations of `graph` before they are scheduled, as `spec`
    says; `model`: the target's delays. Raises as `realised` and `mapped`.
    """
    return mapped(spec, realised(spec, graph), model)


def widest_table(spec: Datapath, model: DelayModel) -> int:
    """Address bits of the widest lookup table that a stage of the clock in `spec` has time for by the delays
    of `model`, or of the widest of the fastest where none has; 0 where no clock is asked for.
    """
    if not spec.clock_mhz:
        return 0
    sizes = range(1, _TABLE_BITS + 1)
    room = max(1000 / spec.clock_mhz - model.register, min(map(model.table_delay, sizes)))
    return max(n for n in sizes if model.table_delay(n) <= room)
