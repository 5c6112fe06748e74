"""The schedule: an immutable value, node -> stage. One law: a def-use edge that crosses a stage is a
register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..graph import OPS, OUTPUT, Graph
from .delay import DelayModel

__all__ = ["Io", "Schedule", "register_classes"]

Class = tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Io:
    """When ports have their values. `arrive`: pairs of an input and the stage at which it arrives (default 0;
    -1 is one cycle before the data). `leave`: pairs of an output and the rank after which it leaves (default:
    the number of stages; 0: straight from the inputs' stage).

    >>> io = Io(arrive=(("key", -1),))  # the key comes a cycle before its block
    >>> io.arrival("key"), io.arrival("block"), io.departure("result", 8)
    (-1, 0, 8)
    """

    arrive: tuple[tuple[str, int], ...] = ()
    leave: tuple[tuple[str, int], ...] = ()

    def arrival(self, name: str) -> int:
        """The stage at which the input `name` arrives."""
        return dict(self.arrive).get(name, 0)

    def departure(self, name: str, stages: int) -> int:
        """The rank after which the output `name` leaves, in a schedule of so many `stages`."""
        return dict(self.leave).get(name, stages)

    @cached_property
    def first(self) -> int:
        """The first stage (0, or below where an input arrives early)."""
        return min([0, *(s for _, s in self.arrive)])


def register_classes(graph: Graph) -> list[tuple[int, int, tuple[int, ...], tuple[str, ...]]]:
    """(source, number of bits, users, outputs) for each set of a source's bits that the same operations and
    outputs of `graph` use.

    Wiring is followed bit by bit, so a register is counted for exactly the bits that somebody needs.
    Constants and static values are exempt.

    >>> from cipherwright.graph import GraphBuilder
    >>> b = GraphBuilder("sum")
    >>> x, y, z = (b.input(name, 4) for name in "xyz")
    >>> b.output("sum", b.xor(b.and_(x, y), z))
    >>> register_classes(b.build())[2:]  # z to the XOR (node 4), the AND to it, and the XOR to the output
    [(2, 4, (4,), ()), (3, 4, (4,), ()), (4, 4, (), ('sum',))]
    """
    users = bit_users(graph)
    classes: dict[tuple[int, tuple[int, ...], tuple[str, ...]], int] = {}
    for (src, _), (nodes, outs) in users.items():
        key = (src, tuple(sorted(nodes)), tuple(sorted(outs)))
        classes[key] = classes.get(key, 0) + 1
    return [(src, n, nodes, outs) for (src, nodes, outs), n in sorted(classes.items())]


def bit_users(graph: Graph) -> dict[tuple[int, int], tuple[set[int], set[str]]]:
    """Agile (source, bit) -> operations and outputs that use it."""
    outs: dict[tuple[int, int], set[str]] = {}
    for name, i in graph.outputs:
        for bit in graph.bits[i]:
            outs.setdefault(bit, set()).add(name)
    return {
        bit: (set(users - {OUTPUT}), outs.get(bit, set()))
        for bit, users in graph.readers.items()
        if graph.agile[bit[0]]
    }


@dataclass(frozen=True)
class Schedule:
    """A graph in stages.

    graph: what is scheduled; stage: the stage of every node by its index (wiring and static nodes: 0, without
    meaning).
    stages: register ranks. Stage k ends at rank k + 1, and the last stage is `stages` - 1.
    io: when ports have their values.
    model: the delays; period: of the clock, in ns, register included.
    tied: operations are in other stages than in the schedule with the fewest registers, so that rounds that
    are alike have their registers at equal places.
    """

    graph: Graph
    stage: tuple[int, ...]
    stages: int
    io: Io
    model: DelayModel
    period: float
    tied: bool = False

    def made(self, i: int) -> int:
        """The stage in which the result of node `i` is there: the one after its own where it brings its
        register.
        """
        return self.stage[i] + OPS[self.graph.nodes[i].op].clocked

    def reads(self, i: int) -> int:
        """The stage in which node `i` reads: the one before its own where it brings its register."""
        return self.stage[i] - OPS[self.graph.nodes[i].op].clocked

    @cached_property
    def uses(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """(source, bit) -> the stages at which it is read, ascending. An output reads after its rank."""
        out = {}
        for bit, (nodes, outs) in bit_users(self.graph).items():
            taps = {self.reads(u) for u in nodes} | {self.io.departure(o, self.stages) for o in outs}
            out[bit] = tuple(sorted(taps))
        return out

    def registered(self, name: str) -> bool:
        """Whether every bit of the input `name` that is read goes into a register first."""
        source, comes = self.graph.inputs[name], self.io.arrival(name)
        return all(taps[0] > comes for (src, _), taps in self.uses.items() if src == source and taps)

    @cached_property
    def _live(self) -> dict[int, dict[int, list[int]]]:
        ranks: dict[int, dict[int, list[int]]] = {}
        for (src, k), taps in sorted(self.uses.items()):
            for rank in range(self.made(src) + 1, taps[-1] + 1):
                ranks.setdefault(rank, {}).setdefault(src, []).append(k)
        return ranks

    def live_out(self, stage: int) -> dict[int, list[int]]:
        """Source -> bits that cross the end of `stage` (the registers of rank stage + 1)."""
        return self._live.get(stage + 1, {})

    def register_bits(self) -> int:
        """Flip-flops of all ranks."""
        return sum(len(bits) for rank in self._live.values() for bits in rank.values())

    def rank_bits(self) -> dict[int, int]:
        """Rank -> flip-flops."""
        ranks = range(self.io.first + 1, self.stages + 1)
        return {r: sum(len(b) for b in self._live.get(r, {}).values()) for r in ranks}

    def stage_delays(self) -> dict[int, float]:
        """Stage -> predicted delay in ns, register included."""
        arrive = self._arrivals()
        out = dict.fromkeys(range(self.io.first, self.stages), self.model.register)
        for i in self.graph.logic():
            if self.graph.agile[i]:
                out[self.stage[i]] = max(out[self.stage[i]], arrive[i] + self.model.register)
        return out

    def _arrivals(self) -> list[float]:
        at = [0.0] * len(self.graph.nodes)
        for i in self.graph.logic():
            node = self.graph.nodes[i]
            before = [0.0]
            for a in node.args:
                for src, _ in self.graph.bits[a]:
                    if self.graph.agile[src] and self.stage[src] == self.stage[i]:
                        before.append(at[src])
            at[i] = max(before) + self.model.delay(self.graph, node)
        return at

    def verify(self) -> None:
        """Raise ValueError where the schedule breaks causality or leaves its stages."""
        for i in self.graph.logic():
            if self.graph.agile[i]:
                self._verify_operation(i)
        for name, i in self.graph.inputs.items():
            if self.stage[i] != self.io.arrival(name):
                raise ValueError(f"input {name} is at stage {self.stage[i]}, not where it arrives")
        for name, i in self.graph.outputs:
            last = self.io.departure(name, self.stages)
            for src, _ in self.graph.bits[i]:
                if self.graph.agile[src] and self.stage[src] > last:
                    raise ValueError(f"output {name} leaves before node {src} has computed it")

    def _verify_operation(self, i: int) -> None:
        """Raise ValueError where an operation is outside the stages, or before what it reads."""
        at = self.stage[i]
        if not self.io.first <= at < self.stages:
            raise ValueError(f"node {i} is at stage {at}, outside {self.io.first}..{self.stages - 1}")
        sources = {src for a in self.graph.nodes[i].args for src, _ in self.graph.bits[a]}
        for src in sorted(sources):
            made = self.stage[src]
            if self.graph.agile[src] and at < made + edge_latency(self.graph, src, i):
                raise ValueError(f"node {i} (stage {at}) reads node {src} (stage {made}) too early")

    def verify_timing(self) -> None:
        """Raise ValueError where a stage's predicted delay exceeds the period."""
        for stage, delay in self.stage_delays().items():
            if delay > self.period + 1e-9:
                raise ValueError(f"stage {stage} takes {delay:.3f} ns, the period is {self.period:.3f} ns")


def edge_latency(graph: Graph, src: int, user: int) -> int:
    """Fewest registers between two operations."""
    return max(OPS[graph.nodes[src].op].out_latency, OPS[graph.nodes[user].op].in_latency)


def stage_map(graph: Graph, stage: Mapping[int, int]) -> tuple[int, ...]:
    """A stage for every node from those of logic and inputs."""
    return tuple(stage.get(i, 0) for i in range(len(graph.nodes)))
