"""Cores of whole messages whose words are registers: by drivers from outside, by the checks of `verify`, and
broken.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core, read_map, registers_of
from cipherwright.spec import load, parse
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.forgotten_blocks import check_zeroise_over_bus
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.netlist import read_netlist
from cipherwright.verify.register_words import check_register_words, check_words, recorded_words
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import compile_simulation
from cipherwright.verify.word_rules import check_word_commands
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import Fault, drop, takes, use, when
from tests.recorded import Counts
from tests.shell.chosen_faults import faulty_bench
from tests.shell.icarus import from_record
from tests.shell.test_message_registers import driven
from tests.verify.test_checks import broken_file

WORDS = "interface=registers"
TAGS = ("aes128-cmac-small", *LIGHT_LOOP, "tag_bits=32", WORDS, "control=wishbone")
HALVES = ("des-small", "mode=cmac", "direction=encrypt", WORDS, "control=apb")
NONCES = ("aes128-ccm-small", *LIGHT_LOOP, WORDS, "control=apb")
PACKETS = ("aes-gcm-small", *LIGHT_LOOP, "release=verdict", "release_words=32", WORDS, "control=axi-lite")
IVS = ("aes-gcm-small", *LIGHT_LOOP, "iv_bits=any", "tag_bits=96", WORDS, "control=wishbone")
PLACES = (
    *("aes128-xts-small", *LIGHT_LOOP, "stages=3", "delay_lines=ff", "direction=encrypt"),
    *("distinct_halves=true", WORDS, "control=apb"),
)
"""Units in a loop of three places."""
UNITS = ("aes128-xts-small", *LIGHT_LOOP, "direction=both", "distinct_halves=true", WORDS, "control=apb")


IN_AES = [
    ("aes128-cmac-small", WORDS, "control=axi-lite"),
    ("aes128-ccm-small", WORDS, "control=wishbone"),
    ("aes-gcm-small", WORDS, "control=apb"),
    ("aes-tiny", "mode=xts", "stages=1", WORDS, "control=wishbone"),
]
"""Of the cipher that the drivers compare with an independent library."""


@from_record
@pytest.mark.parametrize("variant", IN_AES, ids=lambda v: f"{v[0]} {v[-1]}")
def test_words_by_drivers_from_outside(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert driven(built(*variant), tmp_path, "tests.shell.cocotb_register_words") == (2, 0)


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [TAGS, HALVES, PACKETS, IVS], ids=lambda v: f"{v[0]} {v[-1]}")
def test_what_verify_says(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    folder = built(*variant)[1]
    assert "18 messages in words over" in check_register_words(folder)
    assert "all are cleared" in check_reset(folder)


def test_rules_hold_and_nothing_is_remembered(built: Callable[..., Built]) -> None:
    folder = built(*TAGS)[1]
    said = check_bus_rules(folder)
    assert "carried out in its order or told as rejected" in said
    assert "streams behind the registers, 2 outputs of valid and ready depend on registers only" in said
    assert "none of" in check_zeroise_over_bus(folder)


FAULTS = {
    "a word of a result is lost that is read late": takes("commands:data_take_o", "1'b1"),
    "a word is taken twice": use("commands:pending_q", "~taken_o", "~(taken_o & open_q)"),
    "no word is the last": takes("s_axis_tlast", "1'b0"),
    "all bytes of a word count": takes("s_axis_tkeep", "16'hffff"),
    "what CONTROL says later counts": takes("s_axis_tuser", "{word_aad, word_decrypt}"),
    "a tag is there before it comes": takes("u_registers.tag_out_load_i", "1'b1"),
    "the key can be read": takes(
        "registers:read_data_o", "read_q | (read_address_i[7:2] == 6'd8 ? key_q[31:0] : 32'd0)"
    ),
    "a word without a key": use("commands:can", "(keyed_q | key_offer_i | key_loads_i)", "1'b1"),
    "a key passes a word that waits": drop("key_offer_q", "~pending"),
    "a part of a word": takes("whole", "1'b1"),
    "a write to a word that waits is not told": drop(
        "u_registers.interrupt_status_rejected_i", "data_in_refused"
    ),
    "READY while a word waits": takes("u_registers.status_ready_i", "1'b1"),
    "the last word is not told": takes("u_registers.result_data_last_i", "1'b0"),
    "every tag is good": takes("u_registers.result_good_i", "1'b1"),
    "a result stays when ZEROISE comes": drop("commands:data_q", "~zeroise_i"),
}
"""Faults of words of packets."""

OF_UNITS = {
    "a number before the key that came first": takes("xts_small:u_core.unit_valid_i", "unit_offer_q"),
    "an empty word": drop("whole", "(~(word_bytes == 5'd0))"),
    "a unit without a whole word": drop("whole", "(~(word_bytes < 5'd16) | open)"),
}
"""Faults of words of units."""


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("variant", "faults"), [(NONCES, FAULTS), (UNITS, OF_UNITS)], ids=["packets", "units"]
)
def test_a_fault_is_seen(
    variant: tuple[str, ...], faults: dict[str, Fault], built: Callable[..., Built], tmp_path: Path
) -> None:
    """What is right passes, and each fault is seen; the core is compiled once with all of them in it."""
    core, folder = built(*variant)
    bench = faulty_bench(
        AxiMessageBench, (core, folder), faults.values(), ("commands", "registers"), tmp_path
    )
    source = core.files[f"{core.top}.rdl"]
    assert "no command, word, result or tag is lost" in check_words(bench(-1), source)
    for number, fault in enumerate(faults):
        with pytest.raises(CheckFailed):
            pytest.fail(f"{fault}: {check_words(bench(number), source)}")


RULES = [
    (takes("commands:taken_o", "offer_o"), "taken when the core takes it"),
    (drop("commands:offer_o", "(open_q | ~key_offer_i)"), "no key is before it"),
    (drop("commands:starts_o", "whole_i"), "when it and its message are there"),
    (drop("commands:can", "~pending_q"), "when it and its message are there"),
    (takes("commands:rejected_o", "1'b0"), "told as rejected"),
    (takes("commands:can_o", "~pending_q"), "READY tells what START does"),
    (drop("commands:tag_q", "~tag_seen_i"), "until it has been read"),
    (takes("commands:tag_take_o", "1'b1"), "taken when none waits"),
    (drop("commands:tag_load_o", "~tag_q"), "kept once it is taken"),
    (drop("commands:open_q", "~zeroise_i"), "until its last word is taken"),
]
"""A fault of the commands, and the rule that is said to be broken."""


@pytest.mark.parametrize(("fault", "said"), RULES, ids=str)
def test_a_broken_rule_is_seen(fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*TAGS)
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=said):
        check_word_commands(read_netlist(wrong.sources, f"{core.top}_commands", "clk"), units=False)


def test_a_register_that_remembers_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*TAGS)
    fault = drop("*.data_in_clear_i", "zeroise")
    with pytest.raises(CheckFailed, match="depend on what was before"):
        check_zeroise_over_bus(broken_file(folder, f"{core.top}.v", fault, tmp_path / "b"))


def test_nothing_is_left_where_halves_of_keys_are_compared(built: Callable[..., Built]) -> None:
    """The halves differ in a known bit, so it is known whether a unit is in the loop."""
    assert "none of" in check_zeroise_over_bus(built(*PLACES)[1])


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("cipherwright_loop_xts.sv", when("text_q", "drop_i", "1'b0")),
        ("", drop("*.key_clear_i", "zeroise")),
        ("", drop("*.data_in_clear_i", "zeroise")),
    ],
    ids=["a unit", "a key", "a word"],
)
def test_what_is_left_where_halves_are_compared_is_seen(
    file: str, fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*PLACES)
    with pytest.raises(CheckFailed, match="depend on what was before"):
        check_zeroise_over_bus(broken_file(folder, file or f"{core.top}.v", fault, tmp_path / "b"))


@pytest.mark.parametrize("variant", [TAGS, NONCES, IVS, UNITS], ids=lambda v: f"{v[0]} {v[-1]}")
def test_the_worked_message_of_the_readme(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """The table's accesses give the words that it says, and the function in C is one for a compiler."""
    core, folder = built(*variant)
    text = (folder.path / "README.md").read_text()
    rows = re.findall(r"\| (write|read) \| `0x(\w+)` \| (\w+) \| `0x(\w+)` \|", text)
    assert {"DATA_IN", "STATUS", "CONTROL", "TAG_OUT" if variant != UNITS else "DATA_OUT"} <= {
        r[2] for r in rows
    }
    registers = {r.name: r for r in registers_of(read_map(core.files[f"{core.top}.rdl"]))}
    bench = AxiMessageBench(compile_simulation(folder.sources, core.top), folder.record)
    with recorded_words(bench, registers) as (software, _):
        driver = software.software.driver
        for kind, address, register, word in rows:
            if kind == "write":
                driver.write(int(address, 16), int(word, 16))
            elif register == "STATUS":
                software.until(lambda at=address, w=word: driver.read(int(at, 16)) & int(w, 16) != 0)
            else:
                assert driver.read(int(address, 16)) == int(word, 16)
        assert not software.rejected()
    (tmp_path / "message.c").write_text(re.findall(r"```c\n(.*?)```", text, re.DOTALL)[0])
    (tmp_path / f"{core.top}_registers.h").write_text(core.files[f"{core.top}_registers.h"])
    done = subprocess.run(
        ["cc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only", "message.c"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_map_of_each_kind(built: Callable[..., Built]) -> None:
    """What each kind of message has in registers, and that nothing but the bus is at ports."""
    common = ["VERSION", "CAPABILITIES", "CONTROL", "STATUS", "INTERRUPT_STATUS", "INTERRUPT_ENABLE"]
    kinds = (
        (TAGS, ["KEY", "DATA_IN", "TAG_OUT"], 1),
        (
            NONCES,
            ["RESULT", "KEY", "IV", "AAD_BYTES", "DATA_BYTES", "DATA_IN", "TAG", "DATA_OUT", "TAG_OUT"],
            4,
        ),
        (IVS, ["RESULT", "KEY", "IV", "DATA_IN", "TAG", "DATA_OUT", "TAG_OUT"], 3),
        (UNITS, ["RESULT", "KEY", "UNIT", "DATA_IN", "DATA_OUT"], 0),
    )
    for variant, more, tag_words in kinds:
        core = built(*variant)[0]
        registers = registers_of(read_map(core.files[f"{core.top}.rdl"]))
        assert [r.name for r in registers] == common + more
        assert [r.count for r in registers if r.name == "TAG_OUT"] == [tag_words] * (tag_words > 0)
        buses = ("s_axil_", "s_apb_", "wb_")
        others = {pin.name for pin in core.component.pins if not pin.name.startswith(buses)}
        assert others == {"clk", "rst_i", "irq_o"}
        fields = {f"{r.name}.{f.name}": f.low for r in registers for f in r.fields}
        assert ("CONTROL.AAD" in fields) == (variant in (NONCES, IVS))
        assert ("CONTROL.IV_WORD" in fields) == (variant == IVS)
        assert ("CONTROL.DECRYPT" in fields) == (variant != TAGS)
        assert ("RESULT.GOOD" in fields) == (variant in (NONCES, IVS))
        assert fields["CONTROL.BYTES"] == 16


def test_predicted_flip_flops_are_the_mapped_ones(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built(*TAGS)
    assert isinstance(core, Core)
    assert mapped(folder.sources, core.top, "ecp5-85k-8").ffs == core.flip_flops


@pytest.mark.parametrize(
    ("preset", "changes", "said"),
    [
        ("aes128-gcm", (WORDS, "control=apb"), "interface = registers needs architecture = iterative"),
        ("aes128-xts", (WORDS, "control=apb"), "interface = registers needs architecture = iterative"),
        ("aes128-ccm-small", (WORDS,), "interface = registers needs control = axi-lite or apb or wishbone"),
        (
            "aes128-ccm-small",
            (WORDS, "control=apb", "tid_bits=2"),
            "tid_bits = 2 needs interface = axi-stream",
        ),
    ],
)
def test_what_is_refused(preset: str, changes: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        parse(load(preset, changes).options())
    assert "\n" not in str(told.value)
