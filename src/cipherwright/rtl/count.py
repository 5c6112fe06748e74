"""A counter by any adder, pipelined: as many counts in flight as it has stages, each of them going up by
that number.

Loaded with consecutive values in consecutive cycles, it shows a count a cycle from then on.
"""

from __future__ import annotations

from ..graph import Graph, GraphBuilder
from ..rewrite import merge_bitwise, realise_adders
from ..schedule import DelayModel, Io, Schedule, schedule
from .lower import LowerOptions, lower
from .module import Design

__all__ = ["count_graph", "counter"]


def count_graph(width: int, stages: int) -> Graph:
    """A counter as a graph: load (1 bit), value and count (`width` bits each) -> count as it is, and
    count_next, its value after `stages` cycles: `value` where load is 1, otherwise `stages` more, modulo
    2^width.
    """
    b = GraphBuilder("counter")
    load, value, count = b.input("load", 1), b.input("value", width), b.input("count", width)
    b.output("count", count)
    b.output("count_next", b.mux(load, value, b.add(count, b.const(width, stages % (1 << width)))))
    return b.build()


def counter(
    name: str, width: int, adder: str, stages: int, model: DelayModel, merge: int = 4
) -> tuple[Design, Schedule]:
    """The module `name` (clk, load_i, value_i -> count_o) and its schedule.

    width: bits of the count; adder: see rewrite/arith/adders.py; stages: register ranks, which is also what
    each count goes up by; model: the delays.
    merge: inputs of the lookup tables that bitwise logic is merged into (0: left to synthesis).

    Raises UserError where the adder does not fit in so many stages.
    """
    graph = realise_adders(count_graph(width, stages), adder)
    s = schedule(
        merge_bitwise(graph, merge) if merge else graph, model, stages, None, Io(leave=(("count", 0),))
    )
    return lower(s, name, LowerOptions(loops=(("count", "count_next"),))), s
