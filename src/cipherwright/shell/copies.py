"""Registered copies of a control signal, each for a few bits of a word: one register for a whole word would have
wires across the device.
"""

from __future__ import annotations

from ..rtl import Cell, Wire, WrapperItem

__all__ = ["copies", "spread"]

_EACH = 16
"""Bits that read one registered copy of a signal."""


def copies(name: str, value: str, bits: int = 128) -> tuple[WrapperItem, ...]:
    """`name`: registered copies of a value, for so many bits."""
    links, count = {"clk": "clk", "d": value}, -(-bits // _EACH)
    return (
        Wire((name,), count),
        *(Cell("cipherwright_copy", f"u_{name}_{k}", {**links, "q": f"{name}[{k}]"}) for k in range(count)),
    )


def spread(name: str, bits: int = 128) -> str:
    """The copies of a signal over so many bits."""
    spans = [(low // _EACH, min(_EACH, bits - low)) for low in range(0, bits, _EACH)]
    return f"{{{', '.join(f'{{{width}{{{name}[{k}]}}}}' for k, width in reversed(spans))}}}"
