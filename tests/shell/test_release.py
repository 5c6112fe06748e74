"""Release after the verdict: all checks of packets hold, faults of the buffer are seen, flip-flops are as
predicted, and what is not there is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cipherwright.cli.run import execute
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core
from cipherwright.shell.folder.extras import check_extras
from cipherwright.spec import load
from cipherwright.target import REGISTERS
from cipherwright.tools import run
from cipherwright.verify import own_vectors
from cipherwright.verify.ccm import random_ccm
from cipherwright.verify.gcm import check_packets, check_release, check_resets, random_packets
from cipherwright.verify.held_packets import HeldBench, HeldCcmBench, record_inside
from cipherwright.verify.reset import check_reset
from cipherwright.verify.simulate import Simulation
from tests.conftest import LIGHT_GCM, Built
from tests.faults import drop, use, when
from tests.recorded import Counts

from .chosen_faults import faulty_bench

SMALL = ("aes-gcm-small", "release=verdict", "release_words=16")
PIPELINE = (*LIGHT_GCM, "release=verdict")
CCM = ("aes128-ccm-small", "release=verdict", "release_words=32")

FAULTS = {
    "a packet with a wrong tag is released": use("release:good_q", "good_i", "1'b1"),
    "a packet with a wrong tag does not go back": use("back", "back_q", "1'b0"),
    "words are released as they come": use("open_q", "~hold_q", "1'b1"),
    "a packet that is too long is released": drop("good_q", "~over_q"),
    "that a packet is too long is not told": use("long_q", "over_q", "1'b0"),
    "the next packet is too long, too": use("over_q", "~verdict_i", "1'b1"),
    "the length of a packet goes on": when("left_q", "verdict_q", "1'b0"),
    "a packet may be a word longer": use("over", "left_q[DEPTH_LOG2]", "(left_q > DEPTH)"),
    "a word is read twice": when("read_q", "pop", "pop & ~both_q"),
}


def _held(simulation: Simulation, record: Mapping[str, Any], held: Mapping[str, int]) -> HeldBench:
    return HeldBench(simulation, record_inside(record), held)


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], HeldBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("release")
    return faulty_bench(_held, built(*SMALL), FAULTS.values(), ("release",), folder)


def test_packets_pass(bench: Callable[[int], HeldBench], built: Callable[..., Built]) -> None:
    p = built(*SMALL)[0].parameters
    check_packets(bench(-1), p, 60)
    check_resets(bench(-1), p)
    assert "refused" in check_release(bench(-1), p, random_packets)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], HeldBench], built: Callable[..., Built]) -> None:
    p, broken = built(*SMALL)[0].parameters, bench(list(FAULTS).index(fault))
    with pytest.raises(CheckFailed):
        check_release(broken, p, random_packets)
        check_resets(broken, p)


def test_reset_clears_the_buffer(built: Callable[..., Built]) -> None:
    assert "too_long_o" in check_reset(built(*SMALL)[1])


def test_packets_of_ccm_pass(built: Callable[..., Built]) -> None:
    core, folder = built(*CCM)
    bench = HeldCcmBench.compile(folder.sources, folder.record)
    assert "refused" in check_release(bench, core.parameters, random_ccm)


@pytest.mark.parametrize("core", [SMALL, PIPELINE, CCM], ids=["gcm", "few stages", "ccm"])
def test_the_testbench_passes(core: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    made, folder = built(*core)
    texts = [str(folder.path / n) for n in made.files if n.endswith((".v", ".sv"))]
    run("iverilog", ["-g2012", "-o", str(tmp_path / "tb"), *texts], cwd=tmp_path)
    assert run("vvp", [str(tmp_path / "tb")], cwd=tmp_path).stdout.strip() == "PASS"


@pytest.mark.parametrize("words", [16, 64])
def test_flip_flops_are_predicted(words: int, built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built("aes128-ccm-small", "release=verdict", f"release_words={words}")
    assert isinstance(core, Core)
    found = mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS)
    assert found.ffs == core.flip_flops
    assert found.brams == (0 if words == 16 else 4)


def test_a_file_through_the_command_line(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(built(*SMALL)[1].path)
    v = next(v for v in own_vectors("aes", "gcm") if len(v.key) == 16 and len(v.iv) == 12 and v.aad)
    given = (folder, "--key", v.key.hex(), "--iv", v.iv.hex(), "--aad", v.aad.hex())
    sealed, back = tmp_path / "sealed", tmp_path / "back"
    sealed.write_bytes(v.ct + v.tag)
    assert execute(["decrypt", *given, str(sealed), str(back)]) == 0
    assert back.read_bytes() == v.pt
    back.unlink()
    sealed.write_bytes(bytes(129) + v.tag)
    assert execute(["decrypt", *given, str(sealed), str(back)]) == 2
    assert "the core decrypts packets of at most 128" in capsys.readouterr().err
    assert not back.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"release_words": 48}, "a power of two, not 48 words"),
        ({"interface": "axi-stream", "fifo_depth": 64}, "fifo_depth = 64 needs release = at-once"),
        ({"interface": "axi-stream", "key_slots": 2}, "release = verdict needs key_slots = 1"),
        ({"mode": "xts"}, "needs"),
    ],
)
def test_what_is_not_there_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        load("aes128-gcm", [f"{n}={v}" for n, v in {"release": "verdict", **options}.items()])


def test_a_model_that_waits_for_all_words_is_refused(built: Callable[..., Built]) -> None:
    with pytest.raises(UserError, match="those of a refused one never leave"):
        check_extras(built(*SMALL)[0], ["model"])
