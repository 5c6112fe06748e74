"""The papers' tables for standard cells: figures of ours against independent counts, the papers' against
their own arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cipherwright.engine.rijndael import processor_rounds
from cipherwright.graph import GraphBuilder
from cipherwright.progress import quiet
from cipherwright.report.reproduce import mars_ibm, mars_units, rijndael_parts
from cipherwright.report.reproduce.cell_pieces import drawn, part
from cipherwright.shell import BuiltEngine
from cipherwright.target import Recipe, implement, load_target
from tests.conftest import Built


def _column(table: dict[str, Any], name: str) -> list[Any]:
    return [row[table["columns"].index(name)] for row in table["rows"]]


def _engine(made: Built) -> BuiltEngine:
    assert isinstance(made[0], BuiltEngine)
    return made[0]


# -- Rijndael --
SHIFT_TABLE = [  # of the reference code: size of the block, row, direction
    [[0, 0], [1, 3], [2, 2], [3, 1]],
    [[0, 0], [1, 5], [2, 4], [3, 3]],
    [[0, 0], [1, 7], [3, 5], [4, 4]],
]
CONSTANTS = bytes.fromhex("01020408102040801b366cd8ab4d9a2f5ebc63c697356ad4b37dfaefc591")


def test_the_tables_of_the_paper() -> None:
    flat = [SHIFT_TABLE[size][row][back] for size in range(3) for back in range(2) for row in range(4)]
    assert list(rijndael_parts.shift_amounts()) == flat + [0] * 8
    assert bytes(rijndael_parts.round_constants()) == CONSTANTS + bytes(2)
    shifts = drawn(rijndael_parts.lookup("Shift", rijndael_parts.shift_amounts(), 3))
    constants = drawn(rijndael_parts.lookup("Rcon", rijndael_parts.round_constants(), 8))
    assert (shifts.area_um2, constants.area_um2) == (667, 2265)


@pytest.mark.parametrize(
    ("preset", "changes", "copies"),
    [
        ("rijndael-ucla", ["direction=encrypt"], [32 + 8]),
        ("rijndael-ucla", [], [16, 32]),
        ("rijndael-ucla-keybuffer", ["direction=encrypt"], [32 + 4]),
    ],
)
def test_copies_of_the_s_box(
    built: Callable[..., Built], preset: str, changes: list[str], copies: list[int]
) -> None:
    """32 in the round; in a key step two substitutions of four bytes, one to fill the buffer."""
    assert list(rijndael_parts.boxes(_engine(built(preset, *changes))).values()) == copies


def _areas() -> tuple[float, float]:
    """Areas of the two-input NAND and XOR, read from the library as text."""
    text = Path(load_target("osu018").liberty).read_text()
    nand, xor = (re.search(rf"cell \({c}\)[^;]*?area : ([\d.]+)", text, re.S) for c in ("NAND2X1", "XOR2X1"))
    assert nand
    assert xor
    return float(nand[1]), float(xor[1])


def test_pieces_of_logic() -> None:
    """An XOR of 32 bits is 32 XOR gates; the path of a sum is longer, and between registers longer still."""
    b = GraphBuilder("xor")
    b.output("y", b.xor(b.input("x", 32), b.input("k", 32)))
    simple = drawn(b.build())
    nand, xor = _areas()
    assert simple.area_um2 == 32 * xor
    assert simple.gates == pytest.approx(32 * xor / nand)
    graph = mars_units.arithmetic("add")
    total, registered = drawn(graph), mars_units.alone(graph, "delay", quiet)
    assert simple.flip_flops == total.flip_flops == 0
    assert simple.ns is not None
    assert total.ns is not None
    assert registered.critical_path_ns is not None
    assert 0 < simple.ns < total.ns < registered.critical_path_ns < total.ns + 1


def test_registers_that_follow_another_port(tmp_path: Path) -> None:
    """The papers' own interfaces name the clock as the papers do: the timing is that of the same text with
    `clk`.
    """
    text = "module sum (input wire [7:0] a, b, output wire [7:0] y); assign y = a + b; endmodule\n"
    text += mars_units.between_registers("bench", "sum", {"a": 8, "b": 8}, {"y": 8})
    paths = {}
    for clock in ("clk", "Clk"):
        source = tmp_path / f"{clock}.v"
        source.write_text(text.replace("clk", clock))
        found = implement([source], "bench", load_target("osu018"), Recipe(clock=clock))
        paths[clock] = found.critical_path_ns
    assert paths["clk"] is not None
    assert paths["clk"] == paths["Clk"]


def test_s_box_and_control_by_themselves(built: Callable[..., Built]) -> None:
    """The control has the flip-flops that its text declares, without the direction where there is one."""
    engine = _engine(built("rijndael-ucla", "direction=encrypt"))
    text = engine.files[f"{engine.top}_rijndael.sv"]
    declared = re.findall(r"^\s*(?:\(\*.*?\*\) )?reg (?:\[(\d+):0\] )?([\w, ]+);", text, re.M)
    bits = sum((int(high or 0) + 1) * len(names.split(",")) for high, names in declared)
    control = rijndael_parts.control(engine)
    assert control.flip_flops == bits - 1
    assert control.area_um2 == 111_509
    box = part(engine, "sbox", True)
    assert box.ns == pytest.approx(0.94, abs=0.01)
    assert box.area_um2 == 16_788
    assert box.gates == pytest.approx(16_788 / _areas()[0])


@pytest.mark.long_check
def test_cycles_to_fill_the_buffer(built: Callable[..., Built]) -> None:
    """Four words of the expanded key a cycle, and four cycles around them."""
    found = rijndael_parts.setup_cycles(_engine(built("rijndael-ucla-keybuffer", "direction=encrypt")))
    assert found == {
        (block, key): ceil(block // 32 * (processor_rounds(block, key) + 1) / 4) + 4
        for block in (128, 192, 256)
        for key in (128, 192, 256)
    }
    assert max(found.values()) == found[256, 128] == 34


# -- MARS --
@pytest.mark.parametrize(("preset", "cycles"), [("mars-ibm-rom", 802), ("mars-ibm-4port", 742)])
def test_cycles_of_a_key(built: Callable[..., Built], preset: str, cycles: int) -> None:
    assert mars_ibm.expansions(_engine(built(preset)), mars_ibm.KEYS) == [cycles] * len(mars_ibm.KEYS)


def _builds(built: Callable[..., Built]) -> Any:
    build = SimpleNamespace(gate_equivalents=18_489.2, fmax_mhz=100.0, critical_path_ns=10.0)
    return {p: (_engine(built(p)), build) for p in mars_ibm.PRESETS}


def test_totals_with_the_memories_of_the_paper(built: Callable[..., Built]) -> None:
    rows = mars_ibm.totals(_builds(built))["rows"]
    for name, who, logic, keys, boxes, total in rows:
        assert total == logic + keys + boxes, (name, who)
    assert [row[-1] for row in rows if row[1] == "paper"] == [66_800, 51_400, 36_000, 34_000, 24_900]
    ours = {row[0]: row[-1] for row in rows if row[1] == "ours"}
    assert ours["mars-ibm-4port"] == 18_489 + 6800 + 46_200
    assert ours["mars-ibm-rom"] == 18_489 + 4800  # its S-box is in the logic


def test_worst_case_of_mars(built: Callable[..., Built]) -> None:
    """The paper's rates are its clocks by its cycles: 180 and 122 MHz, with the ROM 105."""
    table = mars_ibm.performance(_builds(built))
    for name, column, clock in (
        ("nominal", "Mb/s in the paper", 180),
        ("worst case", "worst case in the paper, Mb/s", 122),
    ):
        for preset, cycles, rates in zip(
            _column(table, "preset"),
            _column(table, "cycles in the paper"),
            _column(table, column),
            strict=True,
        ):
            mhz = 105 if preset == "mars-ibm-rom" else clock
            assert [int(r) for r in rates.split(",")] == [128 * mhz // int(c) for c in cycles.split(",")], (
                name
            )
    assert set(_column(table, "worst case, ours")) == {"none: no slow corner"}
