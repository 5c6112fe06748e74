"""Loops that read round keys by address, of every cipher; a wrong address or an old key is seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core, save
from cipherwright.spec import Spec, parse
from cipherwright.verify import CoreFolder
from cipherwright.verify.checks import prove_rounds, prove_unit, run_vectors
from cipherwright.verify.drive import Bench
from examples.present import PRESENT
from tests.faults import Fault, only, use
from tests.verify.test_checks import broken_file

BUILDS = [
    ("aes", 128, "both", 2, 1),
    ("aes", 192, "decrypt", 1, 3),
    ("camellia", 128, "both", 1, 5),
    ("des", 64, "both", 2, 3),
    ("khazad", 128, "both", 2, 1),
    ("misty1", 128, "both", 2, 1),
    ("present", 80, "decrypt", 3, 1),
    ("sm4", 128, "decrypt", 1, 5),
    ("tdes", 192, "both", 1, 1),
]
"""Cipher, bits of its key, direction, stages, rounds in a cycle."""


def spec_of(cipher: str, key_bits: int, direction: str, stages: int, rounds: int, **more: Any) -> Spec:
    loop = {"architecture": "iterative", "stages": stages, "rounds_per_cycle": rounds}
    held = {"key": "static", "key_expansion": "unit"}
    name = {"name": f"{cipher}-read", "cipher": cipher, "key_bits": key_bits, "direction": direction}
    return parse({**name, **loop, **held, **more})


@pytest.fixture
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, "present", PRESENT)


@pytest.mark.parametrize("form", BUILDS, ids=lambda f: "-".join(map(str, f)))
def test_every_cipher_is_built(form: tuple[str, int, str, int, int], present: None) -> None:
    """A build compares the loop and its unit with the description."""
    core = generate(spec_of(*form))
    assert isinstance(core, Core) and core.key_unit is not None and core.key_unit.memory is not None
    memory = core.key_unit.memory
    assert memory.reads == form[4] and memory.late == (form[3] > 1)
    assert {memory.number(memory.address(n)) for n in range(memory.count)} == set(range(memory.count))


@pytest.fixture(scope="module")
def des(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spec, CoreFolder]:
    """Decryption by DES with two slots."""
    spec, path = spec_of("des", 64, "decrypt", 2, 1), tmp_path_factory.mktemp("read") / "core"
    core = generate(spec)
    assert isinstance(core, Core)
    save(core, path)
    return spec, CoreFolder.open(path)


def broken(folder: CoreFolder, fault: Fault, out: Path) -> CoreFolder:
    """The core with one thing changed."""
    return broken_file(folder, f"{folder.record['top']}.v", fault, out)


def test_rounds_and_unit_are_proven(des: tuple[Spec, CoreFolder]) -> None:
    spec, folder = des
    parts = key_parts(spec)  # type: ignore[arg-type]
    assert parts is not None
    assert "for every key and block after every history" in prove_rounds(folder, parts)
    assert "all 16 round keys are there" in prove_unit(folder, parts)


def test_known_answers(des: tuple[Spec, CoreFolder]) -> None:
    folder = des[1]
    assert "known answers" in run_vectors(Bench.compile(folder.sources, folder.record), folder)


def test_a_wrong_address_is_seen(des: tuple[Spec, CoreFolder], tmp_path: Path) -> None:
    """In one iteration of a slot the loop reads another round key."""
    spec, folder = des
    parts = key_parts(spec)  # type: ignore[arg-type]
    text = (folder.path / f"{folder.record['top']}.v").read_text()
    first = re.search(r"assign address0_o = \{(\w+)", text)
    assert parts is not None and first is not None
    wrong = broken(folder, use("address0_o", first[1], "1'b0"), tmp_path / "core")
    with pytest.raises(CheckFailed):
        prove_rounds(wrong, parts)


@pytest.mark.parametrize(
    "fault",
    [
        use("write", "tag != 5'd0", "tag != 5'd0 & tag != 5'd3"),
        use("place", "tag[3:0]", "tag[3:0] | 4'd1"),
        only("data", "~key_valid_i"),
    ],
    ids=["a word of the key before", "another place", "another key that is offered"],
)
def test_a_wrong_unit_is_seen(fault: Fault, des: tuple[Spec, CoreFolder], tmp_path: Path) -> None:
    spec, folder = des
    parts = key_parts(spec)  # type: ignore[arg-type]
    assert parts is not None
    with pytest.raises(CheckFailed):
        prove_unit(broken(folder, fault, tmp_path / "core"), parts)


def test_what_such_a_loop_is_not() -> None:
    with pytest.raises(UserError, match="datapath_bits = 32 needs key_expansion = logic"):
        spec_of("aes", 128, "encrypt", 2, 1, datapath_bits=32)
