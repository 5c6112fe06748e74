"""Cores whose blocks are registers: by drivers from outside, by the checks of `verify`, and broken."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import cipherwright as cw
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core
from cipherwright.spec import load, parse
from cipherwright.verify import CoreFolder
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.checks import prove_core
from cipherwright.verify.forgotten_blocks import check_zeroise_over_bus
from cipherwright.verify.register_blocks import check_register_blocks, recorded
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import compile_simulation
from tests.conftest import Built
from tests.shell.test_stream import on_icarus
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


@pytest.mark.parametrize("variant", [APB, LITE, WISHBONE], ids=lambda v: v[2])
def test_blocks_over_each_bus(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    assert driven(built(*variant), tmp_path) == (4, 0)


@pytest.mark.parametrize("variant", [APB, WISHBONE], ids=lambda v: v[2])
def test_what_verify_says(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    assert isinstance(core, Core)
    assert "the block is right" in prove_core(folder, core.plain, None)
    assert "no command, write or result is lost" in check_register_blocks(folder)
    assert "none of" in check_zeroise_over_bus(folder)
    assert "all are cleared" in check_reset(folder)


@pytest.mark.parametrize("variant", [APB, LITE, WISHBONE, TINY], ids=lambda v: f"{v[0]} {v[2]}")
def test_rules_hold(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert "carried out in its order or told as rejected" in check_bus_rules(built(*variant)[1])


RULES = [
    (APB, "& ~key_offer_q & ~inside_q & ~result_q;", "& ~key_offer_q & ~inside_q;", "nothing is before it"),
    (APB, "pending_q & ~key_offer_q & ~inside_q", "pending_q & ~inside_q", "nothing is before it"),
    (APB, "(start_i & ~starts_o)", "1'b0", "told as rejected"),
    (APB, "written_key_i & ~key_offer_q & ~pending_q;", "written_key_i & ~key_offer_q;", "no block waits"),
    (APB, "pending_q <= ~zeroise_i & (starts_o", "pending_q <= (starts_o", "no block waits"),
    (APB, "result_q <= ~zeroise_i & (done_i", "result_q <= (done_i", "until it has been read"),
    (APB, "start_i & written_i & can;", "start_i & can;", "a block is started"),
    (LITE, "fresh_q <= zeroise_i | key_taken_o |", "fresh_q <= zeroise_i |", "a block is started"),
    (LITE, "~(fresh_q | key_offer_q | key_loads_o)", "~fresh_q", "a block is started"),
    (LITE, "iv_offer_q & taken_o;", "taken_o;", "with its block"),
]  # fmt: skip
"""A core, a text in it, what stands in its place, and the rule that is said to be broken."""


@pytest.mark.parametrize(("variant", "old", "new", "said"), RULES)
def test_a_broken_rule_is_seen(
    variant: tuple[str, ...], old: str, new: str, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_bus_rules(_broken(built(*variant), old, new, tmp_path))


def _broken(made: Built, old: str, new: str, tmp_path: Path) -> CoreFolder:
    core, folder = made
    name = f"{core.top}.v"
    assert core.files[name].count(old) == 1
    return broken_file(folder, name, lambda t: t.replace(old, new), tmp_path / "b")


ACCESSES = [
    ("rejected | key_refused | data_in_refused", "rejected | key_refused", "a write to DATA_IN is lost"),
    ("data_out_read_o = &data_out_seen_q;", "data_out_read_o = |data_out_seen_q;", "comes out wrong"),
    ("if (starts) decrypt_q <= decrypt;", "decrypt_q <= decrypt;", "comes out wrong"),
    ("data_in_written_o = &data_in_there_q;", "data_in_written_o = |data_in_there_q;", "a part of a block"),
    ("pending_q <= 1'b0;", "", "after a reset in cycle"),
]  # fmt: skip
"""A text of the core, what stands in its place, and what is said then."""


@pytest.mark.parametrize(("old", "new", "said"), ACCESSES)
def test_a_broken_register_is_seen(
    old: str, new: str, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match=said):
        check_register_blocks(_broken(built(*APB), old, new, tmp_path))


SECRETS = [
    ("read_i | forget_i) read_q", "read_i) read_q"),
    (".data_in_clear_i(zeroise | taken)", ".data_in_clear_i(taken)"),
]


@pytest.mark.parametrize(("old", "new"), SECRETS)
def test_a_register_that_remembers_is_seen(
    old: str, new: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    with pytest.raises(CheckFailed, match="depend on what was before"):
        check_zeroise_over_bus(_broken(built(*APB), old, new, tmp_path))


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
