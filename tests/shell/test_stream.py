"""Handshakes under cocotb: the stream shell by idle pattern x back-pressure x length, with an empty sink
at the end; the MARS engine's bus.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import Built
from tests.verify.test_checks import broken_file


def on_icarus(
    sources: Sequence[Path], top: str, module: str, folder: Path, env: dict[str, str]
) -> tuple[int, int]:
    """(tests, failed ones) of a cocotb bench in Icarus."""
    from cocotb_tools.runner import get_results, get_runner

    runner = get_runner("icarus")
    runner.build(
        sources=list(sources),
        hdl_toplevel=top,
        build_dir=folder,
        build_args=["-g2012"],
        timescale=("1ns", "1ps"),
    )
    results = folder / "results.xml"
    with contextlib.suppress(SystemExit):  # a failed test is told by the results
        runner.test(
            hdl_toplevel=top,
            test_module=module,
            build_dir=folder,
            results_xml=str(results),
            extra_env={**env, "PYTHONWARNINGS": "ignore"},
        )
    return get_results(results)


@pytest.mark.parametrize(
    "variant",
    [("des-small", "interface=stream", "stages=2"), ("des-xilinx-16", "interface=stream", "key_lead=0")],
    ids=" ".join,
)
def test_patterns(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*variant)
    total, failed = on_icarus(
        folder.sources, core.top, "tests.shell.cocotb_stream", tmp_path, {"CIPHER": core.parameters["cipher"]}
    )
    assert total == 28
    assert failed == 0


def test_the_bus_of_the_mars_engine(built: Callable[..., Built], tmp_path: Path) -> None:
    """Idle pattern x direction and mode x blocks; nothing written is lost, and no key is read."""
    _, folder = built("mars-ibm-4port")
    total, failed = on_icarus(
        folder.sources, folder.record["top"], "tests.shell.cocotb_mars", tmp_path, {"ROM": "0"}
    )
    assert (total, failed) == (24, 0)


def test_a_bus_that_loses_a_write_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("mars-ibm-rom")
    wrong = broken_file(
        folder,
        "cipherwright_mars.sv",
        lambda t: t.replace("(at_message ? !message_there && key_there :", "(at_message ? key_there :"),
        tmp_path / "b",
    )
    _, failed = on_icarus(
        wrong.sources, wrong.record["top"], "tests.shell.cocotb_mars", tmp_path / "sim", {"ROM": "1"}
    )
    assert failed
