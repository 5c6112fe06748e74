"""Registers around GCM, CCM, XTS and CMAC: drivers, `verify`, rules of the buses, faults, and flip-flops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.shell import read_map, registers_of
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.message_registers import check_message_registers, check_messages
from cipherwright.verify.reset import check_reset
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, QUICK_XTS, Built
from tests.faults import Fault, drop, takes, use, when_drop
from tests.recorded import judged
from tests.shell.chosen_faults import faulty_bench
from tests.shell.icarus import from_record, on_icarus
from tests.verify.test_checks import broken_file

BUS = "interface=axi-stream"
TAGS = ("aes128-cmac-small", *LIGHT_LOOP, BUS, "control=axi-lite")
PACKETS = ("aes-gcm-small", *LIGHT_LOOP, BUS, "control=apb")
NONCES = ("aes128-ccm-small", *LIGHT_LOOP, BUS, "control=axi-lite")
"""The lengths of a packet are registers, too."""

SHORT = ("aes128-ccm-small", *LIGHT_LOOP, BUS, "nonce_bytes=7", "release=verdict", "control=wishbone")
"""The length of the data has four bytes, and words of a decrypted packet wait for its verdict."""

IVS = ("aes-gcm-small", *LIGHT_LOOP, BUS, "iv_bits=any", "control=wishbone")
UNITS = (*LIGHT_XTS[:-1], BUS, "control=wishbone")
SLOTS = (*LIGHT_GCM, "stages=16", "key_slots=2", BUS, "control=axi-lite")
"""Two keys are resident: CONTROL says which slot a key is for."""

UNIT_SLOTS = (*LIGHT_XTS[:-1], "key_slots=2", BUS, "control=wishbone")
"""And a unit's number comes with the slot of its key."""

RUNS = (*LIGHT_XTS[:-1], "unit_numbers=counted", BUS, "control=apb")
"""Runs of units are announced, whose lengths are in a register."""


def driven(
    made: Built, tmp_path: Path, bench: str = "tests.shell.cocotb_message_registers"
) -> tuple[int, int]:
    """(tests, failed ones) by cocotb."""
    core, folder = made
    p = folder.record["parameters"]
    env = {"MODE": p["mode"], "CONTROL": p["control"], "MAP": core.files[f"{core.top}.rdl"]}
    env |= {"CIPHER": p["cipher"], "KEY_BYTES": "16", "AWAITED": "KEY UNIT", "COCOTB_LOG_LEVEL": "ERROR"}
    return on_icarus(folder.sources, core.top, bench, tmp_path, env)


IN_AES = [
    ("aes128-cmac-small", BUS, "control=axi-lite"),
    ("aes-gcm-small", BUS, "control=apb"),
    ("aes128-ccm-small", BUS, "control=axi-lite"),
    (*QUICK_XTS[:-1], BUS, "control=wishbone"),
]
"""Of the cipher that the drivers compare with an independent library."""


