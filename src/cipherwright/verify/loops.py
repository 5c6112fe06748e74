"""Proof of an iterative core for every block after every history.

A loop of S stages has S blocks in flight, each in a slot that goes round the ranks. Control is what ready
and valid depend on, through logic and registers; which registers that are is found from the netlist, not
from their names. No data reach control. Every control register has a place: the number of cycles, modulo
S, since the slot that it holds could take a block. Control at a place depends on control at the place
before alone, so the states in which a slot's control can be are enumerated place by place: from what a
cycle of reset leaves, under any offers, with resets at any time. In all of them, results are announced
exactly `latency` cycles after a block was taken and at no other time, and no block is taken while the slot
still computes.

Then data: a block is taken in any of the states in which that happens. Everything but the slot's own
control may have any value: all data, other slots, a counter or a flag that somebody hid. What comes out
must be the cipher's value of that block all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arch import KeyMemory
from ..errors import CheckFailed
from ..shell import PortSet
from .aig import FALSE, TRUE, Aig, graph_to_aig
from .cuts import Comparison
from .delay_lines import KEPT, as_ranks, with_delays
from .equivalence import (
    Claim,
    Proof,
    compare,
    directions,
    flip_flops,
    spec_inputs,
    topological,
)
from .live import UNKNOWN, Live, settled
from .netlist import FLIP_FLOP, GATES, Netlist, in_bits, out_bits, read_netlist
from .reads import Reads, memory_inputs

__all__ = ["prove_iterative"]

_MOST_STATES = 1 << 14
_MOST_INPUTS = 6

Word = tuple[int, ...]


@dataclass(frozen=True)
class _Visit:
    """A slot at a place: its control word, and how many cycles ago it took the block that it computes (-1:
    it computes none).
    """

    place: int
    word: Word
    age: int


class _Control:
    """The control of a loop: registers by place, and one step of a slot."""

    def __init__(self, n: Netlist, ports: PortSet, slots: int) -> None:
        self.n, self.slots = n, slots
        self.ready, self.valid = n.outputs[ports.ready_out][0], n.outputs[ports.valid_out][0]
        self.reset, self.offer = n.inputs[ports.reset][0], n.inputs[ports.valid_in][0]
        self.data = {
            c["connections"]["Q"][0]: c["connections"]["D"][0]
            for c in n.cells.values()
            if c["type"] == FLIP_FLOP
        }
        self.driver = {b: c for c in n.cells.values() for b in out_bits(c)}
        order = topological(n, through_ff=False)
        self.fixed = settled((n.cells[name] for name in order), {})
        cone = self._cone([self.ready, self.valid])
        self.registers = [q for q in self.data if q in cone]
        self.steps = [
            n.cells[name]
            for name in order
            if n.cells[name]["type"] in GATES and n.cells[name]["connections"]["Y"][0] in cone
        ]
        owner = {b: name for name, bits in n.inputs.items() for b in bits}
        self.inputs = sorted(b for b in cone if b in owner)
        if wrong := next((owner[b] for b in self.inputs if b not in (self.reset, self.offer)), None):
            raise CheckFailed(f"{ports.ready_out} or {ports.valid_out} depends on {wrong}, which is data")
        self._clear(order)
        self._find_places()

    def _cone(self, roots: Iterable[Any], through: bool = True) -> set[Any]:
        """Bits that roots depend on, themselves included; `through` registers, or up to them. Constant
        bits are left out.
        """
        seen, todo = set[Any](), list(roots)
        while todo:
            bit = todo.pop()
            if bit in seen or self.fixed.get(bit, UNKNOWN) <= TRUE:
                continue
            seen.add(bit)
            cell = self.driver.get(bit)
            if cell is not None and (through or cell["type"] != FLIP_FLOP):
                todo += in_bits(cell)
        return seen

    def _clear(self, order: Sequence[str]) -> None:
        """What one cycle of reset leaves in the registers, whatever was before."""
        after = settled((self.n.cells[name] for name in order), {self.reset: TRUE})
        self.cleared = {q: after.get(self.data[q], UNKNOWN) for q in self.registers}
        if stays := next((q for q, v in self.cleared.items() if v > TRUE), None):
            raise CheckFailed(f"reset does not clear {self.n.name(stays)}, which says when a result is there")

    def _find_places(self) -> None:
        """A place for every register: one more than that of the registers before it."""
        before = {q: self._cone([self.data[q]], through=False) for q in self.registers}
        inside = set(self.registers)
        place = {q: 1 % self.slots for q in self.registers if self.offer in before[q]}
        after: dict[Any, list[Any]] = {}
        for q in self.registers:
            for b in before[q] & inside:
                after.setdefault(b, []).append(q)
        todo = list(place)
        while todo:
            b = todo.pop()
            for q in (q for q in after.get(b, []) if q not in place):
                place[q] = (place[b] + 1) % self.slots
                todo.append(q)
        for q in self.registers:
            self._check_place(q, place, before[q] & inside)
        self.groups = [[q for q in self.registers if place[q] == p] for p in range(self.slots)]
        self.ready_place = self._place_of(self.ready, place)
        self.valid_place = self._place_of(self.valid, place)
        if self.ready_place:
            raise CheckFailed("ready does not tell of the slot that takes the block")

    def _check_place(self, q: Any, place: Mapping[Any, int], before: Iterable[Any]) -> None:
        """Raise CheckFailed unless register q has a place, and those before it the place before."""
        if q not in place:
            raise CheckFailed(
                f"{self.n.name(q)} says when a result is there, but no block's coming can reach it"
            )
        if any((place.get(b, -1) + 1 - place[q]) % self.slots for b in before):
            raise CheckFailed(f"control of different blocks meets at {self.n.name(q)}")

    def _place_of(self, output: Any, place: Mapping[Any, int]) -> int:
        cone = self._cone([output], through=False)
        found = {place[b] for b in cone if b in place}
        if len(found) != 1 or self.offer in cone:
            raise CheckFailed("ready and valid depend on registers of one slot alone, or should")
        return found.pop()

    def values(self, place: int, word: Word, offered: int, reset: int = FALSE) -> dict[Any, int]:
        """Control bits in a cycle; those that belong to other slots are unknown."""
        word_bits = dict(zip(self.groups[place], word, strict=True))
        return settled(self.steps, {self.reset: reset, self.offer: offered, **word_bits}, self.fixed)

    def read(self, value: Mapping[Any, int], bit: Any) -> int:
        return value.get(bit, self.fixed.get(bit, UNKNOWN))

    def start(self, place: int) -> Word:
        return tuple(self.cleared[q] for q in self.groups[place])


def _explore(control: _Control, latency: int) -> dict[Word, set[int]]:
    """All that a slot can be, checked: results are announced `latency` cycles after a block was taken and
    at no other time. Returns the words in which a block can be taken, with the ages (-1 or `latency`) at
    which.
    """
    todo = [_Visit(p, control.start(p), -1) for p in range(control.slots)]
    seen, taking = set(todo), dict[Word, set[int]]()
    while todo:
        v = todo.pop()
        if len(seen) > _MOST_STATES * control.slots:
            raise CheckFailed("the core's control has too many states")
        for offered in (FALSE, TRUE) if v.place == 0 else (UNKNOWN,):
            taken, new = _next(control, v, offered, latency)
            if taken:
                taking.setdefault(v.word, set()).add(v.age)
            if new not in seen:
                seen.add(new)
                todo.append(new)
    if not taking:
        raise CheckFailed("an idle core does not take a block")
    return taking


def _next(control: _Control, v: _Visit, offered: int, latency: int) -> tuple[bool, _Visit]:
    """Whether a slot takes the block that is offered, and what it is in the next cycle. Raises CheckFailed
    where ready or valid is not what it must be.
    """
    value = control.values(v.place, v.word, offered)
    if v.place == control.valid_place:
        _check_valid(control.read(value, control.valid), v.age, latency)
    taken = (
        v.place == 0 and _ready(control, v, control.read(value, control.ready), latency) and offered == TRUE
    )
    place = (v.place + 1) % control.slots
    after = tuple(control.read(value, control.data[q]) for q in control.groups[place])
    if UNKNOWN in after:
        raise CheckFailed("the control of a slot depends on another slot")
    age = 1 if taken else -1 if v.age in (-1, latency) else v.age + 1
    return taken, _Visit(place, after, age)


def _check_valid(valid: int, age: int, latency: int) -> None:
    """Raise CheckFailed unless a result is announced `latency` cycles after its block was taken, and at no
    other time.
    """
    if valid != (TRUE if age == latency else FALSE):
        when = (
            "no result is there"
            if age < 0
            else f"{age} cycles after a block was taken, {latency} are promised"
        )
        raise CheckFailed(f"valid is not what it should be: {when}")


def _ready(control: _Control, v: _Visit, ready: int, latency: int) -> bool:
    """Whether a slot is ready for a block. Raises CheckFailed where it is while it computes one, or is not
    though it is idle.
    """
    if ready > TRUE:
        raise CheckFailed("ready depends on more than the slot's own control")
    if ready == TRUE and 0 <= v.age < latency:
        raise CheckFailed(f"a block can be taken {v.age} cycles after another, while that is computed")
    if ready == FALSE and v.age < 0 and v.word == control.start(0):
        raise CheckFailed("an idle core does not take a block")
    return ready == TRUE


def _alike(control: _Control, cube: Sequence[int | None]) -> bool:
    """Whether a slot in any of the words takes a block, and has the same control an iteration later."""
    word = tuple(UNKNOWN if b is None else b for b in cube)
    for place in range(control.slots):
        value = control.values(place, word, TRUE if place == 0 else UNKNOWN)
        if place == 0 and control.read(value, control.ready) != TRUE:
            return False
        word = tuple(
            control.read(value, control.data[q]) for q in control.groups[(place + 1) % control.slots]
        )
    return UNKNOWN not in word


def _cubes(control: _Control, taking: Mapping[Word, set[int]]) -> list[tuple[int | None, ...]]:
    """Words in which a block can be taken, together where one iteration makes the same of them: constants,
    and None for bits that may be either.
    """
    cubes: list[tuple[int | None, ...]] = []
    for age in sorted({a for ages in taking.values() for a in ages}):
        words = [w for w, ages in taking.items() if age in ages]
        cube = tuple(c[0] if len(set(c)) == 1 else None for c in zip(*words, strict=True))
        cubes += [cube] if _alike(control, cube) else list(words)
    return list(dict.fromkeys(cubes))


def prove_iterative(claim: Claim, slots: int, memory: KeyMemory | None = None) -> Proof:
    """A loop with `slots` blocks in flight. `memory`: round keys that it reads by address, in the cycle in
    which it shows the address; they are inputs of the claim's `plain` by name. Raises CheckFailed with what
    does not hold.
    """
    plain, ports, latency, held = claim.plain, claim.ports, claim.latency, claim.held
    n = read_netlist(claim.sources, claim.top, ports.clk, KEPT)
    n = as_ranks(with_delays(n, ports.clk, ports.reset))
    control = _Control(n, ports, slots)
    taking = _explore(control, latency)
    registers, live = flip_flops(n), Live(n)
    pins = [
        (name, k)
        for name, bits in n.inputs.items()
        for k in range(len(bits))
        if name not in (ports.clk, ports.reset, *(memory.fixed_ports if memory else ()))
    ]
    ports_in, kept = [p for p in pins if p[0] not in held], [p for p in pins if p[0] in held]
    names = [f"cycle {t} {name}[{k}]" for t in range(latency + 1) for name, k in ports_in] + [
        f"{name}[{k}]" for name, k in kept
    ]
    aig = Aig([*names, *(n.name(q) for q in registers), *(memory_inputs(memory) if memory else [])])
    reads = Reads(n, memory, slots, len(names) + len(registers)) if memory else None
    free = {q: aig.input(len(names) + j) for j, q in enumerate(registers)}
    always = {
        n.inputs[name][k]: aig.input(len(ports_in) * (latency + 1) + j) for j, (name, k) in enumerate(kept)
    }
    always |= {n.inputs[ports.clk][0]: FALSE, n.inputs[ports.reset][0]: FALSE}
    always |= reads.fixed(aig) if reads else {}
    inputs = [
        always | {n.inputs[name][k]: aig.input(t * len(ports_in) + j) for j, (name, k) in enumerate(ports_in)}
        for t in range(latency + 1)
    ]
    inputs[0][n.inputs[ports.valid_in][0]] = TRUE
    first = {name: [inputs[0][b] for b in bits] for name, bits in n.inputs.items()}
    ready, valid, block = (n.outputs[name] for name in (ports.ready_out, ports.valid_out, ports.block_out))
    found: dict[tuple[int, ...], None] = {}
    for cube in _cubes(control, taking):
        start = free | {q: b for q, b in zip(control.groups[0], cube, strict=True) if b is not None}
        given = reads.inputs(live, aig, registers, start, inputs) if reads else inputs
        seen = live.run(aig, registers, start, given, [ready, *[[]] * (latency - 1), [*valid, *block]])
        if [seen[0][b] for b in ready] != [TRUE] or [seen[-1][b] for b in valid] != [TRUE]:
            raise CheckFailed("a block is not taken and announced as the core's control says")
        found[tuple(seen[-1][b] for b in block)] = None
    core_gates, marks = len(aig.gates), list[int]()
    described = first | (reads.described(aig, plain) if reads else {})
    want = graph_to_aig(plain, aig, spec_inputs(plain, aig, ports, described), claim.hints, marks)["block"]
    labels = [f"{ports.block_out} bit {k}" for k in range(len(want))]
    gates = 0
    for got in found:
        gates += compare(
            Comparison(aig, core_gates, tuple(marks), got, tuple(want)),
            labels,
            directions(first.get(ports.decrypt)),
        )
    return Proof(
        f"for every key and block after every history since a cycle of reset, the block is right {latency} "
        f"cycles after it was taken, and valid is 1 at no other time: "
        f"{len(control.registers)} control registers by enumeration ({len(taking)} states in which a block "
        f"is taken), the other {len(registers) - len(control.registers)} and other slots with any value",
        gates,
    )
