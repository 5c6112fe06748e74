"""A top that ties inputs of its datapath to constants which synthesis keeps outside (module boundaries are
kept).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..rtl import Module

__all__ = ["tied_top"]


def tied_top(name: str, core: Module, tied: Mapping[str, int]) -> str:
    """Module `name` with the other ports of `core`."""
    ports, links = [], []
    for p in core.ports:
        value = tied.get(p.name.removesuffix("_i"))
        span = f"[{p.width - 1}:0] " if p.width > 1 else ""
        if value is None:
            ports.append(f"    {p.direction:<6} wire {span}{p.name}")
        links.append(
            f"        .{p.name}({p.name if value is None else f'{p.width}' + chr(39) + f'h{value:x}'})"
        )
    new = ",\n"
    return (
        f"module {name} (\n{new.join(ports)}\n);\n    {core.name} u_core (\n{new.join(links)}\n    "
        f");\nendmodule\n"
    )
