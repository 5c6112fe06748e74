"""GCM around a loop: all checks hold on the preset, faults are seen, and what is not there is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.cli.run import execute
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.spec import load, parse
from cipherwright.target import load_target, synthesise
from cipherwright.tools import run
from cipherwright.verify import own_vectors, verify_core
from cipherwright.verify.gcm import check_packets, check_resets
from cipherwright.verify.packets import PacketBench
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out
from tests.conftest import Built
from tests.faults import drop, takes, use

from .chosen_faults import chosen, faulty_simulation

PRESET = "aes-gcm-small"

FAULTS = {
    "lengths swapped": use("lengths", "aad_words_q", "words_q"),
    "half of the tag is not compared": use("good_q", "|unequal_q", "|unequal_q[7:0]"),
    "a product begins with its second digit": use("digit_q", "loaded", "chosen"),
    "a product is a step short": use("last_step", "FINAL[COUNT-1:0]", "FINAL[COUNT-1:0] - 1'b1"),
    "what is above a block is not reduced": takes("reduced[*]", "sum_q[j]"),
    "a word before the tag of the packet before": drop("loop_gcm:ready_o", "~close_q"),
    "words come before the multiplier is free": drop("begins", "free_q"),
    "the ciphertext that is decrypted is not hashed": use("factor[*]", "came_q & ~decrypt_q", "came_q"),
    "bytes of additional data are shown": use("wait_shows_o", "~aad_q", "1'b1"),
    "the tag has the key stream of the first word": use("number_q", "32'd1", "32'd2"),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], PacketBench]:
    """The core with the fault of a number, or -1 for none."""
    core, folder = built(PRESET)
    assert isinstance(core, Core)
    simulation = faulty_simulation(
        core, FAULTS.values(), ("control", "gcm", "loop_gcm"), tmp_path_factory.mktemp("loop_gcm")
    )
    return lambda n: PacketBench(simulation, folder.record, chosen(n))


def test_all_checks_pass(
    bench: Callable[[int], PacketBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is simulated is the model that can have faults, without any."""
    core, folder = built(PRESET)
    assert isinstance(core, Core)
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    verdicts = verify_core(folder, core.plain, blocks=500, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == [
        ("files", "ok"),
        ("compile", "ok"),
        ("published packets", "ok"),
        ("random packets against OpenSSL", "ok"),
        ("resets within packets", "ok"),
        ("reset", "ok"),
        ("zeroise", "ok"),
        ("equivalence for all inputs", "ok"),
    ], [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    p = built(PRESET)[0].parameters
    with pytest.raises(CheckFailed):
        check_packets(bench(list(FAULTS).index(fault)), p, 24)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = PacketBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_resets(dead, built(PRESET)[0].parameters)


def test_a_sample_of_nist_s_vectors(bench: Callable[[int], PacketBench]) -> None:
    """Every 41st case with an IV of 96 bits under keys of 128 bits, and 40 that must fail."""
    found = {way: [c for c in cases(128, way) if not why_left_out(c, 16)] for way in FILES}
    fails = [c for c in found["decrypt"] if c.fails][:40]
    counts = run_cases(bench(-1), [*found["encrypt"][::41], *found["decrypt"][::41], *fails])
    assert counts["must fail, and fails"] >= 40
    assert counts["right"] >= 64


def test_files_through_the_command_line(
    bench: Callable[[int], PacketBench],
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    folder = str(built(PRESET)[1].path)
    v = next(v for v in own_vectors("aes", "gcm") if len(v.key) == 16 and v.aad)
    given = (folder, "--key", v.key.hex(), "--iv", v.iv.hex(), "--aad", v.aad.hex())
    plain, sealed, back, none = (tmp_path / n for n in ("plain", "sealed", "back", "none"))
    plain.write_bytes(v.pt)
    assert execute(["encrypt", *given, str(plain), str(sealed)]) == 0
    assert sealed.read_bytes() == v.ct + v.tag
    assert execute(["decrypt", *given, str(sealed), str(back)]) == 0
    assert back.read_bytes() == v.pt
    sealed.write_bytes(v.ct + bytes(16))
    assert execute(["decrypt", *given, str(sealed), str(none)]) == 1
    assert not none.exists()
    assert "the tag is wrong" in capsys.readouterr().err


@pytest.mark.parametrize("changes", [("digit_bits=0",), ("digit_bits=32", "tag_bits=96"), ("key_bits=256",)])
def test_the_generated_testbench(
    changes: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """Other digits, a short tag, another key: the published packets through Icarus Verilog."""
    core, folder = built(PRESET, *changes)
    text = folder.path / f"{core.top}_tb.v"
    run("iverilog", ["-g2005-sv", "-o", str(tmp_path / "tb"), *map(str, folder.sources), str(text)])
    assert run("vvp", ["-n", str(tmp_path / "tb")]).stdout.strip().endswith("PASS")


def test_flip_flops_and_lookup_tables(built: Callable[..., Built], tmp_path: Path) -> None:
    """The prediction is exact, and the preset has the size that is asked for."""
    core, folder = built(PRESET)
    assert isinstance(core, Core)
    target = load_target("ecp5-85k-8")
    found = synthesise(list(folder.sources), core.top, target, tmp_path, core.parameters["mapping"])
    assert found.ffs == core.flip_flops
    assert found.luts <= 3500


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("digit_bits=33",), "digit_bits"),
        (("tag_bits=100",), "tag_bits"),
        (("interface=stream",), "interface = plain"),
        (("direction=encrypt",), "direction = both"),
    ],
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        generate(load(PRESET, list(changes)), {"preset": PRESET})
    assert "\n" not in str(told.value)
