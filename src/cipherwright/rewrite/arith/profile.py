"""Adders for inputs that arrive at different times: blocks of ripple, carry-skip and carry-select, found
by dynamic programming, and parallel prefix networks (prefix.py).

Satoh et al. 2000 (sections 3.1 and 3.2) choose such blocks by hand: ripple where the arrivals rise faster
than a carry moves, blocks that grow by one bit where they are level. Here every split into blocks of every
kind is weighed: from the lowest bit on, only the ways are kept that no other beats in the carry's arrival,
the worst sum and the area at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...graph.builder import GraphBuilder
from .compressor import UNIT_CELLS, CellDelays, TimedBit
from .gates import Bit, Gates, Group
from .prefix import PREFIX_NETWORKS, Parting, prefix_parting

__all__ = ["PROFILE_ADDERS", "BlockPlan", "Plan", "hybrid_carries", "plan_blocks", "profile_add"]

_BLOCKS: dict[str, tuple[str, ...]] = {
    "ripple": ("ripple",),
    "carry_skip": ("ripple", "skip"),
    "carry_select": ("ripple", "select"),
    "hybrid": ("ripple", "skip", "select"),
}
"""Kinds of blocks of an adder; a ripple block of one bit is in each."""

PROFILE_ADDERS = (*_BLOCKS, *PREFIX_NETWORKS)
"""Adders by name that are made for the arrivals of their inputs."""

_LONGEST = 10
"""Bits of the largest block."""

_KEPT = 40
"""Ways that are kept at each bit."""


@dataclass(frozen=True)
class BlockPlan:
    """Bits low … high - 1 by `kind`: ripple, skip or select; `carry`: arrival of the carry out of it in
    ns.
    """

    kind: str
    low: int
    high: int
    carry: float


@dataclass(frozen=True)
class Plan:
    """The blocks from the lowest on (of a prefix network none: it has a parting), the latest sum's arrival
    in ns, and the area in NAND2 equivalents.
    """

    blocks: tuple[BlockPlan, ...]
    arrival: float
    area: float
    parting: Parting | None = None


@dataclass(frozen=True)
class _Way:
    carry: float
    worst: float
    area: float
    blocks: tuple[BlockPlan, ...]

    def beats(self, other: _Way) -> bool:
        return self.carry <= other.carry and self.worst <= other.worst and self.area <= other.area


@dataclass(frozen=True)
class _Costs:
    """Delays and areas of an adder's parts."""

    carry: float
    xor: float
    mux: float
    and_: float
    fanout: float
    cell: float
    area: dict[str, float]

    @staticmethod
    def of(cells: CellDelays) -> _Costs:
        g, a = cells.gates, cells.area
        area = {
            "ripple": a["aoi21"] + a["xor2"],
            "skip": 2 * a["aoi21"] + a["and2"] + a["xor2"],
            "select": 2 * (a["aoi21"] + a["xor2"]) + a["mux2"],
        }
        return _Costs(g["aoi21"], g["xor2"], g["mux2"], g["and2"], cells.fanout, a["aoi21"], area)


def _extend(way: _Way, kind: str, low: int, g: Sequence[float], p: Sequence[float], c: _Costs) -> _Way:
    """One more block over the columns whose (g, p) arrive at g[i], p[i]."""
    n = len(g)
    if kind == "ripple":
        carry, worst = way.carry, way.worst
        for gi, pi in zip(g, p, strict=True):
            worst = max(worst, max(carry, pi) + c.xor)
            carry = max(carry, gi, pi) + c.carry
        return _Way(
            carry, worst, way.area + n * c.area[kind], (*way.blocks, BlockPlan(kind, low, low + n, carry))
        )
    drive = way.carry + c.fanout * n
    own, through, worst = float("-inf"), float("-inf"), way.worst
    for gi, pi in zip(g, p, strict=True):
        if kind == "skip":
            into = drive if own == float("-inf") else max(drive, own, through) + c.carry
            worst = max(worst, max(into, pi) + c.xor)
        else:
            worst = max(worst, max(drive, max(own, pi) + c.xor) + c.mux)
        own = gi if own == float("-inf") else max(own, gi, pi) + c.carry
        through = pi if through == float("-inf") else max(through, pi) + c.and_
    carry = max(way.carry, own, through) + c.carry
    return _Way(
        carry,
        worst,
        way.area + n * c.area[kind] + c.cell,
        (*way.blocks, BlockPlan(kind, low, low + n, carry)),
    )


