"""A netlist with three values, 0, 1 and unknown, in 64 runs at once: whatever depends on an unknown bit is
unknown.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache import load_library
from .equivalence import slot, topological
from .native import compiled_once
from .netlist import FLIP_FLOP, GATES, Netlist

__all__ = ["ALL", "RUNS", "Places", "ThreeValued", "Words"]

RUNS = 64
ALL = np.uint64((1 << RUNS) - 1)

Words = NDArray[np.uint64]
Places = NDArray[np.int64]

FORMS = {
    "$_AND_": ("a0 | b0", "a1 & b1"),
    "$_OR_": ("a0 & b0", "a1 | b1"),
    "$_XOR_": ("(a0 & b0) | (a1 & b1)", "(a0 & b1) | (a1 & b0)"),
    "$_XNOR_": ("(a0 & b1) | (a1 & b0)", "(a0 & b0) | (a1 & b1)"),
    "$_NAND_": ("a1 & b1", "a0 | b0"),
    "$_NOR_": ("a1 | b1", "a0 & b0"),
    "$_ANDNOT_": ("a0 | b1", "a1 & b0"),
    "$_ORNOT_": ("a0 & b1", "a1 | b0"),
    "$_NOT_": ("a1", "a0"),
    "$_BUF_": ("a0", "a1"),
    "$_MUX_": ("(a1 & b0) | (a0 & c0)", "(a1 & b1) | (a0 & c1)"),
}
"""Gate -> the runs in which its output can be 0 and can be 1, from those of its inputs a, b, c in the order
of GATES.
"""

_TEXT = """\
#include <cstdint>
struct Gate { int32_t kind, out, a, b, c; };
extern "C" void settle(uint64_t (*v)[2], const Gate *g, int64_t n) {
    for (const Gate *end = g + n; g < end; ++g) {
        const uint64_t a0 = v[g->a][0], a1 = v[g->a][1], b0 = v[g->b][0], b1 = v[g->b][1];
        const uint64_t c0 = v[g->c][0], c1 = v[g->c][1];
        uint64_t *y = v[g->out];
        switch (g->kind) {
%s        }
    }
}
"""


@cache
def _library() -> Any:
    """The compiled loop over gates."""
    forms = enumerate(FORMS.values())
    cases = (f"            case {k}: y[0] = {zero}; y[1] = {one}; break;\n" for k, (zero, one) in forms)
    text = _TEXT % "".join(cases)
    library = load_library(compiled_once("three-valued", text))
    library.settle.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    library.settle.restype = None
    return library


class ThreeValued:
    """The netlist `n` over words of 64 runs: in `can` a row for each bit, the runs in which it can be 0, and
    those in which it can be 1; both where it is unknown.
    """

    def __init__(self, n: Netlist) -> None:
        self.n = n
        kinds = {kind: k for k, kind in enumerate(FORMS)}
        rows = []
        for cell in (n.cells[name] for name in topological(n, through_ff=False)):
            if cell["type"] in GATES:
                pins = cell["connections"]
                ins = [self._place(pins[p][0]) for p in GATES[cell["type"]]]
                places = (self._place(pins["Y"][0]), *ins, *(0,) * (3 - len(ins)))
                rows.append((kinds[cell["type"]], *places))
        flip_flops = [c["connections"] for c in n.cells.values() if c["type"] == FLIP_FLOP]
        self.q = np.array([self._place(c["Q"][0]) for c in flip_flops], dtype=np.int64)
        self.d = np.array([self._place(c["D"][0]) for c in flip_flops], dtype=np.int64)
        self._steps = np.array(rows, dtype=np.int32).reshape(-1, 5)
        inputs = [slot(b) for bits in n.inputs.values() for b in bits]
        size = 3 + max([int(p.max(initial=1)) for p in (self._steps[:, 1:], self.q, self.d)] + inputs)
        self._steps[self._steps < 0] += size
        self.can = np.full((size, 2), ALL, dtype=np.uint64)
        self.can[0, 1] = self.can[1, 0] = 0
        self._library = _library()

    @staticmethod
    def _place(bit: Any) -> int:
        return -1 if bit in ("x", "z") else slot(bit)  # the last place is always unknown

    def places(self, *ports: str) -> Places:
        """The places of the bits of the input `ports`, one port after the other, the least significant bit of
        each first.
        """
        return np.array([slot(b) for name in ports for b in self.n.inputs[name]], dtype=np.int64)

    def register(self, number: int) -> str:
        """The name of register `number`, its place in `q`."""
        place = int(self.q[number])
        cells = (c["connections"]["Q"][0] for c in self.n.cells.values() if c["type"] == FLIP_FLOP)
        return self.n.name(next(bit for bit in cells if slot(bit) == place))

    def put(self, bits: Places, zero: Words | np.uint64, one: Words | np.uint64) -> None:
        """Set the inputs at the places `bits`: the runs in which each can be `zero`, and those in which it
        can be `one`.
        """
        self.can[bits, 0], self.can[bits, 1] = zero, one

    def output(self, port: str) -> tuple[np.uint64, np.uint64]:
        """Of the output `port`, which has one bit: the runs in which it can be 0, and in which it can be 1,
        after `settle`.
        """
        (bit,) = self.n.outputs[port]
        if bit in ("0", "1"):
            none = np.uint64(0)
            return (none, ALL) if bit == "1" else (ALL, none)
        place = self._place(bit)
        return self.can[place, 0], self.can[place, 1]

    def unclear(self, ports: Iterable[str]) -> np.uint64:
        """The runs in which a bit of the output `ports` is unknown, after `settle`."""
        bits = [b for name in ports for b in self.n.outputs[name] if b not in ("0", "1")]
        at = np.array([self._place(b) for b in bits], dtype=np.int64)
        found = self.can[at, 0] & self.can[at, 1]
        return np.uint64(np.bitwise_or.reduce(found)) if len(found) else np.uint64(0)

    def power_up(self) -> None:
        """All registers known: 0."""
        self.can[self.q] = ALL, 0

    def settle(self) -> None:
        """All gates."""
        self._library.settle(self.can.ctypes.data, self._steps.ctypes.data, len(self._steps))

    def tick(self) -> None:
        """The clock's edge."""
        self.can[self.q] = self.can[self.d]

    def unknown(self) -> Words:
        """Of every register, the runs in which it is unknown."""
        out: Words = self.can[self.q, 0] & self.can[self.q, 1]
        return out
