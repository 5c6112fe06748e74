"""What benches of whole messages have in common: a compiled core with its record, and one model of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from ..cipher.modes import given_key_bits
from ..errors import CheckFailed
from ..shell import PortSet, inside
from .simulate import Model, Simulation, Words, compile_simulation

__all__ = ["MessageBench", "MessageSession"]

_FORGETTING = 16
"""Cycles beside two latencies until a core that was zeroised takes a key: what was in flight drains first."""

_KEY_OFFERED = 8
"""Cycles in which a key that is offered after a reset is taken."""


@dataclass(frozen=True)
class MessageBench:
    """A compiled core (`simulation`) with its `record`."""

    simulation: Simulation
    record: Mapping[str, Any]
    held: Mapping[str, int] = field(default_factory=dict)
    """Inputs that stay as they are, whatever is driven: those that a test puts in, or takes away."""

    @classmethod
    def compile(cls, sources: Sequence[Path], record: Mapping[str, Any]) -> Self:
        """The core of `record` in the files `sources`, compiled; of a core on a standard bus, the one inside,
        of one with channels, that of a channel, or behind a bus the one inside it. Raises as
        `compile_simulation`.
        """
        record = inside(record, "stream")
        return cls(compile_simulation(sources, record["top"], record["ports"]["clk"]), record)

    @cached_property
    def ports(self) -> PortSet:
        """The core's ports by meaning."""
        return PortSet(**self.record["ports"])

    @property
    def key_bytes(self) -> int:
        """Bytes of a key: in XTS those of both halves."""
        p = self.record["parameters"]
        return given_key_bits(p["mode"], p["key_bits"]) // 8

    @property
    def controls(self) -> frozenset[str]:
        """Inputs that make something happen."""
        p = self.ports
        return frozenset((p.reset, p.valid_in, p.key_valid, p.zeroise))


class MessageSession(ABC):
    """One model of the core of `bench`, from its reset on, which is closed at the end of a `with`; `rng`: of
    its random values. `cycle`: how many have been run.
    """

    bench: MessageBench
    model: Model

    def __init__(self, bench: MessageBench, rng: np.random.Generator) -> None:
        self.bench, self.rng, self.cycle = bench, rng, 0
        self.model = Model(bench.simulation)
        self._forget()
        self.reset()
        self._zeroised = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self.model.close()

    @abstractmethod
    def _forget(self) -> None:
        """Nothing is expected of what was sent so far."""

    def _hold(self, rows: Words) -> Words:
        """The same cycles with the inputs that stay as they are."""
        self.bench.simulation.hold(rows, self.bench.held)
        return rows

    @abstractmethod
    def run(self, rows: Words) -> Words:
        """The outputs of as many cycles as there are `rows` of inputs."""

    def idle(self, cycles: int) -> Words:
        """Rows of so many `cycles` in which nothing is offered; payload ports have any value."""
        return self.bench.simulation.any_rows(self.rng, cycles, self.bench.controls)

    def reset(self) -> None:
        """One cycle of reset, after which nothing of before may leave."""
        self._pulse(self.bench.ports.reset)
        self._zeroised = False

    def zeroise(self) -> None:
        """One cycle of zeroising, after which nothing of before may leave."""
        self._pulse(self.bench.ports.zeroise)
        self._zeroised = True

    def _pulse(self, name: str) -> None:
        """A port is 1 for a cycle, and nothing of before is expected."""
        rows = self.idle(1)
        self.bench.simulation.view(rows, name)[0, 0] = 1
        self.run(rows)
        self._forget()

    def with_key(self, rows: Words, key: bytes) -> Words:
        """`rows` with `key` (byte 0 of the standard first) offered in all cycles (changed in place)."""
        s, p = self.bench.simulation, self.bench.ports
        s.view(rows, p.key_valid)[:, 0] = 1
        s.view(rows, p.key)[:] = np.frombuffer(key[::-1], dtype=np.uint8)
        return rows

    def offered(self, rows: Words, key: bytes) -> Words:
        """`rows` with `key` offered in the first eight cycles, and words in all (changed in place)."""
        s, p = self.bench.simulation, self.bench.ports
        self.with_key(rows, key)
        s.view(rows, p.key_valid)[_KEY_OFFERED:, 0] = 0
        s.view(rows, p.valid_in)[:, 0] = 1
        return rows

    def _offer_key(self, key: bytes) -> None:
        """Offer a key until it is taken."""
        b, s = self.bench, self.bench.simulation
        most = b.record["zeroise_cycles"]
        if self._zeroised:
            most += 2 * b.record["latency_cycles"] + _FORGETTING
        for _ in range(most):
            if s.view(self.run(self.with_key(self.idle(1), key)), b.ports.key_ready)[0, 0]:
                self._zeroised = False
                return
        raise CheckFailed(f"a key is not taken within {most} cycles")

    def _await_words(self) -> None:
        """Wait until words are taken, which must be when it is promised."""
        b, s = self.bench, self.bench.simulation
        seen = self.run(self.idle(b.record["key_cycles"]))
        ready, busy = s.view(seen, b.ports.ready_out)[:, 0], s.view(seen, b.ports.busy)[:, 0]
        if ready[:-1].any() or not ready[-1] or not busy[:-2].all() or busy[-1]:
            raise CheckFailed(f"a key is not ready after exactly {b.record['key_cycles']} cycles")
