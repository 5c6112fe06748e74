"""Cores of any cipher that is described as its standard: every architecture and direction, proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.modes import CHAIN_MODES
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core, save
from cipherwright.spec import parse
from cipherwright.verify import CoreFolder, verify_core
from cipherwright.verify.checks import prove_core
from examples.present import PRESENT
from tests.faults import flip
from tests.recorded import judged
from tests.verify.test_checks import broken_file

FORMS: dict[str, dict[str, object]] = {
    "pipeline": {"architecture": "pipelined", "stages": 16},
    "pipeline-decrypt": {"architecture": "pipelined", "stages": 8, "direction": "decrypt"},
    "held-key": {"architecture": "pipelined", "stages": 16, "key": "static", "key_expansion": "unit"},
    "held-key-encrypt": {
        "architecture": "pipelined",
        "stages": 8,
        "direction": "encrypt",
        "key": "static",
        "key_expansion": "unit",
    },
    "loop": {"architecture": "iterative", "stages": 1},
    "loop-5-a-cycle": {"architecture": "iterative", "stages": 2, "rounds_per_cycle": 5},
    "loop-decrypt": {"architecture": "iterative", "stages": 1, "direction": "decrypt", "mode": "cbc"},
    "loop-ofb": {"architecture": "iterative", "stages": 2, "direction": "both", "mode": "ofb"},
}
"""Ways to build a cipher; direction both where nothing is said."""
QUICK = ("pipeline-decrypt", "held-key", "held-key-encrypt", "loop-decrypt")


@pytest.fixture
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "present", PRESENT)


def made(cipher: str, key_bits: int, form: str, folder: Path) -> tuple[Core, CoreFolder]:
    spec = parse({"name": f"{cipher}-{form}", "cipher": cipher, "key_bits": key_bits, **FORMS[form]})
    core = generate(spec)
    assert isinstance(core, Core)
    save(core, folder)
    return core, CoreFolder.open(folder)


@pytest.mark.parametrize("form", FORMS)
def test_present_in_every_form(form: str, present: None, tmp_path: Path) -> None:
    """Built, which compares it with the description, and proven where that is quick."""
    core, folder = made("present", 80, form, tmp_path / "core")
    if form in QUICK:
        assert "every key and block" in prove_core(folder, core.plain, key_parts(parse(core.parameters)))


def test_all_checks_of_a_cipher_outside_the_package(present: None, tmp_path: Path) -> None:
    core, folder = made("present", 80, "loop-decrypt", tmp_path / "core")
    verdicts = verify_core(folder, core.plain, 200)
    assert all(v.passed for v in verdicts), [v for v in verdicts if not v.passed]
    assert {"random against the description", "equivalence for all inputs", "protocol", "reset"} <= {
        v.check for v in verdicts if v.status == "ok"
    }


@pytest.mark.recorded
def test_a_loop_of_camellia_is_proven(tmp_path: Path) -> None:
    """The loop of SM4 is proven as a preset, sm4-small (tests/verify/test_checks.py)."""
    core, folder = made("camellia", 128, "loop-5-a-cycle", tmp_path / "core")
    said = judged(folder, ["proof"], lambda: prove_core(folder, core.plain, None))
    assert "every key and block" in said


@pytest.mark.parametrize("word", ["CONTROL0_4", "CONTROL0_1", "WAITS_0"])
def test_faults_of_the_loop_are_seen(word: str, present: None, tmp_path: Path) -> None:
    """An entry of a control word's table, the other way: a wrong round counter; a step of the key schedule
    that does not run back; a block that does not wait for its keys.
    """
    core, folder = made("present", 80, "loop-decrypt", tmp_path / "core")

    fault = flip(f"{word}_LUT", "64'd1 << 56")
    wrong = broken_file(folder, f"{folder.record['top']}.v", fault, tmp_path / "wrong")
    with pytest.raises(CheckFailed):
        prove_core(wrong, core.plain, None)


def test_what_a_loop_cannot_do_is_said(present: None) -> None:
    data = {"name": "p", "cipher": "present", "key_bits": 80, "architecture": "iterative", "stages": 1}
    with pytest.raises(UserError, match="a loop of present has 1 to 32 steps a cycle"):
        generate(parse({**data, "rounds_per_cycle": 33}))


@pytest.mark.parametrize("mode", ("ecb", *CHAIN_MODES))
def test_two_blocks_in_flight_in_every_direction_and_mode(mode: str, present: None) -> None:
    """Every build compares its core with the description, on random keys and blocks. Other forms are in
    tests/verify/test_outside_forms.py.
    """
    for way in ("encrypt", "decrypt", "both"):
        form = {"architecture": "iterative", "stages": 2, "direction": way, "mode": mode}
        core = generate(parse({"name": "present", "cipher": "present", "key_bits": 80, **form}))
        assert isinstance(core, Core) and core.ports.iv == ("iv_i" if mode != "ecb" else "")