def plan_blocks(
    g: Sequence[float],
    p: Sequence[float],
    cells: CellDelays,
    slack: float = 0.0,
    blocks: Sequence[str] = _BLOCKS["hybrid"],
) -> Plan:
    """The smallest adder of such `blocks` (ripple, skip, select) among those that are at most `slack` ns
    slower than the fastest, for columns whose generate and propagate arrive at `g` and `p` (ns, the lowest
    first; no carry in, and the carry out of the top column is not made). `cells`: delays and areas of the
    gates.
    """
    n, costs = len(p), _Costs.of(cells)
    ways: list[list[_Way]] = [[] for _ in range(n + 1)]
    ways[0] = [_Way(float("-inf"), float("-inf"), 0.0, ())]
    for i in range(n):
        kept: list[_Way] = []
        for way in sorted(ways[i], key=lambda w: (w.worst, w.carry, w.area)):
            if not any(k.beats(way) for k in kept):
                kept.append(way)
        for way in kept[:_KEPT]:
            for size in range(1, min(_LONGEST, n - i) + 1):
                # A longer block of ripple is several of one bit.
                for kind in (
                    ("ripple",) if size == 1 else () if i == 0 else [k for k in blocks if k != "ripple"]
                ):
                    ways[i + size].append(_extend(way, kind, i, g[i : i + size], p[i : i + size], costs))
    fastest = min(w.worst for w in ways[n])
    best = min((w for w in ways[n] if w.worst <= fastest + slack + 1e-9), key=lambda w: (w.area, w.worst))
    return Plan(best.blocks, best.worst, best.area)


def hybrid_carries(x: Gates, columns: Sequence[Group], carry: Bit) -> list[Bit]:
    """The carry into every column, and out of the last, of an adder whose inputs arrive together, in gates of
    `x`. `columns`: (generate, propagate) of each, the lowest first; `carry`: into the lowest.
    """
    if not columns:
        return [carry]
    g, p = UNIT_CELLS.gates["nand2"], UNIT_CELLS.gates["xor2"]
    plan = plan_blocks([g] * len(columns), [p] * len(columns), UNIT_CELLS)
    out: list[Bit] = []
    for block in plan.blocks:
        own: Bit = False
        through: Bit = True
        for generate, propagate in columns[block.low : block.high]:
            if block.kind == "select":
                out.append(x.choose(carry, x.or_(own, through), own))
            else:
                out.append(x.or_(own, x.and_(through, carry)))
            own, through = x.or_(generate, x.and_(propagate, own)), x.and_(propagate, through)
        carry = x.or_(own, x.and_(through, carry))
    return [*out, carry]


def plan_network(
    kind: str, g: Sequence[float], p: Sequence[float], cells: CellDelays, parting: Parting | None = None
) -> Plan:
    """A prefix network over the columns below the top one, whose carry nobody needs; see `plan_blocks`.
    `parting`: one that was made for other arrivals.
    """
    at, a = cells.gates, cells.area
    parting = parting or prefix_parting(
        kind, [max(x, y) for x, y in zip(g, p, strict=True)][:-1], at["aoi21"], cells.fanout
    )
    known: dict[tuple[int, int], tuple[float, float]] = {
        (k, k): (x, y) for k, (x, y) in enumerate(zip(g, p, strict=True))
    }

    def group(low: int, high: int) -> tuple[float, float]:
        if (low, high) not in known:
            m = parting[low, high]
            (g1, p1), (g0, p0) = group(m, high), group(low, m - 1)
            known[low, high] = max(g1, p1, g0) + at["aoi21"], max(p1, p0) + at["and2"]
        return known[low, high]

    worst = max([p[0], *(max(group(0, k - 1)[0], p[k]) + at["xor2"] for k in range(1, len(p)))])
    nodes = [low for low, high in known if low < high]
    area = sum(a["aoi21"] + (a["and2"] if low else 0) for low in nodes) + (len(p) - 1) * a["xor2"]
    return Plan((), worst, area, parting)


