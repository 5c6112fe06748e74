"""Rules of the buses, proven of cores of each kind, and seen to fail where a core breaks them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify.bus_rules import check_bus_rules
from tests.conftest import Built
from tests.faults import Fault, always, drop, takes, use
from tests.verify.test_checks import broken_file

LITE = ("des-small", "mode=ctr", "interface=axi-stream", "tdata_bits=32", "control=axi-lite")
APB = ("des-small", "interface=axi-stream", "direction=encrypt", "control=apb")
WISHBONE = ("des-small", "interface=axi-stream", "tdata_bits=256", "control=wishbone")
DEEP = ("des-small", "architecture=pipelined", "stages=16", "key=agile", "interface=axi-stream")
TURNS = ("des-small", "mode=cbc", "direction=encrypt", "stages=3", "interface=axi-stream", "control=apb")
PORTS = TURNS[:-1]
CORES = {
    LITE: "acts once and is answered once (16 states)",
    APB: "acts once and is answered once (1 state)",
    WISHBONE: "acts once and is answered once (2 states)",
    DEEP: "2 outputs of valid and ready depend on registers only",
    TURNS: "depend on registers only, s_axis_tready also on s_axis_tuser;",
}
"""A core -> what is said of it: narrow beats, whole blocks, wide beats; a pipeline with a deep FIFO; messages
in turns, with initial values in registers.
"""


@pytest.mark.long_check
@pytest.mark.parametrize("variant", CORES, ids=lambda v: v[-1])
def test_rules_hold(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert CORES[variant] in check_bus_rules(built(*variant)[1])


BROKEN = [
    (LITE, "", takes("answer_q", "write"), "may change"),
    (LITE, "", drop("bus:write", "~answer_q"), "its address and word are there"),
    (LITE, "", takes("s_axil_arready", "~read_there_q | s_axil_rready"), "depends on s_axil_rready"),
    (APB, "", drop("write_o", "s_apb_penable"), "second cycle"),
    (WISHBONE, "", drop("ack_q", "~ack_q"), "once"),
    (WISHBONE, "", use("full_q", "full_q & ~out_ready_i", "1'b0"), "may change"),
    (DEEP, "_deep_stream.sv", always("offered_q"), "may change"),
    (DEEP, "", takes("s_axis_tready", "open | m_axis_tready"), "m_axis_tready"),
    (TURNS, "", takes("m_axis_tvalid", "s_axis_tuser[0]"), "m_axis_tvalid depends on s_axis_tuser"),
    (PORTS, "", takes("in_ready_o", "ready & in_tag_i[0]"), "s_axis_tready depends on s_axis_tuser"),
]
"""A core, the end of the name of a file, a fault of it, and what is said then."""


@pytest.mark.long_check
@pytest.mark.parametrize(("variant", "file", "fault", "said"), BROKEN, ids=str)
def test_a_broken_rule_is_seen(
    variant: tuple[str, ...],
    file: str,
    fault: Fault,
    said: str,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    core, folder = built(*variant)
    name = f"{core.top}{file or '.v'}"
    wrong = broken_file(folder, name, fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(wrong)
