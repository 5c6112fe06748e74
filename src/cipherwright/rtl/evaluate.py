"""What a design computes, on many blocks at once: its modules are run as they will be printed.

Registers and delay lines are wires here, so a pipeline gives a block's result at once; a loop is run
iteration by iteration, and only the registers that end an iteration hold a value from one to the next.
When things happen is for others to check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ..graph import OPS, Table
from .module import (
    Assign,
    Bits,
    DelayLine,
    Design,
    Instance,
    Memory,
    Module,
    Part,
    Register,
    ValidLine,
    bits_read,
)

__all__ = ["DesignModel", "Lanes", "from_lanes", "to_lanes"]

Lanes = list[int]
"""A word of many blocks: one integer for each bit of the word, the least significant first; bit j of an
integer belongs to block j.
"""


def to_lanes(words: Sequence[int], width: int) -> Lanes:
    """The integers `words` (one a block) as lanes: the lowest `width` bits of each.

    >>> to_lanes([1, 2, 3], 2)  # bit 0 is 1 in blocks 0 and 2, bit 1 in blocks 1 and 2
    [5, 6]
    """
    return _turned(words, width)


def from_lanes(lanes: Lanes, blocks: int) -> list[int]:
    """The inverse of `to_lanes`: so many `blocks`, an integer each, of `lanes`."""
    return _turned(lanes, blocks)


def _turned(rows: Sequence[int], width: int) -> list[int]:
    """Rows and columns of bits exchanged: bit j of number k of the result is bit k of number j of `rows`."""
    mask = (1 << width) - 1
    digits = [f"{row & mask:0{width}b}" for row in reversed(rows)]
    return [int("".join(column), 2) for column in zip(*digits, strict=True)][::-1]


_Reader = Callable[[Mapping[str, Lanes], int], Lanes]
"""(values by signal, a lane of ones) -> the word that an operand is."""

_Step = tuple[str, Callable[[dict[str, Lanes], int], Any]]
"""The signal that an item of a module drives, and a reader that computes it; of an instance no signal, and
what gives the signals by name.
"""


class DesignModel:
    """A `design` over `blocks` blocks. `held_rank`: the rank of the registers, and of the last ones of delay
    lines, that hold their values from one run to the next, 0 at first (None: a pipeline, in which every
    register is a wire). `top` names another module than the design's last.
    """

    def __init__(self, design: Design, blocks: int, held_rank: int | None = None, top: str = "") -> None:
        self._modules = {m.name: m for m in design.modules}
        self._top = self._modules[top] if top else design.top
        self._blocks, self._full = blocks, (1 << blocks) - 1
        held = [
            i
            for i in self._top.items
            if isinstance(i, Register | DelayLine) and held_rank is not None and _rank(i) == held_rank
        ]
        self._held = {r.name: r for r in held}
        self._state: dict[str, Lanes] = {r.name: [0] * len(r.data) for r in held}
        self._readers = {r.name: _reader(r.data) for r in held}
        self._plans: dict[str, list[_Step]] = {}

    def run(self, inputs: Mapping[str, Lanes]) -> dict[str, Lanes]:
        """Outputs of the top by name. `inputs`: its inputs by name; those that are left out (clock and reset)
        are 0. Then the held registers take their new values. Raises ValueError where the logic has a loop.
        """
        values = self._evaluate(self._top, inputs, dict(self._state))
        self._state = {name: self._readers[name](values, self._full) for name in self._held}
        return self._outputs(values)

    def shown(self, inputs: Mapping[str, Lanes]) -> dict[str, Lanes]:
        """The outputs for `inputs` as `run` gives them, while registers keep their values."""
        return self._outputs(self._evaluate(self._top, inputs, dict(self._state)))

    def _outputs(self, values: Mapping[str, Lanes]) -> dict[str, Lanes]:
        return {p.name: values[p.name] for p in self._top.ports if p.direction == "output"}

    def _evaluate(self, m: Module, inputs: Mapping[str, Lanes], values: dict[str, Lanes]) -> dict[str, Lanes]:
        for p in m.ports:
            if p.direction == "input":
                values[p.name] = inputs.get(p.name, [0] * p.width)
        full = self._full
        for name, step in self._plan(m):
            if name:
                values[name] = step(values, full)
            else:
                values.update(step(values, full))
        return values

    def _plan(self, m: Module) -> list[_Step]:
        """Made once for each module: loops run theirs many times, and equal stages share theirs."""
        if m.name not in self._plans:
            held = frozenset(self._held) if m is self._top else frozenset[str]()
            items = [item for item in _ordered(m, held) if not isinstance(item, Memory)]
            self._plans[m.name] = [self._step(item, m) for item in items]
        return self._plans[m.name]

    def _step(self, item: Assign | Instance | Register | DelayLine | ValidLine, m: Module) -> _Step:
        if isinstance(item, Instance):
            return "", self._instance(item)
        if isinstance(item, Assign):
            return item.name, self._assign(item, m)
        read = _reader(item.data)
        if not isinstance(item, Register) or not item.clear:
            return item.name, read  # what a register or a delay line lets through
        clear = _reader((item.clear,))

        def cleared(values: Mapping[str, Lanes], full: int) -> Lanes:
            kept = ~clear(values, full)[0]
            return [lane & kept for lane in read(values, full)]

        return item.name, cleared

    def _instance(self, item: Instance) -> Callable[[Mapping[str, Lanes], int], dict[str, Lanes]]:
        """The signals that an instance drives."""
        module, reads = self._modules[item.module], [(port, _reader(bits)) for port, bits in item.inputs]

        def made(values: Mapping[str, Lanes], full: int) -> dict[str, Lanes]:
            found = self._evaluate(module, {port: read(values, full) for port, read in reads}, {})
            return {signal: found[port] for port, signal, _ in item.outputs}

        return made

    def _assign(self, a: Assign, m: Module) -> _Reader:
        """The result of an operation."""
        reads = [_reader(bits) for bits in a.operands]
        if a.op in ("wire", "again"):
            return reads[0]
        if a.op in ("lut", "lut4") and a.width == 1:
            of = _table(a.attr, len(reads))
            return lambda values, full: [of(full, *[read(values, full)[0] for read in reads])]
        if on_lanes := _ON_LANES.get(a.op):
            return lambda values, full: on_lanes(a, [read(values, full) for read in reads], full)
        if a.op in ("entry", "lookup"):
            table = a.attr if a.op == "lookup" else _contents(m, a.attr)
            return lambda values, full: self._lookup(table, reads[0](values, full))
        meaning = OPS[a.op].meaning

        def computed(values: Mapping[str, Lanes], full: int) -> Lanes:
            args = [read(values, full) for read in reads]
            columns, widths = [from_lanes(x, self._blocks) for x in args], [len(x) for x in args]
            return to_lanes(
                [meaning(a.attr, widths, row, a.width) for row in zip(*columns, strict=True)], a.width
            )

        return computed

    def _lookup(self, table: Table, address: Lanes) -> Lanes:
        return to_lanes([table.entries[x] for x in from_lanes(address, self._blocks)], table.width)


def _reader(bits: Bits) -> _Reader:
    """Reads the bits: neighbours in one signal at once, where that is worth it."""
    if len(bits) == 1 and bits[0][0]:
        [(signal, place)] = bits
        return lambda values, full: [values[signal][place]]
    runs: list[tuple[str, int, int]] = []
    for name, k in bits:
        if runs and name and runs[-1][0] == name and runs[-1][2] == k:
            runs[-1] = (name, runs[-1][1], k + 1)
        else:
            runs.append((name, k, k + 1))
    if 2 * len(runs) > len(bits):
        return lambda values, full: [values[name][k] if name else full * k for name, k in bits]

    def read(values: Mapping[str, Lanes], full: int) -> Lanes:
        out: Lanes = []
        for name, begin, end in runs:
            part = values[name][begin:end] if name else [full * begin]
            if len(part) != end - begin:
                raise IndexError(f"{name} has no bit {end - 1}")
            out += part
        return out

    return read


def _contents(m: Module, name: str) -> Table:
    """The table of a module's memory."""
    found: Table = next(i.table for i in m.items if isinstance(i, Memory) and i.name == name)
    return found


