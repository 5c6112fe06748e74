"""What README.md says of a core's clock, reset and interrupts."""

from __future__ import annotations

from collections.abc import Iterator

from ...rtl import ClockReset
from ..built_engine import BuiltEngine
from ..channels import channel_name
from ..core import Core
from .text import filled

__all__ = ["interrupt_sentences", "reset_text"]


def reset_text(core: Core | BuiltEngine) -> str:
    """What a reset of `core` does, and when it is needed."""
    clock, left = core.component.clock, _left(core)
    if clock.asynchronous:
        return filled("reset.md.j2", clock=clock.clock, reset=clock.reset, left=left)
    return _synchronous(clock, left) if clock.reset else _NO_RESET


_NO_RESET = (
    "This core has no reset, as in the publication whose ports it has. After power-up, offer no block for as "
    "many cycles as the latency: until then results of unknown blocks may leave."
)


def _synchronous(clock: ClockReset, left: str) -> str:
    return (
        f"`{clock.reset}` is synchronous and active high: connect the inverse of a reset such as `aresetn`. "
        "One cycle is enough, at any time. Give one after configuration: before the first one outputs mean "
        "nothing. After it no result of an "
        f"earlier block leaves, and every output valid is 0. {left}"
    )


def _left(core: Core | BuiltEngine) -> str:
    """What a reset leaves of keys and data, some sentences."""
    if isinstance(core, BuiltEngine):
        return "No key is held after it."
    kept = "No earlier key is used after it. Registers of keys and data keep their bits"
    left = f"{kept} until they take others{', or until zeroising' if core.zeroise_cycles else ''}."
    if not core.bus:
        return left
    return f"{left} Registers that software writes are cleared, and STATUS reads as 0."


def interrupt_sentences(core: Core) -> Iterator[str]:
    """How events and the interrupt of `core`, which has a register bus, behave."""
    irq = channel_name("irq_o", 0) if core.channels else "irq_o"
    yield f"`{irq}` is a level, active high: 1 while a bit is 1 in INTERRUPT_STATUS and in INTERRUPT_ENABLE."
    if core.channels:
        yield "Each channel has such a port, for the events in its own registers."
    yield "Writing a 1 clears a bit of INTERRUPT_STATUS. It stays 1 where its event is in the same cycle."
