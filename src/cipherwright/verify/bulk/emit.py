"""C++ for a program: every bit is a vector of independent instances, every gate one operation on vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .program import Gate, Leaf, Program

__all__ = ["FORMS", "Layout", "Plan", "emit", "places", "plan", "without_wires"]

_CHUNK = 300
"""Gates of a function: the compiler's time grows faster than their number."""

FORMS = {
    "$_AND_": "{0} & {1}",
    "$_OR_": "{0} | {1}",
    "$_XOR_": "{0} ^ {1}",
    "$_XNOR_": "~({0} ^ {1})",
    "$_NAND_": "~({0} & {1})",
    "$_NOR_": "~({0} | {1})",
    "$_ANDNOT_": "{0} & ~{1}",
    "$_ORNOT_": "{0} | ~{1}",
    "$_NOT_": "~{0}",
    "$_BUF_": "{0}",
    "$_MUX_": "MUX({0}, {1}, {2})",
}


@dataclass(frozen=True)
class Layout:
    """Ports in the order of the library's tables: `inputs` and `outputs`, each a name and a width in bits."""

    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Plan:
    """Where the values of a program are: slots of the vectors in memory, first the constants, then inputs,
    registers, and what lives from one group of gates to another, each place used again and again.

    `groups`: gates that are evaluated together, calls of leaves by themselves; `stored`: of each group, the
    bits that it writes; `slot`: of those and of inputs and registers; `size`: how many slots there are.
    `data`: slots of what registers take next, in the order of the registers, the first of which is in slot
    `state`; `results`: slots of the outputs' bits, one output after the other; `layout`: the ports.
    """

    groups: list[list[Gate]]
    stored: list[set[int]]
    slot: dict[int, int]
    size: int
    state: int
    data: list[int]
    results: list[int]
    layout: Layout


def plan(p: Program, clocked: bool, most: int) -> Plan:
    """Slots for the program `p`, whose registers are state (`clocked`) or wires, in groups of at most `most`
    gates.
    """
    gates, real = without_wires(p.gates, {} if clocked else p.registers)
    groups, slot = _groups(gates, most), {0: 0, 1: 1}
    for bits in p.inputs.values():
        slot.update(zip(bits, range(len(slot), len(slot) + len(bits)), strict=True))
    first, state = len(slot), list(p.registers) if clocked else []
    slot.update(zip(state, range(first, first + len(state)), strict=True))
    data = [real(p.registers[q][0]) for q in state]
    results = [real(b) for bits in p.outputs.values() for b in bits]
    size, stored = places(groups, slot, {*results, *data})
    ports = ({n: len(bits) for n, bits in side.items()} for side in (p.inputs, p.outputs))
    layout = Layout(*(tuple(side.items()) for side in ports))
    at = [slot[b] for b in data], [slot[b] for b in results]
    return Plan(groups, stored, slot, size, first, *at, layout)


def emit(p: Program, clocked: bool) -> tuple[str, Layout]:
    """The text that `bulk.cpp` includes for the program `p`, whose registers are state (`clocked`) or wires:
    a function for every leaf and every group of gates; and the ports.
    """
    made = plan(p, clocked, _CHUNK)
    numbers = {name: k for k, name in enumerate(p.leaves)}
    text, calls = [_leaf_text(leaf, numbers[name]) for name, leaf in p.leaves.items()], list[str]()
    for k, group in enumerate(made.groups):
        g = group[0]
        if g.kind in p.leaves:
            text.append(_table(f"x{k}", [made.slot[b] for b in (*g.ins, *g.outs)]))
            calls.append(f"m{numbers[g.kind]}(v, x{k});")
        else:
            text.append(_chunk_text(group, k, made.slot, made.stored[k]))
            calls.append(f"f{k}(v);")
    body = "\n    ".join(calls or ["(void)v;"])
    text.append(f"static void evaluate(V *v, const uint32_t *) {{\n    {body}\n}}")
    text.append(_table("data_slots", made.data))
    text.append(_ports("in_ports", p.inputs, made.slot))
    text.append(_table("out_slots", made.results))
    text.append(_table("out_widths", [width for _, width in made.layout.outputs]))
    sizes = f"{made.size}, {made.state}, {len(made.data)}, {len(p.outputs)}, 0"
    text.append(
        f"static Frame frame_of(const uint32_t *) {{\n    return {{{sizes}, in_ports, data_slots, out_slots, "
        "out_widths, evaluate, nullptr};\n}"
    )
    return "\n".join(text) + "\n", made.layout


