"""Realisations of a lookup table, each checked against the table for every address before it is used.

`table`  one case statement: the mapper decides (LUT6 fabrics; reference for the others)
`lut6`   one 64-entry table an output bit, printed as such
`lut4`   4-input tables under two levels of 2:1 multiplexers (F5, F6): Trimberger et al. 2000, section 3.2
`lut4_f5` the same up to the first multiplexer level; the last one is left to the logic that follows, see
merge.py
`lut4_flat` the same with both multiplexer levels in LUT4s of their own, so that a register fits after each
`lut4_pool` LUT4s in two levels without multiplexers: a pool of 4-input functions, then one LUT4 an output
bit; circuits found by SAT search (benchmarks/sbox_search.py), in data/lut4_pool.json
`leaves` sums of four-input functions, for boxes of low degree: see leaves.py
`tower`  inversion over the tower field GF(((2^2)^2)^2) between linear maps: see tower.py
`boyar_peralta` the fewest two-input gates that Boyar and Peralta found for the boxes of AES: see
boyar_peralta.py
`depth16` their circuits of the least depth: see depth16.py
`block_ram` words in the device's block RAM, with its two registers, for tables of at least eight address bits
`gates`  two-input gates by Shannon and Davio expansion, the form that the paper tried first
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace as dataclass_replace
from functools import cache
from importlib import resources
from itertools import permutations
from typing import Any

from ...graph.builder import GraphBuilder
from ...graph.graph import Graph, Node
from ...graph.interpret import evaluate
from ...graph.ops import Table
from .._walk import rebuild
from .boyar_peralta import BOYAR_PERALTA_TABLES, boyar_peralta
from .depth16 import DEPTH16_TABLES, depth16
from .leaves import has_leaves, summed, summed_whole
from .names import digest_of
from .tower import is_inversion, tower_value, tower_whole

__all__ = ["REALISATIONS", "changes", "circuit", "prove", "realise", "split", "unfit"]


def _column(table: Table, bit: int) -> int:
    """Output bit `bit` of a table as a truth table (address a at bit a)."""
    return sum((e >> bit & 1) << a for a, e in enumerate(table.entries))


def cofactor(column: int, n: int, fixed: dict[int, int]) -> int:
    """Truth table over the variables not in `fixed` (variable k = address bit k), order kept."""
    free = [k for k in range(n) if k not in fixed]
    base = sum(v << k for k, v in fixed.items())
    return sum(
        (column >> (base + sum((a >> j & 1) << k for j, k in enumerate(free))) & 1) << a
        for a in range(1 << len(free))
    )


@cache
def selectors(table: Table) -> tuple[int, int]:
    """(F6 select, F5 select): the two address bits that leave the fewest distinct 4-input tables."""
    n = table.address_bits

    def cost(pair: tuple[int, int]) -> tuple[int, tuple[int, int]]:
        distinct = {
            cofactor(_column(table, bit), n, {pair[0]: a, pair[1]: b})
            for bit in range(table.width)
            for a in (0, 1)
            for b in (0, 1)
        }
        return len(distinct), (-pair[0], -pair[1])

    return min(permutations(range(n), 2), key=cost)


def _single(b: GraphBuilder, column: int, bits: Sequence[int], name: str) -> int:
    """One truth table over single-bit nodes (`bits`, least significant address bit first)."""
    return b.lut(column, *reversed(bits), name=name)


def _cell(b: GraphBuilder, column: int, bits: Sequence[int], name: str, own: bool = False) -> int:
    """The same as one LUT4 that the mapper leaves alone. `own`: not shared (a LUT4 feeds one F5
    multiplexer only).
    """
    return b.node("lut4", 1, tuple(reversed(bits)), column, name, own)


def _start(name: str, table: Table, delay: str = "", width: int = 0) -> tuple[GraphBuilder, list[int]]:
    """A builder with the address input, and its bits; `width` where not the whole address is needed."""
    b, width = GraphBuilder(name, delay), width or table.address_bits
    a = b.input("a", width)
    return b, [b.select(a, (k,)) for k in range(width)]


def _without(address: int, b: GraphBuilder, *bits: int) -> int:
    return b.select(address, [k for k in reversed(range(b.width(address))) if k not in bits])


def _finish(b: GraphBuilder, bits: Sequence[int]) -> Graph:
    """`bits` least significant first."""
    b.output("y", b.cat(*reversed(bits)))
    return b.build()


def _quarter_tables(table: Table) -> tuple[list[int], list[list[list[int]]]]:
    """Distinct 4-input tables, and for output bit k, select s6, select s5 which of them it is."""
    n, (s6, s5) = table.address_bits, selectors(table)
    column = [
        [[cofactor(_column(table, k), n, {s6: i, s5: j}) for j in (0, 1)] for i in (0, 1)]
        for k in range(table.width)
    ]
    distinct = list(dict.fromkeys(t for bit in column for half in bit for t in half))
    return distinct, [[[distinct.index(t) for t in half] for half in bit] for bit in column]


@cache
def quarters(table: Table) -> Graph:
    """The distinct 4-input tables of all output bits; the address without the two select bits."""
    b, v = _start(f"{table.name}_q", table, "lut4", table.address_bits - 2)
    return _finish(b, [_cell(b, t, v, f"q{j}") for j, t in enumerate(_quarter_tables(table)[0])])


def _half_bits(b: GraphBuilder, table: Table, free: list[int], s5_bit: int) -> list[tuple[int, int]]:
    """(low, high) five-input halves of every output bit: 4-input tables and the F5 multiplexer."""
    n, (s6, s5) = table.address_bits, selectors(table)
    out = []
    for k in range(table.width):
        made = []
        for i in (0, 1):
            pair = [
                _cell(b, cofactor(_column(table, k), n, {s6: i, s5: j}), free, f"q{k}_{i}{j}", own=True)
                for j in (0, 1)
            ]
            made.append(b.node("muxf5", 1, (s5_bit, pair[1], pair[0]), None, f"h{k}_{i}", own=True))
        out.append((made[0], made[1]))
    return out


@cache
def halves(table: Table) -> Graph:
    """Five-input halves (4-input tables and the F5 multiplexer): bit 2*k + s6 belongs to output bit k. The
    address comes without its s6 bit.
    """
    b, v = _start(f"{table.name}_f5", table, "lut5", table.address_bits - 1)
    s6, s5 = selectors(table)
    place = s5 - (s5 > s6)
    free = [bit for k, bit in enumerate(v) if k != place]
    return _finish(b, [h for pair in _half_bits(b, table, free, v[place]) for h in pair])


@cache
def tree(table: Table) -> Graph:
    """Four-input tables, F5 and F6 multiplexers: the whole lookup table."""
    b, v = _start(f"{table.name}_lut4", table, "lut6")
    s6, s5 = selectors(table)
    free = [v[k] for k in range(table.address_bits) if k not in (s5, s6)]
    pairs = enumerate(_half_bits(b, table, free, v[s5]))
    return _finish(b, [b.node("muxf6", 1, (v[s6], high, low), None, f"f6_{k}") for k, (low, high) in pairs])


@cache
def sixes(table: Table) -> Graph:
    """One truth table an output bit."""
    b, v = _start(f"{table.name}_lut6", table, "lut6")
    return _finish(b, [_single(b, _column(table, k), v, f"y{k}") for k in range(table.width)])


@cache
def gates(table: Table) -> Graph:
    """Two-input gates: Shannon expansion on the highest address bit, equal and complementary parts shared."""
    b, v = _start(f"{table.name}_gates", table)

    def make(column: int, n: int) -> int:
        full = (1 << (1 << n)) - 1
        if column in (0, full):
            return b.const(1, int(column == full))
        low, high = column & (1 << (1 << n - 1)) - 1, column >> (1 << n - 1)
        if low == high:
            return make(low, n - 1)
        x, ones = v[n - 1], (1 << (1 << n - 1)) - 1
        if n == 1:
            return x if high else b.not_(x)
        if low == high ^ ones:
            return b.xor(x, make(low, n - 1))
        if {low, high} & {0, ones}:
            return gated(x, low, high, n)
        return b.or_(b.and_(x, make(high, n - 1)), b.and_(b.not_(x), make(low, n - 1)))

    def gated(x: int, low: int, high: int, n: int) -> int:
        """A column of which one half is constant."""
        if high == 0:
            return b.and_(b.not_(x), make(low, n - 1))
        if low == 0:
            return b.and_(x, make(high, n - 1))
        if low == (1 << (1 << n - 1)) - 1:
            return b.or_(b.not_(x), make(high, n - 1))
        return b.or_(x, make(low, n - 1))

    return _finish(b, [make(_column(table, k), table.address_bits) for k in range(table.width)])


def prove(table: Table, graph: Graph) -> None:
    """Raise AssertionError unless `graph` (a -> y) equals the table for every address."""
    name = graph.outputs[0][0]
    for a, entry in enumerate(table.entries):
        got = evaluate(graph, {"a": a})[name]
        if got != entry:
            raise AssertionError(f"{graph.name}({a:#x}) = {got:#x}, the table {table.name} says {entry:#x}")


@cache
def _proven(make: Callable[[Table], Graph], table: Table) -> Graph:
    graph = make(table)
    prove(table, graph)
    return graph


REALISATIONS: dict[str, Callable[[Table], Graph] | None] = {
    "table": None,
    "lut6": sixes,
    "lut4": tree,
    "lut4_f5": None,
    "lut4_flat": None,
    "lut4_pool": None,
    "leaves": None,
    "tower": None,
    "boyar_peralta": boyar_peralta,
    "depth16": depth16,
    "block_ram": None,
    "gates": gates,
}


_PUBLISHED = {"boyar_peralta": BOYAR_PERALTA_TABLES, "depth16": DEPTH16_TABLES}
"""The tables that published circuits are for."""

_BLOCK_RAM_BITS = 8
"""Address bits of the smallest table that takes a block RAM."""


@cache
def _pools() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By the digest of a table's entries."""
    text = (resources.files(__package__) / "data" / "lut4_pool.json").read_text()
    found: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(text)
    return found


