"""A core of XTS: all checks hold on a quick variant of the presets, faults are seen, and what is not there is
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cipherwright import library
from cipherwright.cli.run import execute
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.sources import read_changes
from cipherwright.spec import load, parse
from cipherwright.verify import CoreFolder, Unit, UnitBench, checks, message_checks, own_vectors, verify_core
from cipherwright.verify.units import Pauses
from cipherwright.verify.xts import (
    check_distinct_halves,
    check_unit_resets,
    check_unit_zeroising,
    check_units,
    unit_result,
)
from tests.cavp_xts import FILES as NIST
from tests.cavp_xts import cases, run_cases, why_left_out
from tests.conftest import IN_LIGHT, QUICK_XTS, Built
from tests.faults import drop, takes, use, when
from tests.front_ends import run_testbench
from tests.verify.test_checks import broken_file

from .chosen_faults import UNITS_PASS, faulty_bench
from .folder_class import folder_class, through

FAULTS = {
    "a stolen byte too many": takes("short_keep", "{keep_late[14:0], 1'b0}"),
    "decryption has its last two tweaks in the order of encryption": takes("u_turned_2_*.d", "1'b0"),
    "the stolen block of decryption has the tweak after": takes("way_back", "1'b0"),
    "missed alpha": drop("step_q", "goes"),
    "tweak of the unit before": drop("uses", "short_1"),
    "a word is taken in the slot of a stolen block": takes("stop", "1'b0"),
    "a word is taken before its tweak is there": takes("there", "now | after"),
    "more tweaks than the memory holds": takes("room_q", "~announce_i & (number_q | ~asked)"),
    "a key is taken while units are announced": takes("inside_o", "1'b0"),
    "a tweak under the key of the data": takes("second_2", "1'b0"),
    "a unit under a key that is not expanded": drop("complete_q", "~key_valid_q"),
    "one tweak at a time": takes("room_q", "~announce_i & ~asked & ~number_q & ~pending_q"),
}

ZEROISING = {
    "a tweak that is written while zeroising begins is not counted": when(
        "write_q", "made_q", "push_q | drop_q"
    ),
    "what is written last while zeroising is read": takes("settle_q", "drop_i"),
    "zeroising leaves the row of tweaks": use("full", "drop_i", "1'b0"),
    "zeroising leaves the key that halves were compared of": drop("keyed", "~drop_i"),
}
"""What is broken -> a fault that shows after zeroising alone."""

HALVES = {
    "four bits of the halves are not compared": takes("differs_1[19]", "1'b0"),
    "equal halves are taken": takes("differs_1[22]", "1'b1"),
}
HALVES_SAY = dict(zip(HALVES, ("a key is not ready", "whose halves are equal"), strict=True))
"""Faults of the comparison of a key's halves, and what is said of each."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], UnitBench]:
    """The core with the fault of a number, or -1 for none."""
    parts, folder = ("control", "xts", "xts_turns"), tmp_path_factory.mktemp("xts")
    faults = [*FAULTS.values(), *ZEROISING.values(), *HALVES.values()]
    return faulty_bench(UnitBench, built(*QUICK_XTS), faults, parts, folder)


PARTS = {
    "simulation": ("published_units", "check_units", "check_distinct_halves", "check_unit_resets"),
    "reset and zeroise": ("check_reset", "check_all_zeroise"),
    "proof": ("prove_core",),
}
"""Functions of the checks, in parts that take about as long."""


