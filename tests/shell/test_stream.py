"""Handshakes under cocotb: the stream shell by idle pattern x back-pressure x length, with an empty sink
at the end; the MARS engine's bus.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Built
from tests.shell.icarus import from_record, on_icarus
from tests.verify.test_checks import broken_file


@from_record
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


@from_record
def test_the_bus_of_the_mars_engine(built: Callable[..., Built], tmp_path: Path) -> None:
    """Idle pattern x direction and mode x blocks; nothing written is lost, and no key is read."""
    _, folder = built("mars-ibm-4port")
    total, failed = on_icarus(
        folder.sources, folder.record["top"], "tests.shell.cocotb_mars", tmp_path, {"ROM": "0"}
    )
    assert (total, failed) == (24, 0)


@from_record
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