def _mux(a: Assign, args: list[Lanes], full: int) -> Lanes:
    select = args[0][0]
    return [(select & x) | (~select & y) for x, y in zip(args[1], args[2], strict=True)]


def _lut(a: Assign, args: list[Lanes], full: int) -> Lanes:
    """A truth table bit by bit; an argument of one bit is read for every bit."""
    of = _table(a.attr, len(args))
    words = [w if len(w) > 1 else w * a.width for w in args]
    return [of(full, *lanes) for lanes in zip(*words, strict=True)]


_ON_LANES: dict[str, Callable[[Assign, list[Lanes], int], Lanes]] = {
    "xor": lambda a, args, full: [x ^ y for x, y in zip(*args, strict=True)],
    "and": lambda a, args, full: [x & y for x, y in zip(*args, strict=True)],
    "or": lambda a, args, full: [x | y for x, y in zip(*args, strict=True)],
    "not": lambda a, args, full: [x ^ full for x in args[0]],
    "xor5": lambda a, args, full: [p ^ q ^ r ^ s ^ t for p, q, r, s, t in zip(*args, strict=True)],
    "mux": _mux,
    "muxf5": _mux,
    "muxf6": _mux,
    "lut": _lut,
    "lut4": _lut,
    "linear": lambda a, args, full: [_parity(args[0], row) for row in reversed(a.attr[1])],
}
"""Operations that work on lanes directly: the assignment, its arguments, and a lane of ones -> the result."""


