"""What a core's header and README say of its times, against simulations of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from cipherwright.shell import Core
from cipherwright.verify.message_axi import AxiMessageBench, Flow
from cipherwright.verify.message_axi_checks import check_message_stream, fresh_key, messages_of, play
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built


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
