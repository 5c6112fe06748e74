"""XTS around a loop: all checks hold, faults are seen, timing is as promised, and what is not there is
refused.

A core of AES in both directions has the published units and NIST's vectors. Faults, rates and buses are tried
around the light cipher, whose loop has three places.
"""

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
from cipherwright.tools import run
from cipherwright.verify import Unit, UnitBench, own_vectors, verify_core
from cipherwright.verify.units import Pauses
from cipherwright.verify.xts import check_unit_resets, check_unit_zeroising, check_units, unit_result
from tests.cavp_xts import FILES as NIST
from tests.cavp_xts import cases, run_cases, why_left_out
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import drop, takes, use, when

from .chosen_faults import UNITS_PASS, faulty_bench

PRESET = "aes128-xts-small"
OF_AES = (PRESET, "sbox=boyar_peralta", "block_ram_boxes=0", "delay_lines=ff", "stages=2", "hops=[]")
OF_LIGHT = (PRESET, *LIGHT_LOOP, "stages=3", "delay_lines=ff", "distinct_halves=true")

FAULTS = {
    "a stolen byte too many": takes(
        "kept_q", "{BYTES{shows}} & ({keep_q[BYTES-2:0], 1'b0} | {BYTES{~kind[STEALS]}})"
    ),
    "the short word takes other bytes in": takes("stolen[*]", "text_q[8*i+:8]"),
    "decryption has its last two tweaks in the order of encryption": takes("back", "1'b0"),
    "the block that took bytes in has another tweak": use("tweak_q", "following", "~following"),
    "missed alpha": takes("following", "tweak_q"),
    "the polynomial is another one": use("doubled[WIDTH-1-:8]", "8'h87", "8'h86"),
    "tweak of the unit before": when("tweak_q", "turns", "~unit_q & there_q"),
    "a short word goes before the stolen bytes are in": drop("fills", "filled_q"),
    "a tweak under the key of the data": takes("core_second_o", "1'b0"),
    "a number goes as a word": takes("made", "1'b0"),
    "a key is taken while units are announced": takes("inside_o", "1'b0"),
    "a result has the tweak of another place": takes("wait_tweak_o", "used"),
    "a result is what its neighbour is": takes("kept", "going"),
    "a late result is not told": drop("late_q", "kind[LATE]"),
    "every result is told as the last": drop("ended_q", "(kind[LAST] | kind[STEALS])"),
}

