"""XTS with two resident keys: units under both on a quick variant of the preset, and faults are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.spec import load
from cipherwright.verify import Unit, UnitBench
from cipherwright.verify.units import SlotLoad
from cipherwright.verify.xts import check_unit_slots, unit_result
from tests.conftest import LIGHT_XTS, Built
from tests.faults import drop, takes, use
from tests.front_ends import run_testbench

from .chosen_faults import faulty_bench
from .folder_class import folder_class, through

QUICK = (*LIGHT_XTS, "key_slots=2")

FAULTS = {
    "the key of the other slot": takes("slot_2", "again_0 ? again_slot : ~own_slot"),
    "a stolen block under the key of the slot behind it": takes("slot_2", "own_slot"),
    "the tweak of the other half": takes("u_cipher.second_i", "1'b0"),
    "a key goes into the other slot": takes(
        "key_valid_q", "{key_valid_i & ~load_slot_i, key_valid_i & load_slot_i}"
    ),
    "a load while units under the slot are announced": drop(
        "blocked_q", "(asked_q ? open_q[1] | used[1] : open_q[0] | used[0])"
    ),
    "a load before the last result is out": takes("clear_q", "~blocked_q"),
    "a unit before its key": takes("open_q[1]", "~zeroise_i"),
    "a number is taken without its slot being read": use("may_q", "unit_valid_i", "1'b1"),
    "every load waits for both slots": takes(
        "blocked_q", "~key_valid_i | moved | expand_q | (|open_q) | (|used)"
    ),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], UnitBench]:
    """The core with the fault of a number, or -1 for none."""
    parts, folder = ("control", "xts"), tmp_path_factory.mktemp("xts")
    return faulty_bench(UnitBench, built(*QUICK), FAULTS.values(), parts, folder)


@pytest.mark.long_check
def test_units_under_both_keys(bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    """All checks: tests/long_variants.py."""
    assert "under two resident keys" in check_unit_slots(bench(-1), built(*QUICK)[0].parameters)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, bench: Callable[[int], UnitBench], built: Callable[..., Built]) -> None:
    with pytest.raises(CheckFailed):
        check_unit_slots(bench(list(FAULTS).index(fault)), built(*QUICK)[0].parameters)


@pytest.mark.parametrize("size", [16, 40, 64])
def test_no_cycle_is_lost_between_units_under_two_keys(size: int, bench: Callable[[int], UnitBench]) -> None:
    """Forty units, under one key and the other, each n words in n + 1 cycles; a unit of one word takes three,
    for its slot is read before its number is taken.
    """
    one, units = bench(-1), [Unit(bytes([k] * 16), bytes(size)) for k in range(40)]
    with one.session() as s:
        for key in (bytes(range(32)), bytes(range(1, 33))):
            s.load_key(key[: one.key_bytes])
        cycles = s.traffic(units, [k & 1 for k in range(40)], ())
        s.finish()
    words = -(-size // 16)
    assert cycles <= 40 * (words + 1 + (words == 1))


def test_units_under_one_key_go_on_while_the_other_is_loaded(
    bench: Callable[[int], UnitBench], built: Callable[..., Built]
) -> None:
    """Units of four words under slot 0 lose no cycle to a load of slot 1."""
    one, p = bench(-1), built(*QUICK)[0].parameters
    keys = [bytes(range(k, k + one.key_bytes)) for k in range(3)]
    units = [Unit(bytes([k] * 16), bytes(range(k, k + 64))) for k in range(60)]
    with one.session() as s:
        for key in keys[:2]:
            s.load_key(key)
        assert s.traffic(units, [0] * 60, [SlotLoad(keys[2], 1, 20)]) <= 60 * 5
        s.traffic(units[:3], [1, 0, 1], ())
        found = s.finish()
    assert found[:60] == [unit_result(p, keys[0], u) for u in units]
    under = (keys[2], keys[0], keys[2])
    assert found[60:] == [unit_result(p, key, u) for key, u in zip(under, units, strict=False)]


def test_equal_halves_keep_their_slot_alone(bench: Callable[[int], UnitBench]) -> None:
    """Under a key with equal halves no unit is taken; units under the other slot are."""
    one = bench(-1)
    with one.session() as s:
        s.load_key(bytes(range(one.key_bytes)))
        s.load_key(bytes(one.key_bytes))
        s.traffic([Unit(bytes(16), bytes(40))], [0], ())
        with pytest.raises(CheckFailed, match="is not taken"):
            s.traffic([Unit(bytes(16), bytes(40))], [1], ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (("unit_numbers=counted",), "key_slots = 2 needs unit_numbers = announced"),
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


def test_units_through_the_class_of_the_folder(
    bench: Callable[[int], UnitBench], built: Callable[..., Built], tmp_path: Path
) -> None:
    """`unit` of TOP_model.py takes the slot of the key; and a key in the other slot is seen."""
    core = built(*QUICK)[0]
    assert isinstance(core, Core)
    parent, p = folder_class(core, tmp_path / "core"), core.parameters

    def right(number: int) -> bool:
        """Whether the core with a fault makes what it must of units in both slots."""
        driven = bench(number)
        with through(parent, driven.simulation, driven.held) as model:
            found = []
            for k in range(4):
                key, unit = bytes(range(k, k + driven.key_bytes)), Unit(bytes([k] * 16), bytes(range(37)))
                made = model.unit(key, unit.number, unit.text, slot=k & 1)
                found.append(made == unit_result(p, key, unit))
        return all(found)

    assert right(-1)
    assert not right(list(FAULTS).index("the key of the other slot"))
