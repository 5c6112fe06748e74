"""Delay models: data, not code. The figures come from committed measurements (see target/data and
benchmarks).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from ..errors import UserError
from ..graph import OPS, Graph, Node

__all__ = ["UNIT", "DelayModel"]

_BLOCKS = {"rom": "block RAM with registers", "dsp": "multiplier with registers"}


@dataclass(frozen=True)
class DelayModel:
    """Delays in ns by operation key. `register` is what every stage pays once: clock to output, setup, one
    route.

    Keys: `lutN` (N inputs an output bit), `addN`, `mulN` (N bits wide), `wire`. An N between two entries
    takes the larger one; above the largest it is scaled.

    >>> model = DelayModel.from_table("example", {"register": 0.9, "lut4": 0.5, "lut6": 0.8})
    >>> model.look_up("lut4"), model.look_up("lut5"), round(model.look_up("lut9"), 2)
    (0.5, 0.8, 1.2)
    """

    name: str
    register: float
    table: tuple[tuple[str, float], ...]

    @staticmethod
    def from_table(name: str, data: Mapping[str, float]) -> DelayModel:
        rest = tuple(sorted((k, float(v)) for k, v in data.items() if k != "register"))
        return DelayModel(name, float(data["register"]), rest)

    def key(self, graph: Graph, node: Node) -> str:
        """The delay key of a node."""
        if node.op == "call":
            return str(node.attr.delay) or "call"
        if node.op == "lookup":
            n = graph.nodes[node.args[0]].width
        elif node.op == "linear":
            n = max(int(r).bit_count() for r in node.attr[1])
        else:
            n = len(node.args)
        return OPS[node.op].delay.format(n=n, w=node.width)

    def delay(self, graph: Graph, node: Node) -> float:
        """Delay of one operation in ns (without the stage's register)."""
        if OPS[node.op].wiring or node.op == "input":
            return 0.0
        key = self.key(graph, node)
        return _longest(self, node.attr) if key == "call" else self.look_up(key)

    def table_delay(self, address_bits: int) -> float:
        """Delay of a lookup table in ns (without the stage's register)."""
        return self.look_up(f"lut{address_bits}")

    @cached_property
    def _known(self) -> dict[str, float]:
        """Delays that were looked up before."""
        return dict(self.table)

    def look_up(self, key: str) -> float:
        if key not in self._known:
            self._known[key] = self._between(key)
        return self._known[key]

    def _between(self, key: str) -> float:
        """Delay of a key that the table does not have."""
        kind, n = _split(key)
        known = sorted((_split(k)[1], v) for k, v in self.table if _split(k)[0] == kind)
        if not known:
            raise UserError(f"{self.name} has no {_BLOCKS.get(kind, kind)} that stages could be planned with")
        return next((v for size, v in known if size >= n), known[-1][1] * n / known[-1][0])

    def levels(self, graph: Graph) -> float:
        """Longest path through a whole graph in ns."""
        return _longest(self, graph)


def _split(key: str) -> tuple[str, int]:
    m = re.fullmatch(r"([a-z]+)(\d*)", key)
    assert m is not None, key
    return m[1], int(m[2] or 0)


@cache
def _longest(model: DelayModel, graph: Graph) -> float:
    at: list[float] = []
    for node in graph.nodes:
        at.append(max((at[a] for a in node.args), default=0.0) + model.delay(graph, node))
    return max((at[i] for _, i in graph.outputs), default=0.0)


UNIT = DelayModel(
    "unit", 0.0, (("add1", 1.0), ("lut1", 1.0), ("lut6", 1.0), ("lut64", 1.0), ("mul1", 1.0), ("wire", 0.0))
)
"""Every operation one, wiring nothing: for tests and for counting levels."""
