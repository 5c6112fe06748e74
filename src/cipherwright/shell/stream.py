"""The stream shell: valid, ready, payload on both sides of a core that never stalls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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
    "AHEAD",
    "DEEP_STREAM_FILE",
    "SHORT_STREAM_FILE",
    "STREAM_FILE",
    "STREAM_PORTS",
    "Fifo",
    "choose_fifo",
    "fifo_log2",
    "outer",
    "stream_controls",
    "stream_ports",
    "stream_top",
    "sustained_interval",
]

STREAM_FILE = "cipherwright_stream.sv"
DEEP_STREAM_FILE = "cipherwright_deep_stream.sv"
SHORT_STREAM_FILE = "cipherwright_short_stream.sv"
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


@dataclass(frozen=True)
class Fifo:
    """The FIFO of a stream's results, of 2 ** log2 places. `deep`: it is in block RAM, whose read takes two
    registers, with two more behind them (cipherwright_deep_stream.sv); a shallow one is read at once
    (cipherwright_stream.sv). registers: it is so many of them in a row instead
    (cipherwright_short_stream.sv), where this is not 0.
    """

    log2: int
    deep: bool = False
    registers: int = 0

    @property
    def places(self) -> int:
        """Words that find room."""
        return self.registers or 1 << self.log2

    @property
    def size(self) -> dict[str, int]:
        """The parameter of its control that says how many places there are."""
        return {"PLACES": self.registers} if self.registers else {"DEPTH_LOG2": self.log2}

    @property
    def file(self) -> str:
        """The hand-written file of its control."""
        return DEEP_STREAM_FILE if self.deep else SHORT_STREAM_FILE if self.registers else STREAM_FILE

    @property
    def module(self) -> str:
        """The name of that control."""
        return self.file.removesuffix(".sv")

    @property
    def latency(self) -> int:
        """Cycles from a result of the core to the same at the stream's port."""
        return 9 if self.deep else self.registers or 2

    @property
    def flush(self) -> int:
        """Cycles of zeroising in which every place and every register behind them is written anew."""
        return self.places + 5 if self.deep else self.places

    def flip_flops(self, width: int, beside: int = 0, ahead: int = 0) -> int:
        """Flip-flops beside the memory, for words of `width` bits, with `beside` bits that go round; `ahead`:
        cycles for which it tells ahead that there is room. Counts of credits and of words stored, places to
        write and to read, zeroising; the place that is reserved where bits go round. Shallow: that the
        credits rise or fall; the word that is offered, valid and ready. Deep: the same counts with a sign,
        22 bits of what has happened; the register in front of the memory; what goes round once; three
        registers behind the two that are in the block RAM, and three bits of control for every 36 of theirs.
        A shallow memory of four bits is made of flip-flops. Registers in a row: two bits of control for each
        and one more; where bits go round, those of every word and of the one that is offered, and how many
        words wait.

        >>> Fifo(2).flip_flops(1), Fifo(2).flip_flops(2), Fifo(3).flip_flops(1), Fifo(2).flip_flops(2, 2)
        (20, 17, 20, 21)
        >>> Fifo(0, registers=2).flip_flops(145, 2), Fifo(0, registers=3).flip_flops(129)
        (303, 394)
        """
        if self.registers:
            n = self.registers
            return n * width + 2 * n + 1 + ((n + 1) * beside + n if beside else 0)
        counts = 2 * (self.log2 + 1) + 2 * self.log2 + 1 + self.log2 * (beside > 0)
        if self.deep:
            behind = width + beside
            around = beside + 1 if beside else 0
            return counts + 22 + ahead + width + around + 3 * behind + 3 * -(-behind // _EACH)
        few = sum(self.places * bits for bits in (width, beside) if self.places * bits <= _FEW)
        return counts + 4 + width + beside + few


_FEW = 4
"""Bits of a memory up to which synthesis makes flip-flops of it."""

_DEEP_FROM = 5
"""log2 of the places from which on a FIFO is in block RAM: below, distributed RAM takes fewer lookup tables.
"""

_EACH = 36
"""Bits of a result that share registers of control behind a deep FIFO, as in a block RAM of an ECP5."""

_LATE = 1
"""Places that a deep FIFO needs besides: its counts are three cycles late, and what is in the last two
registers behind it has no place any more.
"""


GRACE = 2
"""Cycles in which there is still room for a word after a deep FIFO told that there is: a bus in front of it
decides in one whether a beat may be taken, and takes it in the next.
"""

AHEAD = GRACE + 2
"""Places that stay free where a register in front of a deep FIFO cannot wait, and the cycle that it adds."""


def choose_fifo(latency: int, interval: int, slots: int, depth: int, ahead: int = 0) -> Fifo:
    """The FIFO behind a core of `latency` cycles, which takes `slots` blocks every `interval` cycles.
    `depth`: places that the user asks for (0: as many as sustain the core's rate); `ahead`: places that a bus
    in front of it leaves free where the FIFO is deep, and cycles that it adds.
    """
    for few in _REGISTERS:
        if (depth or _needed(latency + few, interval, slots)) <= few:
            return Fifo(0, registers=few)
    shallow = Fifo(fifo_log2(latency + Fifo(0).latency, interval, slots, depth))
    if shallow.log2 < _DEEP_FROM:
        return shallow
    behind = latency + Fifo(0, True).latency + _LATE + ahead
    return Fifo(fifo_log2(behind, interval, slots, depth), True)


_REGISTERS = (2, 3)
"""Places of a FIFO that is registers in a row: a memory of four takes six lookup tables for every four bits,
and these take none. A register more for each bit is too much for a fourth place.
"""


def _needed(latency: int, interval: int, slots: int) -> int:
    """Places that sustain `slots` blocks every `interval` cycles, with this latency of the stream: one is
    free again for a block that is accepted a cycle later.
    """
    full, rest = divmod(latency + 1, interval)
    return full * slots + min(rest, slots)


def fifo_log2(latency: int, interval: int, slots: int, depth: int) -> int:
    """log2 of the FIFO's entries: `depth` rounded up, or what sustains `slots` blocks every `interval`
    cycles (0 = choose). `latency` of the stream.
    """
    return max(2, ((depth or _needed(latency, interval, slots)) - 1).bit_length())


def sustained_interval(latency: int, interval: int, slots: int, fifo: Fifo) -> int:
    """Cycles for `slots` blocks that `fifo` sustains: `interval`, or more where it is too small. `latency` of
    the stream.
    """
    latency += _LATE * fifo.deep
    if _needed(latency, interval, slots) <= fifo.places:
        return interval
    return -(-slots * (latency + 1 + (slots > 1) * interval) // fifo.places)


def outer(p: Pin) -> str:
    """The stream shell's name of the pin `p` of the core inside: what goes with a block has the prefix s_."""
    return f"s_{p.name}" if p.with_block else p.name


def stream_ports(
    ports: PortSet, pins: Sequence[Pin], slot: bool, beside: bool = False, flows: bool = False
) -> PortSet:
    """The ports of the shell around a core with `ports` and the `pins` beside its blocks: what goes with a
    block has the prefix s_. `slot`: a number of a stream leaves with the result; `beside`: bits go round the
    core with a block; `flows`: it tells ahead that there is room.
    """
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
        early="s_early_o" if flows else "",
        beside_in="s_beside_i" if beside else "",
        beside_out="m_beside_o" if beside else "",
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
    kinds = {f.module: f for f in (Fifo(0), Fifo(0, True), Fifo(0, registers=2))}
    cells = (i for m in modules for i in m.items if isinstance(i, Cell) and i.module in kinds)
    return tuple(
        _written(kinds[c.module], {name: int(value) for name, value in c.parameters.items()}) for c in cells
    )


def _written(kind: Fifo, parameters: Mapping[str, int]) -> WrittenModule:
    """The control of a FIFO of this kind, which has 2 ** DEPTH_LOG2 words of WIDTH bits, or PLACES."""
    log2, registers = parameters.get("DEPTH_LOG2", 0), parameters.get("PLACES", 0)
    fifo, width = replace(kind, log2=log2, registers=registers), parameters["WIDTH"]
    made = written_module(
        fifo.file,
        _control(width, parameters.get("BESIDE", 1), fifo.deep),
        fifo.flip_flops(width, parameters.get("BESIDE", 0), parameters.get("GRACE", 0)),
    )
    return replace(made, parameters=parameters)


def _control(width: int, beside: int, deep: bool) -> tuple[Group, ...]:
    """Ports of the control of a stream of `width` bits, with `beside` bits that go round, 1 at least."""
    asked = (Pin("zeroising_i"), Pin("s_early_o", out=True)) if deep else ()
    results = (Pin("m_data_o", width, True), Pin("m_beside_o", beside, True))
    return (
        ClockReset(),
        Held((Pin("zeroise_i"), Pin("core_ready_i"), *asked)),
        Stream("s_valid_i", (Pin("s_beside_i", beside),), "s_ready_o"),
        Stream("core_valid_o", (), out=True),
        Stream("core_valid_i", (Pin("core_data_i", width),)),
        Stream("m_valid_o", results, "m_ready_i", out=True),
    )


def stream_top(
    name: str,
    core: Part,
    pins: Sequence[Pin],
    fifo: Fifo,
    slot_bits: int = 0,
    beside: int = 0,
    flows: bool = False,
) -> Wrapper:
    """The module `name` with stream ports around `core` and the stream control, whose FIFO is `fifo`. A block
    and its `pins` are one word. `slot_bits` of the number of a stream's slot, which goes with the result.
    `beside`: bits that go round the core with a block. `flows`: in front of a deep FIFO is a register that
    cannot wait; then there is s_early_o too, and valid alone accepts a word: the register in front offers
    one only where it is accepted.

    A core may refuse a word by ready_o. In the time in which zeroising_o of it is 1, the FIFO forgets as
    well; with `flows` also in that of zeroise_i, and zeroising_o is 1 from the cycle behind that on.
    """
    ready, forgets = "ready_o" in core.pins, "zeroising_o" in core.pins
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
        "s_valid_i": "s_valid_i",
        "s_ready_o": "credit_ready",
        "core_valid_o": "core_valid",
        "core_ready_i": "core_ready" if ready else "1'b1",
        "core_valid_i": "result_valid",
        "core_data_i": "{slot_o, result}" if slot_bits else "result",
        "m_valid_o": "m_valid_o",
        "m_ready_i": "m_ready_i",
        "m_data_o": "{m_slot_o, m_block_o}" if slot_bits else "m_block_o",
        "s_beside_i": "1'b0",
        "m_beside_o": "beside",
    }
    width = block_bits + slot_bits
    parameters = {"WIDTH": width, **fifo.size}
    early = around = tuple[Pin, ...]()
    if beside:
        control |= {"s_beside_i": "s_beside_i", "m_beside_o": "m_beside_o"}
        parameters["BESIDE"] = beside
        payload, around = (*payload, Pin("s_beside_i", beside)), (Pin("m_beside_o", beside, True),)
    if fifo.deep:
        control |= {"zeroising_i": "1'b0", "s_early_o": "early"}
    if flows:
        control["s_early_o"] = "s_early_o"
        parameters |= {"GRACE": GRACE, "SURE": 1}
        early = (Pin("s_early_o", out=True),)
        if forgets:
            control |= {"zeroise_i": "zeroise_i", "zeroising_i": "zeroising"}
    unread = (*["early"] * (fifo.deep and not flows), *["beside"] * (not beside))
    answer = (Pin("m_block_o", block_bits, True), *slot, *around)
    results = Stream("m_valid_o", answer, "m_ready_i", out=True)
    return connect(
        name,
        (
            f"Stream ports around {core.name}: a word is accepted in a cycle in which valid and ready "
            "are both "
            f"1, on either side.",
        ),
        (
            ClockReset(),
            Stream("s_valid_i", (*payload, Pin("s_block_i", block_bits)), "s_ready_o"),
            Held((*held, *early)),
            results,
        ),
        (
            Wire(("core_valid", "result_valid", "credit_ready")),
            Wire(("result",), block_bits),
            *([Wire(("core_ready",))] if ready else []),
            *([Wire(unread, lint="only a bus reads it.")] if unread else []),
            *([Wire(("zeroising",))] if forgets else []),
            Drive("s_ready_o", f"credit_ready{' & core_ready' if ready else ''}"),
            Placed(core, "u_core", links),
            Placed(
                Part(fifo.module, _control(width, beside or 1, fifo.deep)),
                "u_stream",
                control,
                parameters,
            ),
        ),
        (
            *("clk", "rst_i", "s_valid_i", "s_ready_o", "s_block_i"),
            *(p.name for p in (*shown, *early)),
            *(["s_beside_i"] if beside else []),
            *(p.name for p in results.pins),
        ),
    )
