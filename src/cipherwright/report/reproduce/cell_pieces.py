"""Pieces of an engine by themselves on standard cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...graph import Graph
from ...rtl import Design, graph_modules, print_design
from ...shell import BuiltEngine
from ...target import load_target, nand2_area, synthesise, through
from ...tools import scratch

__all__ = ["CELLS", "FLIP_FLOP_GATES", "SLOW_CORNER", "Piece", "drawn", "mapped_alone", "part"]

CELLS = "osu018"
"""The cell library, a name of a target."""

FLIP_FLOP_GATES = 4.0
"""Gates of a flip-flop of the library: NAND2s of its area."""

SLOW_CORNER = "none: no slow corner"
"""In the place of a worst-case figure of ours: osu018 has the typical corner alone."""


@dataclass(frozen=True)
class Piece:
    """A module by itself: `gates` (areas of NAND2), `area_um2`, `flip_flops`, and for logic without registers
    the longest path in ns from input to output (`ns`).
    """

    gates: float
    area_um2: float
    flip_flops: int
    ns: float | None


def mapped_alone(texts: Mapping[str, str], top: str, mapping: str, timed: bool = False) -> Piece:
    """Map the module `top` of the files `texts`, name -> Verilog, on `CELLS`. mapping: the core's option
    `mapping`; timed: it is logic without registers, whose longest path is wanted.
    """
    target = load_target(CELLS)
    with scratch() as folder:
        out = folder / "mapped"
        out.mkdir()
        sources = [folder / name for name in texts]
        for path in sources:
            path.write_text(texts[path.name])
        mapped = synthesise(sources, top, target, out, mapping)
        ns = through(out, top) if timed else None
    area = mapped.area_um2 or 0.0
    flip_flops = sum(n for cell, n in mapped.cells.items() if cell.startswith("DFF"))
    return Piece(area / nand2_area(Path(target.liberty)), area, flip_flops, ns)


def part(engine: BuiltEngine, name: str, timed: bool = False) -> Piece:
    """A module of `engine` as it is emitted, mapped by itself; `name` is what follows the engine's name in
    the module's; `timed` as of `mapped_alone`.
    """
    texts = {n: t for n, t in engine.files.items() if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")}
    return mapped_alone(texts, f"{engine.top}_{name}", str(engine.parameters["mapping"]), timed)


def drawn(graph: Graph, mapping: str = "delay") -> Piece:
    """The logic of `graph`, without registers, mapped on `CELLS` with its longest path; mapping: as the
    option of a core.
    """
    modules = graph_modules(graph, "piece")
    return mapped_alone({"piece.v": print_design(Design(tuple(modules)))}, modules[-1].name, mapping, True)
