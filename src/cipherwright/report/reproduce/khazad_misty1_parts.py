"""The components of KHAZAD and MISTY1: Tables 1, 2, 3, 6 and 7 of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...cipher.field import columns_of, product
from ...cipher.khazad import KHAZAD, POLYNOMIAL, gamma, rho, sigma, theta
from ...cipher.misty1 import S7, S9, fi, fl, fo
from ...cipher.word import Matrix, Word, concat, linear, lookup, over, under
from ...graph import GraphBuilder
from ...progress import Tell
from .measuring import component

__all__ = ["COMPONENTS", "DELAYS", "NO_DELAY", "XCV", "Piece", "components"]

XCV = "xcv"
NO_DELAY = "none: no open delays of Virtex"
"""In the place of a delay or clock of ours."""

Make = Callable[[GraphBuilder], None]

DELAYS = {
    "theta + sigma, fast (3 ranks)": 5.2,
    "theta + sigma, low area (2 ranks)": 7.3,
    "round, fast": 5.5,
    "round, low area": 7.3,
    "key round, fast": 5.6,
    "key round, low area": 7.3,
}
"""Tables 2 and 3: the paper's estimated delay in ns."""


_X = Matrix("X", columns_of(lambda x: product(x, 2, POLYNOMIAL), 8, 8))
"""A byte times X, the building block of theta (figure 4)."""


def _simple(what: Callable[[Word], Word], width: int) -> Make:
    def make(b: GraphBuilder) -> None:
        b.output("y", under(b, what(over(b, b.input("a", width)))))

    return make


def _keyed(what: Callable[[Word, Word], Word], width: int, key: int) -> Make:
    def make(b: GraphBuilder) -> None:
        b.output("y", under(b, what(over(b, b.input("a", width)), over(b, b.input("k", key)))))

    return make


def _s_box(a: Word) -> Word:
    """The S-box of KHAZAD, that of byte 0."""
    return gamma(concat(a, a.const(56, 0)))[63:56]


def _theta_sigma(a: Word, k: Word) -> Word:
    return sigma(k, theta(a))


def _round(a: Word, k: Word) -> Word:
    return rho(k, a)


def _key_round(b: GraphBuilder) -> None:
    older, newer = over(b, b.input("older", 64)), over(b, b.input("newer", 64))
    new = KHAZAD.key_next(older.const(64, 0x0123456789ABCDEF), (older, newer))[1]
    b.output("y", under(b, new))
    b.output("newer", under(b, newer))


def _fo(a: Word, k: Word) -> Word:
    words = k.split(7)
    return fo(a, words[:4], words[4:])


def _fl(a: Word, k: Word) -> Word:
    return fl(a, *k.split(2))


@dataclass(frozen=True)
class Piece:
    """A component of a table. table: its number; name: as the paper has it; luts, registers, stages: the
    paper's (registers None: it tells none). make: what builds it, with the mapping of the preset and the
    changes `sets`.
    """

    table: str
    name: str
    luts: int
    registers: int | None
    stages: int
    preset: str
    make: Make
    sets: tuple[str, ...] = ()


COMPONENTS: tuple[Piece, ...] = (
    Piece("1", "X", 3, None, 0, "khazad-ucl-fast", _simple(lambda a: linear(_X, a), 8)),
    Piece("1", "S", 24, None, 0, "khazad-ucl-fast", _simple(_s_box, 8)),
    Piece("1", "gamma layer", 192, None, 0, "khazad-ucl-fast", _simple(gamma, 64)),
    Piece(
        "1", "key addition sigma", 64, None, 0, "khazad-ucl-fast", _keyed(lambda a, k: sigma(k, a), 64, 64)
    ),
    Piece("2", "theta + sigma, fast (3 ranks)", 384, 576, 3, "khazad-ucl-fast", _keyed(_theta_sigma, 64, 64)),
    Piece(
        "2",
        "theta + sigma, low area (2 ranks)",
        384,
        320,
        2,
        "khazad-ucl-small",
        _keyed(_theta_sigma, 64, 64),
    ),
    Piece(
        "2",
        "ours: theta + sigma, fewest LUTs",
        384,
        None,
        0,
        "khazad-ucl-small",
        _keyed(_theta_sigma, 64, 64),
        ("linear_depth=0",),
    ),
    Piece(
        "2",
        "ours: the same with the XOR gates of the slices, 3 levels",
        384,
        None,
        0,
        "khazad-ucl-small",
        _keyed(_theta_sigma, 64, 64),
        ("slice_xor=true", "linear_depth=3"),
    ),
    Piece(
        "2",
        "ours: the same with the XOR gates of the slices, fewest LUTs",
        384,
        None,
        0,
        "khazad-ucl-small",
        _keyed(_theta_sigma, 64, 64),
        ("slice_xor=true", "linear_depth=0"),
    ),
    Piece("3", "round, fast", 576, 768, 6, "khazad-ucl-fast", _keyed(_round, 64, 64)),
    Piece("3", "round, low area", 576, 512, 5, "khazad-ucl-small", _keyed(_round, 64, 64)),
    Piece("3", "key round, fast", 768, 832, 6, "khazad-ucl-fast", _key_round),
    Piece("3", "key round, low area", 756, 576, 5, "khazad-ucl-small", _key_round),
    Piece("6", "S7", 45, 45, 2, "misty1-ucl", _simple(lambda a: lookup(S7, a), 7)),
    Piece("6", "S9", 44, 35, 2, "misty1-ucl", _simple(lambda a: lookup(S9, a), 9)),
    Piece("7", "FO", 565, 633, 24, "misty1-ucl", _keyed(_fo, 32, 112)),
    Piece("7", "FI", 158, 195, 7, "misty1-ucl", _keyed(fi, 16, 16)),
    Piece("7", "FL", 32, 32, 1, "misty1-ucl", _keyed(_fl, 32, 32)),
)


def components(tell: Tell) -> dict[str, Any]:
    """Tables 1, 2, 3, 6 and 7: each component mapped by itself beside the paper's. `tell` is called with each
    one's name.
    """
    rows = []
    for piece in COMPONENTS:
        tell(f"component {piece.name}")
        got = component("piece", piece.preset, piece.make, piece.stages, XCV, piece.sets)
        rows.append(
            [
                piece.table,
                piece.name,
                piece.luts,
                got.luts,
                piece.registers,
                got.ffs if piece.registers is not None else None,
                piece.stages or None,
                got.levels,
                DELAYS.get(piece.name),
                NO_DELAY if piece.name in DELAYS else None,
            ]
        )
    return {
        "title": "Tables 1, 2, 3, 6, 7: components",
        "columns": [
            "table",
            "component",
            "LUT, paper",
            "LUT, ours",
            "registers, paper",
            "registers, ours",
            "ranks",
            "LUT levels, ours",
            "delay, paper, ns",
            "delay, ours",
        ],
        "rows": rows,
        "notes": [
            "Delays are in Tables 2 and 3 only, estimates after synthesis. Of ours only the LUT levels are "
            "known: lookup tables in a row between registers.",
            "Ours are scheduled with the paper's number of register ranks; the registers that key words "
            "need on the way are counted here, "
            "the paper counts them as shift registers elsewhere.",
            (
                "theta takes 366 two-input XORs by the published mark; the networks in "
                "data/xor_networks.json "
                "are counted in LUT4s with the key addition."
            ),
        ],
    }
