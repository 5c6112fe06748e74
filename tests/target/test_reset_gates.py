"""Synchronous resets as gates: no flip-flop has a reset of its own, and the core is the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core
from cipherwright.target import load_target, synthesise
from cipherwright.target.netlist_proof import emitted, prove_mapped
from cipherwright.target.synth import RESET_GATES
from tests.conftest import Built
from tests.faults import unreset

CORE = ("des-small", "interface=stream")


def resets(out: Path, top: str) -> int:
    """Flip-flops with a reset of their own in a mapped netlist."""
    cells = json.loads((out / "netlist.json").read_text())["modules"][top]["cells"].values()
    return sum(isinstance(c["connections"].get("LSR", ["0"])[0], int) for c in cells)


def test_resets_are_gates_and_the_core_is_the_same(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    assert isinstance(core, Core)
    target = load_target("ecp5-85k-8")
    found = {}
    for mapping in ("delay", RESET_GATES):
        out = tmp_path / mapping
        out.mkdir()
        mapped = synthesise(folder.sources, core.top, target, out, mapping)
        assert mapped.ffs == core.flip_flops
        found[mapping] = resets(out, core.top)
    assert found["delay"] > 0
    assert found[RESET_GATES] == 0
    assert prove_mapped(out, emitted(folder.sources, core.top, "clk"), core.top, "clk").statement


def test_a_reset_that_is_lost_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    target = load_target("ecp5-85k-8")
    (tmp_path / "fault").mkdir()
    file = tmp_path / "fault" / f"{core.top}.v"
    file.write_text(unreset("count_1_q1")(core.files[f"{core.top}.v"]))
    texts = [file if source.name == f"{core.top}.v" else source for source in folder.sources]
    assert file in texts
    synthesise(texts, core.top, target, tmp_path, RESET_GATES)
    with pytest.raises(CheckFailed):
        prove_mapped(tmp_path, emitted(folder.sources, core.top, "clk"), core.top, "clk")


@pytest.mark.parametrize(("target", "named"), [("osu018", "cell library"), ("ice40-hx8k", "for ECP5")])
def test_other_targets_are_refused(
    target: str, named: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*CORE)
    with pytest.raises(UserError, match=named):
        synthesise(folder.sources, core.top, load_target(target), tmp_path, RESET_GATES)
