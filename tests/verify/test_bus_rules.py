"""Rules of the buses, proven of cores of each kind, and seen to fail where a core breaks them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify.bus_rules import check_bus_rules
from tests.conftest import Built
from tests.verify.test_checks import broken_file

LITE = ("des-small", "mode=ctr", "interface=axi-stream", "tdata_bits=32", "control=axi-lite")
APB = ("des-small", "interface=axi-stream", "direction=encrypt", "control=apb")
WISHBONE = ("des-small", "interface=axi-stream", "tdata_bits=256", "control=wishbone")
DEEP = ("des-small", "architecture=pipelined", "stages=16", "key=agile", "interface=axi-stream")
CORES = {
    LITE: "acts once and is answered once (16 state(s))",
    APB: "acts once and is answered once (1 state(s))",
    WISHBONE: "acts once and is answered once (2 state(s))",
    DEEP: "2 outputs of valid and ready depend on registers only",
}
"""A core -> what is said of it: narrow beats, whole blocks, wide beats; a pipeline with a deep FIFO."""


@pytest.mark.parametrize("variant", CORES, ids=lambda v: v[-1])
def test_rules_hold(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert CORES[variant] in check_bus_rules(built(*variant)[1])


BROKEN = [
    (LITE, "", "answer_q <= write | (answer_q & ~s_axil_bready);", "answer_q <= write;", "may change"),
    (LITE, "", "wire write = address_there_q & word_there_q & ~answer_q;",
     "wire write = address_there_q & word_there_q;", "its address and word are there"),
    (LITE, "", "assign s_axil_arready = ~read_there_q;",
     "assign s_axil_arready = ~read_there_q | s_axil_rready;", "depends on s_axil_rready"),
    (APB, "", "assign write_o = s_apb_psel & s_apb_penable", "assign write_o = s_apb_psel", "second cycle"),
    (WISHBONE, "", "ack_q <= wb_cyc_i & wb_stb_i & ~ack_q;", "ack_q <= wb_cyc_i & wb_stb_i;", "once"),
    (WISHBONE, "", "full_q <= ~drop_i & (take ? complete : full_q & ~out_ready_i);",
     "full_q <= ~drop_i & take & complete;", "may change"),
    (DEEP, "_deep_stream.sv", "if (leave) data_q <= word_q;", "data_q <= word_q;", "may change"),
    (DEEP, "", "assign s_axis_tready = open;",
     "assign s_axis_tready = open | m_axis_tready;", "m_axis_tready"),
]  # fmt: skip
"""A core, the end of the name of a file, a text in it, what stands in its place, and what is said then."""


@pytest.mark.parametrize(("variant", "file", "old", "new", "said"), BROKEN)
def test_a_broken_rule_is_seen(
    variant: tuple[str, ...],
    file: str,
    old: str,
    new: str,
    said: str,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    core, folder = built(*variant)
    name = f"{core.top}{file or '.v'}"
    assert old in core.files[name]
    wrong = broken_file(folder, name, lambda t: t.replace(old, new), tmp_path / "b")
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(wrong)
