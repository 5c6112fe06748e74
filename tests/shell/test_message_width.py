"""AXI-Stream around whole messages whose beats are parts of a word, or several words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise
from cipherwright.verify import CoreFolder
from cipherwright.verify.bus_rules import check_bus_rules
from cipherwright.verify.message_axi import AxiMessageBench
from cipherwright.verify.message_axi_checks import check_message_stream
from tests.conftest import AGILE_XTS, LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, Built
from tests.faults import Fault, Faults, drop, takes, use
from tests.recorded import verified
from tests.shell.chosen_faults import faulty_bench

AXI = "interface=axi-stream"
GCM = ("aes-gcm-small", *LIGHT_LOOP, AXI)
XTS = ("aes128-xts-small", *LIGHT_LOOP, AXI)
CCM = ("aes128-ccm-small", *LIGHT_LOOP, AXI)
CMAC = ("aes128-cmac-small", *LIGHT_LOOP, AXI)
TRAVELS = (*AGILE_XTS, AXI)
ANNOUNCED = (*LIGHT_GCM, AXI, "key_slots=2", "packet_keys=announced")

NARROW = (*GCM, "tdata_bits=32", "tid_bits=2")
WIDE = (*GCM, "tdata_bits=256", "tid_bits=1")

WHOLE = (
    NARROW,
    (*GCM, "tdata_bits=64", "control=apb", "iv_bits=any"),
    (*GCM, "tdata_bits=512", "release=verdict", "release_words=64"),
    (*GCM, "tdata_bits=32", "channels=2"),
    (*CCM, "tdata_bits=64", "control=axi-lite"),
    (*CCM, "tdata_bits=256"),
    (*CMAC, "tdata_bits=32", "control=wishbone"),
    (*CMAC, "tdata_bits=512", "tid_bits=3"),
    ("tdes-cmac-small", AXI, "tdata_bits=32"),
    (*XTS, "tdata_bits=32", "control=apb"),
    (*XTS, "tdata_bits=256", "reset=async"),
    (*LIGHT_GCM, AXI, "tdata_bits=64"),
    (*LIGHT_GCM, AXI, "tdata_bits=512", "tid_bits=1"),
    (*LIGHT_GCM, "lanes=2", AXI, "tdata_bits=128"),
    (*LIGHT_XTS, AXI, "tdata_bits=32"),
    (*TRAVELS, "tdata_bits=512"),
    (*ANNOUNCED, "tdata_bits=64"),
)
"""Cores of every mode, with narrower and with wider beats."""


@pytest.mark.long_check
@pytest.mark.parametrize("variant", WHOLE, ids=" ".join)
def test_every_check_holds(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """Among them traffic with gaps and back-pressure, resets and zeroising, and the rules of the bus for all
    times.
    """
    verdicts = verified(built(*variant)[1], 100)
    assert [v for v in verdicts if not v.passed] == []
    assert {"bus rules", "AXI-Stream"} <= {
        v.check for v in verdicts if v.status == "ok"
    } or "channels=2" in variant


NARROW_FAULTS: dict[str, Fault | Faults] = {
    "data get into the word of additional data": takes("gather:turns", "1'b0"),
    "the second beat of a word is in the third one's place": use(
        "gather:place_q", "place_q + 2'd1", "place_q + 2'd2"
    ),
    "the IV is that of a later beat": use("gather:first_q", "take & starts", "take"),
    "the direction is that of a word's first beat": use("gather:tag_q", "take", "take & starts"),
    "a word is taken over by the next one": use("gather:may", "out_ready_i", "1'b1"),
    "zeroising leaves a part of a word": use("gather:place_q", "drop_i", "1'b0"),
    "every beat of a result is the last one": drop("spread:out_last_o", "ends"),
    "the next result comes too early": use("spread:may", "ends", "1'b1"),
    "a result's beats are in the wrong order": use("spread:data_q", "data_q[127:32]", "data_q[95:0]"),
    "a key does not wait for beats": use("offer_q", "front_idle", "1'b1"),
    "a beat is taken before there is a key": use("open", "loaded_q", "1'b1"),
    "a message begins while a key waits": use("open", "~hold_q", "1'b1"),
}
"""What is wrong of a core with four beats for a word."""

WIDE_FAULTS: dict[str, Fault | Faults] = {
    "the second word of a beat is lost": takes("spread:ends", "1'b1"),
    "the first word of a beat ends the message": drop("spread:out_last_o", "ends"),
    "a beat is taken too early": use("spread:may", "ends", "1'b1"),
    "zeroising leaves words": drop("spread:full_q", "~drop_i"),
    "a last word waits for another one": use("gather:complete", "in_last_i", "1'b0"),
    "bytes of the beat before are shown": use(
        "gather:data_q[255:128]", "starts ? 128'd0 : in_data_i", "in_data_i"
    ),
    "a result is overwritten": use("gather:may", "out_ready_i", "1'b1"),
    "a key does not wait for beats": use("offer_q", "front_idle", "1'b1"),
}
"""The same of one with two words in a beat."""

TRAVEL_FAULTS: dict[str, Fault | Faults] = {
    "beats are taken while all is forgotten": takes("light128_xts_both:open", "1'b1"),
}
"""The same of one whose keys come with numbers, so that beats can follow zeroising at once."""

FAULTY: Mapping[str, tuple[tuple[str, ...], Mapping[str, Fault | Faults]]] = {
    "narrow": (NARROW, NARROW_FAULTS),
    "wide": (WIDE, WIDE_FAULTS),
    "travels": ((*TRAVELS, "tdata_bits=64"), TRAVEL_FAULTS),
}

Bench = Callable[[str, int], AxiMessageBench]


@pytest.fixture(scope="module")
def bench(built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """bench(which, n): the core of `FAULTY` with the fault of a number, or -1 for none."""
    benches = {
        which: faulty_bench(
            AxiMessageBench,
            built(*variant),
            faults.values(),
            ("gather", "spread"),
            tmp_path_factory.mktemp(which),
        )
        for which, (variant, faults) in FAULTY.items()
    }
    return lambda which, n: benches[which](n)


@pytest.mark.long_check
@pytest.mark.parametrize(("which", "fault"), [(w, f) for w, (_, faults) in FAULTY.items() for f in faults])
def test_faults_are_seen(which: str, fault: str, bench: Bench, built: Callable[..., Built]) -> None:
    variant, faults = FAULTY[which]
    with pytest.raises(CheckFailed):
        check_message_stream(bench(which, list(faults).index(fault)), built(*variant)[0].parameters, keys=4)


@pytest.mark.long_check
@pytest.mark.parametrize("which", FAULTY)
def test_the_right_core_passes(which: str, bench: Bench, built: Callable[..., Built]) -> None:
    core, _ = built(*FAULTY[which][0])
    said = check_message_stream(bench(which, -1), core.parameters, keys=4)
    assert ("each under the key that was there" in said) == (which != "travels")


RULE_FAULTS: dict[str, tuple[Fault | Faults, str]] = {
    "ready depends on valid": (
        use("open", "~closed_q", "(~closed_q | key_valid_i)"),
        "depends on key_valid_i",
    ),
    "a result that waits changes": (use("spread:full_q", "out_ready_i", "1'b1"), "may"),
}
"""What is wrong of `NARROW` -> words of the failed rule."""


@pytest.mark.long_check
@pytest.mark.parametrize("fault", RULE_FAULTS)
def test_broken_rules_are_seen(fault: str, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*NARROW)
    change, words = RULE_FAULTS[fault]
    wrong = _spoiled(folder, core.top, change, tmp_path)
    with pytest.raises(CheckFailed, match=words):
        check_bus_rules(wrong)


def _spoiled(folder: CoreFolder, top: str, fault: Fault | Faults, place: Path) -> CoreFolder:
    """A folder like `folder`, with a fault in the core's file."""
    import shutil

    shutil.copytree(folder.path, place / "core")
    file = place / "core" / f"{top}.v"
    file.write_text(fault(file.read_text()))
    return CoreFolder.open(place / "core")


@pytest.mark.parametrize("variant", [NARROW, WIDE, (*CMAC, "tdata_bits=32")], ids=" ".join)
def test_flip_flops_are_as_predicted(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*variant)
    assert synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), tmp_path).ffs == core.flip_flops


@pytest.mark.parametrize(
    ("variant", "bits"),
    [((*LIGHT_GCM, AXI, "tdata_bits=32"), 32), ((*LIGHT_GCM, AXI, "tdata_bits=512"), 128)],
)
def test_narrow_beats_bound_the_throughput(
    variant: tuple[str, ...], bits: int, built: Callable[..., Built]
) -> None:
    assert built(*variant)[0].bits_per_cycle == bits


def test_what_is_refused() -> None:
    with pytest.raises(UserError, match="key_slots = 2 needs tdata_bits = 0 or 128, not tdata_bits = 64"):
        load(LIGHT_GCM[0], [*LIGHT_GCM[1:], AXI, "key_slots=2", "tdata_bits=64"])
    with pytest.raises(UserError, match="tdata_bits = 48 is none of"):
        load(GCM[0], [*GCM[1:], "tdata_bits=48"])
