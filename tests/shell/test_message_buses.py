"""AXI-Stream around GCM, CCM, XTS and CMAC: a driver from outside, `verify`, rules of the bus, and faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.library import build
from cipherwright.shell import Core
from cipherwright.target import REGISTERS
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.message_axi_checks import check_message_stream
from cipherwright.verify.reset import check_reset
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, QUICK_GCM_LANES, Built
from tests.faults import Fault, drop, takes, use
from tests.recorded import Counts, judged
from tests.shell.chosen_faults import faulty_bench
from tests.shell.icarus import from_record, on_icarus
from tests.verify.test_checks import broken_file

TAGS = ("aes128-cmac-small", *LIGHT_LOOP, "interface=axi-stream", "tid_bits=3")
PACKETS = ("aes-gcm-small", *LIGHT_LOOP, "interface=axi-stream", "iv_bits=any")
UNITS = (*LIGHT_XTS[:-1], "interface=axi-stream", "tid_bits=2")
LENGTHS = ("aes128-ccm-small", *LIGHT_LOOP, "interface=axi-stream", "tid_bits=3")
"""A core of each kind. The loops' FIFOs are in distributed RAM, the pipeline's in block RAM."""


def driven(made: Built, tmp_path: Path) -> tuple[int, int]:
    """(tests, failed ones) of messages through a core, by cocotbext-axi."""
    record = made[1].record
    env = {"MODE": record["parameters"]["mode"], "COCOTB_LOG_LEVEL": "ERROR"}
    # What `cocotb_axi_stream`, whose patterns are used, asks for.
    env |= {"CIPHER": record["parameters"]["cipher"], "KEY_BYTES": "16"}
    release = record.get("packet", {}).get("release", {})
    env |= {"LONGEST": str(release.get("longest_packet_words", 0))}
    return on_icarus(made[1].sources, record["top"], "tests.shell.cocotb_messages", tmp_path, env)


IN_AES = [
    ("aes128-cmac-small", "interface=axi-stream", "tid_bits=3"),
    ("aes-gcm-small", "interface=axi-stream", "iv_bits=any"),
    ("aes128-xts-small", "interface=axi-stream", "tid_bits=2"),
    ("aes128-ccm-small", "interface=axi-stream", "tid_bits=3"),
    (*QUICK_GCM_LANES, "interface=axi-stream"),
]
"""Of the cipher that the driver compares with an independent library."""


@from_record
@pytest.mark.parametrize("variant", IN_AES, ids=" ".join)
def test_messages_by_a_driver_from_outside(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert driven(built(*variant), tmp_path) == (6, 0)


def checked(made: Built) -> str:
    """What `verify` says of the AXI-Stream ports."""
    bench = AxiMessageBench.compile(made[1].sources, made[1].record)
    return check_message_stream(bench, made[1].record["parameters"])


def test_packets_of_gcm(built: Callable[..., Built]) -> None:
    assert "none lost" in checked(built(*PACKETS))


def test_packets_of_ccm(built: Callable[..., Built]) -> None:
    assert "none lost" in checked(built(*LENGTHS))


LENGTH_FAULTS = [
    use("u_core.aad_bytes_i", "s_aad_bytes_i", "32'd0"),
    use("u_core.data_bytes_i", "s_data_bytes_i", "{s_data_bytes_i[15:1], 1'b0}"),
    use("u_core.iv_i", "s_iv_i", "{s_iv_i[103:1], 1'b0}"),
    use("u_core.aad_i", "s_axis_tuser[1]", "s_axis_tuser[0]"),
    drop("s_axis_tready", "room"),
    drop("has_text", "~s_axis_tuser[1]"),
]
"""Of the bus around CCM: a length and the nonce are other ones, the direction is taken for the kind of a
beat, a beat is lost, and a place is kept for additional data, which have no result.
"""


COUNTED = (*UNITS[:-1], "unit_numbers=counted")
"""Runs of units are announced."""


SLOTS = (*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream")
"""Two keys are resident; TUSER says under which a packet goes."""

ANNOUNCED = (*SLOTS, "packet_keys=announced", "tid_bits=3")
"""Every packet's key is announced."""

LANES = (*LIGHT_GCM, "lanes=4", "interface=axi-stream", "tid_bits=2")
"""A beat has four blocks."""

UNIT_SLOTS = (*UNITS[:-1], "key_slots=2")
"""Two keys are resident; a unit's number comes with the slot of its key."""