@pytest.mark.long_check
@pytest.mark.parametrize("part", PARTS)
def test_all_checks_pass(
    part: str, bench: Callable[[int], UnitBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All lengths from 16 to 300 bytes. What is simulated is the model that can have faults, without any."""
    core, folder = built(*QUICK_XTS)
    assert isinstance(core, Core)
    monkeypatch.setattr(UnitBench, "compile", lambda *_: bench(-1))
    for name in (n for other, names in PARTS.items() if other != part for n in names):
        home = checks if name == "prove_core" else message_checks
        monkeypatch.setattr(home, name, lambda *_: "run in another part")
    verdicts = verify_core(folder, core.plain, blocks=2850, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == UNITS_PASS, [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    p = built(*QUICK_XTS)[0].parameters
    with pytest.raises(CheckFailed):
        check_units(bench(list(FAULTS).index(fault)), p, 40)


@pytest.mark.parametrize("fault", ZEROISING)
def test_faults_of_zeroising_are_seen(
    fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    p = built(*QUICK_XTS)[0].parameters
    with pytest.raises(CheckFailed):
        check_unit_zeroising(bench(len(FAULTS) + list(ZEROISING).index(fault)), p)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = UnitBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_unit_resets(dead, built(*QUICK_XTS)[0].parameters)


@pytest.mark.parametrize("size", [32, 47, 64, 100, 512, 520])
def test_a_unit_of_n_words_takes_n_and_one_cycles(size: int, bench: Callable[[int], UnitBench]) -> None:
    """Whole units and units with a short word, one behind the other, after the first tweaks are there."""
    units = 24
    with bench(-1).session() as s:
        s.load_key(bytes(range(s.bench.key_bytes)))
        cycles = s.play([Unit(bytes([k] * 16), bytes(size)) for k in range(units)])
        s.finish()
    words = -(-size // 16)
    assert cycles <= units * (words + 1)


def test_numbers_that_come_late_hold_words_back(
    bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    """A number after each unit: every unit waits for its tweak, and is right."""
    p, key = built(*QUICK_XTS)[0].parameters, bytes(range(32))
    units = [Unit(bytes([k] * 16), bytes(range(40 + k)), k % 2 == 1) for k in range(6)]
    with bench(-1).session() as s:
        s.load_key(key)
        s.play(units, Pauses(number=1.0, longest=120))
        assert s.finish() == [unit_result(p, key, u) for u in units]


def test_a_sample_of_nist_s_vectors(bench: Callable[[int], UnitBench]) -> None:
    """Every 19th case of a whole number of bytes under two keys of 128 bits; benchmarks/cavp.py runs all of
    them, with keys of 256 bits as well.
    """
    chosen = [c for given in NIST for c in cases(128, given) if not why_left_out(c)]
    counts = run_cases(bench(-1), chosen[::19])
    assert counts == {"encrypted, right": 43, "decrypted, right": 42}
    bits = next(c for c in cases(128, "tweak input") if c.bits == 130)
    assert run_cases(bench(-1), [bits]) == {"left out: a unit of 130 bits, which are no bytes": 1}
    with pytest.raises(AssertionError, match="count 1"):
        run_cases(bench(-1), [replace(chosen[0], result=bytes(16))])


@pytest.mark.parametrize(("fault", "said"), HALVES_SAY.items())
def test_faults_of_halves_are_seen(
    fault: str, said: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    number = len(FAULTS) + len(ZEROISING) + list(HALVES).index(fault)
    with pytest.raises(CheckFailed, match=said):
        check_distinct_halves(bench(number), built(*QUICK_XTS)[0].parameters)


def test_equal_halves_are_refused(bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    b, p = bench(-1), built(*QUICK_XTS)[0].parameters
    assert "no unit goes under 3 keys" in check_distinct_halves(b, p)
    with b.session() as s, pytest.raises(CheckFailed, match="a key is not ready"):
        s.load_key(bytes(16) + bytes(16))
    for changed in (0, 7, 15):
        other = bytearray(16)
        other[changed] = 1 << changed % 8
        with b.session() as s:
            s.load_key(bytes(16) + bytes(other))


KEY = "2718281828459045235360287471352631415926535897932384626433832795"


@pytest.fixture
def command(
    bench: Callable[[int], UnitBench],
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:
    """A command line on the built core -> its exit status and what it says on standard error."""
    monkeypatch.setattr(UnitBench, "compile", lambda *_: bench(-1))
    folder = str(built(*QUICK_XTS)[1].path)

    def call(way: str, *args: str, key: str = KEY) -> tuple[int, str]:
        status = execute([way, folder, "--key", key, *args])
        return status, capsys.readouterr().err

    return call


def test_files_through_the_command_line(
    command: Callable[..., tuple[int, str]], tmp_path: Path, built: Callable[..., Built]
) -> None:
    published = next(v for v in own_vectors("aes", "xts") if v.key.hex() == KEY)
    plain, sealed, back, none = (tmp_path / n for n in ("plain", "sealed", "back", "none"))
    plain.write_bytes(published.pt)
    assert command("encrypt", "--iv", "00" * 16, str(plain), str(sealed))[0] == 0
    assert sealed.read_bytes() == published.ct
    plain.write_bytes(published.pt[:150])
    cut = ("--iv", "ff" + "00" * 15, "--unit-bytes", "50")
    assert command("encrypt", *cut, str(plain), str(sealed))[0] == 0
    p, key = built(*QUICK_XTS)[0].parameters, bytes.fromhex(KEY)
    numbers = [bytes([0xFF, 0]), bytes([0, 1]), bytes([1, 1])]
    want = [
        unit_result(p, key, Unit(n.ljust(16, b"\0"), published.pt[50 * k : 50 * k + 50]))
        for k, n in enumerate(numbers)
    ]
    assert sealed.read_bytes() == b"".join(want)
    assert command("decrypt", *cut, str(sealed), str(back))[0] == 0
    assert back.read_bytes() == published.pt[:150]
    short = tmp_path / "short"
    short.write_bytes(bytes(15))
    iv = ("--iv", "00" * 16)
    for args, key_text, said in (
        ((*iv, str(short)), KEY, "has 15 bytes, and mode xts takes at least 16"),
        ((str(plain),), KEY, "takes the number of the first unit: give --iv with 32 hexadecimal digits"),
        (
            (*iv, "--unit-bytes", "0", str(plain)),
            KEY,
            "--unit-bytes is 0, and a unit has 16 to 16777216 bytes",
        ),
        (
            (*iv, "--unit-bytes", "15", str(plain)),
            KEY,
            "--unit-bytes is 15, and a unit has 16 to 16777216 bytes",
        ),
        ((*iv, "--unit-bytes", "149", str(plain)), KEY, "would have 1 byte, and a unit has at least 16"),
        ((*iv, str(plain)), "00" * 32, "both halves of this key are equal"),
        ((*iv, str(plain)), "00" * 16, "this core takes 256 bits, 64 hexadecimal digits: K1 and then K2"),
    ):
        status, told = command("encrypt", *args, str(none), key=key_text)
        assert (status, told.count("\n")) == (2, 1)
        assert said in told
    assert not none.exists()


def test_units_through_the_library(
    bench: Callable[[int], UnitBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UnitBench, "compile", lambda *_: bench(-1))
    preset, *quick = QUICK_XTS
    options = read_changes(quick)
    core = library.build(preset, **options)
    sealed = core.encrypt(KEY, bytes(56), iv=bytes(16), unit_bytes=20)
    assert core.decrypt(KEY, sealed, iv=bytes(16), unit_bytes=20) == bytes(56)
    with pytest.raises(UserError, match="has 16 to 16777216 bytes"):
        core.encrypt(KEY, bytes(56), iv=bytes(16), unit_bytes=7)
    with pytest.raises(UserError, match="mode ecb has no data units; leave unit_bytes away"):
        library.build("des-small").encrypt("133457799bbcdff1", bytes(8), unit_bytes=16)
    with pytest.raises(UserError, match="build one with direction = both"):
        library.build("aes128-xts", **{**options, "direction": "encrypt"}).decrypt(
            KEY, bytes(16), iv=bytes(16)
        )


def test_a_core_that_counts_unit_numbers(built: Callable[..., Built], tmp_path: Path) -> None:
    """Its generated testbench announces runs of units, one of which carries over nine bytes."""
    core, folder = built("aes128-xts", *IN_LIGHT, "hops=[]", "unit_numbers=counted")
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    assert "mores[" in bench.read_text()
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")


@pytest.mark.long_check
def test_a_run_goes_on_while_a_key_is_offered(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("aes128-xts", *IN_LIGHT, "hops=[]", "unit_numbers=counted")
    fault = takes("announce", "numbered_valid & room_0 & may_q")
    wrong = broken_file(folder, f"{core.top}.v", fault, tmp_path / "b")
    p = folder.record["parameters"]
    check_units(UnitBench.compile(folder.sources, folder.record), p, 90)
    with pytest.raises(CheckFailed, match="a unit number is not taken"):
        check_units(UnitBench.compile(wrong.sources, wrong.record), p, 90)


def test_another_cipher(built: Callable[..., Built], tmp_path: Path) -> None:
    """The generated testbench of a core of another cipher, which only encrypts."""
    core, folder = built("sm4-fast", "mode=xts", "direction=encrypt", "stages=40", "sbox=table")
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("stages=3",), "at least 4 stages"),
        (("direction=decrypt",), "direction = encrypt or both"),
        (("interface=stream",), "interface = plain"),
        (("lanes=2",), "mode = ctr"),
        (("architecture=iterative", "stages=none"), "architecture = pipelined"),
        (("cipher=des", "key_bits=64", "block_bits=64", "sbox=table"), "block_bits = 128"),
        (("key=agile", "key_expansion=logic"), "key_expansion = unit"),
        (("mode=ecb",), "distinct_halves"),
        (("mode=ecb", "distinct_halves=false", "unit_numbers=counted"), "mode = xts"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = QUICK_XTS
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)


def test_a_record_with_other_ports_is_refused(built: Callable[..., Built], tmp_path: Path) -> None:
    folder = built(*QUICK_XTS)[1].path
    (tmp_path / "record.json").write_text(
        (folder / "record.json").read_text().replace('"late": "late_o"', '"tardy": "late_o"')
    )
    with pytest.raises(UserError, match=r"unit\.ports are not those of a unit"):
        CoreFolder.open(tmp_path)


def test_units_through_the_class_of_the_folder(
    bench: Callable[[int], UnitBench], built: Callable[..., Built], tmp_path: Path
) -> None:
    """`unit` of TOP_model.py, here on the model of the other tests: units with stolen bytes and without, in
    both directions; and a stolen byte too many is seen.
    """
    core, _ = built(*QUICK_XTS)
    assert isinstance(core, Core)
    parent, p = folder_class(core, tmp_path / "core"), core.parameters

    def right(number: int) -> bool:
        """Whether the core with a fault makes what it must of all units."""
        driven, rng = bench(number), np.random.default_rng(3)
        with through(parent, driven.simulation, driven.held) as model:
            key = rng.bytes(32)
            for size in (16, 17, 48, 31, 40):
                for way in (False, True):
                    unit = Unit(rng.bytes(16), rng.bytes(size), way)
                    if model.unit(key, unit.number, unit.text, way) != unit_result(p, key, unit):
                        return False
        return True

    assert right(-1)
    assert not right(list(FAULTS).index("a stolen byte too many"))
