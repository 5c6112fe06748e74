"""One key-expansion unit for both directions, of every cipher: built, proven, and driven with directions that
change from block to block. A wrong choice of round keys is seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.arch.forms import held_form_of
from cipherwright.cipher import CATALOGUE, Standard
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.spec import parse
from cipherwright.target import REGISTERS
from cipherwright.verify import Bench, CoreFolder, own_vectors
from cipherwright.verify.checks import prove_rounds
from examples.present import PRESENT
from tests.conftest import QUICK_MARS, Built
from tests.faults import Fault, use
from tests.recorded import Counts
from tests.verify.test_checks import broken_file

HELD = ("key=static", "key_expansion=unit")
DES = ("des-fast", *HELD, "stages=6", "copies=0", "hops=[]")
MARS_LOOP = ("mars-small", "direction=both", "stages=3", "copies=0")
MARS_PIPELINE = ("mars-fast", *QUICK_MARS, "stages=46", "direction=both")
CIPHERS = [*(name for name, c in CATALOGUE.items() if c.key_unit), PRESENT.name]


@pytest.fixture
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, PRESENT.name, PRESENT)


@pytest.mark.parametrize("architecture", ["pipelined", "iterative"])
@pytest.mark.parametrize("name", CIPHERS)
def test_every_cipher_is_built(name: str, architecture: str, present: None) -> None:
    """A build compares both directions with the description."""
    cipher = CATALOGUE[name]
    options = {"cipher": name, "key_bits": cipher.key_sizes[0], "architecture": architecture, "stages": 1}
    held = {"key": "static", "key_expansion": "unit", "direction": "both"}
    core = generate(parse({"name": f"{name}-both", **options, **held}))
    assert isinstance(core, Core) and core.key_unit is not None and core.ports.decrypt


@pytest.mark.parametrize(
    ("name", "one"),
    [("des", True), ("mars", True), ("khazad", True), ("sm4", True), ("aes", False), ("misty1", False)],
)
def test_one_network_where_decryption_takes_the_same_steps(name: str, one: bool) -> None:
    cipher = CATALOGUE[name]
    assert isinstance(cipher, Standard)
    assert held_form_of(cipher, cipher.key_sizes[0]).one_network == one


def mixed(folder: CoreFolder) -> int:
    """The published answers of each key, encrypted and decrypted in turn without a pause; how many are
    wrong.
    """
    p = folder.record["parameters"]
    bench, wrong = Bench.compile(folder.sources, folder.record), 0
    vectors = [v for v in own_vectors(p["cipher"]) if len(v.key) * 8 == p["key_bits"] and v.iterations == 1]
    size, ways = p["block_bits"] // 8, np.tile(np.array([0, 1], dtype=np.uint8), 40)
    keys, pairs = [v.key for v in vectors], [(v.pt[:size], v.ct[:size]) for v in vectors]
    assert len(set(keys)) > 1

    def rows(texts: list[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
        return np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(len(texts), -1)

    groups = [rows([pair[way] for way in ways]) for pair in pairs]
    done = bench.in_turn(rows(keys), [ways] * len(groups), groups)
    for pair, traffic in zip(pairs, done, strict=True):
        wrong += int((traffic.blocks != rows([pair[1 - way] for way in ways])).any(axis=1).sum())
    return wrong


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [DES, MARS_LOOP, MARS_PIPELINE], ids=" ".join)
def test_published_answers_in_directions_that_take_turns(
    variant: tuple[str, ...], built: Callable[..., Built]
) -> None:
    """Under one key after the other."""
    assert mixed(built(*variant)[1]) == 0


@pytest.mark.parametrize("variant", [DES, MARS_LOOP], ids=" ".join)
def test_flip_flops_are_the_predicted_ones(
    variant: tuple[str, ...], built: Callable[..., Built], mapped: Counts
) -> None:
    core, folder = built(*variant)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def rounds(folder: CoreFolder) -> str:
    """The proof of the rounds over any round keys."""
    parts = key_parts(parse(folder.record["parameters"]))  # type: ignore[arg-type]
    assert parts is not None
    return prove_rounds(folder, parts)


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [DES, MARS_LOOP, MARS_PIPELINE], ids=" ".join)
def test_rounds_are_proven(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    assert "for every key and block" in rounds(built(*variant)[1])


def changed(
    folder: CoreFolder, pattern: str, fault: Callable[[re.Match[str]], Fault], out: Path
) -> CoreFolder:
    """The core with a fault in what the first match of `pattern` names."""
    name = f"{folder.record['top']}.v"
    found = re.search(pattern, (folder.path / name).read_text(), re.DOTALL)
    assert found is not None
    return broken_file(folder, name, fault(found), out / "core")


@pytest.mark.long_check
def test_another_round_key_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    """Of DES, in decryption alone: the first round takes its round key of encryption."""
    folder = built(*DES)[1]
    first = r" (u_\w+) \((?:(?!;).)*\.rk15\(rk15_i\)"
    wrong = changed(folder, first, lambda m: use(f"{m[1]}.rk15", "rk15_i", "rk14_i"), tmp_path)
    with pytest.raises(CheckFailed):
        rounds(wrong)


@pytest.mark.long_check
@pytest.mark.parametrize("by_proof", [True, False], ids=["proof", "simulation"])
def test_a_number_that_does_not_turn_is_seen(
    by_proof: bool, built: Callable[..., Built], tmp_path: Path
) -> None:
    """Of MARS in a loop: decryption reads a round key by the round's number counted upwards."""
    folder = built(*MARS_LOOP)[1]
    wrong = changed(folder, r"wire (\w+) = control_5 \^ dir;", lambda m: use(m[1], "dir", "1'b0"), tmp_path)
    if by_proof:
        with pytest.raises(CheckFailed):
            rounds(wrong)
    else:
        assert mixed(wrong) > 0
