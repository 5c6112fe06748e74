"""Linear maps as XOR networks, with whatever is added to their results (round keys, constants) in the last
level.

Sums are followed bit by bit: an XOR whose bit has one user, itself an XOR, becomes part of that user's
sum. A sum that contains rows of a linear map is printed as lookup tables of at most k inputs; other sums
are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...graph.builder import GraphBuilder
from ...graph.graph import OUTPUT, Graph, Node
from ...graph.ops import OPS
from .._walk import copied, rebuild
from .xor import Network, network

__all__ = ["linear_networks", "realise_linear", "same_networks", "sum_inputs"]

Bit = tuple[int, int]


@dataclass
class _Lane:
    """One bit of a sum: rows of linear maps (node, output bit), other bits, and whether it is inverted."""

    rows: set[Bit] = field(default_factory=set)
    bits: set[Bit] = field(default_factory=set)
    inverted: bool = False


def _single_users(graph: Graph) -> dict[Bit, int | None]:
    """(node, bit) -> the XOR that is its only user, or None."""
    found: dict[Bit, int | None] = {}
    for bit, readers in graph.readers.items():
        first = min(readers)
        found[bit] = (
            first if len(readers) == 1 and first != OUTPUT and graph.nodes[first].op == "xor" else None
        )
    return found


def _only_summed(graph: Graph) -> set[Bit]:
    """Rows of linear maps, and rows plus a constant, that XORs alone read: their last lookup tables are
    in every one of these.
    """
    found: set[Bit] = set()
    for bit, readers in graph.readers.items():
        i, k = bit
        node = graph.nodes[i]
        row = node.op == "linear"
        if node.op == "xor":
            ops = [graph.nodes[graph.bits[a][k][0]].op for a in node.args]
            row = sorted(ops) == ["const", "linear"]
        if row and all(r != OUTPUT and graph.nodes[r].op == "xor" for r in readers):
            found.add(bit)
    return found


class _Sums:
    """Which bits are summed where."""

    def __init__(self, graph: Graph) -> None:
        self.g, self.user, self.summed = graph, _single_users(graph), _only_summed(graph)
        self.lanes: dict[int, list[_Lane]] = {}
        self.absorbed: set[Bit] = set()
        for i, node in enumerate(graph.nodes):
            if node.op == "xor":
                self.lanes[i] = [self._lane(i, k) for k in range(node.width)]
        # A sum that is part of another is absorbed there only where that one is printed as a network.
        self.whole = {i for i, lanes in self.lanes.items() if any(lane.rows for lane in lanes)}
        for i in sorted(self.whole, reverse=True):
            for k in range(graph.nodes[i].width):
                if (i, k) not in self.absorbed:
                    self._mark(i, k)

    def _lane(self, i: int, k: int) -> _Lane:
        lane = _Lane()
        for a in self.g.nodes[i].args:
            src, j = self.g.bits[a][k]
            node = self.g.nodes[src]
            if node.op == "const":
                lane.inverted ^= bool(node.attr >> j & 1)
            elif node.op == "linear" and (src, j) in self.summed:
                lane.rows ^= {(src, j)}
            elif node.op == "xor" and (self.user.get((src, j)) == i or (src, j) in self.summed):
                inner = self.lanes[src][j]
                lane.rows ^= inner.rows
                lane.bits ^= inner.bits
                lane.inverted ^= inner.inverted
            else:
                lane.bits ^= {(src, j)}
        return lane

    def _mark(self, i: int, k: int) -> None:
        for a in self.g.nodes[i].args:
            src, j = self.g.bits[a][k]
            summed = (src, j) in self.summed
            if summed or (self.g.nodes[src].op == "xor" and self.user.get((src, j)) == i):
                self.absorbed.add((src, j))
                if self.g.nodes[src].op == "xor":
                    self._mark(src, j)


def realise_linear(graph: Graph, k: int, depth: int = 0, shallow: int = 0, wide: bool = False) -> Graph:
    """Every linear map of `graph` as an XOR network of nodes with at most k inputs; `depth` bounds its levels
    (0: the fewest nodes), and the first `shallow` maps have one level less. `wide`: sums of five
    bits are `xor5`, a LUT4 with an XOR gate behind it, and k is 5."""
    if not any(n.op == "linear" for n in graph.nodes):
        return graph
    sums = _Sums(graph)
    nets = _networks(graph, sums, k, depth, shallow)
    rename: list[int] = []
    level: dict[int, int] = {}
    parts: dict[Bit, list[Bit]] = {}  # row of a linear map -> the new bits to add up

    def new_bit(bit: Bit) -> Bit:
        return (rename[bit[0]], bit[1])

    def linear(b: GraphBuilder, i: int, node: Node) -> int:
        name = node.attr[0]
        net = nets[i]
        source = [new_bit(bit) for bit in graph.bits[node.args[0]]]
        base = max(level.get(s, 0) for s, _ in source)
        levels, last = net.levels(), net.levels_to_end()
        signal: dict[int, Bit] = dict(enumerate(source))
        groups: dict[tuple[int, int, int], list[int]] = {}
        for n, ops in enumerate(net.nodes):
            s = net.columns + n
            groups.setdefault((levels[s], last[s], len(ops)), []).append(s)
        for (lev, _, arity), members in sorted(groups.items()):
            words = [b.gather([signal[net.nodes[s - net.columns][j]] for s in members]) for j in range(arity)]
            made = _sum_node(b, words, False, wide, f"{name.lower()}{lev}")
            level[made] = base + lev
            for pos, s in enumerate(members):
                signal[s] = (made, pos)
        for r, ops in enumerate(net.outs):
            parts[(i, r)] = [signal[o] for o in ops]
        rest = [None if (i, r) in sums.absorbed else parts[(i, r)] for r in range(node.width)]
        return _add_up(b, [(terms, False) for terms in rest], k, node.name or name.lower(), level, wide)

    def replace(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int | None:
        if node.op == "linear":
            return linear(b, i, node)
        if i not in sums.whole:
            return None
        lanes: list[tuple[list[Bit] | None, bool]] = []
        for j, lane in enumerate(sums.lanes[i]):
            terms = [t for row in sorted(lane.rows) for t in parts[row]] + [
                new_bit(bit) for bit in sorted(lane.bits)
            ]
            lanes.append((None if (i, j) in sums.absorbed else terms, lane.inverted))
        return _add_up(b, lanes, k, node.name or "sum", level, wide)

    def tracked(b: GraphBuilder, i: int, node: Node, args: tuple[int, ...]) -> int:
        j = replace(b, i, node, args)
        made = copied(b, node, args) if j is None else j
        if made not in level:
            cost = 0 if OPS[node.op].wiring or node.op in ("input", "again") else 1
            level[made] = cost + max((level.get(a, 0) for a in args), default=0)
        return made

    return rebuild(graph, tracked, rename)


def sum_inputs(slice_xor: bool, merge: int) -> int:
    """Bits that one node of a linear layer adds up, by the options `slice_xor` and `merge` of a core: 5 with
    the slice's XOR gate, otherwise the inputs of its lookup tables, 4 where they are left to synthesis.
    """
    return 5 if slice_xor else merge or 4


def linear_networks(graph: Graph, k: int, depth: int = 0, shallow: int = 0) -> dict[int, Network]:
    """The network of every linear map of `graph` that `realise_linear` would take with the same `k`, `depth`
    and `shallow`, by the index of its node.
    """
    return _networks(graph, _Sums(graph), k, depth, shallow)


def same_networks(graph: Graph, k: int, bounds: tuple[int, int], others: tuple[int, int]) -> bool:
    """Whether every linear map of `graph` is the same network of nodes of at most `k` inputs with these
    `bounds` and with the `others`: (depth, shallow) as `realise_linear` takes them.
    """
    if not any(n.op == "linear" for n in graph.nodes):
        return True
    sums = _Sums(graph)
    return _networks(graph, sums, k, *bounds) == _networks(graph, sums, k, *others)


def _networks(graph: Graph, sums: _Sums, k: int, depth: int, shallow: int) -> dict[int, Network]:
    extra = _extra(graph, sums)
    out: dict[int, Network] = {}
    for i, n in enumerate(graph.nodes):
        if n.op == "linear":
            bound = depth - (depth > 1 and len(out) < shallow)
            out[i] = network(
                tuple(reversed(n.attr[1])), graph.nodes[n.args[0]].width, k, extra.get(i, 0), bound
            )
    return out


def _extra(graph: Graph, sums: _Sums) -> dict[int, int]:
    """Bits that are added to the rows of each linear map, at most."""
    out: dict[int, int] = {}
    for i in sums.whole:
        for j, lane in enumerate(sums.lanes[i]):
            if (i, j) not in sums.absorbed:
                for src, _ in lane.rows:
                    out[src] = max(out.get(src, 0), len(lane.bits))
    return out


def _parity(n: int) -> int:
    return sum((a.bit_count() & 1) << a for a in range(1 << n))


_Lanes = list[tuple[int, list[Bit], bool]]


def _sum_node(b: GraphBuilder, words: list[int], inverted: bool, wide: bool, name: str) -> int:
    """The sum of words, inverted or not, as one lookup table, or with the slice's XOR gate."""
    n = len(words)
    if wide and n == 5:
        if inverted:
            words = [b.not_(words[0]), *words[1:]]
        return b.node("xor5", max(map(b.width, words)), words, None, name)
    return b.lut(_parity(n) ^ (((1 << (1 << n)) - 1) if inverted else 0), *words, name=name)


