"""Measured figures of the presets, by the digest of the Verilog that they are of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["FIGURES", "figure_rows", "measured", "measured_presets"]

FIGURES = resources.files("cipherwright") / "data" / "figures.json"
"""Digest of a core's text (`rtl_digest`) -> what the committed record of that text says, and of which target.
`benchmarks/status.py` writes it from `benchmarks/records`.
"""


@cache
def _records() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return found


def measured(preset: str, target: str, digest: str) -> Mapping[str, Any] | None:
    """The record of this very text on `target`, or None. `preset`: the name of the core; `digest`: of its
    Verilog (`rtl_digest`).
    """
    record = _records().get(digest)
    return record if record and (record["preset"], record["target"]) == (preset, target) else None


def measured_presets() -> set[str]:
    """Presets that have a record."""
    return {record["preset"] for record in _records().values()}


def figure_rows(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(figure, value with its unit) of `record`, those that have a meaning on its target."""
    units = (
        ("luts", "lookup tables", "{:,}"),
        ("ffs", "flip-flops", "{:,}"),
        ("srls", "shift-register lookup tables", "{:,}"),
        ("brams", "block RAMs", "{:,}"),
        ("dsps", "multipliers", "{:,}"),
        ("gate_equivalents", "area in gate equivalents", "{:,.0f}"),
        ("fmax_mhz", "clock", "{:.1f} MHz"),
        ("throughput_gbps", "throughput", "{:.3f} Gb/s"),
    )
    rows = [("target", record["target"])]
    rows += [(what, form.format(record[key])) for key, what, form in units if record.get(key)]
    if record["seed"]:
        rows.append(("seed of place and route", str(record["seed"])))
    tools = ", ".join(f"{tool} {version}" for tool, version in sorted(record["tool_versions"].items()))
    return [*rows, ("tools", tools)]
