"""The stream shell under cocotb: idle pattern x back-pressure pattern x length; the sink is empty at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Built


@pytest.mark.parametrize("variant", [("des-small", "interface=stream", "stages=2"), ("des-xilinx-16", "interface=stream", "key_lead=0")], ids=" ".join)
def test_patterns(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    from cocotb_tools.runner import get_results, get_runner

    core, folder = built(*variant)
    runner = get_runner("icarus")
    runner.build(sources=folder.sources, hdl_toplevel=core.top, build_dir=tmp_path, build_args=["-g2012"], timescale=("1ns", "1ps"))
    results = runner.test(
        hdl_toplevel=core.top, test_module="tests.wrap.cocotb_stream", build_dir=tmp_path, results_xml=str(tmp_path / "results.xml"),
        extra_env={"CIPHER": core.parameters["cipher"], "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    total, failed = get_results(results)
    assert total == 28
    assert failed == 0
