"""Which registers of a mapped netlist are which of the reference's: by the names of nets, by what is
before and behind them, by what synthesis merges.

A match is a suggestion; `mapped.prove_same` decides whether it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from .aig import FALSE, TRUE, Aig
from .cuts import random_inputs, words_of
from .mapped import Bit, Machine, Match, evaluate_machine, free_bits, next_value

__all__ = ["match_equal", "matched_by_cell", "matched_by_name"]


def matched_by_name(reference: Machine, mapped: Machine) -> Match:
    """The match of `reference` and `mapped` that the names of the nets suggest; shift registers and RAM by
    what is before and behind them.
    """
    at = {name: b for b, names in mapped.names.items() for name in names}
    found: dict[Bit, Bit] = {}
    for q in reference.registers:
        b = next((at[n] for n in reference.names.get(q, ()) if n in at), None)
        if b in mapped.registers or b in ("0", "1"):
            assert b is not None
            found[q] = b
    _follow(reference, mapped, found)
    _follow_back(reference, mapped, found)
    _same_support(reference, mapped, found)
    match_equal(reference, found)
    return Match(found, _columns_match(reference, mapped, found), {}, _copies(mapped, found))


def _follow_back(reference: Machine, mapped: Machine, found: dict[Bit, Bit]) -> None:
    """Match registers that matched registers only take over."""
    todo, taken = list(found), set(found.values())
    while todo:
        q = todo.pop()
        if found[q] not in mapped.registers:
            continue
        a, b = reference.registers[q].reads, mapped.registers[found[q]].reads
        if (
            len(a) == len(b) == 2
            and a[0] in reference.registers
            and a[0] not in found
            and b[0] in mapped.registers
            and b[0] not in taken
        ):
            found[a[0]] = b[0]
            taken.add(b[0])
            todo.append(a[0])


def _same_ports(reference: Machine, mapped: Machine) -> dict[Bit, Bit]:
    """The bits of inputs -> those of the mapped netlist's."""
    return {
        b: theirs
        for n, bits in reference.inputs.items()
        for theirs, b in zip(mapped.inputs.get(n, []), bits, strict=False)
    }


def _same_support(reference: Machine, mapped: Machine, found: dict[Bit, Bit]) -> None:
    """Match registers that no name tells by what their next values depend on: the same ports and matched
    registers, and no other pair with these. What is matched so may tell more of them. The rest is matched by
    what the next values are.
    """
    same = _same_ports(reference, mapped) | found
    taken = set(found.values())
    theirs = {b: _support(mapped, b) for b in mapped.registers if b not in taken}
    ours = {q: _support(reference, q) for q in reference.registers if q not in found} if theirs else {}
    while pairs := _alone(ours, theirs, same):
        found |= pairs
        same |= pairs
        theirs = {b: leaves for b, leaves in theirs.items() if b not in set(pairs.values())}
        ours = {q: leaves for q, leaves in ours.items() if q not in pairs}
    if theirs:
        found |= _alike(reference, mapped, list(ours), list(theirs), same)


def _alone(
    ours: Mapping[Bit, frozenset[Bit]], theirs: Mapping[Bit, frozenset[Bit]], same: Mapping[Bit, Bit]
) -> dict[Bit, Bit]:
    """Pairs of registers that alone depend on the same matched bits."""
    a, b = dict[frozenset[Bit], list[Bit]](), dict[frozenset[Bit], list[Bit]]()
    for q, leaves in ours.items():
        if leaves and all(x in same for x in leaves):
            a.setdefault(frozenset(same[x] for x in leaves), []).append(q)
    for q, leaves in theirs.items():
        b.setdefault(leaves, []).append(q)
    return {
        group[0]: b[leaves][0] for leaves, group in a.items() if len(group) == len(b.get(leaves, ())) == 1
    }


def _alike(
    reference: Machine, mapped: Machine, ours: Sequence[Bit], theirs: Sequence[Bit], same: Mapping[Bit, Bit]
) -> dict[Bit, Bit]:
    """Registers of `ours` -> the one of `theirs`, or the constant, that always has the same value, if it has
    once; `same`: what is matched already.

    All of them are taken as equal at first. Those whose next values differ for random inputs, where equal
    registers have equal values, are told apart, until nothing changes. Several of ours go with one of theirs
    that synthesis made of them. Where several of theirs are left together, nothing tells which is which.
    """
    own = [b for b in dict.fromkeys([*same.values(), *_sources(mapped)]) if b not in ("0", "1")]
    rest = [b for b in _sources(reference) if b not in same]
    aig = Aig([*(f"mapped {b}" for b in own), *(f"reference {b}" for b in rest)])
    there = {b: aig.input(k) for k, b in enumerate(own)} | {"0": FALSE, "1": TRUE}
    here = {b: aig.input(k) for k, b in enumerate(rest, len(own))} | {"0": FALSE, "1": TRUE}
    here |= {a: there[b] for a, b in same.items()}
    evaluate_machine(mapped, aig, there)
    evaluate_machine(reference, aig, here)
    values = [FALSE, TRUE, *(there[b] for b in theirs), *(here[q] for q in ours)]
    nexts = [FALSE, TRUE, *(next_value(mapped, aig, there, b) for b in theirs)]
    nexts += [next_value(reference, aig, here, q) for q in ours]
    groups = _told_apart(aig, values, nexts)
    members: dict[int, list[Bit]] = {}
    for b, group in zip(["0", "1", *theirs], groups, strict=False):
        members.setdefault(group, []).append(b)
    one = {group: bs[0] for group, bs in members.items() if len(bs) == 1}
    return {q: one[g] for q, g in zip(ours, groups[2 + len(theirs) :], strict=True) if g in one}