@cache
def _pool_graphs(table: Table) -> tuple[Graph, Graph, tuple[int, ...]]:
    """First level (address -> pool), the second level (pool and the address bits it uses -> y), and those
    bits.
    """
    circuit = _pools().get(digest_of(table.entries))
    if circuit is None:
        raise ValueError(f"no two-level LUT4 circuit is known for the table {table.name}")
    b, v = _start(f"{table.name}_g", table, "lut4")
    pool = [
        _cell(b, g["table"], [v[k] for k in reversed(g["bits"])], f"g{j}")
        for j, g in enumerate(circuit["pool"])
    ]
    first = _finish(b, pool)
    b = GraphBuilder(f"{table.name}_h", "lut4")
    used = tuple(sorted({j for top in circuit["tops"] for j in top["bits"]}))
    word = b.input("a", len(used) + len(pool))  # pool bits below, address bits above
    tops = []
    for k, top in enumerate(reversed(circuit["tops"])):
        args = [b.select(word, (j,)) for j in top["pool"]]
        args += [b.select(word, (len(pool) + used.index(j),)) for j in top["bits"]]
        tops.append(_cell(b, top["table"], args[::-1], f"y{k}_lut"))
    return first, _finish(b, tops), used


def pooled(b: GraphBuilder, table: Table, address: int) -> int:
    """The table's value through the known two-level LUT4 circuit."""
    first, second, used = _pool_graphs(table)
    name = table.name.lower()
    pool = b.call(first, address, name=f"{name}_g")
    direct = [b.select(address, tuple(reversed(used)))] if used else []
    return b.call(second, b.cat(*direct, pool), name=name)


