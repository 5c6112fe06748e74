"""What a core's header and README say of its times, against simulations of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cipherwright.shell import Core
from cipherwright.verify.axi_stream import AxiBench
from cipherwright.verify.message_axi import AxiMessageBench, Flow
from cipherwright.verify.message_axi_checks import check_message_stream, fresh_key, messages_of, play
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built

from .folder_class import folder_class, through


@pytest.mark.parametrize(
    ("variant", "rate"),
    [
        (("des-small",), "1 block every 17 cycles"),
        (("des-small", "stages=2"), "2 blocks every 34 cycles"),
        (("des-xilinx-16",), "1 block every cycle"),
        (("des-xilinx-16", "stages=1", "interface=plain"), "1 block every cycle"),
    ],
)
def test_the_header_counts_in_words(variant: tuple[str, ...], rate: str, built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    header = (folder.path / f"{core.top}.v").read_text().partition("`timescale")[0]
    cycles = "1 cycle" if core.latency == 1 else f"{core.latency} cycles"
    assert re.search(rf"Latency: +{cycles} from a block to its result; {rate}\n", header), header
    text = (folder.path / "README.md").read_text()
    assert f"A result is offered {cycles} after its block is taken." in text


@pytest.mark.parametrize("more", [(), ("release=verdict", "release_words=64")], ids=" ".join)
def test_the_header_of_a_pipeline_of_gcm_says_what_axi_stream_adds(
    more: tuple[str, ...], built: Callable[..., Built]
) -> None:
    """To a result and to a tag, which a simulation has as the record does (`verify`)."""
    core, folder = built(*LIGHT_GCM, *more, "interface=axi-stream")
    assert isinstance(core, Core) and core.packet is not None and core.stream is not None
    header = " ".join((folder.path / f"{core.top}.v").read_text().partition("`timescale")[0].split())
    header = header.replace(" // ", " ")
    inner = core.stream["latency_cycles"]
    result = f"{core.latency - inner} cycles to a result and " if core.latency > inner else ""
    added = core.stream["tag_added_cycles"]
    assert added > 0
    assert f"AXI-Stream adds {result}{added} cycles to a tag" in header
    assert f"{core.packet['tag_latency_cycles']} cycles from a packet's last word to its tag" in header
    bench = AxiMessageBench.compile(folder.sources, folder.record)
    said = check_message_stream(bench, folder.record["parameters"])
    total = core.packet["tag_latency_cycles"] + added
    assert f"a tag or verdict {total} cycles after its beat" in said


@pytest.mark.parametrize("stages", [1, 3])
def test_the_readme_of_ccm_behind_axi_stream_says_when_results_leave(
    stages: int, built: Callable[..., Built]
) -> None:
    """That of the first beat exactly, those of others within the bounds, the lower one of which is met."""
    core, folder = built("aes128-ccm-small", *LIGHT_LOOP, f"stages={stages}", "interface=axi-stream")
    assert isinstance(core, Core) and core.packet is not None
    text = (folder.path / "README.md").read_text()
    found = re.search(r"a result is offered (\d+) to (\d+) cycles after its beat", text)
    assert found
    least, most = map(int, found.groups())
    assert f"a beat of data, is offered exactly {core.latency} cycles after it." in text
    bench, rng = AxiMessageBench.compile(folder.sources, folder.record), np.random.default_rng(stages)
    p = folder.record["parameters"]
    waits = []
    for pace in (1.0, 0.5, 0.1, 0.02):
        key = fresh_key(bench, p, rng)
        with bench.session() as s:
            s.load_key(key)
            s.quiet(bench.patience)
            play(s, messages_of(bench, p, key, [6 * bench.beat_bytes], rng), Flow(pace))
            times = [out - into for into, out in zip(s.taken, s.when["m_axis"], strict=True)]
        assert times[0] == core.latency
        waits += times
    assert least == min(waits)
    assert max(waits) <= most


def _latency(model: Any, core: Core, slot: int, gap: int) -> int:
    """Cycles from the one that takes a block of the message `slot` to the first that offers its result, after
    `gap` cycles in which `core` has nothing more to do.
    """
    width = core.parameters["tdata_bits"] or core.parameters["block_bits"]
    beats = core.parameters["block_bits"] // width
    for _ in range(2 * core.latency + gap):
        model.cycle(s_axis_tvalid=0)
    while beats:
        last = int(beats == 1)
        offer = {"s_axis_tvalid": 1, "s_axis_tlast": last, "s_axis_tkeep": (1 << width // 8) - 1}
        beats -= model.cycle(**offer, s_axis_tuser=slot)["s_axis_tready"]
    cycles = 1
    while not model.cycle(s_axis_tvalid=0)["m_axis_tvalid"]:
        cycles += 1
    return cycles


@pytest.mark.parametrize(
    "more",
    [("mode=cbc", "direction=encrypt"), ("mode=cfb", "tdata_bits=32", "direction=encrypt")],
    ids=" ".join,
)
def test_the_readme_says_how_long_a_block_waits_for_the_turn_of_its_message(
    more: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    """Whenever it comes, and whichever message it is of: the least and the most that a simulation shows."""
    core, folder = built("des-small", "stages=3", "interface=axi-stream", *more)
    assert isinstance(core, Core)
    text = (folder.path / "README.md").read_text()
    found = re.search(r"In a core at rest a result is offered (\d+) to (\d+) cycles after its block", text)
    assert found
    bench = AxiBench.compile(folder.sources, folder.record)
    with through(folder_class(core, tmp_path / "core"), bench.simulation, {"m_axis_tready": 1}) as model:
        seen = {_latency(model, core, slot, gap) for gap in range(core.slots) for slot in range(core.slots)}
    assert [min(seen), max(seen)] == [int(n) for n in found.groups()]
    assert min(seen) < max(seen)
