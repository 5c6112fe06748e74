"""What a piece of hardware is made of, before any syntax: the only types that know registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .timer import matches, steps_of, width_for

__all__ = [
    "Assign",
    "Bit",
    "Bits",
    "Comment",
    "DelayLine",
    "Design",
    "Instance",
    "Item",
    "Memory",
    "Module",
    "Part",
    "Port",
    "Register",
    "ValidLine",
    "bits_read",
]

Bit = tuple[str, int]
"""A signal's name and a bit of it; the name "" stands for the constant in the second place."""

Bits = tuple[Bit, ...]
"""Least significant first."""


@dataclass(frozen=True)
class Port:
    """A port of a module. `direction`: `input` or `output`; `name`; `width`: in bits; `partly`: some bits are
    not read (DES: the key's parity bits), which lint must accept.
    """

    direction: str
    name: str
    width: int
    partly: bool = False


@dataclass(frozen=True)
class Assign:
    """`name` (width bits) is operation `op` of the graph's table with `attr` over the operands; op "wire"
    copies; op "entry" reads the memory that attr names.
    """

    name: str
    width: int
    op: str
    operands: tuple[Bits, ...]
    attr: Any = None


@dataclass(frozen=True)
class Instance:
    """An instance `name` of `module`, with `inputs` (port, the bits that drive it) and `outputs` (port, the
    new signal that it drives, width).
    """

    module: str
    name: str
    inputs: tuple[tuple[str, Bits], ...]
    outputs: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Register:
    """Flip-flops of one rank, which take `data`; `name`: the signal. `reset`: cleared by rst_i. `keep`: a
    deliberate copy that synthesis must not merge. `clear`: a signal that clears them as well, where there is
    one.
    """

    name: str
    rank: int
    data: Bits
    reset: bool = False
    keep: bool = False
    clear: Bit | None = None


@dataclass(frozen=True)
class Memory:
    """A `table` as a memory `name` with its contents, which `Assign`s with op "entry" read."""

    name: str
    table: Any


