"""SubBytes of AES in two-input gates: the smaller circuit of Boyar and Peralta, 115 gates for the box, at
depth 28 (depth16.py has the other).

A linear top layer makes 21 sums of the address bits, a middle part of ANDs and XORs inverts in GF(2^8) and
multiplies, a linear bottom layer sums its 18 products up. The inverse box has the same middle part between
other linear layers, and one box for both directions chooses between them. Source: J. Boyar, R. Peralta, A
new combinational logic minimization technique with applications to cryptology (SEA 2010), figures 5 to 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...cipher.rijndael import AFFINE_CONSTANT, INV_SBOX, SBOX, affine
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph
from ...graph.ops import Table
from ..linear.xor import network
from .depth16 import Circuits, circuit_of, run_program

__all__ = ["BOYAR_PERALTA_TABLES", "boyar_peralta"]

_TOP = """
y14=x3^x5 y13=x0^x6 y9=x0^x3 y8=x0^x5 t0=x1^x2 y1=t0^x7 y4=y1^x3 y12=y13^y14 y2=y1^x0 y5=y1^x6 y3=y5^y8
t1=x4^y12 y15=t1^x5 y20=t1^x1 y6=y15^x7 y10=y15^t0 y11=y20^y9 y7=x7^y11 y17=y10^y11 y19=y10^y8 y16=t0^y11
y21=y13^y16 y18=x0^y16
"""
_MIDDLE = """
t2=y12&y15 t3=y3&y6 t4=t3^t2 t5=y4&x7 t6=t5^t2 t7=y13&y16 t8=y5&y1 t9=t8^t7 t10=y2&y7 t11=t10^t7 t12=y9&y11
t13=y14&y17 t14=t13^t12 t15=y8&y10 t16=t15^t12 t17=t4^t14 t18=t6^t16 t19=t9^t14 t20=t11^t16 t21=t17^y20
t22=t18^y19 t23=t19^y21 t24=t20^y18 t25=t21^t22 t26=t21&t23 t27=t24^t26 t28=t25&t27 t29=t28^t22 t30=t23^t24
t31=t22^t26 t32=t31&t30 t33=t32^t24 t34=t23^t33 t35=t27^t33 t36=t24&t35 t37=t36^t34 t38=t27^t36 t39=t29&t38
t40=t25^t39 t41=t40^t37 t42=t29^t33 t43=t29^t40 t44=t33^t37 t45=t42^t41 z0=t44&y15 z1=t37&y6 z2=t33&x7
z3=t43&y16 z4=t40&y1 z5=t29&y7 z6=t42&y11 z7=t45&y17 z8=t41&y10 z9=t44&y12 z10=t37&y3 z11=t33&y4 z12=t43&y13
z13=t40&y5 z14=t29&y2 z15=t42&y9 z16=t45&y14 z17=t41&y8
"""
_BOTTOM = """
t46=z15^z16 t47=z10^z11 t48=z5^z13 t49=z9^z10 t50=z2^z12 t51=z2^z5 t52=z7^z8 t53=z0^z3 t54=z6^z7 t55=z16^z17
t56=z12^t48 t57=t50^t53 t58=z4^t46 t59=z3^t54 t60=t46^t57 t61=z14^t57 t62=t52^t58 t63=t49^t58 t64=z4^t59
t65=t61^t62 t66=z1^t63 s0=t59^t63 s6=t56^t62 s7=t48^t60 t67=t64^t65 s3=t53^t66 s4=t51^t66 s5=t47^t65
s1=t64^s3 s2=t55^t67
"""
# x0 and s0 are the most significant bits.
_PRODUCTS = 18


def _middle(b: GraphBuilder, bits: Sequence[int]) -> list[int]:
    """The 18 products for the address bits of the forward box, most significant first."""
    signals = {f"x{i}": bit for i, bit in enumerate(bits)}
    run_program(b, _TOP, signals)
    run_program(b, _MIDDLE, signals)
    return [signals[f"z{i}"] for i in range(_PRODUCTS)]


def _bottom(b: GraphBuilder, products: Sequence[int]) -> list[int]:
    """The forward box without its constant, most significant bit first."""
    signals = {f"z{i}": bit for i, bit in enumerate(products)}
    run_program(b, _BOTTOM, signals)
    return [signals[f"s{i}"] for i in range(8)]


def _sums(b: GraphBuilder, rows: Sequence[int], bits: Sequence[int]) -> list[int]:
    """A linear map of bits (index 0: weight 0 in the rows) in two-input XORs; one bit a row."""
    net = network(rows, len(bits), 2, 0)
    signals = list(bits)

    def total(ops: Sequence[int]) -> int:
        out = signals[ops[0]]
        for o in ops[1:]:
            out = b.xor(out, signals[o])
        return out

    for ops in net.nodes:
        signals.append(total(ops))
    return [total(ops) for ops in net.outs]


@cache
def _unaffine() -> tuple[int, ...]:
    """Rows of the inverse of the affine map's linear part, of weight 7 first; bit k of a row is of weight
    k.
    """
    inverse = {affine(x): x for x in range(256)}
    return tuple(sum((inverse[1 << k] >> r & 1) << k for k in range(8)) for r in range(7, -1, -1))


@cache
def _inverse_rows() -> tuple[int, ...]:
    """The inverse box's bottom layer over the products (bit i of a row: product i), of weight 7 first."""
    from ...graph.interpret import evaluate

    b = GraphBuilder("bottom")
    z = b.input("z", _PRODUCTS)
    b.output("s", b.cat(*_bottom(b, [b.select(z, (i,)) for i in range(_PRODUCTS)])))
    graph = b.build()
    columns = [evaluate(graph, {"z": 1 << i})["s"] for i in range(_PRODUCTS)]
    return tuple(sum(((row & c).bit_count() & 1) << i for i, c in enumerate(columns)) for row in _unaffine())


