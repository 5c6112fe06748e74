"""Proofs for every key and every block: the emitted Verilog computes the cipher, and every path has the
same length.

A pipeline is proven in two parts that together leave nothing open. Ranks: every net is the same number of
registers away from the inputs on every path, so a block's bits meet only bits of the same block. Function:
with the registers taken out, the logic equals an and-inverter graph printed straight from the plain cipher
(ABC, SAT).

The proof of a pipeline is in pipelines.py, that of an iterative core in loops.py; rings of RAM are in
delay_lines.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import CheckFailed
from ..graph import Graph
from ..shell import PortSet
from ..tools import run, scratch
from .aig import FALSE, TRUE, Aig, Hints
from .cuts import Comparison, Cut, cut, restricted, without_equal_sums
from .netlist import DELAY, FLIP_FLOP, GATES, Netlist, in_bits, out_bits

__all__ = [
    "Claim",
    "Frame",
    "Logic",
    "Proof",
    "all_equal",
    "check_ranks",
    "compare",
    "directions",
    "flip_flops",
    "gate_function",
    "is_mux",
    "slot",
    "spec_inputs",
    "topological",
]


@dataclass(frozen=True)
class Proof:
    """What was shown, in words (`statement`), and the number of `gates` compared."""

    statement: str
    gates: int


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "$_AND_": lambda g, a, b: g.and_(a, b),
    "$_OR_": lambda g, a, b: g.and_(a ^ 1, b ^ 1) ^ 1,
    "$_XOR_": lambda g, a, b: g.xor(a, b),
    "$_XNOR_": lambda g, a, b: g.xor(a, b) ^ 1,
    "$_NAND_": lambda g, a, b: g.and_(a, b) ^ 1,
    "$_NOR_": lambda g, a, b: g.and_(a ^ 1, b ^ 1),
    "$_ANDNOT_": lambda g, a, b: g.and_(a, b ^ 1),
    "$_ORNOT_": lambda g, a, b: g.and_(a ^ 1, b) ^ 1,
    "$_NOT_": lambda g, a: a ^ 1,
    "$_BUF_": lambda g, a: a,
    "$_MUX_": lambda g, s, b, a: g.mux(s, b, a),
}


def gate_function(cell: Mapping[str, Any]) -> Callable[..., int]:
    """The function of a gate `cell` over the calls of an `Aig`, or of anything that has them: (aig, inputs in
    the order of GATES) -> output.
    """
    return _FUNCTIONS[cell["type"]]


def _is_ff(cell: Mapping[str, Any]) -> bool:
    """Whether a block's bit takes cycles through the cell."""
    return cell["type"] in (FLIP_FLOP, DELAY)


def _cycles(cell: Mapping[str, Any]) -> int:
    return int(cell["parameters"]["DEPTH"]) if cell["type"] == DELAY else int(cell["type"] == FLIP_FLOP)


def flip_flops(n: Netlist) -> dict[Any, Any]:
    """Output bit of every flip-flop of `n` -> its data bit. Raises CheckFailed with a cell that a proof does
    not know.
    """
    _check_kinds(n, (FLIP_FLOP,))
    return {c["connections"]["Q"][0]: c["connections"]["D"][0] for c in n.cells.values() if _is_ff(c)}


def topological(n: Netlist, through_ff: bool) -> list[str]:
    """Names of the cells of `n`, drivers before readers; flip-flops as wires (`through_ff`), or as cells that
    need no driver first. Raises CheckFailed on a loop.
    """
    driver = {b: name for name, c in n.cells.items() for b in out_bits(c)}
    order: list[str] = []
    done: dict[str, bool] = {}
    """Of every cell that was reached, whether its place in the order is known."""
    for root in n.cells:
        stack = [root]
        while stack:
            name = stack[-1]
            if name in done:
                stack.pop()
                if not done[name]:
                    done[name] = True
                    order.append(name)
                continue
            done[name] = False
            cell = n.cells[name]
            ins = [] if not through_ff and _is_ff(cell) else in_bits(cell)
            before = [driver[b] for b in ins if b in driver]
            todo = [t for t in before if not done.get(t)]
            if wrong := next((t for t in todo if t in done), None):
                raise CheckFailed(f"the core has a loop through {n.name(in_bits(n.cells[wrong])[0])}")
            stack.extend(todo)
    return order


