"""What README.md says of the room for results that wait to be taken."""

from __future__ import annotations

from collections.abc import Iterator

from ...rtl import Cell, Wrapper
from ..core import Core

__all__ = ["fifo_sentences"]

_KINDS = {
    "u_stream": "results",
    "u_data": "words of results",
    "u_release": "words of results",
    "u_tag": "tags",
}
"""Instances of FIFOs, and what waits in each."""


def fifo_sentences(core: Core) -> Iterator[str]:
    """How many results and tags find room in the FIFOs of `core`; nothing where it has none."""
    for name, places in sorted(set(_depths(core))):
        if name in _KINDS:
            each = " of each channel" if core.channels else ""
            yield f"The FIFO of {_KINDS[name]}{each} has {places} places."


def _depths(core: Core) -> Iterator[tuple[str, int]]:
    """Instances with a depth, and how many places that is."""
    for module in core.component.modules:
        for item in module.items if isinstance(module, Wrapper) else ():
            if isinstance(item, Cell) and "DEPTH_LOG2" in item.parameters:
                yield item.name, 1 << int(item.parameters["DEPTH_LOG2"])
            elif isinstance(item, Cell) and "PLACES" in item.parameters:
                yield item.name, int(item.parameters["PLACES"])
