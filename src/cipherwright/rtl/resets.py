"""One rule for what reset clears: every register bit from which a control output can be reached, and no
other.

A control output is one that tells when something happens (valid, ready, the moves of a key-expansion
unit). The rule is derived from the graph when a schedule is lowered, and checked again on the modules that
come out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..graph import Graph
from .module import Assign, Bit, Bits, DelayLine, Design, Instance, Memory, Module, Part, Register, ValidLine

__all__ = ["check_resets", "control_bits"]

NodeBit = tuple[int, int]

_BITWISE = {
    "xor",
    "and",
    "or",
    "not",
    "mux",
    "lut",
    "lut4",
    "muxf5",
    "muxf6",
    "xor5",
    "copy",
    "hop",
    "again",
    "wire",
    "clear",
}
"""Operations of which every bit depends on the same bit of each operand, or on the only one."""


def _read(op: str, k: int, widths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(operand, bit) pairs that bit k of an operation depends on."""
    for j, width in enumerate(widths):
        if op in _BITWISE:
            yield j, k if width > 1 else 0
        else:
            yield from ((j, n) for n in range(width))


def control_bits(
    graph: Graph, loops: Mapping[str, str], outputs: Iterable[str]
) -> dict[NodeBit, set[int | str]]:
    """Bits of inputs and operations of `graph` from which one of `outputs` (names) can be reached, through
    any number of registers, each with the operations and outputs that take it there. `loops`: input -> the
    output that is its register's data.
    """
    out, users = dict(graph.outputs), dict[NodeBit, set[int | str]]()
    todo: list[tuple[NodeBit, int | str]] = [(bit, name) for name in outputs for bit in graph.bits[out[name]]]
    while todo:
        bit, user = todo.pop()
        new = bit not in users
        users.setdefault(bit, set()).add(user)
        if not new:
            continue
        src, k = bit
        node = graph.nodes[src]
        if node.op != "input":
            todo += [
                (graph.bits[node.args[j]][n], src)
                for j, n in _read(node.op, k, [graph.nodes[a].width for a in node.args])
            ]
        elif node.attr[0] in loops:
            looped = loops[node.attr[0]]
            todo.append((graph.bits[out[looped]][k], looped))
    return users


class _Cone:
    """What a module's bits depend on, with all registers on the way checked."""

    def __init__(self, design: Design) -> None:
        self.modules = {m.name: m for m in design.modules}
        self.drivers: dict[str, dict[str, Part]] = {}
        self.known: dict[tuple[str, Bit], frozenset[Bit]] = {}

    def _driver(self, m: Module) -> dict[str, Part]:
        if m.name not in self.drivers:
            made: dict[str, Part] = {i.name: i for i in m.parts if not isinstance(i, Instance)}
            made |= {signal: i for i in m.parts if isinstance(i, Instance) for _, signal, _ in i.outputs}
            self.drivers[m.name] = made
        return self.drivers[m.name]

    def inputs(self, m: Module, start: Bit) -> frozenset[Bit]:
        """Bits of the module's input ports from which `start` can be reached. Raises ValueError at a
        register without reset.
        """
        if (m.name, start) in self.known:
            return self.known[(m.name, start)]
        driver, ports = self._driver(m), {p.name for p in m.ports if p.direction == "input"}
        found, seen, todo = set[Bit](), set[Bit](), [start]
        while todo:
            bit = todo.pop()
            if bit in seen or not bit[0]:
                continue
            seen.add(bit)
            if bit[0] in ports:
                found.add(bit)
                continue
            todo += self._before(m, driver[bit[0]], bit)
        self.known[(m.name, start)] = frozenset(found)
        return self.known[(m.name, start)]

    def _before(self, m: Module, item: Part, bit: Bit) -> Bits:
        """The bits that a bit is made of."""
        name, k = bit
        if isinstance(item, Register):
            if not item.reset:
                raise ValueError(f"{m.name}: reset does not clear {name}, which a control output depends on")
            return (item.data[k], *([item.clear] if item.clear else []))
        if isinstance(item, ValidLine):  # a reset makes it give 0 until all that was inside has left
            return item.data
        if isinstance(item, DelayLine | Memory):
            raise ValueError(
                f"{m.name}: {name}, which a control output depends on, is in a memory that reset can't clear"
            )
        if isinstance(item, Assign):
            return tuple(item.operands[j][n] for j, n in _read(item.op, k, [len(o) for o in item.operands]))
        port = next(p for p, signal, _ in item.outputs if signal == name)
        pins = dict(item.inputs)
        return tuple(pins[p][n] for p, n in self.inputs(self.modules[item.module], (port, k)))


def check_resets(design: Design, outputs: Iterable[str]) -> None:
    """Every register of `design` from which a bit of the top's ports `outputs` can be reached has a reset.
    Raises ValueError with one that has none, and where a delay line or a memory is on the way.
    """
    top, cone = design.top, _Cone(design)
    widths = {p.name: p.width for p in top.ports}
    for name in outputs:
        for k in range(widths[name]):
            cone.inputs(top, (name, k))
