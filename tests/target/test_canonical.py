"""Canonical names: two texts of one netlist give the same bytes and the same clock, another netlist gives
another digest.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherwright.target import load_target
from cipherwright.target.canonical import CANONICAL_TOP, canonical
from cipherwright.target.place import place
from cipherwright.target.synth import CANONICAL, NAMES, synthesise
from tests.conftest import Built

_VERILOG = frozenset(
    [
        "module",
        "endmodule",
        "input",
        "output",
        "inout",
        "wire",
        "reg",
        "logic",
        "assign",
        "always",
        "posedge",
        "negedge",
        "begin",
        "end",
        "if",
        "else",
        "case",
        "endcase",
        "default",
        "parameter",
        "localparam",
        "integer",
        "genvar",
        "generate",
        "endgenerate",
        "for",
        "function",
        "endfunction",
        "initial",
        "signed",
        "int",
        "or",
        "and",
        "not",
        "default_nettype",
        "none",
    ]
)
_TOKEN = re.compile(
    r"//[^\n]*|\(\*.*?\*\)|\"[^\"]*\"|\d*'s?[hbdo][0-9a-fA-F_xz]+|[`$]\w+|(\b[A-Za-z_]\w*)|\d+", re.S
)


def renamed(text: str, top: str, seed: int) -> str:
    """The text with other names for everything but the top's ports and the cells that the flow maps."""
    head = re.search(rf"^module {top} .*?\);", text, re.M | re.S)
    cells = re.findall(r"^module \w+_(?:lut4|muxf5|muxf6|copy|xor5)\b.*?^endmodule", text, re.M | re.S)
    assert head and cells
    keep = {*re.findall(r"\w+", re.sub(r"//.*", "", "\n".join((head[0], *cells)))), top, *_VERILOG}
    rng, known = random.Random(seed), dict[str, str]()

    def other(m: re.Match[str]) -> str:
        if m[1] is None or m[1] in keep:
            return m[0]
        return known.setdefault(m[1], f"{rng.choice('abzQ_')}{rng.randrange(10**6)}_{len(known)}")

    return _TOKEN.sub(other, text)


def shuffled(module: dict[str, Any], seed: int) -> dict[str, Any]:
    """The same netlist: cells, pins and ports in another order, other names and net numbers, inputs of
    lookup tables permuted with their tables.
    """
    rng = random.Random(seed)
    m = copy.deepcopy(module)
    used = sorted(
        {
            b
            for c in m["cells"].values()
            for bits in c["connections"].values()
            for b in bits
            if isinstance(b, int)
        }
        | {b for p in m["ports"].values() for b in p["bits"]}
    )
    fresh = list(range(2, 2 + 3 * len(used)))
    rng.shuffle(fresh)
    to = dict(zip(used, fresh, strict=False))

    def order(items: dict[str, Any]) -> dict[str, Any]:
        keys = list(items)
        rng.shuffle(keys)
        return {k: items[k] for k in keys}

    cells = {}
    for k, (_, c) in enumerate(rng.sample(list(m["cells"].items()), len(m["cells"]))):
        if c["type"] == "LUT4":
            swap = rng.sample(range(4), 4)  # pin i reads what pin swap[i] read
            init, pins = int(c["parameters"]["INIT"], 2), dict(c["connections"])
            c["connections"] |= {"ABCD"[i]: pins["ABCD"[s]] for i, s in enumerate(swap)}
            table = sum(
                (init >> sum((a >> i & 1) << s for i, s in enumerate(swap)) & 1) << a for a in range(16)
            )
            c["parameters"]["INIT"] = f"{table:016b}"
        pins = {p: [to.get(b, b) for b in bits] for p, bits in c["connections"].items()}
        cells[f"some.{rng.randrange(10**6)}_{k}"] = c | {
            "connections": order(pins),
            "parameters": order(c["parameters"]),
            "attributes": {"src": f"file.v:{k}"},
        }
    ports = {n: p | {"bits": [to[b] for b in p["bits"]]} for n, p in order(m["ports"]).items()}
    return {"attributes": {}, "ports": ports, "cells": order(cells), "netnames": {}}


