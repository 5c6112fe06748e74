"""Synchronous resets as gates where that takes no lookup table more in a row: the core is the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import Core
from cipherwright.target import REGISTERS, load_target, synthesise
from cipherwright.target.netlist_proof import emitted, prove_mapped
from cipherwright.target.reset_gates import gate_resets
from cipherwright.target.synth import RESET_GATES
from tests.conftest import Built
from tests.faults import unreset
from tests.target.circuits import AND, OR, XOR, map_with_fault, settled, table

CORE = ("des-small", "interface=stream")


def resets(out: Path, top: str) -> int:
    """Flip-flops with a reset of their own in a mapped netlist."""
    cells = json.loads((out / "netlist.json").read_text())["modules"][top]["cells"].values()
    return sum(isinstance(c["connections"].get("LSR", ["0"])[0], int) for c in cells)


@pytest.mark.long_check
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
    assert 0 < found[RESET_GATES] < found["delay"]
    assert prove_mapped(out, emitted(folder.sources, core.top, "clk"), core.top, "clk").statement


def test_a_reset_that_is_lost_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    map_with_fault((core, folder), unreset("count_1_q1"), RESET_GATES, tmp_path)
    with pytest.raises(CheckFailed):
        prove_mapped(tmp_path, emitted(folder.sources, core.top, "clk"), core.top, "clk")


@pytest.mark.parametrize("mapping", [RESET_GATES, REGISTERS])
@pytest.mark.parametrize(("target", "named"), [("osu018", "cell library"), ("ice40-hx8k", "for ECP5")])
def test_other_targets_are_refused(
    target: str, named: str, mapping: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*CORE)
    with pytest.raises(UserError, match=named):
        synthesise(folder.sources, core.top, load_target(target), tmp_path, mapping)


def flip_flop(output: int, data: int, reset: int, value: str = "RESET", mux: str = "1 ") -> dict[str, Any]:
    """A flip-flop with a synchronous reset."""
    of = {"CEMUX": mux, "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": value, "SRMODE": "LSR_OVER_CE"}
    return {
        "type": "TRELLIS_FF",
        "parameters": of,
        "port_directions": {**dict.fromkeys(("CLK", "DI", "LSR"), "input"), "Q": "output"},
        "connections": {"CLK": [2], "DI": [data], "LSR": [reset], "Q": [output]},
    }


def circuit() -> dict[str, Any]:
    """Flip-flops 20 to 26 over nets 3 to 8: behind a register, behind a table of two inputs that is their
    own, one of four, and one that others read; with a reset that is logic; with an enable.
    """
    cells = [
        *(table(10, OR, 3, 4), table(11, AND, 5, 6), table(12, XOR, 5, 6, 7, 8), table(13, AND, 7, 8)),
        flip_flop(20, 26, 3),
        flip_flop(21, 11, 3, "SET"),
        flip_flop(22, 12, 3),
        flip_flop(23, 13, 3),
        flip_flop(24, 13, 4),
        flip_flop(25, 20, 10, "SET"),
        flip_flop(26, 25, 4, mux="CE"),
    ]
    ports = {f"p{n}": {"direction": "input", "bits": [n]} for n in range(2, 9)}
    return {"ports": ports, "cells": {f"c{k}": c for k, c in enumerate(cells)}}


def following(module: dict[str, Any], known: dict[Any, int]) -> dict[int, int]:
    """The next value of every flip-flop from values of ports and flip-flops."""
    nets = settled(module, known)
    found = dict[int, int]()
    for c in module["cells"].values():
        if c["type"] == "TRELLIS_FF":
            data, reset = (nets[c["connections"][p][0]] for p in ("DI", "LSR"))
            found[c["connections"]["Q"][0]] = int(c["parameters"]["REGSET"] == "SET") if reset else data
    return found


def test_gates_are_made_where_one_table_suffices() -> None:
    before, after = circuit(), circuit()
    assert gate_resets(after) == 3
    left = {
        c["connections"]["Q"][0]
        for c in after["cells"].values()
        if c["connections"].get("LSR", "0")[0] != "0"
    }
    assert left == {22, 23, 24, 26}
    # The table of the reset that is logic has gone into the gate, and two registers have one in front now.
    assert sum(c["type"] == "LUT4" for c in after["cells"].values()) == 4 - 1 + 2
    nets = [*range(3, 9), *range(20, 27)]
    for values in product((0, 1), repeat=len(nets)):
        known = dict(zip(nets, values, strict=True))
        assert following(before, known) == following(after, known)