def _flip(b: GraphBuilder, bits: Sequence[int]) -> list[int]:
    """The bits (most significant first) with the affine map's constant added."""
    return [b.not_(bit) if AFFINE_CONSTANT >> (7 - i) & 1 else bit for i, bit in enumerate(bits)]


def _forward(b: GraphBuilder, a: int) -> list[int]:
    return _flip(b, _bottom(b, _middle(b, [b.select(a, (7 - i,)) for i in range(8)])))


def _address_back(b: GraphBuilder, a: int) -> list[int]:
    """What the inverse box inverts: the address with the affine map undone."""
    return _sums(b, _unaffine(), _flip(b, [b.select(a, (7 - i,)) for i in range(8)])[::-1])


def _inverse(b: GraphBuilder, a: int) -> list[int]:
    return _sums(b, _inverse_rows(), _middle(b, _address_back(b, a)))


def _both(b: GraphBuilder, a: int) -> list[int]:
    """Address bit 8 chooses the inverse box. Its value is the forward one's with the affine map undone, as
    at the address.
    """
    back = b.select(a, (8,))
    bits = [b.mux(back, x, b.select(a, (7 - i,))) for i, x in enumerate(_address_back(b, a))]
    products = _middle(b, bits)
    there, again = _flip(b, _bottom(b, products)), _sums(b, _inverse_rows(), products)
    return [b.mux(back, y, x) for x, y in zip(there, again, strict=True)]


_CIRCUITS: Circuits = {SBOX: _forward, INV_SBOX: _inverse, SBOX + INV_SBOX: _both}
BOYAR_PERALTA_TABLES = tuple(_CIRCUITS)
"""Entries of the boxes that the circuit serves."""


@cache
def boyar_peralta(table: Table) -> Graph:
    """The table's circuit: a -> y."""
    return circuit_of(_CIRCUITS, table, "gates")
