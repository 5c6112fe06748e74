"""The records of layouts (benchmarks/layout.py) are of the present text and of its netlist."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.report import mapped_top
from cipherwright.target import load_target, synthesise
from tests.conftest import ROOT, Built

sys.path.insert(0, str(ROOT / "benchmarks"))
layout = importlib.import_module("layout")
RECORDS = sorted(layout.RECORDS.glob("layout-*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_layout_is_of_the_present_netlist(path: Path, built: Callable[..., Built], tmp_path: Path) -> None:
    """Digests of text and netlist, cells and area are those of the core as it is mapped now."""
    record, target = json.loads(path.read_text()), load_target(layout.TARGET)
    assert path.name == f"layout-{record['preset']}@{record['target']}.json"
    made, folder = built(record["preset"], f"target={layout.TARGET}")
    top = mapped_top(folder.record, target.kind)
    mapped = synthesise(folder.sources, top, target, tmp_path, made.parameters["mapping"])
    facts = layout.netlist_facts(made, mapped)
    assert {key: record[key] for key in facts} == facts


def test_what_a_layout_reached_is_whole() -> None:
    """Each record says where it ended; one that was routed has a clock with its wires, slower than before."""
    results = {}
    for path in RECORDS:
        record = json.loads(path.read_text())
        results[record["preset"]] = record["result"]
        assert record["mhz_before_layout"] == pytest.approx(1000 / record["path_ns_before_layout"], abs=0.05)
        if record["result"] == "routed":
            assert record["path_ns_before_layout"] <= record["path_ns"]
            assert record["path_ns"] <= record["path_ns_with_the_wires_of_the_clock"]
    assert results["des-small"] == "routed"
