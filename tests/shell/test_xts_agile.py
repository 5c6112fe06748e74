"""XTS whose keys come with unit numbers: each unit under its own, on quick cores, and faults are seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherwright import library
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.shell.board.taken import check_core
from cipherwright.sources import read_changes
from cipherwright.spec import load
from cipherwright.verify import Unit, UnitBench, message_checks, verify_core
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.message_axi_checks import check_message_stream
from cipherwright.verify.xts import (
    check_unit_keys,
    check_unit_resets,
    check_unit_zeroising,
    published_units,
    random_units,
    unit_result,
)
from tests.conftest import AGILE_XTS, QUICK_AES, Built
from tests.faults import Fault, drop, takes, use
from tests.front_ends import run_testbench
from tests.verify.test_checks import broken_file

from .chosen_faults import faulty_bench
from .folder_class import folder_class, through

AES = ("aes128-fast-agile", "mode=xts", *QUICK_AES, "srl_from=8")
COUNTED = (*AGILE_XTS, "unit_numbers=counted")
STREAM = (*AGILE_XTS, "interface=axi-stream", "tid_bits=3")

FAULTS = {
    "a stolen block under the key of the unit that goes on": takes("key_q", "key_own"),
    "a stolen block under the key of the unit that comes through": takes("key_again_1", "key_late"),
    "a stolen block under the key of a later one": takes("u_key_cap_*.d", "1'b1"),
    "a tweak under the key of the data": takes("key_own", "key_wait"),
    "data under the key of the unit numbers": use("key_wait", "key_number[255:128]", "key_number[127:0]"),
    "a unit under the key of the one before": takes("u_load_key_*.d", "load_0 & ~step_0"),
    "a unit under the key of the one behind": takes("key_now[15:0]", "key_stored[15:0]"),
    "a key that is read a word too late": takes("u_read_key_0_*.d", "~read_at[0]"),
    "a key that is written a word too late": takes("put_0", "put_0"),
    "the key of the number before": takes("key_2", "key_number"),
    "a number's key is taken a cycle late": takes("key_2", "key_i"),
    "words while everything is forgotten": drop("may_q", "~drop_i"),
}
"""What is broken -> a fault that units under keys of their own show; the last one shows after zeroising."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], UnitBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("xts")
    return faulty_bench(UnitBench, built(*AGILE_XTS), FAULTS.values(), ("control", "xts"), folder)


