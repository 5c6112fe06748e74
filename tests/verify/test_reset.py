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
from tests.conftest import LIGHT_XTS, QUICK_AES, Built
from tests.faults import drop, only, takes, unreset, use, when
from tests.verify.test_checks import broken_file

STREAM = ("des-small", "interface=stream", "stages=2")
UNIT = ("aes128-fast-ctr", *QUICK_AES)
UNITS = (*LIGHT_XTS[:-1], "interface=axi-stream")
"""What tells that a result is late goes beside its valid bit, and reset does not clear it."""

CORES = [
    STREAM,
    UNIT,
    UNITS,
    ("des-small", "mode=cfb", "stages=2"),
    ("aes-tiny", "mode=ctr"),
    ("mars-ibm-3port",),
]


@pytest.mark.long_check
@pytest.mark.parametrize("variant", CORES, ids=" ".join)
def test_one_cycle_of_reset(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    assert "all are cleared" in check_reset(folder)


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        (
            ("des-fast", "stages=20", "hops=[]"),
            ": valid_o depends on what .* alone; no register outside .* can reach it; ",
        ),
        (
            ("des-small", "stages=2"),
            ": ready_o, valid_o depend on what .* registers can reach them, and all are cleared",
        ),
    ],
    ids=["one output", "two outputs"],
)
def test_the_sentence_of_a_reset(variant: tuple[str, ...], said: str, built: Callable[..., Built]) -> None:
    """In the number of its outputs, and without a count where no register is cleared."""
    _, folder = built(*variant)
    assert re.search(said, check_reset(folder))


def test_the_papers_ports_have_no_reset(built: Callable[..., Built]) -> None:
    _, folder = built("des-xilinx-16")
    with pytest.raises(NotChecked, match="the ports of this core have no reset"):
        check_reset(folder)


NINE = ("des-fast", "interface=stream", "stages=9", "copies=0", "hops=[]")
LINE = ("des-fast", "interface=stream")
CFB = ("des-small", "mode=cfb", "direction=encrypt", "interface=axi-stream", "tdata_bits=32")

FAULTS = {
    "a valid bit of a pipeline": (
        NINE,
        "des_fast.v",
        unreset("valid_q7"),
        r"valid_q7, which \w+ depends on",
    ),
    "all valid bits": (NINE, "des_fast.v", unreset("valid_q*"), r"does not clear \S+, which \w+ depends on"),
    "a line of valid bits": (LINE, "des_fast.v", drop("q", "left_q"), "shows what was inside before a reset"),
    "the time of a line": (LINE, "des_fast.v", unreset("time_q"), "reset does not clear the counter"),
    "the reset of a line": (
        LINE,
        "des_fast.v",
        takes("u_valid_d*.rst_i", "1'b0"),
        "is not that of the core",
    ),
    "a busy bit of a loop": (STREAM, "des_small.v", unreset("busy_1_q1"), "busy_1_q1"),
    "the count of a loop": (STREAM, "des_small.v", unreset("count_1_q2"), r"count_1_q2\["),
    "credits of the stream": (STREAM, "des_small_stream.sv", unreset("credit_q"), r"credit_q\["),
    "results of the stream": (STREAM, "des_small_stream.sv", unreset("stored_q"), r"stored_q\["),
    "the stream's ready": (STREAM, "des_small_stream.sv", unreset("ready_q"), "ready_q|credit_ready"),
    "the stream's whole reset": (STREAM, "des_small_stream.sv", drop("clear", "rst_i"), "does not clear"),
    "a result that reset announces": (
        STREAM,
        "des_small_stream.sv",
        use("out_valid_q", "1'b0", "1'b1"),
        "m_valid_o is not 0",
    ),
    "the slot of a mode": (
        ("des-small", "mode=cfb", "stages=2"),
        "des_small_cfb_chain.sv",
        drop("slot", "rst_i"),
        "slot",
    ),
    "a counter": (UNIT, "aes128_fast_ctr_counter.sv", unreset("last_q"), "does not clear"),
    "a word that is read though it is not offered": (
        CFB,
        "des_small_cfb_encrypt.v",
        takes("u_out.in_valid_i", "1'b1"),
        r"does not clear \S*beside",
    ),
    "a word that is not loaded": (
        CFB,
        "des_small_cfb_encrypt_short_stream.sv",
        when("words_q[LAST*WIDTH+:WIDTH]", "moves[LAST]", "moves[LAST] & ~inside_q[1]"),
        "depends on",
    ),
    "what goes beside a valid bit, which is read without it": (
        UNITS,
        "light128_xts_both.v",
        takes("u_late.core_valid_i", "late"),
        r"does not clear (u_core\.)?late",
    ),
    "what goes beside a valid bit, and is not loaded with it": (
        UNITS,
        "light128_xts_both.v",
        only("late_line", "again_q"),
        r"does not clear (u_core\.)?late",
    ),
    "an engine's control": (
        ("mars-ibm-3port",),
        "mars_ibm_3port_mars.sv",
        when("*", "rst_i", "1'b0"),
        "does not clear",
    ),
}


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_what_reset_leaves_is_named(fault: str, built: Callable[..., Built], tmp_path: Path) -> None:
    variant, file, change, message = FAULTS[fault]
    _, folder = built(*variant)
    broke = broken_file(folder, file, change, tmp_path / "b")
    with pytest.raises(CheckFailed, match=message):
        check_reset(broke)
