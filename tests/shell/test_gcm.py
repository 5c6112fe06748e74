"""A core of GCM: all checks hold on a quick variant of the presets, faults are seen, and what is not there is
refused.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright import library
from cipherwright.cipher.ccm import CCM_TAG_BITS
from cipherwright.cipher.gcm import TAG_BITS
from cipherwright.cli.run import execute
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core, save
from cipherwright.shell.gcm.testbench import known_packets
from cipherwright.shell.gcm.timing import GcmTiming
from cipherwright.sources import read_changes
from cipherwright.spec import Pipeline, load, parse
from cipherwright.verify import CoreFolder, own_vectors, verify_core
from cipherwright.verify.checks import prove_multiplier
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.gcm import check_packets, check_resets
from cipherwright.verify.packets import PacketBench
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out
from tests.conftest import LIGHT_GCM, QUICK_GCM, Built
from tests.faults import all_of, drop, takes, use
from tests.front_ends import run_testbench

from .chosen_faults import PACKETS_PASS, faulty_bench

FAULTS = {
    "lengths swapped": use("aad_length", "{aads, aad_rest}", "{datas, data_rest}"),
    "the end has the first number of the data": use("chain", "{127'd0, end_4}", "{126'd0, end_4, 1'b0}"),
    "half of the tag is not compared": use("good_q", "(|differs_3)", "differs_3[0]"),
    "no carry from 255 blocks": use("count_moves", "data_3 & count_at_15 & count_full[0]", "data_3 & 1'b0"),
    "bytes beyond the text are hashed": takes("hashed_word", "{16{keep_l13[15]}}"),
    "powers of the key before": use("armed", "setup_l4", "setup_late"),
    "a key is taken within a packet": all_of(
        drop("open_q", "(~core_inside | offer_q)"), *(drop(q, "~core_inside") for q in ("still_q", "offer_q"))
    ),
    "a word is taken in the end of a packet": takes("gcm:ready_o", "1'b1"),
    "wrong power": drop("count_0", "2'd1"),
    "missed gate at a packet's start": use("fed", "~(|near)", "1'b1"),
}

WORDS_LEAVE = drop("control:valid_o", "~zero_q")
"""Results of before leave after zeroising."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], PacketBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("gcm")
    faults = [*FAULTS.values(), WORDS_LEAVE]
    return faulty_bench(PacketBench, built(*QUICK_GCM), faults, ("control", "gcm", "ghash"), folder)


