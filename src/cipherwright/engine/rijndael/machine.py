"""A Rijndael processor's gates, cycle by cycle, with every register free that is not constant."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from ...errors import CheckFailed
from ...verify import CoreFolder
from ...verify.aig import TRUE, Aig
from ...verify.equivalence import flip_flops
from ...verify.live import Live
from ...verify.netlist import Netlist, read_netlist
from .meaning import Value

__all__ = ["Cycle", "Processor", "RandomValues"]

_PATTERNS = 256
_ALL = (1 << _PATTERNS) - 1


class RandomValues:
    """Values of literals of `aig` under random values of the inputs, one pattern a bit. The seed is fixed."""

    def __init__(self, aig: Aig) -> None:
        rng = random.Random(7)
        self.aig = aig
        self.values = [0, *(rng.getrandbits(_PATTERNS) for _ in aig.inputs)]

    def of(self, literal: int) -> int:
        """The values of `literal`, 256 patterns, also of gates that were made since."""
        values = self.values
        for b, a in self.aig.gates[len(values) - 1 - len(self.aig.inputs) :]:
            x, y = values[a >> 1], values[b >> 1]
            values.append((x ^ _ALL if a & 1 else x) & (y ^ _ALL if b & 1 else y))
        return values[literal >> 1] ^ (_ALL if literal & 1 else 0)


@dataclass(frozen=True)
class Cycle:
    """One cycle as literals: the registers' next values (`after`), and the `outputs` by name. `made`: the
    next values that are gates; `below`: the registers and inputs on which these depend.
    """

    after: dict[Any, int]
    outputs: dict[str, list[int]]
    made: set[int]
    below: set[int]


class Processor:
    """The gates of the processor in `folder`, with a free literal for every register and every input. Raises
    CheckFailed where the netlist has what the proofs do not know.
    """

    def __init__(self, folder: CoreFolder) -> None:
        self.n: Netlist = read_netlist(folder.sources, folder.record["top"])
        self.live, self.registers = Live(self.n), flip_flops(self.n)
        self.ports = {name: bits for name, bits in self.n.inputs.items() if name != "clk"}
        self._begin()

    def again(self) -> Processor:
        """The same without the gates that were made."""
        other = copy(self)
        other._begin()
        return other

    def _begin(self) -> None:
        free = [*self.registers, *(b for bits in self.ports.values() for b in bits)]
        self.aig = Aig([self.n.name(b) for b in free])
        self.own = {b: self.aig.input(j) for j, b in enumerate(free)}
        self.arrays: dict[int, str] = {self.own[q]: self.n.name(q).partition("[")[0] for q in self.registers}
        """Names of the vectors that registers belong to. A round key or window is looked for in one."""
        self._cycles: dict[Any, Cycle] = {}

    def cycle(self, state: Mapping[Any, Value], ports: Mapping[str, int]) -> Cycle:
        """A cycle in which what has a constant in `state`, by register, has it, and `ports`, numbers by name,
        are what they say, without a reset unless they say so; other registers and inputs are free.
        """
        fixed = {q: v if isinstance(v, int) else -1 for q, v in state.items()}
        key = (tuple(fixed.values()), tuple(sorted(ports.items())))
        if key not in self._cycles:
            known = {b: literal if fixed.get(b, -1) < 0 else fixed[b] for b, literal in self.own.items()}
            for name, value in ({"rst_i": 0} | dict(ports)).items():
                known |= {b: value >> k & 1 for k, b in enumerate(self.n.inputs[name])}
            outputs = [b for bits in self.n.outputs.values() for b in bits]
            frame = self.live.frame(self.aig, known, [*self.registers.values(), *outputs])
            after = {q: frame.get(d) for q, d in self.registers.items()}
            made = {x for x in after.values() if x >> 1 > len(self.aig.inputs)}
            self._cycles[key] = Cycle(
                after,
                {name: [frame.get(b) for b in bits] for name, bits in self.n.outputs.items()},
                made,
                self._inputs_below(made),
            )
        return self._cycles[key]

    def after_reset(self) -> dict[Any, int]:
        """The state that one cycle of reset leaves, whatever was before. Raises CheckFailed with a register
        that reset leaves open.
        """
        state = self.cycle(dict.fromkeys(self.registers), {"rst_i": 1}).after
        for q, v in state.items():
            if v > TRUE:
                raise CheckFailed(f"reset does not clear {self.n.names[q]}")
        return state

    def _inputs_below(self, literals: Iterable[int]) -> set[int]:
        """The inputs that literals depend on, as literals."""
        count, seen, stack = len(self.aig.inputs), {0}, [x >> 1 for x in literals]
        while stack:
            v = stack.pop()
            if v not in seen:
                seen.add(v)
                if v > count:
                    stack += [x >> 1 for x in self.aig.gates[v - count - 1]]
        return {2 * v for v in seen if 0 < v <= count}