def _add_up(
    b: GraphBuilder,
    sums: list[tuple[list[Bit] | None, bool]],
    k: int,
    name: str,
    level: dict[int, int],
    wide: bool = False,
) -> int:
    """A word whose bits are the sums of the given bits, inverted or not, the earliest added first (None: a
    bit that nobody reads).
    """

    def late(bit: Bit) -> tuple[int, Bit]:
        return level.get(bit[0], 0), bit

    def nodes(groups: dict[tuple[int, ...], _Lanes], title: str) -> dict[int, Bit]:
        made: dict[int, Bit] = {}
        for members in groups.values():
            arity, inverted = len(members[0][1]), members[0][2]
            if arity == 0:
                made.update({lane: (b.const(1, int(inverted)), 0) for lane, _, _ in members})
            elif arity == 1 and not inverted:
                made.update({lane: terms[0] for lane, terms, _ in members})
            else:
                words = [b.gather([terms[j] for _, terms, _ in members]) for j in range(arity)]
                new = _sum_node(b, words, inverted, wide, title)
                level[new] = 1 + max(level.get(t[0], 0) for _, terms, _ in members for t in terms)
                made.update({lane: (new, pos) for pos, (lane, _, _) in enumerate(members)})
        return made

    work = {lane: sorted(terms, key=late) for lane, (terms, _) in enumerate(sums) if terms is not None}
    while any(len(terms) > k for terms in work.values()):
        groups: dict[tuple[int, ...], _Lanes] = {}
        for lane, terms in work.items():
            if len(terms) > k:
                take = (
                    (len(terms) - 1) % (k - 1) + 1 if (len(terms) - 1) % (k - 1) else k
                )  # leaves a full last node
                groups.setdefault((take, late(terms[take - 1])[0]), []).append((lane, terms[:take], False))
        taken = {lane: len(terms) for members in groups.values() for lane, terms, _ in members}
        for lane, bit in nodes(groups, f"{name}_part").items():
            work[lane] = sorted([bit, *work[lane][taken[lane] :]], key=late)
    last: dict[tuple[int, ...], _Lanes] = {}
    for lane, terms in work.items():
        latest = max((late(t)[0] for t in terms), default=0)
        last.setdefault((len(terms), sums[lane][1], latest), []).append((lane, terms, sums[lane][1]))
    bits = nodes(last, name)
    unread = (b.const(1, 0), 0)
    return b.gather([bits.get(lane, unread) for lane in range(len(sums))])
