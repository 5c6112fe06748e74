"""Rules of the commands of a core whose blocks are registers, in every state that can be reached from reset.

Beside the module of the commands runs what software and the core may rely on: what has been loaded, started,
taken and answered. All inputs have all values in every cycle, except that a result comes only of a block
inside, and all words are read only of a result that waits.

- Each command is carried out or told as rejected, and START is carried out where READY says so.
- A started block is offered once nothing is before it, and is taken once. No other block is inside then and
  no result waits, so a result is never overwritten.
- A key or an initial value that is loaded is never for a block that was started before it.
- The first block under a key takes an initial value, where there is one.
- Zeroising leaves nothing of all this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from .aig import FALSE
from .equivalence import gate_function, topological
from .netlist import FLIP_FLOP, GATES, Netlist

__all__ = ["Bits", "Cycle", "Rules", "check_commands", "explored"]

Bits = NDArray[np.uint8]
Cycle = dict[str, Bits]


class _Columns:
    """Gates over columns of zeros and ones, with the calls of an `Aig`."""

    @staticmethod
    def and_(a: Any, b: Any) -> Any:
        return a & b

    @staticmethod
    def xor(a: Any, b: Any) -> Any:
        return a ^ b

    @staticmethod
    def mux(s: Any, a: Any, b: Any) -> Any:
        return (s & a) | ((s ^ 1) & b)


class _Module:
    """A small netlist, evaluated for many cases at once."""

    def __init__(self, n: Netlist) -> None:
        self.n = n
        order = topological(n, through_ff=False)
        self.gates = [n.cells[name] for name in order if n.cells[name]["type"] in GATES]
        self.registers = {
            c["connections"]["Q"][0]: c["connections"]["D"][0]
            for c in n.cells.values()
            if c["type"] == FLIP_FLOP
        }

    def settle(self, known: dict[Any, Bits]) -> dict[Any, Bits]:
        """Every bit, for the values of inputs and registers in each case."""
        cases = len(next(iter(known.values())))
        value: dict[Any, Any] = {"0": np.zeros(cases, np.uint8), "1": np.ones(cases, np.uint8), **known}
        columns: Any = _Columns
        for cell in self.gates:
            pins = cell["connections"]
            value[pins["Y"][0]] = gate_function(cell)(
                columns, *(value[pins[p][0]] for p in GATES[cell["type"]])
            )
        return value


_GHOST = ("key", "iv", "keyed", "fresh", "pending", "inside", "result")
"""What is known from outside: a key and an initial value are loaded and not taken; there is a key; the next
block begins a message; a block is started and not taken, one is inside, a result waits.
"""


def _begin() -> dict[str, int]:
    return {name: int(name == "fresh") for name in _GHOST}


def _missing(c: Cycle) -> Cycle:
    """The ports of initial values, where the module has none, as zeros."""
    zero = np.zeros_like(c["zeroise_i"])
    names = ("load_iv_i", "written_iv_i", "iv_loads_o", "iv_offer_o", "iv_taken_o")
    return {**dict.fromkeys(names, zero), **c}


def _rules(g: Cycle, c: Cycle, chains: bool) -> tuple[tuple[Bits, str], ...]:
    """Rules of a cycle: where each holds, and what it says."""
    no = {name: 1 - bits for name, bits in {**g, **c}.items()}
    refused = (c["load_key_i"] & no["key_loads_o"]) | (c["load_iv_i"] & no["iv_loads_o"])
    refused |= c["start_i"] & no["starts_o"]
    key_known, idle = g["keyed"] | g["key"] | c["key_loads_o"], no["key"] & no["inside"] & no["result"]
    begun = no["fresh"] & no["key"] & no["key_loads_o"]
    startable = c["start_i"] & c["written_i"] & no["pending"] & key_known
    if chains:
        startable &= g["iv"] | c["iv_loads_o"] | begun
    loads = {w: c[f"load_{w}_i"] & c[f"written_{w}_i"] & no[w] & no["pending"] for w in ("key", "iv")}
    first = c["taken_o"] & g["fresh"] & (1 - c["iv_taken_o"]) if chains else np.zeros_like(refused)
    return (
        (c["rejected_o"] == refused, "a command is carried out, or it is told as rejected"),
        (c["key_loads_o"] == loads["key"], "a key is loaded when it is complete and no block waits"),
        (c["iv_loads_o"] == loads["iv"], "an initial value is loaded when it is complete and no block waits"),
        (c["starts_o"] == startable, "a block is started when it, its key and its initial value are there"),
        ((no["can_o"] | no["start_i"] | no["written_i"] | c["starts_o"]) == 1, "READY tells what START does"),
        (c["pending_o"] == g["pending"], "a started block waits until it is taken"),
        (c["result_o"] == g["result"], "a result waits until it has been read"),
        (c["key_offer_o"] == g["key"], "a loaded key is offered until it is taken"),
        (c["iv_offer_o"] == g["iv"], "a loaded initial value is offered until it is taken"),
        (c["offer_o"] == (g["pending"] & idle), "a block is offered when nothing is before it"),
        (c["taken_o"] == (c["offer_o"] & c["ready_i"]), "a block is taken when the core takes it"),
        (c["key_taken_o"] == (g["key"] & c["key_ready_i"]), "a key is taken when the core takes it"),
        (c["iv_taken_o"] == (g["iv"] & c["taken_o"]), "an initial value is taken with its block"),
        (first == 0, "the first block of a message takes an initial value"),
    )  # fmt: skip


def _after(g: Cycle, c: Cycle) -> Cycle:
    """What is known from outside after a cycle."""
    left = {
        "key": c["key_loads_o"] | (g["key"] & (1 - c["key_taken_o"])),
        "iv": c["iv_loads_o"] | (g["iv"] & (1 - c["iv_taken_o"])),
        "keyed": g["keyed"] | c["key_taken_o"],
        "fresh": c["key_taken_o"] | (g["fresh"] & (1 - c["taken_o"])),
        "pending": c["starts_o"] | (g["pending"] & (1 - c["taken_o"])),
        "inside": c["taken_o"] | (g["inside"] & (1 - c["done_i"])),
        "result": c["done_i"] | (g["result"] & (1 - c["seen_i"])),
    }
    zeroise = c["zeroise_i"] == 1
    return {name: np.where(zeroise, np.uint8(value), left[name]) for name, value in _begin().items()}


def _fair(g: Cycle, c: Cycle) -> Bits:
    """A result comes only of a block inside, and all words are read only of a result that waits."""
    fair = (c["done_i"] <= g["inside"]) & (c["seen_i"] <= g["result"])
    return fair.astype(np.uint8)


def check_commands(n: Netlist) -> int:
    """Explore all states of `n`, the module of the commands, with what is known from outside; how many states
    there are. Raises CheckFailed with a rule that is broken.
    """
    chains = "load_iv_i" in n.inputs

    def rules(g: Cycle, c: Cycle) -> tuple[tuple[Bits, str], ...]:
        return _rules(g, _missing(c), chains)

    return explored(n, Rules(_begin(), _fair, rules, lambda g, c: _after(g, _missing(c))))


@dataclass(frozen=True)
class Rules:
    """What holds of a module of commands. begin: what is known from outside, after reset, by name; fair:
    where the inputs are such as may come; rules: where each holds, and what it says; after: what is known
    after a cycle. All take what is known, and ports of the module.
    """

    begin: dict[str, int]
    fair: Callable[[Cycle, Cycle], Bits]
    rules: Callable[[Cycle, Cycle], tuple[tuple[Bits, str], ...]]
    after: Callable[[Cycle, Cycle], Cycle]


def explored(n: Netlist, of: Rules) -> int:
    """Explore all states of the module `n` with what is known from outside, under all inputs that may come,
    and check the rules `of` it in each; how many states there are. All of its ports but clock and reset have
    one bit. Raises CheckFailed with a rule that is broken.
    """
    module, state = _Module(n), sorted(q for q in _Module(n).registers)
    ports = [name for name in n.inputs if name not in ("clk", "rst_i")]
    every = np.arange(1 << len(ports))
    inputs: Cycle = {name: (every >> k & 1).astype(np.uint8) for k, name in enumerate(ports)}
    reset = n.inputs["rst_i"][0]

    def cycle(now: tuple[int, ...], rst: int) -> dict[Any, Bits]:
        known = {n.inputs[name][0]: bits for name, bits in inputs.items()}
        known |= {q: np.full(len(every), v, dtype=np.uint8) for q, v in zip(state, now, strict=True)}
        return module.settle({**known, reset: np.full(len(every), rst, dtype=np.uint8)})

    cleared = cycle((FALSE,) * len(state), 1)
    first = (tuple(int(cleared[module.registers[q]][0]) for q in state), tuple(of.begin.values()))
    seen, todo = {first}, [first]
    while todo:
        now, ghost = todo.pop()
        value = cycle(now, 0)
        c = {**inputs, **{name: value[bits[0]] for name, bits in n.outputs.items()}}
        g = {name: np.full(len(every), v, dtype=np.uint8) for name, v in zip(of.begin, ghost, strict=True)}
        fair = of.fair(g, c) == 1
        for held, text in of.rules(g, c):
            if (fair & ~held).any():
                raise CheckFailed(f"the commands break a rule: {text}")
        after = of.after(g, c)
        columns = [*(value[module.registers[q]] for q in state), *(after[name] for name in of.begin)]
        for row in np.unique(np.stack(columns, axis=1)[fair], axis=0):
            found = tuple(int(v) for v in row)
            following = (found[: len(state)], found[len(state) :])
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return len(seen)
