"""An elaborated core as a program over bits: gates and calls of modules in an order in which they can be
evaluated.

Registers are wires (of a pipeline, after a check that every path has the same number of them) or state.
Modules of a fair size stay modules, which are called once for each instance; what is smaller or larger,
and where registers are state what has some, is taken into the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import CheckFailed
from ..netlist import FLIP_FLOP, GATES, Netlist

__all__ = ["Delays", "Gate", "Leaf", "Program", "check_depths", "clocked_program", "wired_program"]

_SMALLEST, _LARGEST = 64, 8000
"""Gates of a module that is a function of its own."""

Delays = Mapping[str, int]
"""Modules that are delay lines (proven to be so) and the cycles that each takes from d to q."""


Wires = Mapping[str, Sequence[Any]]
"""What is connected to each port of an instance."""


@dataclass(frozen=True)
class Gate:
    """A Yosys gate, or where `kind` names a leaf, an instance of it: it makes the bits `outs` from the bits
    `ins`. Bits are integers; 0 and 1 are the constants.
    """

    kind: str
    outs: tuple[int, ...]
    ins: tuple[int, ...]


@dataclass(frozen=True)
class Leaf:
    """The module `name` by itself, with the bits of its inputs (`ins`) and outputs (`outs`), ports one after
    the other, least significant bit first; its `gates` in order of evaluation; its `registers` (output bit ->
    data bit, cycles) as wires.
    """

    name: str
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    gates: tuple[Gate, ...]
    registers: Mapping[int, tuple[int, int]]


@dataclass(frozen=True)
class Program:
    """A core as gates over bits, in an order in which they can be evaluated. `registers`: output bit -> (data
    bit, cycles from one to the other); where they are wires they are resolved in `gates` already. `inputs`
    and `outputs`: bits of ports, least significant first. `leaves`: modules that gates call, by name. `names`
    of bits, for messages.
    """

    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    gates: tuple[Gate, ...]
    leaves: Mapping[str, Leaf]
    registers: Mapping[int, tuple[int, int]]
    names: Mapping[int, str]


class _Flattener:
    """The parts of a hierarchy that are taken into one module. Net numbers are new ones."""

    def __init__(self, modules: Mapping[str, Netlist], keep: Callable[[str], bool], delays: Delays) -> None:
        self.modules, self.keep, self.delays = modules, keep, delays
        self.gates: list[Gate] = []
        self.registers: dict[int, tuple[int, int]] = {}
        self.clocks: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.count = 2

    def fresh(self) -> int:
        self.count += 1
        return self.count - 1

    def root(self, name: str) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """Take in the module `name`; its input and output ports."""
        m = self.modules[name]
        inputs = {port: tuple(self.fresh() for _ in bits) for port, bits in m.inputs.items()}
        bound = {b: n for port, bits in m.inputs.items() for b, n in zip(bits, inputs[port], strict=True)}
        self._module(m, bound, "")
        return inputs, {port: tuple(self._bit(b, bound) for b in bits) for port, bits in m.outputs.items()}

    def _bit(self, bit: Any, bound: dict[Any, int]) -> int:
        """The new number of a module's bit, given one now where it has none yet."""
        if bit in bound:
            return bound[bit]
        if bit in ("0", "1"):
            return int(bit)
        if not isinstance(bit, int):
            raise CheckFailed(f"the core reads a bit that is {bit}")
        bound[bit] = self.fresh()
        return bound[bit]

    def _module(self, m: Netlist, bound: dict[Any, int], path: str) -> None:
        for name, cell in m.cells.items():
            kind, wires = cell["type"], cell["connections"]
            if kind in GATES:
                self.gates.append(
                    Gate(
                        kind,
                        (self._bit(wires["Y"][0], bound),),
                        tuple([self._bit(wires[p][0], bound) for p in GATES[kind]]),
                    )
                )
            elif kind == FLIP_FLOP:
                q = self._bit(wires["Q"][0], bound)
                self.registers[q] = (self._bit(wires["D"][0], bound), 1)
                self.clocks[q] = self._bit(wires["C"][0], bound)
                self.names[q] = path + m.names.get(wires["Q"][0], name)
            elif kind in self.modules:
                self._instance(kind, wires, bound, f"{path}{name}.")
            else:
                raise CheckFailed(f"{path}{name} is a cell {kind}, which bulk simulation does not know")

    def _instance(self, kind: str, wires: Wires, bound: dict[Any, int], path: str) -> None:
        if kind in self.delays:
            self._delay_line(kind, wires, bound, path)
        elif self.keep(kind):
            self._called(kind, wires, bound, path)
        else:
            self._taken_in(kind, wires, bound, path)

    def _given(self, m: Netlist, wires: Wires, bound: dict[Any, int]) -> dict[str, list[int]]:
        """The bits at the inputs of an instance."""
        return {p: [self._bit(b, bound) for b in wires[p]] for p in m.inputs}

    def _delay_line(self, kind: str, wires: Wires, bound: dict[Any, int], path: str) -> None:
        """A delay line as registers of its depth."""
        for q, d in zip(wires["q"], wires["d"], strict=True):
            new = self._bit(q, bound)
            self.registers[new] = (self._bit(d, bound), self.delays[kind])
            self.clocks[new], self.names[new] = self._bit(wires["clk"][0], bound), f"{path}q"

    def _called(self, kind: str, wires: Wires, bound: dict[Any, int], path: str) -> None:
        """A module that stays one, as a gate. An output that nobody reads has a bit of its own."""
        m = self.modules[kind]
        given = self._given(m, wires, bound)
        outs = [self._bit(b, bound) for p in m.outputs for b in wires.get(p, [])]
        if len(outs) != sum(map(len, m.outputs.values())):
            outs = [
                self._bit(b, bound) if p in wires else self.fresh()
                for p, bits in m.outputs.items()
                for b in wires.get(p, bits)
            ]
        self.gates.append(Gate(kind, tuple(outs), tuple(b for p in m.inputs for b in given[p])))
        if "clk" in given:
            self.clocks[outs[0]], self.names[outs[0]] = given["clk"][0], path + next(iter(m.outputs))

    def _taken_in(self, kind: str, wires: Wires, bound: dict[Any, int], path: str) -> None:
        """The parts of an instance."""
        m = self.modules[kind]
        given = self._given(m, wires, bound)
        inner = {b: n for p, bits in m.inputs.items() for b, n in zip(bits, given[p], strict=True)}
        for p, bits in m.outputs.items():
            for b, out in zip(bits, wires.get(p, []), strict=False):
                new = self._bit(out, bound)
                if b in inner or not isinstance(b, int):  # also an input, a constant, or another output
                    self.gates.append(Gate("$_BUF_", (new,), (self._bit(b, inner),)))
                else:
                    inner[b] = new
        self._module(m, inner, path)


