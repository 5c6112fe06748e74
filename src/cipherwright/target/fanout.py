"""Trees of buffers behind registers that drive many cells: ABC buffers the cells that it maps, not what
drives them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["buffered", "strongest_buffer"]

_MOST = 10
"""Cells that a register or buffer drives."""


def strongest_buffer(library: Path) -> tuple[str, str, str] | None:
    """(cell, input, output) of the buffer with the greatest area in a Liberty file, those for clocks
    apart; None where it has none.
    """
    text = library.read_text(errors="replace")
    found: list[tuple[float, str, str, str]] = []
    for part in re.split(r'\bcell\s*\(\s*"?', text)[1:]:
        name = re.match(r"\w+", part)
        area = re.search(r"\barea\s*:\s*([\d.]+)", part)
        ins = re.findall(
            r'pin\s*\(\s*"?(\w+)"?\s*\)\s*\{(?:(?!pin\s*\().)*?direction\s*:\s*"?input', part, re.S
        )
        out = re.search(
            r'pin\s*\(\s*"?(\w+)"?\s*\)\s*\{(?:(?!pin\s*\().)*?\bfunction\s*:\s*"\s*\(?(\w+)\)?\s*"',
            part,
            re.S,
        )
        if (
            name
            and area
            and out
            and len(ins) == 1
            and out[2] == ins[0]
            and "three_state" not in part
            and "CLK" not in name[0].upper()
        ):
            found.append((float(area[1]), name[0], ins[0], out[1]))
    return max(found)[1:] if found else None


def buffered(module: dict[str, Any], buffer: tuple[str, str, str], registers: re.Pattern[str]) -> int:
    """Put trees behind the registers of a flat mapped module (Yosys JSON, changed in place); the number of
    buffers.
    """
    cell, pin_in, pin_out = buffer
    sinks: dict[int, list[tuple[str, str, int]]] = {}
    roots: list[int] = []
    for name, c in module["cells"].items():
        for port, bits in c["connections"].items():
            for k, bit in enumerate(bits):
                if c["port_directions"][port] == "input":
                    sinks.setdefault(bit, []).append((name, port, k))
                elif registers.match(c["type"]):
                    roots.append(bit)
    fresh = 1 + max(_bits(module))
    made = 0
    for root in roots:
        todo = sinks.get(root, [])
        while len(todo) > _MOST:
            groups = -(-len(todo) // _MOST)
            size = -(-len(todo) // groups)
            above = []
            for i in range(0, len(todo), size):
                for name, port, k in todo[i : i + size]:
                    module["cells"][name]["connections"][port][k] = fresh
                above.append((f"fanout_{made}", pin_in, 0))
                module["cells"][above[-1][0]] = {
                    "hide_name": 0,
                    "type": cell,
                    "parameters": {},
                    "attributes": {},
                    "port_directions": {pin_in: "input", pin_out: "output"},
                    "connections": {pin_in: [root], pin_out: [fresh]},
                }
                fresh, made = fresh + 1, made + 1
            todo = above
    return made


def _bits(module: Mapping[str, Any]) -> list[int]:
    groups = [
        *(n["bits"] for n in module["netnames"].values()),
        *(b for c in module["cells"].values() for b in c["connections"].values()),
    ]
    return [bit for bits in groups for bit in bits if isinstance(bit, int)]
