"""The key of XTS's tweaks, which encrypts alone: its unit has what encryption reads, and decrypting blocks
read nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed
from cipherwright.shell import Core
from cipherwright.spec import parse
from cipherwright.target import REGISTERS
from cipherwright.verify.checks import prove_core
from tests.conftest import Built
from tests.faults import Fault, takes, use
from tests.recorded import Counts
from tests.verify.test_checks import broken_file

IN_BOTH = (
    *("aes128-xts", "direction=both", "sbox=tower", "fuse_linear=true", "stages=14"),
    *("linear_depth=0", "hops=[]", "srl_from=8"),
)
"""Both directions of AES through one inversion, each with linear maps of its own of the round keys."""

FAULTS = {
    "a round key of the tweaks has a wrong bit": takes("second_keys:word_2", "word_1 ^ 128'd1"),
    "a block has a bit of the other key": use(
        "core_stage4:mux_2", "second_rk1[15:8]", "{second_rk1[15:9], rk1[8]}"
    ),
}


@pytest.mark.long_check
def test_the_key_of_tweaks_encrypts_alone(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built(*IN_BOTH)
    assert isinstance(core, Core)
    assert core.key_unit
    assert [unit.words["rk3"] for unit in core.key_unit.units] == [256, 128]
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops
    said = prove_core(folder, core.plain, key_parts(parse(core.parameters)))
    assert said.endswith("and so does the unit of second keys")


@pytest.mark.long_check
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_broken_one_is_seen(fault: Fault, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*IN_BOTH)
    assert isinstance(core, Core)
    broken = broken_file(folder, f"{core.top}.v", fault, tmp_path / "core")
    with pytest.raises(CheckFailed):
        prove_core(broken, core.plain, key_parts(parse(core.parameters)))


@pytest.mark.long_check
def test_two_resident_pairs_of_keys(built: Callable[..., Built], mapped: Counts) -> None:
    """Each slot has a unit of both kinds."""
    core, folder = built(*IN_BOTH, "key_slots=2")
    assert isinstance(core, Core)
    assert core.files[f"{core.top}.v"].count(f"    {core.top}_second_keys u_") == 2
    assert mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS).ffs == core.flip_flops