def _ordered(
    gates: Iterable[Gate],
    wires: Mapping[int, int],
    roots: Iterable[int],
    given: Iterable[int],
    names: Mapping[int, str],
) -> list[Gate]:
    """The gates that the roots depend on, drivers before readers. `wires`: bits that are others; `given`:
    bits that need no driver.
    """
    order = _Order(gates, wires, given, names)
    for root in roots:
        order.visit(root)
    return order.gates


class _Order:
    """`gates` in an order in which they can be evaluated, as far as roots that were visited need them."""

    def __init__(
        self, gates: Iterable[Gate], wires: Mapping[int, int], given: Iterable[int], names: Mapping[int, str]
    ) -> None:
        self.driver = {out: g for g in gates for out in g.outs}
        self.wires, self.names = wires, names
        self.done: set[int] = {0, 1, *given}
        self.placed: set[int] = set()
        self.open: set[int] = set()
        self.gates: list[Gate] = []

    def visit(self, root: int) -> None:
        """Add what a bit depends on. Raises CheckFailed on a loop, and where nothing drives a bit."""
        stack = [root]
        while stack:
            bit = stack[-1]
            todo = [] if bit in self.done else [b for b in self._before(bit) if b not in self.done]
            if not todo:
                stack.pop()
                self._finish(bit)
            elif bit in self.open:
                raise CheckFailed(f"the core has a loop through {self.names.get(bit, f'net {bit}')}")
            else:
                self.open.add(bit)
                stack.extend(todo)

    def _before(self, bit: int) -> Sequence[int]:
        """The bits that a bit is made from."""
        gate = self.driver.get(bit)
        if gate is not None:
            return gate.ins
        if bit not in self.wires:
            raise CheckFailed(f"nothing drives {self.names.get(bit, f'net {bit}')}")
        return (self.wires[bit],)

    def _finish(self, bit: int) -> None:
        """Add the gate of a bit whose inputs are there, once."""
        self.open.discard(bit)
        gate = self.driver.get(bit)
        if bit in self.done or gate is None:
            self.done.add(bit)
            return
        self.done.update(gate.outs)
        if id(gate) not in self.placed:
            self.placed.add(id(gate))
            self.gates.append(gate)


