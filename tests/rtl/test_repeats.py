"""Equal rounds: their registers at equal places, and one module in the text for all of them."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.arch import describe
from cipherwright.errors import CheckFailed
from cipherwright.flow import generate
from cipherwright.rtl import Design, Instance, Register, folded
from cipherwright.schedule import equal_rounds, ties_of
from cipherwright.spec import load
from cipherwright.verify import checks
from tests.conftest import Built
from tests.faults import use
from tests.verify.test_checks import broken_file

ROUNDS = ("stages=32", "copies=0", "hops=[]", "key=static", "equal_rounds=true")
"""DES in two stages a round: every round chooses other bits of the held key."""

AGILE = ("stages=32", "copies=0", "hops=[]")


def rounds_of(design: Design) -> list[Instance]:
    return [i for i in design.top.items if isinstance(i, Instance) and i.module.endswith("_round")]


def test_rounds_are_one_module_and_compute_the_cipher(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("des-fast", *ROUNDS)
    text = core.files["des_fast.v"]
    assert text.count("module des_fast_round (") == 1
    found = re.findall(r"des_fast_round (u_stages\d+_\d+)", text)
    assert len(found) == len(rounds_of(folded(core.design))) >= 13
    checks.prove_core(folder, core.plain, None)
    bit = re.search(r"key_i\[\d+\]", text[text.index(found[3]) :])
    assert bit is not None
    other_bit = use(f"{found[3]}.key", bit[0], "key_i[0]")
    broke = broken_file(folder, "des_fast.v", other_bit, tmp_path / "b")
    with pytest.raises(CheckFailed, match="does not compute the cipher"):
        checks.prove_core(broke, core.plain, None)


def test_registers_of_equal_rounds_are_at_equal_places() -> None:
    """The stages of a round are those of the round before and a fixed number; that costs DES nothing."""
    tied = generate(load("des-fast", [*AGILE, "equal_rounds=true"]), {})
    free = generate(load("des-fast", list(AGILE)), {})
    s = tied.schedule
    (run,) = equal_rounds(s.graph)
    assert len(run) == 16
    ties = ties_of(s.graph, s.stage)
    assert len(ties) == 15 * len(run[0])
    assert all(s.stage[i] == s.stage[leader] + behind for i, (leader, behind) in ties.items())
    assert s.register_bits() == free.schedule.register_bits()


def test_what_is_between_two_rounds_ends_a_row() -> None:
    """Camellia has a layer of FL after every six rounds."""
    runs = equal_rounds(describe(load("camellia-fast")))
    assert [len(run) for run in runs] == [6, 6, 6]


def test_rounds_that_cannot_be_tied_stay_as_they_are() -> None:
    """17 stages for 16 rounds: one round has two."""
    asked = ["stages=17", "copies=0", "hops=[]"]
    tied = generate(load("des-fast", [*asked, "equal_rounds=true"]), {})
    assert tied.schedule.stage == generate(load("des-fast", asked), {}).schedule.stage


def test_a_round_that_differs_is_no_instance() -> None:
    """Two bits of one register exchanged in the seventh round: rounds before it are folded, it is not."""
    design = generate(load("des-fast", list(ROUNDS)), {}).design
    whole = rounds_of(folded(design))
    items = list(design.top.items)
    at = [n for n, i in enumerate(items) if isinstance(i, Register) and len(i.data) == 32][12]
    register = items[at]
    assert isinstance(register, Register)
    items[at] = replace(register, data=(register.data[1], register.data[0], *register.data[2:]))
    other = Design((*design.modules[:-1], replace(design.top, items=tuple(items))))
    assert 0 < len(rounds_of(folded(other))) < len(whole)


def test_a_core_without_repeats_is_printed_as_it_is() -> None:
    design = generate(load("des-small", []), {}).design
    assert folded(design) is design
