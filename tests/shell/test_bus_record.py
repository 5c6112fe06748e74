"""The record of what buses cost (benchmarks/buses.json): its page, bare cores, bounds and netlists."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.shell import rtl_digest
from cipherwright.target import load_target, synthesise
from tests.conftest import ROOT, Built

sys.path.insert(0, str(ROOT / "benchmarks"))
buses = importlib.import_module("buses")
RECORD = json.loads(buses.RECORD.read_text())


def test_the_page_has_the_figures_of_the_record() -> None:
    page = buses.PAGE.read_text()
    for core, found in RECORD.items():
        for interface, figures in found.items():
            bare, clock = found["bare"], figures.get("fmax_mhz")
            more = f"{figures['luts'] - bare['luts']:+,}" if figures is not bare else "–"
            part = f"{clock / bare['fmax_mhz']:.1%}" if clock and figures is not bare else "–"
            clocks = sorted({f"{c:.1f}" for c in figures.get("fmax_by_seed", {}).values()}, key=float)
            placed = f"{', '.join(dict.fromkeys((clocks[-1], clocks[0])))} MHz" if clocks else "not placed"
            assert clock is None or f"{clock:.1f}" == clocks[-1]
            counts = f"{figures['luts']:,} | {more} | {figures['ffs']:,} | {figures['brams']}"
            assert f"| `{core}` | {interface} | {counts} | {placed} | {part} |" in page


def test_bare_cores_of_the_record_are_those_of_the_presets() -> None:
    """Each bare core has the netlist of the preset's record, and the clocks of that record's seeds."""
    for core, found in RECORD.items():
        preset = json.loads((buses.HERE / "records" / f"{core}@{buses.TARGET}.json").read_text())
        bare = found["bare"]
        assert (bare["netlist"], bare["luts"]) == (preset["netlist_digest"], preset["luts"]), core
        assert bare.get("fmax_by_seed", {}).items() <= preset["fmax_by_seed"].items(), core


def test_axi_stream_around_a_fast_pipeline_is_within_its_bounds() -> None:
    """At least 97 % of the bare core's clock, and at most 400 lookup tables more, by the record."""
    found = RECORD["aes128-fast-ctr"]
    bare, around = found["bare"], found["axi-stream, mapping = collapse-all"]
    assert around["fmax_mhz"] >= 0.97 * bare["fmax_mhz"]
    assert around["luts"] - bare["luts"] <= 400


def test_the_record_is_of_the_present_netlist(built: Callable[..., Built], tmp_path: Path) -> None:
    """A small core behind AXI-Stream is mapped, and its netlist is that of the record."""
    found = RECORD["des-small"]["axi-stream"]
    core, folder = built("des-small", "interface=axi-stream")
    mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), tmp_path)
    assert (mapped.digest, mapped.luts, mapped.ffs) == (found["netlist"], found["luts"], found["ffs"])


def test_the_record_has_the_rows_that_are_measured() -> None:
    """`python benchmarks/buses.py` measures each row again, and the table has no other."""
    assert {core: set(found) for core, found in RECORD.items()} == {
        core: set(interfaces) for core, interfaces in buses.CORES.items()
    }


@pytest.mark.parametrize("core", buses.CORES)
def test_every_row_is_of_the_present_text(core: str, built: Callable[..., Built]) -> None:
    """Each core of the record is built, with each interface, and its text is that of the row."""
    for interface, figures in RECORD[core].items():
        made, _ = built(core, f"target={buses.TARGET}", *buses.INTERFACES[interface])
        assert figures["rtl_digest"] == rtl_digest(made.files), f"{core}, {interface}"
