"""Lookup tables in a row are one where the inputs of both are few: the core is the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.shell import Core
from cipherwright.target import load_target, synthesise
from cipherwright.target.collapse import collapse
from cipherwright.target.netlist_proof import emitted, prove_mapped
from cipherwright.target.synth import COLLAPSE
from tests.conftest import IN_LIGHT, Built
from tests.faults import use
from tests.target.circuits import AND, OR, XOR, choice, map_with_fault, settled, table

CORE = ("aes128-fast", *IN_LIGHT)
"""A key that is held: what takes it is decided in the control and read in the key-expansion unit."""


def _levels(out: Path, top: str, start: str, end: str) -> int:
    """Lookup tables in a row from the register `start` to the register `end` of a mapped netlist, at most."""
    module = json.loads((out / "netlist.json").read_text())["modules"][top]
    starts, ends = (set(module["netnames"][name]["bits"]) for name in (start, end))
    driver = {b: c for c in module["cells"].values() for b in c["connections"].get("Z", [])}

    def most(bit: Any) -> int:
        if bit in starts:
            return 0
        if bit not in driver:
            return -100
        pins = driver[bit]["connections"]
        deepest = max(most(b) for pin, (b,) in pins.items() if pin != "Z")
        return deepest + (driver[bit]["type"] == "LUT4")

    fed = [
        c["connections"]["DI"][0]
        for c in module["cells"].values()
        if c["type"] == "TRELLIS_FF" and c["connections"]["Q"][0] in ends
    ]
    return max(map(most, fed))


@pytest.mark.long_check
def test_the_offer_of_a_key_goes_through_one_table(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    assert isinstance(core, Core)
    levels, luts = {}, {}
    for mapping in ("delay", COLLAPSE):
        out = tmp_path / mapping
        out.mkdir()
        mapped = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), out, mapping)
        assert mapped.ffs == core.flip_flops
        luts[mapping] = mapped.luts
        levels[mapping] = _levels(out, core.top, "offer_q", "u_inner.u_keys.idle")
    assert levels == {"delay": 2, COLLAPSE: 1}
    assert luts["delay"] <= luts[COLLAPSE] <= luts["delay"] + 4
    assert prove_mapped(out, emitted(folder.sources, core.top, "clk"), core.top, "clk").statement


@pytest.mark.long_check
def test_an_offer_that_is_ignored_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    map_with_fault((core, folder), use(f"{core.top}:take", "offer_q", "1'b1"), COLLAPSE, tmp_path)
    with pytest.raises(CheckFailed):
        prove_mapped(tmp_path, emitted(folder.sources, core.top, "clk"), core.top, "clk")


MIX = "1101100000100111"
"""A lookup table over four inputs, each of which matters."""


def circuit() -> dict[str, Any]:
    """Tables over nets 2 to 9. `u_a.t` computes 20 and is read in its own module with three inputs together,
    and in modules u_b and u_c: with four, with five, and with six by two tables and a multiplexer; with
    seven, which is too much; and in front of a multiplexer, with five, which is too much there.
    """
    cells = {
        "u_a.t": table(20, AND, 2, 3),
        "u_b.four": table(21, XOR, 20, 4, 5),
        "u_b.five": table(22, MIX, 4, 5, 6, 20),
        "u_c.low": table(23, MIX, 20, 4, 5, 6),
        "u_c.high": table(24, OR, 4, 5),
        "u_c.six": choice(25, 23, 24, 7),
        "u_c.first": table(26, MIX, 20, 4, 5, 6),
        "u_c.second": table(27, XOR, 6, 7, 8),
        "u_c.seven": choice(28, 26, 27, 9),
        "u_a.own": table(29, OR, 20, 4),
    }
    ports = {f"p{n}": {"direction": "input", "bits": [n]} for n in range(2, 10)}
    ports["q"] = {"direction": "output", "bits": [21, 22, 25, 28, 29]}
    return {"ports": ports, "cells": cells}


def shown(module: dict[str, Any], nets: dict[Any, int]) -> list[int]:
    """What the outputs show for values of the inputs."""
    found = settled(module, nets)
    return [found[b] for b in module["ports"]["q"]["bits"]]


@pytest.mark.parametrize("within", [False, True], ids=["of other modules", "of all"])
def test_what_fits_is_one_and_computes_the_same(within: bool) -> None:
    before, after = circuit(), circuit()
    assert collapse(after, within) == 3 + within
    kinds = Counter(c["type"] for c in after["cells"].values())
    # Two tables as before, two in place of one, four in place of two; what is left as it is: three tables.
    assert kinds == {"LUT4": 2 + 2 + 4 + 3, "PFUMX": 1 + 2 + 1, "L6MUX21": 1}
    assert "u_a.t" in after["cells"]  # others read it still
    for bits in product((0, 1), repeat=8):
        nets = dict(zip(range(2, 10), bits, strict=True))
        assert shown(before, nets) == shown(after, nets)


def test_a_table_that_nothing_reads_any_more_goes() -> None:
    module = circuit()
    module["cells"] = {name: module["cells"][name] for name in ("u_a.t", "u_b.four")}
    module["ports"]["q"]["bits"] = [21]
    assert collapse(module) == 1
    assert [*module["cells"]] == ["u_b.four"]


def test_a_table_with_many_readers_stays() -> None:
    module = circuit()
    module["cells"] |= {f"u_d.{n}": table(n, OR, 20, 4) for n in range(40, 50)}
    assert collapse(module) == 0
