"""Zeroising: after the promised cycles no register and no word of a memory depends on a key, a counter
block or a block from before it.

The netlist of the whole core runs with three values. Keys, counter blocks and blocks are unknown up to the
cycle of zeroise_i, and known after it; nothing else is unknown. Whatever depends on an unknown bit is
unknown. When the promised cycles are over, nothing may be unknown. 64 runs go side by side, each with
zeroise_i in another cycle.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed, NotChecked
from ..process import check_stop
from ..shell import PortSet
from .equivalence import slot, topological
from .netlist import FLIP_FLOP, GATES, Netlist, read_netlist
from .verdict import CoreFolder

__all__ = ["check_zeroise"]

_RUNS = 64
_ALL = np.uint64((1 << _RUNS) - 1)

Words = NDArray[np.uint64]
Places = NDArray[np.int64]


class _Ternary:
    """A netlist over words of 64 runs: in `can` a row for each bit and value, a 1 where the bit can be 0,
    or 1; both where it is unknown.
    """

    def __init__(self, n: Netlist) -> None:
        self.n = n
        order = topological(n, through_ff=False)
        level: dict[Any, int] = {}
        groups: dict[tuple[int, str], list[list[int]]] = defaultdict(list)
        for cell in (n.cells[name] for name in order):
            if cell["type"] not in GATES:
                continue
            pins = cell["connections"]
            ins = [pins[p][0] for p in GATES[cell["type"]]]
            out = pins["Y"][0]
            level[out] = 1 + max(level.get(b, 0) for b in ins)
            groups[level[out], cell["type"]].append([self._place(out), *map(self._place, ins)])
        self.steps = [(kind, np.array(rows, dtype=np.int64).T) for (_, kind), rows in sorted(groups.items())]
        flip_flops = [c["connections"] for c in n.cells.values() if c["type"] == FLIP_FLOP]
        self.q = np.array([self._place(c["Q"][0]) for c in flip_flops], dtype=np.int64)
        self.d = np.array([self._place(c["D"][0]) for c in flip_flops], dtype=np.int64)
        size = 3 + max([int(p.max()) for _, p in self.steps] + [int(self.q.max()), int(self.d.max())])
        self.can = np.full((2, size), _ALL, dtype=np.uint64)
        self.can[1, 0] = self.can[0, 1] = 0

    @staticmethod
    def _place(bit: Any) -> int:
        return -1 if bit in ("x", "z") else slot(bit)  # the last place is always unknown

    def put(self, bit: Any, zero: int, one: int) -> None:
        """The runs in which an input can be 0, and 1."""
        self.can[:, slot(bit)] = zero, one

    def power_up(self) -> None:
        """All registers known: 0."""
        self.can[0, self.q], self.can[1, self.q] = _ALL, 0

    def settle(self) -> None:
        """All gates."""
        zero, one = self.can
        for kind, p in self.steps:
            a0, a1, b0, b1 = (
                zero[p[1]],
                one[p[1]],
                zero[p[2 if len(p) > 2 else 1]],
                one[p[2 if len(p) > 2 else 1]],
            )
            if kind in ("$_ANDNOT_", "$_ORNOT_"):
                b0, b1 = b1, b0
            if kind in ("$_AND_", "$_NAND_", "$_ANDNOT_"):
                y0, y1 = a0 | b0, a1 & b1
            elif kind in ("$_OR_", "$_NOR_", "$_ORNOT_"):
                y0, y1 = a0 & b0, a1 | b1
            elif kind in ("$_XOR_", "$_XNOR_"):
                y0, y1 = (a0 & b0) | (a1 & b1), (a0 & b1) | (a1 & b0)
            elif kind == "$_MUX_":  # select, its value at 1, its value at 0
                c0, c1 = zero[p[3]], one[p[3]]
                y0, y1 = (a1 & b0) | (a0 & c0), (a1 & b1) | (a0 & c1)
            else:
                y0, y1 = a0, a1
            if kind in ("$_NOT_", "$_NAND_", "$_NOR_", "$_XNOR_"):
                y0, y1 = y1, y0
            zero[p[0]], one[p[0]] = y0, y1

    def tick(self) -> None:
        """The clock's edge."""
        self.can[:, self.q] = self.can[:, self.d]

    def known(self, bit: Any) -> int:
        """The runs in which a bit is 1."""
        return int(self.can[1, slot(bit)] & ~self.can[0, slot(bit)])

    def unknown(self) -> Words:
        """Of every register, the runs in which it is unknown."""
        out: Words = self.can[0, self.q] & self.can[1, self.q]
        return out


