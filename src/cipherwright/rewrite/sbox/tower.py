"""Inversion in GF(2^8) over the tower GF(((2^2)^2)^2), in five levels of LUT4s between two linear maps.

For boxes that are inversion between affine maps (SubBytes of AES). An element is scaled by a constant c
and written as A Y^16 + B Y over GF(2^4), these as a1 Z^4 + a0 Z over GF(2^2), in normal bases (Y + Y^16 =
1, Z + Z^4 = 1); its inverse is B D Y^16 + A D Y with D the inverse of N = AB + nu (A + B)^2, nu = Y^17. A
product in GF(2^4) takes three products in GF(2^2) (Karatsuba), a product in GF(2^2) two LUT4s; the square
in N costs nothing, as nu (A + B)^2 is a sum of functions of (a1, b1) or (a0, b0) and of (a1 + a0, b1 +
b0), which the same LUT4s take in. After the last products only linear maps remain, so they merge with the
linear layer that follows, and the first map with the one before (fuse.py). Bases are chosen by
benchmarks/tower_search.py and kept in data/towers.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ...cipher.field import columns_of, product
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph
from ...graph.ops import Table
from .names import digest_of

__all__ = [
    "SHARED_BASES",
    "WORD_BASES",
    "Tower",
    "affine_maps",
    "all_towers",
    "bases_of",
    "is_inversion",
    "tower_pair",
    "tower_value",
    "tower_whole",
]

SHARED_BASES = "SBoxBoth"
"""Name of the bases for boxes of both directions of AES that share an inversion."""

WORD_BASES = "Words"
"""In place of a name: each box's bases for words that are kept in them (../linear/common.py), kept under a
name that ends so.
"""

POLYNOMIAL = 0x11B
"""The representation of GF(2^8) in which the boxes are given."""


@cache
def times(a: int, b: int) -> int:
    """Product in GF(2^8)."""
    return product(a, b, POLYNOMIAL)


@cache
def power(a: int, n: int) -> int:
    """a^n in GF(2^8)."""
    out = 1
    for _ in range(n):
        out = times(out, a)
    return out


@dataclass(frozen=True)
class Tower:
    """Bases of a tower field. `y` and `z`: Y and Z; `w`: the basis (w1, w0) of GF(2^2); `c`: the scale. All
    are elements of GF(2^8).
    """

    y: int
    z: int
    w: tuple[int, int]
    c: int

    @property
    def basis(self) -> tuple[int, ...]:
        """Elements that the bits of a1, a0, b1, b0 stand for, most significant first."""
        highs = [times(z, y) for y in (power(self.y, 16), self.y) for z in (power(self.z, 4), self.z)]
        return tuple(times(w, h) for h in highs for w in self.w)

    def number(self, bits: int, basis: Sequence[int]) -> int:
        """The element whose coordinates are `bits` (most significant first) in `basis`."""
        return _number(bits, basis)

    def coordinates(self, x: int, basis: Sequence[int]) -> int:
        """The inverse of `number`: the coordinates of the element `x` in `basis`, most significant first."""
        return _coordinates(tuple(basis))[x]

    def rows_in(self) -> tuple[int, ...]:
        """x -> bits of a1, a0, b1, b0 of c x."""
        return columns_of(lambda x: self.coordinates(times(self.c, x), self.basis), 8, 8)

    def rows_out(self) -> tuple[int, ...]:
        """Twelve product bits (b1 d1, b0 d0, both sums, then a) -> the inverse of x."""
        y16, z4 = power(self.y, 16), power(self.z, 4)
        places = [times(v, u) for u in (y16, self.y) for v in (z4, self.z, 1)]
        elements = [times(self.c, times(w, p)) for p in places for w in self.w]
        return columns_of(lambda bits: self.number(bits, elements), 12, 8)

    def quarter(self, function: Callable[[int, int], int]) -> tuple[int, int]:
        """Truth tables (most significant bit first) of a function of two elements of GF(2^2): address =
        first, second.
        """
        values = [
            self.coordinates(function(self.number(a >> 2, self.w), self.number(a & 3, self.w)), self.w)
            for a in range(16)
        ]
        return sum((v >> 1) << a for a, v in enumerate(values)), sum(
            (v & 1) << a for a, v in enumerate(values)
        )

    def square_part(self, s: int) -> tuple[int, int]:
        """nu s^2 for s in GF(2^4), as elements of GF(2^2) over (Z^4, Z)."""
        value = times(power(self.y, 17), times(s, s))
        bits = self.coordinates(value, [times(w, h) for h in (power(self.z, 4), self.z) for w in self.w])
        return self.number(bits >> 2, self.w), self.number(bits & 3, self.w)


def _number(bits: int, basis: Sequence[int]) -> int:
    out = 0
    for k, e in enumerate(reversed(basis)):
        out ^= e if bits >> k & 1 else 0
    return out


@cache
def _coordinates(basis: tuple[int, ...]) -> dict[int, int]:
    return {_number(bits, basis): bits for bits in range(1 << len(basis))}


@cache
def _library() -> dict[str, tuple[Tower, str]]:
    """Kept bases by name, each with the digest of its box's entries."""
    text = (resources.files(__package__) / "data" / "towers.json").read_text()
    return {
        name: (Tower(t["y"], t["z"], tuple(t["w"]), t["c"]), t["box"]) for name, t in json.loads(text).items()
    }


