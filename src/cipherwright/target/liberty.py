"""What an arithmetic generator asks of a cell library: pin-to-pin delays of its full and half adder,
delays and areas of gates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from ..errors import UserError
from ..files import reason
from ..rewrite import CellDelays

__all__ = [
    "Cell",
    "CellText",
    "cell_area",
    "cell_delays",
    "cells_in",
    "cells_of",
    "full_adder_cell",
    "is_nand2",
    "liberty_text",
    "nand2_area",
    "pins_of",
    "read_cells",
    "truth_table",
]

_TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|[{}]|\bcell\s*\(\s*"?([^\s")]+)"?\s*\)\s*(?=\{)', re.S)

LOAD_PF, SLEW_NS = 0.05, 0.18
"""At which delays are read: the input of a full adder, and the slope behind a gate that drives one."""


@dataclass(frozen=True)
class Cell:
    """A combinational cell: its `name`, its `area` in the library's unit, its `inputs`, and for each output
    pin in `tables` its truth table over them (input k at address bit k) and in `delays` the delay in ns from
    each input that it depends on.
    """

    name: str
    area: float
    inputs: tuple[str, ...]
    tables: dict[str, int]
    delays: dict[str, dict[str, float]]


@dataclass(frozen=True)
class CellText:
    """A cell of a Liberty file as it is written there: its `name`, its `text`, and where that begins."""

    name: str
    text: str
    start: int


def liberty_text(path: Path) -> str:
    """The text of the file `path`. Raises UserError where it can't be read."""
    try:
        return path.read_text(errors="replace")
    except OSError as e:
        raise UserError(f"can't read {path}: {reason(e)}") from None


