"""The protocol under traffic and what zeroising leaves: both checks pass, and see what breaks them. More
faults: benchmarks/mutation.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import cipherwright as cw
from cipherwright.errors import CheckFailed, NotChecked
from cipherwright.skeleton import write_skeleton
from cipherwright.verify import Bench, CoreFolder
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.handshake import check_handshake
from tests.conftest import Built
from tests.faults import Fault, drop, takes, unreset, use
from tests.verify.test_checks import broken_file

STREAM = ("des-small", "stages=2", "interface=stream")
KEYED = ("aes128-fast", "sbox=boyar_peralta", "fuse_linear=false", "stages=5", "linear_depth=0")


def protocol(folder: CoreFolder) -> str:
    return check_handshake(Bench.compile(folder.sources, folder.record), folder.record)


def test_a_key_that_takes_long(tmp_path: Path) -> None:
    """64 rounds in 4 stages: an expansion takes longer than a block and what the check waits besides."""
    write_skeleton("long", tmp_path)
    path = tmp_path / "long.py"
    text = path.read_text().replace("ROUNDS = 8", "ROUNDS = 64")
    path.write_text(text.replace("known_answers", "answers_of_before"))
    core = cw.build(path, key="static", key_expansion="unit", stages=4)
    assert core.record["key_cycles"] > core.latency + 40
    assert "keys under traffic" in protocol(CoreFolder.open(core.write(tmp_path / "core")))


def test_a_stream(built: Callable[..., Built]) -> None:
    assert "a stream full of 4 blocks" in protocol(built(*STREAM)[1])


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            use("credit_q", "DEPTH[DEPTH_LOG2:0]", "DEPTH[DEPTH_LOG2:0] + 2"),
            "results are wrong|a result of no block",
        ),
        (
            drop("ready_q", "~accept"),
            "results are wrong|a result of no block|blocks",
        ),
        (unreset("stored_q"), "after one cycle of reset"),
    ],
    ids=["credits", "late", "stored"],
)
def test_faults_of_a_stream(fault: Fault, message: str, built: Callable[..., Built], tmp_path: Path) -> None:
    wrong = broken_file(built(*STREAM)[1], "cipherwright_stream.sv", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=message):
        protocol(wrong)


@pytest.mark.long_check
def test_a_held_key(built: Callable[..., Built]) -> None:
    folder = built(*KEYED)[1]
    assert "5 keys under traffic, zeroising at 4 times" in protocol(folder)
    assert "none of" in check_zeroise(folder)


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (
            use("u_inner.wipe_i", "phase_q[0]", "1'b0"),
            "after zeroise_i .* registers depend on what was before",
        ),
        (
            drop("zero_q", "(zero_q & ~(advance_q & phase_q[2]))"),
            "a result at valid_o depends on what was before zeroise_i",
        ),
        (takes("busy_o", "1'b1"), "cycles after zeroise_i busy_o is not 0"),
    ],
    ids=["key", "end", "busy"],
)
def test_what_is_not_forgotten(
    fault: Fault, message: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    wrong = broken_file(built(*KEYED)[1], "aes128_fast.v", fault, tmp_path / "b")
    with pytest.raises(CheckFailed, match=message):
        check_zeroise(wrong)


def test_where_there_is_nothing_to_check(built: Callable[..., Built]) -> None:
    with pytest.raises(NotChecked, match="neither reset nor handshake"):
        protocol(built("des-xilinx-16")[1])
    with pytest.raises(NotChecked, match="it holds no key"):
        check_zeroise(built("des-small")[1])


def test_names_of_modules_are_the_cores_own(built: Callable[..., Built], tmp_path: Path) -> None:
    wrong = broken_file(
        built("des-small")[1],
        "des_small.v",
        lambda text: text.replace("des_small_s1_lut4", "s1_lut4"),
        tmp_path / "b",
    )
    with pytest.raises(
        CheckFailed, match=r"the module s1_lut4 in des_small\.v does not begin with the name of the core"
    ):
        wrong.check_files()