def _network_carries(x: Gates, groups: Sequence[Group], parting: Parting) -> list[Bit]:
    """The carry into every column."""
    made: dict[tuple[int, int], Group] = {(k, k): g for k, g in enumerate(groups)}

    def group(low: int, high: int) -> Group:
        if (low, high) not in made:
            m = parting[low, high]
            (g1, p1), (g0, p0) = group(m, high), group(low, m - 1)
            made[low, high] = x.or_(g1, x.and_(p1, g0)), x.and_(p1, p0) if low else False
        return made[low, high]

    return [False, *(group(0, k)[0] for k in range(len(groups) - 1))]


def profile_add(
    b: GraphBuilder,
    columns: Sequence[Sequence[TimedBit]],
    cells: CellDelays,
    slack: float = 0.0,
    kind: str = "hybrid",
) -> tuple[int, Plan]:
    """The sum modulo 2^n of n `columns` of one or two inverted bits, nodes of `b` (the lowest first), by the
    adder `kind`, one of PROFILE_ADDERS, and how it was planned. `cells`: delays and areas of the gates;
    `slack`: see `plan_blocks`; a prefix network takes none.
    """
    x = Gates(b)
    groups, g_at, p_at = _column_groups(x, columns, cells)
    if kind in PREFIX_NETWORKS:
        plan = plan_network(kind, g_at, p_at, cells)
        assert plan.parting is not None
        carries = _network_carries(x, groups, plan.parting)
        sums = [x.xor(p, c) for (_, p), c in zip(groups, carries, strict=True)]
    else:
        plan = plan_blocks(g_at, p_at, cells, slack, _BLOCKS[kind])
        sums = _block_sums(x, groups, plan)
    return b.cat(*(b.const(1, int(v)) if isinstance(v, bool) else v for v in reversed(sums))), plan


def _column_groups(
    x: Gates, columns: Sequence[Sequence[TimedBit]], cells: CellDelays
) -> tuple[list[Group], list[float], list[float]]:
    """Generate and propagate of every column of inverted bits, and their arrivals."""
    groups: list[Group] = []
    g_at, p_at = [], []
    for column in columns:
        nodes, at = [t.node for t in column], max((t.arrival for t in column), default=0.0)
        if len(nodes) == 2:
            groups.append((x.nor(nodes[0], nodes[1]), x.xor(nodes[0], nodes[1])))
            g_at.append(at + cells.gates["nor2"])
            p_at.append(at + cells.gates["xor2"])
        else:
            groups.append((False, x.b.not_(nodes[0]) if nodes else False))
            g_at.append(0.0)
            p_at.append(at + cells.gates["inv"])
    return groups, g_at, p_at


def _block_sums(x: Gates, groups: Sequence[Group], plan: Plan) -> list[Bit]:
    """The sum of every column by the plan's blocks."""
    sums: list[Bit] = []
    carry: Bit = False
    for block in plan.blocks:
        add = _ripple if block.kind == "ripple" else _skip if block.kind == "skip" else _select
        made, carry = add(x, groups[block.low : block.high], carry)
        sums += made
    return sums


def _ripple(x: Gates, part: Sequence[Group], carry: Bit) -> tuple[list[Bit], Bit]:
    """Sums and carry of a block through which the carry ripples."""
    sums: list[Bit] = []
    for g, p in part:
        sums.append(x.xor(p, carry))
        carry = x.or_(g, x.and_(p, carry))
    return sums, carry


def _skip(x: Gates, part: Sequence[Group], carry: Bit) -> tuple[list[Bit], Bit]:
    """Sums and carry of a block over which a carry skips."""
    own: Bit = False
    through: Bit = True
    sums: list[Bit] = []
    for g, p in part:
        sums.append(x.xor(p, x.or_(own, x.and_(through, carry))))
        own, through = x.or_(g, x.and_(p, own)), x.and_(p, through)
    return sums, x.or_(own, x.and_(through, carry))


def _select(x: Gates, part: Sequence[Group], carry: Bit) -> tuple[list[Bit], Bit]:
    """Sums and carry of a block that the carry chooses between two sums."""
    own: Bit = False
    through: Bit = True
    sums: list[Bit] = []
    for g, p in part:
        sums.append(x.choose(carry, x.xor(p, x.or_(own, through)), x.xor(p, own)))
        own, through = x.or_(g, x.and_(p, own)), x.and_(p, through)
    return sums, x.or_(own, x.and_(through, carry))
