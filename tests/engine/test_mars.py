"""The MARS engine passes every check in all its forms; every kind of fault is seen by the checks that
should see it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.cli import main
from cipherwright.engine.mars import MarsBench
from cipherwright.engine.mars.checks import (
    cbc,
    run_protocol,
    run_random,
    run_timing,
    run_vectors,
    verify_engine,
)
from cipherwright.engine.mars.driver import Access
from cipherwright.engine.mars.proof import prove_engine
from cipherwright.errors import CheckFailed, UserError
from cipherwright.report import mapped_top
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise
from cipherwright.tools import scratch
from cipherwright.verify import Bench, checks
from tests.conftest import Built
from tests.faults import Fault, always, drop, flip, use
from tests.verify.test_checks import broken_file

NAMES = [
    "files",
    "compile",
    "known answers",
    "random against Crypto++",
    "protocol",
    "cycles",
    "reset",
    "equivalence for all inputs",
]


@pytest.mark.long_check
def test_all_checks_pass(built: Callable[..., Built]) -> None:
    """The others: tests/long_variants.py."""
    _, folder = built("mars-ibm-rom")
    verdicts = verify_engine(folder, 800)
    assert [v.check for v in verdicts] == NAMES
    assert all(v.passed for v in verdicts), [v for v in verdicts if not v.passed]


def test_cycles_are_the_papers(built: Callable[..., Built]) -> None:
    """Table 3: CBC encryption, and all other modes."""
    rows = {"4port": (34, 18), "3port": (34, 34), "1port": (50, 50), "1port-key2": (51, 51), "rom": (51, 51)}
    for name, cycles in rows.items():
        core, _ = built(f"mars-ibm-{name}")
        assert (core.latency, core.interval) == cycles  # type: ignore[union-attr]


def test_flip_flops_are_the_predicted_ones(built: Callable[..., Built]) -> None:
    """Of an engine whose keys may be read; those of presets are in the committed records
    (tests/target/test_budgets.py).
    """
    core, folder = built("mars-ibm-1port-key2", "readable_keys=true")
    with scratch() as out:
        mapped = synthesise(
            folder.sources, mapped_top(folder.record, "cells"), load_target("osu018"), out, "structure"
        )
    assert sum(n for c, n in mapped.cells.items() if "DFF" in c) == core.flip_flops


def test_a_row_better_than_the_paper(built: Callable[..., Built]) -> None:
    """The same memories as the paper's fourth row, a cycle less: the key storage has the first words in
    time.
    """
    core, folder = built("mars-ibm-1port-key2", "key_wait=0")
    assert (core.latency, core.interval) == (50, 50)  # type: ignore[union-attr]
    bench = MarsBench.compile(folder.sources, folder.record)
    for check in (run_vectors, lambda b: run_random(b, 200), run_timing):
        check(bench)


@pytest.mark.long_check
def test_keys_can_be_read_only_where_that_was_asked_for(built: Callable[..., Built]) -> None:
    key = bytes(range(16))
    for changes, found in (((), False), (("readable_keys=true",), True)):
        _, folder = built("mars-ibm-1port-key2", *changes)
        session = MarsBench.compile(folder.sources, folder.record).session()
        session.expand(key, False, False)
        words, _ = session.run([Access(0x200 + i) for i in range(40)])
        assert bool(words.any()) == found
        assert (len(set(words.tolist())) == 40) == found


FAULTS = [
    (
        "cipherwright_mars.sv",
        drop("pair", "~next_round"),
    ),
    ("cipherwright_mars.sv", use("oldest", "oldest + {1'b0, ends}", "newest")),
    ("cipherwright_mars.sv", drop("asks", "!follows")),
    ("cipherwright_mars.sv", use("ends", "(chain_there || !(chained && decrypt))", "1'b1")),
    (
        "cipherwright_mars.sv",
        drop("idle", "mix_state == EMPTY"),
    ),
    (
        "cipherwright_mars.sv",
        use("first", "(ends ? mixed : result)", "result"),
    ),
    ("cipherwright_mars.sv", use("data_o", "(at_key && READABLE != 0)", "at_key")),
    ("cipherwright_mars.sv", always("turned")),
    (
        "cipherwright_mars.sv",
        drop("ends", "!result_there"),
    ),
    (
        "cipherwright_mars_keys.sv",
        use("filled", "32'd0", "a_data_i"),
    ),
    ("cipherwright_mars_keys.sv", drop("s_address_o", "{7'd0, a_data_i[1:0]}")),
    ("cipherwright_mars_memory.sv", use("s_o", "s1[s_address_i[7:0]]", "s0[s_address_i[7:0]]")),
]


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: str(f[1]))
def test_faults_are_seen(fault: tuple[str, Fault], built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("mars-ibm-4port")
    broken = broken_file(folder, fault[0], fault[1], tmp_path / "broken")
    bench = MarsBench.compile(broken.sources, broken.record)
    with pytest.raises(CheckFailed):
        for check in (run_vectors, lambda b: run_random(b, 400), run_protocol, run_timing):
            check(bench)


@pytest.mark.long_check
@pytest.mark.parametrize(("module", "word"), [("mars_mixer", "s0_first"), ("mars_core", "k_add")])
def test_the_proof_sees_a_fault(module: str, word: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """A bit of a result that is wrong for few inputs: where a word of the S-box, or a key word, is all
    ones.
    """
    _, folder = built("mars-ibm-1port")
    fault = flip(f"{module}:next", f"{{127'd0, &{word}}}")
    broken = broken_file(folder, "mars_ibm_1port.v", fault, tmp_path / "broken")
    with pytest.raises(CheckFailed):
        prove_engine(broken, lambda text: None)


def test_a_file_in_cbc(tmp_path: Path) -> None:
    data, key, iv = np.random.default_rng(4).bytes(16 * 37), bytes(range(16)), bytes(range(16, 32))
    (tmp_path / "plain").write_bytes(data)
    for direction, source, out in (("encrypt", "plain", "cipher"), ("decrypt", "cipher", "back")):
        run(
            direction,
            "mars-ibm-3port",
            "--set",
            "mode=cbc",
            "--key",
            key.hex(),
            "--iv",
            iv.hex(),
            str(tmp_path / source),
            str(tmp_path / out),
        )
    assert (tmp_path / "cipher").read_bytes() == cbc(key, data, iv, False)
    assert (tmp_path / "back").read_bytes() == data


def run(*args: str) -> None:
    import sys
    from unittest.mock import patch

    with patch.object(sys, "argv", ["cipherwright", *args]), pytest.raises(SystemExit) as done:
        main()
    assert done.value.code in (0, None)


@pytest.mark.long_check
def test_faults_of_the_loop_are_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    """An iteration that does another step; a round key that two rounds share."""
    _, folder = built("mars-small", "stages=6", "direction=decrypt", "key_bits=192")
    for i, fault in enumerate((flip("CONTROL_7_LUT", "64'd1 << 40"), use("u_core.rk3_i", "rk3", "rk4"))):
        broken = broken_file(folder, f"{folder.record['top']}.v", fault, tmp_path / str(i))
        bench = Bench.compile(broken.sources, broken.record)
        with pytest.raises(CheckFailed):
            checks.run_vectors(bench, broken)
            checks.run_random(bench, broken, 50)


def test_what_the_engine_is_not() -> None:
    for preset, change, message in (
        (
            "mars-ibm-4port",
            "direction=encrypt",
            "needs direction = both, not direction = encrypt; the preset asks for architecture = 'engine'",
        ),
        ("mars-ibm-4port", "mode=ctr", "needs mode = ecb or cbc, not mode = ctr"),
        ("mars-ibm-4port", "stages=3", "stages = 3 needs architecture = pipelined or iterative"),
        ("rijndael-ucla", "sbox_memory=rom", "sbox_memory = rom: not for the engine of rijndael"),
        ("des-fast", "readable_keys=true", "readable_keys = true needs architecture = engine"),
        ("des-fast", "mode=cbc", "so a pipeline can't take a block every cycle"),
        ("mars-fast", "multiplier=booth", "there is no multiplier booth"),
        ("mars-fast", "adder=magic", "there is no adder magic"),
        ("mars-small", "key_expansion=logic", "has its key held and expanded by a unit"),
    ):
        with pytest.raises(UserError, match=message):
            load(preset, [change])
