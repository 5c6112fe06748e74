"""C++ for a program: every bit is a vector of independent instances, every gate one operation on vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .program import Gate, Leaf, Program

__all__ = ["FORMS", "Layout", "emit"]

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

_CASES = "".join(
    f"            case {k}: v[o->out] = {form.format('v[o->a]', 'v[o->b]', 'v[o->c]')}; break;\n"
    for k, form in enumerate(FORMS.values())
)
_WALK = (
    "struct Op { uint32_t kind, out, a, b, c; };\nstatic void walk(V *v, const Op *o, uint64_t n) {\n    "
    "for (const Op *end = o + n; o < end; ++o)\n"
    f"        switch (o->kind) {{\n{_CASES}        }}\n}}\n"
    "// An instance of a module: its own slots are the constants, its inputs, and what its gates make.\n"
    "struct Leaf { const Op *ops; uint64_t gates; const uint32_t *outs; uint32_t in, out; };\n"
    "static void call(V *v, const Leaf &m, const uint32_t *x) {\n    static thread_local V "
    "own[OWN_SLOTS];\n    own[1] = ~V{};\n"
    "    for (uint32_t k = 0; k < m.in; ++k) own[2 + k] = v[x[k]];\n    walk(own, m.ops, m.gates);\n"
    "    for (uint32_t k = 0; k < m.out; ++k) v[x[m.in + k]] = own[m.outs[k]];\n}\n"
)


@dataclass(frozen=True)
class Layout:
    """Ports in the order of the library's tables, with their widths."""

    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


def emit(p: Program, clocked: bool, table: bool = False) -> tuple[str, Layout]:
    """The text that `bulk.cpp` includes. Slots of the vectors in memory: constants, inputs, registers,
    then what lives from one function to another, each place used again and again. `table`: gates as tables
    that a loop walks, which runs longer and needs no time to compile.
    """
    gates, real = _without_wires(p.gates, {} if clocked else p.registers)
    groups = _groups(gates, 1 if table else _CHUNK)
    slot = {0: 0, 1: 1}
    for bits in p.inputs.values():
        slot.update(zip(bits, range(len(slot), len(slot) + len(bits)), strict=True))
    first = len(slot)
    state = list(p.registers) if clocked else []
    slot.update(zip(state, range(first, first + len(state)), strict=True))
    data = [real(p.registers[q][0]) for q in state]
    results = [real(b) for bits in p.outputs.values() for b in bits]
    size, stored = _places(groups, slot, {*results, *data})
    numbers = {name: k for k, name in enumerate(p.leaves)}
    text = (
        _leaf_tables(p.leaves, numbers)
        if table
        else [_leaf_text(leaf, numbers[name]) for name, leaf in p.leaves.items()]
    )
    calls, own, done = list[str](), [g for g in gates if g.kind in FORMS], 0
    if table:
        text.append(_ops("ops", own, slot))
    for k, group in enumerate(groups):
        g = group[0]
        if g.kind in p.leaves:
            text.append(_table(f"x{k}", [slot[b] for b in (*g.ins, *g.outs)]))
            calls.append(
                f"call(v, leaves[{numbers[g.kind]}], x{k});" if table else f"m{numbers[g.kind]}(v, x{k});"
            )
        elif not table:
            text.append(_chunk_text(group, k, slot, stored[k]))
            calls.append(f"f{k}(v);")
        elif k == 0 or groups[k - 1][0].kind in p.leaves:  # the first of several gates
            count = next((j for j, h in enumerate(groups[k:]) if h[0].kind in p.leaves), len(groups) - k)
            calls.append(f"walk(v, ops + {done}, {count});")
            done += count
    text.append("static void evaluate(V *v) {\n    " + "\n    ".join(calls or ["(void)v;"]) + "\n}")
    text.append(_table("data_slots", [slot[b] for b in data]))
    text.append(_ports("in_ports", p.inputs, slot))
    text.append(_table("out_slots", [slot[b] for b in results]))
    text.append(
        f"enum {{ SLOTS = {size}, STATE = {first}, REGISTERS = {len(state)}, OUTPUTS = {len(p.outputs)} }};"
    )
    text.append(
        "static const uint32_t out_widths[] = {"
        + ", ".join(str(len(bits)) for bits in p.outputs.values())
        + "};"
    )
    layout = Layout(
        tuple((n, len(bits)) for n, bits in p.inputs.items()),
        tuple((n, len(bits)) for n, bits in p.outputs.items()),
    )
    return "\n".join(text) + "\n", layout


def _without_wires(
    gates: Sequence[Gate], registers: Mapping[int, tuple[int, int]]
) -> tuple[list[Gate], Callable[[int], int]]:
    """The gates with buffers and `registers` taken for wires, and the bit that a bit then is."""
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


def _ops(name: str, gates: Sequence[Gate], slot: Mapping[int, int]) -> str:
    """Gates as a table."""
    kinds = {kind: k for k, kind in enumerate(FORMS)}
    rows = [
        "{" + ", ".join(map(str, (kinds[g.kind], slot[g.outs[0]], *[slot[b] for b in g.ins]))) + "}"
        for g in gates
    ]
    return f"static const Op {name}[] = {{{', '.join(rows) or '{0, 0, 0, 0, 0}'}}};"


def _leaf_tables(leaves: Mapping[str, Leaf], numbers: Mapping[str, int]) -> list[str]:
    """The loop that walks tables, and those of all leaves."""
    text, rows, most = list[str](), list[str](), 2
    for name, leaf in leaves.items():
        gates, real = _without_wires(leaf.gates, leaf.registers)
        slot = {0: 0, 1: 1} | {b: 2 + k for k, b in enumerate(leaf.ins)}
        outs = [real(b) for b in leaf.outs]
        size, _ = _places([[g] for g in gates], slot, set(outs))
        k, most = numbers[name], max(most, size)
        text += [_ops(f"l{k}", gates, slot), _table(f"o{k}", [slot[b] for b in outs])]
        rows.append(f"{{l{k}, {len(gates)}, o{k}, {len(leaf.ins)}, {len(outs)}}}")
    return [
        f"enum {{ OWN_SLOTS = {most} }};",
        _WALK,
        *text,
        f"static const Leaf leaves[] = {{{', '.join(rows) or '{0, 0, 0, 0, 0}'}}};",
    ]


def _groups(gates: Sequence[Gate], most: int) -> list[list[Gate]]:
    """Functions: calls by themselves, gates between them in pieces."""
    groups: list[list[Gate]] = []
    for g in gates:
        if g.kind in FORMS and groups and groups[-1][0].kind in FORMS and len(groups[-1]) < most:
            groups[-1].append(g)
        else:
            groups.append([g])
    return groups


def _places(
    groups: Sequence[Sequence[Gate]], slot: dict[int, int], kept: set[int]
) -> tuple[int, list[set[int]]]:
    """Give a slot to every bit that another group reads or that is `kept`, and take it back behind the
    last reader. Returns the number of slots, and for every group the bits that it stores.
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
    gates, real = _without_wires(leaf.gates, leaf.registers)
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
