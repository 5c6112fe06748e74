"""What a design computes, on many blocks at once: its modules are run as they will be printed.

Registers and delay lines are wires here, so a pipeline gives a block's result at once; a loop is run
iteration by iteration, and only the registers that end an iteration hold a value from one to the next.
When things happen is for others to check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from ..graph import OPS, Table
from .module import Assign, Bits, Design, Instance, Memory, Module, Part, Register, bits_read

__all__ = ["DesignModel", "Lanes", "from_lanes", "to_lanes"]

Lanes = list[int]
"""A word of many blocks: one integer for each bit of the word, the least significant first; bit j of an
integer belongs to block j.
"""


def to_lanes(words: Sequence[int], width: int) -> Lanes:
    """Words (one a block) as lanes."""
    return [sum((w >> k & 1) << j for j, w in enumerate(words)) for k in range(width)]


def from_lanes(lanes: Lanes, blocks: int) -> list[int]:
    """The inverse of `to_lanes`."""
    return [sum((lane >> j & 1) << k for k, lane in enumerate(lanes)) for j in range(blocks)]


class DesignModel:
    """A design over `blocks` blocks. `held_rank`: the rank of the registers that hold their values from
    one run to the next (None: a pipeline, in which every register is a wire). `top` names another module
    than the design's last.
    """

    def __init__(self, design: Design, blocks: int, held_rank: int | None = None, top: str = "") -> None:
        self._modules = {m.name: m for m in design.modules}
        self._top = self._modules[top] if top else design.top
        self._blocks, self._full = blocks, (1 << blocks) - 1
        held = (
            [i for i in self._top.items if isinstance(i, Register) and i.rank == held_rank]
            if held_rank is not None
            else []
        )
        self._held = {r.name: r for r in held}
        self._state: dict[str, Lanes] = {r.name: [0] * len(r.data) for r in held}

    def run(self, inputs: Mapping[str, Lanes]) -> dict[str, Lanes]:
        """Outputs of the top by name. `inputs`: its inputs by name; those that are left out (clock and
        reset) are 0.
        """
        values = self._evaluate(self._top, inputs, dict(self._state))
        self._state = {name: _gather(values, r.data, self._full) for name, r in self._held.items()}
        return self._outputs(values)

    def shown(self, inputs: Mapping[str, Lanes]) -> dict[str, Lanes]:
        """The outputs as `run` gives them, while registers keep their values."""
        return self._outputs(self._evaluate(self._top, inputs, dict(self._state)))

    def _outputs(self, values: Mapping[str, Lanes]) -> dict[str, Lanes]:
        return {p.name: values[p.name] for p in self._top.ports if p.direction == "output"}

    def _evaluate(self, m: Module, inputs: Mapping[str, Lanes], values: dict[str, Lanes]) -> dict[str, Lanes]:
        for p in m.ports:
            if p.direction == "input":
                values[p.name] = inputs.get(p.name, [0] * p.width)
        for item in _ordered(m, frozenset(self._held) if m is self._top else frozenset()):
            if isinstance(item, Instance):
                inner = self._modules[item.module]
                given = {port: _gather(values, bits, self._full) for port, bits in item.inputs}
                made = self._evaluate(inner, given, {})
                for port, signal, _ in item.outputs:
                    values[signal] = made[port]
            elif isinstance(item, Assign):
                args = [_gather(values, bits, self._full) for bits in item.operands]
                values[item.name] = self._apply(item, args, m)
            elif not isinstance(item, Memory):
                values[item.name] = _gather(values, item.data, self._full)
                if isinstance(item, Register) and item.clear:
                    (clear,) = _gather(values, (item.clear,), self._full)
                    values[item.name] = [lane & ~clear for lane in values[item.name]]
        return values

    def _apply(self, a: Assign, args: list[Lanes], m: Module) -> Lanes:
        full = self._full
        match a.op:
            case "wire" | "again":
                return args[0]
            case "xor":
                return [x ^ y for x, y in zip(*args, strict=True)]
            case "and":
                return [x & y for x, y in zip(*args, strict=True)]
            case "or":
                return [x | y for x, y in zip(*args, strict=True)]
            case "not":
                return [x ^ full for x in args[0]]
            case "xor5":
                return [p ^ q ^ r ^ s ^ t for p, q, r, s, t in zip(*args, strict=True)]
            case "mux" | "muxf5" | "muxf6":
                s = args[0][0]
                return [(s & x) | (~s & y) for x, y in zip(args[1], args[2], strict=True)]
            case "lut" | "lut4":
                return [
                    _table(a.attr, [w[k] if len(w) > 1 else w[0] for w in reversed(args)], full)
                    for k in range(a.width)
                ]
            case "linear":
                return [_parity(args[0], row) for row in reversed(a.attr[1])]
            case "entry":
                return self._lookup(
                    next(i.table for i in m.items if isinstance(i, Memory) and i.name == a.attr), args[0]
                )
            case "lookup":
                return self._lookup(a.attr, args[0])
        columns = [from_lanes(x, self._blocks) for x in args]
        widths = [len(x) for x in args]
        return to_lanes(
            [OPS[a.op].meaning(a.attr, widths, row, a.width) for row in zip(*columns, strict=True)], a.width
        )

    def _lookup(self, table: Table, address: Lanes) -> Lanes:
        return to_lanes([table.entries[x] for x in from_lanes(address, self._blocks)], table.width)


def _gather(values: Mapping[str, Lanes], bits: Bits, full: int) -> Lanes:
    return [values[name][k] if name else full * k for name, k in bits]


def _parity(word: Lanes, row: int) -> int:
    out = 0
    for k, lane in enumerate(word):
        if row >> k & 1:
            out ^= lane
    return out


def _table(truth: int, address: Sequence[int], full: int) -> int:
    """A truth table over lanes, the least significant address bit first."""
    if not address:
        return full if truth & 1 else 0
    half = 1 << (len(address) - 1)
    low, high = truth & (1 << half) - 1, truth >> half
    rest = address[:-1]
    if low == high:
        return _table(low, rest, full)
    select = address[-1]
    if low ^ high == (1 << half) - 1:
        return _table(low, rest, full) ^ select
    return (_table(high, rest, full) & select) | (_table(low, rest, full) & ~select)


@cache
def _ordered(m: Module, held: frozenset[str]) -> tuple[Part, ...]:
    """Items, each after those that it reads; registers in `held` are there from the start. Raises
    ValueError on a loop.
    """
    maker: dict[str, Part] = {}
    for item in m.parts:
        names = [signal for _, signal, _ in item.outputs] if isinstance(item, Instance) else [item.name]
        maker.update({n: item for n in names if n not in held})
    order: list[Part] = []
    mark: dict[int, int] = {}
    for root in m.parts:
        if isinstance(root, Register) and root.name in held:
            continue
        stack = [root]
        while stack:
            item = stack[-1]
            if mark.get(id(item)) == 2:
                stack.pop()
                continue
            todo = [
                maker[n]
                for n in dict.fromkeys(name for name, _ in bits_read(item))
                if n in maker and mark.get(id(maker[n])) != 2
            ]
            if mark.get(id(item)) == 1 and todo:
                raise ValueError(f"module {m.name} has a loop through {todo[0].name}")
            mark[id(item)] = 1
            if todo:
                stack += todo
            else:
                mark[id(item)] = 2
                order.append(item)
                stack.pop()
    return tuple(order)
