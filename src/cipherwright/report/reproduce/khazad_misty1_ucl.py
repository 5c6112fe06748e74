"""Standaert, Rouvroy, Quisquater, Legat: Efficient FPGA Implementations of Block Ciphers KHAZAD and MISTY1
(2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...cipher.misty1 import MISTY1
from ...progress import Tell
from ...shell import Core
from ...spec import load
from .khazad_misty1_parts import NO_DELAY, XCV, components
from .measuring import PACKING, Measured, measure, slices_at_best

__all__ = ["comparison", "reproduce_khazad_misty1_ucl", "slices_and_clocks", "subkeys"]

ECP5 = "ecp5-85k-8"
_MAPPING = "xcv: Yosys mapping for Virtex. There is no clock for Virtex: open tools have no delays of it."

_COMPLETE = {
    "khazad-ucl-fast": (11328, 13568, 8800, 62, 175, 148),
    "khazad-ucl-small": (11072, 9600, 7175, 53, 137, 123),
    "misty1-ucl": (10920, 8480, 8386, 208, 204, 140),
}
"""Tables 4 and 9: LUTs, registers, slices, latency in cycles, MHz after synthesis (Table 9: after mapping),
MHz after implementation.
"""


SUBKEYS = ("KO1", "KO2", "KO3", "KO4", "KI1", "KI2", "KI3", "KL1 (FL i)", "KL2 (FL i)")


def _printed(i: int) -> list[str]:
    """The words of Table 5 for round i, as the paper prints their numbers."""
    odd = i % 2 == 1
    words = [("K", i), ("K", i + 2), ("K", i + 7), ("K", i + 4), ("K'", i + 5), ("K'", i + 1), ("K'", i + 3)]
    words += (
        [("K", (i + 1) // 2), ("K'", (i + 1) // 2 + 6)] if odd else [("K'", i // 2 + 1), ("K", i // 2 + 4)]
    )
    return [f"{kind}{(n - 1) % 8 + 1}" for kind, n in words]


def subkeys() -> dict[str, Any]:
    """Table 5 as the paper prints it and as the description has it."""
    rows, differ = [], []
    for i in range(1, 9):
        paper, ours = _printed(i), MISTY1.subkeys(i)
        rows += [[i, *ours, "ours"], [i, *paper, "paper"]]
        differ += [
            f"{name.split()[0]} of {i} ({p}, {o})"
            for name, p, o in zip(SUBKEYS, paper, ours, strict=True)
            if p != o
        ]
    return {
        "title": "Table 5: subkeys of MISTY1",
        "columns": ["round", *SUBKEYS, "of"],
        "rows": rows,
        "notes": [
            "Ours: from the description that every core is proven against, which is RFC 2994.",
            f"The paper's text has other words than ours at {', '.join(differ)}: it prints K'(i/2 + 1) "
            "for KL1 of even i, the RFC K'(i/2 + 2).",
        ],
    }


def _complete(made: dict[str, Measured]) -> dict[str, Any]:
    rows = []
    for preset, (luts, ffs, _, latency, *_) in _COMPLETE.items():
        m = made[preset].build.mapped
        rows.append([preset, luts, m.luts, m.srls, ffs, m.ffs, latency, made[preset].core.latency, m.levels])
    return {
        "title": "Tables 4 and 9: complete ciphers",
        "columns": [
            "core",
            "LUT, paper",
            "LUT, ours",
            "of them SRL",
            "FF, paper",
            "FF, ours",
            "latency, paper",
            "latency, ours",
            "LUT levels",
        ],
        "rows": rows,
        "notes": [_MAPPING, "A block leaves every cycle, and the key may change every cycle."],
    }


def slices_and_clocks(made: Mapping[str, Measured]) -> dict[str, Any]:
    """The slices of Tables 4 and 9, counted in both ways for both, and their clocks. made: the cores measured
    on Virtex, by preset.
    """
    rows: list[list[Any]] = []
    for preset, (luts, ffs, slices, _, synthesised, placed) in _COMPLETE.items():
        m = made[preset]
        rows.append(
            [preset, "paper", slices, slices_at_best(luts, ffs), synthesised, placed, None],
        )
        rows.append([preset, "ours", m.packed, m.slices, NO_DELAY, NO_DELAY, m.build.mapped.levels])
    return {
        "title": "Tables 4 and 9: slices and clocks",
        "columns": [
            "core",
            "",
            "slices packed",
            "slices at best",
            "MHz after synthesis",
            "MHz after place and route",
            "LUT levels",
        ],
        "rows": rows,
        "notes": [PACKING, "Table 9's first clock is after mapping. Table 10 has clocks of ours on ECP5."],
    }


def _key_schedule(m: Measured) -> dict[str, Any]:
    luts, srls, ffs = m.core.key_part()
    return {
        "title": "Table 8: key scheduling of MISTY1",
        "columns": ["", "LUT", "of them SRL", "FF", "stages"],
        "rows": [["paper", 4912, None, 2352, 208], ["ours", luts, srls, ffs, m.core.schedule.stages]],
        "notes": ["Ours: operations and delays of the scheduled core that depend on the key alone."],
    }


# Table 10: slices, cycles from block to block, MHz, Gb/s; where it is in Table 4 or 9.
_OTHERS: dict[str, tuple[int, float, float, float, str]] = {
    "RIJNDAEL (Elbirt et al.)": (10992, 2.1, 31.8, 1.938, ""),
    "SERPENT (Elbirt et al.)": (9004, 1, 38.0, 4.86, ""),
    "MISTY1": (8386, 1, 140.0, 8.96, "misty1-ucl"),
    "Fast KHAZAD": (8800, 1, 148.0, 9.472, "khazad-ucl-fast"),
    "Low area KHAZAD": (7175, 1, 123.0, 7.872, "khazad-ucl-small"),
}

_BOXES = {
    "table": "tables",
    "tower": "inversions in a tower of fields",
    "boyar_peralta": "the circuit of Boyar and Peralta",
}


def _per_slice(gbps: float | None, slices: int | None) -> float | None:
    return round(1000 * gbps / slices, 2) if gbps and slices else None


def _interval(core: Core) -> float:
    return round(float(core.parameters["block_bits"]) / core.bits_per_cycle, 2)


def comparison(made: Mapping[str, Measured], tell: Tell) -> dict[str, Any]:
    """Table 10, with cores of ours on Virtex and ECP5. made: cores that are already measured on Virtex, by
    preset; `tell` is called with each further one.
    """
    rows: list[list[Any]] = []
    for name, (packed, every, mhz, gbps, preset) in _OTHERS.items():
        luts, ffs = _COMPLETE[preset][:2] if preset else (None, None)
        best = slices_at_best(luts, ffs) if luts and ffs else None
        rates = [_per_slice(gbps, packed), _per_slice(gbps, best)]
        rows.append([f"{name}, paper", packed, best, luts, every, mhz, gbps, *rates])
    for preset in ("misty1-ucl", "khazad-ucl-fast", "khazad-ucl-small", "des-xilinx-48", "aes-small"):
        v = made[preset] if preset in made else measure(preset, [], XCV, 1, tell)
        rows.append(
            [
                f"{preset}, Virtex mapping",
                v.packed,
                v.slices,
                v.build.mapped.luts,
                _interval(v.core),
                NO_DELAY,
                None,
                None,
                None,
            ]
        )
    for preset in ("misty1-fast", "khazad-fast", "des-fast", "aes-small"):
        e = measure(preset, [], ECP5, 1, tell)
        rates = [_per_slice(e.gbps, e.packed), _per_slice(e.gbps, e.slices)]
        rows.append(
            [
                f"{preset}, ECP5",
                e.packed,
                e.slices,
                e.build.mapped.luts,
                _interval(e.core),
                e.build.fmax_mhz,
                e.gbps,
                *rates,
            ]
        )
    boxes = _BOXES.get(str(load("aes-small").sbox), f"sbox = {load('aes-small').sbox}")
    return {
        "title": "Table 10: comparison",
        "columns": [
            "core",
            "slices packed",
            "slices at best",
            "LUT4",
            "cycles a block",
            "MHz",
            "Gb/s",
            "Mb/s per slice packed",
            "Mb/s per slice at best",
        ],
        "rows": rows,
        "notes": [
            _MAPPING,
            PACKING,
            "Lookup tables and registers of RIJNDAEL and SERPENT are not in the paper, so their slices at "
            "best are not known. Their cycles a block are edges of the clock.",
            "ECP5: placed and routed, seed 1, the same flow for every cipher; its slices hold two lookup "
            "tables and two registers as well. aes-small is RIJNDAEL with one round in a loop and its S-boxes"
            f" as {boxes}; the others are whole pipelines.",
        ],
    }


def reproduce_khazad_misty1_ucl(tell: Tell) -> dict[str, Any]:
    """The paper's Tables 1 to 10 beside ours. `tell` is called with what is measured."""
    made = {p: measure(p, [], XCV, 1, tell) for p in ("khazad-ucl-fast", "khazad-ucl-small", "misty1-ucl")}
    return {
        "paper": "khazad-misty1-ucl",
        "title": (
            "Standaert, Rouvroy, Quisquater, Legat: Efficient FPGA Implementations of Block Ciphers "
            "KHAZAD and MISTY1 (2002)"
        ),
        "tables": [
            components(tell),
            _complete(made),
            slices_and_clocks(made),
            subkeys(),
            _key_schedule(made["misty1-ucl"]),
            comparison(made, tell),
        ],
    }