def lut(init: int, out: int, *inputs: int | str) -> dict[str, Any]:
    pins: dict[str, list[Any]] = {
        p: [b] for p, b in zip("ABCD", (*inputs, "0", "0", "0", "0"), strict=False)
    } | {"Z": [out]}
    return {
        "type": "LUT4",
        "parameters": {"INIT": f"{init:016b}"},
        "attributes": {},
        "connections": pins,
        "port_directions": {p: "output" if p == "Z" else "input" for p in pins},
    }


def ff(d: int, q: int) -> dict[str, Any]:
    return {
        "type": "TRELLIS_FF",
        "parameters": {},
        "attributes": {},
        "connections": {"CLK": [2], "DI": [d], "Q": [q]},
        "port_directions": {"CLK": "input", "DI": "input", "Q": "output"},
    }


def flat(cells: list[dict[str, Any]], outputs: list[int]) -> dict[str, Any]:
    ports = {
        "clk": {"direction": "input", "bits": [2]},
        "x": {"direction": "input", "bits": [3, 4]},
        "y": {"direction": "output", "bits": outputs},
    }
    return {
        "attributes": {},
        "ports": ports,
        "cells": {f"u{k}": c for k, c in enumerate(cells)},
        "netnames": {},
    }


def rings(*sizes: int) -> dict[str, Any]:
    """Rings of flip-flops that nothing but the clock connects, and a lookup table on the ports."""
    cells, at = [lut(0x8888, 5, 3, 4)], 6
    for n in sizes:
        cells += [ff(at + k, at + (k + 1) % n) for k in range(n)]
        at += n
    return flat(cells, [5])


@pytest.fixture(scope="module")
def mapped(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any], str]:
    """des-small, mapped: folder, module, digest."""
    core, folder = built("des-small")
    out = tmp_path_factory.mktemp("canonical")
    digest = synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), out).digest
    return out, json.loads((out / "netlist.json").read_text())["modules"][core.top], digest


def test_another_text_places_alike_to_the_digit(
    built: Callable[..., Built], mapped: tuple[Path, dict[str, Any], str], tmp_path: Path
) -> None:
    """Another name of the core, other names of modules, instances and signals, another order of the
    netlist's cells.
    """
    core, folder = built("des-small", "name=zz-other")
    text = "\n".join(p.read_text() for p in folder.sources)
    (tmp_path / "other.v").write_text(renamed(text, core.top, 1))
    (tmp_path / "out").mkdir()
    target = load_target("ecp5-85k-8")
    assert synthesise([tmp_path / "other.v"], core.top, target, tmp_path / "out").digest == mapped[2]
    for seed in (1, 2):
        assert canonical(shuffled(mapped[1], seed)).text() == (mapped[0] / CANONICAL).read_text()
    first, second = (place(out, target, 1, 200) for out in (mapped[0], tmp_path / "out"))
    assert first.fmax_mhz == second.fmax_mhz
    assert [s["delay"] for s in first.path] == [s["delay"] for s in second.path]
    assert any(
        n.startswith(first.words.split()[1])
        for n, c in mapped[1]["cells"].items()
        if c["type"] == "TRELLIS_FF"
    )
    assert not re.search(r"(cell|net)\.\d", first.words + second.words)


def test_names_lead_back(mapped: tuple[Path, dict[str, Any], str]) -> None:
    """Every canonical cell is of the type of the cell that it is called after, each once."""
    names = json.loads((mapped[0] / NAMES).read_text())
    cells = json.loads((mapped[0] / CANONICAL).read_text())["modules"][CANONICAL_TOP]["cells"]
    old = {n: c for n, c in mapped[1]["cells"].items() if c["type"] != "$scopeinfo"}
    assert sorted(names[n] for n in cells) == sorted(old)
    assert all(old[names[n]]["type"] == c["type"] for n, c in cells.items())


