"""A program compiled to a shared library, and machines that run it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...cache import load_library
from ...errors import CheckFailed
from ..native import compiled_once
from .emit import Layout
from .tables import Words, walker_text

__all__ = ["Compiled", "Machine", "Rows", "frame_text", "walker"]

Rows = NDArray[np.uint8]
"""A port's values, a row each: bytes, the most significant first."""

_INCLUDE = "#include NETLIST\n"


def frame_text(netlist: str) -> str:
    """The text of an evaluator: `bulk.cpp` around `netlist`, the text of what is evaluated."""
    frame = (resources.files(__package__) / "bulk.cpp").read_text()
    assert frame.count(_INCLUDE) == 1
    return frame.replace(_INCLUDE, netlist)


def walker() -> Path:
    """The library that walks the tables of any program, compiled once."""
    return compiled_once("walker", frame_text(walker_text()))


@dataclass(frozen=True)
class Compiled:
    """A program that can be run. `library`: a shared library of `bulk.cpp` compiled around it, or around the
    walker of any program's tables, with the `tables` of this one; `layout`: the program's ports.
    """

    library: Path
    layout: Layout
    tables: Words | None = None

    @cached_property
    def lib(self) -> ctypes.CDLL:
        """The library, loaded."""
        lib, word, pointer = load_library(self.library), ctypes.c_int64, ctypes.c_void_p
        lib.bulk_lanes.restype, lib.bulk_new.restype, lib.bulk_feed.restype = word, pointer, word
        lib.bulk_new.argtypes = lib.bulk_free.argtypes = lib.bulk_evaluate.argtypes = (
            lib.bulk_tick.argtypes
        ) = [pointer]
        lib.bulk_put.argtypes = lib.bulk_get.argtypes = [pointer, word, pointer]
        lib.bulk_wires.argtypes = [pointer, word, pointer, pointer, word, pointer, word]
        lib.bulk_feed.argtypes = [pointer, word, pointer, pointer, pointer, pointer, word, word]
        return lib

    @cached_property
    def lanes(self) -> int:
        """Instances side by side."""
        return int(self.lib.bulk_lanes())


class Machine:
    """One set of values of the bits of the program `compiled`, `lanes` instances of each; all start as 0.
    Raises MemoryError where there is no room.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self._lib = compiled, compiled.lib
        self._p = self._lib.bulk_new(None if compiled.tables is None else compiled.tables.ctypes.data)
        if not self._p:
            raise MemoryError
        ports = compiled.layout
        self._in = {name: (k, -(-width // 8)) for k, (name, width) in enumerate(ports.inputs)}
        self._out = {name: (k, -(-width // 8)) for k, (name, width) in enumerate(ports.outputs)}

    def __del__(self) -> None:
        if getattr(self, "_p", None):
            self._lib.bulk_free(self._p)
            self._p = None

    @property
    def lanes(self) -> int:
        """Instances side by side."""
        return self.compiled.lanes

    @property
    def inputs(self) -> Sequence[str]:
        """Names of the inputs."""
        return list(self._in)

    @property
    def outputs(self) -> Sequence[str]:
        """Names of the outputs."""
        return list(self._out)

    def put(self, port: str, rows: Rows) -> None:
        """Hold the input `port` at `rows`: one row for all lanes, or rows that the lanes take in turn. Raises
        ValueError where they are not of the port's size, or do not divide the lanes.
        """
        k, size = self._in[port]
        if rows.shape[1] != size or self.lanes % len(rows):
            raise ValueError(
                f"{port} takes rows of {size} bytes, as many as divide {self.lanes}; not {rows.shape}"
            )
        held = np.ascontiguousarray(np.tile(rows, (self.lanes // len(rows), 1)))
        self._lib.bulk_put(self._p, k, held.ctypes.data)

    def bit(self, port: str, value: int) -> None:
        """Hold the input `port` of one bit at `value`."""
        self.put(port, np.array([[value]], dtype=np.uint8))

    def get(self, port: str) -> Rows:
        """The rows of the output `port`, one a lane, after `evaluate`."""
        k, size = self._out[port]
        out = np.empty((self.lanes, size), dtype=np.uint8)
        self._lib.bulk_get(self._p, k, out.ctypes.data)
        return out

    def evaluate(self) -> None:
        """Outputs, and what registers take next, from inputs and registers."""
        self._lib.bulk_evaluate(self._p)

    def tick(self) -> None:
        """The clock's edge, after `evaluate`."""
        self._lib.bulk_tick(self._p)

    def _given(
        self, rows: Mapping[str, Rows]
    ) -> tuple[int, NDArray[np.int64], ctypes.Array[ctypes.c_void_p], list[Rows]]:
        kept = [np.ascontiguousarray(r) for r in rows.values()]
        if len({len(r) for r in kept}) != 1 or any(
            r.shape[1] != self._in[p][1] for p, r in zip(rows, kept, strict=True)
        ):
            raise ValueError("inputs are not of the ports' sizes, or not equally many")
        ports = np.array([self._in[p][0] for p in rows], dtype=np.int64)
        return len(kept[0]), ports, (ctypes.c_void_p * len(kept))(*[r.ctypes.data for r in kept]), kept

    def wires(self, rows: Mapping[str, Rows], out: str) -> Rows:
        """A row of the output `out` for each row of the inputs in `rows`, by name; the others are held.
        Raises ValueError where the inputs are not of the ports' sizes, or not equally many.
        """
        n, ports, pointers, _kept = self._given(rows)
        k, size = self._out[out]
        results = np.empty((n, size), dtype=np.uint8)
        self._lib.bulk_wires(self._p, len(ports), ports.ctypes.data, pointers, k, results.ctypes.data, n)
        return results

    def feed(self, rows: Mapping[str, Rows], control: tuple[str, str, str], out: str, cycles: int) -> Rows:
        """A machine with registers: offer `rows`, by input, by handshake, as many at once as there are lanes,
        until all results are there or for so many `cycles`; the results, from the port `out`. `control`:
        ports of valid_i, ready_o (or ""), valid_o. Raises CheckFailed where a result is missing, or where
        control depends on data.
        """
        n, ports, pointers, _kept = self._given(rows)
        valid, ready, done = control
        k, size = self._out[out]
        at = np.array(
            [self._in[valid][0], self._out[ready][0] if ready else -1, self._out[done][0], k], dtype=np.int64
        )
        results = np.zeros((n, size), dtype=np.uint8)
        got = self._lib.bulk_feed(
            self._p, len(ports), ports.ctypes.data, pointers, at.ctypes.data, results.ctypes.data, n, cycles
        )
        if got < 0:
            raise CheckFailed(f"{ready} or {done} depends on a key or a block")
        if got != n:
            raise CheckFailed(f"{n} blocks went in, {got} came out")
        return results
