"""Blocks through a simulated core: the same call for plain pipelines, the paper's ports, loops and streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from ..wrap import PortSet
from .simulate import Cycles, Model, Simulation, Words, compile_simulation

__all__ = ["Bench", "Traffic"]


@dataclass(frozen=True)
class Traffic:
    """What happened: results as bytes (blocks, block bytes), cycles in which blocks went in and came out."""

    blocks: NDArray[np.uint8]
    accepted: Cycles
    delivered: Cycles

    @property
    def latencies(self) -> NDArray[np.int64]:
        out: NDArray[np.int64] = self.delivered.astype(np.int64) - self.accepted[: len(self.delivered)].astype(np.int64)
        return out


@dataclass(frozen=True)
class Bench:
    """A compiled core with what its record says of ports and timing."""

    simulation: Simulation
    ports: PortSet
    parameters: Mapping[str, Any]
    latency: int
    interval: int
    slots: int

    @staticmethod
    def compile(sources: Sequence[Path], record: Mapping[str, Any], defines: Sequence[str] = ()) -> Bench:
        ports = PortSet(**record["ports"])
        simulation = compile_simulation(sources, record["top"], ports.clk, defines)
        return Bench(
            simulation, ports, record["parameters"], record["latency_cycles"], record["interval_cycles"], record["slots"]
        )

    @cached_property
    def _places(self) -> list[int]:
        p, s = self.ports, self.simulation

        def place(name: str) -> int:
            return s.port(name).offset if name else -1

        key = s.port(p.key)
        lead = int(self.parameters["key_lead"])
        return [place(p.valid_in), place(p.ready_out), place(p.ready_in), place(p.valid_out), key.offset, key.size, lead]

    def words(self, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]) -> Words:
        """Rows of inputs from arrays of bytes, byte 0 of the standard first: keys (n or 1, key bytes), directions
        (n or 1), blocks (n, block bytes)."""
        s, p = self.simulation, self.ports
        rows = s.rows(len(blocks))
        s.view(rows, p.block_in)[:] = blocks[:, ::-1]
        if p.ascending:
            bits = np.unpackbits(keys, axis=1).reshape(len(keys), -1, 8)[:, :, :7].reshape(len(keys), -1)
            keys = np.packbits(bits, axis=1)
        s.view(rows, p.key)[:] = keys[:, ::-1]
        if p.decrypt:
            s.view(rows, p.decrypt)[:, 0] = decrypts
        return rows

    def start(self) -> Model:
        """A model out of reset, its pipeline empty."""
        model = Model(self.simulation)
        idle = self.simulation.rows(self.latency + 4)
        if self.ports.reset:
            self.simulation.view(idle, self.ports.reset)[:] = 1
        model.run(idle)
        return model

    def crypt(
        self, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8],
        offer: NDArray[np.uint8] | None = None, take: NDArray[np.uint8] | None = None,
    ) -> Traffic:  # fmt: skip
        """All blocks through one model. `offer`, `take`: patterns (repeated) of cycles in which a block is offered and
        a result taken. Raises CheckFailed where results are missing at the end."""
        model = self.start()
        try:
            n = len(blocks)
            offer = np.ones(1, dtype=np.uint8) if offer is None else offer
            take = np.ones(1, dtype=np.uint8) if take is None else take
            rate = max(1e-3, min(float(offer.mean()), float(take.mean())))
            cycles = int((n * self.interval / self.slots + 4 * self.latency + 64) / rate) + 64
            offers = np.resize(offer, cycles)
            if self.parameters["key_lead"]:
                offers[0] = 0  # the first key goes ahead of the first block
            got, accepted, delivered = model.feed(
                self.words(keys, decrypts, blocks), offers, np.resize(take, cycles), self._places
            )
            # The sink must stay empty: nothing comes out that nobody put in.
            rest = model.run(self.simulation.rows(self.latency + 4))
            extra = int(self.simulation.view(rest, self.ports.valid_out)[:, 0].sum())
        finally:
            model.close()
        if len(got) != n or extra:
            raise CheckFailed(f"{n} blocks went in, {len(got) + extra} came out")
        out = self.simulation.view(got, self.ports.block_out)[:, ::-1]
        return Traffic(np.ascontiguousarray(out), accepted, delivered)

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, parts: int = 2) -> bytes:
        """A whole number of blocks under one key, several models at once."""
        from concurrent.futures import ThreadPoolExecutor

        size = int(self.parameters["block_bits"]) // 8
        blocks = np.frombuffer(data, dtype=np.uint8).reshape(-1, size)
        keys = np.frombuffer(key, dtype=np.uint8).reshape(1, -1)
        mode = np.array([int(decrypt)], dtype=np.uint8)
        chunks = [c for c in np.array_split(blocks, parts) if len(c)]
        with ThreadPoolExecutor(max_workers=parts) as pool:
            done = list(pool.map(lambda c: self.crypt(keys, mode, c).blocks.tobytes(), chunks))
        return b"".join(done)
