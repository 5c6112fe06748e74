"""Cores whose blocks are registers: by drivers from outside, by the checks of `verify`, and broken."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import cipherwright as cw
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core, rtl_digest
from cipherwright.spec import load, parse
from cipherwright.target import REGISTERS
from cipherwright.verify import CoreFolder
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.checks import prove_core
from cipherwright.verify.forgotten_blocks import check_zeroise_over_bus
from cipherwright.verify.register_blocks import check_register_blocks, recorded
from cipherwright.verify.register_bus import check_registers
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import compile_simulation
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import Fault, Faults, adds, all_of, always, drop, flip, takes, unreset, use, when_drop
from tests.recorded import Counts
from tests.shell.icarus import from_record, on_icarus
from tests.verify.test_checks import broken_file

BLOCKS = "interface=registers"
APB = ("des-small", BLOCKS, "control=apb")
LITE = ("des-small", BLOCKS, "control=axi-lite", "mode=ctr")
WISHBONE = ("des-small", BLOCKS, "control=wishbone", "mode=cbc", "stages=3")
TINY = ("aes-tiny", BLOCKS, "control=apb")
"""Both directions; a counter; three interleaved streams, of which blocks are one; a narrow datapath."""


def driven(made: Built, tmp_path: Path, only: str = ".*") -> tuple[int, int]:
    """(tests, failed ones) by cocotb. `only`: tests whose names match."""
    core, folder = made
    p = folder.record["parameters"]
    env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8), "AWAITED": "KEY"}
    env |= {"CONTROL": p["control"], "MAP": core.files[f"{core.top}.rdl"]}
    env |= {"COCOTB_TEST_FILTER": only, "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(folder.sources, core.top, "tests.shell.cocotb_blocks", tmp_path, env)


@from_record
@pytest.mark.parametrize("variant", [APB, LITE, WISHBONE], ids=lambda v: v[2])
def test_blocks_over_each_bus(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    assert driven(built(*variant), tmp_path) == (4, 0)


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [APB, WISHBONE], ids=lambda v: v[2])
def test_what_verify_says(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    assert "the block is right" in prove_core(folder, core.plain, None)
    assert "no command, write or result is lost" in check_register_blocks(folder)
    assert "none of" in check_zeroise_over_bus(folder)
    assert "all are cleared" in check_reset(folder)


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [APB, LITE, WISHBONE, TINY], ids=lambda v: f"{v[0]} {v[2]}")
def test_rules_hold(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert "carried out in its order or told as rejected" in check_bus_rules(built(*variant)[1])


def sweep(sources: list[Path], made: Built, folder: Path, access: str) -> tuple[int, int]:
    """(tests, failed ones) of the sweep's shortest messages, without idle cycles, in one access pattern."""
    p = made[1].record["parameters"]
    env = {"CIPHER": p["cipher"], "MODE": p["mode"], "KEY_BYTES": str(p["key_bits"] // 8), "AWAITED": "KEY"}
    env |= {"CONTROL": p["control"], "MAP": made[0].files[f"{made[0].top}.rdl"], "SWEEP": "1"}
    env |= {"COCOTB_TEST_FILTER": f"idle=never/access={access}", "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(sources, made[0].top, "tests.shell.cocotb_register_sweep", folder, env)


@pytest.mark.long_check
def test_a_key_that_takes_longer_than_a_block(built: Callable[..., Built]) -> None:
    """MARS expands a key in 3,267 cycles and takes 491 for a block, so the first one waits."""
    _, folder = built("mars-small", BLOCKS, "control=axi-lite", "mode=cbc")
    assert "no command, write or result is lost" in check_register_blocks(folder)


@from_record
def test_the_sweep_sees_what_an_order_hides(built: Callable[..., Built], tmp_path: Path) -> None:
    """A result that is given away when its last word is read: right in order, wrong in another one."""
    made = built(*APB)
    assert sweep(made[1].sources, made, tmp_path / "right", "reversed") == (1, 0)
    fault = use("data_out_read_o", "&data_out_seen_q", "data_out_seen_q[1]")
    broken = broken_file(made[1], f"{made[0].top}.v", fault, tmp_path / "broken")
    assert sweep(broken.sources, made, tmp_path / "ordered", "ordered") == (1, 0)
    assert sweep(broken.sources, made, tmp_path / "reversed", "reversed") == (1, 1)


def test_the_sweep_is_of_this_text(built: Callable[..., Built], root: Path) -> None:
    """Each core of the record went through all pairs of patterns without a failure, as it is now."""
    record = json.loads((root / "benchmarks" / "register_sweep.json").read_text())
    assert {(c.split()[1], c.rpartition("control=")[2]) for c in record} == {
        (interface, bus)
        for interface in (BLOCKS, "interface=axi-stream")
        for bus in ("axi-lite", "apb", "wishbone")
    }
    for core, found in record.items():
        assert (found["patterns"], found["failed"]) == (16, 0) and found["lengths"] == 8
        assert found["verilog"] == rtl_digest(built(*core.split())[0].files), core


RULES = [
    (APB, drop("commands:offer_o", "~result_q"), "nothing is before it"),
    (APB, drop("commands:offer_o", "~key_offer_q"), "nothing is before it"),
    (APB, drop("rejected_o", "(start_i & ~starts_o)"), "told as rejected"),
    (APB, drop("key_loads_o", "~pending_q"), "no block waits"),
    (APB, drop("pending_q", "~zeroise_i"), "no block waits"),
    (APB, drop("result_q", "~zeroise_i"), "until it has been read"),
    (APB, drop("starts_o", "written_i"), "a block is started"),
    (LITE, drop("fresh_q", "key_taken_o"), "a block is started"),
    (LITE, use("can", "~(fresh_q | key_offer_q | key_loads_o)", "~fresh_q"), "a block is started"),
    (LITE, drop("iv_taken_o", "iv_offer_q"), "with its block"),
]
"""A core, a fault, and the rule that is said to be broken."""


@pytest.mark.long_check
@pytest.mark.parametrize(("variant", "fault", "said"), RULES, ids=str)
def test_a_broken_rule_is_seen(
    variant: tuple[str, ...], fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(_broken(built(*variant), fault, tmp_path))


MAP = [
    (APB, flip("registers:read_q", "{32{read_address_i == 8'hfc}} & key_q[31:0]"), "read_q"),
    (APB, flip("registers:read_q", "{key_q[0] & (read_address_i[7:2] == 6'd3), 31'd0}"), "read_q"),
    (APB, use("registers:read_q", "read_i", "1'b1"), "read_q"),
    (APB, drop("control_zeroise_q", "write_strobe_i[0]"), "control_zeroise"),
    (APB, use("interrupt_enable_idle_q", "write_data_i[2]", "write_data_i[3]"), "interrupt_enable_idle"),
    (APB, drop("interrupt_status_key_taken_q", "interrupt_status_key_taken_i"), "interrupt_status_key_taken"),
    (APB, use("at_key_1", "write_address_i[7:2] == 6'd9", "write_address_i[6:2] == 5'd9"), "key"),
    (APB, drop("at_key_1", "~key_lock_i"), "key"),
    (APB, drop("key_there_q[7]", "~key_clear_i"), "key_there"),
    (APB, use("key_refused_o", "write_address_i[7:2] == 6'd8", "1'b0"), "key_refused_o"),
    (APB, drop("data_out_seen_q[1]", "data_out_there_i"), "data_out_seen"),
    (APB, takes("data_out_read_o", "|data_out_seen_q"), "data_out_read_o"),
    (APB, takes("data_out_read_o", "data_out_seen_q[1]"), "data_out_seen_q of .* is not 2 registers"),
    (APB, takes("control_start_o", "control_start_q & ~forget_i"), "control_start_o"),
    (LITE, unreset("registers:iv_q"), "iv"),
    (
        APB,
        all_of(
            adds("registers", "reg more_q; always @(posedge clk) more_q <= write_i & ~rst_i;"),
            flip("registers:read_q", "{31'd0, more_q}"),
        ),
        "no register more_q",
    ),
    (LITE, always("bus:address_q"), "another write_address"),
    (LITE, always("bus:strobe_q"), "another write_strobe"),
    (LITE, takes("s_axil_bresp", "2'd2"), "an error"),
    (APB, takes("bus:write_data_o", "{s_apb_pwdata[31:1], 1'b0}"), "another write_data"),
    (APB, takes("s_apb_prdata", "{read_data_i[31:1], 1'b0}"), "s_apb_prdata is not what was read"),
    (WISHBONE, takes("bus:write_strobe_o", "4'd15"), "another write_strobe"),
]
"""A core, a fault of its registers or of what is in front of them, and what is said to be another."""


@pytest.mark.long_check
@pytest.mark.parametrize(("variant", "fault", "said"), MAP, ids=str)
def test_registers_that_are_not_the_map_are_seen(
    variant: tuple[str, ...], fault: Fault | Faults, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(_broken(built(*variant), fault, tmp_path))


def _broken(made: Built, fault: Fault | Faults, tmp_path: Path) -> CoreFolder:
    core, folder = made
    return broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")


ACCESSES = [
    (drop("*.interrupt_status_rejected_i", "data_in_refused"), "a write to DATA_IN is lost"),
    (takes("data_out_read_o", "|data_out_seen_q"), "comes out wrong"),
    (always("decrypt_q"), "comes out wrong"),
    (takes("data_in_written_o", "|data_in_there_q"), "a part of a block"),
    (unreset("pending_q"), "after a reset in cycle"),
    (drop("irq_o", "(idle_happened & idle_enabled)"), "irq_o does not tell of IDLE alone"),
    (use("irq_o", "key_taken_enabled", "data_taken_enabled"), "irq_o does not tell of"),
    (takes("*.interrupt_status_idle_i", "~busy_q & busy"), "IDLE does not tell that ZEROISE has ended"),
    (drop("*.key_clear_i", "key_taken"), "KEY_WRITTEN is 1 after what was written was taken"),
    (takes("*.status_key_written_i", "written"), "STATUS is"),
]
"""A fault, and what is said then."""


@pytest.mark.long_check
@pytest.mark.parametrize(("fault", "said"), ACCESSES, ids=str)
def test_a_broken_register_is_seen(
    fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_register_blocks(_broken(built(*APB), fault, tmp_path))


CHAINED = ("des-small", "mode=cbc", "interface=axi-stream", "control=apb")
BESIDE = [
    (drop("*.key_clear_i", "key_taken"), "KEY_WRITTEN is 1 after"),
    (takes("*.status_iv_written_i", "key_written"), "STATUS is"),
    (use("irq_o", "key_taken_enabled", "iv_taken_enabled"), "irq_o does not tell of"),
    (takes("*.interrupt_status_idle_i", "~busy_q & busy"), "IDLE does not tell that ZEROISE has ended"),
]
"""Faults of the registers beside a stream, and what is said then."""


@pytest.mark.long_check
@pytest.mark.parametrize(("fault", "said"), BESIDE, ids=str)
def test_a_broken_register_beside_a_stream_is_seen(
    fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_registers(_broken(built(*CHAINED), fault, tmp_path))


COUNTED = [
    (takes("*.interrupt_status_iv_taken_i", "1'b0"), "an event is missing"),
    (drop("*.interrupt_status_rejected_i", "iv_refused"), "a write to IV is lost"),
]
"""Faults of the initial value, and what is said then."""


@pytest.mark.long_check
@pytest.mark.parametrize(("fault", "said"), COUNTED, ids=str)
def test_a_broken_initial_value_is_seen(
    fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_register_blocks(_broken(built(*LITE), fault, tmp_path))


SECRETS = [when_drop("read_q", "forget_i"), drop("*.data_in_clear_i", "zeroise")]


@pytest.mark.long_check
@pytest.mark.parametrize("fault", SECRETS, ids=str)
def test_a_register_that_remembers_is_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    with pytest.raises(CheckFailed, match="depend on what was before"):
        check_zeroise_over_bus(_broken(built(*APB), fault, tmp_path))


def test_the_worked_block_of_the_readme(built: Callable[..., Built]) -> None:
    """The table's accesses, as they are written there, give the words that it says."""
    core, folder = built(*LITE)
    text = (folder.path / "README.md").read_text()
    rows = re.findall(r"\| (write|read) \| `0x(\w+)` \| (\w+) \| `0x(\w+)` \|", text)
    assert [r[2] for r in rows].count("CONTROL") == 2
    with recorded(folder, compile_simulation(folder.sources, core.top)) as (software, _):
        driver = software.software.driver
        for kind, address, register, word in rows:
            if kind == "write":
                driver.write(int(address, 16), int(word, 16))
            elif register == "STATUS":
                while driver.read(int(address, 16)) & int(word, 16) != int(word, 16):
                    pass
            else:
                assert driver.read(int(address, 16)) == int(word, 16)


def test_the_command_line_encrypts_with_such_a_core() -> None:
    core = cw.build("des-small", interface="registers", control="wishbone")
    assert core.encrypt("133457799bbcdff1", bytes.fromhex("0123456789abcdef")).hex() == "85e813540f0ab405"


@pytest.mark.parametrize(
    ("preset", "changes", "said"),
    [
        ("aes-tiny", (BLOCKS,), "interface = registers needs control = axi-lite or apb or wishbone"),
        ("aes128-fast", (BLOCKS, "control=apb"), "interface = registers needs architecture = iterative"),
        ("aes-tiny", ("control=apb",), "control = apb needs interface = axi-stream or registers"),
    ],
)
def test_what_is_refused(preset: str, changes: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        parse(load(preset, changes).options())
    assert "\n" not in str(told.value)


STREAM = "interface=axi-stream"
MAPPED = [
    APB,
    ("des-small", BLOCKS, "control=axi-lite", "mode=cbc"),
    ("des-small", STREAM, "control=apb", "mode=ctr"),
    ("des-small", STREAM, "control=wishbone", "mode=cbc"),
    ("aes-tiny", STREAM, "control=wishbone"),
    ("aes128-cmac-small", STREAM, "control=axi-lite"),
    ("tdes-cmac-small", STREAM, "control=wishbone"),
    ("des-small", BLOCKS, "control=apb", "mode=ofb"),
    ("tdes-small", BLOCKS, "control=apb", "key=static", "key_expansion=unit"),
    ("tdes-cmac-small", BLOCKS, "control=apb", "key=static", "key_expansion=unit"),
    ("aes128-ccm-small", *LIGHT_LOOP, STREAM, "control=wishbone", "tag_bits=48"),
    ("aes128-ccm-small", *LIGHT_LOOP, BLOCKS, "control=apb", "tag_bits=32"),
]
"""All buses and kinds of cores; parity bits of a key, the direction in a mode that has one way, bits of an
expected tag behind those that are compared, bits of an address that do not count, and bits of words
that read as 0 or are equal are in no register.
"""


@pytest.mark.parametrize("variant", MAPPED, ids=" ".join)
def test_mapped_flip_flops_are_the_predicted_ones(
    variant: tuple[str, ...], built: Callable[..., Built], mapped: Counts
) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_the_whole_mapping_has_as_many(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built(*MAPPED[1])
    assert isinstance(core, Core)
    assert mapped(folder.sources, core.top, "ecp5-85k-8").ffs == core.flip_flops


def test_a_bit_that_is_read_no_more_is_counted(
    built: Callable[..., Built], tmp_path: Path, mapped: Counts
) -> None:
    core, folder = built(*MAPPED[3])
    assert isinstance(core, Core)
    wrong = broken_file(folder, f"{core.top}.v", takes("interrupt_enable_idle_q", "1'b0"), tmp_path / "b")
    assert mapped(wrong.sources, core.top, "ecp5-85k-8", REGISTERS).ffs < core.flip_flops