def _leaf(modules: Mapping[str, Netlist], name: str, delays: Delays, wired: bool) -> Leaf | None:
    """A module as a function; None where it is none."""
    f = _Flattener(modules, lambda kind: False, delays)
    inputs, outputs = f.root(name)
    if not _SMALLEST <= len(f.gates) <= _LARGEST or (f.registers and not wired):
        return None
    _check_clocks(f, inputs.get("clk", (-1,))[0], "clk")
    ins = tuple(b for bits in inputs.values() for b in bits)
    outs = tuple(b for bits in outputs.values() for b in bits)
    order = _ordered(f.gates, {q: d for q, (d, _) in f.registers.items()}, outs, ins, f.names)
    return Leaf(name, ins, outs, tuple(order), f.registers)


def _check_clocks(f: _Flattener, tick: int, clock: str) -> None:
    for q, c in f.clocks.items():
        if c != tick:
            raise CheckFailed(f"{f.names[q]} does not follow the clock {clock}")


def _program(modules: Mapping[str, Netlist], top: str, clock: str, delays: Delays, wired: bool) -> Program:
    leaves: dict[str, Leaf | None] = {}

    def keep(kind: str) -> bool:
        if kind not in leaves:
            leaves[kind] = _leaf(modules, kind, delays, wired)
        return leaves[kind] is not None

    try:
        return _flat(modules, top, clock, delays, wired, keep, leaves)
    except CheckFailed as e:
        if "loop through" not in str(e):
            raise
        # A module called as a whole may be part of a loop where none of its gates does.
        return _flat(modules, top, clock, delays, wired, lambda kind: False, leaves)


def _flat(
    modules: Mapping[str, Netlist],
    top: str,
    clock: str,
    delays: Delays,
    wired: bool,
    keep: Callable[[str], bool],
    leaves: Mapping[str, Leaf | None],
) -> Program:
    f = _Flattener(modules, keep, delays)
    inputs, outputs = f.root(top)
    _check_clocks(f, inputs[clock][0], clock)
    given = [b for bits in inputs.values() for b in bits]
    names = f.names | {b: f"{p}[{k}]" for p, bits in inputs.items() for k, b in enumerate(bits)}
    results = [b for bits in outputs.values() for b in bits]
    if wired:
        order = _ordered(f.gates, {q: d for q, (d, _) in f.registers.items()}, results, given, names)
        registers = f.registers
    else:
        if any(cycles != 1 for _, cycles in f.registers.values()):
            raise CheckFailed("a delay line in a loop is not known to bulk simulation")
        registers = _live(f, results)
        order = _ordered(
            f.gates, {}, [*results, *(d for d, _ in registers.values())], [*given, *registers], names
        )
    used = {g.kind for g in order}
    return Program(
        inputs,
        outputs,
        tuple(order),
        {n: leaf for n, leaf in leaves.items() if leaf and n in used},
        registers,
        names,
    )


