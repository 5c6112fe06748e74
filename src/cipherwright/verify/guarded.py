"""Registers that reset leaves as they are, and that nobody reads until they have been loaded.

Such a register has a guard, which reset makes 0. Two runs of the core that differ before a reset and have
the same inputs after it are shown to agree, by induction: every register that reset clears is equal in both,
and so is one with a guard while its guard is 1. For that, whatever reads the register, a control output or
the next value of a register, must not depend on it while the guard is 0. Where the reader has a guard of its
own, it may depend on it where the reader's guard will be 0. What is loaded from outside `registers` (the
memory of a FIFO) is taken as equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .aig import FALSE, TRUE
from .live import UNKNOWN, reads, settled
from .netlist import FLIP_FLOP, GATES, Netlist, in_bits, out_bits

__all__ = ["Logic", "guards"]


@dataclass(frozen=True)
class _Cone:
    """Gates that some bits depend on in the same cycle, drivers first, and the other bits that they read."""

    gates: tuple[Mapping[str, Any], ...]
    ends: frozenset[Any]


@dataclass
class Logic:
    """A netlist, asked for parts of its logic. `driver`: the cell that drives each bit; `cones`: what `cone`
    found, by its bits.
    """

    driver: Mapping[Any, Mapping[str, Any]]
    cones: dict[frozenset[Any], _Cone] = field(default_factory=dict)

    @classmethod
    def of(cls, n: Netlist) -> Logic:
        """The logic of `n`."""
        return cls({b: c for c in n.cells.values() for b in out_bits(c)})

    def gate(self, bit: Any) -> Mapping[str, Any] | None:
        """The gate that drives `bit`, if one does."""
        cell = self.driver.get(bit)
        return cell if cell is not None and cell["type"] in GATES else None

    def cone(self, bits: Iterable[Any]) -> _Cone:
        """What `bits` depend on in the same cycle."""
        key = frozenset(bits)
        if key not in self.cones:
            self.cones[key] = self._cone(key)
        return self.cones[key]

    def _cone(self, bits: frozenset[Any]) -> _Cone:
        gates, ends, done, todo = list[Mapping[str, Any]](), set[Any](), set[Any](), list(bits)
        while todo:
            bit = todo[-1]
            cell = self.gate(bit)
            if cell is None:
                ends.add(bit)
            before = [] if cell is None or bit in done else [b for b in in_bits(cell) if b not in done]
            if before:
                todo += before
                continue
            todo.pop()
            if cell is not None and bit not in done:
                gates.append(cell)
            done.add(bit)
        return _Cone(tuple(gates), frozenset(ends))

    def values(self, bits: Iterable[Any], known: Mapping[Any, int]) -> dict[Any, int]:
        """The value, 0, 1 or unknown, of every bit that `bits` depend on in the same cycle; `known`: the
        values of some bits.
        """
        return settled(self.cone(bits).gates, known)

    def reads(self, bit: Any, known: Mapping[Any, int]) -> set[Any]:
        """What `bit` depends on in the same cycle and no gate drives, for what is `known`, by bit."""
        return reads(self.driver, [bit], self.values([bit], known))

    def choice(self, bit: Any) -> tuple[frozenset[Any], tuple[Any, ...]]:
        """What multiplexers choose `bit` from, and their selects."""
        ends, selects, seen, todo = set[Any](), dict[Any, None](), set[Any](), [bit]
        while todo:
            at = todo.pop()
            cell = self.gate(at)
            if cell is None or cell["type"] != "$_MUX_":
                ends.add(at)
            elif at not in seen:
                seen.add(at)
                pins = cell["connections"]
                selects[pins["S"][0]] = None
                todo += [pins["A"][0], pins["B"][0]]
        return frozenset(ends), tuple(selects)


@dataclass(frozen=True)
class _Search:
    """registers: those that control outputs depend on, output -> next value; roots: control outputs and what
    valid lines take; cleared: registers that one cycle of reset makes 0.
    """

    logic: Logic
    registers: Mapping[Any, Any]
    roots: frozenset[Any]
    cleared: frozenset[Any]

    def readers(self, left: Collection[Any]) -> dict[Any, set[Any]]:
        """Every register of `left` -> the bits, roots and next values, that depend on it."""
        found: dict[Any, set[Any]] = {q: set() for q in left}
        for bit in {*self.roots, *self.registers.values()}:
            for q in self.logic.cone([bit]).ends & found.keys():
                found[q].add(bit)
        return found

    def guard(self, q: Any, readers: Collection[Any], known: Mapping[Any, Any]) -> Any:
        """A guard of the register `q`, where the guards of some others are known; None if there is none."""
        own = self.registers[q]
        theirs = {d: [known[r] for r in self._loaded(d) if r in known] for d in readers}
        may = set[Any](self.cleared)
        for d in readers:
            if d != own:
                ends = self.logic.cone([d, *(self.registers[v] for v in theirs[d])]).ends
                may &= ends
        return next((v for v in sorted(may) if all(self._hidden(q, v, d, known) for d in readers)), None)

    def _loaded(self, d: Any) -> list[Any]:
        """The registers that take the bit `d`."""
        return [r for r, bit in self.registers.items() if bit == d]

    def _hidden(self, q: Any, v: Any, d: Any, known: Mapping[Any, Any]) -> bool:
        """Whether `d` does not depend on `q` while `v` is 0, but for a register whose guard will be 0."""
        if q not in self.logic.reads(d, {v: FALSE}):
            return True
        loads = self._loaded(d)
        guards = [v if r == q else known.get(r) for r in loads]
        if d in self.roots or not loads or None in guards:
            return False
        return any(self._split(q, v, d, cases, guards) for cases in self._cases(d))

    def _cases(self, d: Any) -> Iterator[tuple[dict[Any, int], ...]]:
        """Cases by which `d` may be told apart: its selects, and what these read."""
        yield ({},)
        selects = self.logic.choice(d)[1]
        read = sorted(b for b in self.logic.cone(selects).ends if isinstance(b, int))  # no constants
        for s in (*selects, *read):
            yield ({s: FALSE}, {s: TRUE})

    def _split(
        self, q: Any, v: Any, d: Any, cases: tuple[dict[Any, int], ...], guards: Collection[Any]
    ) -> bool:
        """Whether in every case `d` does not depend on `q`, or all `guards` will be 0."""
        for case in cases:
            known = {v: FALSE, **case}
            if q in self.logic.reads(d, known):
                later = [self.registers[g] for g in guards]
                value = self.logic.values(later, known)
                if any(value.get(g, UNKNOWN) != FALSE for g in later):
                    return False
        return True


def guards(
    n: Netlist, cone: Collection[Any], roots: Iterable[Any], left: Collection[Any], cleared: Collection[Any]
) -> dict[Any, Any]:
    """Every register of `left` that has a guard -> its guard; registers of `n` go by their output bits.

    cone: all registers that `roots` depend on (control outputs, and what valid lines take); left: those of
    them that reset leaves as they are; cleared: those that it makes 0.
    """
    registers = {
        c["connections"]["Q"][0]: c["connections"]["D"][0]
        for c in n.cells.values()
        if c["type"] == FLIP_FLOP and c["connections"]["Q"][0] in cone
    }
    search = _Search(Logic.of(n), registers, frozenset(roots), frozenset(cleared))
    readers, known = search.readers(left), dict[Any, Any]()
    todo = sorted(left)
    while todo:
        found = {q: v for q in todo if (v := search.guard(q, readers[q], known)) is not None}
        known |= found
        if not found:
            break
        todo = [q for q in todo if q not in known]
    return known
