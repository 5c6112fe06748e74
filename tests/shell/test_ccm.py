"""A core of CCM: all checks hold on the preset and on loops of several stages, faults are seen, and what is
not there is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from cipherwright import library
from cipherwright.cli.run import execute
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import CcmTiming, Core, Word
from cipherwright.spec import load
from cipherwright.target import REGISTERS
from cipherwright.verify import CcmBench, own_vectors
from cipherwright.verify.ccm import check_ccm_packets, check_ccm_resets, published_ccm
from tests.cavp_ccm import FILES, cases, run_cases
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import drop, use, when, when_drop
from tests.recorded import Counts

from .chosen_faults import faulty_bench

PRESET = "aes128-ccm-small"
TWO = (PRESET, *LIGHT_LOOP, "stages=2", "nonce_bytes=12", "tag_bits=80")
"""A loop that has a block of the chain and one of the key stream at a time."""

FAULTS = {
    "B_0 knows nothing of additional data": use("first_block", "|aad_bytes_i", "1'b0"),
    "B_0 of another length of the tag": use("first_block", "T[2:0]", "3'd0"),
    "B_0 of another length of the nonce": use("first_block", "Q[2:0]", "3'd0"),
    "the length of additional data never takes six bytes": use(
        "is_long", "(|aad_bytes_i[31:16]) | (&aad_bytes_i[15:8])", "1'b0"
    ),
    "the end of additional data is missing": use("carries_q", "rests", "1'b0"),
    "a block too many after additional data": use("carries_q", "rests", "1'b1"),
    "a word of data before the rest of additional data": drop("adds_data", "~carries_q"),
    "the rest of additional data is lost": use("waiting", "carry_q", "48'd0"),
    "the ciphertext that is decrypted is in the chain": use("plain", "data_q & decrypt_q", "1'b0"),
    "what is beyond the last byte is in the chain": use("stream", "kept", "{128{1'b1}}"),
    "bytes that are not there are in the chain": use("given[*]", "{8{keep_i[i]}}", "8'hff"),
    "a block of the key stream twice": drop("there_q", "~adds_data"),
    "the tag has the key stream of data": use("number", "{COUNT{~tail}}", "{COUNT{1'b1}}"),
    "the counter stands still": use("count_q", "count_q + 1'b1", "count_q"),
    "S_0 for a word of data": use("count_q", "{{COUNT - 1{1'b0}}, 1'b1}", "{COUNT{1'b0}}"),
    "the counter of the packet before": when("count_q", "first", "(first & ~long_q & count_q == 0)"),
    "the chain of the packet before": when_drop("sum_q", "compare_q"),
    "a word in the chain twice": when_drop("sum_q", "begins_chain"),
    "a result that is not added": use("linked", "chain_live_q", "1'b0"),
    "results of chain and key stream swapped": use("chain_ends", "older_q", "~older_q"),
    "half of the tag is not compared": use("good_o", "|unequal_q", "|unequal_q[7:0]"),
    "a word is taken while one waits": drop("ready_o", "~word_q"),
    "a word before the tag of the packet before": drop("loop_ccm:ready_o", "~close_q"),
    "the tag of a packet that is decrypted shows": drop("tag_o", "~decrypt_q"),
    "the key stream at the port": use("block_o", "{128{valid_o}}", "{128{there_q}}"),
    "another key within a packet": use("inside_q", "~last_i", "1'b0"),
}

LEFT = {"a result while everything is being cleared": drop("loop_ccm:tag_valid_o", "~clear")}
"""Faults that zeroising shows."""

ALL = {**FAULTS, **LEFT}


@pytest.fixture(scope="module")
def bench(built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], CcmBench]:
    """The core of two stages with the fault of a number, or -1 for none."""
    parts, folder = ("control", "ccm", "loop_ccm"), tmp_path_factory.mktemp("ccm")
    return faulty_bench(CcmBench, built(*TWO), ALL.values(), parts, folder)


@pytest.mark.long_check
def test_a_loop_of_two_stages(bench: Callable[[int], CcmBench], built: Callable[..., Built]) -> None:
    p = built(*TWO)[0].parameters
    assert "equal to the description" in check_ccm_packets(bench(-1), p, 24)
    assert "all is right after" in check_ccm_resets(bench(-1), p)


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], CcmBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_ccm_packets(bench(list(ALL).index(fault)), built(*TWO)[0].parameters, 24)


@pytest.mark.parametrize("fault", LEFT)
def test_faults_of_clearing_are_seen(
    fault: str, bench: Callable[[int], CcmBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_ccm_resets(bench(list(ALL).index(fault)), built(*TWO)[0].parameters)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], CcmBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = CcmBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_ccm_resets(dead, built(*TWO)[0].parameters)


@pytest.mark.long_check
def test_eleven_stages(built: Callable[..., Built]) -> None:
    core, folder = built("aes-small", "mode=ccm", "direction=both", "tag_bits=112")
    bench = CcmBench.compile(folder.sources, folder.record)
    assert "equal to OpenSSL" in check_ccm_packets(bench, core.parameters, 24)


@pytest.mark.long_check
def test_additional_data_of_64_kibibytes(built: Callable[..., Built]) -> None:
    """65,536 bytes are those of SP 800-38C, appendix C.4: through a loop that takes few cycles a block."""
    in_few_cycles = ("rounds_per_cycle=2", "stages=1", "sbox=boyar_peralta", "hops=[]")
    core, folder = built("aes-small", "mode=ccm", "direction=both", "tag_bits=112", *in_few_cycles)
    bench = CcmBench.compile(folder.sources, folder.record)
    assert published_ccm(bench, core.parameters).startswith("1 published packets")


def test_a_sample_of_nist_s_vectors(built: Callable[..., Built]) -> None:
    """Cases of all files under keys of 128 bits, with nonces of 13 bytes and tags of 16: every fourth that is
    encrypted, and all that are decrypted. benchmarks/cavp.py runs every case of every length.
    """
    _, folder = built(PRESET)
    bench = CcmBench.compile(folder.sources, folder.record)
    some = [c for file in FILES for c in cases(128, file) if c.kind == (13, 16)]
    found = run_cases(bench, [c for k, c in enumerate(some) if c.decrypt or k % 4 == 0])
    assert found["must fail, and fails"] >= 35
    assert found["right"] >= 150


@pytest.mark.parametrize("cipher, stages", [(6, 1), (6, 2), (6, 3)])
def test_no_word_and_no_tag_is_later_than_promised(cipher: int, stages: int) -> None:
    """Packets of up to four words at all times; the longest times are reached. Simulation holds the model of
    these times to the core.
    """
    t, tags, words = CcmTiming(cipher, stages), set[int](), set[int]()
    lates = (0, 1, 2, 3, 5, 6, 7, 13)
    for n_aad, n_data, size in product(range(4), range(4), (8, 16)):
        count = n_aad + n_data
        if not 0 < count <= 4:
            continue
        for late in product(lates, repeat=count - 1):
            given = [Word(16, k < n_aad, (0, *late)[k]) for k in range(count)]
            given[n_aad - 1 : n_aad] = [Word(size, True, given[n_aad - 1].late)] if n_aad else []
            times = t.play(given)
            tags.add(times.tag - times.taken[-1])
            data = [at for at, word in zip(times.taken, given, strict=True) if not word.aad]
            words |= {after - at for at, after in zip(data, times.results, strict=True)}
    tags.add((empty := t.play([Word(0)])).tag - empty.taken[0])
    assert (min(tags), max(tags)) == (t.least_tag, t.longest_tag)
    assert max(words) == t.longest


def test_flip_flops(built: Callable[..., Built], mapped: Counts) -> None:
    """The prediction is exact, also with a short tag."""
    core, folder = built(PRESET, "nonce_bytes=9", "tag_bits=48")
    assert isinstance(core, Core)
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_files_through_the_command_line(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(built(PRESET)[1].path)
    v = next(v for v in own_vectors("aes", "ccm") if v.source.endswith("VADT128.rsp, count 320"))
    header = tmp_path / "header"
    header.write_bytes(v.aad)
    given = (folder, "--key", v.key.hex(), "--iv", v.iv.hex(), "--aad-file", str(header))
    plain, sealed, back, none = (tmp_path / n for n in ("plain", "sealed", "back", "none"))
    plain.write_bytes(v.pt)
    assert execute(["encrypt", *given, str(plain), str(sealed)]) == 0
    assert sealed.read_bytes() == v.ct + v.tag
    assert execute(["decrypt", *given, str(sealed), str(back)]) == 0
    assert back.read_bytes() == v.pt
    sealed.write_bytes(v.ct + bytes(16))
    assert execute(["decrypt", *given, str(sealed), str(none)]) == 1
    assert "the tag is wrong" in capsys.readouterr().err
    sealed.write_bytes(bytes(15))
    assert execute(["decrypt", *given, str(sealed), str(none)]) == 2
    assert "this one has 15" in capsys.readouterr().err
    plain.write_bytes(bytes(65_536))
    for nonce, what in (
        (v.iv.hex(), "a packet under a nonce of 13 bytes has at most 65535"),
        ("", "mode ccm takes a nonce: give --iv with 26 hexadecimal digits"),
        ("00" * 12, "the nonce has 96 bits"),
    ):
        args = [folder, "--key", v.key.hex(), "--iv", nonce, str(plain), str(none)]
        assert execute(["encrypt", *args]) == 2
        assert what in capsys.readouterr().err
    assert not none.exists()


def test_the_library_encrypts_and_decrypts() -> None:
    core = library.build(PRESET)
    v = next(v for v in own_vectors("aes", "ccm") if v.source.endswith("VPT128.rsp, count 100"))
    assert core.encrypt(v.key, v.pt, iv=v.iv.hex(), aad=v.aad) == v.ct + v.tag
    assert core.decrypt(v.key, v.ct + v.tag, iv=v.iv.hex(), aad=v.aad) == v.pt
    with pytest.raises(CheckFailed, match="the tag is wrong"):
        core.decrypt(v.key, v.ct + v.tag, iv=v.iv.hex())


@pytest.mark.parametrize(
    ("preset", "changes", "said"),
    [
        ("aes128-fast", ["mode=ccm"], "mode = ccm needs architecture = iterative"),
        ("tdes-small", ["mode=ccm"], "mode = ccm needs block_bits = 128"),
        (PRESET, ["direction=encrypt"], "mode = ccm needs direction = both"),
        (PRESET, ["interface=stream"], "mode = ccm needs interface = plain or axi-stream"),
        (PRESET, ["tag_bits=120"], "tag_bits = 120 needs mode = gcm or cmac"),
        (PRESET, ["tag_bits=40"], "tag_bits"),
        (PRESET, ["nonce_bytes=14"], "nonce_bytes"),
        (PRESET, ["counter_bits=32"], "counter_bits"),
        ("aes-gcm-small", ["tag_bits=80"], "tag_bits = 80 needs mode = ccm"),
        ("aes-gcm-small", ["nonce_bytes=12"], "nonce_bytes = 12 needs mode = ccm"),
    ],
)
def test_what_is_not_there_is_refused(preset: str, changes: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, changes), {"preset": preset})
    assert "\n" not in str(told.value)


def test_short_tags_are_told(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `encrypt`, which makes a tag, as by `build`; nothing is said of longer ones."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.write_bytes(b"abc")
    for bits, told in ((48, True), (64, False)):
        folder = str(built(PRESET, *LIGHT_LOOP, f"tag_bits={bits}")[1].path)
        given = ["--key", "00" * 16, "--iv", "00" * 13, str(source), str(out)]
        assert execute(["encrypt", folder, *given]) == 0
        sentence = f"cipherwright: warning: tag_bits = {bits} is short: such tags are for uses in which"
        assert (sentence in capsys.readouterr().err) == told
