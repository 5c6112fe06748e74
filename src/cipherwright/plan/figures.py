"""What is known of a core before it is mapped, and after: one row of numbers for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from ..graph import Graph, Table
from ..schedule import luts_of
from ..target import Target

__all__ = ["Figures", "alike", "area_of", "dominates"]

_SLOW = 0.1
"""Gb/s below which a rate has three digits, and above which it has three places."""

_BLOCK_BITS, _PORT_BITS = 18 << 10, 18
"""Bits of a block RAM, and of a word at each of its two ports."""


@dataclass(frozen=True)
class Figures:
    """Figures of a core.

    mhz: its clock, as planned by the delay model, as asked for, or measured; stages: register ranks on a
    path; bits_per_cycle: sustained; latency_cycles: from a block to its result; luts, ffs: lookup tables
    and flip-flops; brams, dsps: block RAMs and multipliers. On a cell library `luts` are lookup tables of
    four inputs, a measure of the logic, until the core is mapped; then they are None, and `area_um2` is
    known.
    """

    mhz: float
    stages: int
    bits_per_cycle: float
    latency_cycles: int
    luts: int | None
    ffs: int
    brams: int = 0
    dsps: int = 0
    area_um2: float | None = None

    @property
    def gbps(self) -> float:
        """Sustained throughput in Gb/s.

        >>> Figures(200.0, 1, 12.8, 10, 900, 400).gbps
        2.56
        """
        gbps = self.bits_per_cycle * self.mhz / 1000
        return round(gbps, 3) if gbps >= _SLOW else float(f"{gbps:.3g}")

    @property
    def latency_ns(self) -> float:
        """From a block to its result, in ns."""
        return round(self.latency_cycles * 1000 / self.mhz, 1)

    @property
    def area(self) -> float:
        """One number for the area: um2 where that is known, else logic cells, which have a lookup table and a
        flip-flop each: as many as there are of that of which there are more.

        >>> Figures(200.0, 1, 12.8, 10, 900, 400).area, Figures(200.0, 1, 12.8, 10, None, 400).area
        (900, 400)
        """
        return self.area_um2 if self.area_um2 is not None else max(self.luts or 0, self.ffs)

    def at(self, mhz: float) -> Self:
        """The same core at another clock, `mhz`."""
        return replace(self, mhz=mhz)

    def row(self) -> dict[str, Any]:
        """All of it by name, for a record."""
        return {**asdict(self), "gbps": self.gbps, "latency_ns": self.latency_ns, "area": self.area}


def dominates(one: Figures, other: Figures, each: bool = False) -> bool:
    """Whether a core with the figures `one` is no worse than one with `other` in rate, area, block RAM,
    multipliers and latency, and better in one of them. each: lookup tables and flip-flops count each by
    themselves, as limits of both take them.

    >>> small, large = Figures(200.0, 1, 12.8, 10, 900, 1400), Figures(200.0, 1, 12.8, 10, 800, 1500)
    >>> dominates(small, large), dominates(small, large, each=True), dominates(small, small)
    (True, False, False)
    """
    mine, theirs = _costs(one, each), _costs(other, each)
    return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def alike(one: Figures, other: Figures, each: bool = False) -> bool:
    """Whether cores with the figures `one` and `other` have the same rate, area, block RAM, multipliers and
    latency; `each` as of `dominates`.
    """
    return _costs(one, each) == _costs(other, each)


def _costs(f: Figures, each: bool) -> tuple[float, ...]:
    """What is to be small."""
    area = (f.area_um2 or 0.0, f.luts or 0, f.ffs) if each else (f.area,)
    return (-f.gbps, *area, f.brams, f.dsps, f.latency_ns)


def area_of(graph: Graph, target: Target) -> tuple[int, int, int]:
    """(lookup tables, block RAMs, multipliers) of the operations of `graph` on `target`. On a cell library
    lookup tables of four inputs are a measure of the logic. A block RAM has two ports, each half as wide as
    the only one of a block that has one.
    """
    luts = sum(luts_of(graph, n, target.lut_inputs or 4) for n in graph.nodes)
    reads = Counter(n.attr for n in graph.nodes if n.op == "rom")
    brams = sum(_blocks(table, times) for table, times in reads.items())
    return luts, brams, sum(n.op == "dsp" for n in graph.nodes)


def _blocks(table: Table, times: int) -> int:
    """Block RAMs that hold a table which is read so many times in a cycle."""
    bits = table.width << table.address_bits
    whole = -(-bits // _BLOCK_BITS)
    return times * whole if whole > 1 or table.width > _PORT_BITS else -(-times // 2)
