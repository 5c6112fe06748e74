"""Cores with an asynchronous reset, for the proofs: each flip-flop that rst_i clears or sets, as one that
does so at the clock.

That says the same of the core, where rst_i does nothing else. A pulse of rst_i between two edges then leaves
every register that is reset with its value, and every other as it is: the state that a synchronous reset at
the edge before leaves, since no next value depends on rst_i. Where anything else reads rst_i, or anything
else sets or clears a flip-flop, the modules stay as they are, and `netlist.check_strict` refuses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

__all__ = ["RESET", "with_clocked_resets"]

RESET = "rst_i"
"""The port, in every module."""

_VALUE = {"$_DFF_PP0_": "0", "$_DFF_PP1_": "1"}
"""Flip-flops that a 1 clears or sets at once -> the value."""

Module = Mapping[str, Any]
Cell = Mapping[str, Any]


def with_clocked_resets(modules: Mapping[str, Module]) -> Mapping[str, Module]:
    """The `modules` (name to entry in Yosys JSON) with plain flip-flops behind multiplexers in the place of
    those with an asynchronous reset, if rst_i resets flip-flops and does nothing else; otherwise as they are.
    """
    if not any(c["type"] in _VALUE for m in modules.values() for c in m["cells"].values()):
        return modules
    if not all(_only_resets(m, modules) for m in modules.values()):
        return modules
    return {name: {**m, "cells": dict(_clocked(m))} for name, m in modules.items()}


def _only_resets(module: Module, modules: Mapping[str, Module]) -> bool:
    """Whether the reset goes to flip-flops and to modules below as their reset alone, and nothing else does
    so but a constant 0, which resets nothing.
    """
    port = module["ports"].get(RESET)
    own = port["bits"] if port and port["direction"] == "input" else None
    for cell in module["cells"].values():
        kind = cell["type"]
        reset = "R" if kind in _VALUE else RESET if RESET in modules.get(kind, {"ports": {}})["ports"] else ""
        for pin, bits in cell["connections"].items():
            if pin == reset and bits not in (own, ["0"]):
                return False
            if pin != reset and own and own[0] in bits:
                return False
    others = (p["bits"] for name, p in module["ports"].items() if name != RESET)
    return not (own and any(own[0] in bits for bits in others))


def _clocked(module: Module) -> Iterator[tuple[str, Cell]]:
    """The cells with clocked resets."""
    used = (b for n in module["netnames"].values() for b in n["bits"])
    cells = module["cells"].values()
    wired = (b for c in cells for bits in c["connections"].values() for b in bits)
    fresh = count(1 + max((b for some in (used, wired) for b in some if isinstance(b, int)), default=1))
    for name, cell in module["cells"].items():
        value = _VALUE.get(cell["type"])
        if value is None:
            yield name, cell
            continue
        pins, chosen = cell["connections"], next(fresh)
        given = {"A": pins["D"], "B": [value], "S": pins["R"], "Y": [chosen]}
        yield (
            f"{name}$reset",
            {
                **cell,
                "type": "$_MUX_",
                "connections": given,
                "port_directions": {"A": "input", "B": "input", "S": "input", "Y": "output"},
                "attributes": {k: v for k, v in cell["attributes"].items() if k != "keep"},
            },
        )
        yield (
            name,
            {
                **cell,
                "type": "$_DFF_P_",
                "connections": {"C": pins["C"], "D": [chosen], "Q": pins["Q"]},
                "port_directions": {"C": "input", "D": "input", "Q": "output"},
            },
        )