def _check_kinds(n: Netlist, registers: Sequence[str]) -> None:
    for name, cell in n.cells.items():
        if cell["type"] not in registers and cell["type"] not in GATES:
            raise CheckFailed(
                f"the core has a cell {cell['type']} ({n.name(next(iter(out_bits(cell)), name))}) that the "
                f"proof does not know"
            )


def check_ranks(
    n: Netlist, ports: PortSet, latency: int, early: Mapping[str, int], held: Sequence[str]
) -> int:
    """Count the registers on every path of `n` from each input to each output, and return the number of
    flip-flops, those of delay lines included. `ports`: which are clock and reset; `latency`: registers that
    every path must have; `early`: inputs that come before the others, and by how many cycles; `held`: inputs
    that keep their values. Raises CheckFailed with the first net that differs.
    """
    _check_kinds(n, (FLIP_FLOP, DELAY))
    rank: dict[Any, int] = {}
    for name, bits in n.inputs.items():
        if name not in (ports.clk, ports.reset) and name not in held:
            rank.update(dict.fromkeys(bits, -early.get(name, 0)))
    _spread_ranks(n, rank)
    for name, bits in n.outputs.items():
        for b in bits:
            if b in rank and rank[b] != latency:
                raise CheckFailed(
                    f"output {name} comes after {rank[b]} registers, the core promises {latency}"
                )
    return sum(_cycles(cell) for cell in n.cells.values())


def _spread_ranks(n: Netlist, rank: dict[Any, int]) -> None:
    """Add the rank of every cell's output to those of the ports. Raises CheckFailed where inputs of a cell
    have different ranks.
    """
    for name in topological(n, through_ff=True):
        cell = n.cells[name]
        here = {rank[b] for b in in_bits(cell) if b in rank}
        out = cell["connections"]["Q" if _is_ff(cell) else "Y"][0]
        if len(here) > 1:
            raise CheckFailed(
                f"bits of different blocks meet at {n.name(out)}: its inputs are {min(here)} and "
                f"{max(here)} registers from the ports"
            )
        if here:
            rank[out] = here.pop() + _cycles(cell)


class Logic:
    """The gates of `n` with flip-flops as wires (`wires`) or left out, in an order in which they can be
    evaluated. Raises CheckFailed where nothing drives a bit that is read, or on a loop.
    """

    def __init__(self, n: Netlist, wires: bool) -> None:
        self.steps: list[tuple[Callable[..., int], int, list[int]]] = []
        given = {slot(b) for bits in n.inputs.values() for b in bits} | {0, 1}
        given |= {slot(c["connections"]["Q"][0]) for c in n.cells.values() if _is_ff(c)}
        read = {slot(b) for bits in n.outputs.values() for b in bits}
        for name in topological(n, through_ff=wires):
            cell = n.cells[name]
            pins, function, out = (
                ("D", _FUNCTIONS["$_BUF_"], "Q")
                if _is_ff(cell)
                else (GATES[cell["type"]], _FUNCTIONS[cell["type"]], "Y")
            )
            ports = cell["connections"]
            read.update(slot(ports[p][0]) for p in pins)
            if out == "Y" or wires:
                self.steps.append((function, slot(ports[out][0]), [slot(ports[p][0]) for p in pins]))
        free = read - given - {out for _, out, _ in self.steps}
        if free:
            raise CheckFailed(f"nothing drives {n.name(min(free))}")
        self.size = 1 + max(read | given)


def is_mux(function: Callable[..., int]) -> bool:
    """Whether `function`, of a gate, is that of a multiplexer: select, its value at 1, its value at 0."""
    return function is _FUNCTIONS["$_MUX_"]


def slot(bit: Any) -> int:
    """Place of a `bit` of a netlist: Yosys counts nets from 2, so 0 and 1 stand for the constants "0" and
    "1".
    """
    return bit if isinstance(bit, int) else int(bit)


class Frame:
    """Literals in `aig` of a netlist's bits in one cycle (or with registers as wires), from its `logic` and
    those that are `known`: inputs, and registers that are not wires.
    """

    def __init__(self, logic: Logic, aig: Aig, known: Mapping[Any, int]) -> None:
        value: list[int] = [FALSE] * logic.size
        value[1] = TRUE
        for bit, literal in known.items():
            value[slot(bit)] = literal
        for function, out, ins in logic.steps:
            value[out] = function(aig, *[value[i] for i in ins])
        self.value = value

    def get(self, bit: Any) -> int:
        """Literal of a `bit` of the netlist."""
        return self.value[slot(bit)]

    def word(self, bits: Sequence[Any]) -> list[int]:
        """Literals of `bits` of the netlist, in their order."""
        return [self.get(b) for b in bits]


