"""What a schedule costs in logic cells: a lookup table with the flip-flop behind it, or either of them
alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..graph import Graph, Node
from .schedule import Schedule

__all__ = ["SHIFT_LUT", "delay_cells", "logic_cells", "luts_of"]

SHIFT_LUT = 16
"""Cycles that one shift-register LUT delays a bit at most."""

_FREE = ("input", "const", "select", "cat", "again", "copy", "hop", "clear", "muxf5", "muxf6", "rom", "dsp")


def _tables(inputs: int, size: int) -> int:
    """Lookup tables of `size` inputs for one function of so many `inputs`, by multiplexers."""
    return 1 if inputs <= size else 1 << inputs - size


@cache
def _inner(graph: Graph, size: int) -> int:
    return sum(luts_of(graph, n, size) for n in graph.nodes)


def luts_of(graph: Graph, node: Node, size: int = 4) -> int:
    """Lookup tables of `size` inputs for the operation `node`, which is a node of `graph`; of a call those of
    all operations inside.
    """
    if node.op in _FREE:
        return 0
    if node.op == "call":
        return _inner(node.attr, size)
    if node.op == "lookup":
        return node.width * _tables(graph.nodes[node.args[0]].width, size)
    if node.op == "linear":
        return sum(-(-(int(r).bit_count() - 1) // (size - 1)) for r in node.attr[1])
    return node.width * (1 if node.op == "xor5" else _tables(len(node.args), size))


def delay_cells(
    uses: Mapping[tuple[int, int], tuple[int, ...]], s: Schedule, srl_from: int
) -> tuple[int, int]:
    """(shift-register LUTs, flip-flops) that the registers of the schedule `s` take for the bits in `uses`, a
    part of `s.uses`: (source, bit) -> the stages that read it, ascending. `srl_from`: delays of at least so
    many cycles between two reads are shift-register LUTs (0: none).
    """
    srls = ffs = 0
    for (src, _), taps in uses.items():
        at = s.made(src)
        for tap in taps:
            gap = tap - at
            if srl_from and gap >= srl_from:
                srls += -(-gap // SHIFT_LUT)
            else:
                ffs += max(gap, 0)
            at = max(at, tap)
    return srls, ffs


def logic_cells(s: Schedule, srl_from: int = 0) -> int:
    """Logic cells of the schedule `s`: lookup tables, the flip-flops that are not behind one, and
    shift-register LUTs for delays of at least `srl_from` cycles (0: none).
    """
    cells = sum(luts_of(s.graph, n) for n in s.graph.nodes)
    srls, ffs = delay_cells(s.uses, s, srl_from)
    behind = 0
    for (src, _), taps in s.uses.items():
        gaps = [tap - s.made(src) for tap in taps if tap > s.made(src)]
        if gaps and luts_of(s.graph, s.graph.nodes[src]) and not (srl_from and gaps[0] >= srl_from):
            behind += 1
    return cells + srls + ffs - behind
