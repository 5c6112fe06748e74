"""The papers' tables for FPGAs: counts of slices, and the papers' figures against their own arithmetic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cipherwright.progress import quiet
from cipherwright.report.reproduce import des_xilinx, khazad_misty1_ucl
from cipherwright.report.reproduce.khazad_misty1_parts import COMPONENTS, DELAYS
from cipherwright.report.reproduce.measuring import slices_at_best, slices_packed
from cipherwright.target import Mapped, paired_flip_flops

Table = dict[str, Any]


def _column(table: Table, name: str) -> list[Any]:
    return [row[table["columns"].index(name)] for row in table["rows"]]


# -- slices --
def _cell(kind: str, **pins: int | tuple[int, str]) -> dict[str, Any]:
    """A cell of a netlist; outputs are the pins O, Q."""
    return {
        "type": kind,
        "connections": {p: [bit] for p, bit in pins.items()},
        "port_directions": {p: "output" if p in ("O", "Q") else "input" for p in pins},
    }


def test_flip_flops_in_the_cells_of_their_tables() -> None:
    """A table has room for one flip-flop, a wide multiplexer for one in each of its tables' cells; others
    stand alone.
    """
    cells = {
        "a": _cell("LUT4", I0=1, O=10),
        "b": _cell("LUT4", I0=2, O=11),
        "c": _cell("SRL16E", D=1, O=12),
        "wide": _cell("MUXF5", I0=10, I1=11, S=3, O=13),
        "of_a": _cell("FDRE", D=10, Q=20),
        "of_wide": _cell("FDRE", D=13, Q=21),
        "of_c": _cell("FDRE", D=12, Q=22),
        "of_c_too": _cell("FDRE", D=12, Q=23),
        "of_a_flip_flop": _cell("FDRE", D=20, Q=24),
        "of_an_input": _cell("FDRE", D=4, Q=25),
    }
    assert paired_flip_flops({"cells": cells}) == 3
    mapped = Mapped({"LUT4": 2, "SRL16E": 1, "FDRE": 6}, paired=3)
    assert mapped.logic_cells == 6  # three tables, one flip-flop with each; three flip-flops
    assert slices_packed(mapped) == 3
    assert slices_at_best(mapped.luts, mapped.ffs) == 3
    del cells["of_a"]["connections"]["D"]  # without data it is in no table's cell
    assert paired_flip_flops({"cells": cells}) == 2


def _made(luts: int, ffs: int, paired: int) -> Any:
    mapped = Mapped({"LUT4": luts, "FDRE": ffs}, levels=2, paired=paired)
    return SimpleNamespace(
        build=SimpleNamespace(mapped=mapped, fmax_mhz=100.0),
        packed=slices_packed(mapped),
        slices=slices_at_best(mapped.luts, mapped.ffs),
        core=SimpleNamespace(parameters={"block_bits": 64}, bits_per_cycle=64.0),
        gbps=6.4,
    )


def test_both_kinds_of_slices_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {name: _made(101, 80, 60) for name in ("khazad-ucl-fast", "khazad-ucl-small", "misty1-ucl")}
    table = khazad_misty1_ucl.slices_and_clocks(made)
    both = list(zip(_column(table, "slices packed"), _column(table, "slices at best"), strict=True))
    assert both[0::2] == [(8800, 6784), (7175, 5536), (8386, 5460)]
    assert both[1::2] == [(61, 51)] * 3
    assert _column(table, "MHz after synthesis")[0::2] == [175, 137, 204]
    assert _column(table, "MHz after place and route")[0::2] == [148, 123, 140]
    assert all("no open delays" in why for why in _column(table, "MHz after place and route")[1::2])

    monkeypatch.setattr(khazad_misty1_ucl, "measure", lambda *_: _made(101, 80, 60))
    table = khazad_misty1_ucl.comparison(made, quiet)
    rows = {row[0]: row for row in table["rows"]}
    assert rows["MISTY1, paper"] == ["MISTY1, paper", 8386, 5460, 10920, 1, 140.0, 8.96, 1.07, 1.64]
    assert rows["RIJNDAEL (Elbirt et al.), paper"][2:5] == [None, None, 2.1]
    assert rows["des-fast, ECP5"][1:] == [61, 51, 101, 1.0, 100.0, 6.4, 104.92, 125.49]
    assert "S-boxes as inversions in a tower" in " ".join(table["notes"])


# -- KHAZAD and MISTY1 --
def test_every_component_with_a_delay_is_in_the_table() -> None:
    assert {c.name for c in COMPONENTS if c.table in ("2", "3") and "ours" not in c.name} == set(DELAYS)


def test_the_subkeys_of_the_paper() -> None:
    """Its rows are ours but for KL1 of even i, where RFC 2994 has K'(i/2 + 2)."""
    table = khazad_misty1_ucl.subkeys()
    rows = {(row[0], row[-1]): row[1:-1] for row in table["rows"]}
    assert len(rows) == 16
    for i in range(1, 9):
        differ = [k for k in range(9) if rows[i, "ours"][k] != rows[i, "paper"][k]]
        assert differ == ([7] if i % 2 == 0 else [])
        if differ:
            assert rows[i, "ours"][7] == f"K'{(i // 2 + 1) % 8 + 1}"
            assert rows[i, "paper"][7] == f"K'{i // 2 + 1}"
    assert rows[3, "paper"] == ["K3", "K5", "K2", "K7", "K'8", "K'4", "K'6", "K2", "K'8"]


# -- DES --
def _des(names: tuple[str, ...], luts: int) -> dict[str, Any]:
    def one() -> Any:
        mapped = Mapped({"LUT4": luts, "FDRE": 1000}, levels=4)
        build = SimpleNamespace(
            mapped=mapped, seeds={1: 200.0, 2: 250.0}, fmax_mhz=250.0, gate_equivalents=9.6
        )
        core = SimpleNamespace(bits_per_cycle=64.0, ports=SimpleNamespace(ascending=True))
        return SimpleNamespace(build=build, core=core, gbps=16.0, lines=5)

    return {name: one() for name in names}


def test_physical_design_of_des() -> None:
    """The paper's clocks agree with its rates; ours are those of the seeds."""
    made = des_xilinx.Statistics(
        _des(("16", "48", "48 SRL"), 3072), _des(("16", "48", "des-fast"), 3100), _des(("16", "48"), 0)
    )
    table = des_xilinx.physical(made)
    assert [m for m in _column(table, "MHz")[:5] if m] == [80.0, 100.0, 132.0]
    for row in table["rows"][:5]:
        ns, mhz, gbps = row[-3:]
        if gbps:
            assert gbps == pytest.approx(64 * (mhz or 1000 / ns) / 1000, abs=0.09)
    ours = [row for row in table["rows"] if row[1].startswith("ours")]
    assert len(ours) == 6
    assert ours[0][3] == 50  # of 6,144 lookup tables
    assert "no open place and route" in ours[0][1]
    assert ours[1][-3:] == [5.0, 200.0, 12.8]
    assert ours[2][-3:] == [4.0, 250.0, 16.0]
    rows = {row[0]: row[1:] for row in des_xilinx.statistics(made)["rows"]}
    mapper = next(name for name in rows if name.startswith("Gates by Xilinx's mapper"))
    assert "not public" in mapper
    assert rows[mapper] == [52_936, 72_952, None, None, None, None]
    assert rows["Gates as NAND2 areas of osu018"] == [None, None, 10, 10, None, None]
