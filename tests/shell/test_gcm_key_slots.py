"""GCM with two resident keys: packets under both on a quick variant of the preset, and faults are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.shell.copies import spread
from cipherwright.spec import load
from cipherwright.verify.gcm import check_key_slots
from cipherwright.verify.key_slots import SlotBench
from cipherwright.verify.packets import Packet
from tests.conftest import LIGHT_GCM, Built
from tests.faults import drop, takes
from tests.front_ends import run_testbench

from .chosen_faults import faulty_bench

QUICK = (*LIGHT_GCM, "key_slots=2")

FAULTS = {
    "powers of the other slot": takes("u_ghash.slot_i", "~slot_l16"),
    "powers of the packet after": takes("u_ghash.slot_i", "slot_l12"),
    "round keys of the packet after": takes("second_3", "slot_1"),
    "a load into the slot in use": drop("blocked_q", "(asked_q ? open_q[1] | used[1] : open_q[0] | used[0])"),
    "a load before the last tag is out": takes("clear_q", "~blocked_q"),
    "a packet before its key": takes("open_q[1]", "~zeroise_i"),
    "the powers go into the other slot": takes("u_ghash.write_i", "~load_bank & {2{power_write}}"),
    "a word in the slot of the hash key": drop("free_q", "~steal[1]"),
    "an IV in the block of the hash key": drop("chain", f"~{spread('hash_key_4', 96)}"),
    "the slot is read within a packet": takes("slot_q", "key_slot_i"),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], SlotBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("gcm")
    return faulty_bench(SlotBench, built(*QUICK), FAULTS.values(), ("control", "gcm", "ghash"), folder)


@pytest.mark.long_check
def test_packets_under_both_keys(bench: Callable[[int], SlotBench], built: Callable[..., Built]) -> None:
    """All checks: tests/long_variants.py."""
    assert "under two resident keys" in check_key_slots(bench(-1), built(*QUICK)[0].parameters)


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], SlotBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_key_slots(bench(list(FAULTS).index(fault)), built(*QUICK)[0].parameters)


def test_no_cycle_is_lost_between_packets_under_two_keys(bench: Callable[[int], SlotBench]) -> None:
    """Sixty packets of one word, under one key and the other: each takes two cycles, a slot for the word and
    one for the packet's end.
    """
    one = bench(-1)
    with one.session() as s:
        for slot in (0, 1):
            s.load_key(bytes([slot] * 16), slot)
        began = s.cycle
        s.traffic([(Packet(bytes(12), b"", bytes(16)), k & 1) for k in range(60)], (), 0.0)
        assert s.cycle - began == 120
        tags = [result.tag for result in s.finish()]
    assert len(set(tags)) == 2
    assert tags[0] == tags[58] != tags[1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("iv_bits=any",), "iv_bits"),
        (("mode=ecb", "direction=encrypt", "key_slots=2"), "key_slots = 2 needs mode = gcm"),
        (("key_slots=3",), "key_slots"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_be(changes: tuple[str, ...], said: str) -> None:
    preset, *quick = QUICK
    with pytest.raises(UserError, match=said) as told:
        generate(load(preset, [*quick, *changes]), {"preset": preset})
    assert "\n" not in str(told.value)


def test_the_testbench_loads_both_slots(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*QUICK)
    assert isinstance(core, Core)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")