@pytest.mark.long_check
def test_all_checks_pass(
    bench: Callable[[int], PacketBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is simulated is the model that can have faults, without any: to compile another takes 20 s."""
    core, folder = built(*QUICK_GCM)
    assert isinstance(core, Core)
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    verdicts = verify_core(folder, core.plain, blocks=500, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == PACKETS_PASS, [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    p = built(*QUICK_GCM)[0].parameters
    with pytest.raises(CheckFailed):
        check_packets(bench(list(FAULTS).index(fault)), p, 24)


def test_words_that_leave_after_zeroising_are_seen(
    bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed, match="after zeroising in cycle"):
        check_resets(bench(len(FAULTS)), built(*QUICK_GCM)[0].parameters)


@pytest.mark.long_check
def test_powers_of_a_zeroised_key_that_go_on_are_seen(
    built: Callable[..., Built], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key is expanded in less time than its powers take: those of the key of zeros would begin while they
    are made, and busy_o would be 0 too early.
    """
    assert "none of" in check_zeroise(built(*LIGHT_GCM)[1])
    monkeypatch.setattr(GcmTiming, "powers_end", 0)
    wrong = generate(load(LIGHT_GCM[0], LIGHT_GCM[1:]), {"preset": LIGHT_GCM[0]})
    save(wrong, tmp_path / "b")
    with pytest.raises(CheckFailed, match="when busy_o is 0 after zeroise_i"):
        check_zeroise(CoreFolder.open(tmp_path / "b"))


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], PacketBench], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the port rst_i had no effect."""
    p, right = built(*QUICK_GCM)[0].parameters, bench(-1)
    assert "nothing of before leaves" in check_resets(right, p)
    dead = PacketBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_resets(dead, p)


def test_a_sample_of_nist_s_vectors(bench: Callable[[int], PacketBench]) -> None:
    """Every 41st case with an IV of 96 bits under keys of 128 bits, and 40 that must fail; benchmarks/cavp.py
    runs all of them, with keys of 256 bits as well.
    """
    found = {way: [c for c in cases(128, way) if not why_left_out(c, 16)] for way in FILES}
    fails = [c for c in found["decrypt"] if c.fails][:40]
    counts = run_cases(bench(-1), [*found["encrypt"][::41], *found["decrypt"][::41], *fails])
    assert counts["must fail, and fails"] >= 40
    assert counts["right"] >= 64
    wrong = [replace(c, tag=bytes(16)) for c in found["encrypt"][:1]]
    with pytest.raises(AssertionError, match="count 0"):
        run_cases(bench(-1), wrong)


def test_the_record_of_nist_s_vectors_is_whole(root: Path) -> None:
    """Every case of every file was run, or left out for a stated reason."""
    done = subprocess.run([sys.executable, str(root / "benchmarks" / "cavp.py"), "--check"], check=False)
    assert done.returncode == 0


KEY, IV, AAD = (
    "feffe9928665731c6d6a8f9467308308",
    "cafebabefacedbaddecaf888",
    "feedfacedeadbeef" * 2 + "abaddad2",
)


@pytest.fixture
def command(
    bench: Callable[[int], PacketBench],
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str]]:
    """A command line on the built core -> its exit status and what it says on standard error."""
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    folder = str(built(*QUICK_GCM)[1].path)

    def call(way: str, *args: str) -> tuple[int, str]:
        status = execute([way, folder, "--key", KEY, *args])
        return status, capsys.readouterr().err

    return call


def test_files_through_the_command_line(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    published = next(v for v in own_vectors("aes", "gcm") if v.key.hex() == KEY and v.aad)
    names = ("plain", "sealed", "back", "header", "cut", "spoilt", "none")
    plain, sealed, back, header, cut, spoilt, none = (tmp_path / n for n in names)
    plain.write_bytes(published.pt)
    header.write_bytes(bytes.fromhex(AAD))
    given = ("--iv", IV, "--aad", AAD)
    assert command("encrypt", *given, str(plain), str(sealed))[0] == 0
    assert sealed.read_bytes() == published.ct + published.tag
    from_file = ("--iv", IV, "--aad-file", str(header))
    assert command("decrypt", *from_file, str(sealed), str(back))[0] == 0
    assert back.read_bytes() == published.pt
    spoilt.write_bytes(bytes([published.ct[0] ^ 1]) + sealed.read_bytes()[1:])
    for args in (
        (*given, str(spoilt)),
        ("--iv", IV, str(sealed)),
        ("--iv", "00" * 12, "--aad", AAD, str(sealed)),
    ):
        status, said = command("decrypt", *args, str(none))
        assert status == 1
        assert "check failed: the tag is wrong" in said
    plain.write_bytes(b"")
    assert command("encrypt", "--iv", "00" * 12, str(plain), str(cut))[0] == 0
    assert len(cut.read_bytes()) == 16, "the tag of nothing"
    cut.write_bytes(bytes(15))
    for args, what in (
        (("--aad", AAD, str(sealed)), "takes an IV: give --iv with 24 hexadecimal digits"),
        (("--iv", "", str(sealed)), "takes an IV: give --iv with 24 hexadecimal digits"),
        (("--iv", "00" * 16, str(sealed)), "the IV has 128 bits; this core takes 96 bits"),
        (("--iv", IV, "--aad", "0g", str(sealed)), "the additional data is not hexadecimal"),
        (("--iv", IV, "--aad", "000", str(sealed)), "3 hexadecimal digits, an odd number"),
        ((*from_file, "--aad", AAD, str(sealed)), "--aad and --aad-file are both given"),
        (("--iv", IV, "--aad-file", str(none), str(sealed)), "can't read"),
        (("--iv", IV, str(cut)), "a tag of 16 bytes; this one has 15"),
    ):
        status, said = command("decrypt", *args, str(none))
        assert (status, said.count("\n")) == (2, 1)
        assert what in said
    assert not none.exists()


def test_messages_through_the_library(
    bench: Callable[[int], PacketBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    preset, *quick = QUICK_GCM
    core = library.build(preset, **read_changes(quick))
    sealed = core.encrypt(KEY, b"abc", iv=IV, aad=AAD)
    assert core.decrypt(KEY, sealed, iv=bytes.fromhex(IV), aad=bytes.fromhex(AAD)) == b"abc"
    with pytest.raises(CheckFailed, match="the tag is wrong"):
        core.decrypt(KEY, sealed, iv=IV)


def test_additional_data_need_a_mode_of_packets() -> None:
    with pytest.raises(UserError, match="mode ecb takes no additional data; leave aad away"):
        library.build("des-small").encrypt("133457799bbcdff1", bytes(8), aad="00")


def test_short_tags(built: Callable[..., Built], tmp_path: Path) -> None:
    """The generated testbench of a core with tags of 96 bits, of another cipher."""
    core, folder = built("sm4-fast", "mode=gcm", "direction=both", "tag_bits=96", "stages=40", "sbox=table")
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")


@pytest.mark.long_check
def test_factors_travel_for_a_stage(built: Callable[..., Built], tmp_path: Path) -> None:
    """With `hops` of the multiplier its factors have stages to travel in: the product is proven, and the
    generated testbench passes.
    """
    multipliers = {}
    for hops, stages in (("[]", 14), ("sum_x", 16), ("sum_x,sum_h", 16)):
        core, folder = built(*LIGHT_GCM, f"hops={hops}", f"stages={stages}")
        assert isinstance(core, Core) and core.packet
        multipliers[hops] = (core.packet["multiplier"]["stages"], core.mode_flip_flops)
    assert [stages for stages, _ in multipliers.values()] == [9, 11, 11]
    assert "every path has 11 registers" in prove_multiplier(folder)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")
    flip_flops = [n for _, n in multipliers.values()]
    assert flip_flops == sorted(set(flip_flops))


def test_known_packets_are_the_published_ones() -> None:
    """The testbench's packets of AES are those of the specification, whose results the reference gives."""
    for bits in (128, 192, 256):
        spec = load("aes128-gcm", [f"key_bits={bits}"])
        shown = [(p.key, p.iv, p.aad, p.text, p.result, p.tag) for p in known_packets(spec) if not p.decrypt]
        published = [v for v in own_vectors("aes", "gcm") if len(v.key) * 8 == bits]
        vectors = [v for v in published if len(v.iv) == 12]
        assert shown == [(v.key, v.iv, v.aad, v.pt, v.ct, v.tag) for v in vectors]
        assert len(vectors) == 4
        other = load("aes-gcm-small", [f"key_bits={bits}", "iv_bits=any"])
        shown = [(p.key, p.iv, p.aad, p.text, p.result, p.tag) for p in known_packets(other) if not p.decrypt]
        assert shown == [(v.key, v.iv, v.aad, v.pt, v.ct, v.tag) for v in published]
        assert len(published) == 6


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("stages=12",), "at least 14 stages"),
        (("hops=sum_x",), "at least 16 stages"),
        (("hops=sum_y",), "no operation is called sum_y"),
        (("tag_bits=100",), "tag_bits"),
        (("counter_bits=64",), "GCM always counts in 32 bits"),
        (("interface=stream",), "interface = plain"),
        (("direction=encrypt",), "direction = both"),
        (("lanes=3",), "mode = gcm has lanes = 1 or 2 or 4, not 3"),
        (("architecture=iterative", "stages=none"), "architecture = pipelined"),
        (("cipher=des", "key_bits=64", "block_bits=64", "sbox=table"), "block_bits = 128"),
        (("key=agile", "key_expansion=logic"), "key_expansion = unit"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = QUICK_GCM
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)


def test_lengths_of_tags() -> None:
    field = Pipeline.model_fields["tag_bits"]
    assert field.annotation is not None
    assert field.annotation.__args__ == tuple(sorted({*TAG_BITS, *CCM_TAG_BITS}, reverse=True))


def test_a_record_with_other_ports_is_refused(built: Callable[..., Built], tmp_path: Path) -> None:
    folder = built(*QUICK_GCM)[1].path
    (tmp_path / "record.json").write_text(
        (folder / "record.json").read_text().replace('"tag_in": "tag_i"', '"tag": "tag_i"')
    )
    with pytest.raises(UserError, match=r"packet\.ports are not those of a packet"):
        CoreFolder.open(tmp_path)
