"""Which cells of a Liberty file may be used: logic and registers, but no pads, no cells that the library
or the user rules out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ..errors import UserError
from .liberty import cells_in, is_nand2, liberty_text, pins_of, truth_table

__all__ = ["FlipFlop", "Library", "flip_flops", "read_library"]

_TRUE = r'\s*:\s*"?true\b'
_UNITS = ("time_unit", "capacitive_load_unit", "voltage_unit", "current_unit", "leakage_power_unit")
_PIN = re.compile(r'\bpin\s*\(\s*"?([^\s")]+)"?\s*\)')


@dataclass(frozen=True)
class Library:
    """A Liberty file without the cells that are not to be used. `text`: of the file with the rest;
    `left_out`: cells that are not to be used, and why.
    """

    text: str
    left_out: dict[str, str]

    @property
    def pins(self) -> dict[str, frozenset[str]]:
        """Cell -> its pins."""
        return {c.name: frozenset(_PIN.findall(c.text)) for c in cells_in(self.text)}

    @property
    def units(self) -> dict[str, str]:
        """Unit by the name of its attribute, without spaces and quotes.

        >>> Library('library (x) { time_unit : "1ns"; capacitive_load_unit (1,pf); }', {}).units
        {'time_unit': '1ns', 'capacitive_load_unit': '1,pf'}
        """
        said = {unit: re.search(rf"\b{unit}\s*[:(]\s*([^;)]+)", self.text) for unit in _UNITS}
        return {unit: re.sub(r'[\s"]', "", m[1]).lower() for unit, m in said.items() if m}


def read_library(
    path: Path, dont_use: Sequence[str] = (), corners: Mapping[str, Path] | None = None
) -> Library:
    """The usable part of the Liberty file `path`. `dont_use`: patterns of cell names (`*`, `?`, `[…]`);
    `corners`: Liberty files of the same cells under other conditions, by name.

    Left out are pads (pad_cell, is_pad), cells with dont_use, memories, fillers and other cells without a
    function, cells whose only outputs are three-state, what the patterns name, and cells that a corner has
    not or has with other pins. Raises UserError where it is no Liberty file, where a pattern names no cell,
    where corners have other units or no such cells, or where what is left can't make a core: no
    flip-flop for rising edges, no two-input NAND, no inverter.
    """
    text = liberty_text(path)
    cells = cells_in(text, path)
    unknown = [p for p in dont_use if not any(fnmatchcase(c.name, p) for c in cells)]
    if unknown:
        raise UserError(f"--dont-use {unknown[0]} names no cell of {path.name}")
    missing = _missing(path, Library(text, {}), corners or {})
    left_out, kept, at = dict[str, str](), list[str](), 0
    for c in cells:
        why = next((f"--dont-use {p}" for p in dont_use if fnmatchcase(c.name, p)), "")
        why = why or _why_not(c.text) or missing.get(c.name, "")
        if why:
            left_out[c.name] = why
            kept.append(text[at : c.start])
            at = c.start + len(c.text)
    rest = "".join([*kept, text[at:]])
    _check_enough(path, {c.name: c.text for c in cells if c.name not in left_out})
    return Library(rest, left_out)


def _missing(path: Path, library: Library, corners: Mapping[str, Path]) -> dict[str, str]:
    """Cells of a library that can't be timed in every corner, and why."""
    out = dict[str, str]()
    own, units = library.pins, library.units
    for corner, other in corners.items():
        found = read_library(other)
        if wrong := next((u for u, said in units.items() if found.units.get(u) != said), None):
            raise UserError(
                f"{other.name} has {wrong} = {found.units.get(wrong, 'nothing')} and {path.name} "
                f"{units[wrong]}: corners of one library have the same units"
            )
        pins = found.pins
        if not own.keys() & pins.keys():
            raise UserError(f"{path.name} and {other.name} have no usable cell in common")
        for name in own.keys() - out.keys():
            if name in found.left_out:
                out[name] = f"{found.left_out[name]}, in the corner {corner}"
            elif name not in pins:
                out[name] = f"not in the corner {corner}"
            elif pins[name] != own[name]:
                out[name] = f"other pins in the corner {corner}"
    return out