def check_zeroise(folder: CoreFolder) -> str:
    """The check `zeroise` of a core folder. Raises CheckFailed with a register that remembers, or
    NotChecked where the core holds nothing for long.
    """
    record = {**folder.record, **folder.record.get("bus", {})}  # of a register bus, the core behind it
    ports = PortSet(**record["ports"]) if record.get("ports") else PortSet()
    if not ports.zeroise:
        raise NotChecked("the core has no zeroise_i: it holds no key")
    n = read_netlist(folder.sources, record["top"], ports.clk, spread=True)
    t, rng, limit = _Ternary(n), np.random.default_rng(12), int(record["zeroise_cycles"])
    before = int(record["key_cycles"]) + 2 * int(record["latency_cycles"]) + (90 if ports.iv_valid else 40)
    t.power_up()
    when = np.linspace(1, before, _RUNS).astype(int)
    data = [b for name in (ports.key, ports.block_in, ports.iv) if name for b in n.inputs[name]]
    control = [
        b
        for name, bits in n.inputs.items()
        for b in bits
        if name not in (ports.clk, ports.reset, ports.zeroise) and b not in set(data)
    ]
    offer = n.inputs[ports.key_valid][0]
    ever = np.zeros(len(t.q), dtype=np.uint64)
    for cycle in range(before + limit + 1):
        check_stop()
        over = sum(1 << k for k, z in enumerate(when) if cycle > z)
        now = sum(1 << k for k, z in enumerate(when) if cycle == z)
        given = rng.integers(0, 2, len(data) + len(control))
        for b, v in zip(data, given, strict=False):
            t.put(b, int(_ALL) & ~(over if v else 0), int(_ALL) & ~(0 if v else over))
        for b, v in zip(control, given[len(data) :] | rng.integers(0, 2, len(control)), strict=True):
            t.put(b, 0 if v else int(_ALL), int(_ALL) if v else 0)
        keyed = (
            int(_ALL) & ~over if cycle < before // 2 else 0
        )  # no key after zeroise_i: what the port shows flows through
        t.put(offer, int(_ALL) & ~keyed, keyed)
        t.put(n.inputs[ports.zeroise][0], int(_ALL) & ~now, now)
        t.put(n.inputs[ports.reset][0], 0 if cycle == 0 else int(_ALL), int(_ALL) if cycle == 0 else 0)
        t.settle()
        t.tick()
        if cycle == int(when[-1]):
            ever = t.unknown()
        done = sum(1 << k for k, z in enumerate(when) if cycle == z + limit)
        if done and (left := np.flatnonzero(t.unknown() & np.uint64(done))).size:
            wire = {
                slot(c["connections"]["Q"][0]): c["connections"]["Q"][0]
                for c in n.cells.values()
                if c["type"] == FLIP_FLOP
            }
            raise CheckFailed(
                f"{limit} cycles after zeroise_i {len(left)} registers depend on what was before, "
                f"{n.name(wire[int(t.q[left[0]])])} for one"
            )
    held = int((ever != 0).sum())
    if not held:
        raise CheckFailed("no register depended on a key or a block before zeroise_i")
    return (
        f"{limit} cycles after zeroise_i, in {_RUNS} runs, none of {len(t.q)} registers depends on what "
        f"was before it; {held} had"
    )
