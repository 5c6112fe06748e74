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

_BLOCKS = {
    "rom": ("block RAM", ": take block_ram_boxes = 0, and another sbox than block_ram"),
    "dsp": ("multipliers of the device", ": take another multiplier than dsp"),
}
"""Kinds of delays of blocks, each with its name and with what a user can ask for instead."""


@dataclass(frozen=True)
class DelayModel:
    """Delays in ns. `name`: of the target, for messages; `table`: pairs of an operation's delay key and its
    delay, sorted by key; `register`: what every stage pays once: clock to output, setup, one route.

    Keys: `lutN` (N inputs an output bit), `addN`, `mulN` (N bits wide), `wire`, and `rom` and `dsp` where the
    target has these blocks. An N between two entries takes the larger one; above the largest it is scaled.

    >>> model = DelayModel.from_table("example", {"register": 0.9, "lut4": 0.5, "lut6": 0.8})
    >>> model.look_up("lut4"), model.look_up("lut5"), round(model.look_up("lut9"), 2)
    (0.5, 0.8, 1.2)
    """

    name: str
    register: float
    table: tuple[tuple[str, float], ...]

    @staticmethod
    def from_table(name: str, data: Mapping[str, float]) -> DelayModel:
        """The model `name` from `data`: delay key -> ns, with `register` among the keys (KeyError where it is
        not).
        """
        rest = tuple(sorted((k, float(v)) for k, v in data.items() if k != "register"))
        return DelayModel(name, float(data["register"]), rest)

    def key(self, graph: Graph, node: Node) -> str:
        """The delay key of `node`, which is a node of `graph`: the widths of what it reads are looked up
        there. `call` for a graph whose delay is the longest path inside.
        """
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
        """Delay of the operation `node` of `graph` in ns (without the stage's register). Raises UserError as
        `look_up` does.
        """
        if OPS[node.op].wiring or node.op == "input":
            return 0.0
        key = self.key(graph, node)
        return _longest(self, node.attr) if key == "call" else self.look_up(key)

    def table_delay(self, address_bits: int) -> float:
        """Delay in ns of a lookup table with an address of `address_bits` (without the stage's register).
        Raises UserError as `look_up` does.
        """
        return self.look_up(f"lut{address_bits}")

    @cached_property
    def _known(self) -> dict[str, float]:
        """Delays that were looked up before."""
        return dict(self.table)

    def look_up(self, key: str) -> float:
        """The delay of `key` in ns, from the table or between its entries (see the class). Raises UserError
        where the table has no entry of that kind, such as a multiplier of a device that has none.
        """
        if key not in self._known:
            self._known[key] = self._between(key)
        return self._known[key]

    def _between(self, key: str) -> float:
        """Delay of a key that the table does not have."""
        kind, n = _split(key)
        known = sorted((_split(k)[1], v) for k, v in self.table if _split(k)[0] == kind)
        if not known:
            what, instead = _BLOCKS.get(kind, (kind, ""))
            raise UserError(
                f"the delays of {what} on {self.name} are not known, so no stages can be planned{instead}"
            )
        return next((v for size, v in known if size >= n), known[-1][1] * n / known[-1][0])

    def levels(self, graph: Graph) -> float:
        """Longest path from an input to an output of `graph`, in ns, without a register."""
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