def all_towers() -> list[Tower]:
    """Every choice of bases."""
    ys = [y for y in range(256) if y ^ power(y, 16) == 1]
    zs = [z for z in range(2, 256) if power(z, 16) == z and z ^ power(z, 4) == 1]
    quarter = [w for w in range(2, 256) if power(w, 4) == w]
    ws = [(1, quarter[0]), (1, quarter[1]), (quarter[0], quarter[1])]
    return [Tower(y, z, w, c) for y in ys for z in zs for w in ws for c in range(1, 256)]


_TRIED = 8
"""Of the bases with the same subfields and elements, every so many-th scale is tried for a box without kept
bases.
"""


@cache
def bases_of(table: Table, words: bool = False) -> Tower:
    """The bases for the box `table`: those that are kept for it (`words`: for words that are kept in them),
    else out of some hundreds those whose two linear maps have the fewest ones. Raises ValueError where the
    box is not inversion between affine maps.
    """
    digest = digest_of(table.entries)
    for name, (kept, box) in _library().items():
        if box == digest and name.endswith(WORD_BASES) == words:
            return kept
    half = table.entries[: len(table.entries) // 2] if table.address_bits == 9 else table.entries
    before, _, after, _ = affine_maps(Table(table.name, 8, half))

    def ones(t: Tower) -> int:
        maps = (compose(t.rows_in(), before), compose(after, t.rows_out()))
        return sum(row.bit_count() for rows in maps for row in rows)

    return min(all_towers()[:: 3 * _TRIED + 1], key=ones)


@cache
def _levels(t: Tower) -> tuple[Graph, Graph, Graph, Graph]:
    """sums and first halves of N (8 bits -> 8), second halves (4 -> 4), inversion (4 -> 6), products (8,
    4, 6 -> 12).
    """
    z4, n = power(t.z, 4), power(t.z, 5)

    def spread(s1: int, s0: int) -> tuple[int, int]:
        return t.square_part(times(s1, z4) ^ times(s0, t.z))

    def cell(b: GraphBuilder, table: int, *bits: int) -> int:
        return b.node("lut4", 1, bits, table)

    def pair(
        b: GraphBuilder, function: Callable[[int, int], int], first: Sequence[int], second: Sequence[int]
    ) -> list[int]:
        return [cell(b, table, *first, *second) for table in t.quarter(function)]

    def bits(b: GraphBuilder, word: int) -> list[int]:
        return [b.select(word, (k,)) for k in range(b.width(word) - 1, -1, -1)]

    def done(b: GraphBuilder, out: Sequence[int]) -> Graph:
        b.output("y", b.cat(*out))
        return b.build()

    one = GraphBuilder("gf_sums", "lut4")
    v = bits(one, one.input("a", 8))
    a1, a0, b1, b0 = v[0:2], v[2:4], v[4:6], v[6:8]
    sums = [cell(one, 6, x, y) for x, y in ((a1[0], a0[0]), (a1[1], a0[1]), (b1[0], b0[0]), (b1[1], b0[1]))]
    f1 = pair(one, lambda x, y: times(x, y) ^ spread(x ^ y, 0)[0] ^ spread(0, x ^ y)[0], a1, b1)
    f0 = pair(one, lambda x, y: times(x, y) ^ spread(0, x ^ y)[1] ^ spread(x ^ y, 0)[1], a0, b0)
    two = GraphBuilder("gf_cross", "lut4")
    u = bits(two, two.input("a", 4))
    g1 = pair(two, lambda x, y: times(n, times(x, y)) ^ spread(0, x ^ y)[0], u[0:2], u[2:4])
    g0 = pair(two, lambda x, y: times(n, times(x, y)) ^ spread(x ^ y, 0)[1], u[0:2], u[2:4])
    three = GraphBuilder("gf_inverse", "lut4")
    m = bits(three, three.input("a", 4))
    sixteen = [times(w, h) for h in (z4, t.z) for w in t.w]

    def inverse(code: int) -> int:
        d = power(t.number(code, sixteen), 14)  # zero stays zero
        c = t.coordinates(d, sixteen)
        return c << 2 | (c >> 2) ^ (c & 3)

    inv = [cell(three, sum((inverse(x) >> k & 1) << x for x in range(16)), *m) for k in range(5, -1, -1)]
    four = GraphBuilder("gf_products", "lut4")
    ab, s, d = (bits(four, four.input(name, width)) for name, width in (("a", 8), ("s", 4), ("d", 6)))
    out: list[int] = []
    for x1, x0, x2 in ((ab[4:6], ab[6:8], s[2:4]), (ab[0:2], ab[2:4], s[0:2])):
        out += pair(four, times, x1, d[0:2]) + pair(four, times, x0, d[2:4])
        out += pair(four, lambda x, y: times(n, times(x, y)), x2, d[4:6])
    return done(one, sums + f1 + f0), done(two, g1 + g0), done(three, inv), done(four, out)


def _linear_part(values: Sequence[int]) -> tuple[int, ...]:
    """Rows of x -> values[x] + values[0]; empty where that is not linear."""
    linear = all(
        values[x] ^ values[1 << k] ^ values[0] == values[x ^ 1 << k] for x in range(256) for k in range(8)
    )
    return columns_of(lambda x: values[x] ^ values[0], 8, 8) if linear else ()


@cache
def affine_maps(table: Table) -> tuple[tuple[int, ...], int, tuple[int, ...], int]:
    """(linear map before, constant before, linear map after, constant after) that make inversion `table`;
    rows of the maps most significant first. Raises ValueError where the table is not of that form.
    """
    inverse, same = [power(x, 254) for x in range(256)], columns_of(lambda x: x, 8, 8)
    if table.width == 8 and len(table.entries) == 256:
        after = [table.entries[x] for x in inverse]  # the affine map after, if there is none before
        if rows := _linear_part(after):
            return same, 0, rows, after[0]
        before = [inverse[e] for e in table.entries]
        if rows := _linear_part(before):
            return rows, before[0], same, 0
        if found := _both_maps(table.entries, inverse):
            return found
    raise ValueError(f"{table.name} is not inversion in GF(2^8) between affine maps")


def _both_maps(
    entries: Sequence[int], inverse: Sequence[int]
) -> tuple[tuple[int, ...], int, tuple[int, ...], int] | None:
    """Maps before and after inversion, or None.

    With y = S(x + x0) + S(x0) = B(1 / A x), the trace of c (A x) (B^-1 y) is that of c for every x but 0:
    eight bilinear forms that are constant. They are found by elimination for every x0. Two of them, as
    matrices M and N, give M^-1 N, which is a multiplication in the field as B^-1 sees it.
    """
    for x0 in range(256):
        ys = [entries[x ^ x0] ^ entries[x0] for x in range(256)]
        forms = _constant_forms(ys)
        if len(forms) < 8:
            continue
        if (found := _field_view(forms)) is None:
            continue
        undo = _inverted(found)
        before = [inverse[_apply(found, y)] for y in ys]
        if not (rows := _linear_part(before)) or before[0]:
            continue
        return rows, _apply(rows, x0), undo, entries[x0]
    return None


def _constant_forms(ys: Sequence[int]) -> list[tuple[int, ...]]:
    """Bilinear forms of x and ys[x] (rows of 8 bits, row k for bit k of x) that are constant for x not 0."""
    pivots: dict[int, int] = {}
    for x in range(1, 256):
        _eliminate(1 << 64 | sum(ys[x] << 8 * k for k in range(8) if x >> k & 1), pivots)
        if len(pivots) > 57:
            return []
    out = []
    for f in (k for k in range(65) if k not in pivots):
        form = 1 << f | sum(1 << p for p, row in pivots.items() if row >> f & 1)
        out.append(tuple(form >> 8 * k & 255 for k in range(8)))
    return [form for form in out if any(form)]


def _eliminate(row: int, pivots: dict[int, int]) -> None:
    """Add an equation to those that are solved already, by place of their unknown (reduced row echelon)."""
    for p, other in pivots.items():
        if row >> p & 1:
            row ^= other
    if row:
        p = row.bit_length() - 1
        for q in pivots:
            if pivots[q] >> p & 1:
                pivots[q] ^= row
        pivots[p] = row


def _times(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    """Product of matrices of eight rows, row k for bit k."""
    out = []
    for row in one:
        total = 0
        for k in range(8):
            total ^= other[k] if row >> k & 1 else 0
        out.append(total)
    return tuple(out)


def _inverted(rows: Sequence[int]) -> tuple[int, ...]:
    """The inverse of eight rows (in either order of rows); empty where there is none."""
    work = [[row, 1 << k] for k, row in enumerate(reversed(rows))]
    for k in range(8):
        at = next((i for i in range(k, 8) if work[i][0] >> k & 1), None)
        if at is None:
            return ()
        work[k], work[at] = work[at], work[k]
        for i in range(8):
            if i != k and work[i][0] >> k & 1:
                work[i] = [work[i][0] ^ work[k][0], work[i][1] ^ work[k][1]]
    return tuple(w[1] for w in reversed(work))


def _field_view(forms: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Rows of a map into the field under which the quotient of two forms is the element 2."""
    sums: list[tuple[int, ...]] = [(0,) * 8]
    for form in forms[:8]:
        sums += [tuple(a ^ c for a, c in zip(s, form, strict=True)) for s in sums]
    first = next((m for m in sums if _inverted(m[::-1])), None)
    if first is None:
        return None
    undo = _inverted(first[::-1])[::-1]
    one = tuple(1 << k for k in range(8))
    for form in sums[1:]:
        quotient = _times(undo, form)  # rows by bit: y -> y'
        powers = [one]
        for _ in range(8):
            powers.append(_times(powers[-1], quotient))
        total: tuple[int, ...] = (0,) * 8
        for k in range(9):
            if POLYNOMIAL >> k & 1:
                total = tuple(a ^ c for a, c in zip(total, powers[k], strict=True))
        if any(total):
            continue
        columns = [sum((p[k] & 1) << k for k in range(8)) for p in powers[:8]]  # what each makes of bit 0
        # columns[k] is the vector of 2^k: the map takes it to 1 << k.
        back = columns_of(lambda x, columns=columns: _sum(columns, x), 8, 8)  # type: ignore[misc]
        return _inverted(back)
    return None


def _sum(columns: Sequence[int], x: int) -> int:
    out = 0
    for k, c in enumerate(columns):
        out ^= c if x >> k & 1 else 0
    return out


@cache
def is_inversion(table: Table) -> bool:
    """Whether `table` is inversion in GF(2^8) between affine maps, or two such tables by the top bit of its
    address.
    """
    half = len(table.entries) // 2
    try:
        if table.address_bits == 9:
            for k in (0, 1):
                affine_maps(Table(table.name, table.width, table.entries[k * half : (k + 1) * half]))
        else:
            affine_maps(table)
    except ValueError:
        return False
    return True


def compose(outer: Sequence[int], inner: Sequence[int]) -> tuple[int, ...]:
    """Rows of outer(inner(x)); rows most significant first."""
    out = []
    for row in outer:
        total = 0
        for k, r in enumerate(reversed(inner)):
            total ^= r if row >> k & 1 else 0
        out.append(total)
    return tuple(out)


def _apply(rows: Sequence[int], x: int) -> int:
    out = 0
    for r in rows:
        out = out << 1 | (r & x).bit_count() & 1
    return out


def tower_value(b: GraphBuilder, table: Table, address: int, basis: str = "") -> int:
    """The entry of `table` at `address`, a node of `b`: a linear map, five levels of lookup tables, a linear
    map, constants. `basis`: the name of the box whose bases are used, if not the table's own, or WORD_BASES.
    A table of two boxes (the address's top bit tells which) has one inversion.
    """
    own = basis in ("", WORD_BASES)
    t = bases_of(table, basis == WORD_BASES) if own else _library()[basis][0]
    if table.address_bits > 8:
        half = len(table.entries) // 2
        one, other = (
            Table(f"{table.name}{k}", table.width, table.entries[k * half : (k + 1) * half]) for k in (0, 1)
        )
        which, byte = b.select(address, (8,)), b.select(address, range(7, -1, -1))
        values = _pair(b, t, which, (one, byte), (other, byte))
        return b.mux(which, values[1], values[0])
    return _leave(b, t, table, _inverse(b, t, b.named(_enter(b, t, table, address), "gf_v")))


def tower_pair(
    b: GraphBuilder, which: int, one: tuple[Table, int], other: tuple[Table, int], basis: str
) -> tuple[int, int]:
    """Values of two boxes at an address each through one inversion, as nodes of `b`: the first is right where
    the bit `which` is 0, the second where it is 1. `one` and `other`: each a table and the node of its
    address; `basis`: the name of the bases for both.
    """
    return _pair(b, _library()[basis][0], which, one, other)


def _pair(
    b: GraphBuilder, t: Tower, which: int, one: tuple[Table, int], other: tuple[Table, int]
) -> tuple[int, int]:
    first, second = (_enter(b, t, *box) for box in (one, other))
    p = _inverse(b, t, b.named(b.mux(which, second, first), "gf_v"))
    return _leave(b, t, one[0], p), _leave(b, t, other[0], p)


def _enter(b: GraphBuilder, t: Tower, table: Table, address: int) -> int:
    before, first, _, _ = affine_maps(table)
    return b.xor(
        b.linear(f"{table.name}In", compose(t.rows_in(), before), address),
        b.const(8, _apply(t.rows_in(), first)),
    )


def _leave(b: GraphBuilder, t: Tower, table: Table, products: int) -> int:
    _, _, after, last = affine_maps(table)
    return b.xor(b.linear(f"{table.name}Out", compose(after, t.rows_out()), products), b.const(8, last))


def _inverse(b: GraphBuilder, t: Tower, v: int) -> int:
    """Twelve product bits, of which the inverse is a linear map."""
    sums, cross, inverse, products = _levels(t)
    one = b.call(sums, v, name="gf_f")
    s, f = b.select(one, range(7, 3, -1)), b.select(one, range(3, -1, -1))
    n = b.named(b.xor(f, b.call(cross, s, name="gf_g")), "gf_n")
    d = b.call(inverse, n, name="gf_d")
    return b.call(products, v, s, d, name="gf_p")


@cache
def tower_whole(table: Table) -> Graph:
    """`tower_value` of `table` as a graph of its own (a -> y), for the proof."""
    b = GraphBuilder(f"{table.name}_tower")
    b.output("y", tower_value(b, table, b.input("a", table.address_bits)))
    return b.build()