def test_another_netlist_has_another_digest(mapped: tuple[Path, dict[str, Any], str]) -> None:
    """One bit of a table, one connection, one parameter of a register, one attribute that tools read."""
    rng = random.Random(3)
    luts = [
        n
        for n, c in mapped[1]["cells"].items()
        if c["type"] == "LUT4" and not {"0", "1"} & {b for bits in c["connections"].values() for b in bits}
    ]
    ffs = [n for n, c in mapped[1]["cells"].items() if c["type"] == "TRELLIS_FF"]

    def changed(name: str, part: str, key: str, value: Any) -> str:
        m = copy.deepcopy(mapped[1])
        assert m["cells"][name][part].get(key) != value
        m["cells"][name][part][key] = value
        return canonical(m).digest

    seen = {mapped[2]}
    for name in rng.sample(luts, 3):
        init = mapped[1]["cells"][name]["parameters"]["INIT"]
        k = rng.randrange(16)
        seen.add(changed(name, "parameters", "INIT", init[:k] + str(1 - int(init[k])) + init[k + 1 :]))
    a, b = rng.sample(ffs, 2)
    seen.add(changed(a, "connections", "DI", mapped[1]["cells"][b]["connections"]["DI"]))
    seen.add(changed(a, "parameters", "REGSET", "SET"))
    seen.add(changed(a, "attributes", "BEL", "X4/Y4/SLICEA.FF0"))
    assert len(seen) == 7
    assert changed(a, "attributes", "src", "elsewhere.v:1") == mapped[2]


def test_parts_that_look_alike_from_everywhere() -> None:
    """A ring of six and two rings of three have the same neighbours everywhere; still two netlists, each
    with one form.
    """
    forms = {}
    for sizes in ((6, 3, 3), (3, 6, 3), (6, 6), (3, 3, 3, 3), (12,)):
        found = {canonical(shuffled(rings(*sizes), seed)).text() for seed in range(6)}
        assert len(found) == 1
        forms[sizes] = found.pop()
    assert forms[(6, 3, 3)] == forms[(3, 6, 3)]
    assert len(set(forms.values())) == 4


def test_parts_with_ties_beside_parts_without() -> None:
    """A register that no other is like beside one that has a twin: their orders compare."""
    part = [(1, [0, 0, 0, 0], 2), (1, [0, 0, 5, 6], 2), (1, [0, 0, 0, 0], 0)]
    cells, outputs = [], []
    for k in range(2):
        nets = [3, 4, *range(5 + 6 * k, 11 + 6 * k)]
        for i, (init, inputs, d) in enumerate(part):
            cells += [lut(init, nets[2 + i], *(nets[j] for j in inputs)), ff(nets[d], nets[5 + i])]
        outputs.append(nets[-1])
    m = flat(cells, outputs[:1])
    found = {canonical(shuffled(m, seed)).text() for seed in range(12)}
    assert found == {canonical(m).text()}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_netlists_with_symmetric_parts(data: st.DataObject) -> None:
    """Copies of one random part on the same inputs, with feedback in each: any order of cells and pins
    gives the same bytes, and another table gives others.
    """
    width, copies = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
    number = st.integers(0, 2 * width + 1)
    part = [
        (data.draw(st.integers(1, 0xFFFE)), [data.draw(number) for _ in range(4)], data.draw(number))
        for _ in range(width)
    ]
    cells, outputs = [], []
    for k in range(copies):
        base = 5 + 2 * width * k
        nets = [3, 4, *range(base, base + 2 * width)]
        for i, (init, inputs, d) in enumerate(part):
            cells += [lut(init, nets[2 + i], *(nets[j] for j in inputs)), ff(nets[d], nets[2 + width + i])]
        outputs.append(nets[-1])
    m = flat(cells, outputs if data.draw(st.booleans()) else outputs[:1])
    form = canonical(m)
    assert canonical(shuffled(m, data.draw(st.integers(0, 99)))).text() == form.text()
    assert canonical(form.design["modules"][CANONICAL_TOP]).text() == form.text()  # already canonical
    other = copy.deepcopy(m)
    ins = [b for p in "ABCD" for b in cells[0]["connections"][p]]
    if len(set(ins)) == 4:
        other["cells"]["u0"]["parameters"]["INIT"] = f"{part[0][0] ^ 0x0010:016b}"
        assert canonical(other).digest != form.digest