def _pool_whole(table: Table) -> Graph:
    b = GraphBuilder(f"{table.name}_pool")
    b.output("y", pooled(b, table, b.input("a", table.address_bits)))
    return b.build()


def split(b: GraphBuilder, table: Table, address: int, flat: bool) -> tuple[int, int, int]:
    """(low half, high half, select), nodes of `b`: `select ? high : low` is the entry of `table` at
    `address`, each half `table.width` wide.

    With `flat` the 4-input tables are one call and the first multiplexer level is an operation of its own
    (two LUT4 levels that a register may separate); otherwise they are one call with F5 multiplexers inside.
    """
    s6, s5 = selectors(table)
    select = b.select(address, (s6,))
    if flat:
        q = b.call(quarters(table), _without(address, b, s5, s6), name=f"{table.name.lower()}_q")
        place = _quarter_tables(table)[1]
        word = [
            [b.select(q, [place[k][i][j] for k in reversed(range(table.width))]) for j in (0, 1)]
            for i in (0, 1)
        ]
        s = b.select(address, (s5,))
        low, high = (b.named(b.mux(s, w[1], w[0]), f"{table.name.lower()}_h{i}") for i, w in enumerate(word))
    else:
        h = b.call(halves(table), _without(address, b, s6), name=f"{table.name.lower()}_h")
        low, high = (b.select(h, [2 * k + i for k in reversed(range(table.width))]) for i in (0, 1))
    return low, high, select


def _flat_whole(table: Table) -> Graph:
    return _recombined(table, True)


def _halves_whole(table: Table) -> Graph:
    return _recombined(table, False)


def _recombined(table: Table, flat: bool) -> Graph:
    b = GraphBuilder(f"{table.name}_recombined")
    low, high, select = split(b, table, b.input("a", table.address_bits), flat)
    b.output("y", b.mux(select, high, low))
    return b.build()