def without_wires(
    gates: Sequence[Gate], registers: Mapping[int, tuple[int, int]]
) -> tuple[list[Gate], Callable[[int], int]]:
    """The `gates` with buffers and `registers` (output bit -> data bit, cycles) taken for wires, and the bit
    that a bit then is.
    """
    alias = {q: d for q, (d, _) in registers.items()} | {
        g.outs[0]: g.ins[0] for g in gates if g.kind == "$_BUF_"
    }

    def real(bit: int) -> int:
        while bit in alias:
            bit = alias[bit]
        return bit

    return [Gate(g.kind, g.outs, tuple([real(b) for b in g.ins])) for g in gates if g.kind != "$_BUF_"], real


def _table(name: str, values: Sequence[int]) -> str:
    return f"static const uint32_t {name}[] = {{{', '.join(map(str, values)) or '0'}}};"


def _ports(name: str, ports: Mapping[str, Sequence[int]], slot: Mapping[int, int]) -> str:
    rows = ", ".join(f"{{{slot[bits[0]]}, {len(bits)}}}" for bits in ports.values())
    return f"static const Port {name}[] = {{{rows}}};"


def _groups(gates: Sequence[Gate], most: int) -> list[list[Gate]]:
    """Functions: calls by themselves, gates between them in pieces."""
    groups: list[list[Gate]] = []
    for g in gates:
        if g.kind in FORMS and groups and groups[-1][0].kind in FORMS and len(groups[-1]) < most:
            groups[-1].append(g)
        else:
            groups.append([g])
    return groups


def places(
    groups: Sequence[Sequence[Gate]], slot: dict[int, int], kept: set[int]
) -> tuple[int, list[set[int]]]:
    """Give a slot in `slot` to every bit that another one of `groups` reads or that is `kept`, and take it
    back behind the last reader; bits that have one keep it. Returns the number of slots, and for every group
    the bits that it stores.
    """
    last: dict[int, int] = {}
    for k, group in enumerate(groups):
        for g in group:
            for b in g.ins:
                last[b] = k
    fixed, free, size, stored = set(slot), list[int](), len(slot), list[set[int]]()
    ends: dict[int, list[int]] = {}
    for k, group in enumerate(groups):
        call = group[0].kind not in FORMS
        mine = {b for g in group for b in g.outs if call or b in kept or last.get(b, k) > k}
        for b in sorted(mine):
            if not free:
                free.append(size)
                size += 1
            slot[b] = free.pop()
            if b not in kept:
                ends.setdefault(max(last.get(b, k), k), []).append(b)
        stored.append(mine)
        free.extend(slot[b] for b in ends.pop(k, ()) if b not in fixed)
    return size, stored


def _chunk_text(group: Sequence[Gate], k: int, slot: Mapping[int, int], stored: set[int]) -> str:
    lines = [f"static void f{k}(V *__restrict v) {{"]
    lines += _lines(group, lambda b: f"v[{slot[b]}]", stored, lambda b: f"v[{slot[b]}]")
    return "\n".join([*lines, "}"])


def _leaf_text(leaf: Leaf, number: int) -> str:
    n = len(leaf.ins)
    place = {b: k for k, b in enumerate(leaf.ins)}
    lines = [f"static void m{number}(V *__restrict v, const uint32_t *__restrict x) {{"]
    gates, real = without_wires(leaf.gates, leaf.registers)
    lines += _lines(gates, lambda b: f"v[x[{place[b]}]]", set(), lambda b: "")
    have = {g.outs[0] for g in gates}
    for k, out in enumerate(leaf.outs):
        b = real(out)
        value = f"n{b}" if b in have else "~V{}" if b == 1 else "V{}" if b == 0 else f"v[x[{place[b]}]]"
        lines.append(f"v[x[{n + k}]] = {value};")
    return "\n".join([*lines, "}"])


def _lines(
    gates: Sequence[Gate], load: Callable[[int], str], stored: set[int], store: Callable[[int], str]
) -> list[str]:
    """Statements for gates: what they do not make themselves is loaded before its first use, what is
    `stored` is written as soon as it is known.
    """
    lines, known = list[str](), set[int]()

    def value(b: int) -> str:
        if b <= 1:
            return "~V{}" if b else "V{}"
        if b not in known:
            known.add(b)
            lines.append(f"const V n{b} = {load(b)};")
        return f"n{b}"

    for g in gates:
        ins = [value(b) for b in g.ins]
        out = g.outs[0]
        known.add(out)
        lines.append(f"const V n{out} = {FORMS[g.kind].format(*ins)};")
        if out in stored:
            lines.append(f"{store(out)} = n{out};")
    return lines
