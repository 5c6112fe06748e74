"""GCM around a loop: all checks hold on the preset with IVs of any length, faults are seen, and what is not
there is refused. Of the preset itself, whose netlist is on record, the testbenches run.
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
from cipherwright.target import REGISTERS
from cipherwright.verify import own_vectors, verify_core
from cipherwright.verify.gcm import check_packets, check_resets
from cipherwright.verify.packets import PacketBench
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import drop, takes, use, when
from tests.front_ends import run_testbench
from tests.recorded import Counts

from .chosen_faults import PACKETS_PASS, faulty_bench

PRESET = "aes-gcm-small"
ANY_IV = (PRESET, "iv_bits=any", "block_ram_boxes=0", "sbox=boyar_peralta")
"""Its proof takes seconds; that of the preset, with boxes in block RAM, a minute (benchmarks/verify.py)."""

FAULTS = {
    "lengths swapped": use("lengths", "aad_words_q", "words_q"),
    "half of the tag is not compared": use("good_q", "|unequal_q", "|unequal_q[7:0]"),
    "a product begins with its second digit": use("zeros_q", "loaded", "chosen"),
    "a product is a step short": use("last_step", "FINAL[COUNT-1:0]", "FINAL[COUNT-1:0] - 1'b1"),
    "what is above a block is not reduced": takes("reduced[*]", "sum_q[j]"),
    "a word before the tag of the packet before": drop("loop_gcm:ready_o", "~close_q"),
    "words come before the multiplier is free": drop("begins", "free_q"),
    "the ciphertext that is decrypted is not hashed": drop("adds_stream_q", "~decrypt_q"),
    "bytes of additional data are shown": use("wait_shows_o", "~aad_q", "1'b1"),
    "the tag has the key stream of the first word": takes("initial_number_q", "32'd2"),
    "the block of an IV's length is missing": use("lengths", "words_q", "(derives ? 32'd0 : words_q)"),
    "an IV is not padded with zeros": when("text_q*", "~keep_i[i]", "(~keep_i[i] & ~iv_word_i)"),
    "a counter block carries beyond 32 bits": use(
        "core_block_o", "iv_q", "(iv_q + {95'd0, number_q < initial_number})"
    ),
    "J0 of the packet before": drop("derived_q", "~ends"),
    "the IV of the packet before": use("initial_block", "factor_q", "{iv_q, factor_q[31:0]}"),
    "the tag has the number 1 of a short IV": use("initial_number_q", "factor_q[31:0]", "32'd1"),
    "the first block of data has J0": when("number_q", "first & derived", "1'b0"),
    "an IV is shown": drop("wait_shows_o", "~derives"),
    "an IV makes a tag": drop("compare_q", "~derives"),
    "a word before J0": use("close_q", "last_i", "(last_i & ~iv_word_i)"),
    "a key between an IV and its packet": use("inside_q", "iv_word_i", "1'b0"),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], PacketBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("loop_gcm")
    return faulty_bench(PacketBench, built(*ANY_IV), FAULTS.values(), ("control", "gcm", "loop_gcm"), folder)


@pytest.mark.long_check
def test_all_checks_pass(
    bench: Callable[[int], PacketBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is simulated is the model that can have faults, without any."""
    core, folder = built(*ANY_IV)
    assert isinstance(core, Core)
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    verdicts = verify_core(folder, core.plain, blocks=500, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == PACKETS_PASS, [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("options", [("stages=1",), ("stages=3", "digit_bits=32")], ids=" ".join)
def test_a_key_of_a_unit_is_ready_when_it_is_promised(
    options: tuple[str, ...], built: Callable[..., Built]
) -> None:
    """The hash key is asked for as soon as round keys are there; a register's key waits a cycle for it. The
    bench refuses a key that is ready in another cycle.
    """
    core, folder = built(PRESET, *LIGHT_LOOP, "key=static", "key_expansion=unit", *options)
    assert isinstance(core, Core)
    bench = PacketBench.compile(folder.sources, folder.record)
    check_packets(bench, core.parameters, 24)
    for wrong in (-1, 1):
        record = {**bench.record, "key_cycles": bench.record["key_cycles"] + wrong}
        with pytest.raises(CheckFailed, match="a key is not ready after exactly"):
            check_packets(PacketBench(bench.simulation, record, bench.held), core.parameters, 24)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    p = built(*ANY_IV)[0].parameters
    with pytest.raises(CheckFailed):
        check_packets(bench(list(FAULTS).index(fault)), p, 24)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = PacketBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_resets(dead, built(*ANY_IV)[0].parameters)


def test_a_sample_of_nist_s_vectors(bench: Callable[[int], PacketBench]) -> None:
    """Cases under keys of 128 bits, IVs of 8, 96 and 1,024 bits: every 121st that is encrypted, every 17th
    that is decrypted and has a tag of 128 bits, and of each length 13 that must fail.
    """
    chosen = [
        c
        for iv in (1, 12, 128)
        for way in FILES
        for found in [[c for c in cases(128, way) if len(c.iv) == iv and not why_left_out(c, 16, True)]]
        for c in [*found[:: 121 if way == "encrypt" else 17], *[c for c in found if c.fails][:13]]
    ]
    counts = run_cases(bench(-1), chosen)
    assert counts["must fail, and fails"] >= 39
    assert counts["right"] >= 96
    assert counts.total() == len(chosen)


def test_files_through_the_command_line(
    bench: Callable[[int], PacketBench],
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    folder = str(built(*ANY_IV)[1].path)
    v = next(v for v in own_vectors("aes", "gcm") if len(v.key) == 16 and len(v.iv) == 60)
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
    for iv, what in (
        ("", "takes an IV: give --iv with two or more hexadecimal digits"),
        (" ", "takes an IV: give --iv with two or more hexadecimal digits"),
        ("000", "3 hexadecimal digits, an odd number"),
    ):
        args = [folder, "--key", v.key.hex(), "--iv", iv, str(sealed), str(none)]
        assert execute(["decrypt", *args]) == 2
        assert what in capsys.readouterr().err


def test_the_generated_testbench(built: Callable[..., Built], tmp_path: Path) -> None:
    """As many coefficients as the loop needs, and another key: the published packets through Icarus Verilog.
    Other digits, a short tag and IVs of any length are variants of tests/rtl/test_emitted.py.
    """
    core, folder = built(PRESET, "digit_bits=0", "key_bits=256")
    text = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, text], tmp_path).endswith("PASS")


def test_flip_flops_and_lookup_tables(built: Callable[..., Built], mapped: Counts) -> None:
    """The prediction is exact, and the core has the size that is asked for; so has the preset in its
    committed record (tests/target/test_budgets.py).
    """
    core, folder = built(PRESET, "iv_bits=any")
    assert isinstance(core, Core)
    found = mapped(folder.sources, core.top, "ecp5-85k-8", core.parameters["mapping"])
    assert found.ffs == core.flip_flops
    assert found.luts <= 3000


@pytest.mark.parametrize(
    "changes",
    [
        ("digit_bits=4", "tag_bits=96"),
        ("digit_bits=13", "tag_bits=120"),
        ("digit_bits=4", "tag_bits=96", "iv_bits=any"),
    ],
    ids=" ".join,
)
def test_flip_flops_with_a_short_tag(
    changes: tuple[str, ...], built: Callable[..., Built], mapped: Counts
) -> None:
    """Bits of a factor that nothing reads are in no flip-flop: of its last digit, or fewer where the tag is
    longer. An IV of any length reads all.
    """
    core, folder = built(PRESET, *LIGHT_LOOP, *changes)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


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
