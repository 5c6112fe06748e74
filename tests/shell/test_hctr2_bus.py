"""AXI-Stream and a register bus around a core of HCTR2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.message_axi_checks import check_message_stream
from tests.conftest import Built
from tests.faults import Fault, Faults, drop, takes, use
from tests.recorded import verified
from tests.shell.chosen_faults import faulty_bench
from tests.shell.test_hctr2 import TWO

AXI = (*TWO, "interface=axi-stream")

WHOLE = (
    (*AXI, "tid_bits=3"),
    (*AXI, "control=axi-lite"),
    (*AXI, "tdata_bits=32", "tid_bits=2", "control=apb"),
    (*AXI, "tdata_bits=256", "control=wishbone"),
    (*AXI, "reset=async"),
)
"""Beats that are words, parts of a word and two words; keys at ports and in registers."""


@pytest.mark.long_check
@pytest.mark.parametrize("variant", WHOLE, ids=" ".join)
def test_every_check_holds(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """Among them packets with gaps and back-pressure, packets that break a rule, resets and zeroising, and
    the rules of the bus for all times.
    """
    verdicts = verified(built(*variant)[1], 100)
    assert [v for v in verdicts if not v.passed] == []
    assert {"bus rules", "AXI-Stream"} <= {v.check for v in verdicts if v.status == "ok"}


FAULTS: dict[str, Fault | Faults] = {
    "the direction is that of every beat": use("way_q", "take & ~within_q", "take"),
    "a packet never ends": use("within_q", "~s_axis_tlast", "1'b1"),
    "the direction of a result is that of the packet behind": takes("out_decrypt", "s_axis_tuser[0]"),
    "a refusal is not told": takes("out_error", "1'b0"),
    "TID is that of the first beat": use("id_q", "take", "(take & ~within_q)"),
    "a word is overwritten before it is taken": takes("light_hctr2_small_key128:move", "1'b1"),
    "zeroising leaves a word": drop("out_valid", "~zeroising"),
    "a packet's end is lost": takes("out_last", "1'b0"),
    "a byte that is not there counts": takes("out_keep", "{16{1'b1}}"),
}
"""What is wrong of what is around the core."""


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], AxiMessageBench]:
    """bench(n): the core with the fault of a number, or -1 for none."""
    place = tmp_path_factory.mktemp("faults")
    return faulty_bench(AxiMessageBench, built(*WHOLE[0]), FAULTS.values(), (), place)


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], AxiMessageBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_message_stream(bench(list(FAULTS).index(fault)), built(*WHOLE[0])[0].parameters, keys=4)


@pytest.mark.long_check
def test_the_right_core_passes(bench: Callable[[int], AxiMessageBench], built: Callable[..., Built]) -> None:
    said = check_message_stream(bench(-1), built(*WHOLE[0])[0].parameters, keys=4)
    assert "each under the key that was there" in said


@pytest.mark.parametrize("variant", WHOLE[:3], ids=" ".join)
def test_flip_flops_are_as_predicted(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    assert synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), tmp_path).ffs == core.flip_flops


def test_the_readme_has_the_rules(built: Callable[..., Built]) -> None:
    text = (built(*WHOLE[2])[1].path / "README.md").read_text()
    for said in (
        "A packet is a message of HCTR2",
        "`s_axis_tuser[1]` says that the beat is of the tweak",
        "`m_axis_tuser[1]` = 1",
        "The result has the TID of the packet's last beat.",
        "The core waits until a result is taken",
    ):
        assert said in " ".join(text.split()), said


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(
        UserError, match="mode = hctr2 needs interface = plain or axi-stream, not interface = registers"
    ):
        load(TWO[0], [*TWO[1:], "interface=registers", "control=apb"])
