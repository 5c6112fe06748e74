"""A scoreboard for one core: what its ports showed, cycle by cycle, against what the protocol promises."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherwright.cipher.modes import mode_block, next_counter
from cipherwright.verify.oracle import oracle_bulk
from cipherwright.verify.simulate import Model, Simulation, compile_simulation
from cipherwright.wrap import PortSet

__all__ = ["Bus", "Seen"]

Rows = NDArray[np.uint8]

_ABSENT = {"reset": 0, "valid_in": 0, "valid_out": 0, "key_valid": 0, "iv_valid": 0, "zeroise": 0, "busy": 0, "decrypt": 0}
"""What a port that there is not would show, where that is not 1."""


@dataclass
class Seen:
    """What happened: blocks that left, those of them that are wrong, cycles in which a key was taken, and promises that were not kept."""

    left: int = 0
    wrong: int = 0
    taken: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Bus:
    """A compiled core, with its ports by meaning. Every block of a chained mode is the first of a message."""

    def __init__(self, sources: Sequence[Path], record: Mapping[str, Any]) -> None:
        self.ports, self.p, self.record = PortSet(**record["ports"]), record["parameters"], record
        self.simulation: Simulation = compile_simulation(sources, record["top"])

    def rows(self, cycles: int, seed: int, take: float = 1.0) -> Rows:
        """Blocks offered most of the time, each with a key, direction and counter block of its own, and results taken; nothing else."""
        rng, s, p = np.random.default_rng(seed), self.simulation, self.ports
        rows = s.rows(cycles)
        for name in filter(None, (p.key, p.block_in, p.iv)):
            view = s.view(rows, name)
            view[:] = rng.integers(0, 256, view.shape, dtype=np.uint8)
        for name, often in ((p.valid_in, 0.9), (p.decrypt, 0.5), (p.first, 1.0), (p.ready_in, take)):
            if name:
                s.view(rows, name)[:, 0] = rng.random(cycles) < often
        return rows

    def put(self, rows: Rows, name: str, cycles: int | slice | list[int], value: int = 1) -> None:
        """Set a port of one bit in some cycles; nothing where the core has no such port."""
        if name:
            self.simulation.view(rows, name)[cycles, 0] = value

    def run(self, rows: Rows) -> Rows:
        """Outputs from power-up on."""
        model = Model(self.simulation)
        out = model.run(rows)
        model.close()
        return out

    @cached_property
    def _inputs(self) -> set[str]:
        return {p.name for p in self.simulation.inputs}

    def column(self, rows: Rows, out: Rows, meaning: str) -> NDArray[np.uint8]:
        """A port of one bit, by its meaning."""
        name = getattr(self.ports, meaning)
        if not name:
            return np.full(len(rows), _ABSENT.get(meaning, 1), dtype=np.uint8)
        return self.simulation.view(rows if name in self._inputs else out, name)[:, 0]

    def _result(self, key: bytes, block: bytes, link: bytes, decrypt: int) -> bytes:
        """What the core must give for a block."""
        p, size = self.p, len(block)
        back = p["direction"] == "decrypt" or (p["direction"] == "both" and bool(decrypt))

        def crypt(word: int, decrypts: bool) -> int:
            return int.from_bytes(oracle_bulk(p["cipher"], key, word.to_bytes(size, "big"), decrypts), "big")

        number = int.from_bytes(block, "big")
        done = crypt(number, back) if p["mode"] == "ecb" else mode_block(p["mode"], back, crypt, int.from_bytes(link, "big"), number)[0]
        return done.to_bytes(size, "big")

    def watch(self, rows: Rows, out: Rows) -> Seen:
        """Every handshake, in order. The run begins with a reset."""
        ports, seen, s = self.ports, Seen(), self.simulation
        is_ = {n: self.column(rows, out, n) for n in ("reset", "valid_in", "ready_out", "valid_out", "ready_in", "key_valid", "key_ready", "iv_valid", "iv_ready", "zeroise", "busy", "decrypt")}
        keys, blocks = s.view(rows, ports.key)[:, ::-1], s.view(rows, ports.block_in)[:, ::-1]
        results, ivs = s.view(out, ports.block_out)[:, ::-1], s.view(rows, ports.iv)[:, ::-1] if ports.iv else keys
        held, lanes = bool(ports.key_valid), int(self.p["lanes"])
        flight: deque[bytes] = deque()
        key = count = b""
        for t in range(len(rows)):
            if is_["reset"][t]:
                flight.clear()
                key = count = b""
                continue
            if is_["valid_out"][t] and is_["ready_in"][t]:
                if flight:
                    seen.left += 1
                    seen.wrong += flight.popleft() != results[t].tobytes()
                else:
                    seen.faults.append(f"cycle {t}: a result of no block")
            if flight and held and not ports.ready_in and not is_["busy"][t] and not is_["valid_out"][t]:
                seen.faults.append(f"cycle {t}: not busy with a block in flight")
            if is_["valid_in"][t] and is_["ready_out"][t]:
                now = key if held else keys[t].tobytes()
                if not now or (ports.iv_valid and not count):
                    seen.faults.append(f"cycle {t}: a block is accepted without a key or a counter block")
                else:
                    given, result = blocks[t].tobytes(), b""
                    for lane in range(lanes):
                        part = given[len(given) // lanes * lane :][: len(given) // lanes]
                        result += self._result(now, part, count or ivs[t].tobytes(), int(is_["decrypt"][t]))
                        count = count and next_counter(int.from_bytes(count, "big"), self.p["counter_bits"]).to_bytes(len(count), "big")
                    flight.append(result)
            if is_["key_valid"][t] and is_["key_ready"][t]:
                if flight and not ports.ready_in:
                    seen.faults.append(f"cycle {t}: a key is taken with {len(flight)} blocks in flight")
                key = keys[t].tobytes()
                seen.taken.append(t)
            if is_["iv_valid"][t] and is_["iv_ready"][t]:
                count = ivs[t].tobytes()
            if is_["zeroise"][t]:
                flight.clear()
                key = count = b""
        return seen