def _parity(word: Lanes, row: int) -> int:
    out = 0
    for k in _ones(row):
        out ^= word[k]
    return out


@lru_cache(maxsize=1 << 12)
def _ones(row: int) -> tuple[int, ...]:
    """The numbers of the bits of a row that are 1."""
    return tuple(k for k in range(row.bit_length()) if row >> k & 1)


@cache
def _table(truth: int, arguments: int) -> Callable[..., int]:
    """A truth table over lanes as a function of a lane of ones and of the arguments, the most significant
    address bit first.
    """
    names = [f"x{k}" for k in range(arguments)]
    found: Callable[..., int] = eval(f"lambda {', '.join(['full', *names])}: {_formula(truth, names)}")
    return found


def _formula(truth: int, address: Sequence[str]) -> str:
    """A truth table over words as an expression of Python, by its halves.

    >>> _formula(0b0110, ["x0", "x1"]), _formula(0b1111, ["x0", "x1"])
    ('((0 ^ x1) ^ x0)', 'full')
    """
    if not address:
        return "full" if truth & 1 else "0"
    half = 1 << (len(address) - 1)
    low, high = truth & (1 << half) - 1, truth >> half
    select, *rest = address
    if low == high:
        return _formula(low, rest)
    if low ^ high == (1 << half) - 1:
        return f"({_formula(low, rest)} ^ {select})"
    return f"(({_formula(high, rest)} & {select}) | ({_formula(low, rest)} & ~{select}))"


def _rank(item: Register | DelayLine) -> int:
    """The rank of the registers, the last one of a delay line."""
    return item.rank if isinstance(item, Register) else item.end


def _ordered(m: Module, held: frozenset[str]) -> tuple[Part, ...]:
    """Items, each after those that it reads; registers in `held` are there from the start. Raises
    ValueError on a loop.
    """
    parts = m.parts
    maker = {name: place for place, item in enumerate(parts) for name in _driven(item) if name not in held}
    reads = {
        place: {maker[name] for name, _ in bits_read(item) if name in maker}
        for place, item in enumerate(parts)
        if not (isinstance(item, Register | DelayLine) and item.name in held)
    }
    try:
        return tuple(parts[place] for place in TopologicalSorter(reads).static_order())
    except CycleError as error:
        raise ValueError(f"module {m.name} has a loop through {parts[error.args[1][0]].name}") from error


def _driven(item: Part) -> list[str]:
    """The signals that an item drives."""
    return [signal for _, signal, _ in item.outputs] if isinstance(item, Instance) else [item.name]