@from_record
@pytest.mark.parametrize("variant", IN_AES, ids=lambda v: f"{v[0]} {v[-1]}")
def test_registers_by_drivers_from_outside(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert driven(built(*variant), tmp_path) == (2, 0)


@pytest.mark.parametrize("variant", [TAGS, PACKETS, IVS, IVS[:-1]], ids=lambda v: f"{v[0]} {v[-1]}")
def test_of_what_ready_is_made(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """README.md says the same as the rule that is proven: TUSER tells a word of an IV, which needs none."""
    folder = built(*variant)[1]
    by_user = variant == IVS
    said = (folder.path / "README.md").read_text()
    assert by_user == ("s_axis_tready is made of registers and of what s_axis_tuser says of the beat" in said)
    assert by_user != ("Ready outputs depend on registers only." in said)
    assert by_user == ("s_axis_tready also on s_axis_tuser" in check_bus_rules(folder))


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [TAGS, PACKETS, SHORT, IVS], ids=lambda v: f"{v[0]} {v[-1]}")
def test_what_verify_says(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    folder = built(*variant)[1]
    assert "an offer stays until it is taken" in check_bus_rules(folder)
    assert "all are cleared" in check_reset(folder)
    assert "26 messages under keys written over" in check_message_registers(folder)


FAULTS = [
    (TAGS, drop("key_offer_q", "key_written")),
    (TAGS, takes("u_registers.key_clear_i", "zeroise")),
    (PACKETS, takes("key_offer_q", "~zeroise & ((load_key & key_written) | (key_offer_q & ~key_taken))")),
    (PACKETS, takes("may", "1'b1")),
    (PACKETS, use("tag_given", "tag_words[7:0]", "tag_words[15:8]")),
    (PACKETS, takes("iv_taken", "beat & s_axis_tlast")),
    (PACKETS, takes("u_core.s_tag_i", "tag_given")),
    (PACKETS, when_drop("fresh_q", "zeroise")),
    (PACKETS, takes("u_registers.interrupt_status_wrong_tag_i", "leaves & m_tag_tuser[0]")),
    (IVS, drop("iv_taken", "~hashed_q")),
]
"""A core and a fault of its registers: a key is loaded before it is complete, stays, or is offered once more
when it is gone; a packet begins without an IV, its tag has another order, its IV is taken late, the tag of
the next one counts, ZEROISE leaves a packet open, a right tag is told as wrong, and an IV in words takes the
one in the register.
"""


@pytest.mark.parametrize(("variant", "fault"), FAULTS, ids=str)
def test_a_fault_is_seen(
    variant: tuple[str, ...], fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed):
        check_message_registers(wrong)


OF_SLOTS = {
    "dropped": takes("gcm:u_core.load_slot_i", "1'b0"),
    "changes with CONTROL": takes("gcm:u_core.load_slot_i", "key_slot"),
    "changes while the key waits": when_drop("key_slot_q", "~key_offer_q"),
}
"""Faults of the slot of a key."""

OF_UNIT_SLOTS = {
    "dropped": takes("both:u_core.key_slot_i", "1'b0"),
    "changes with CONTROL": takes("both:u_core.key_slot_i", "unit_slot"),
    "changes while the number waits": when_drop("unit_slot_q", "~unit_offer_q"),
    "of the key": takes("both:u_core.key_slot_i", "key_slot_q"),
}
"""Faults of the slot of a unit's key."""

OF_LENGTHS = {
    "length of other packets": takes("u_core.s_aad_bytes_i", "32'd0"),
    "bytes of the data in another order": takes(
        "u_core.s_data_bytes_i", "{data_bytes_words[7:0], data_bytes_words[15:8]}"
    ),
    "a nonce without a length": drop("iv_offer_q", "aad_bytes_written"),
    "a nonce without the other one": drop("iv_offer_q", "data_bytes_written"),
    "stays for the next packet": takes("u_registers.aad_bytes_clear_i", "zeroise"),
    "gone before its packet begins": takes("u_registers.data_bytes_clear_i", "zeroise | load_iv"),
    "stays when ZEROISE comes": takes("u_registers.data_bytes_clear_i", "begins"),
    "changes while the nonce waits": takes("u_registers.aad_bytes_lock_i", "1'b0"),
    "not told as written": takes("u_registers.status_data_bytes_written_i", "1'b0"),
    "another key within a packet": use("loop_ccm:inside_q", "~last_i", "1'b0"),
    "a byte of the nonce": use("u_core.s_iv_i", "iv_words[103:96]", "iv_words[7:0]"),
}
"""Faults of the lengths and the nonce of a packet, and a key that does not wait for its end."""

INSIDE = ("axis", "buffered", "control", "ccm", "loop_ccm")
"""Modules between the registers and the mode of CCM."""

OF_RUNS = {
    "dropped": takes("both:u_core.unit_more_i", "32'd0"),
    "another order": takes("both:u_core.unit_more_i", "{unit_more_words[7:0], unit_more_words[31:8]}"),
    "stays for the next number": takes("u_registers.unit_more_clear_i", "zeroise"),
    "gone before its number is taken": takes("u_registers.unit_more_clear_i", "zeroise | load_unit"),
    "stays when ZEROISE comes": takes("u_registers.unit_more_clear_i", "unit_taken"),
    "goes with the number before": takes("u_registers.unit_more_lock_i", "1'b0"),
    "not told as written": takes("u_registers.status_unit_more_written_i", "1'b0"),
}
"""Faults of the length of a run."""


@from_record
@pytest.mark.parametrize(
    ("variant", "faults", "said"),
    [
        (NONCES, OF_LENGTHS, "2 packets whose nonce waits for their lengths"),
        (SLOTS, OF_SLOTS, "21 packets under the keys of two"),
        (RUNS, OF_RUNS, "48 units in runs and alone"),
        (UNIT_SLOTS, OF_UNIT_SLOTS, "22 units under the keys of two"),
    ],
    ids=["lengths", "two keys", "runs", "units under two keys"],
)
def test_lengths_two_keys_and_runs(
    variant: tuple[str, ...],
    faults: dict[str, Fault],
    said: str,
    built: Callable[..., Built],
    tmp_path: Path,
) -> None:
    """What is right passes, and each fault is seen; the core is compiled once with all of them in it."""
    core, folder = built(*variant)

    def judge() -> list[str]:
        bench = faulty_bench(AxiMessageBench, (core, folder), faults.values(), INSIDE, tmp_path)
        source = core.files[f"{core.top}.rdl"]
        for number, fault in enumerate(faults):
            with pytest.raises(CheckFailed):
                pytest.fail(f"{fault}: {check_messages(bench(number), source)}")
        return [check_bus_rules(folder), check_reset(folder), check_messages(bench(-1), source)]

    rules, reset, right = judged(folder, [*INSIDE, *map(str, faults.values())], judge)
    assert "an offer stays until it is taken" in rules
    assert "all are cleared" in reset
    assert said in right


@pytest.mark.long_check
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
    kinds = (
        (TAGS, []),
        (PACKETS, ["IV", "TAG"]),
        (SLOTS, ["IV", "TAG"]),
        (NONCES, ["IV", "AAD_BYTES", "DATA_BYTES", "TAG"]),
        (SHORT, ["IV", "AAD_BYTES", "DATA_BYTES", "TAG"]),
        (UNITS, ["UNIT"]),
        (UNIT_SLOTS, ["UNIT"]),
        (RUNS, ["UNIT", "UNIT_MORE"]),
    )
    for variant, more in kinds:
        core = built(*variant)[0]
        registers = registers_of(read_map(core.files[f"{core.top}.rdl"]))
        assert [r.name for r in registers] == common + more
        ports = {"s_iv_i", "s_tag_i", "key_i", "load_slot_i", "unit_i", "unit_more_i", "key_slot_i"}
        ports |= {"s_aad_bytes_i", "s_data_bytes_i"}
        assert not ports & {pin.name for pin in core.component.pins}
        fields = {f"{r.name}.{f.name}": f.low for r in registers for f in r.fields}
        assert (fields.get("CONTROL.KEY_SLOT") == 5) == (variant in (SLOTS, UNIT_SLOTS))
        assert (fields.get("CONTROL.UNIT_SLOT") == 6) == (variant == UNIT_SLOTS)
        assert (fields.get("STATUS.UNIT_MORE_WRITTEN") == 6) == (variant == RUNS)
        assert [r.address for r in registers if r.name == "UNIT_MORE"] == [0x70] * (variant == RUNS)
        lengths = {r.name: (r.address, r.fields[0].width) for r in registers if r.name.endswith("_BYTES")}
        data = {NONCES: 16, SHORT: 32}.get(variant)
        assert lengths == ({"AAD_BYTES": (0x70, 32), "DATA_BYTES": (0x74, data)} if data else {})