@dataclass(frozen=True)
class DelayLine:
    """`depth` cycles of delay, 2 or more, of `data`, in `memory`: shift-register LUTs (`srl`), rings of
    distributed RAM (`ram`) or of block RAM (`bram`). `name`: the signal that comes out. `end`: the
    rank of the last register in whose place it is.
    """

    name: str
    depth: int
    data: Bits
    memory: str = "srl"
    end: int = -1

    def pieces(self) -> tuple[tuple[str, int], ...]:
        """What is in a row for it, as (`line`, `block`, `ring` or `register`, cycles): block RAM is
        for three cycles or more; a ring of distributed RAM delays by 2 to 17 cycles, and a single cycle
        that is left by a register.
        """
        if self.memory == "srl":
            return (("line", self.depth),)
        if self.memory == "bram" and self.depth > 2:
            return (("block", self.depth),)
        rest = self.depth % 17
        last = (("register" if rest == 1 else "ring", rest),) if rest else ()
        return (("ring", 17),) * (self.depth // 17) + last

    def flip_flops(self) -> int:
        """Flip-flops around it, its memory apart: of rings their counters, and in distributed RAM one a
        bit behind each.
        """
        found = 0
        for kind, depth in self.pieces():
            found += _block_flip_flops(depth) if kind == "block" else len(self.data) if kind != "line" else 0
            found += 4 if kind == "ring" else 0
        return found


def _block_flip_flops(depth: int) -> int:
    """Two addresses of a ring of block RAM of depth - 1 words, whether one is its last, and its pieces.

    A piece of one bit, where that bit is 1 in the place that it is compared with, is always the same bit of
    the address a cycle later, and synthesis makes one register of the two.
    """
    places, width = depth - 1, width_for(depth - 1)
    pieces = matches(width, steps_of(width, (2 * places - 3) % places, 0, True))
    doubled = pieces[-1].endswith(" == 1'd1") and places != 3
    return 2 * width + 1 + len(pieces) - doubled


@dataclass(frozen=True)
class ValidLine:
    """A valid bit, `data`, `depth` cycles later, as the signal `name`. Its registers have no reset: after
    one, what comes out is 0 until all that was inside has left. So it has no wires of the reset to the places
    through which it goes. `shift`: all of them but the last are in shift-register LUTs.
    """

    name: str
    depth: int
    data: Bits
    shift: bool = False

    def flip_flops(self) -> int:
        """Those of the line, of the time since reset and of what compares it."""
        width = width_for(self.depth)
        return (1 if self.shift else self.depth) + width + len(matches(width)) + 1


@dataclass(frozen=True)
class Comment:
    """What the items after it are, as a `text` for a line of comment."""

    text: str


Part = Assign | Instance | Register | DelayLine | ValidLine | Memory

Item = Part | Comment


def bits_read(item: Item) -> Bits:
    """What `item` reads, in the order of its operands; least significant bit first within each."""
    if isinstance(item, Assign):
        return tuple(bit for o in item.operands for bit in o)
    if isinstance(item, Instance):
        return tuple(bit for _, bits in item.inputs for bit in bits)
    if isinstance(item, Register):
        return (*item.data, item.clear) if item.clear else item.data
    return item.data if isinstance(item, DelayLine | ValidLine) else ()


@dataclass(frozen=True)
class Module:
    """One module: ports, items in order, and comment lines. `device`: a block of the device, whose
    registers are no flip-flops of the fabric. `asynchronous`: rst_i clears its registers at once, not at the
    clock. `packed`: results of one name and form are words of its text.
    """

    name: str
    ports: tuple[Port, ...]
    items: tuple[Item, ...]
    comment: tuple[str, ...] = ()
    device: bool = False
    asynchronous: bool = False
    packed: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """The items, comments apart."""
        return tuple(i for i in self.items if not isinstance(i, Comment))

    def partly_read(self) -> set[str]:
        """Words that an instance gives and of which some bits, but not all, are read."""
        read = {bit for item in self.items for bit in bits_read(item)}
        given = (
            (signal, width) for i in self.items if isinstance(i, Instance) for _, signal, width in i.outputs
        )
        return {
            signal for signal, width in given if 0 < sum((signal, k) in read for k in range(width)) < width
        }


@dataclass(frozen=True)
class Design:
    """`modules`, used ones first; the last is the top."""

    modules: tuple[Module, ...]

    @property
    def top(self) -> Module:
        """The outermost module."""
        return self.modules[-1]

    def flip_flops(self, name: str = "") -> int:
        """Flip-flops that the registers make (delay lines apart), or those of the module `name` alone: the
        prediction that mapping must meet. A module is counted once, and one that is a block of the device not
        at all.
        """
        chosen = [m for m in self.modules if not m.device and name in ("", m.name)]
        return sum(
            len(r.data) if isinstance(r, Register) else r.flip_flops()
            for m in chosen
            for r in m.items
            if isinstance(r, Register | ValidLine)
        )

    def valid_line_flip_flops(self) -> int:
        """Of these, the ones of valid lines, which go where nobody reads a valid bit."""
        return sum(v.flip_flops() for m in self.modules for v in m.items if isinstance(v, ValidLine))

    def delay_lines(self) -> dict[int, int]:
        """Depth -> bits kept in delay lines of that depth, those of valid lines in shift-register LUTs with
        them.
        """
        out: dict[int, int] = {}
        for m in self.modules:
            for d in m.items:
                if isinstance(d, DelayLine) or (isinstance(d, ValidLine) and d.shift):
                    depth = d.depth if isinstance(d, DelayLine) else d.depth - 1
                    out[depth] = out.get(depth, 0) + len(d.data)
        return out

    def ring_flip_flops(self) -> int:
        """Flip-flops of the delay lines as rings of RAM: one a bit behind every ring of 16
        words, and its counter; of block RAM the counter alone (its last cycle is the block's output
        register).
        """
        return sum(d.flip_flops() for m in self.modules for d in m.items if isinstance(d, DelayLine))

    def shift_luts(self) -> int:
        """Shift-register LUTs of 16 bits that the delay lines take."""
        return sum(-(-depth // 16) * bits for depth, bits in self.delay_lines().items())