def _why_not(cell: str) -> str:
    """Why a cell is not to be used, or nothing."""
    body = re.sub(r"/\*.*?\*/", " ", cell, flags=re.S)
    if re.search(rf"\bpad_cell{_TRUE}|\bis_pad{_TRUE}", body, re.I):
        return "pad"
    if re.search(rf"\bdont_use{_TRUE}", body, re.I):
        return "dont_use in the library"
    if re.search(r"\bmemory\s*\(", body):
        return "memory"
    if not re.search(
        r"\b(ff|latch|ff_bank|latch_bank|statetable)\s*\(|\b(function|clock_gating_integrated_cell)\s*:", body
    ):
        return "no logic function"
    outputs = [pin for _, pin in pins_of(body) if re.search(r"\bfunction\s*:", pin)]
    return "three-state" if outputs and all(re.search(r"\bthree_state\s*:", pin) for pin in outputs) else ""


@dataclass(frozen=True)
class FlipFlop:
    """A flip-flop: whether it follows the `rising` edge of its clock pin, and whether it can be cleared or
    set `at_once`, without the clock.
    """

    rising: bool
    at_once: bool


def flip_flops(cells: Iterable[tuple[str, str]]) -> dict[str, FlipFlop]:
    """The flip-flops of `cells`, names and texts as `cells_of` gives them, by name: those with a group `ff`.

    >>> flip_flops([("D1", 'cell (D1) { ff (IQ, IQN) { clocked_on : "!CK"; clear : "R"; } }')])
    {'D1': FlipFlop(rising=False, at_once=True)}
    """
    groups = {name: re.search(r"\bff\s*\([^)]*\)\s*\{([^{}]*)\}", text) for name, text in cells}
    return {name: _flip_flop(group[1]) for name, group in groups.items() if group}


def _flip_flop(group: str) -> FlipFlop:
    clock = re.search(r'\bclocked_on\s*:\s*"?([^";]*)', group)
    pins = tuple(re.findall(r"[A-Za-z_]\w*", clock[1])) if clock else ()
    rising = len(pins) == 1 and truth_table(clock[1] if clock else "", pins) == 0b10
    return FlipFlop(rising, bool(re.search(r"\b(clear|preset)\s*:", group)))


def _is_inverter(cell: str) -> bool:
    """Whether a cell, its text, is an inverter: one input, and one output with its opposite."""
    if re.search(r"\b(ff|latch|statetable)\s*\(", cell):
        return False
    inputs = re.findall(r'\bdirection\s*:\s*"?input', cell)
    functions = re.findall(r'\bfunction\s*:\s*"([^"]*)"', cell)
    pins = tuple(re.findall(r"[A-Za-z_]\w*", functions[0])) if functions else ()
    return len(inputs) == len(functions) == len(pins) == 1 and truth_table(functions[0], pins) == 0b01


def _check_enough(path: Path, cells: Mapping[str, str]) -> None:
    """Raise UserError where no core can be made of the `cells`, texts by name, that may be used."""
    bare = {name: re.sub(r"/\*.*?\*/", " ", text, flags=re.S) for name, text in cells.items()}
    found = flip_flops(bare.items())
    if not found:
        raise UserError(f"{path.name} has no flip-flop that may be used")
    if not any(map(is_nand2, cells)):
        raise UserError(
            f"{path.name} has no two-input NAND (a cell whose name begins with NAND2) that may be used, by "
            f"which area is counted"
        )
    if not any(map(_is_inverter, bare.values())):
        raise UserError(f"{path.name} has no inverter that may be used")
    if not any(f.rising for f in found.values()):
        raise UserError(
            f"{path.name} has no flip-flop for rising edges that may be used: "
            f"{', '.join(sorted(found))} {'follows' if len(found) == 1 else 'follow'} no rising edge"
        )
