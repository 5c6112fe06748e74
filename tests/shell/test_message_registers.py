"""Registers around GCM, XTS and CMAC: drivers from outside, `verify`, the rules of the buses, and faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.shell import read_map, registers_of
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.message_registers import check_message_registers
from cipherwright.verify.reset import check_reset
from tests.conftest import QUICK_XTS, Built
from tests.faults import Fault, drop, takes, use, when_drop
from tests.shell.test_stream import on_icarus
from tests.verify.test_checks import broken_file

BUS = "interface=axi-stream"
TAGS = ("aes128-cmac-small", BUS, "control=axi-lite")
PACKETS = ("aes-gcm-small", BUS, "control=apb")
IVS = ("aes-gcm-small", BUS, "iv_bits=any", "control=wishbone")
UNITS = (*QUICK_XTS[:-1], BUS, "control=wishbone")


def driven(made: Built, tmp_path: Path) -> tuple[int, int]:
    """(tests, failed ones) by cocotb."""
    core, folder = made
    p = folder.record["parameters"]
    env = {"MODE": p["mode"], "CONTROL": p["control"], "MAP": core.files[f"{core.top}.rdl"]}
    env |= {"CIPHER": p["cipher"], "KEY_BYTES": "16", "AWAITED": "KEY UNIT", "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(folder.sources, core.top, "tests.shell.cocotb_message_registers", tmp_path, env)


@pytest.mark.parametrize("variant", [TAGS, PACKETS, UNITS], ids=lambda v: f"{v[0]} {v[-1]}")
def test_registers_by_drivers_from_outside(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert driven(built(*variant), tmp_path) == (2, 0)


@pytest.mark.parametrize("variant", [TAGS, PACKETS, IVS], ids=lambda v: f"{v[0]} {v[-1]}")
def test_what_verify_says(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    folder = built(*variant)[1]
    assert "an offer stays until it is taken" in check_bus_rules(folder)
    assert "all are cleared" in check_reset(folder)
    assert "18 messages under keys written over" in check_message_registers(folder)


FAULTS = [
    (TAGS, drop("key_offer_q", "key_written")),
    (TAGS, takes("u_registers.key_clear_i", "zeroise")),
    (PACKETS, takes("may", "1'b1")),
    (PACKETS, use("tag_given", "tag_words[7:0]", "tag_words[15:8]")),
    (PACKETS, takes("iv_taken", "beat & s_axis_tlast")),
    (PACKETS, takes("u_core.s_tag_i", "tag_given")),
    (PACKETS, when_drop("fresh_q", "zeroise")),
    (PACKETS, takes("u_registers.interrupt_status_wrong_tag_i", "leaves & m_tag_tuser[0]")),
    (IVS, drop("iv_taken", "~hashed_q")),
]
"""A core and a fault of its registers: a key is loaded before it is complete, or stays; a packet begins
without an IV, its tag has another order, its IV is taken late, the tag of the next one counts, ZEROISE leaves
a packet open, a right tag is told as wrong, and an IV in words takes the one in the register.
"""


@pytest.mark.parametrize(("variant", "fault"), FAULTS, ids=str)
def test_a_fault_is_seen(
    variant: tuple[str, ...], fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed):
        check_message_registers(wrong)


@pytest.mark.parametrize(
    ("variant", "fault", "said"),
    [
        (PACKETS, takes("may", "~fresh_q | iv_offer_q | m_axis_tready"), "depends on"),
        (PACKETS, takes("may", "~fresh_q | iv_offer_q | s_axis_tuser[0]"), "depends on"),
        (TAGS, drop("bus:write", "~answer_q"), "its address and word are there"),
    ],
    ids=str,
)
def test_a_broken_rule_is_seen(
    variant: tuple[str, ...], fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(wrong)


def test_the_map_of_each_kind(built: Callable[..., Built]) -> None:
    """What each kind of message has in registers, and nothing else."""
    common = ["VERSION", "CAPABILITIES", "CONTROL", "STATUS", "INTERRUPT_STATUS", "INTERRUPT_ENABLE", "KEY"]
    for variant, more in ((TAGS, []), (PACKETS, ["IV", "TAG"]), (UNITS, ["UNIT"])):
        core = built(*variant)[0]
        registers = registers_of(read_map(core.files[f"{core.top}.rdl"]))
        assert [r.name for r in registers] == common + more
        assert not {"s_iv_i", "s_tag_i", "key_i", "unit_i"} & {pin.name for pin in core.component.pins}
