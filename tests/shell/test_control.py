"""The control around a held key, as it is in emitted cores: proven by induction for all times; and seen to
fail where it is broken.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cipherwright.flow import build
from cipherwright.shell import Core
from cipherwright.spec import load
from tests.faults import Fault, Faults
from tests.proofs import Sees, sby
from tests.shell.control_rules import FAULTS, SCRIPT, with_rules
from tests.shell.test_formal import spoil

_QUICK = ("sbox=boyar_peralta", "fuse_linear=false", "stages=5", "linear_depth=0", "hops=[]")
VARIANTS = {
    "a pipeline": ("aes128-fast", *_QUICK),
    "a pipeline behind a counter": ("aes128-fast-ctr", *_QUICK),
    "two lanes": ("aes128-fast-ctr", *_QUICK, "lanes=2"),
    "packets": ("aes128-gcm", *_QUICK, "stages=14"),
    "units": ("aes128-xts", *_QUICK),
    "tags": ("tdes-cmac-small",),
    "packets with lengths": ("aes128-ccm-small",),
    "a loop's stream": ("mars-small", "mode=cbc", "interface=stream"),
}


@cache
def core_of(variant: str) -> Core:
    preset, *changes = VARIANTS[variant]
    return build(load(preset, changes))


@pytest.mark.parametrize("variant", VARIANTS)
def test_rules_of_the_control(variant: str, tmp_path: Path) -> None:
    """No block without a complete key, no new key while a block is in flight, nothing of before after
    zeroising: for all times, with reset at any time. benchmarks/control_proofs.py has every preset.
    """
    with_rules(core_of(variant), tmp_path)
    text = sby(tmp_path, "", SCRIPT)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", FAULTS[:2], ids=str)
def test_a_broken_control_is_seen(fault: Fault | Faults, tmp_path: Path, sees: Sees) -> None:
    """The other faults: benchmarks/control_proofs.py."""
    spoil(with_rules(core_of("a pipeline behind a counter"), tmp_path), fault)
    assert sees(tmp_path, "", SCRIPT)
