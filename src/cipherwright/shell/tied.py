"""A top that ties inputs of its datapath to constants which synthesis keeps outside (module boundaries are
kept).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..rtl import Held, Part, Placed, Wrapper, connect

__all__ = ["tied_top"]


def tied_top(name: str, core: Part, tied: Mapping[str, int], order: tuple[str, ...]) -> Wrapper:
    """Module `name` with the other ports of `core`, which are declared in the order `order`. `tied`: held
    input, without its ending _i -> its value.
    """
    values = {port: value for port in core.pins if (value := tied.get(port.removesuffix("_i"))) is not None}
    links = {port: f"{core.pins[port].width}'h{values[port]:x}" if port in values else port for port in order}
    ports = tuple(
        replace(g, pins=tuple(p for p in g.pins if p.name not in values)) if isinstance(g, Held) else g
        for g in core.ports
    )
    free = tuple(port for port in order if port not in values)
    return connect(name, (), ports, (Placed(core, "u_core", links),), free)
