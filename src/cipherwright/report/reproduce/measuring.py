"""Building and measuring the cores of a paper's table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...arch import rewritten
from ...flow import build
from ...graph import GraphBuilder
from ...progress import Tell, named
from ...rtl import LowerOptions, lower, print_design
from ...schedule import schedule
from ...shell import BuiltEngine, Core, save
from ...spec import Datapath, load
from ...target import Build, Mapped, Recipe, implement, load_target, synthesise
from ...tools import scratch

__all__ = [
    "PACKING",
    "Component",
    "Measured",
    "component",
    "implemented",
    "measure",
    "slices_at_best",
    "slices_packed",
]

PACKING = (
    "Slices at best: any lookup table and any flip-flop share a logic cell. Slices packed, ours: a flip-flop "
    "shares one only with the lookup table that feeds it; the paper's are what Xilinx's mapper made, whose "
    "rules are not public."
)
"""Note of a table with both counts of slices."""


@dataclass(frozen=True)
class Measured:
    """A core and its figures on one target. `build`: its implementation; `lines`: of its Verilog, the
    testbench apart.
    """

    core: Core
    build: Build
    lines: int

    @property
    def slices(self) -> int:
        """Slices of two lookup tables and two flip-flops, at best."""
        return slices_at_best(self.build.mapped.luts, self.build.mapped.ffs)

    @property
    def packed(self) -> int:
        """The same slices where only a lookup table and the flip-flop behind it share a logic cell."""
        return slices_packed(self.build.mapped)

    @property
    def gbps(self) -> float | None:
        """Throughput in Gb/s at the measured clock; None where there is no clock."""
        f = self.build.fmax_mhz
        return round(f * self.core.bits_per_cycle / 1000, 2) if f else None


def slices_at_best(luts: int, ffs: int, cells: int = 2) -> int:
    """Slices, of `cells` logic cells each, that hold `luts` lookup tables and `ffs` flip-flops if any of them
    may share a cell.

    >>> slices_at_best(5, 3)
    3
    """
    return -(-max(luts, ffs) // cells)


def slices_packed(mapped: Mapped, cells: int = 2) -> int:
    """Slices, of `cells` logic cells each, of the netlist `mapped`, where a flip-flop shares a cell only with
    the lookup table that feeds it.
    """
    return -(-mapped.logic_cells // cells)


def _datapath(preset: str, sets: Sequence[str], target: str) -> Datapath:
    """The spec of a preset that is a pipeline or a loop, for a target."""
    spec = load(preset, [*sets, f"target={target}"])
    assert isinstance(spec, Datapath), preset
    return spec


def measure(preset: str, sets: list[str], target: str, seeds: int, tell: Tell) -> Measured:
    """Build `preset`, a pipeline or a loop, with the changes `sets`, texts OPTION=VALUE, for the target named
    `target`, and implement it with the seeds 1 to `seeds`. `tell` is called with what is done.
    """
    core = build(_datapath(preset, sets, target), {"preset": preset})
    result = implemented(core, target, seeds, named(tell, f"{preset} {' '.join(sets)}"))
    lines = sum(
        text.count("\n")
        for n, text in core.files.items()
        if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")
    )
    return Measured(core, result, lines)


def implemented(
    core: Core | BuiltEngine, target: str, seeds: int, tell: Tell, top: str = "", more: str = ""
) -> Build:
    """Implement `core` on the target named `target` with the seeds 1 to `seeds`; the netlist is not proven.
    `tell` is called with what is done. top: another module than the core's own (""), whose clock is `clk`;
    more: Verilog beside the core's.
    """
    with tempfile.TemporaryDirectory(prefix="cipherwright-") as d:
        folder = Path(d) / "core"
        save(core, folder)
        sources = [folder / n for n in core.files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")]
        if more:
            sources.append(folder / "more.v")
            sources[-1].write_text(more)
        recipe = replace(
            Recipe.of(core.parameters),
            seeds=tuple(range(1, seeds + 1)),
            prove=False,
            clock=core.ports.clk if isinstance(core, Core) and not top else "clk",
        )
        return implement(sources, top or core.top, load_target(target), recipe, tell)


@dataclass(frozen=True)
class Component:
    """A piece of a cipher mapped on its own: lookup tables (`luts`), flip-flops (`ffs`), and the most lookup
    tables in a row between registers (`levels`).
    """

    luts: int
    ffs: int
    levels: int


def component(
    name: str,
    preset: str,
    make: Callable[[GraphBuilder], None],
    stages: int,
    target: str,
    sets: Sequence[str] = (),
) -> Component:
    """Map the graph that `make` describes to a builder (inputs, logic, outputs), as the module `name`, on the
    target named `target`, with the options of `preset` and its changes `sets`, texts OPTION=VALUE. stages:
    register ranks, the last one at the outputs; 0: logic without registers, whose flip-flops are not counted.
    """
    device = load_target(target)
    spec = _datapath(preset, sets, target)
    b = GraphBuilder(name)
    make(b)
    graph = rewritten(spec, b.build(), device.delay).graph
    s = schedule(graph, device.delay, max(stages, 1))
    with scratch() as folder:
        path = folder / f"{name}.v"
        path.write_text(print_design(lower(s, name, LowerOptions(levels=spec.keep_levels))))
        out = folder / "mapped"
        out.mkdir()
        mapped = synthesise([path], name, device, out)
    return Component(mapped.luts, mapped.ffs if stages else 0, mapped.levels)
