"""Delay lines in RAM, and valid lines: shown to delay by a number of cycles, for all times, and taken as
that many ranks by the proofs.

A ring is a memory, a counter that walks round it, and registers behind it. Which registers are the
counter's is found from the netlist: those that no data reach. Their states are enumerated: what a cycle of
reset leaves (and the values at power-up, where there are some), and all that follow, with resets at any
time. From each of them, with any content of the memory and of the other registers, what comes in is
followed to where it comes out. So as long as no reset comes between, every word comes out after the same
number of cycles, whenever it came in.

A valid line counts the cycles since reset until all that was inside has left. From a reset on, with any
content, it is followed until its counter's states repeat, and for as many cycles more as it is long: it
gives 0 first, and then what came in since the reset, in that order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Any

from ..errors import CheckFailed
from .aig import FALSE, TRUE
from .equivalence import gate_function, topological
from .live import UNKNOWN, settled
from .netlist import DELAY, FLIP_FLOP, GATES, MEMORY, Netlist, in_bits, out_bits

__all__ = [
    "KEPT",
    "KEPT_NAMES",
    "VALID_LINES",
    "as_ranks",
    "delay_of",
    "flushes",
    "is_valid_line",
    "line_of_ranks",
    "with_delays",
]

VALID_LINES = "*_delay_valid*"
"""Modules of a core that may be valid lines; `*` stands for any part of a name."""

KEPT_NAMES = ("*_delay_ring*", "*_delay_block*", VALID_LINES)
"""Modules of a core that may be delay lines in RAM or valid lines; `*` stands for any part of a name."""

KEPT = " ".join(KEPT_NAMES)
"""The same, separated by blanks."""


def is_valid_line(module: str) -> bool:
    """Whether the module with the name `module` is a valid line."""
    return fnmatch(module, VALID_LINES)


_MOST = 1 << 14
"""States of a counter, and cycles of a delay."""

State = tuple[int, ...]


class _Moves:
    """Gates over constants and words that are only moved: literals from 2 on stand for any bit."""

    @staticmethod
    def and_(a: int, b: int) -> int:
        if FALSE in (a, b):
            return FALSE
        return b if a == TRUE else a if b == TRUE or a == b else _computed()

    @staticmethod
    def xor(a: int, b: int) -> int:
        return a ^ b if FALSE in (a, b) or TRUE in (a, b) else _computed()

    @staticmethod
    def mux(s: int, a: int, b: int) -> int:
        return a if s == TRUE or a == b else b if s == FALSE else _computed()


def _computed() -> int:
    raise CheckFailed("a delay line computes with what it delays")


@dataclass
class _Line:
    """A module to be followed cycle by cycle."""

    n: Netlist
    clock: str
    order: list[str] = field(init=False)
    registers: dict[Any, Any] = field(init=False)
    control: list[Any] = field(init=False)
    used: int = 2

    def __post_init__(self) -> None:
        n = self.n
        if (
            set(n.inputs) - {self.clock, "rst_i"} != {"d"}
            or set(n.outputs) != {"q"}
            or len(n.inputs["d"]) != len(n.outputs["q"])
        ):
            raise CheckFailed("a delay line has other ports than those of one")
        self.order = [c for c in topological(n, through_ff=False) if n.cells[c]["type"] != FLIP_FLOP]
        self.registers = {
            c["connections"]["Q"][0]: c["connections"]["D"][0]
            for c in n.cells.values()
            if c["type"] == FLIP_FLOP
        }
        data = set(n.inputs["d"])
        data.update(b for c in n.cells.values() if c["type"] == MEMORY for b in c["connections"]["RD_DATA"])
        while True:  # what data reach, through logic and registers
            more = {
                b
                for c in n.cells.values()
                if c["type"] != MEMORY and not data.isdisjoint(in_bits(c))
                for b in out_bits(c)
            } - data
            if not more:
                break
            data |= more
        self.control = [q for q in self.registers if q not in data]

    def fresh(self) -> int:
        """A bit that is like no other."""
        self.used += 2
        return self.used

    def cycle(
        self, state: Mapping[Any, int], given: list[int], reset: int, memory: dict[str, dict[int, list[int]]]
    ) -> tuple[list[int], dict[Any, int]]:
        """What comes out in a cycle, and the registers after it; the memories (by cell, by address) are
        written.
        """
        n = self.n
        value: dict[Any, int] = {
            "0": FALSE,
            "1": TRUE,
            n.inputs[self.clock][0]: FALSE,
            **state,
            **dict(zip(n.inputs["d"], given, strict=True)),
        }
        value.update((b, reset) for b in n.inputs.get("rst_i", []))
        moves: Any = _Moves
        for name in self.order:
            cell = n.cells[name]
            if cell["type"] == MEMORY:
                self._read(name, cell, value, memory.setdefault(name, {}))
            else:
                pins = cell["connections"]
                value[pins["Y"][0]] = gate_function(cell)(
                    moves, *[value[pins[p][0]] for p in GATES[cell["type"]]]
                )
        for name in self.order:
            if n.cells[name]["type"] == MEMORY:
                self._write(n.cells[name], value, memory[name])
        return [value[b] for b in n.outputs["q"]], {q: value[d] for q, d in self.registers.items()}

    def _read(
        self, name: str, cell: Mapping[str, Any], value: dict[Any, int], words: dict[int, list[int]]
    ) -> None:
        p, pins = (
            {k: int(str(v), 2) for k, v in cell["parameters"].items() if set(str(v)) <= {"0", "1"}},
            cell["connections"],
        )
        if (p["RD_PORTS"], p["WR_PORTS"], p["RD_CLK_ENABLE"], p["WR_CLK_ENABLE"], p["OFFSET"]) != (
            1,
            1,
            0,
            1,
            0,
        ):
            raise CheckFailed(f"a delay line has a memory of another kind ({name})")
        at = _number([value[b] for b in pins["RD_ADDR"]])
        if at >= p["SIZE"]:
            raise CheckFailed("a delay line reads beyond its memory")
        value.update(
            zip(pins["RD_DATA"], words.setdefault(at, [self.fresh() for _ in pins["RD_DATA"]]), strict=True)
        )

    def _write(self, cell: Mapping[str, Any], value: Mapping[Any, int], words: dict[int, list[int]]) -> None:
        pins = cell["connections"]
        if any(value[b] != TRUE for b in pins["WR_EN"]):
            raise CheckFailed("a delay line does not write in every cycle")
        words[_number([value[b] for b in pins["WR_ADDR"]])] = [value[b] for b in pins["WR_DATA"]]

    def states(self) -> set[State]:
        """The states of the control registers that reset and power-up can leave, and all that follow."""
        found: set[State] = set()
        todo = [self._after_reset()]
        if all(q in self.n.initial for q in self.control):
            todo.append(tuple(self.n.initial[q] for q in self.control))
        while todo:
            state = todo.pop()
            if state in found:
                continue
            found.add(state)
            if len(found) > _MOST:
                raise CheckFailed("the counter of a delay line has too many states")
            for reset in (FALSE, TRUE):
                after = self.cycle(self._from(state), [self.fresh() for _ in self.n.inputs["d"]], reset, {})[
                    1
                ]
                todo.append(tuple(after[q] for q in self.control))
        return found

    def _after_reset(self) -> State:
        """What a cycle of reset leaves, whatever was before."""
        state = self._in_reset(self.control)
        if UNKNOWN in state:
            raise CheckFailed("reset does not clear the counter of a delay line")
        return state

    def _in_reset(self, registers: Sequence[Any]) -> State:
        """What a cycle of reset leaves in some registers, whatever was in all of them."""
        reset = dict.fromkeys(self.n.inputs.get("rst_i", []), TRUE)
        value = settled((self.n.cells[name] for name in self.order), reset)
        return tuple(value.get(self.registers[q], UNKNOWN) for q in registers)

    def flushed(self) -> int:
        """Cycles from `d` to `q` of a line that gives 0 after a reset until all that was inside has left,
        and from then on what came in since. Raises CheckFailed where it is none.
        """
        if self._in_reset(self.n.outputs["q"]) != (FALSE,):
            raise CheckFailed("a valid line shows what was inside before a reset")
        now = self._from(self._after_reset()) | {self.n.outputs["q"][0]: FALSE}
        given, outs, states, repeated = list[int](), list[int](), set[State](), 0
        while not repeated or len(outs) <= repeated + len(self.registers):
            state = tuple(now[q] for q in self.control)
            repeated = repeated or len(outs) * (state in states)
            states.add(state)
            given.append(self.fresh())
            (out,), now = self.cycle(now, given[-1:], FALSE, {})
            outs.append(out)
            if len(outs) > _MOST:
                raise CheckFailed("the counter of a valid line has too many states")
        depth = next((k for k, out in enumerate(outs) if out != FALSE), 0)
        if not depth or outs[depth:] != given[: len(outs) - depth] or repeated + depth > len(outs):
            raise CheckFailed(
                "a valid line shows what was inside before a reset, or does not give back what it takes"
            )
        return depth

    def _from(self, state: State) -> dict[Any, int]:
        return {q: self.fresh() for q in self.registers} | dict(zip(self.control, state, strict=True))

    def delay_from(self, state: State, most: int) -> int:
        """Cycles until what comes in now comes out."""
        now, memory = self._from(state), dict[str, dict[int, list[int]]]()
        word = [self.fresh() for _ in self.n.inputs["d"]]
        given = word
        for t in range(most + 1):
            shown, now = self.cycle(now, given, FALSE, memory)
            if t and shown == word:
                return t
            given = [self.fresh() for _ in word]
        raise CheckFailed("a delay line does not give back what it takes")


def _number(bits: list[int]) -> int:
    if any(b > TRUE for b in bits):
        raise CheckFailed("a delay line's place depends on what it delays")
    return sum(b << k for k, b in enumerate(bits))


def delay_of(n: Netlist, clock: str = "clk") -> int:
    """Cycles from `d` to `q` of the module `n`, from any state in which it can be, as long as no reset comes
    between; its registers follow the port `clock`. Raises CheckFailed where that is no delay line.
    """
    line = _Line(n, clock)
    if not any(c["type"] == MEMORY for c in n.cells.values()):
        return line.flushed()
    states = line.states()
    delays = {line.delay_from(s, len(states) + 2) for s in sorted(states)}
    if len(delays) != 1:
        raise CheckFailed(f"a delay line takes {min(delays)} or {max(delays)} cycles")
    return delays.pop()


def flushes(n: Netlist, clock: str = "clk") -> int:
    """Cycles from `d` to `q` of the valid line `n`, whose registers follow the port `clock`: after one cycle
    of reset, whatever was inside, it gives 0 until that has left, and then what came in since. Raises
    CheckFailed where it is none.
    """
    return _Line(n, clock).flushed()


def with_delays(n: Netlist, clock: str, reset: str) -> Netlist:
    """The netlist `n` with a DELAY cell for every bit of its delay lines, which are the modules in `n.kept`.
    `clock`: the port that they follow; `reset`: the core's port, which alone may reset them. Raises
    CheckFailed with what is no delay line.
    """
    depths: dict[str, int] = {}
    cells: dict[str, dict[str, Any]] = {}
    allowed = (*n.inputs.get(reset, [])[:1], "0")
    for name, cell in n.cells.items():
        if cell["type"] not in n.kept:
            cells[name] = cell
            continue
        module, pins = n.kept[cell["type"]], cell["connections"]
        if any(b not in allowed for b in pins.get("rst_i", [])):
            raise CheckFailed(f"the reset of {name} is not that of the core")
        depth = depths.setdefault(cell["type"], 0) or delay_of(module, clock)
        depths[cell["type"]] = depth
        for k, (d, q) in enumerate(zip(pins["d"], pins["q"], strict=True)):
            cells[f"{name}[{k}]"] = _moved(DELAY, pins[clock][0], d, q, DEPTH=depth)
    return replace(n, cells=cells, kept={})


def _moved(kind: str, clock: Any, d: Any, q: Any, **parameters: int) -> dict[str, Any]:
    """A cell of the `kind` that takes `d` to `q`."""
    return {
        "type": kind,
        "parameters": parameters,
        "attributes": {},
        "port_directions": {"C": "input", "D": "input", "Q": "output"},
        "connections": {"C": [clock], "D": [d], "Q": [q]},
    }


def as_ranks(n: Netlist) -> Netlist:
    """The netlist `n`, which `with_delays` made, with flip-flops one behind the other for every DELAY cell: a
    loop is followed cycle by cycle. They hold what the line holds as long as no reset comes between.
    """
    cells: dict[str, dict[str, Any]] = {}
    names = dict(n.names)
    fresh = 1 + max((*names, *(b for c in n.cells.values() for b in _bits(c))), default=1)
    for name, cell in n.cells.items():
        if cell["type"] != DELAY:
            cells[name] = cell
            continue
        wires, depth = cell["connections"], cell["parameters"]["DEPTH"]
        chain = [wires["D"][0], *range(fresh, fresh + depth - 1), wires["Q"][0]]
        fresh += depth - 1
        for k in range(depth):
            cells[f"{name} rank {k}"] = _moved(FLIP_FLOP, wires["C"][0], chain[k], chain[k + 1])
            names.setdefault(chain[k + 1], f"{name} rank {k}")
    return replace(n, cells=cells, names=names)


def _bits(cell: Mapping[str, Any]) -> list[int]:
    return [b for bits in cell["connections"].values() for b in bits if isinstance(b, int)]


def line_of_ranks(line: Netlist, clock: str = "clk") -> Netlist:
    """The delay line `line`, a module by itself, as flip-flops one behind the other; `clock`: its port that
    they follow. Raises CheckFailed where it is none.
    """
    d, q = line.inputs["d"], line.outputs["q"]
    own = replace(line, cells={}, kept={"line": line})
    pins = {clock: line.inputs[clock], "rst_i": line.inputs.get("rst_i", []), "d": d, "q": q}
    own.cells["line"] = {"type": "line", "connections": pins}
    return as_ranks(with_delays(own, clock, "rst_i"))
