"""Canonical names: a mapped netlist written so that its bytes come from its structure alone.

Placers sort by name and by order of appearance, so a netlist under other names gets other figures (3 % and
more). Here cells and nets get names and an order that follow from the ports' names, the cells' types and
parameters, and the connections: nothing of the names in the RTL, nor of the order in which synthesis wrote
them, is left. Two texts of one netlist give the same bytes, and their SHA-256 says what a record was
measured on.

Colours are refined (Weisfeiler and Leman) from the ports through drivers and readers until no cell or net
is told from another any more. What is still alike, as parts that could change places are, is told apart
part by part: one of them is singled out, and the colours are refined again. Where none of the choices is
better than another, they are automorphic, and any of them gives the same bytes. (Netlists can be made for
which this is not so, from strongly regular graphs: they may get two digests. Different netlists never
share one, since the digest is of the whole netlist.)
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["CANONICAL_TOP", "Canonical", "canonical", "net_names"]

CANONICAL_TOP = "top"
"""Name of the module."""

Bit = int | str
Cell = dict[str, Any]

LUT_PINS = {
    "LUT4": ("INIT", "ABCD"),
    "SB_LUT4": ("LUT_INIT", ("I0", "I1", "I2", "I3")),
    **{f"LUT{n}": ("INIT", tuple(f"I{k}" for k in range(n))) for n in (1, 2, 3, 5, 6)},
}
"""Lookup tables: the parameter with the table, and the inputs, least significant address bit first
(Xilinx's LUT4 has I0 to I3 as well).
"""

_XILINX_LUT4 = ("INIT", ("I0", "I1", "I2", "I3"))
_DROPPED = frozenset(
    {
        "src",
        "hdlname",
        "module",
        "module_src",
        "module_hdlname",
        "module_not_derived",
        "cell_src",
        "cell_module_not_derived",
        "keep_hierarchy",
        "scopename",
        "unused_bits",
        "force_downto",
        "abc9_carry",
        "abc9_box",
        "abc9_box_id",
        "init",
        "single_bit_vector",
        "wiretype",
        "top",
        "library_id",
        "dynports",
    }
)
"""Attributes that say where a cell came from, or that were for synthesis; all others are kept."""

_MASK = (1 << 64) - 1
_EVERY = 8
"""Rounds between two counts of the colours."""
_TRIED = 64
"""Parts of up to so many cells and nets have all their choices followed to the end."""


@dataclass(frozen=True)
class Canonical:
    """`design`: the netlist as Yosys JSON; `digest`: SHA-256 of its canonical text; `cells` and `nets`:
    canonical name -> name before.
    """

    design: dict[str, Any]
    digest: str
    cells: dict[str, str]
    nets: dict[str, str]

    def text(self) -> str:
        """The netlist's bytes."""
        return _text(self.design)


def canonical(module: Mapping[str, Any]) -> Canonical:
    """The canonical form of a flat mapped `module` of a Yosys netlist (its entry in the JSON), which is not
    changed. Cells that are only scopes are left out; lookup tables have their inputs in the order of the nets
    (constants first) and their tables with them; registers, carries, memories and blocks stay as they are.
    """
    g = _Graph(module)
    rank = _ranks(g)
    return _written(module, g, rank)


def _text(design: Mapping[str, Any]) -> str:
    return json.dumps(design, separators=(",", ":"))


def _mix(x: int) -> int:
    """A 64-bit permutation whose output bits depend on all input bits (splitmix64)."""
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """`_mix` of every element."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


@cache
def _number(text: str) -> int:
    """A text's 64-bit number, the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


@dataclass(frozen=True)
class _Table:
    """A lookup table over its own nets: `pins`, the parameter's name, the nets (all different) and the
    function over them.
    """

    pins: Sequence[str]
    parameter: str
    nets: tuple[int, ...]
    function: int


def _lut_kind(cell: Mapping[str, Any]) -> tuple[str, Sequence[str]] | None:
    if cell["type"] == "LUT4" and "I0" in cell["connections"]:
        return _XILINX_LUT4
    return LUT_PINS.get(cell["type"])


def _table(cell: Mapping[str, Any]) -> _Table | None:
    """The function of a lookup table over the nets at its inputs, constants put in (a bit that is not
    defined is 0).
    """
    kind = _lut_kind(cell)
    if kind is None:
        return None
    parameter, pins = kind
    init = cell["parameters"].get(parameter, "")
    at: list[Bit] = [cell["connections"].get(p, ["0"])[0] for p in pins]
    if len(init) != 1 << len(pins) or not set(init) <= {"0", "1"}:
        return None
    nets = tuple(dict.fromkeys(b for b in at if isinstance(b, int)))
    if not nets:
        return None
    whole, function = int(init, 2), 0
    for k in range(1 << len(nets)):
        value = {b: k >> i & 1 for i, b in enumerate(nets)}
        address = sum((value[b] if isinstance(b, int) else int(b == "1")) << i for i, b in enumerate(at))
        function |= (whole >> address & 1) << k
    return _Table(pins, parameter, nets, function)


@cache
def _permuted(function: int, order: tuple[int, ...]) -> int:
    """The function with its input order[i] as input i."""
    out = 0
    for k in range(1 << len(order)):
        out |= (function >> sum((k >> i & 1) << o for i, o in enumerate(order)) & 1) << k
    return out


@cache
def _roles(function: int, inputs: int) -> tuple[int, tuple[int, ...]]:
    """The least function among all orders of the inputs, and for each input the lowest place that it has
    in such an order.
    """
    if inputs > 4:
        return _signature(function, inputs)
    best, places = -1, list[int]()
    for order in permutations(range(inputs)):
        f = _permuted(function, order)
        if best < 0 or f < best:
            best, places = f, [inputs] * inputs
        if f == best:
            for place, i in enumerate(order):
                places[i] = min(places[i], place)
    return best, tuple(places)


def _signature(function: int, inputs: int) -> tuple[int, tuple[int, ...]]:
    """What does not change with the order of many inputs: ones of the function, and ones where an input is
    1, alone and with each other.
    """

    def ones(*fixed: int) -> int:
        return sum(function >> k & 1 for k in range(1 << inputs) if all(k >> i & 1 for i in fixed))

    pairs = [[ones(i, j) for j in range(inputs) if j != i] for i in range(inputs)]
    place = tuple(_number(f"{ones(i)} {sorted(pairs[i])}") for i in range(inputs))
    return _number(f"{ones()} {sorted(place)}"), place


class _Graph:
    """Cells and nets as nodes (cells first), and an edge for every pin on a net, with the pin's number."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self.names = [name for name, c in module["cells"].items() if c["type"] != "$scopeinfo"]
        self.cells: list[Cell] = [module["cells"][n] for n in self.names]
        ports = {b for p in module["ports"].values() for b in p["bits"] if isinstance(b, int)}
        wired = {
            b for c in self.cells for bits in c["connections"].values() for b in bits if isinstance(b, int)
        }
        self.nets = sorted(ports | wired)
        self.node = {b: len(self.cells) + k for k, b in enumerate(self.nets)}
        carried = {
            b
            for c in self.cells
            if c["type"] == "SB_CARRY"
            for bits in c["connections"].values()
            for b in bits
        }
        self.tables = [None if carried.intersection(_inputs(c)) else _table(c) for c in self.cells]
        colours, edges = [], list[tuple[int, int, int]]()
        for k, c in enumerate(self.cells):
            colour, pins = self._cell(c, self.tables[k])
            colours.append(colour)
            edges += [(k, self.node[b], pin) for b, pin in pins]
        start = dict.fromkeys(self.nets, 0)
        for name, port in module["ports"].items():
            for i, b in enumerate(port["bits"]):
                if isinstance(b, int):
                    start[b] = start[b] + _mix(_number(f"port {name} {port['direction']} {i}")) & _MASK
        colours += [_mix(start[b]) for b in self.nets]
        self.start = np.array(colours, dtype=np.uint64)
        self.edges = np.array(edges, dtype=np.uint64).reshape(-1, 3)

    @staticmethod
    def _cell(cell: Cell, table: _Table | None) -> tuple[int, list[tuple[int, int]]]:
        """A cell's first colour, and its nets with the numbers of their pins."""
        own = table.parameter if table else ""
        parameters = sorted((k, str(v)) for k, v in cell["parameters"].items() if k != own)
        what, roles = f"{cell['type']} {parameters} {sorted(_kept(cell).items())}", dict[int, int]()
        if table:
            least, places = _roles(table.function, len(table.nets))
            what += f" {least}"
            roles = dict(zip(table.nets, places, strict=True))
        pins, fixed = [], []
        for pin, bits in cell["connections"].items():
            for i, b in enumerate(bits):
                if table and pin in table.pins:
                    continue
                if isinstance(b, int):
                    pins.append((b, _number(f"{cell['type']} {pin} {i}")))
                else:
                    fixed.append((pin, i, b))
        pins += [(b, _number(f"{cell['type']} table {place}")) for b, place in roles.items()]
        return _mix(_number(f"{what} {sorted(fixed)}")), pins


def _inputs(cell: Cell) -> set[Bit]:
    return {
        b
        for pin, bits in cell["connections"].items()
        if cell["port_directions"].get(pin) == "input"
        for b in bits
        if isinstance(b, int)
    }


def _kept(cell: Mapping[str, Any]) -> dict[str, str]:
    return {k: str(v) for k, v in sorted(cell.get("attributes", {}).items()) if k not in _DROPPED}


def _ranks(g: _Graph) -> list[int]:
    """A place for every node, the same for every text of the netlist."""
    colour = _refined(g)
    _, inverse, sizes = np.unique(colour, return_inverse=True, return_counts=True)
    alike = np.flatnonzero(sizes[inverse] > 1)
    colours = [int(c) for c in colour]
    place: list[tuple[int, int]] = [(c, 0) for c in colours]
    if len(alike):
        for n, node in enumerate(_Ties(g, colours).order([int(v) for v in alike])):
            place[node] = (colours[node], n)
    order = sorted(range(len(place)), key=place.__getitem__)
    rank = [0] * len(order)
    for k, node in enumerate(order):
        rank[node] = k
    return rank


def _refined(g: _Graph) -> npt.NDArray[np.uint64]:
    """Colours of all nodes, when they tell apart no more by another round."""
    colour = g.start
    if not len(g.edges):
        return colour
    count = len(g.cells)
    sides = []
    for mine, other, salt in ((0, 1, 0x51), (1, 0, 0xA7)):
        e = g.edges[np.argsort(g.edges[:, mine], kind="stable")]
        distinct, first = np.unique(e[:, mine], return_index=True)
        sides.append(
            (
                distinct.astype(np.int64),
                first,
                e[:, other].astype(np.int64),
                _mixed(e[:, 2] + np.uint64(salt)),
            )
        )
    classes = 0
    while True:
        for _ in range(_EVERY):
            # Cells see the nets as they are, then nets the cells.
            for owners, begin, neighbours, pin in sides:
                seen = np.add.reduceat(_mixed(colour[neighbours] ^ pin), begin)
                colour = colour.copy()
                colour[owners] = _mixed(colour[owners] * np.uint64(3) + seen)
        found = len(np.unique(colour))
        if found == classes or found == count + len(g.nets):
            return colour
        classes = found


class _Ties:
    """Nodes of equal colour, told apart part by part. A part is what hangs together through such nodes."""

    def __init__(self, g: _Graph, colours: Sequence[int]) -> None:
        self.g = g
        self.colours = colours
        self.near: dict[int, list[tuple[int, int]]] = {}
        alike = Counter(colours)
        self.alike = {v for v, c in enumerate(colours) if alike[c] > 1}
        for cell, net, pin in g.edges.tolist():
            if cell in self.alike:
                self.near.setdefault(cell, []).append((net, _mix(pin)))
            if net in self.alike:
                self.near.setdefault(net, []).append((cell, _mix(pin ^ 1)))

    def order(self, nodes: Sequence[int]) -> list[int]:
        """All nodes, in an order that has the same meaning in every text of the netlist (within a colour)."""
        return self._settled(nodes, {}, True)[1]

    def _settled(
        self, nodes: Sequence[int], own: Mapping[int, int], thorough: bool
    ) -> tuple[list[Any], list[int]]:
        """(certificate, order) of nodes; `own`: colours that are finer than those of the graph."""
        done = [self._part(part, own, thorough) for part in self._parts(nodes)]
        done.sort(key=lambda d: d[0])
        return [d[0] for d in done], [v for d in done for v in d[1]]

    def _parts(self, nodes: Sequence[int]) -> Iterator[list[int]]:
        left = set(nodes)
        for root in nodes:
            if root not in left:
                continue
            part, stack = [], [root]
            left.discard(root)
            while stack:
                v = stack.pop()
                part.append(v)
                for w, _ in self.near.get(v, ()):
                    if w in left:
                        left.discard(w)
                        stack.append(w)
            yield part

    def _part(self, part: list[int], own: Mapping[int, int], thorough: bool) -> tuple[Any, list[int]]:
        """(certificate, order) of a part. A certificate begins with 0 where all colours differ, otherwise
        with 1, so that any two compare.
        """
        now = {v: own.get(v, self.colours[v]) for v in part}
        classes = Counter(now.values())
        if len(classes) == len(part):
            order = sorted(part, key=now.__getitem__)
            return (0, self._certificate(order, now)), order
        _, chosen = min((n, c) for c, n in classes.items() if n > 1)
        found: list[tuple[tuple[int, ...], dict[int, int]]] = []
        for v in (v for v in part if now[v] == chosen):
            fine = self._fine(part, now | {v: _mix(chosen ^ 0x0DD)})
            found.append((tuple(sorted(fine.values())), fine))
        least = min(f[0] for f in found)
        same = [f[1] for f in found if f[0] == least]
        follow = same if thorough and len(part) <= _TRIED else same[:1]
        best: tuple[Any, list[int]] | None = None
        for fine in follow:
            count = Counter(fine.values())
            rest = [v for v in part if count[fine[v]] > 1]
            single = sorted((v for v in part if count[fine[v]] == 1), key=fine.__getitem__)
            certificate, order = self._settled(rest, fine, False)
            made = [*single, *order]
            whole = ([fine[v] for v in made], self._certificate(made, fine), certificate)
            if best is None or whole < best[0]:
                best = whole, made
        assert best is not None
        return (1, best[0]), best[1]

    def _fine(self, part: Sequence[int], colours: dict[int, int]) -> dict[int, int]:
        """The colours refined within a part."""
        now, classes = colours, len(set(colours.values()))
        while True:
            after = {}
            for v in part:
                total = sum(_mix(now.get(w, self.colours[w]) ^ pin) for w, pin in self.near.get(v, ()))
                after[v] = _mix(3 * now[v] + total & _MASK)
            found = len(set(after.values()))
            if found == classes:
                return after if found == len(part) else now
            now, classes = after, found

    def _certificate(self, order: Sequence[int], colours: Mapping[int, int]) -> list[tuple[int, ...]]:
        """The part's edges and its tables, by the nodes' places in the order and the colours of what is
        outside.
        """
        place = {v: k for k, v in enumerate(order)}

        def at(w: int) -> tuple[int, int]:
            return (0, place[w]) if w in place else (1, colours.get(w, self.colours[w]))

        out = []
        for v in order:
            out.append(
                (
                    colours[v],
                    *(x for edge in sorted((*at(w), pin) for w, pin in self.near.get(v, ())) for x in edge),
                )
            )
            table = self.g.tables[v] if v < len(self.g.cells) else None
            if table:
                keys = [at(self.g.node[b]) for b in table.nets]
                out.append((min(_permuted(table.function, tuple(o)) for o in _orders(keys)),))
        return out


def _orders(keys: Sequence[Any]) -> Iterator[list[int]]:
    """All orders of positions that sort the keys."""
    groups: list[list[int]] = []
    for i in sorted(range(len(keys)), key=keys.__getitem__):
        if groups and keys[groups[-1][0]] == keys[i]:
            groups[-1].append(i)
        else:
            groups.append([i])
    for chosen in product(*(permutations(g) for g in groups)):
        yield [i for g in chosen for i in g]


def _written(module: Mapping[str, Any], g: _Graph, rank: Sequence[int]) -> Canonical:
    """The netlist in the order of the ranks."""
    number: dict[int, int] = {}

    def numbered(bits: Iterable[Bit]) -> list[Bit]:
        return [number.setdefault(b, len(number) + 2) if isinstance(b, int) else b for b in bits]

    ports = {
        n: {"direction": p["direction"], "bits": numbered(p["bits"])}
        for n, p in sorted(module["ports"].items())
    }
    cells: dict[str, Cell] = {}
    before: dict[str, str] = {}
    for k in sorted(range(len(g.cells)), key=rank.__getitem__):
        name, c = f"cell.{len(cells)}", g.cells[k]
        before[name] = g.names[k]
        parameters, connections = dict(c["parameters"]), dict(c["connections"])
        if table := g.tables[k]:
            _arrange(table, rank, g, parameters, connections)
        pins = sorted(connections)
        cells[name] = {
            "hide_name": 0,
            "type": c["type"],
            "parameters": dict(sorted(parameters.items())),
            "attributes": _kept(c),
            "port_directions": {p: c["port_directions"][p] for p in pins if p in c["port_directions"]},
            "connections": {p: numbered(connections[p]) for p in pins},
        }
    named = {b for p in module["ports"].values() for b in p["bits"]}
    nets = {n: {"hide_name": 0, "bits": p["bits"], "attributes": {}} for n, p in ports.items()}
    nets |= {
        f"net.{k}": {"hide_name": 0, "bits": [k], "attributes": {}}
        for b, k in number.items()
        if b not in named
    }
    design = {
        "creator": "cipherwright",
        "modules": {
            CANONICAL_TOP: {
                "attributes": {"top": f"{1:032b}"},
                "ports": ports,
                "cells": cells,
                "netnames": nets,
            }
        },
    }
    old = net_names(module)
    digest = hashlib.sha256(_text(design).encode()).hexdigest()
    return Canonical(
        design,
        digest,
        before,
        {f"net.{k}": old.get(b, f"net{b}") for b, k in number.items() if b not in named},
    )


def _arrange(
    table: _Table,
    rank: Sequence[int],
    g: _Graph,
    parameters: dict[str, Any],
    connections: dict[str, list[Bit]],
) -> None:
    """The table's nets in the order of their ranks on the last inputs, 0 on the others, and the table with
    them.
    """
    order = sorted(range(len(table.nets)), key=lambda i: rank[g.node[table.nets[i]]])
    free = len(table.pins) - len(order)
    function = _permuted(table.function, tuple(order))
    whole = sum((function >> (k >> free) & 1) << k for k in range(1 << len(table.pins)))
    parameters[table.parameter] = f"{whole:0{1 << len(table.pins)}b}"
    for pin in table.pins[:free]:
        connections[pin] = ["0"]
    for pin, i in zip(table.pins[free:], order, strict=True):
        connections[pin] = [table.nets[i]]


def net_names(module: Mapping[str, Any]) -> dict[int, str]:
    """One name for every net of `module` (Yosys JSON), by the net's number: the shortest that it has, shown
    ones before hidden ones. A bit of a wider signal is `name[k]`, with the k of its declaration.

    >>> net_names({"netnames": {"sum": {"bits": [2, 3]}, "carry_out": {"bits": [3]}, "x": {"bits": ["0"]}}})
    {2: 'sum[0]', 3: 'sum[1]'}
    """
    best: dict[int, tuple[bool, int, str]] = {}
    for name, net in module["netnames"].items():
        for i, b in enumerate(net["bits"]):
            if isinstance(b, int):
                own = name if len(net["bits"]) == 1 else f"{name}[{i + net.get('offset', 0)}]"
                best[b] = min(best.get(b, (True, 1 << 30, "")), (bool(net.get("hide_name")), len(own), own))
    return {b: n for b, (_, _, n) in best.items()}
