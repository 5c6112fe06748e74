"""Trees of buffers behind registers that drive many cells: ABC buffers the cells that it maps, not what
drives them.

This file stands by itself and goes into the folder of an implementation, where it is a script:
`python3 fanout.py TOP REGISTER…` reads mapped.json and cells.lib and writes buffered.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

__all__ = ["buffered", "put_buffers", "strongest_buffer"]

_MOST = 10
"""Cells that a register or buffer drives."""


def strongest_buffer(library: Path) -> tuple[str, str, str] | None:
    """(cell, input pin, output pin) of the buffer with the greatest area in the Liberty file `library`, those
    for clocks and three-state ones apart; None where it has none.
    """
    text = library.read_text(errors="replace")
    cells = (_buffer(part) for part in re.split(r'\bcell\s*\(\s*"?', text)[1:])
    found = [cell for cell in cells if cell]
    return max(found)[1:] if found else None


def _buffer(text: str) -> tuple[float, str, str, str] | None:
    """(area, cell, input, output) of a cell's text where it is a buffer, those for clocks apart."""
    name, area = re.match(r"\w+", text), re.search(r"\barea\s*:\s*([\d.]+)", text)
    ins = re.findall(r'pin\s*\(\s*"?(\w+)"?\s*\)\s*\{(?:(?!pin\s*\().)*?direction\s*:\s*"?input', text, re.S)
    out = re.search(
        r'pin\s*\(\s*"?(\w+)"?\s*\)\s*\{(?:(?!pin\s*\().)*?\bfunction\s*:\s*"\s*\(?(\w+)\)?\s*"', text, re.S
    )
    if not name or not area or not out or ins != [out[2]]:
        return None
    other = "three_state" in text or "CLK" in name[0].upper()
    return None if other else (float(area[1]), name[0], ins[0], out[1])


def buffered(module: dict[str, Any], buffer: tuple[str, str, str], registers: Collection[str]) -> int:
    """Put trees of buffers behind the registers of a flat mapped `module` (Yosys JSON, changed in place), so
    that no register and no buffer drives more than ten pins of cells; returns the number of buffers.
    `buffer`: cell, input pin, output pin, as `strongest_buffer` gives them; `registers`: the types of cells
    that are registers. Output ports stay on the register's own net.
    """
    sinks, roots = _nets(module, registers)
    fresh, made = 1 + max(_bits(module)), 0
    for root in roots:
        todo = sinks.get(root, [])
        while len(todo) > _MOST:
            groups = -(-len(todo) // _MOST)
            size = -(-len(todo) // groups)
            above = []
            for i in range(0, len(todo), size):
                for name, port, k in todo[i : i + size]:
                    module["cells"][name]["connections"][port][k] = fresh
                added = f"fanout_{made}"
                module["cells"][added] = _buffer_cell(buffer, root, fresh)
                above.append((added, buffer[1], 0))
                fresh, made = fresh + 1, made + 1
            todo = above
    return made


def put_buffers(folder: Path, top: str, registers: Collection[str]) -> None:
    """Write buffered.json in `folder`: mapped.json there with buffers of the library cells.lib, where it has
    one, behind the registers of the module `top`, whose cells are of the types `registers`.
    """
    design = json.loads((folder / "mapped.json").read_text())
    if buffer := strongest_buffer(folder / "cells.lib"):
        buffered(design["modules"][top], buffer, registers)
    (folder / "buffered.json").write_text(json.dumps(design))


Pin = tuple[str, str, int]
"""A cell, its port and a bit of that."""


def _nets(module: Mapping[str, Any], registers: Collection[str]) -> tuple[dict[int, list[Pin]], list[int]]:
    """The pins that read each net, and the nets that registers drive."""
    sinks: dict[int, list[Pin]] = {}
    roots: list[int] = []
    for name, c in module["cells"].items():
        for port, bits in c["connections"].items():
            if c["port_directions"][port] == "input":
                for k, bit in enumerate(bits):
                    sinks.setdefault(bit, []).append((name, port, k))
            elif c["type"] in registers:
                roots += bits
    return sinks, roots


def _buffer_cell(buffer: tuple[str, str, str], net: int, driven: int) -> dict[str, Any]:
    """The entry of a buffer from one net to another."""
    cell, pin_in, pin_out = buffer
    return {
        "hide_name": 0,
        "type": cell,
        "parameters": {},
        "attributes": {},
        "port_directions": {pin_in: "input", pin_out: "output"},
        "connections": {pin_in: [net], pin_out: [driven]},
    }


def _bits(module: Mapping[str, Any]) -> list[int]:
    groups = [
        *(n["bits"] for n in module["netnames"].values()),
        *(b for c in module["cells"].values() for b in c["connections"].values()),
    ]
    return [bit for bits in groups for bit in bits if isinstance(bit, int)]


if __name__ == "__main__":
    put_buffers(Path(), sys.argv[1], sys.argv[2:])
