"""The boxes of AES in two-input gates at depth 16: 128 gates forward, 127 back (XNORs count as gates), 63
of them common to both.

A linear top layer makes 27 sums and the bit `d`, the middle part inverts in GF(2^8) and multiplies (M1 to
M63 of the source), a linear bottom layer sums up 18 of its products. Source: J. Boyar, R. Peralta, A
depth-16 circuit for the AES S-box (ePrint 2011/332). It has nothing of the structure of US 11,943,332:
every product is of two bits that hang on the whole address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ...cipher.rijndael import INV_SBOX, SBOX
from ...graph.builder import GraphBuilder
from ...graph.graph import Graph
from ...graph.ops import Table

__all__ = ["DEPTH16_TABLES", "Circuits", "circuit_of", "depth16", "run_program"]

_TOP = """
t1=u0^u3 t2=u0^u5 t3=u0^u6 t4=u3^u5 t5=u4^u6 t6=t1^t5 t7=u1^u2 t8=u7^t6 t9=u7^t7 t10=t6^t7 t11=u1^u5
t12=u2^u5 t13=t3^t4 t14=t6^t11 t15=t5^t11 t16=t5^t12 t17=t9^t16 t18=u3^u7 t19=t7^t18 t20=t1^t19 t21=u6^u7
t22=t7^t21 t23=t2^t22 t24=t2^t10 t25=t20^t17 t26=t3^t16 t27=t1^t12
"""
_TOP_BACK = """
t23=u0^u3 t22=u1~u3 t2=u0~u1 t1=u3^u4 t24=u4~u7 r5=u6^u7 t8=u1~t23 t19=t22^r5 t9=u7~t1 t10=t2^t24 t13=t2^r5
t3=t1^r5 t25=u2~t1 r13=u1^u6 t17=u2~t19 t20=t24^r13 t4=u4^t8 r17=u2~u5 r18=u5~u6 r19=u2~u4 d=u0^r17
t6=t22^r17 t16=r13^r19 t27=t1^r18 t15=t10^t27 t14=t10^r18 t26=t3^t16
"""
_MIDDLE = """
m1=t13&t6 m2=t23&t8 m3=t14^m1 m4=t19&d m5=m4^m1 m6=t3&t16 m7=t22&t9 m8=t26^m6 m9=t20&t17 m10=m9^m6
m11=t1&t15 m12=t4&t27 m13=m12^m11 m14=t2&t10 m15=m14^m11 m16=m3^m2 m17=m5^t24 m18=m8^m7 m19=m10^m15
m20=m16^m13 m21=m17^m15 m22=m18^m13 m23=m19^t25 m24=m22^m23 m25=m22&m20 m26=m21^m25 m27=m20^m21 m28=m23^m25
m29=m28&m27 m30=m26&m24 m31=m20&m23 m32=m27&m31 m33=m27^m25 m34=m21&m22 m35=m24&m34 m36=m24^m25 m37=m21^m29
m38=m32^m33 m39=m23^m30 m40=m35^m36 m41=m38^m40 m42=m37^m39 m43=m37^m38 m44=m39^m40 m45=m42^m41 m46=m44&t6
m47=m40&t8 m48=m39&d m49=m43&t16 m50=m38&t9 m51=m37&t17 m52=m42&t15 m53=m45&t27 m54=m41&t10 m55=m44&t13
m56=m40&t23 m57=m39&t19 m58=m43&t3 m59=m38&t22 m60=m37&t20 m61=m42&t1 m62=m45&t4 m63=m41&t2
"""
_BOTTOM = """
l0=m61^m62 l1=m50^m56 l2=m46^m48 l3=m47^m55 l4=m54^m58 l5=m49^m61 l6=m62^l5 l7=m46^l3 l8=m51^m59 l9=m52^m53
l10=m53^l4 l11=m60^l2 l12=m48^m51 l13=m50^l0 l14=m52^m61 l15=m55^l1 l16=m56^l0 l17=m57^l1 l18=m58^l8
l19=m63^l4 l20=l0^l1 l21=l1^l7 l22=l3^l12 l23=l18^l2 l24=l15^l9 l25=l6^l10 l26=l7^l9 l27=l8^l10 l28=l11^l14
l29=l11^l17 s0=l6^l24 s1=l16~l26 s2=l19~l28 s3=l6^l21 s4=l20^l22 s5=l25^l29 s6=l13~l27 s7=l6~l23
"""
_BOTTOM_BACK = """
p0=m52^m61 p1=m58^m59 p2=m54^m62 p3=m47^m50 p4=m48^m56 p5=m46^m51 p6=m49^m60 p7=p0^p1 p8=m50^m53 p9=m55^m63
p10=m57^p4 p11=p0^p3 p12=m46^m48 p13=m49^m51 p14=m49^m62 p15=m54^m59 p16=m57^m61 p17=m58^p2 p18=m63^p5
p19=p2^p3 p20=p4^p6 p22=p2^p7 p23=p7^p8 p24=p5^p7 p25=p6^p10 p26=p9^p11 p27=p10^p18 p28=p11^p25 p29=p15^p20
s0=p13^p22 s1=p26^p29 s2=p17^p28 s3=p12^p22 s4=p23^p27 s5=p19^p24 s6=p14^p23 s7=p9^p16
"""
# u0 and s0 are the most significant bits.
_BETWEEN = [
    f"t{k}" for k in (1, 2, 3, 4, 6, 8, 9, 10, 13, 14, 15, 16, 17, 19, 20, 22, 23, 24, 25, 26, 27)
] + ["d"]
"""What the middle part reads."""


def run_program(b: GraphBuilder, program: str, signals: dict[str, int]) -> None:
    """Add to `signals` (name -> node of `b`) those of `program`, a straight-line program: steps
    `name=left&right`, with `&`, `^`, or `~` for XNOR, and blanks or line breaks between them.
    """
    for step in program.split():
        name, expression = step.split("=")
        operator = next(c for c in "&^~" if c in expression)
        left, right = (signals[s] for s in expression.split(operator))
        made = b.and_(left, right) if operator == "&" else b.xor(left, right)
        signals[name] = b.named(b.not_(made) if operator == "~" else made, name)


def _top(b: GraphBuilder, bits: Sequence[int], back: bool) -> dict[str, int]:
    signals = {f"u{i}": bit for i, bit in enumerate(bits)}
    if not back:
        signals["d"] = signals["u7"]
    run_program(b, _TOP_BACK if back else _TOP, signals)
    return {name: signals[name] for name in _BETWEEN}


def _bottom(b: GraphBuilder, middle: dict[str, int], back: bool) -> list[int]:
    signals = dict(middle)
    run_program(b, _BOTTOM_BACK if back else _BOTTOM, signals)
    return [signals[f"s{i}"] for i in range(8)]


def _one_way(back: bool) -> Callable[[GraphBuilder, int], list[int]]:
    def made(b: GraphBuilder, a: int) -> list[int]:
        signals = _top(b, [b.select(a, (7 - i,)) for i in range(8)], back)
        run_program(b, _MIDDLE, signals)
        return _bottom(b, signals, back)

    return made


def _both(b: GraphBuilder, a: int) -> list[int]:
    """Address bit 8 chooses the inverse box: between the layers on both sides of one middle part."""
    which, bits = b.select(a, (8,)), [b.select(a, (7 - i,)) for i in range(8)]
    there, back = _top(b, bits, False), _top(b, bits, True)
    signals = {name: b.mux(which, back[name], there[name]) for name in _BETWEEN}
    run_program(b, _MIDDLE, signals)
    return [
        b.mux(which, y, x) for x, y in zip(_bottom(b, signals, False), _bottom(b, signals, True), strict=True)
    ]


Circuits = dict[tuple[int, ...], Callable[[GraphBuilder, int], list[int]]]
"""By the table's entries: (builder, address) -> bits of the value, most significant first."""


def circuit_of(circuits: Circuits, table: Table, name: str) -> Graph:
    """The circuit that `circuits` has for `table`, by itself: a -> y. `name`: the end of the graph's name."""
    b = GraphBuilder(f"{table.name}_{name}")
    b.output("y", b.cat(*circuits[table.entries](b, b.input("a", table.address_bits))))
    return b.build()


_CIRCUITS: Circuits = {SBOX: _one_way(False), INV_SBOX: _one_way(True), SBOX + INV_SBOX: _both}
DEPTH16_TABLES = tuple(_CIRCUITS)
"""Entries of the boxes that the circuits serve."""


@cache
def depth16(table: Table) -> Graph:
    """The table's circuit: a -> y."""
    return circuit_of(_CIRCUITS, table, "gates16")
