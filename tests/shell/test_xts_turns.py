"""The control of XTS in a pipeline, proven for all times: every block has its unit's tweak, words keep their
order, stealing loses nothing, and after zeroising a unit begins as behind a reset. The statement is in
shell/sv/cipherwright_xts_turns_rules.svh. It is proven by induction at the sizes of `QUICK` here, and at
those of the presets by benchmarks/control_proofs.py.

A fault breaks a rule of the induction, and a run from a reset as well: so the rules that it breaks are those
of states that are reached.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs import Breaks
from tests.recorded import Measured

from .xts_rules import BROKEN, QUICK, Broken, Sizes, ruled, run_decided_by, seen_in_a_run


@pytest.mark.parametrize("sizes", QUICK, ids=str)
def test_control_of_xts(sizes: Sizes, tmp_path: Path) -> None:
    assert ruled(sizes).broken(tmp_path, least=95) == []


@pytest.mark.parametrize("sizes", QUICK[:2], ids=str)
def test_what_is_assumed_leaves_room(sizes: Sizes, tmp_path: Path) -> None:
    """A stolen block that waits, in units behind others that were forgotten, is reached from a reset; and
    no such run breaks a rule.
    """
    assert ruled(sizes).reached(tmp_path, 50)
    assert not seen_in_a_run(tmp_path, sizes, None, 20)


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_broken_control_is_seen(broken: Broken, tmp_path: Path, breaks: Breaks, measured: Measured) -> None:
    assert breaks(ruled(broken.sizes, broken.fault), tmp_path)
    assert measured(
        f"run of turns, {broken}",
        run_decided_by(broken),
        lambda: seen_in_a_run(tmp_path, broken.sizes, broken.fault, broken.cycles),
    )
