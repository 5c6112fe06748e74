"""Counter mode of several lanes behind streams: a word has a block for each lane, and is held back, kept and
forgotten as a block is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.errors import CheckFailed
from cipherwright.rebuild import verify_folder
from cipherwright.spec import parse
from cipherwright.target import REGISTERS
from cipherwright.verify import checks
from cipherwright.verify.axi_stream import AxiBench
from cipherwright.verify.modes import check_counter
from tests.conftest import IN_LIGHT, Built
from tests.faults import Fault, takes, use
from tests.recorded import Counts
from tests.verify.test_checks import broken_file

LANES = ("aes128-fast-ctr", *IN_LIGHT)
FLOWING = (*LANES, "lanes=3", "interface=axi-stream", "tdata_bits=0", "tid_bits=2")
VARIANTS = {
    "a stream": (*LANES, "lanes=2", "interface=stream"),
    "a word is a beat": FLOWING,
    "a word is a beat, short FIFO": (*FLOWING, "fifo_depth=8"),
    "narrow beats, registers": (*LANES, "lanes=2", "interface=axi-stream", "control=apb", "tdata_bits=64"),
    "wide beats": (*LANES, "lanes=2", "interface=axi-stream", "tdata_bits=512", "counter_bits=32"),
}
RATES = dict(zip(VARIANTS, (1, 1, 4, 4, 1), strict=True))
"""Cycles for a word, of one after the other."""


@pytest.mark.long_check
@pytest.mark.parametrize("variant", VARIANTS)
def test_words_behind_streams_are_verified(variant: str, built: Callable[..., Built]) -> None:
    """Counters with gaps and back-pressure, key changes, resets, zeroising, rules of the bus, and the proof
    for every key and block.
    """
    core, folder = built(*VARIANTS[variant])
    found = {v.check: v for v in verify_folder(folder, 200)}
    assert [v.detail for v in found.values() if not v.passed] == []
    assert {c for c, v in found.items() if v.status != "ok"} == {"known answers", "known answers in bulk"}
    assert core.interval == RATES[variant]
    assert "5 keys under traffic, zeroising at 4 times" in found["protocol"].detail


@pytest.mark.parametrize("variant", VARIANTS)
def test_flip_flops_of_words_behind_streams(
    variant: str, built: Callable[..., Built], mapped: Counts
) -> None:
    core, folder = built(*VARIANTS[variant])
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops


@pytest.mark.parametrize(
    "fault",
    [use("step_q", "step_i", "1'b1"), takes("stepped_o", "step_i"), use("shown", "value", "iv_2[15:0]")],
    ids=["steps in gaps", "steps too early", "counter block in place of its successors"],
)
def test_faults_of_lanes_behind_a_stream_are_seen(
    fault: Fault, built: Callable[..., Built], tmp_path: Path
) -> None:
    _, folder = built(*FLOWING)
    wrong = broken_file(folder, "light128_fast_ctr_lane_counter.sv", fault, tmp_path / "b")
    bench = checks.bench_of(wrong.sources, wrong.record)
    with pytest.raises(CheckFailed):
        check_counter(bench, wrong.record["parameters"], 600)


def test_a_message_that_ends_within_a_word(built: Callable[..., Built]) -> None:
    """Without another counter block the next message goes on behind the word, as the README says."""
    core, folder = built(*FLOWING)
    bench = checks.bench_of(folder.sources, folder.record)
    assert isinstance(bench, AxiBench)
    key, iv = bytes(range(16)), np.arange(16, dtype=np.uint8)
    ways, cipher = np.zeros(1, dtype=np.uint8), parse(folder.record["parameters"]).described
    model = bench.start()
    bench.load_key(model, np.frombuffer(key, dtype=np.uint8))
    bench.load_iv(model, iv)
    got = [
        bench.exchange(model, np.zeros((1, 16), dtype=np.uint8), ways, np.zeros((n, 16), dtype=np.uint8))
        for n in (4, 1, 3)
    ]
    model.close()
    start = int.from_bytes(iv.tobytes(), "big")
    for done, first in zip(got, (0, 6, 9), strict=True):
        for k, block in enumerate(done.blocks):
            number = (start + first + k).to_bytes(16, "big")
            assert block.tobytes() == cipher.encrypt_block(key, number)
    readme = (folder.path / "README.md").read_text()
    assert f"goes on {core.lanes} numbers after its last word's first block" in readme
