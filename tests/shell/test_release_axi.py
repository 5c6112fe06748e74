"""Release after the verdict behind AXI-Stream: a driver from outside, random messages about the depth of the
buffer, the rules of the bus, reset, faults that are seen, and flip-flops as predicted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.library import build
from cipherwright.shell import Core
from cipherwright.target import REGISTERS
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.message_axi import AxiMessageBench, Flow
from cipherwright.verify.message_axi_checks import (
    Traffic,
    check_message_stream,
    fresh_key,
    joined,
    messages_of,
    play,
)
from cipherwright.verify.reset import check_reset
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built
from tests.faults import drop, use, when
from tests.recorded import Counts

from .chosen_faults import faulty_bench
from .icarus import from_record
from .test_message_buses import checked, driven

WAITS = ("release=verdict", "interface=axi-stream")
SMALL = ("aes-gcm-small", *LIGHT_LOOP, *WAITS, "release_words=16", "tid_bits=2")
PIPELINE = (*LIGHT_GCM, *WAITS, "release_words=128")

FAULTS = {
    "a word is not announced": use("u_core.announce_i", "take", "(take & ~s_axis_tlast)"),
    "the next packet is as long as the one before": use("announced_q", "ends_packet", "1'b0"),
    "words leave that are not taken": use("u_core.stall_i", "~m_axis_tready", "1'b0"),
    "a beat is taken without a place": drop("room", "data_room"),
    "a refused packet has one at m_axis": drop("m_tag_tuser", "(tag_good | ~tag_decrypt)"),
    "TID is that of the beat that is taken": use("u_core.id_i", "id_value", "s_axis_tid"),
    "a packet with a wrong tag is released": use("release:good_q", "good_i", "1'b1"),
    "words that are dropped fill the buffer": when("arrived_q", "store", "came_q"),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], AxiMessageBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("waits")
    return faulty_bench(AxiMessageBench, built(*SMALL), FAULTS.values(), ("buffered", "release"), folder)


IN_AES = [
    ("aes-gcm-small", *WAITS, "release_words=16", "tid_bits=2"),
    ("aes128-ccm-small", *WAITS, "release_words=16"),
]
"""Of the cipher that the driver compares with an independent library."""


@from_record
@pytest.mark.parametrize("variant", IN_AES, ids=" ".join)
def test_packets_by_a_driver_from_outside(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    assert driven(built(*variant), tmp_path) == (6, 0)


@pytest.mark.long_check
def test_packets_around_a_loop(bench: Callable[[int], AxiMessageBench], built: Callable[..., Built]) -> None:
    said = check_message_stream(bench(-1), built(*SMALL)[0].parameters)
    assert "about a buffer of 8 words" in said
    assert "nothing of which leaves" in said


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], AxiMessageBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_message_stream(bench(list(FAULTS).index(fault)), built(*SMALL)[0].parameters)


@pytest.mark.long_check
def test_packets_around_a_pipeline(built: Callable[..., Built]) -> None:
    assert "about a buffer of 120 words" in checked(built(*PIPELINE))


def test_decrypted_packets_follow_each_other(built: Callable[..., Built]) -> None:
    """Packets of 42 words, which a buffer of 128 words takes together with what is in flight, lose no cycle
    but the one of their end.
    """
    folder = built(*PIPELINE)[1]
    bench, p = AxiMessageBench.compile(folder.sources, folder.record), folder.record["parameters"]
    rng = np.random.default_rng(3)
    key, words, count = fresh_key(bench, p, rng), 42, 8
    with bench.session() as s:
        s.load_key(key)
        found = list[Traffic]()
        while len(found) < count:
            made = messages_of(bench, p, key, [16 * words], rng)
            if made.left["m_tag"][0].user == 0b111 and len(made.beats) == words:
                found.append(made)
        for traffic in found:
            assert len(traffic.left["m_axis"]) == words
        play(s, joined(found), Flow())
        assert s.taken[-1] - s.taken[0] == count * (words + 1) - 2


@pytest.mark.long_check
def test_rules_and_reset(built: Callable[..., Built]) -> None:
    folder = built(*SMALL)[1]
    assert "an offer stays until it is taken" in check_bus_rules(folder)
    assert "m_tag_tvalid" in check_reset(folder)


def test_flip_flops_are_predicted(built: Callable[..., Built], mapped: Counts) -> None:
    for variant in ((*SMALL, "digit_bits=1"), (*LIGHT_GCM, *WAITS)):
        core, folder = built(*variant)
        assert isinstance(core, Core)
        assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


def test_a_buffer_that_is_too_small_is_refused() -> None:
    with pytest.raises(UserError, match="release_words = 16 is too small: behind AXI-Stream"):
        build("aes128-gcm", release="verdict", interface="axi-stream", release_words=16)