def _told_apart(aig: Aig, values: Sequence[int], nexts: Sequence[int]) -> list[int]:
    """The group of each register, as the number of its first one. `values` and `nexts`: literals in `aig` of
    what the registers hold, each an input or a constant, and of what they take next.
    """
    inputs = random_inputs(aig, 1)
    own = words_of(aig, inputs, values)
    groups, count = [0] * len(nexts), 0
    while count < (count := len(set(groups))):
        words = list(inputs)
        for value, group in zip(values, groups, strict=True):
            if value > TRUE:
                words[value // 2 - 1] = own[group]
        first: dict[tuple[int, int], int] = {}
        told = zip(groups, words_of(aig, words, nexts), strict=True)
        groups = [first.setdefault(key, k) for k, key in enumerate(told)]
    return groups


def _sources(m: Machine) -> list[Bit]:
    """The bits that logic reads and no logic drives, constants apart."""
    ports = (b for bits in m.inputs.values() for b in bits)
    return [*ports, *m.registers, *m.rams, *m.boxed, *free_bits(m)]


def _support(m: Machine, q: Bit) -> frozenset[Bit]:
    """The ports, registers and cells of RAM that the next value of a register depends on, itself apart."""
    todo, seen = [b for b in m.registers[q].reads if b != q], set[Bit]()
    while todo:
        b = todo.pop()
        if b in seen or b in ("0", "1", q):
            continue
        seen.add(b)
        if b in m.logic:
            todo += m.logic[b][0]
    return frozenset(b for b in seen if b not in m.logic)


def match_equal(reference: Machine, found: dict[Bit, Bit]) -> None:
    """Add to `found` (register of `reference` -> mapped register) registers whose next value is that of a
    matched one by structure, once those before them are taken as equal: synthesis keeps one of them, and a
    whole chain of such registers follows the first.
    """
    if any(q not in found for q in reference.registers):
        _Merging(reference, found).run()


class _Merging:
    """Registers that are taken as equal, one after the other, and what that makes of the logic behind them.

    `value`: the literal of every bit; `nexts`: of every register's next value; `owner`: a next value's
    matched register; `alike`: the registers without a match that have had a next value.
    """

    def __init__(self, reference: Machine, found: dict[Bit, Bit]) -> None:
        self.m, self.found = reference, found
        self.left = {q for q in reference.registers if q not in found}
        sources = _sources(reference)
        self.aig = Aig([str(b) for b in sources])
        self.value: dict[Bit, int] = {"0": FALSE, "1": TRUE}
        self.value |= {b: self.aig.input(k) for k, b in enumerate(sources)}
        self.place = {b: k for k, b in enumerate(reference.order())}
        evaluate_machine(reference, self.aig, self.value)
        self.logic_of = _readers({b: reads for b, (reads, _) in reference.logic.items()})
        self.registers_of = _readers({q: r.reads for q, r in reference.registers.items()})
        self.nexts = {q: next_value(reference, self.aig, self.value, q) for q in reference.registers}
        self.owner = {self.nexts[q]: q for q in reversed([q for q in reference.registers if q in found])}
        self.todo = [q for q in reference.registers if q in self.left]
        self.alike: dict[int, list[Bit]] = {}
        for q in self.todo:
            self.alike.setdefault(self.nexts[q], []).append(q)

    def run(self) -> None:
        """Match every register whose next value is a matched one's."""
        while self.todo:
            q = self.todo.pop()
            if q not in self.left or self.nexts[q] not in self.owner:
                continue
            twin = self.owner[self.nexts[q]]
            self.left.discard(q)
            self.found[q] = self.found[twin]
            for x in self._merge(q, twin):
                self._renew(x)

    def _merge(self, q: Bit, twin: Bit) -> set[Bit]:
        """Let what reads q read its twin from now on; the registers that this may change."""
        self.value[q] = self.value[twin]
        changed, again = {q}, set(self.registers_of.get(q, ()))
        waiting = [(self.place[b], b) for b in self.logic_of.get(q, ())]
        heapify(waiting)
        while waiting:
            _, b = heappop(waiting)
            reads, make = self.m.logic[b]
            new = make(self.aig, [self.value[x] for x in reads])
            if b in changed or new == self.value[b]:
                continue
            changed.add(b)
            self.value[b] = new
            again |= set(self.registers_of.get(b, ()))
            for x in self.logic_of.get(b, ()):
                heappush(waiting, (self.place[x], x))
        return again

    def _renew(self, q: Bit) -> None:
        """Take note of a register's new next value."""
        new = self.nexts[q] = next_value(self.m, self.aig, self.value, q)
        if q in self.found:
            self.owner.setdefault(new, q)
            self.todo += self.alike.get(new, ())
        else:
            self.alike.setdefault(new, []).append(q)
            self.todo.append(q)


def _readers(reads: Mapping[Bit, Sequence[Bit]]) -> dict[Bit, list[Bit]]:
    """Bit -> those that read it."""
    found: dict[Bit, list[Bit]] = {}
    for b, sources in reads.items():
        for source in sources:
            found.setdefault(source, []).append(b)
    return found


def _copies(mapped: Machine, found: Mapping[Bit, Bit]) -> dict[Bit, Bit]:
    """Registers without a match that do nothing but take what a matched register takes."""
    owner = {b: q for q, b in found.items()}
    plain = {r.reads[0]: owner[b] for b, r in mapped.registers.items() if len(r.reads) == 2 and b in owner}
    return {
        b: plain[r.reads[0]]
        for b, r in mapped.registers.items()
        if b not in owner and len(r.reads) == 2 and r.reads[0] in plain
    }


def _columns_match(reference: Machine, mapped: Machine, found: Mapping[Bit, Bit]) -> dict[Bit, Bit]:
    """Columns of RAM by the register that takes what they read, else by the register or port that they
    take in, where that says it alone.
    """
    column = {q: r.reads[0] for q, r in mapped.registers.items() if r.reads[0] in mapped.rams}
    rams = {
        r.reads[0]: column[found[q]]
        for q, r in reference.registers.items()
        if r.reads[0] in reference.rams and found.get(q) in column
    }
    rams |= _banks_match(reference, mapped, rams)
    same = {**_same_ports(reference, mapped), **found}
    ours, theirs = dict[Bit, list[Bit]](), dict[Bit, list[Bit]]()
    for a, ram in reference.rams.items():
        if a not in rams and ram.data in same:
            ours.setdefault(same[ram.data], []).append(a)
    taken = set(rams.values())
    for b, ram in mapped.rams.items():
        if b not in taken:
            theirs.setdefault(ram.data, []).append(b)
    return rams | {
        group[0]: theirs[data][0]
        for data, group in ours.items()
        if len(group) == len(theirs.get(data, ())) == 1
    }


def _banks_match(reference: Machine, mapped: Machine, done: Mapping[Bit, Bit]) -> dict[Bit, Bit]:
    """Columns of a memory by the names that synthesis gives its cells: MEMORY.PORT.NUMBER, the cells of a
    bank side by side, one bank after the other.
    """
    cells: dict[str, list[Bit]] = {}
    for b, ram in mapped.rams.items():
        cells.setdefault(ram.cell, []).append(b)
    width = dict[str, int]()
    for memory, _, _, k in reference.column_names.values():
        width[memory] = max(width.get(memory, 0), k + 1)
    found: dict[Bit, Bit] = {}
    for a, (memory, port, bank, k) in reference.column_names.items():
        first = cells.get(f"{memory}.{port}.0")
        if a in done or a not in reference.rams or first is None:
            continue
        many = len(first)
        number = bank * -(-width[memory] // many) + k // many
        if (cell := cells.get(f"{memory}.{port}.{number}")) and k % many < len(cell):
            found[a] = cell[k % many]
    return found


def matched_by_cell(reference: Machine, mapped: Machine) -> Match:
    """Registers and blocks of two mapped netlists, `reference` and `mapped`, by the names of their cells, and
    columns of RAM by those of their nets, which placers keep.
    """
    at = {r.cell: q for q, r in mapped.registers.items()}
    registers = {q: at[r.cell] for q, r in reference.registers.items() if r.cell in at}
    net = {n: b for b in mapped.rams for n in mapped.names.get(b, ())}
    rams = {b: net[n] for b in reference.rams for n in reference.names.get(b, ()) if n in net}
    return Match(registers, rams, {n: n for n in reference.boxes if n in mapped.boxes})


def _follow(reference: Machine, mapped: Machine, found: dict[Bit, Bit]) -> None:
    """Match registers that only take over what a matched register or a port holds, one after the other."""
    taken = set(found.values())
    at = {name: b for b, names in mapped.names.items() for name in names}
    same: dict[Bit, Bit] = {b: at[n] for b, names in reference.names.items() for n in names if n in at}
    same |= found
    waiting: dict[Bit, list[Bit]] = {}
    for b, r in mapped.registers.items():
        if b not in taken and len(r.reads) == 2:
            waiting.setdefault(r.reads[0], []).append(b)
    after: dict[Bit, list[Bit]] = {}
    for q, r in reference.registers.items():
        if q not in found:
            after.setdefault(r.reads[0], []).append(q)
    todo = list(same)
    while todo:
        a = todo.pop()
        for q in after.get(a, ()):
            for b in waiting.get(same[a], ())[:1]:
                found[q] = same[q] = b
                todo.append(q)
