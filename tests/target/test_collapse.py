"""Lookup tables that only the boundary of a module keeps apart are one: the core is the same."""

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


def test_an_offer_that_is_ignored_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*CORE)
    (tmp_path / "fault").mkdir()
    file = tmp_path / "fault" / f"{core.top}.v"
    file.write_text(use(f"{core.top}:take", "offer_q", "1'b1")(core.files[f"{core.top}.v"]))
    texts = [file if source.name == f"{core.top}.v" else source for source in folder.sources]
    synthesise(texts, core.top, load_target("ecp5-85k-8"), tmp_path, COLLAPSE)
    with pytest.raises(CheckFailed):
        prove_mapped(tmp_path, emitted(folder.sources, core.top, "clk"), core.top, "clk")


def _cell(kind: str, output: int, init: str, **pins: int) -> dict[str, Any]:
    unused = dict.fromkeys("ABCD" if kind == "LUT4" else "", "0")
    return {
        "type": kind,
        "parameters": {"INIT": init} if init else {},
        "port_directions": {**dict.fromkeys((unused | pins), "input"), "Z": "output"},
        "connections": {pin: [net] for pin, net in (unused | pins | {"Z": output}).items()},
    }


AND, OR, XOR, MIX = "1000" * 4, "1110" * 4, "0110100110010110", "1101100000100111"


def circuit() -> dict[str, Any]:
    """Tables over nets 2 to 9. `u_a.t` computes 20 and is read in modules u_b and u_c: with four inputs
    together, with five, and with six by two tables and a multiplexer; with seven, which is too much; in its
    own module; and in front of a multiplexer, with five, which is too much there.
    """
    cells = {
        "u_a.t": _cell("LUT4", 20, AND, A=2, B=3),
        "u_b.four": _cell("LUT4", 21, XOR, A=20, B=4, C=5),
        "u_b.five": _cell("LUT4", 22, MIX, A=4, B=5, C=6, D=20),
        "u_c.low": _cell("LUT4", 23, MIX, A=20, B=4, C=5, D=6),
        "u_c.high": _cell("LUT4", 24, OR, A=4, B=5),
        "u_c.six": _cell("PFUMX", 25, "", BLUT=23, ALUT=24, C0=7),
        "u_c.first": _cell("LUT4", 26, MIX, A=20, B=4, C=5, D=6),
        "u_c.second": _cell("LUT4", 27, XOR, A=6, B=7, C=8),
        "u_c.seven": _cell("PFUMX", 28, "", BLUT=26, ALUT=27, C0=9),
        "u_a.own": _cell("LUT4", 29, OR, A=20, B=4),
    }
    ports = {f"p{n}": {"direction": "input", "bits": [n]} for n in range(2, 10)}
    ports["q"] = {"direction": "output", "bits": [21, 22, 25, 28, 29]}
    return {"ports": ports, "cells": cells}


_PINS = {"LUT4": "ABCD", "PFUMX": ("BLUT", "ALUT", "C0"), "L6MUX21": ("D0", "D1", "SD")}


def values(module: dict[str, Any], nets: dict[Any, int]) -> dict[Any, int]:
    """What the outputs show for values of the inputs."""
    known, left = {"0": 0, "1": 1, **nets}, [*module["cells"].values()]
    while left:
        later = []
        for c in left:
            pins = [c["connections"][p][0] for p in _PINS[c["type"]]]
            if not all(p in known for p in pins):
                later.append(c)
                continue
            v = [known[p] for p in pins]
            index = sum(bit << k for k, bit in enumerate(v))
            table = c["type"] == "LUT4"
            known[c["connections"]["Z"][0]] = int(c["parameters"]["INIT"][-1 - index]) if table else v[v[2]]
        assert len(later) < len(left)
        left = later
    return {b: known[b] for b in module["ports"]["q"]["bits"]}


def test_what_fits_is_one_and_computes_the_same() -> None:
    before, after = circuit(), circuit()
    assert collapse(after) == 3
    kinds = Counter(c["type"] for c in after["cells"].values())
    # One table as before, two in place of one, four in place of two; what is left as it is: six tables.
    assert kinds == {"LUT4": 1 + 2 + 4 + 4, "PFUMX": 1 + 2 + 1, "L6MUX21": 1}
    assert "u_a.t" in after["cells"]  # others read it still
    for bits in product((0, 1), repeat=8):
        nets = dict(zip(range(2, 10), bits, strict=True))
        assert values(before, nets) == values(after, nets)


def test_a_table_that_nothing_reads_any_more_goes() -> None:
    module = circuit()
    module["cells"] = {name: module["cells"][name] for name in ("u_a.t", "u_b.four")}
    module["ports"]["q"]["bits"] = [21]
    assert collapse(module) == 1
    assert [*module["cells"]] == ["u_b.four"]


def test_a_table_with_many_readers_stays() -> None:
    module = circuit()
    module["cells"] |= {f"u_d.{n}": _cell("LUT4", n, OR, A=20, B=4) for n in range(40, 50)}
    assert collapse(module) == 0
