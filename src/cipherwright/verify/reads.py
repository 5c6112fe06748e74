"""Round keys that a loop reads by address, in its proof: what is at an address is any word, the same one in
every cycle and for every block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..arch import KeyMemory
from ..errors import CheckFailed
from ..graph import Graph
from .aig import Aig
from .live import Live
from .netlist import Netlist

__all__ = ["Reads", "memory_inputs"]

Literals = dict[Any, int]


def memory_inputs(memory: KeyMemory) -> list[str]:
    """Names of a proof's inputs for all bits that `memory` holds: round key by round key, the least
    significant bit first.
    """
    return [f"{memory.user(i)}[{k}]" for i in range(memory.count) for k in range(memory.width)]


@dataclass(frozen=True)
class Reads:
    """The reads of a loop `n` with `slots` blocks in flight, which reads round keys by address as `memory`
    says. The memory's bits are the inputs of a proof from number `first` on. Registers hold the same words as
    the memory (`fixed`).
    """

    n: Netlist
    memory: KeyMemory
    slots: int
    first: int

    def word(self, aig: Aig, number: int) -> list[int]:
        """The literals in `aig` of round key `number` as it is held, the least significant first."""
        low = self.first + number * self.memory.width
        return [aig.input(k) for k in range(low, low + self.memory.width)]

    def fixed(self, aig: Aig) -> Literals:
        """The literals in `aig` of the ports that show round keys all the time, by bit."""
        pairs = ((self.n.inputs[f"{self.memory.user(i)}_i"], self.word(aig, i)) for i in self.memory.fixed)
        return {b: v for bits, word in pairs for b, v in zip(bits, word, strict=True)}

    def described(self, aig: Aig, plain: Graph) -> dict[str, list[int]]:
        """The literals in `aig` of the inputs of the rounds, the graph `plain`, by the name of a port, least
        significant first: the most significant bits of words.
        """
        out = {}
        for i in range(self.memory.count):
            name = self.memory.user(i)
            width = plain.nodes[plain.inputs[name]].width
            out[f"{name}_i"] = self.word(aig, i)[self.memory.width - width :]
        return out

    def inputs(
        self, live: Live, aig: Aig, registers: Literals, start: Literals, given: Sequence[Literals]
    ) -> list[Literals]:
        """The inputs of a run of `live` over `aig` from a block's load, with the words that the loop reads
        for that block. `registers`: bit -> its data bit; `start`: their literals in the first cycle. In other
        cycles it reads for other blocks, and words stay as they are `given`, a cycle each. Raises CheckFailed
        where an address depends on a word.
        """
        out = [dict(row) for row in given]
        wanted = self._addresses(live, aig, registers, start, out)
        for t, addresses in wanted.items():
            if t + self.memory.late < len(out):
                out[t + self.memory.late] |= self._read(aig, addresses, given[t + self.memory.late])
        if self._addresses(live, aig, registers, start, out) != wanted:
            raise CheckFailed("the address of a round key depends on data")
        return out

    def _addresses(
        self, live: Live, aig: Aig, registers: Literals, start: Literals, given: Sequence[Literals]
    ) -> dict[int, list[list[int]]]:
        """Cycle -> the address that each port shows."""
        ports = [self.n.outputs[f"address{i}_o"] for i in range(self.memory.reads)]
        cycles = [t % self.slots == 0 for t in range(len(given))]
        roots = [[b for bits in ports for b in bits] if now else [] for now in cycles]
        seen = live.run(aig, registers, start, given, roots)
        return {t: [[seen[t][b] for b in bits] for bits in ports] for t, now in enumerate(cycles) if now}

    def _read(self, aig: Aig, addresses: Sequence[Sequence[int]], given: Literals) -> Literals:
        """The literals of the words at addresses; where none is held, what is `given`."""
        out: Literals = {}
        for i, address in enumerate(addresses):
            bits = self.n.inputs[f"word{i}_i"]
            free = [given[b] for b in bits]
            numbers = map(self.memory.number, range(1 << self.memory.address_bits))
            words = [free if number is None else self.word(aig, number) for number in numbers]
            out |= {b: aig.select(address, column) for b, *column in zip(bits, *words, strict=True)}
        return out
