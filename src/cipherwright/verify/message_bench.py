"""What benches of whole messages have in common: a compiled core with its record, and one model of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..shell import PortSet
from .simulate import Model, Simulation, compile_simulation

__all__ = ["MessageBench", "MessageSession"]


@dataclass(frozen=True)
class MessageBench:
    """A compiled core with its record."""

    simulation: Simulation
    record: Mapping[str, Any]
    held: Mapping[str, int] = field(default_factory=dict)
    """Inputs that stay as they are, whatever is driven: those that a test puts in, or takes away."""

    @classmethod
    def compile(cls, sources: Sequence[Path], record: Mapping[str, Any]) -> Self:
        """The core of a record, compiled."""
        return cls(compile_simulation(sources, record["top"], record["ports"]["clk"]), record)

    @cached_property
    def ports(self) -> PortSet:
        return PortSet(**self.record["ports"])


class MessageSession:
    """One model of a core, which is closed at the end of a `with`."""

    model: Model

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self.model.close()
