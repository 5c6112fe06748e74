"""Cores behind standard buses, driven by cocotb extensions that nobody here wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Built
from tests.shell.test_stream import on_icarus
from tests.verify.test_checks import broken_file

STREAMS = [
    ("des-small", "interface=axi-stream"),
    ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32", "tid_bits=3"),
    ("des-small", "interface=axi-stream", "direction=encrypt", "tdata_bits=256"),
]
"""A block wide with both directions; narrower, with messages of any length and TID; wider."""


def exchanged(folder: Built, tmp_path: Path, only: str = ".*") -> tuple[int, int]:
    """(tests, failed ones) of the packets through a core. `only`: tests whose names match."""
    p = folder[1].record["parameters"]
    env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8)}
    env |= {"COCOTB_TEST_FILTER": only, "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(
        folder[1].sources, folder[1].record["top"], "tests.shell.cocotb_axi_stream", tmp_path, env
    )


@pytest.mark.parametrize("variant", STREAMS, ids=" ".join)
def test_packets_over_axi_stream(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert exchanged(built(*variant), tmp_path) == (10, 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("full_q <= take ? complete : full_q & ~out_ready_i;", "full_q <= take ? complete : 1'b0;"),
        ("place_q <= 1'd0;", ""),
        ("count_q <= {place_q, in_count_i};", "count_q <= {place_q, ~in_count_i};"),
    ],
)
def test_a_broken_converter_is_seen(old: str, new: str, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*STREAMS[1])
    assert old in core.files[f"{core.top}.v"]
    wrong = broken_file(folder, f"{core.top}.v", lambda t: t.replace(old, new), tmp_path / "b")
    assert exchanged((core, wrong), tmp_path / "sim", "alternate")[1]
