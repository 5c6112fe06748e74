"""A top that ties inputs of its datapath to constants which synthesis keeps outside (module boundaries are
kept).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..rtl import Cell, Held, Module, Pin, Wrapper

__all__ = ["tied_top"]


def tied_top(name: str, core: Module, tied: Mapping[str, int]) -> Wrapper:
    """Module `name` with the other ports of `core`."""
    values = {p.name: tied.get(p.name.removesuffix("_i")) for p in core.ports}
    free = tuple(Pin(p.name, p.width, p.direction == "output") for p in core.ports if values[p.name] is None)
    links = {
        p.name: p.name if values[p.name] is None else f"{p.width}'h{values[p.name]:x}" for p in core.ports
    }
    return Wrapper(name, (), (Held(free),), (Cell(core.name, "u_core", links),))
