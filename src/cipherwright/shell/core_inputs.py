"""What a core is assembled from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..arch import Scheduled, Timing
from ..graph import Graph
from ..rtl import Design
from ..schedule import Schedule
from ..spec import Datapath
from .header import module_name
from .keys import KeyUnit

__all__ = ["CoreInputs"]


@dataclass(frozen=True)
class CoreInputs:
    """A scheduled datapath, and what is known when modules are put around it.

    spec: what the user asks for; plain: the cipher as described; scheduled: the datapath in its stages;
    lowered: makes the modules of the datapath, the outermost of which has the given name; given: the preset
    and the changes as the user wrote them; unit: makes the round keys of a datapath that reads them, None
    where the datapath makes them itself; timing: the delays of gates, by which a mode's own registers are
    placed, and which waits are delay lines; key_schedules: the loops of the unit, where they are derived from
    the cipher.
    """

    spec: Datapath
    plain: Graph
    scheduled: Scheduled
    lowered: Callable[[str], Design]
    given: Mapping[str, str]
    unit: KeyUnit | None
    timing: Timing
    key_schedules: tuple[Schedule, ...] = ()

    @property
    def top(self) -> str:
        """Name of the core's outermost module."""
        return module_name(self.spec.name)

    @property
    def stages(self) -> int:
        """Stages of the datapath."""
        return self.scheduled.schedule.stages

    @property
    def unread_key_bits(self) -> int:
        """Bits of a register of the key that the datapath does not read (parity bits); 0 with a key unit."""
        return 0 if self.unit else _unread_key_bits(self.scheduled.schedule)

    @property
    def unread_software_bits(self) -> int:
        """Bits of a key, in the registers that software writes, that nothing behind them reads."""
        return min(map(_unread_key_bits, self.key_schedules), default=self.unread_key_bits)


def _unread_key_bits(made: Schedule) -> int:
    """Bits of the input `key` that no operation of `made` reads."""
    key = made.graph.inputs["key"]
    return made.graph.nodes[key].width - sum(node == key for node, _ in made.uses)