def _live(f: _Flattener, roots: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Registers on which the roots depend, at once or in later cycles."""
    driver = {out: g for g in f.gates for out in g.outs}
    seen, stack = set[int](), list(roots)
    while stack:
        bit = stack.pop()
        if bit in seen:
            continue
        seen.add(bit)
        if bit in f.registers:
            stack.append(f.registers[bit][0])
        elif bit in driver:
            stack.extend(driver[bit].ins)
    return {q: r for q, r in f.registers.items() if q in seen}


_NO_DELAYS: Delays = {}


def wired_program(
    modules: Mapping[str, Netlist], top: str, clock: str, delays: Delays = _NO_DELAYS
) -> Program:
    """The pipeline `top` of `modules` with its registers as wires: call `check_depths` before it is believed.
    `clock`: the port that registers follow; `delays`: modules that are delay lines, and their cycles. Raises
    CheckFailed with what is no such core.
    """
    return _program(modules, top, clock, delays, True)


def clocked_program(modules: Mapping[str, Netlist], top: str, clock: str, whole: bool = False) -> Program:
    """The core `top` of `modules`, whose registers follow the port `clock`; with `whole`, all of its gates
    without leaves. Raises CheckFailed with what is no such core.
    """
    return (
        _flat(modules, top, clock, {}, False, lambda kind: False, {})
        if whole
        else _program(modules, top, clock, {}, False)
    )


def check_depths(
    p: Program, latency: int, early: Mapping[str, int], free: Iterable[str], outputs: Iterable[str]
) -> None:
    """Every path of `p` from an input to one of `outputs` has the same number of registers, `latency`, so
    evaluating a pipeline with wires in their place gives a block's result and nothing of another's. `early`:
    inputs that come before the others, and by how many cycles; `free`: inputs that are held. Raises
    CheckFailed with the first net that differs.
    """
    depth: dict[int, int | None] = {0: None, 1: None}
    for name, bits in p.inputs.items():
        depth.update(dict.fromkeys(bits, None if name in free else -early.get(name, 0)))
    cones = {name: _cones(leaf) for name, leaf in p.leaves.items()}

    def through(bit: int) -> int | None:
        """Depth of a bit that may be a register."""
        chain = []
        while bit not in depth and bit in p.registers:
            chain.append(bit)
            bit = p.registers[bit][0]
        value = depth[bit]
        for q in reversed(chain):
            value = None if value is None else value + p.registers[q][1]
            depth[q] = value
        return value

    for gate in p.gates:
        at = [through(b) for b in gate.ins]
        for k, out in enumerate(gate.outs):
            cone = cones[gate.kind][k] if gate.kind in cones else [(i, 0) for i in range(len(at))]
            here = {d + more for i, more in cone if (d := at[i]) is not None}
            if len(here) > 1:
                where = ", ".join(sorted({p.names.get(gate.ins[i], "a gate") for i, _ in cone})[:3])
                raise CheckFailed(
                    f"bits of different blocks meet: {min(here)} and {max(here)} registers from the ports "
                    f"(at {where})"
                )
            depth[out] = here.pop() if here else None
    for name in outputs:
        for bit in p.outputs[name]:
            if (found := through(bit)) not in (None, latency):
                raise CheckFailed(f"output {name} comes after {found} registers, the core promises {latency}")


def _cones(leaf: Leaf) -> list[list[tuple[int, int]]]:
    """For every output of a leaf, the inputs that it depends on, and the registers on the way (each number
    that there is).
    """
    reached: dict[int, dict[int, int]] = {0: {}, 1: {}} | {b: {0: 1 << k} for k, b in enumerate(leaf.ins)}

    def through(bit: int) -> dict[int, int]:
        """Registers on the way -> inputs, as bits of a number."""
        chain = []
        while bit not in reached:
            chain.append(bit)
            bit = leaf.registers[bit][0]
        found = reached[bit]
        for q in reversed(chain):
            found = {d + leaf.registers[q][1]: mask for d, mask in found.items()}
            reached[q] = found
        return found

    for g in leaf.gates:
        total: dict[int, int] = {}
        for b in g.ins:
            for d, mask in through(b).items():
                total[d] = total.get(d, 0) | mask
        reached[g.outs[0]] = total
    return [
        [(k, d) for d, mask in through(b).items() for k in range(len(leaf.ins)) if mask >> k & 1]
        for b in leaf.outs
    ]