ZEROISING = {
    "zeroising leaves a word": use("word_q", "~drop_i", "1'b1"),
    "zeroising leaves a unit": use("unit_q", "~drop_i", "1'b1"),
}
"""What is broken -> a fault that shows after zeroising alone."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], UnitBench]:
    """The core around the light cipher with the fault of a number, or -1 for none."""
    parts, folder = ("control", "xts", "loop_xts"), tmp_path_factory.mktemp("loop_xts")
    return faulty_bench(UnitBench, built(*OF_LIGHT), [*FAULTS.values(), *ZEROISING.values()], parts, folder)


@pytest.fixture(scope="module")
def aes(built: Callable[..., Built]) -> UnitBench:
    """The core of AES."""
    folder = built(*OF_AES)[1]
    return UnitBench.compile(folder.sources, folder.record)


@pytest.mark.long_check
def test_all_checks_pass(
    aes: UnitBench, built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    core, folder = built(*OF_AES)
    assert isinstance(core, Core)
    monkeypatch.setattr(UnitBench, "compile", lambda *_: aes)
    verdicts = verify_core(folder, core.plain, blocks=150, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == UNITS_PASS, [v for v in verdicts if not v.passed]


def test_a_sample_of_nist_s_vectors(aes: UnitBench) -> None:
    """Every 31st case of a whole number of bytes; benchmarks/cavp.py runs all of them."""
    chosen = [c for given in NIST for c in cases(128, given) if not why_left_out(c)]
    counts = run_cases(aes, chosen[::31])
    assert counts == {"encrypted, right": 26, "decrypted, right": 26}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    p, broken = built(*OF_LIGHT)[0].parameters, bench(list(FAULTS).index(fault))
    with pytest.raises(CheckFailed):
        check_units(broken, p, 60)


@pytest.mark.parametrize("fault", ZEROISING)
def test_faults_of_zeroising_are_seen(
    fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    p = built(*OF_LIGHT)[0].parameters
    with pytest.raises(CheckFailed):
        check_unit_zeroising(bench(len(FAULTS) + list(ZEROISING).index(fault)), p)


def test_resets_and_all_lengths(bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    """Units of all lengths from 16 to 300 bytes, and resets, in a loop of three places."""
    p = built(*OF_LIGHT)[0].parameters
    assert "341 units" in check_units(bench(-1), p, 213)
    check_unit_resets(bench(-1), p)
    right = bench(-1)
    dead = UnitBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_unit_resets(dead, p)


@pytest.mark.parametrize("size", [64, 512, 520])
def test_a_long_unit_has_the_rate_of_the_loop(size: int, bench: Callable[[int], UnitBench]) -> None:
    """Blocks at the rate of the loop, and one for each number; stolen bytes take the time of a block more."""
    units, b = 24, bench(-1)
    cipher, places = b.record["inner"]["latency_cycles"], b.record["slots"]
    with b.session() as s:
        s.load_key(bytes(range(b.key_bytes)))
        cycles = s.play([Unit(bytes([k] * 16), bytes(size)) for k in range(units)])
        s.finish()
    blocks = -(-size // 16) + 1
    assert cycles <= units * (blocks * cipher / places + (cipher + places + 4) * (1 + (size % 16 > 0)))
    if size == 512:
        assert cycles <= 1.1 * units * blocks * cipher / places


def test_numbers_that_come_late_hold_words_back(
    bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    p, key = built(*OF_LIGHT)[0].parameters, bytes(range(32))
    units = [Unit(bytes([k] * 16), bytes(range(40 + k)), k % 2 == 1) for k in range(6)]
    with bench(-1).session() as s:
        s.load_key(key)
        s.play(units, Pauses(number=1.0, longest=120))
        assert s.finish() == [unit_result(p, key, u) for u in units]


def test_equal_halves_are_refused(bench: Callable[[int], UnitBench]) -> None:
    with bench(-1).session() as s, pytest.raises(CheckFailed, match="a key is not ready"):
        s.load_key(bytes(32))
    for changed in (0, 7, 15):
        other = bytearray(16)
        other[changed] = 1 << changed % 8
        with bench(-1).session() as s:
            s.load_key(bytes(16) + bytes(other))


def test_files_through_the_command_line(
    aes: UnitBench,
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(UnitBench, "compile", lambda *_: aes)
    folder = str(built(*OF_AES)[1].path)
    v = next(v for v in own_vectors("aes", "xts") if len(v.key) == 32 and len(v.pt) == 512)
    plain, sealed, back = (tmp_path / n for n in ("plain", "sealed", "back"))
    plain.write_bytes(v.pt)
    given = (folder, "--key", v.key.hex(), "--iv", v.iv.hex())
    assert execute(["encrypt", *given, str(plain), str(sealed)]) == 0
    assert sealed.read_bytes() == v.ct
    plain.write_bytes(v.pt[:150])
    assert execute(["encrypt", *given, "--unit-bytes", "50", str(plain), str(sealed)]) == 0
    assert execute(["decrypt", *given, "--unit-bytes", "50", str(sealed), str(back)]) == 0
    assert back.read_bytes() == v.pt[:150]


@pytest.mark.parametrize(
    "changes",
    [
        (PRESET, "direction=encrypt", "stages=3", "sbox=boyar_peralta", "block_ram_boxes=0"),
        ("sm4-small", "mode=xts", "direction=both", "stages=4", "sbox=table"),
        ("aes-tiny", "mode=xts", "stages=1", "key_bits=128"),
    ],
    ids=lambda c: c[0],
)
def test_the_generated_testbench(
    changes: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """One place and several, one direction and both, another cipher and a narrow datapath."""
    core, folder = built(*changes)
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    run("iverilog", ["-g2005", "-o", str(tmp_path / "tb"), *map(str, folder.sources), str(bench)])
    assert run("vvp", ["-n", str(tmp_path / "tb")]).stdout.strip().endswith("PASS")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("direction=decrypt",), "direction = encrypt or both"),
        (("interface=stream",), "interface = plain"),
        (
            ("key=static", "key_expansion=unit", "block_ram_boxes=0"),
            "blocks under K1 and K2 follow each other",
        ),
        (("datapath_bits=32", "stages=1"), "a loop of datapath_bits = 32 encrypts"),
        (("cipher=des", "key_bits=64", "block_bits=64", "sbox=table"), "block_bits = 128"),
        (("key_slots=2",), "key_slots"),
        (("unit_numbers=counted",), "unit_numbers"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        generate(load(PRESET, changes), {"preset": PRESET})
    assert "\n" not in str(told.value)
