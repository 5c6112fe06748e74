"""A core of HCTR2: all checks hold, faults are seen, the cycles are those that are promised, and what is not
there is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright import library
from cipherwright.cipher.hctr2 import WIDE_BLOCK_BITS, polynomial
from cipherwright.cli.run import execute
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core, WideTiming
from cipherwright.shell.folder import check_extras
from cipherwright.shell.hctr2.modules import field_parameters
from cipherwright.spec import load, parse
from cipherwright.target import load_target, synthesise
from cipherwright.tools import scratch
from cipherwright.verify import WideBench, WidePacket, own_vectors, verify_core
from cipherwright.verify.hctr2 import (
    check_refused,
    check_wide_packets,
    check_wide_resets,
    published_wide,
    wide_result,
)
from tests.conftest import LIGHT_LOOP, Built
from tests.faults import drop, use, when_drop

from .chosen_faults import faulty_bench

PRESET = "aes-hctr2-small"
TWO = (
    PRESET,
    *LIGHT_LOOP,
    "key_bits=128",
    "key_expansion=logic",
    "key=agile",
    "message_bytes=128",
    "stages=2",
)
"""A loop that has two blocks of the key stream at a time."""

FAULTS = {
    "lengths without their two": use("length_block", "3'd1", "3'd0"),
    "a text that is not whole has the lengths of one that is": use("length_block", "~keep_q[0]", "1'b0"),
    "no L": use("start_q", "mask_q", "{WIDTH{1'b0}}"),
    "the key stream counts from 0": use("asked", "number_q", "number_q - {{DEPTH_LOG2 - 1{1'b0}}, stream_q}"),
    "the halves of the middle are swapped": use("middle_block_q", "result", "start_q"),
    "bytes behind a tweak or a text are hashed": use("taken[*]", "keep_i[BYTES-1-i]", "1'b1"),
    "a one behind a tweak": drop("taken[*]", "~aad_i"),
    "no one behind a text": use("taken[*]", "edge_at[i] & ~aad_i", "1'b0"),
    "the text is hashed twice, and not what it becomes": use(
        "added", "word_q", "(stream_q ? read_q : word_q)"
    ),
    "decryption encrypts the block in the middle": use("core_decrypt_o", "decrypt_q", "1'b0"),
    "the key stream goes beyond the text": use("streamed", "at_end", "1'b0"),
    "the hash goes on from the first to the second": when_drop("sum_q", "hashed"),
    "a product is not reduced": use("reduced", "folded", "{WIDTH{1'b0}}"),
    "h is not made ready for products": use("turns_q", "made & ~number_q[0]", "1'b0"),
    "the first block is hashed": use("at_q", "~tweaked & ~alone", "1'b0"),
    "a tweak of one word is lost": use("tweaked", "tweaks_q", "(tweaks_q >> 1)"),
    "the direction is read with every word": when_drop("decrypt_q", "~begun_q"),
    "a text or tweak that is too long is taken": use("beyond", "place[DEPTH_LOG2]", "1'b0"),
    "a text shorter than a block is taken": use("wrong_text", "~texts_q", "1'b0"),
    "a short word within a text is taken": use("wrong_text", "~last_i", "1'b0"),
    "a short word within a tweak is taken": use("wrong_tweak", "short_q", "1'b0"),
    "a tweak behind a text is taken": use("wrong_tweak", "texts_q", "1'b0"),
    "a tweak alone is taken": use("wrong_tweak", "last_i", "1'b0"),
    "a word without a byte is taken": use("wrong", "~some", "1'b0"),
    "a packet that is refused shows its bytes": use("shows", "~error_q", "1'b1"),
    "a result is lost where nobody takes it": use("move", "~valid_q", "1'b1"),
    "a key is taken within a packet": use("loop_hctr2:inside_o", "begun_q", "work_q"),
    "a packet begins before a key that waits": use("hctr2:inside_o", "~(valid_o & ready_i & last_o)", "1'b1"),
    "a word is taken while a packet is at work": drop("loop_hctr2:ready_o", "~work_q"),
}

LEFT = {
    "a result while everything is being cleared": drop("tells", "~drop_i"),
    "a packet goes on behind zeroising": drop("begun_q", "~clear"),
}
"""Faults that zeroising shows."""

ALL = {**FAULTS, **LEFT}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], WideBench]:
    """The core of two stages with the fault of a number, or -1 for none."""
    parts, folder = ("control", "hctr2", "loop_hctr2"), tmp_path_factory.mktemp("hctr2")
    return faulty_bench(WideBench, built(*TWO), ALL.values(), parts, folder)


@pytest.mark.long_check
def test_a_loop_of_two_stages(bench: Callable[[int], WideBench], built: Callable[..., Built]) -> None:
    """All lengths of texts from 16 to 100 bytes, and of tweaks from 0 to 50."""
    p = built(*TWO)[0].parameters
    assert "equal to the mode around the description" in check_wide_packets(bench(-1), p, 90)
    assert "all is right after" in check_wide_resets(bench(-1), p)


@pytest.mark.long_check
def test_all_checks_pass(built: Callable[..., Built]) -> None:
    core, folder = built(*TWO)
    assert isinstance(core, Core)
    verdicts = verify_core(folder, core.plain, blocks=150, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == [
        ("files", "ok"),
        ("compile", "ok"),
        ("published packets", "not checked"),
        ("random packets against the description", "ok"),
        ("resets within packets", "ok"),
        ("reset", "ok"),
        ("zeroise", "ok"),
        ("equivalence for all inputs", "ok"),
    ], [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], WideBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_wide_packets(bench(list(ALL).index(fault)), built(*TWO)[0].parameters, 24)


@pytest.mark.parametrize("fault", LEFT)
def test_faults_of_clearing_are_seen(
    fault: str, bench: Callable[[int], WideBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_wide_resets(bench(list(ALL).index(fault)), built(*TWO)[0].parameters)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[int], WideBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench(-1)
    dead = WideBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_wide_resets(dead, built(*TWO)[0].parameters)


@pytest.mark.long_check
@pytest.mark.parametrize("preset", [PRESET, "rijndael256-hctr2-small"])
def test_presets(preset: str, built: Callable[..., Built]) -> None:
    """Published packets where there are any, the longest text and tweak, and broken packets."""
    core, folder = built(preset, "message_bytes=128")
    bench = WideBench.compile(folder.sources, folder.record)
    p = core.parameters
    if preset == PRESET:
        assert "published packets, encrypted and decrypted" in published_wide(bench, p)
    assert "refused, and leave nothing" in check_wide_packets(bench, p, 4)


@pytest.mark.parametrize("tweaks", [0, 1, 8])
@pytest.mark.parametrize("words", [1, 2, 3, 8])
def test_cycles_are_those_promised(
    words: int, tweaks: int, bench: Callable[[int], WideBench], built: Callable[..., Built]
) -> None:
    """The session counts the cycles of every packet; here they are compared with the formula of the README,
    and a result that is a cycle later is seen.
    """
    b, block = bench(-1), bench(-1).block_bytes
    t, c = b.timing, b.timing.cipher
    middle = max(c + 2, t.product * (tweaks + 1) + 2)
    stream = c + t.product + 4 + t.interval * (words - 2) if words > 1 else 3
    assert t.latency(tweaks, words) == t.product * (tweaks + words) + 2 + middle + stream
    packet = WidePacket(bytes(tweaks * block), bytes(words * block))
    with b.session() as s:
        s.load_key(bytes(16))
        begin = s.cycle
        s.send(packet)
        taken = tweaks + words
        assert s.cycle == begin + taken - 1 + t.latency(tweaks, words) + words + 4
        assert s.finish() == [wide_result(built(*TWO)[0].parameters, bytes(16), packet)]


def test_blocks_of_the_key_stream_find_a_free_place() -> None:
    """In a loop of any number of stages the place of the loop that comes by is free after the interval."""
    for stages in range(1, 13):
        for rounds in (4, 10, 14, 28):
            t = WideTiming.of(128, rounds * stages, stages, 0)
            begins = [k * t.interval for k in range(3 * stages)]
            taken = {(b % stages, b) for b in begins}
            assert all(
                later - before >= t.cipher
                for place, before in taken
                for other, later in taken
                if place == other and later > before
            )
            assert t.product <= t.interval <= max(t.product, rounds) + stages


@pytest.mark.long_check
def test_flip_flops_are_those_predicted(built: Callable[..., Built]) -> None:
    """With a buffer in block RAM, which has the register behind it inside."""
    core, folder = built(*TWO, "message_bytes=1024")
    with scratch() as work:
        mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), work)
    assert mapped.ffs == core.flip_flops
    assert mapped.cells["DP16KD"] == 4


@pytest.mark.parametrize("bits", WIDE_BLOCK_BITS)
def test_the_hardware_is_told_the_polynomial(bits: int) -> None:
    told = field_parameters(bits)
    exponents = [0, bits, *(int(told[f"TAP_{n}"]) for n in (1, 2, 3))]
    seen = sum(1 << k for k in exponents)
    reflected = int(f"{polynomial(bits):b}"[::-1], 2)
    assert seen == (reflected if told["REFLECTED"] else polynomial(bits))


def test_packets_that_break_a_rule(bench: Callable[[int], WideBench], built: Callable[..., Built]) -> None:
    assert check_refused(bench(-1), built(*TWO)[0].parameters).startswith("9 packets")


def test_files_through_the_core(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    v = next(v for v in own_vectors("aes", "hctr2") if len(v.key) == 32 and len(v.pt) == 31)
    folder = str(built(PRESET)[1].path)
    plain, sealed, opened = (tmp_path / name for name in ("plain", "sealed", "opened"))
    plain.write_bytes(v.pt)
    assert execute(["encrypt", folder, "--key", v.key.hex(), str(plain), str(sealed)]) == 0
    assert sealed.read_bytes() == v.ct
    args = ["decrypt", folder, "--key", v.key.hex(), "--iv", "", str(sealed), str(opened)]
    assert execute(args) == 0 and opened.read_bytes() == v.pt
    plain.write_bytes(bytes(15))
    assert execute(["encrypt", folder, "--key", v.key.hex(), str(plain), str(sealed)]) == 2
    assert "has 15 bytes, and mode hctr2 of this core takes 16 to 4096" in capsys.readouterr().err
    plain.write_bytes(bytes(4097))
    assert execute(["encrypt", folder, "--key", v.key.hex(), str(plain), str(sealed)]) == 2
    assert "4096: build the core with a larger message_bytes" in capsys.readouterr().err
    plain.write_bytes(bytes(16))
    long = ["encrypt", folder, "--key", v.key.hex(), "--iv", "00" * 4097, str(plain), str(sealed)]
    assert execute(long) == 2
    assert "the tweak has 4097 bytes, and this core takes at most 4096" in capsys.readouterr().err


def test_the_library_takes_a_tweak_of_any_length() -> None:
    core, key = library.build(PRESET, key_bits=128), own_vectors("aes", "hctr2")[0]
    made = core.encrypt(key.key, key.pt, iv=key.iv)
    assert made == key.ct and core.decrypt(key.key, made, iv=key.iv) == key.pt
    assert core.encrypt(key.key, key.pt) != made


def test_what_nobody_has_is_said(built: Callable[..., Built]) -> None:
    """In the header, the README and a warning, of blocks of 256 bits alone."""
    for preset, experimental in ((PRESET, False), ("rijndael256-hctr2-small", True)):
        core, folder = built(preset)
        assert isinstance(core, Core)
        assert any("experimental" in warning for warning in core.warnings) == experimental
        assert ("EXPERIMENTAL" in core.files[f"{core.top}.v"]) == experimental
        assert ("**Experimental.**" in (folder.path / "README.md").read_text()) == experimental


@pytest.mark.parametrize(
    ("preset", "changes", "said"),
    [
        ("aes128-fast", ["mode=hctr2"], "mode = hctr2 needs architecture = iterative"),
        ("aes-small", ["mode=hctr2"], "mode = hctr2 needs direction = both"),
        ("des-small", ["mode=hctr2"], "mode = hctr2 needs block_bits = 128 or 256"),
        (PRESET, ["interface=stream"], "mode = hctr2 needs interface = plain or axi-stream"),
        (PRESET, ["message_bytes=3000"], "the buffer of texts has a power of two of bytes, not 3000"),
        (PRESET, ["digit_bits=9"], "mode = hctr2 needs digit_bits = 0, 1, 2, 4, 8, 16 or 32, not 9"),
        ("aes-small", ["message_bytes=256"], "message_bytes = 256 needs mode = hctr2"),
    ],
)
def test_what_is_not_there_is_refused(preset: str, changes: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        generate(load(preset, changes))


@pytest.mark.parametrize("extra", ["cocotb", "model"])
def test_no_other_benches_are_made(extra: str, built: Callable[..., Built]) -> None:
    with pytest.raises(UserError, match=f"--with {extra} is not made for mode = hctr2 at plain ports"):
        check_extras(built(PRESET)[0], [extra])
