"""Checks that have nothing to check with say so; a cipher with neither vectors nor a library is compared
with its description and proven.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cipherwright.arch import describe
from cipherwright.cipher import CATALOGUE, Kind, Standard
from cipherwright.cipher.word import Word, Words, concat
from cipherwright.cli import app
from cipherwright.errors import NotChecked
from cipherwright.shell import Core
from cipherwright.spec import load
from cipherwright.verify import Bench, Verdict, oracle, verify_core
from cipherwright.verify.modes import published_messages
from cipherwright.verify.montecarlo import published_chains
from cipherwright.verify.mutate import mutate
from cipherwright.verify.reference import reference_of
from tests.conftest import Built
from tests.verify.test_checks import broken_file


def _toy_round(state: Words, k: Word) -> Words:
    left, right = state
    return right, left ^ ((right.rotl(5) ^ k) + (right & ~k))


class Toy(Standard):
    """Four Feistel rounds that nobody else has: halves of 16 bits, the round keys are the words of the
    key.
    """

    name, title, standard, block_bits, key_sizes = "toy", "Toy", "none", 32, (64,)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("round", 16, _toy_round),) * 4

    def begin(self, block: Word) -> Words:
        return block.split(2)

    def end(self, state: Words) -> Word:
        return concat(*reversed(state))

    def key_begin(self, key: Word) -> Words:
        return (key,)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return ()

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[0][63:48]

    def key_next(self, constant: Word, state: Words) -> Words:
        return (state[0].rotl(16),)

    def key_previous(self, constant: Word, state: Words) -> Words:
        return (state[0].rotr(16),)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that asks for a loop of the toy cipher, which is in the catalogue as long as the test runs."""
    monkeypatch.setitem(CATALOGUE, "toy", Toy())
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS", raising=False)
    text = (
        'cipher = "toy"\nkey_bits = 64\nblock_bits = 32\ndirection = "both"\n'
        'architecture = "iterative"\nmode = "cbc"\nstages = 2\n'
    )
    (tmp_path / "toy-loop.toml").write_text(text)
    return tmp_path / "toy-loop.toml"


def status(verdicts: list[Verdict]) -> dict[str, str]:
    return {v.check: v.status for v in verdicts}


def test_a_cipher_that_nobody_else_has(toy: Path, tmp_path: Path) -> None:
    core = tmp_path / "core"
    run = CliRunner()
    assert run.invoke(app, ["build", str(toy), "-o", str(core)]).exit_code == 0
    done = run.invoke(app, ["verify", str(core), "--json", "--blocks", "200"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["passed"] is True
    checks = {c["check"]: c for c in found["checks"]}
    unchecked = {"known answers", "known answers in bulk", "published messages", "published Monte Carlo"}
    assert {c: v["status"] for c, v in checks.items() if c in unchecked} == dict.fromkeys(
        unchecked, "not checked"
    )
    assert all(v["passed"] is True and v["status"] == "ok" for c, v in checks.items() if c not in unchecked)
    assert "random against the description" in checks
    assert "equivalence for all inputs" in checks
    assert "CIPHERWRIGHT_VECTORS names no folder" in checks["known answers"]["detail"]
    shown = run.invoke(app, ["verify", str(core), "--blocks", "200"])
    assert shown.exit_code == 0
    assert shown.stdout.count("not checked") == 4


def test_faults_of_such_a_cipher_are_seen(toy: Path, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(str(toy))
    assert isinstance(core, Core)
    wrong = broken_file(folder, "toy_loop.v", lambda text: mutate(text, "sum"), tmp_path / "b")
    failed = {v.check for v in verify_core(wrong, core.plain, 200) if not v.passed}
    assert {
        "random against the description",
        "CBC mode",
        "Monte Carlo",
        "equivalence for all inputs",
    } <= failed


def test_nothing_to_check_with_is_said(built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the folder of vectors there are no published chains; without a library there is no
    comparison with it.
    """
    core, folder = built("khazad-small", "mode=ofb")
    assert isinstance(core, Core)
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS", raising=False)
    bench = Bench.compile(folder.sources, folder.record)
    with pytest.raises(NotChecked, match="CIPHERWRIGHT_VECTORS names no folder of more"):
        published_chains(bench, folder.record["parameters"], 8)
    with pytest.raises(NotChecked, match="has no messages of khazad in OFB"):
        published_messages(bench, folder.record["parameters"])
    oracle.cipher_under.cache_clear()
    monkeypatch.setattr(
        oracle,
        "library",
        lambda file, package: (_ for _ in ()).throw(NotChecked(f"the library {file} is not installed")),
    )
    found = status(verify_core(folder, core.plain, 100))
    assert found["random against libtomcrypt"] == found["Monte Carlo"] == found["OFB mode"] == "not checked"
    assert found["known answers"] == found["equivalence for all inputs"] == "ok"


def test_the_standards_own_number_of_rounds(built: Callable[..., Built]) -> None:
    """MISTY1 with 8 rounds is MISTY1: vectors, library and modes are checked; with 4 rounds, the modes by
    the description.
    """
    assert load("misty1-small", ["rounds=8"]).rounds is None
    assert load("misty1-small", ["rounds=6"]).rounds == 6
    core, folder = built(
        "misty1-small", "rounds=8", "mode=cbc", "direction=both", "stages=2", "copies=0", "hops=[]"
    )
    assert isinstance(core, Core)
    found = status(verify_core(folder, core.plain, 100))
    assert (
        found["known answers"]
        == found["random against Botan"]
        == found["CBC mode"]
        == found["Monte Carlo"]
        == "ok"
    )
    p = load("misty1-small", ["rounds=4"]).model_dump()
    reference = reference_of(p)
    rng = np.random.default_rng(1)
    keys, blocks, ways = (
        rng.integers(0, 256, (9, 16), dtype=np.uint8),
        rng.integers(0, 256, (9, 8), dtype=np.uint8),
        rng.integers(0, 2, 9, dtype=np.uint8),
    )
    got = reference.blocks(keys, ways, blocks)
    assert [r.tobytes() for r in got] == [
        reference.bulk(k.tobytes(), b.tobytes(), bool(w)) for k, b, w in zip(keys, blocks, ways, strict=True)
    ]
    assert describe(load("misty1-small", ["rounds=4"])).outputs