@from_record
@pytest.mark.parametrize(
    ("variant", "said", "fault", "told"),
    [
        (COUNTED, "none lost", takes("both:u_core.unit_more_i", "32'd0"), "is not taken"),
        (
            SLOTS,
            "two slots in any order",
            use("gcm:u_core.key_slot_i", "s_axis_tuser[2]", "1'b0"),
            "is not what the reference has",
        ),
        (
            UNIT_SLOTS,
            "units under the keys of two slots in any order",
            use("both:u_core.key_slot_i", "key_slot_i", "1'b0"),
            "is not what the reference has",
        ),
        (
            ANNOUNCED,
            "none lost",
            use("gcm:u_core.key_i", "key_i", "~key_i"),
            "is not what the reference has",
        ),
        (
            LANES,
            "64 beats at the core's rate",
            use("gcm:u_core.keep_i", "s_axis_tkeep[48]", "s_axis_tkeep[47]"),
            "is not what the reference has",
        ),
    ],
    ids=["runs", "two keys", "units under two keys", "announced keys", "lanes"],
)
def test_two_keys_and_runs(
    variant: tuple[str, ...], said: str, fault: Fault, told: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    """What is right passes, and a fault is seen: one compiled core."""
    made = built(*variant)

    def judge() -> list[str]:
        bench = faulty_bench(AxiMessageBench, made, [fault], (), tmp_path)
        parameters = made[1].record["parameters"]
        right = check_message_stream(bench(-1), parameters)
        with pytest.raises(CheckFailed) as seen:
            check_message_stream(bench(0), parameters)
        return [right, str(seen.value)]

    right, wrong = judged(made[1], [str(fault)], judge)
    assert said in right
    assert told in wrong


FAULTS = [
    takes("m_axis_tkeep", "16'd32767"),
    drop("s_axis_tready", "room"),
    takes("u_tag.core_valid_i", "tag_accepts"),
    use("m_axis_tid", "tag_id", "s_axis_tid"),
]
"""Of the bus around CMAC: TKEEP leaves a byte out, a beat is lost, a tag comes too early, and TID is that of
another beat.
"""


@pytest.mark.parametrize(
    ("variant", "fault"),
    [*((TAGS, f) for f in FAULTS), *((LENGTHS, f) for f in LENGTH_FAULTS)],
    ids=lambda x: x[0] if isinstance(x, tuple) else str(x),
)
def test_a_broken_bus_is_seen(
    variant: tuple[str, ...], fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed):
        checked((core, wrong))


@from_record
@pytest.mark.parametrize("variant", [TAGS, ANNOUNCED], ids=["tags", "announced keys"])
def test_rules_reset_and_zeroising(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    folder = built(*variant)[1]

    def judge() -> list[str]:
        return [check_bus_rules(folder), check_reset(folder), check_zeroise(folder)]

    rules, reset, zeroising = judged(folder, ["rules, reset, zeroising"], judge)
    assert "an offer stays until it is taken" in rules
    assert "all are cleared" in reset
    assert "none of" in zeroising


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (takes("s_axis_tready", "m_axis_tready"), "depends on"),
        (takes("m_axis_tvalid", "m_axis_tready"), "depends on"),
        (use("m_axis_tid", "tag_id", "s_axis_tid"), "in the same cycle"),
    ],
    ids=str,
)
def test_a_broken_rule_is_seen(fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*TAGS)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(wrong)


def test_a_fifo_that_is_not_cleared_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*TAGS)
    fault = use("u_tag.zeroise_i", "zeroising", "1'b0")
    with pytest.raises(CheckFailed):
        check_zeroise(broken_file(folder, f"{core.top}.v", fault, tmp_path / "b"))


@pytest.mark.parametrize("variant", [TAGS, (*TAGS, "fifo_depth=64"), (*LENGTHS, "control=apb")], ids=" ".join)
def test_mapped_flip_flops_are_the_predicted_ones(
    variant: tuple[str, ...], built: Callable[..., Built], mapped: Counts
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_messages_of_the_library(built: Callable[..., Built]) -> None:
    """The library and the command line run the core inside the bus."""
    core = build("aes128-cmac-small", interface="axi-stream")
    assert core.mac("2b7e151628aed2a6abf7158809cf4f3c", b"").hex() == "bb1d6929e95937287fa37d129b756746"
