"""Reset: one cycle clears whatever control outputs depend on, in cores of every kind; a register that it
leaves is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, NotChecked
from cipherwright.verify.reset import check_reset
from tests.conftest import QUICK_AES, Built
from tests.verify.test_checks import broken_file

STREAM = ("des-small", "interface=stream", "stages=2")
UNIT = ("aes128-fast-ctr", *QUICK_AES)
CORES = [STREAM, UNIT, ("des-small", "mode=cfb", "stages=2"), ("aes-tiny", "mode=ctr"), ("mars-ibm-3port",)]


@pytest.mark.parametrize("variant", CORES, ids=" ".join)
def test_one_cycle_of_reset(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    assert "all are cleared" in check_reset(folder)


def test_the_papers_ports_have_no_reset(built: Callable[..., Built]) -> None:
    _, folder = built("des-xilinx-16")
    with pytest.raises(NotChecked, match="the ports of this core have no reset"):
        check_reset(folder)


FAULTS = {
    "a valid bit of a pipeline": (
        ("des-fast", "interface=stream", "stages=9", "copies=0", "hops=[]"),
        "des_fast.v",
        r"(valid_q7 <= )rst_i \? 1'd0 : ",
        r"\1",
        r"valid_q7, which \w+ depends on",
    ),
    "all valid bits": (
        ("des-fast", "interface=stream", "stages=9", "copies=0", "hops=[]"),
        "des_fast.v",
        r"(valid_q\d+ <= )rst_i \? 1'd0 : ",
        r"\1",
        r"does not clear \S+, which \w+ depends on",
    ),
    "a line of valid bits": (
        ("des-fast", "interface=stream"),
        "des_fast.v",
        r"q <= ~rst_i & left_q & line",
        "q <= ~rst_i & line",
        "shows what was inside before a reset",
    ),
    "the time of a line": (
        ("des-fast", "interface=stream"),
        "des_fast.v",
        r"( time_q <= )7'd0;",
        r"\1time_q;",
        "reset does not clear the counter",
    ),
    "the reset of a line": (
        ("des-fast", "interface=stream"),
        "des_fast.v",
        r"(u_valid_d81_81 \(\.clk\(clk\), \.rst_i\()rst_i",
        r"\g<1>1'b0",
        "is not that of the core",
    ),
    "a busy bit of a loop": (STREAM, "des_small.v", r"(busy_1_q1 <= )rst_i \? 1'd0 : ", r"\1", "busy_1_q1"),
    "the count of a loop": (
        STREAM,
        "des_small.v",
        r"(count_1_q2 <= )rst_i \? 5'd0 : ",
        r"\1",
        r"count_1_q2\[",
    ),
    "credits of the stream": (
        STREAM,
        "des_small_stream.sv",
        r"            credit_q <= DEPTH\[DEPTH_LOG2:0\];\n",
        "",
        r"credit_q\[",
    ),
    "results of the stream": (
        STREAM,
        "des_small_stream.sv",
        r"            stored_q <= 0;\n",
        "",
        r"stored_q\[",
    ),
    "the stream's ready": (
        STREAM,
        "des_small_stream.sv",
        r"            ready_q <= 1'b0;\n",
        "",
        "ready_q|credit_ready",
    ),
    "the stream's whole reset": (
        STREAM,
        "des_small_stream.sv",
        r"wire clear = rst_i \| ",
        "wire clear = ",
        "does not clear",
    ),
    "a result that reset announces": (
        STREAM,
        "des_small_stream.sv",
        r"(            out_valid_q <= 1'b)0;",
        r"\g<1>1;",
        "m_valid_o is not 0",
    ),
    "the slot of a mode": (
        ("des-small", "mode=cfb", "stages=2"),
        "des_small_cfb_chain.sv",
        r"slot <= rst_i \|\| ",
        "slot <= ",
        "slot",
    ),
    "a counter": (
        UNIT,
        "aes128_fast_ctr_counter.sv",
        r"            last_q <= 1'b0;\n",
        "",
        "does not clear",
    ),
    "a word that is read though it is not offered": (
        ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32"),
        "des_small_cfb_encrypt.v",
        r"(\.in_valid_i\()whole",
        r"\1result_valid",
        r"depends on \S*side\[",
    ),
    "a word that is not loaded": (
        ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32"),
        "des_small_cfb_encrypt_stream.sv",
        r"else if \(load\) out_data_q",
        "else if (load & ~read_q[0]) out_data_q",
        "depends on",
    ),
    "an engine's control": (
        ("mars-ibm-3port",),
        "mars_ibm_3port_mars.sv",
        r"if \(rst_i\)",
        "if (1'b0)",
        "does not clear",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_reset_leaves_is_named(fault: str, built: Callable[..., Built], tmp_path: Path) -> None:
    variant, file, old, new, message = FAULTS[fault]
    _, folder = built(*variant)
    broke = broken_file(folder, file, lambda text: re.sub(old, new, text), tmp_path / "b")
    with pytest.raises(CheckFailed, match=message):
        check_reset(broke)
