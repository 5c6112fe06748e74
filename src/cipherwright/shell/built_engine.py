"""An engine that is built: hand-written control around generated logic, as texts that a folder will hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..rtl import Component
from .wave import Diagram

__all__ = ["BuiltEngine", "EngineNotes"]


@dataclass(frozen=True)
class EngineNotes:
    """What an engine's README says besides its ports: sentences. `timing`: its cycles; `usage`: how keys and
    blocks go in and results come out; `proven`: what `verify` proves; `period`: planned, in ns.
    """

    timing: str
    usage: tuple[str, ...]
    proven: tuple[str, ...]
    period: float


@dataclass(frozen=True)
class BuiltEngine:
    """An engine as texts. `top`: its outermost module; `parameters`: all options of its spec; `files`:
    Verilog by file name; `notes`: what its README says; `latency`: cycles from the instruction to the result;
    `interval`: cycles from block to block where each is made from the one before; `flip_flops`: predicted for
    the target; `memory_bits`: bits of each memory beside the logic, by name.
    """

    top: str
    parameters: Mapping[str, Any]
    files: Mapping[str, str]
    component: Component
    """Its modules, its typed ports and its timing."""

    notes: EngineNotes
    flip_flops: int
    latency: int
    interval: int
    logic_top: str = ""
    """The module without the memories, which is what a cell library is to map; empty: the top."""
    memory_bits: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    """The preset and the changes as the user wrote them."""

    diagrams: tuple[Diagram, ...] = ()
    """The timing diagrams of its folder, in order."""

    extras: tuple[str, ...] = ()
    """Files that were asked for besides (`folder.EXTRAS`)."""

    family: str = ""
    """Family of the target device, as `target/` names it."""

    warnings: tuple[str, ...] = ()
    """What a user should know before using it: a sentence each."""

    @property
    def period(self) -> float:
        """Planned period in ns."""
        return self.notes.period

    @property
    def bits_per_cycle(self) -> float:
        """Bits a cycle while it computes; the channels are apart."""
        return float(self.parameters["block_bits"]) / self.interval

    def record(self) -> dict[str, Any]:
        """What record.json says of the build."""
        return {
            "top": self.top,
            "parameters": dict(self.parameters),
            "latency_cycles": self.latency,
            "interval_cycles": self.interval,
            "bits_per_cycle": self.bits_per_cycle,
            "predicted": {"ffs": self.flip_flops, "srls": 0},
            "period_ns_planned": self.period,
            "warnings": list(self.warnings),
            "stages": 1,
            "logic_top": self.logic_top,
            "memory_bits": dict(self.memory_bits),
        }
