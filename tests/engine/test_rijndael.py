"""The Rijndael processor passes every check in all nine sizes; every kind of fault is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.engine.rijndael import ProcessorBench
from cipherwright.engine.rijndael.checks import (
    run_feedback,
    run_protocol,
    run_random,
    run_timing,
    run_vectors,
    verify_processor,
)
from cipherwright.engine.rijndael.proof import prove_processor
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.progress import quiet
from cipherwright.shell import BuiltEngine
from cipherwright.spec import load
from cipherwright.target import REGISTERS
from cipherwright.verify import CoreFolder
from tests.conftest import PROCESSORS, Built
from tests.faults import Fault, drop, flip, unreset, use, when
from tests.recorded import Counts, judged, room
from tests.verify.test_checks import broken_file

VARIANTS = [(p, f"direction={d}") for p in PROCESSORS for d in ("encrypt", "both")]
QUICK = ("sbox=boyar_peralta",)
"""Compiles in half the time."""

CHECKS = [
    run_vectors,
    lambda b: run_random(b, 144),
    lambda b: run_feedback(b, [(256, 128), (192, 192)]),
    run_protocol,
    run_timing,
]


@pytest.fixture(autouse=True)
def own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Published answers are those of the package, in all nine sizes: benchmarks/verify.py has 400 more."""
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS", raising=False)


@pytest.mark.long_check
def test_all_checks_pass(built: Callable[..., Built]) -> None:
    _, folder = built(*VARIANTS[0], *QUICK)
    verdicts = verify_processor(folder, 144, sizes=[(128, 128)])
    names = [
        "files",
        "compile",
        "known answers",
        "random against libmcrypt",
        "feedback modes",
        "protocol",
        "cycles",
        "reset",
        "equivalence for all inputs",
    ]
    assert [v.check for v in verdicts] == names
    assert all(v.passed for v in verdicts), [v for v in verdicts if not v.passed]


@pytest.mark.long_check
@pytest.mark.parametrize("variant", [VARIANTS[1], (*VARIANTS[2], *QUICK)], ids=" ".join)
def test_all_sizes(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    bench = ProcessorBench.compile(folder.sources, folder.record)
    for check in CHECKS:
        check(bench)


def test_flip_flops_are_the_predicted_ones(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built(*VARIANTS[2], *QUICK, "target=ecp5-85k-8")
    found = mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS)
    assert found.ffs == core.flip_flops > 0


def seen(folder: CoreFolder) -> bool:
    """Whether one of the checks objects."""
    bench = ProcessorBench.compile(folder.sources, folder.record)
    try:
        for check in CHECKS:
            check(bench)
    except CheckFailed:
        return True
    return False


FAULTS = [
    ("rijndael_ucla.v", flip("sboxboth_gates:y", "{7'd0, &a[7:0]}")),
    ("cipherwright_rijndael.sv", use("MORE", "10'd999", "10'd998")),
    ("cipherwright_rijndael.sv", drop("mix_q", "count_q != 4'd1")),
    (
        "cipherwright_rijndael_keys.sv",
        drop("start_q", "next"),
    ),
    (
        "cipherwright_rijndael_keys.sv",
        use("index_d", "forward_q ? 4'd1 : rounds_i - 4'd1", "forward_q ? 4'd1 : rounds_i"),
    ),
]


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: str(f[1]))
def test_faults_are_seen(fault: tuple[str, Fault], built: Callable[..., Built], tmp_path: Path) -> None:
    which, change = fault
    _, folder = built("rijndael-ucla", *QUICK)
    assert seen(broken_file(folder, which, change, tmp_path / "broken"))


@pytest.mark.long_check
def test_a_fault_in_the_buffer_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("rijndael-ucla-keybuffer", *QUICK)
    fault = when("buffer_q", "place_q + 2'd1 == j[1:0]", "place_q == 2'd0 && j == 1")
    assert seen(broken_file(folder, "cipherwright_rijndael_keys.sv", fault, tmp_path / "broken"))


KEYS = "cipherwright_rijndael_keys.sv"
PROOF_FAULTS = [
    (
        "encrypt",
        ("rijndael_ucla_encrypt.v", flip("sbox_gates:y", "{7'd0, &a[7:0]}")),
        "after input_key .* step 1 ",
    ),
    # Wrong for one key in 2^32, so no random value shows it; in the lowest word of the window.
    ("encrypt", (KEYS, use("window_q", "next", "next ^ {255'd0, &start_q[31:0]}")), "cipher, or ABC"),
    ("encrypt", ("cipherwright_rijndael.sv", unreset("more_q")), "reset does not clear"),
    ("both", FAULTS[4], "encrypt after decrypt goes wrong in step 0 "),
]


@pytest.mark.long_check
@pytest.mark.parametrize("case", PROOF_FAULTS, ids=lambda case: case[2].strip())
def test_the_proof_sees_a_fault(
    case: tuple[str, tuple[str, Fault], str], built: Callable[..., Built], tmp_path: Path
) -> None:
    direction, (which, change), message = case
    _, folder = built("rijndael-ucla", *["direction=encrypt"] * (direction == "encrypt"), *QUICK)
    broken = broken_file(folder, which, change, tmp_path / "broken")
    with pytest.raises(CheckFailed, match=message):
        prove_processor(broken, [(128, 128)], quiet)


@pytest.mark.recorded
def test_the_proof_holds_in_both_directions(built: Callable[..., Built], tmp_path: Path) -> None:
    """Also where the words of the window above a short key are wrong, which no result needs."""
    _, folder = built("rijndael-ucla", *QUICK)
    above = use("window_q", "next", "next ^ {1'b1, 255'd0}")
    other = broken_file(folder, KEYS, above, tmp_path / "other")
    said = judged(
        other, ["proof", str(above), room("engine")], lambda: prove_processor(other, [(192, 128)], quiet)
    )
    assert "both directions in any order" in said


def test_what_an_engine_is_not() -> None:
    for change, message in (
        ("stages=3", "stages = 3 needs architecture = pipelined or iterative"),
        (
            "cipher=aes",
            "architecture = engine is the engine for mars or the processor for rijndael, not for aes",
        ),
        (
            "direction=decrypt",
            "architecture = engine needs direction = encrypt or both, not direction = decrypt",
        ),
        ("key_expansion=unit", "key_expansion = unit needs architecture = pipelined or iterative"),
        ("architecture=pipelined", "ask for stages"),
        ("sbox=tower", "needs sbox = table or boyar_peralta or depth16, not sbox = tower"),
        ("merge=6", "merge = 6 needs architecture = pipelined or iterative"),
    ):
        with pytest.raises(UserError, match=message):
            load("rijndael-ucla", [change, *(["block_bits=128"] if change == "cipher=aes" else [])])
    with pytest.raises(UserError, match="key_expansion = buffer needs architecture = engine"):
        load("aes128-fast", ["key_expansion=buffer"])
    assert isinstance(generate(load("rijndael-ucla", ["sbox=boyar_peralta"])), BuiltEngine)