def cells_of(path: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every cell of the Liberty file `path`, also of those that are not to be used. Raises
    UserError where it can't be read or is no Liberty file.
    """
    return ((c.name, c.text) for c in cells_in(liberty_text(path), path))


@lru_cache(maxsize=2)
def cells_in(text: str, path: Path = Path()) -> tuple[CellText, ...]:
    """Every cell of a Liberty file in order, also those that are not to be used; `text`: of the file `path`.
    Comments and strings are read as such. Raises UserError where it is no Liberty file.
    """
    if not re.search(r"\blibrary\s*\(", text):
        raise UserError(f"{path} is no Liberty file: it has no library(...) group")
    depth, name, start, found = 0, "", 0, list[CellText]()
    for m in _TOKEN.finditer(text):
        if m[0] == "{":
            depth += 1
        elif m[0] == "}":
            depth -= 1
            if name and depth == 1:
                found.append(CellText(name, text[start : m.end()], start))
                name = ""
        elif m[1] and depth == 1:
            name, start = m[1], m.start()
    if depth:
        raise UserError(f"{path} is no Liberty file: its braces do not match")
    return tuple(found)


def is_nand2(name: str) -> bool:
    """Whether a cell's `name` is that of a two-input NAND: it begins with NAND2, behind a prefix or without
    one.

    >>> is_nand2("NAND2X1"), is_nand2("sky__nand2_1"), is_nand2("NAND3X1")
    (True, True, False)
    """
    return bool(re.match(r"(\w+_)?nand2", name, re.I))


def nand2_area(liberty: Path) -> float:
    """Area of the smallest two-input NAND of the file `liberty`, the gate equivalent, in the library's area
    unit. Raises UserError where no cell's name is that of one (`is_nand2`).
    """
    areas = [area for name, text in cells_of(liberty) if is_nand2(name) and (area := cell_area(text))]
    if not areas:
        raise UserError(f"{liberty.name} has no two-input NAND to count gate equivalents by")
    return min(areas)


def cell_area(cell: str) -> float | None:
    """The area of a cell, its text, None where it has none."""
    found = re.search(r"\barea\s*:\s*([\d.]+)", cell)
    return float(found[1]) if found else None


def pins_of(cell: str) -> list[tuple[str, str]]:
    """Name and text of every pin of a cell, of which `cell` is the text.

    >>> pins_of('cell (INV) { area : 2; pin (A) { direction : input; } pin ("Y") { function : "!A"; } }')
    [('A', ' direction : input; '), ('Y', ' function : "!A"; ')]
    """
    return _groups(cell, "pin")


def _groups(text: str, kind: str) -> list[tuple[str, str]]:
    """(name, body) of every group `kind (name) { body }` at any depth."""
    out = []
    for m in re.finditer(rf"\b{kind}\s*\(\s*\"?([^)\"]*)\"?\s*\)\s*\{{", text):
        depth, i = 1, m.end()
        while depth and i < len(text):
            depth += {"{": 1, "}": -1}.get(text[i], 0)
            i += 1
        out.append((m[1].strip(), text[m.end() : i - 1]))
    return out


def truth_table(function: str, inputs: tuple[str, ...]) -> int | None:
    """The truth table of a Liberty `function` over the pins `inputs`, as an integer: its bit at an address is
    the value there, and inputs[k] is bit k of the address. None where it reads what is no input or has other
    operators than `! ' & * | + ^`, a space for AND, and parentheses.

    >>> bin(truth_table("!(A B)", ("A", "B"))), truth_table("A & X", ("A", "B"))
    ('0b111', None)
    """
    spaced = re.sub(r"(?<=[\w)'])\s+(?=[\w(!])", "&", function.strip())
    spaced = re.sub(r"(\w+|\))'", r"~\1", spaced) if "'" in spaced else spaced
    text = spaced.replace("!", "~").replace("*", "&").replace("+", "|")
    if not set(re.findall(r"[A-Za-z_]\w*", text)) <= set(inputs) or not re.fullmatch(r"[\w\s~&|^()]*", text):
        return None
    value = 0
    for address, bits in enumerate(product((0, 1), repeat=len(inputs))):
        names = dict(zip(reversed(inputs), bits, strict=True))
        value |= (
            int(eval(compile(text, "function", "eval"), {"__builtins__": {}}, names)) & 1
        ) << address  # only names and operators
    return value


def _numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", text)]


def _delay(timing: str) -> float:
    """The later of rise and fall, at the load and slope above, to the nearest entries."""
    worst = 0.0
    for kind in ("cell_rise", "cell_fall"):
        for _, body in _groups(timing, kind):
            values = re.search(r"values\s*\(([^)]*)\)", body)
            axes = [re.search(rf"index_{k}\s*\(\s*\"([^\"]*)\"", body) for k in (1, 2)]
            if not values or not all(axes):
                continue
            load, slew = (_numbers(a[1]) for a in axes if a)
            rows = _numbers(values[1])
            worst = max(worst, _between(load, slew, rows))
    return worst


def _between(load: list[float], slew: list[float], rows: list[float]) -> float:
    """Bilinear interpolation."""

    def place(axis: list[float], x: float) -> tuple[int, float]:
        i = max(0, min(len(axis) - 2, sum(a <= x for a in axis) - 1))
        return i, (x - axis[i]) / (axis[i + 1] - axis[i])

    (i, u), (j, v), n = place(load, LOAD_PF), place(slew, SLEW_NS), len(slew)
    low = rows[i * n + j] * (1 - v) + rows[i * n + j + 1] * v
    high = rows[(i + 1) * n + j] * (1 - v) + rows[(i + 1) * n + j + 1] * v
    return low * (1 - u) + high * u


@cache
def read_cells(liberty: Path) -> dict[str, Cell]:
    """Every combinational cell of the file `liberty` whose functions are all given, by name."""
    out = {}
    for name, body in cells_of(liberty):
        pins = pins_of(body)
        inputs = tuple(p for p, text in pins if re.search(r"direction\s*:\s*\"?input", text))
        outputs = [
            (p, text, re.search(r"function\s*:\s*\"([^\"]*)\"", text))
            for p, text in pins
            if re.search(r"direction\s*:\s*\"?output", text)
        ]
        tables = {p: truth_table(f[1], inputs) for p, _, f in outputs if f}
        area = cell_area(body)
        if (
            not inputs
            or not tables
            or None in tables.values()
            or len(tables) < len(outputs)
            or area is None
            or re.search(r"\b(ff|latch)\s*\(", body)
        ):
            continue
        delays: dict[str, dict[str, float]] = {}
        for p, text, _ in outputs:
            for _, timing in _groups(text, "timing"):
                related = re.search(r"related_pin\s*:\s*\"([^\"]*)\"", timing)
                for pin in related[1].split() if related else ():
                    delays.setdefault(p, {})[pin] = max(delays.get(p, {}).get(pin, 0.0), _delay(timing))
        known = {p: t for p, t in tables.items() if t is not None}
        out[name] = Cell(name, area, inputs, known, delays)
    return out


def _pins(cell: Cell, table: int) -> str:
    return next((p for p, t in cell.tables.items() if t == table), "")


def _adder(cells: dict[str, Cell], inputs: int, total: int, carry: int) -> tuple[Cell, str, str] | None:
    """(cell, sum pin, carry pin) of the smallest adder cell."""
    found = [
        (c, _pins(c, total), _pins(c, carry))
        for c in cells.values()
        if len(c.inputs) == inputs and _pins(c, total) and _pins(c, carry)
    ]
    return min(found, key=lambda f: f[0].area, default=None)


def full_adder_cell(liberty: Path) -> tuple[str, tuple[str, ...], str, str] | None:
    """(cell, its input pins from the slowest to the fastest, sum pin, carry pin) of the smallest full adder
    in the file `liberty`, None where it has none.
    """
    found = _adder(read_cells(liberty), 3, 0b10010110, 0b11101000)
    if found is None:
        return None
    cell, total, carry = found
    order = sorted(
        cell.inputs, key=lambda p: (-cell.delays[total].get(p, 0.0) - cell.delays[carry].get(p, 0.0), p)
    )
    return cell.name, tuple(order), total, carry


_GATES = {
    "nand2": (2, 0b0111),
    "nor2": (2, 0b0001),
    "xor2": (2, 0b0110),
    "and2": (2, 0b1000),
    "inv": (1, 0b01),
}


def cell_delays(liberty: Path) -> CellDelays | None:
    """Delays in ns of the adder cells and gates in the file `liberty`, areas in NAND2 equivalents; None where
    it has no full or half adder, or one of NAND2, NOR2, XOR2, AND2 and inverter is missing.
    """
    cells = read_cells(liberty)
    full, half = _adder(cells, 3, 0b10010110, 0b11101000), _adder(cells, 2, 0b0110, 0b1000)
    gates = {}
    for name, (n, table) in _GATES.items():
        gates[name] = min(
            (c for c in cells.values() if len(c.inputs) == n and table in c.tables.values()),
            key=lambda c: c.area,
            default=None,
        )
    if full is None or half is None or any(g is None for g in gates.values()):
        return None
    delay = {name: max(max(d.values()) for d in g.delays.values()) for name, g in gates.items() if g}
    nand = min(g.area for n, g in gates.items() if g and n == "nand2")
    area = {name: g.area / nand for name, g in gates.items() if g} | {
        "full": full[0].area / nand,
        "half": half[0].area / nand,
    }
    # A carry goes through AND-OR-INVERT and OR-AND-INVERT in turn; measured in mapped adders, it takes 0.75
    # of a NAND and an inverter.
    delay |= {"aoi21": 0.75 * (delay["nand2"] + delay["inv"]), "mux2": delay["nand2"] + delay["nand2"]}
    area |= {"aoi21": 1.4 + area["inv"], "mux2": 2.0}
    order = full_adder_cell(liberty)
    assert order is not None
    sums, carries = ([full[0].delays[p].get(i, 0.0) for i in order[1]] for p in (full[1], full[2]))
    half_sum, half_carry = (
        [half[0].delays[p].get(i, 0.0) for i in half[0].inputs] for p in (half[1], half[2])
    )
    return CellDelays(
        (sums[0], sums[1], sums[2]),
        (carries[0], carries[1], carries[2]),
        (half_sum[0], half_sum[1]),
        (half_carry[0], half_carry[1]),
        delay,
        area,
        0.02,
    )
