"""The dataflow graph: typed, immutable, acyclic, and ignorant of clocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat
from typing import Any

from .ops import AGILE, OPS

__all__ = ["OUTPUT", "Graph", "Node"]

OUTPUT = -1
"""The reader that stands for an output of the graph."""


@dataclass(frozen=True, init=False)
class Node:
    """One operation. `op`: its name in `OPS`; `width`: of the result, in bits; `args`: indices of the nodes
    that it reads, in the order of the operation's meaning; `attr`: the operation's attribute; `name`: a hint
    for the emitted text.

    Attributes: input (name, AGILE or STATIC); const value; select bits, most significant first; lookup Table;
    linear (name, rows); rom, like lookup, with the registers of block RAM (of two addresses two words, the
    first at the top); dsp, a product with the registers of the device's multiplier; full_adder the sum (carry
    at the top) of three bits, half_adder_n the inverted sum and carry of two inverted bits; lut truth table
    as an integer (lut4: the same for single bits, kept as one cell by the mapper; so are the wide
    multiplexers muxf5 and muxf6, and xor5, a LUT4 with the XOR gate behind it); call Graph; again/copy/hop
    something that tells copies apart.
    """

    op: str
    width: int
    args: tuple[int, ...] = ()
    attr: Any = None
    name: str = ""
    section: str = field(default="", compare=False)
    """The part of the cipher that it was described in, such as `round 7` or, with the standard's step,
    `round 7: MixColumns`, for comments in the Verilog.
    """

    def __init__(
        self,
        op: str,
        width: int,
        args: tuple[int, ...] = (),
        attr: Any = None,
        name: str = "",
        section: str = "",
    ) -> None:
        # All at once: a large core makes 200,000 nodes, and setting each alone takes three times as long.
        self.__dict__.update(op=op, width=width, args=args, attr=attr, name=name, section=section)


@dataclass(frozen=True)
class Graph:
    """`nodes` in topological order (arguments before users) and named `outputs` (name, node index); `name`:
    of the graph.

    `delay` names the delay of the whole graph as one operation where it is called (such as `lut6` for a tree
    of LUT4s under wide multiplexers); empty: the longest path inside.

    Raises ValueError where a node breaks the rules of its operation, an argument does not come before its
    user, two inputs or two outputs have one name, or an output names no node.
    """

    name: str
    nodes: tuple[Node, ...]
    outputs: tuple[tuple[str, int], ...]
    delay: str = ""

    def __post_init__(self) -> None:
        widths: list[int] = []
        for i, node in enumerate(self.nodes):
            fault = _fault(node, widths)
            if fault:
                raise ValueError(f"graph {self.name}, node {i} ({node.op}): {fault}")
            widths.append(node.width)
        for names in (self.input_names(), tuple(n for n, _ in self.outputs)):
            if len(set(names)) != len(names):
                raise ValueError(f"graph {self.name}: a port name stands twice in {names}")
        if any(not 0 <= i < len(self.nodes) for _, i in self.outputs):
            raise ValueError(f"graph {self.name}: an output names no node")

    @cached_property
    def inputs(self) -> dict[str, int]:
        """Input name -> node index, in the order of the nodes."""
        return {n.attr[0]: i for i, n in enumerate(self.nodes) if n.op == "input"}

    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs; a name that stands twice is listed twice."""
        return tuple(n.attr[0] for n in self.nodes if n.op == "input")

    @cached_property
    def agile(self) -> tuple[bool, ...]:
        """Whether each node depends on an agile input; the others are held and need no pipeline registers."""
        out: list[bool] = []
        for node in self.nodes:
            out.append(node.attr[1] == AGILE if node.op == "input" else any(out[a] for a in node.args))
        return tuple(out)

    @cached_property
    def bits(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For every node and bit (index 0 = least significant): the (node, bit) that drives it through
        wiring.
        """
        out: list[tuple[tuple[int, int], ...]] = []
        for i, node in enumerate(self.nodes):
            if node.op == "select":
                src = out[node.args[0]]
                out.append(tuple(map(src.__getitem__, reversed(node.attr))))
            elif node.op == "cat":
                out.append(tuple(chain.from_iterable(map(out.__getitem__, reversed(node.args)))))
            else:
                out.append(tuple(zip(repeat(i), range(node.width), strict=False)))
        return tuple(out)

    @cached_property
    def readers(self) -> dict[tuple[int, int], frozenset[int]]:
        """For every (node, bit) that something reads through wiring: the operations that do, and OUTPUT
        for an output.
        """
        found: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for i in self.logic():
            for a in self.nodes[i].args:
                for bit in self.bits[a]:
                    found[bit].add(i)
        for _, i in self.outputs:
            for bit in self.bits[i]:
                found[bit].add(OUTPUT)
        return {bit: frozenset(users) for bit, users in found.items()}

    def logic(self) -> Iterator[int]:
        """Indices of the nodes that are neither wiring nor inputs."""
        return (i for i, n in enumerate(self.nodes) if n.op != "input" and not OPS[n.op].wiring)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.nodes, self.outputs))


def _fault(node: Node, before: list[int]) -> str:
    """What is wrong with a node, in a sentence; empty where it follows the rules of the operation table.
    `before`: the widths of the nodes before it.
    """
    op, args, width = OPS.get(node.op), node.args, node.width
    if op is None:
        return "there is no such operation"
    if width < 1 or (args and not (min(args) >= 0 and max(args) < len(before))):
        return "a width below 1 or an argument that does not come before it"
    if op.arity is not None and len(args) != op.arity:
        return f"{len(args)} arguments instead of {op.arity}"
    widths = [before[a] for a in args]
    if not op.fits(node.attr, widths, width):
        return f"widths {widths} -> {width} or attribute do not fit the operation"
    return ""