@pytest.mark.long_check
def test_all_checks_pass(
    bench: Callable[[int], UnitBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is simulated is the model that can have faults, without any."""
    core, folder = built(*AGILE_XTS)
    assert isinstance(core, Core)
    monkeypatch.setattr(UnitBench, "compile", lambda *_: bench(-1))
    monkeypatch.setattr(message_checks, "check_units", lambda *_: "with one key: another test")
    verdicts = {v.check: v for v in verify_core(folder, core.plain)}
    assert all(v.passed for v in verdicts.values()), verdicts
    assert "each under a key of its own" in verdicts["random units against the description"].detail
    assert "for every key and block" in verdicts["equivalence for all inputs"].detail


@pytest.mark.long_check
def test_units_of_aes_under_keys_of_their_own(built: Callable[..., Built]) -> None:
    """Encryption, against OpenSSL's XTS. All checks in both directions: tests/long_variants.py."""
    core, folder = built(*AES)
    one = UnitBench.compile(folder.sources, folder.record)
    assert core.parameters["key"] == "agile"
    assert one.travels
    assert published_units(one, core.parameters).endswith("published units")
    assert "none takes a cycle" in check_unit_keys(one, core.parameters)


@pytest.mark.parametrize("fault", list(FAULTS)[:-1])
def test_faults_are_seen(fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_unit_keys(bench(list(FAULTS).index(fault)), built(*AGILE_XTS)[0].parameters)


def test_a_fault_of_zeroising_is_seen(bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_unit_zeroising(bench(len(FAULTS) - 1), built(*AGILE_XTS)[0].parameters)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = UnitBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_unit_resets(dead, built(*AGILE_XTS)[0].parameters)


@pytest.mark.long_check
def test_a_key_that_zeroising_leaves_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    """While nothing comes, what waits beside the cipher is the key at the port, and not that of a unit: else
    it would go round for good.
    """
    core, folder = built(*AGILE_XTS)
    round_and_round = takes("u_key_data_2w_*.d", "~number_0")
    wrong = broken_file(folder, f"{core.top}.v", round_and_round, tmp_path / "b")
    with pytest.raises(CheckFailed, match="depend on what was before"):
        check_zeroise(wrong)


RUNS = (*COUNTED, "stages=9", "direction=encrypt")


def test_nothing_is_left_of_a_run(built: Callable[..., Built]) -> None:
    """The next run may be announced before the promised cycles are over, and makes busy_o 1 again."""
    assert "none of" in check_zeroise(built(*RUNS)[1])


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (drop("numbers:active", "~drop_i"), "busy_o is not 0"),
        (drop("u_take_run_*.d", "drop_i"), "depend on what was before"),
    ],
    ids=["the run", "its key"],
)
def test_what_is_left_of_a_run_is_seen(
    fault: Fault, said: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*RUNS)
    with pytest.raises(CheckFailed, match=said):
        check_zeroise(broken_file(folder, f"{core.top}.v", fault, tmp_path / "b"))


@pytest.mark.long_check
def test_a_promise_of_too_few_cycles_is_seen(built: Callable[..., Built]) -> None:
    folder = built(*RUNS)[1]
    few = {**folder.record, "zeroise_cycles": folder.record["zeroise_cycles"] - 3}
    with pytest.raises(CheckFailed, match="busy_o is not 0"):
        check_zeroise(replace(folder, record=few))


@pytest.mark.parametrize("size", [16, 32, 47, 64, 520])
def test_a_unit_of_n_words_takes_n_and_one_cycles(size: int, bench: Callable[[int], UnitBench]) -> None:
    """One behind the other, each under a key of its own. A unit of one word takes three, as under a key that
    is held: a number can be taken in every third cycle.
    """
    one, units = bench(-1), 40
    with one.session() as s:
        given = [Unit(bytes([k] * 16), bytes(size), False, bytes([k]) * one.key_bytes) for k in range(units)]
        cycles = s.play(given)
        s.finish()
    words = -(-size // 16)
    assert cycles <= units * (words + 1 + (words == 1))


@pytest.mark.long_check
def test_a_run_has_one_key(built: Callable[..., Built], tmp_path: Path) -> None:
    """Counted numbers: the key of a run stays while the next one is at the port; and one that does not stay
    is seen. The generated testbench announces runs.
    """
    core, folder = built(*COUNTED)
    assert isinstance(core, Core)
    check_unit_keys(UnitBench.compile(folder.sources, folder.record), core.parameters)
    wrong = broken_file(folder, f"{core.top}.v", takes("key_1", "key_i"), tmp_path / "b")
    with pytest.raises(CheckFailed):
        check_unit_keys(UnitBench.compile(wrong.sources, wrong.record), core.parameters)
    _testbench_passes(core, built(*COUNTED), tmp_path)


def test_the_testbench_brings_keys_with_numbers(built: Callable[..., Built], tmp_path: Path) -> None:
    core, _ = built(*AGILE_XTS)
    assert isinstance(core, Core)
    _testbench_passes(core, built(*AGILE_XTS), tmp_path)


def _testbench_passes(core: Core, made: Built, folder: Path) -> None:
    bench = made[1].path / f"{core.top}_tb.v"
    assert run_testbench([*made[1].sources, bench], folder).endswith("PASS")


@pytest.mark.long_check
def test_units_behind_axi_stream(built: Callable[..., Built], tmp_path: Path) -> None:
    """Number and key are handed through beside the beats, under gaps and back-pressure; and the number's key
    of another one is seen.
    """
    core, folder = built(*STREAM)
    assert isinstance(core, Core)
    p = core.parameters
    check_message_stream(AxiMessageBench.compile(folder.sources, folder.record), p, keys=3)
    wrong = broken_file(folder, f"{core.top}.v", takes("key_2", "key_number"), tmp_path / "b")
    with pytest.raises(CheckFailed):
        check_message_stream(AxiMessageBench.compile(wrong.sources, wrong.record), p, keys=1)


def test_units_through_the_library(built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls give one key for all units of a message; equal halves are refused there."""
    one = UnitBench.compile(built(*AES)[1].sources, built(*AES)[1].record)
    monkeypatch.setattr(UnitBench, "compile", lambda *_: one)
    preset, *quick = AES
    core = library.build(preset, **read_changes(quick))
    key = bytes(range(32)).hex()
    sealed = core.encrypt(key, bytes(56), iv=bytes(16), unit_bytes=20)
    units = [Unit(bytes([k]).ljust(16, b"\0"), bytes(n)) for k, n in enumerate((20, 20, 16))]
    p = built(*AES)[0].parameters
    assert sealed == b"".join(unit_result(p, bytes(range(32)), u) for u in units)
    with pytest.raises(UserError, match="both halves of this key are equal"):
        core.encrypt("11" * 32, bytes(56), iv=bytes(16))


def test_units_through_the_class_of_the_folder(
    bench: Callable[[int], UnitBench], built: Callable[..., Built], tmp_path: Path
) -> None:
    """`unit` of TOP_model.py brings the key with the number; and the key of another number is seen."""
    core = built(*AGILE_XTS)[0]
    assert isinstance(core, Core)
    parent, p, rng = folder_class(core, tmp_path / "core"), core.parameters, np.random.default_rng(1)

    def right(number: int) -> bool:
        driven = bench(number)
        with through(parent, driven.simulation, driven.held) as model:
            found = []
            for unit in random_units(p, rng, (37, 16, 50)):
                made = replace(unit, key=rng.bytes(driven.key_bytes))
                got = model.unit(made.key, made.number, made.text, decrypt=int(made.decrypt))
                found.append(got == unit_result(p, b"", made))
        return all(found)

    assert right(-1)
    assert not right(list(FAULTS).index("the key of the number before"))


def test_its_readme_tells_of_the_key(built: Callable[..., Built]) -> None:
    for changes, said in (
        (AGILE_XTS, "Every unit has a key of its own, at `key_i` with its number."),
        (COUNTED, "Every run of units has a key of its own, at `key_i` with its number."),
        (STREAM, "Every unit has a key of its own, at `key_i` with its number."),
    ):
        text = (built(*changes)[1].path / "README.md").read_text()
        assert said in text
        assert "key_valid_i" not in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("distinct_halves=true",), "compared only when the number was taken"),
        (("key_slots=2",), "a key that comes with every unit takes no slot"),
        (("interface=axi-stream", "control=axi-lite"), "software would have to write it each time"),
        (("key=static",), "key_expansion = unit"),
        (("direction=decrypt",), "direction = encrypt or both"),
        (("key_ranks=1",), "key_expansion = unit"),
        (("stages=3",), "at least 4 stages"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = AGILE_XTS
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)


def test_a_board_refuses_it(built: Callable[..., Built]) -> None:
    core, _ = built(*AGILE_XTS)
    assert isinstance(core, Core)
    with pytest.raises(UserError, match="a board takes no core with a key with every unit"):
        check_core(core, 100)
