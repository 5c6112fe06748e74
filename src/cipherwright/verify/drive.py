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

_IV_CYCLES = 80
"""Cycles in which every counter is ready after its load."""


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
    key_cycles: int = 0

    @staticmethod
    def compile(sources: Sequence[Path], record: Mapping[str, Any], defines: Sequence[str] = ()) -> Bench:
        ports = PortSet(**record["ports"])
        simulation = compile_simulation(sources, record["top"], ports.clk, defines)
        return Bench(
            simulation, ports, record["parameters"], record["latency_cycles"], record["interval_cycles"], record["slots"],
            record.get("key_cycles", 0),
        )  # fmt: skip

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
        if p.key_valid:  # the key was loaded before: what its port shows now must not matter
            s.view(rows, p.key)[:] = np.random.default_rng(4).integers(0, 256, keys.shape[1], dtype=np.uint8)
        return rows

    def load_key(self, model: Model, key: NDArray[np.uint8]) -> None:
        """Give a core with a key-expansion unit its key. Raises CheckFailed where the round keys are not there when promised."""
        s, p = self.simulation, self.ports
        rows = s.rows(self.key_cycles + 1)
        s.view(rows, p.key_valid)[0, 0] = 1
        s.view(rows, p.key)[0] = key[::-1]
        ready = s.view(model.run(rows), p.key_ready)[:, 0]
        if ready[0] != 1 or ready[1:-1].any() or ready[-1] != 1:
            raise CheckFailed(f"the round keys are not ready after exactly {self.key_cycles} cycles")

    def start(self) -> Model:
        """A model out of reset, its pipeline empty."""
        model = Model(self.simulation)
        idle = self.simulation.rows(self.latency + 4)
        if self.ports.reset:
            self.simulation.view(idle, self.ports.reset)[:] = 1
        model.run(idle)
        return model

    def counter_block(self, iv: bytes, n: int) -> bytes:
        """The counter block n blocks after `iv`."""
        bits, value = int(self.parameters["counter_bits"]), int.from_bytes(iv, "big")
        return (value >> bits << bits | value + n & (1 << bits) - 1).to_bytes(len(iv), "big")

    def load_iv(self, model: Model, iv: NDArray[np.uint8]) -> None:
        """Give a core in counter mode its first counter block, and wait until it is ready."""
        s, p = self.simulation, self.ports
        rows = s.rows(_IV_CYCLES)
        s.view(rows, p.iv_valid)[0, 0] = 1
        s.view(rows, p.iv)[0] = iv[::-1]
        ready = s.view(model.run(rows), p.iv_ready)[:, 0]
        if ready[0] != 1 or ready[1] or ready[-1] != 1:
            raise CheckFailed(f"the counter is not ready {_IV_CYCLES} cycles after its load")

    def _each_as_counter(self, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]) -> Traffic:
        """Counter mode as the cipher itself: every block is loaded as a counter block, and a block of zeros follows it."""
        done = [self.crypt(keys, decrypts, np.zeros_like(b[None]), iv=b) for b in blocks]
        return Traffic(np.vstack([d.blocks for d in done]), *(np.concatenate(x) for x in ([d.accepted for d in done], [d.delivered for d in done])))

    def crypt(
        self, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8],
        offer: NDArray[np.uint8] | None = None, take: NDArray[np.uint8] | None = None, iv: NDArray[np.uint8] | None = None,
    ) -> Traffic:  # fmt: skip
        """All blocks through one model. `offer`, `take`: patterns (repeated) of cycles in which a block is offered and
        a result taken. `iv`: the first counter block of a core in counter mode; without it, such a core shows the cipher of
        each block by itself. Raises CheckFailed where results are missing at the end."""
        if self.ports.iv and iv is None:
            return self._each_as_counter(keys, decrypts, blocks)
        model = self.start()
        try:
            n = len(blocks)
            if self.ports.key_valid:
                self.load_key(model, keys[0])
            if iv is not None:
                self.load_iv(model, iv)
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

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, parts: int = 2, iv: bytes = b"") -> bytes:
        """A whole number of blocks under one key, several models at once. `iv`: the first counter block of counter mode."""
        from concurrent.futures import ThreadPoolExecutor

        size = int(self.parameters["block_bits"]) // 8
        blocks = np.frombuffer(data, dtype=np.uint8).reshape(-1, size)
        keys = np.frombuffer(key, dtype=np.uint8).reshape(1, -1)
        mode = np.array([int(decrypt)], dtype=np.uint8)
        chunks = [c for c in np.array_split(blocks, parts) if len(c)]
        before = np.cumsum([0, *(len(c) for c in chunks[:-1])])
        first = [np.frombuffer(self.counter_block(iv, int(n)), dtype=np.uint8) if iv else None for n in before]
        with ThreadPoolExecutor(max_workers=parts) as pool:
            done = list(pool.map(lambda c, iv: self.crypt(keys, mode, c, iv=iv).blocks.tobytes(), chunks, first))
        return b"".join(done)
