"""How lookup tables and flip-flops share the logic cells of a device: a cell holds one of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["paired_flip_flops"]

_TABLE = re.compile(r"^(LUT[1-6]|LUT6_2|SB_LUT4|INV|SRL16E?|SRLC16E?|SRLC32E|WIDEFN9)$")
_FF = re.compile(r"^(TRELLIS_FF|SB_DFF\w*|FD\w+|DFFN?[SRPC]?E?)$")
_DATA = ("D", "DI")
"""Data pin of a flip-flop."""

_BEHIND: Mapping[str, tuple[str, ...]] = {
    "MUXF5": ("I0", "I1"),
    "MUXF6": ("I0", "I1"),
    "MUXF7": ("I0", "I1"),
    "MUXF8": ("I0", "I1"),
    "PFUMX": ("ALUT", "BLUT"),
    "L6MUX21": ("D0", "D1"),
    "XORCY": ("LI",),
}
"""Gates of a slice behind its lookup tables: the data pins through which those are found."""


def paired_flip_flops(module: Mapping[str, Any]) -> int:
    """Flip-flops of a flat mapped `module` (Yosys JSON) that share a logic cell with the lookup table that
    feeds them, straight or through a wide multiplexer or the XOR gate of a slice. A table has room for one
    flip-flop; a flip-flop that anything else feeds takes a cell of its own.
    """
    cells: Mapping[str, Any] = module["cells"]
    driver = {
        bit: (name, pin, k)
        for name, cell in cells.items()
        for pin, bits in cell["connections"].items()
        if cell["port_directions"][pin] == "output"
        for k, bit in enumerate(bits)
    }

    def tables(bit: Any) -> list[str]:
        """Tables in whose cells a flip-flop with these data may stand."""
        if bit not in driver:
            return []
        name, pin, k = driver[bit]
        kind, pins = cells[name]["type"], cells[name]["connections"]
        if _TABLE.match(kind):
            return [name]
        if kind == "CCU2C" and pin in ("S0", "S1"):
            return [f"{name}.{pin}"]
        if kind == "CARRY4" and pin == "O":
            return tables(pins["S"][k])
        return [t for p in _BEHIND.get(kind, ()) for t in tables(pins[p][0])]

    return _matched(
        tables(cell["connections"][pin][0])
        for cell in cells.values()
        if _FF.match(cell["type"])
        for pin in _DATA
        if pin in cell["connections"]
    )


def _matched(choices: Iterable[list[str]]) -> int:
    """How many find a place of their own; those with the fewest places choose first."""
    taken: set[str] = set()
    for places in sorted(choices, key=len):
        free = next((p for p in places if p not in taken), None)
        if free is not None:
            taken.add(free)
    return len(taken)
