"""A core: the datapath with everything a user needs around it, as texts that a folder will hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..graph import Graph
from ..rtl import Design
from ..schedule import Schedule

__all__ = ["Core", "PortSet"]


@dataclass(frozen=True)
class PortSet:
    """Names of the top's ports by meaning; empty where there is none. `key_lead`: cycles a key comes first."""

    clk: str = "clk"
    reset: str = "rst_i"
    valid_in: str = "valid_i"
    ready_out: str = ""
    decrypt: str = "decrypt_i"
    key: str = "key_i"
    block_in: str = "block_i"
    valid_out: str = "valid_o"
    ready_in: str = ""
    block_out: str = "block_o"
    ascending: bool = False


@dataclass(frozen=True)
class Core:
    """`plain`: the cipher as described, the reference of the proof. `latency`: cycles from a block to its result;
    `interval`: cycles a slot is taken; `slots`: blocks in flight at once in that interval."""

    top: str
    parameters: Mapping[str, Any]
    plain: Graph
    schedule: Schedule
    design: Design
    ports: PortSet
    latency: int
    interval: int
    slots: int
    files: Mapping[str, str]
    inner: Mapping[str, Any] | None = None
    """For a stream shell: top, ports and latency of the datapath inside it."""

    @property
    def bits_per_cycle(self) -> float:
        """Sustained throughput in bits a cycle."""
        return float(self.parameters["block_bits"]) * self.slots / self.interval

    def record(self) -> dict[str, Any]:
        """What record.json says of the build."""
        return {
            "top": self.top,
            "parameters": dict(self.parameters),
            "ports": asdict(self.ports),
            "latency_cycles": self.latency,
            "interval_cycles": self.interval,
            "slots": self.slots,
            "bits_per_cycle": self.bits_per_cycle,
            "predicted": {"ffs": self.design.flip_flops(), "srls": self.design.shift_luts()},
            "period_ns_planned": self.schedule.period,
            "stages": self.schedule.stages,
            "inner": self.inner,
        }
