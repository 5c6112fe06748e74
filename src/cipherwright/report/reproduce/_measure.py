"""Building and measuring the cores of a paper's table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...pipeline import build
from ...spec import load
from ...target import Build, implement, load_target
from ...wrap import Core, save

__all__ = ["Measured", "measure"]


@dataclass(frozen=True)
class Measured:
    """A core and its figures on one target."""

    core: Core
    build: Build
    lines: int

    @property
    def gbps(self) -> float | None:
        f = self.build.fmax_mhz
        return round(f * self.core.bits_per_cycle / 1000, 2) if f else None


def measure(preset: str, sets: list[str], target: str, seeds: int, tell: Callable[[str], None]) -> Measured:
    """Build a preset with changes for a target and implement it."""
    core = build(load(preset, [*sets, f"target={target}"]), {"preset": preset})
    with tempfile.TemporaryDirectory(prefix="cipherwright-") as d:
        folder = Path(d) / "core"
        save(core, folder)
        sources = [folder / n for n in core.files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")]
        result = implement(sources, core.top, load_target(target), range(1, seeds + 1), lambda t: tell(f"{preset} {' '.join(sets)}: {t}"), core.parameters["placer_weight"])
    lines = sum(text.count("\n") for n, text in core.files.items() if n.endswith((".v", ".sv")) and not n.endswith("_tb.v"))
    return Measured(core, result, lines)
