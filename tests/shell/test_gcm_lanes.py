"""A core of GCM whose words are several blocks: all checks hold on a quick variant of the preset, faults are
seen, and what is not there is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright import library
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.sources import read_changes
from cipherwright.spec import load
from cipherwright.target import REGISTERS
from cipherwright.verify.gcm import check_packets, random_packets
from cipherwright.verify.packets import PacketBench
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out
from tests.conftest import LIGHT_GCM, QUICK_GCM_LANES, Built
from tests.faults import takes, use
from tests.front_ends import run_testbench
from tests.recorded import Counts

from .chosen_faults import faulty_bench

LENGTHS = 80
"""Bytes of additional data and of data: all lengths up to this."""

FAULTS = {
    "the second lane has the first one's number": use("block_chain_1", "numbered_5", "1'b0"),
    "numbers go up by one": use("block_chain_0", "shown_count_from_1", "{1'b0, shown_count_from_1[30:1]}"),
    "the packet's end is in the second lane": use(
        "block_h", "keep_l3[15] | filling", "keep_l3[15] | filling | end_l3"
    ),
    "a block counts in the lane before": use("block_h", "keep_l3[15] | filling", "keep_l3[31] | filling"),
    "bytes beyond the text are hashed": takes("hashed_word", "{32{keep_l15[31]}}"),
    "lengths have no 17th byte": takes("bytes[4]", "1'b0"),
    "lengths count blocks": use("aads_move", "keep_l14[0]", "keep_l14[16]"),
    "missed gate at a packet's start": takes("fed", "1'b1"),
    "wrong power in the second lane": takes("beside_1[0]", "own[19]"),
    "wrong power where two blocks enter": takes("more_2", "{1'b0, more_1[0]}"),
    "the expected tag is in every block": use("block_3", "block_2[127:0]", "block_2[127:0] ^ tag_3"),
    "a word of a gap is hashed": takes("keep_3", "keep_2"),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], PacketBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("gcm")
    modules = ("control", "gcm", "ghash")
    return faulty_bench(PacketBench, built(*QUICK_GCM_LANES), FAULTS.values(), modules, folder)


@pytest.mark.long_check
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_all_short_lengths(
    gaps: float, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    """Every length up to 80 bytes of additional data and of data, back to back and with gaps, in both
    directions and with wrong tags, against OpenSSL.
    """
    p, rng = built(*QUICK_GCM_LANES)[0].parameters, np.random.default_rng(80)
    sizes = [(int(a), int(b)) for a, b in zip(*(rng.permutation(LENGTHS + 1) for _ in "ad"), strict=True)]
    sizes += [(0, n) for n in range(LENGTHS + 1)] + [(n, 0) for n in range(LENGTHS + 1)]
    key = rng.bytes(p["key_bits"] // 8)
    packets, want = random_packets(p, rng, key, sizes)
    with bench(-1).session(5) as s:
        s.load_key(key)
        for packet in packets:
            s.send(packet, gaps)
        assert s.finish() == want


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    p = built(*QUICK_GCM_LANES)[0].parameters
    with pytest.raises(CheckFailed):
        check_packets(bench(list(FAULTS).index(fault)), p, 24)


@pytest.mark.long_check
def test_a_sample_of_nist_s_vectors(bench: Callable[[int], PacketBench]) -> None:
    """Every 41st case with an IV of 96 bits, and 40 that must fail."""
    found = {way: [c for c in cases(128, way) if not why_left_out(c, 16)] for way in FILES}
    fails = [c for c in found["decrypt"] if c.fails][:40]
    counts = run_cases(bench(-1), [*found["encrypt"][::41], *found["decrypt"][::41], *fails])
    assert counts["must fail, and fails"] >= 40
    assert counts["right"] >= 64


def test_messages_through_the_library(
    bench: Callable[[int], PacketBench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PacketBench, "compile", lambda *_: bench(-1))
    preset, *quick = QUICK_GCM_LANES
    core = library.build(preset, **read_changes(quick))
    key, iv, text = bytes(range(16)), bytes(12), bytes(range(99))
    sealed = core.encrypt(key, text, iv=iv, aad=b"header")
    assert core.decrypt(key, sealed, iv=iv, aad=b"header") == text
    with pytest.raises(CheckFailed, match="the tag is wrong"):
        core.decrypt(key, sealed, iv=iv, aad=b"other")


@pytest.mark.long_check
@pytest.mark.parametrize("changes", [(), ("lanes=4", "tag_bits=96")], ids=["two", "four"])
def test_the_testbench_of_the_core(
    changes: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """In Icarus, which has no state at the beginning: published packets in words of 32 and of 64 bytes."""
    core, folder = built(*QUICK_GCM_LANES, *changes)
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")


def test_what_the_folder_says(built: Callable[..., Built]) -> None:
    core, folder = built(*QUICK_GCM_LANES)
    assert isinstance(core, Core)
    said = (folder.path / "README.md").read_text()
    assert "A word has 2 blocks, the first one in the most significant bits." in said
    assert "may have fewer than 32." in said
    assert "256 bits a cycle" in said
    assert core.bits_per_cycle == folder.record["bits_per_cycle"] == 256


def test_flip_flops_of_four_lanes(built: Callable[..., Built], mapped: Counts) -> None:
    """What tells whether lanes between the first and the last have a block is in no second register."""
    core, folder = built(*LIGHT_GCM, "lanes=4")
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("lanes=3",), "mode = gcm has lanes = 1 or 2 or 4, not 3"),
        (("stages=12",), "mode = gcm needs a pipeline of at least 14 stages"),
        (("interface=stream",), "interface = plain or axi-stream"),
        (("key_slots=2",), "key_slots = 1"),
        (("iv_bits=any",), "iv_bits = 96"),
        (("architecture=iterative", "stages=none"), "architecture = pipelined"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = QUICK_GCM_LANES
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)
