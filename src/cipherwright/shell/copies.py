"""Registered copies of a signal that many registers read, one for every 16 of them: each is placed near what
it drives, so no wire crosses the device.
"""

from __future__ import annotations

from ..rtl import Cell, Step, Wire, WrapperItem, concatenated

__all__ = ["copies", "loads", "pieces", "spread"]

_EACH = 16
"""Bits that read one copy."""


def pieces(bits: int = 128) -> list[tuple[int, int]]:
    """The lowest and the highest bit of what each copy drives, of `bits` bits, in order: 20 bits are (0, 15)
    and (16, 19).
    """
    return [(low, min(low + _EACH, bits) - 1) for low in range(0, bits, _EACH)]


def copies(name: str, value: str, bits: int = 128) -> tuple[WrapperItem, ...]:
    """The wire `name`, whose bit k is a register that takes the expression `value`: one for each of
    `pieces(bits)`. They are modules of their own, because synthesis merges equal registers.
    """
    count = len(pieces(bits))
    links = {"clk": "clk", "d": value}
    return (
        Wire((name,), count, vector=True),
        *(Cell("cipherwright_copy", f"u_{name}_{k}", {**links, "q": f"{name}[{k}]"}) for k in range(count)),
    )


def spread(name: str, bits: int = 128) -> str:
    """The copies `name` as a word of `bits` bits, each bit by its own copy."""
    cut = enumerate(pieces(bits))
    return concatenated(f"{{{high - low + 1}{{{name}[{k}]}}}}" for k, (low, high) in cut)


def loads(target: str, value: str, enable: str, bits: int = 128) -> list[Step]:
    """What loads the register `target`, of `bits` bits, with `value` where the copies `enable` are 1: a step
    for each of `pieces(bits)`.
    """
    return [
        Step(f"{target}[{high}:{low}]", f"{value}[{high}:{low}]", f"{enable}[{k}]")
        for k, (low, high) in enumerate(pieces(bits))
    ]
