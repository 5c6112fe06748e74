"""A program as tables, which one compiled loop walks: gates take longer than compiled ones, and no time goes
into the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .emit import FORMS, Layout, places, plan, without_wires
from .program import Gate, Leaf, Program

__all__ = ["Words", "tabulate", "walker_text"]

Words = NDArray[np.uint32]

_NO_LEAF = 0xFFFFFFFF
_HEAD = 15
"""Words before the tables, see `walker_text`."""

_WALKER = """\
struct Op { uint32_t kind, out, a, b, c; };
static void walk(V *v, const Op *o, uint64_t n) {
    for (const Op *end = o + n; o < end; ++o)
        switch (o->kind) {
%s        }
}
// A module: `gates` operations from number `first` on, over slots of its own: the constants, its inputs,
// and what its gates make. Its results are in the slots outs[results] and following.
struct Leaf { uint32_t first, gates, results, in, out; };
// Operations from number `at` on; or where `leaf` is one, a call, whose inputs' and outputs' slots begin
// at place `at`.
struct Call { uint32_t leaf, at, count; };
static void evaluate(V *v, const uint32_t *t) {
    const Op *ops = reinterpret_cast<const Op *>(t + t[9]);
    const Leaf *leaves = reinterpret_cast<const Leaf *>(t + t[10]);
    const Call *c = reinterpret_cast<const Call *>(t + t[12]);
    V *own = v + t[0] + t[2];
    own[1] = ~V{};
    for (const Call *end = c + t[14]; c < end; ++c) {
        if (c->leaf == 0xffffffffu) {
            walk(v, ops + c->at, c->count);
            continue;
        }
        const Leaf &m = leaves[c->leaf];
        const uint32_t *x = t + t[13] + c->at, *outs = t + t[11] + m.results;
        for (uint32_t k = 0; k < m.in; ++k) own[2 + k] = v[x[k]];
        walk(own, ops + m.first, m.gates);
        for (uint32_t k = 0; k < m.out; ++k) v[x[m.in + k]] = own[outs[k]];
    }
}
static Frame frame_of(const uint32_t *t) {
    const Port *in_ports = reinterpret_cast<const Port *>(t + t[5]);
    return {t[0], t[1], t[2], t[3], t[4], in_ports, t + t[6], t + t[7], t + t[8], evaluate, t};
}
"""


def walker_text() -> str:
    """The text that `bulk.cpp` includes to walk the tables of any program. Words 0 to 4: the sizes of
    `Frame`; 5 to 13: where the tables begin; 14: the number of calls.
    """
    cases = (form.format("v[o->a]", "v[o->b]", "v[o->c]") for form in FORMS.values())
    return _WALKER % "".join(f"            case {k}: v[o->out] = {c}; break;\n" for k, c in enumerate(cases))


def _rows(rows: Iterable[Sequence[int]]) -> Words:
    return np.array([n for row in rows for n in row], dtype=np.uint32)


class _Operations:
    """Gates of all modules, one after the other."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.kinds = {kind: k for k, kind in enumerate(FORMS)}

    def add(self, gates: Iterable[Gate], slot: Mapping[int, int]) -> tuple[int, int]:
        """Returns the number of the first gate, and how many they are."""
        first = len(self.rows)
        for g in gates:
            ins = [slot[b] for b in g.ins]
            self.rows.append((self.kinds[g.kind], slot[g.outs[0]], *ins, *(0,) * (3 - len(ins))))
        return first, len(self.rows) - first


class _Leaves:
    """The modules that are called, and the slots of their results."""

    def __init__(self, leaves: Mapping[str, Leaf], operations: _Operations) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.outs: list[int] = []
        self.most = 2
        for leaf in leaves.values():
            gates, real = without_wires(leaf.gates, leaf.registers)
            slot = {0: 0, 1: 1} | {b: 2 + k for k, b in enumerate(leaf.ins)}
            outs = [real(b) for b in leaf.outs]
            size, _ = places([[g] for g in gates], slot, set(outs))
            self.most = max(self.most, size)
            ops = operations.add(gates, slot)
            self.rows.append((*ops, len(self.outs), len(leaf.ins), len(outs)))
            self.outs += [slot[b] for b in outs]


def tabulate(p: Program, clocked: bool) -> tuple[Words, Layout]:
    """The tables of the program `p`, whose registers are state (`clocked`) or wires, and its ports."""
    made, operations = plan(p, clocked, 1), _Operations()
    leaves = _Leaves(p.leaves, operations)
    numbers = {name: k for k, name in enumerate(p.leaves)}
    calls, at = list[tuple[int, int, int]](), list[int]()
    for (g,) in made.groups:
        if g.kind in numbers:
            calls.append((numbers[g.kind], len(at), 0))
            at += [made.slot[b] for b in (*g.ins, *g.outs)]
        else:
            first, count = operations.add([g], made.slot)
            if calls and calls[-1][0] == _NO_LEAF:
                _, first, before = calls.pop()
                count += before
            calls.append((_NO_LEAF, first, count))
    ports = [(made.slot[bits[0]], len(bits)) for bits in p.inputs.values()]
    widths = [width for _, width in made.layout.outputs]
    tables = [
        *(_rows(ports), _rows([made.data]), _rows([made.results]), _rows([widths])),
        *(_rows(operations.rows), _rows(leaves.rows), _rows([leaves.outs]), _rows(calls), _rows([at])),
    ]
    begins = _HEAD + np.cumsum([0, *(len(t) for t in tables[:-1])])
    sizes = [made.size, made.state, len(made.data), len(widths), leaves.most]
    return np.concatenate([_rows([sizes, begins.tolist(), [len(calls)]]), *tables]), made.layout