def unfit(table: Table, realisation: str) -> str:
    """Why the `realisation` can't serve `table`, as a sentence; empty where it can.

    >>> unfit(Table("S", 8, tuple(range(256))), "lut6")
    'lut6 is for tables with 6 address bits; S has 8'
    """
    name, n = table.name, table.address_bits
    if n <= 4 or realisation in ("table", "gates", "block_ram"):
        return ""
    if realisation == "leaves":
        return (
            ""
            if has_leaves(table) and n > 6
            else f"no sum of four-input functions is known for the table {name}"
        )
    if realisation == "tower":
        return "" if is_inversion(table) else f"the table {name} is not inversion in GF(2^8)"
    if realisation in _PUBLISHED:
        those = f"the circuits of Boyar and Peralta are for AES's S-box and its inverse, not for {name}"
        return "" if table.entries in _PUBLISHED[realisation] else those
    if realisation == "lut4_pool" and n == 6 and digest_of(table.entries) not in _pools():
        return f"no two-level LUT4 circuit is known for the table {name}"
    fit = n <= 6 if realisation == "lut6" else n == 6
    return "" if fit else f"{realisation} is for tables with 6 address bits; {name} has {n}"


def circuit(table: Table, realisation: str) -> Graph | None:
    """`table` as a graph (a -> y) in the `realisation`, checked for every address; None where the realisation
    has no structure of its own for it.
    """
    whole = {
        "leaves": summed_whole,
        "tower": tower_whole,
        "boyar_peralta": boyar_peralta,
        "depth16": depth16,
    }.get(realisation)
    return _proven(whole, table) if whole and table.address_bits > 4 else None


def realise(graph: Graph, realisation: str, basis: str = "", kept: Collection[int] = ()) -> Graph:
    """Every lookup table of `graph` in the named `realisation` (a key of REALISATIONS). `basis`: the name of
    the bases for every inversion in a tower field, if not each box's own. `kept`: lookups that stay what they
    are. Raises ValueError where there is no such realisation, or it can't serve a table.
    """
    if realisation not in REALISATIONS:
        raise ValueError(f"no S-box realisation {realisation}; there are {', '.join(REALISATIONS)}")

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op != "lookup" or i in kept or not changes(node.attr, realisation):
            return None
        if realisation == "block_ram":
            return b.node("rom", node.width, args, node.attr, node.name)
        return _value(b, node.attr, args[0], realisation, basis)

    return _distinct_calls(rebuild(graph, replace))


def changes(table: Table, realisation: str) -> bool:
    """Whether the `realisation` is for a `table` of that size: for one of at most four address bits it is one
    lookup table an output bit, whatever the realisation.

    >>> changes(Table("S", 4, tuple(range(16))), "tower")
    False
    """
    if realisation == "block_ram":
        return table.address_bits >= _BLOCK_RAM_BITS
    return realisation == "gates" or (realisation != "table" and table.address_bits > 4)


_WHOLE: dict[str, Callable[[Table], Graph]] = {
    "leaves": summed_whole,
    "tower": tower_whole,
    "lut4_pool": _pool_whole,
    "lut4_flat": _flat_whole,
    "lut4_f5": _halves_whole,
}
"""Realisations of more than one call: the whole graph (a -> y), for the comparison with the table."""


def _value(b: GraphBuilder, table: Table, address: int, realisation: str, basis: str) -> int:
    """A table's value in a realisation, which is compared with the table before. Raises ValueError where it
    can't serve the table.
    """
    why = unfit(table, realisation)
    if why:
        raise ValueError(why)
    make = REALISATIONS[realisation]
    if make is not None:
        return b.call(_proven(make, table), address)
    _proven(_WHOLE[realisation], table)
    if realisation == "leaves":
        return summed(b, table, address)
    if realisation == "tower":
        return tower_value(b, table, address, basis)
    if realisation == "lut4_pool":
        return pooled(b, table, address)
    low, high, select = split(b, table, address, realisation == "lut4_flat")
    return b.mux(select, high, low)


def _distinct_calls(graph: Graph) -> Graph:
    """The graph with a name of its own for every different graph that it calls: two boxes in two tower fields
    have parts of one name.
    """
    found: dict[str, dict[Graph, None]] = {}
    for node in graph.nodes:
        if node.op == "call":
            found.setdefault(node.attr.name, {})[node.attr] = None
    if all(len(graphs) == 1 for graphs in found.values()):
        return graph
    named = {
        g: f"{g.name}_{n + 1}" if n else g.name for graphs in found.values() for n, g in enumerate(graphs)
    }

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op != "call" or named[node.attr] == node.attr.name:
            return None
        return b.call(dataclass_replace(node.attr, name=named[node.attr]), *args, name=node.name)

    return rebuild(graph, replace)
