"""The stream shell: valid, ready, payload on both sides of a core that never stalls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..rtl import (
    Cell,
    ClockReset,
    Drive,
    Group,
    Held,
    Part,
    Pin,
    Placed,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
    connect,
)
from .core import PortSet
from .written import written_module

__all__ = [
    "STREAM_FILE",
    "STREAM_LATENCY",
    "STREAM_PORTS",
    "fifo_log2",
    "outer",
    "stream_controls",
    "stream_ports",
    "stream_top",
    "sustained_interval",
]

STREAM_FILE = "cipherwright_stream.sv"
_MODULE = "cipherwright_stream"
STREAM_PORTS = PortSet(
    valid_in="s_valid_i",
    ready_out="s_ready_o",
    decrypt="s_decrypt_i",
    key="s_key_i",
    block_in="s_block_i",
    valid_out="m_valid_o",
    ready_in="m_ready_i",
    block_out="m_block_o",
)


STREAM_LATENCY = 2
"""Cycles from a result of the core to the same at the stream's port."""


def fifo_log2(latency: int, interval: int, slots: int, depth: int) -> int:
    """log2 of the FIFO's entries: `depth` rounded up, or what sustains `slots` blocks every `interval`
    cycles (0 = choose). `latency` of the stream.
    """
    full, rest = divmod(
        latency + 1, interval
    )  # a place is free again for a block that is accepted so many cycles later
    return max(2, ((depth or full * slots + min(rest, slots)) - 1).bit_length())


def sustained_interval(latency: int, interval: int, slots: int, log2: int) -> int:
    """Cycles for `slots` blocks that a FIFO sustains: `interval`, or more where it is too small."""
    full, rest = divmod(latency + 1, interval)
    if full * slots + min(rest, slots) <= 1 << log2:
        return interval
    return -(-slots * (latency + 1 + (slots > 1) * interval) >> log2)


def outer(p: Pin) -> str:
    """The stream shell's name of a pin of the core inside: what goes with a block has the prefix s_."""
    return f"s_{p.name}" if p.with_block else p.name


def stream_ports(ports: PortSet, pins: Sequence[Pin], slot: bool) -> PortSet:
    """The ports of the shell around a core with `ports`: what goes with a block has the prefix s_."""
    names = {p.name: outer(p) for p in pins}
    base = replace(
        ports,
        valid_in=STREAM_PORTS.valid_in,
        ready_out=STREAM_PORTS.ready_out,
        block_in=STREAM_PORTS.block_in,
        valid_out=STREAM_PORTS.valid_out,
        ready_in=STREAM_PORTS.ready_in,
        block_out=STREAM_PORTS.block_out,
        slot="m_slot_o" if slot else "",
    )
    return replace(
        base,
        key=names.get(ports.key, ""),
        decrypt=names.get(ports.decrypt, ""),
        iv=names.get(ports.iv, ""),
        first=names.get(ports.first, ""),
    )


def stream_controls(modules: Iterable[Wrapper]) -> tuple[WrittenModule, ...]:
    """The hand-written controls of streams in `modules`: each has a FIFO in memory."""
    cells = (i for m in modules for i in m.items if isinstance(i, Cell) and i.module == _MODULE)
    return tuple(_written({name: int(value) for name, value in c.parameters.items()}) for c in cells)


def _written(parameters: Mapping[str, int]) -> WrittenModule:
    """The control, whose FIFO has 2 ** DEPTH_LOG2 words of WIDTH bits. Its registers: credits and words in the
    FIFO, places to write and to read; the word that is offered; valid, ready, zeroising.
    """
    width, log2 = parameters["WIDTH"], parameters["DEPTH_LOG2"]
    made = written_module(STREAM_FILE, _control(width), 2 * (log2 + 1) + 2 * log2 + width + 3)
    return replace(made, parameters=parameters)


def _control(width: int) -> tuple[Group, ...]:
    """Ports of the control of a stream of `width` bits."""
    return (
        ClockReset(),
        Held((Pin("zeroise_i"),)),
        Stream("s_valid_i", (), "s_ready_o"),
        Stream("core_valid_o", (), out=True),
        Stream("core_valid_i", (Pin("core_data_i", width),)),
        Stream("m_valid_o", (Pin("m_data_o", width, True),), "m_ready_i", out=True),
    )


def stream_top(name: str, core: Part, pins: Sequence[Pin], log2: int, slot_bits: int = 0) -> Wrapper:
    """A module with stream ports around `core` and the stream control. A block and its `pins` are one word.
    `slot_bits` of the number of a stream's slot, which goes with the result.

    A core may refuse a word by ready_o. In the time in which zeroising_o of it is 1, the FIFO forgets as well.
    """
    ready, forgets = "ready_o" in core.pins, "zeroising_o" in core.pins
    gate = " & core_ready" if ready else ""
    block_bits = core.pins["block_o"].width
    shown = tuple(Pin(outer(p), p.width, p.out, with_block=p.with_block) for p in pins)
    payload = tuple(p for p in shown if p.with_block)
    held = tuple(p for p in shown if not p.with_block)
    slot = (Pin("m_slot_o", slot_bits, True),) if slot_bits else ()
    links = {
        "clk": "clk",
        "rst_i": "rst_i",
        **({"zeroising_o": "zeroising"} if forgets else {}),
        "valid_i": "core_valid",
        **{p.name: outer(p) for p in pins},
        "block_i": "s_block_i",
        **({"ready_o": "core_ready"} if ready else {}),
        "valid_o": "result_valid",
        "block_o": "result",
    }
    control = {
        "clk": "clk",
        "rst_i": "rst_i",
        "zeroise_i": "zeroising" if forgets else "1'b0",
        "s_valid_i": f"s_valid_i{gate}",
        "s_ready_o": "credit_ready",
        "core_valid_o": "core_valid",
        "core_valid_i": "result_valid",
        "core_data_i": "{slot_o, result}" if slot_bits else "result",
        "m_valid_o": "m_valid_o",
        "m_ready_i": "m_ready_i",
        "m_data_o": "{m_slot_o, m_block_o}" if slot_bits else "m_block_o",
    }
    width = block_bits + slot_bits
    results = Stream("m_valid_o", (Pin("m_block_o", block_bits, True), *slot), "m_ready_i", out=True)
    return connect(
        name,
        (
            f"Stream ports around {core.name}: a word is accepted in a cycle in which valid and ready are both "
            f"1, on either side.",
        ),
        (
            ClockReset(),
            Stream("s_valid_i", (*payload, Pin("s_block_i", block_bits)), "s_ready_o"),
            Held(held),
            results,
        ),
        (
            Wire(("core_valid", "result_valid", "credit_ready")),
            Wire(("result",), block_bits),
            *([Wire(("core_ready",))] if ready else []),
            *([Wire(("zeroising",))] if forgets else []),
            Drive("s_ready_o", f"credit_ready{gate}"),
            Placed(core, "u_core", links),
            Placed(
                Part(_MODULE, _control(width)),
                "u_stream",
                control,
                {"WIDTH": width, "DEPTH_LOG2": log2},
            ),
        ),
        (
            *("clk", "rst_i", "s_valid_i", "s_ready_o", "s_block_i"),
            *(p.name for p in shown),
            *(p.name for p in results.pins),
        ),
    )
