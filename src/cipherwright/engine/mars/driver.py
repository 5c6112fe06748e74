"""The simulated MARS engine, driven over its bus: lists of accesses, each done in the cycle in which the
engine is ready for it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...cipher.mars_tables import S
from ...errors import CheckFailed
from ...verify.simulate import Model, Simulation, compile_simulation
from .interface import ADDRESS

__all__ = ["STATUS", "Access", "MarsBench", "MarsSession", "words_of_bytes"]

_LONGEST = 2_000
"""Cycles after which an access is taken to hang: the longest waits for a key's expansion."""

_PATIENCE = 64
"""Reads of the status that are simulated at a time while a key is expanded."""

_AHEAD = 2
"""Blocks that are written before the first result is read."""


@dataclass(frozen=True)
class Access:
    """One access of the bus: the word `data` written at `address`, or (data None) read from it. Addresses are
    of words of 32 bits.
    """

    address: int
    data: int | None = None


STATUS = Access(ADDRESS["status"])
"""A read that never waits: a cycle in which the bus does nothing else."""


def words_of_bytes(data: bytes) -> tuple[int, ...]:
    """Words of the bus from `data`: the cipher's, little-endian, so byte 0 is in bits 7:0 of the first word.
    Bytes of a last word that is not whole raise struct.error.

    >>> [hex(word) for word in words_of_bytes(bytes(range(8)))]
    ['0x3020100', '0x7060504']
    """
    return struct.unpack(f"<{len(data) // 4}I", data)


@dataclass(frozen=True)
class MarsBench:
    """A compiled engine, `simulation`, and the parameters of its record."""

    simulation: Simulation
    parameters: Mapping[str, Any]

    @staticmethod
    def compile(sources: Sequence[Path], record: Mapping[str, Any]) -> MarsBench:
        """The engine whose RTL files are `sources`, compiled by Verilator; `record`: its record.json. Raises
        ToolFailed where Verilator refuses the files.
        """
        return MarsBench(compile_simulation(sources, record["top"]), record["parameters"])

    def session(self, gaps: float = 0.0, seed: int = 1) -> MarsSession:
        """An engine out of reset, with its S-box loaded; `gaps`: share of cycles, from 0 to below 1, in which
        the bus does something else, drawn at random from `seed`.
        """
        return MarsSession(self.simulation, self.parameters, gaps, seed)

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, iv: bytes = b"") -> bytes:
        """`data`, whole blocks, under `key`, in ECB, or in CBC where there is an initial value `iv`; decrypt:
        the direction. Raises CheckFailed where the engine hangs.
        """
        session = self.session()
        session.expand(key, decrypt, bool(iv))
        out = session.crypt(data, iv)
        session.close()
        return out


class MarsSession:
    """One engine, access by access."""

    def __init__(self, simulation: Simulation, parameters: Mapping[str, Any], gaps: float, seed: int) -> None:
        self.simulation, self.model, self.gaps = simulation, Model(simulation), gaps
        self.rng = np.random.default_rng(seed)
        self.cycle = 0
        row = simulation.rows(1)
        simulation.view(row, "rst_i")[:] = 1
        self.model.run(row)
        if parameters["sbox_memory"] != "rom":
            self.run(Access(ADDRESS["s"] + i, e) for i, e in enumerate(S))

    def close(self) -> None:
        """Free the model."""
        self.model.close()

    def run(self, accesses: Iterable[Access]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Do each of `accesses` in turn: the word that it shows (without meaning for a write) and the number
        of the cycle, since reset, in which it is done. Raises CheckFailed where one waits for longer than any
        should.
        """
        todo, real = [], []
        for access in accesses:
            while self.gaps and self.rng.random() < self.gaps:
                todo.append(STATUS)
            real.append(len(todo))
            todo.append(access)
        s, n = self.simulation, len(todo)
        rows = s.rows(n)
        for port, values in (
            ("select_i", [1] * n),
            ("write_i", [a.data is not None for a in todo]),
            ("address_i", [a.address for a in todo]),
            ("data_i", [a.data or 0 for a in todo]),
        ):
            view = s.view(rows, port)
            for k in range(view.shape[1]):
                view[:, k] = np.asarray(values, dtype=np.uint32) >> np.uint32(8 * k) & np.uint32(0xFF)
        limit = n + _LONGEST * (1 + sum(a.address in (ADDRESS["message"], ADDRESS["result"]) for a in todo))
        ones = np.ones(limit, dtype=np.uint8)
        ready = s.port("ready_o").offset
        seen, accepted, _ = self.model.feed(
            rows, ones, ones, (s.port("select_i").offset, ready, -1, ready, 0, 0, 0)
        )
        if len(seen) < n:
            stuck = todo[len(seen)]
            raise CheckFailed(
                f"the engine never answers {'a read' if stuck.data is None else 'a write'} at "
                f"{stuck.address:03x}"
            )
        shown = s.view(seen, "data_o").astype(np.uint32)
        words = sum((shown[:, k] << np.uint32(8 * k) for k in range(4)), np.zeros(n, dtype=np.uint32))
        cycles = accepted.astype(np.int64) + self.cycle
        self.cycle = int(cycles[-1]) + 1
        return words[real], cycles[real]

    def expand(self, key: bytes, decrypt: bool, chained: bool) -> int:
        """Write `key` and give the command that expands it, with the direction (`decrypt`) and the mode
        (`chained`: CBC, otherwise ECB); returns the cycles from the command until the key is there. Raises
        CheckFailed where it never is.
        """
        words = words_of_bytes(key)
        self.run([Access(ADDRESS["keys"] + i, w) for i, w in enumerate(words)])
        _, began = self.run([Access(ADDRESS["command"], len(words) << 4 | chained << 2 | decrypt << 1 | 1)])
        for _ in range(0, _LONGEST, _PATIENCE):
            status, at = self.run([STATUS] * _PATIENCE)
            if (there := status & 2).any():
                return int(at[there.argmax()] - began[0])
        raise CheckFailed(f"the key is not there after {_LONGEST} cycles")

    def change(self, decrypt: bool, chained: bool) -> None:
        """Another direction (`decrypt`) or mode (`chained`: CBC, otherwise ECB) under the same key."""
        self.run([Access(ADDRESS["command"], chained << 2 | decrypt << 1)])

    def accesses(self, data: bytes, iv: bytes = b"") -> list[Access]:
        """The accesses that write `data`, whole blocks, and read their results, so that a block is always
        waiting: two blocks are written before the first result is read. `iv`, of a block, is written first;
        empty in ECB.
        """
        words = words_of_bytes(data)
        blocks = [words[i : i + 4] for i in range(0, len(words), 4)]
        out = [Access(ADDRESS["result"] + i, w) for i, w in enumerate(words_of_bytes(iv))]
        for n in range(len(blocks) + _AHEAD):
            if n < len(blocks):
                out += [Access(ADDRESS["message"] + i, w) for i, w in enumerate(blocks[n])]
            if n >= _AHEAD:
                out += [Access(ADDRESS["result"] + i) for i in range(4)]
        return out

    def crypt(self, data: bytes, iv: bytes = b"") -> bytes:
        """The results of `data`, whole blocks, under the key, direction and mode that were set; `iv`: the
        initial value, empty in ECB.
        """
        accesses = self.accesses(data, iv)
        words, _ = self.run(accesses)
        return b"".join(
            int(w).to_bytes(4, "little") for w, a in zip(words, accesses, strict=True) if a.data is None
        )
