"""What README.md says of a core that computes blocks of several messages at once."""

from __future__ import annotations

from collections.abc import Iterator

from ..core import Core

__all__ = ["interleaved_latency", "interleaved_sentences"]


def interleaved_sentences(core: Core) -> Iterator[str]:
    """How the messages of `core` take turns, and what one of them has of the rate."""
    most = core.slots - 1
    yield (
        f"{core.slots} messages are interleaved, with the numbers 0 to {most}: one for each stage of the "
        "loop. With `stages=1` there is one."
    )
    yield (
        f"The rate below is that of all {core.slots} in turn. One message alone has a block every "
        f"{core.interval} cycles."
    )
    if core.stream:
        yield from _beats(core)
        return
    yield "`slot_o` is the number of the message that may offer a block."
    yield f"`{core.ports.slot}` is the number of the one whose result is offered."


def _beats(core: Core) -> Iterator[str]:
    """The same at AXI-Stream."""
    most = core.slots - 1
    bits = most.bit_length()
    (width,) = (pin.width for pin in core.component.pins if pin.name == "s_axis_tuser")
    place = f"[{width - 1}:{width - bits}]" if bits > 1 else f"[{width - 1}]" if width > 1 else ""
    yield f"`s_axis_tuser{place}` is the number of a beat's message, which comes back with its result."
    if core.bus:
        yield "`s_axis_tready` is made of registers and of this number: one may wait for its initial value."
    yield "A beat waits for the turn of its message, and the beats behind it wait, too: offer them in turn."
    if core.slots < 1 << bits:
        yield f"A number above {most} has no turn: a beat with it holds the core until a reset."


def interleaved_latency(core: Core) -> Iterator[str]:
    """When results leave `core` behind AXI-Stream, which takes a block before the turn of its message."""
    yield (
        f"In a core at rest a result is offered {core.latency} to {core.latency + core.slots - 1} cycles "
        "after its block is taken: inside, the block waits for the turn of its message."
    )
    yield "A block whose message has another one inside waits for the end of that one, too."