def compare(c: Comparison, names: Sequence[str], cases: Sequence[Mapping[int, int]]) -> int:
    """All pairs of `c` are equal for every input: random inputs first, then ABC; returns the number of gates.
    `names`: of the pairs, for messages; `cases`: in each, variables of inputs that are set to constants,
    together every case there is. Raises CheckFailed with an output that differs.

    Outputs that should be constant (of a core's control) are compared apart from the others, which are cut at
    values that core and cipher have in common (see cuts.py).
    """
    wrong = c.first_difference()
    if wrong is not None:
        raise CheckFailed(f"the core does not compute the cipher: {names[wrong]} differs")
    constant = [i for i, w in enumerate(c.want) if w in (FALSE, TRUE)]
    rest = [i for i, w in enumerate(c.want) if w not in (FALSE, TRUE)]
    control = replace(
        c, marks=(), got=tuple(c.got[i] for i in constant), want=tuple(c.want[i] for i in constant)
    )
    parts = [restricted(control, {})]
    data = replace(c, got=tuple(c.got[i] for i in rest), want=tuple(c.want[i] for i in rest))
    parts += [restricted(data, case) for case in cases]
    for part in parts:
        whole, pieces = Cut(part.aig, part.got, part.want), cut(part)
        if not all_equal(pieces) and not (pieces.functions and all_equal(whole)):
            raise CheckFailed("the core does not compute the cipher, or ABC can't decide whether it does")
    return len(c.aig.gates)


# SAT sweeping straight away decides nearly everything; rewriting both sides first takes ten times as long.
_SWEEP = "miter got.aig want.aig; &get; &fraig -y; &put; iprove -r -b"
_SHALLOW = "&cec got.aig want.aig"
_SLOW = "cec -n -T 900 got.aig want.aig"


def all_equal(c: Cut, shallow: bool = False) -> bool:
    """ABC's word that every pair of `c` is equal for all inputs. `shallow`: the pairs are many, and between
    inputs and each there are few levels of gates; this decides how it is tried first. False where a pair
    differs, and where ABC comes to no answer.
    """
    c = without_equal_sums(c)
    if c.got == c.want:
        return True
    aig, got, want = c.aig, c.got, c.want
    with scratch() as folder:
        (folder / "got.aig").write_bytes(aig.aiger(got))
        (folder / "want.aig").write_bytes(aig.aiger(want))
        for command in (*[_SHALLOW] * shallow, _SWEEP, _SLOW):
            said = run("yosys-abc", ["-q", command], cwd=folder, check=False).stdout
            if "UNSATISFIABLE" in said or "Networks are equivalent" in said:
                return True
            # A counterexample makes the miter's output 1; what ABC reports otherwise is no answer.
            if "SATISFIABLE (output = 1)" in said or "NOT EQUIVALENT" in said:
                return False
    return False


def spec_inputs(
    plain: Graph, aig: Aig, ports: PortSet, literal: Mapping[str, list[int]]
) -> dict[str, list[int]]:
    """The inputs of the graph `plain`, by name, as literals of `aig` (least significant first): those that
    its `ports` have in `literal`, by the port's name. Where the key's port has no parity bits
    (`ports.ascending`), the least significant bit of every byte of the key is false.
    """
    at = {"valid": ports.valid_in, "block": ports.block_in, "key": ports.key, "decrypt": ports.decrypt}
    out = {}
    for name, i in plain.inputs.items():
        bits = list(literal[at.get(name, f"{name}_i")])
        if name == "key" and ports.ascending:
            taken = iter(bits)
            bits = [FALSE if k % 8 == 0 else next(taken) for k in range(plain.nodes[i].width)]
        out[name] = bits
    return out


def directions(decrypt: list[int] | None) -> list[dict[int, int]]:
    """The cases of a proof: either direction by itself, where the core has both. `decrypt`: the literal of
    the port, if it has one.
    """
    return [{decrypt[0] >> 1: FALSE}, {decrypt[0] >> 1: TRUE}] if decrypt else [{}]


@dataclass(frozen=True)
class Claim:
    """What a proof is to show: the module `top` of `sources` computes `plain` at its `ports`, and a result
    leaves `latency` cycles after its block. held: inputs that keep their values while a block is computed;
    hints: see `graph_to_aig`.
    """

    sources: Sequence[Path]
    top: str
    plain: Graph
    ports: PortSet
    latency: int
    held: Sequence[str] = ()
    hints: Hints | None = None
