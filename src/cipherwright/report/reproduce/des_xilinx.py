"""Trimberger, Pang, Singh: A 12 Gbps DES Encryptor/Decryptor Core in an FPGA (2000), step by step."""

from __future__ import annotations

from typing import Any

from ...progress import Tell
from ._measure import Measured, measure

__all__ = ["reproduce_des_xilinx"]

XCVE, ECP5 = "xcve", "ecp5-85k-8"

# (section, what changes, the paper's word on it, preset, changes). The paper's clocks are Virtex estimates by
# synthesis.
_STEPPED = ["key_schedule=stepped", "early_keys=0"]
_PLAIN = ["interface=plain"]
STEPS: tuple[tuple[str, str, str, str, list[str]], ...] = (
    ("3", "one round, iterated", "the original design", "des-small", ["sbox=gates", "merge=0"]),
    (
        "3.1",
        "16 rounds unrolled, one stage each; S-boxes as two-input gates; round numbers as signals",
        "< 25 MHz",
        "des-xilinx-16",
        [*_STEPPED, *_PLAIN, "sbox=gates", "merge=0", "round_numbers=signals", "key_lead=0"],
    ),
    (
        "3.2",
        "S-boxes as 64x4 tables",
        "11 levels",
        "des-xilinx-16",
        [*_STEPPED, *_PLAIN, "sbox=table", "merge=0", "round_numbers=signals", "key_lead=0"],
    ),
    (
        "3.2",
        "S-boxes as LUT4s with F5, the last level merged with the XOR",
        "5 levels, 50 MHz",
        "des-xilinx-16",
        [*_STEPPED, *_PLAIN, "sbox=lut4_f5", "round_numbers=signals", "key_lead=0"],
    ),
    (
        "3.3",
        "round numbers as constants",
        "2-input key choice",
        "des-xilinx-16",
        [*_STEPPED, *_PLAIN, "key_lead=0"],
    ),
    ("3.4", "key one cycle before its data", "70 MHz", "des-xilinx-16", [*_STEPPED]),
    ("3.4*", "ours: round keys as taps of the key, key choice and XOR in one LUT4", "", "des-xilinx-16", []),
    (
        "3.6",
        "48 stages, the paper's key schedule",
        "",
        "des-xilinx-48",
        ["key_schedule=stepped", "delay_lines=ff"],
    ),
    ("3.6*", "ours: 48 stages, round keys as taps", "", "des-xilinx-48", ["delay_lines=ff"]),
    ("3.6*", "ours: the same with shift-register LUTs", "", "des-xilinx-48", []),
)


def reproduce_des_xilinx(tell: Tell) -> dict[str, Any]:
    """Section 3 step by step and the statistics of section 4, each on Virtex-E mapping and placed on ECP5."""
    steps = []
    for section, what, paper, preset, sets in STEPS:
        v = measure(preset, sets, XCVE, 1, tell)
        # Shift-register LUTs exist on the Xilinx fabric only.
        e = (
            measure(preset, sets, ECP5, 1, tell)
            if preset != "des-xilinx-48" or "delay_lines=ff" in sets
            else None
        )
        steps.append(
            [
                section,
                what,
                paper,
                v.build.mapped.luts,
                v.build.mapped.ffs,
                v.build.mapped.srls,
                v.build.mapped.levels,
                e.build.mapped.luts if e else None,
                e.build.fmax_mhz if e else None,
                e.gbps if e else None,
            ]
        )
    return {
        "paper": "des-xilinx",
        "title": "Trimberger, Pang, Singh: A 12 Gbps DES Encryptor/Decryptor Core in an FPGA (CHES 2000)",
        "tables": [
            {
                "title": "Section 3: what each step gives",
                "columns": [
                    "section",
                    "step",
                    "paper",
                    "xcve LUT4",
                    "xcve FF",
                    "SRL",
                    "LUT levels",
                    "ECP5 LUT4",
                    "ECP5 MHz",
                    "ECP5 Gb/s",
                ],
                "rows": steps,
                "notes": [
                    (
                        "xcve: Yosys mapping, no clock of its own; LUT4 counts shift registers too. ECP5: "
                        "placed and routed, seed 1."
                    ),
                    (
                        "LUT levels: lookup tables in a row between registers; F5 and F6 multiplexers are "
                        "not "
                        "counted."
                    ),
                    (
                        "The paper's clocks are synthesis estimates for Virtex-6; its 4,216 LUTs are 16 x "
                        "(56 "
                        "+ 48 + 160) - 8."
                    ),
                ],
            },
            _statistics(tell),
        ],
    }


def _statistics(tell: Tell) -> dict[str, Any]:
    columns: list[tuple[str, Measured | None, Measured]] = [
        (
            "16 stages",
            measure("des-xilinx-16", [], XCVE, 1, tell),
            measure("des-xilinx-16", [], ECP5, 3, tell),
        ),
        (
            "48 stages",
            measure("des-xilinx-48", ["delay_lines=ff"], XCVE, 1, tell),
            measure("des-xilinx-48", [], ECP5, 3, tell),
        ),
        ("des-fast", None, measure("des-fast", [], ECP5, 3, tell)),
    ]
    srl = measure("des-xilinx-48", [], XCVE, 1, tell)
    paper: dict[str, tuple[Any, Any]] = {
        "Verilog code size (lines)": (1106, 1156),
        "I/O": (187, 187),
        "LUTs, Virtex-E": (4216, 4216),
        "FFs, Virtex-E": (1943, 5573),
        "Gb/s, XCV300-6": (6.4, 10.1),
        "Gb/s, XCV300E-8": (8.4, 12.0),
    }
    rows: list[list[Any]] = []
    for name, (p16, p48) in paper.items():
        ours: list[Any] = [None, None, None, None]
        if name.startswith("Verilog"):
            ours = [columns[0][2].lines, columns[1][2].lines, srl.lines, columns[2][2].lines]
        elif name == "I/O":
            ours = [_io(m.core) for m in (columns[0][2], columns[1][2], srl, columns[2][2])]
        elif "Virtex-E" in name:
            field = "luts" if name.startswith("LUT") else "ffs"
            ours = [
                getattr(m.build.mapped, field) if m else None
                for m in (columns[0][1], columns[1][1], srl, None)
            ]
        rows.append([name, p16, p48, *ours])
    fast = [columns[0][2], columns[1][2], None, columns[2][2]]
    rows.append(["LUT4, ECP5", None, None, *(m.build.mapped.luts if m else None for m in fast)])
    rows.append(["FFs, ECP5", None, None, *(m.build.mapped.ffs if m else None for m in fast)])
    rows.append(
        ["MHz, ECP5-85k-8 (best of seeds 1-3)", None, None, *(m.build.fmax_mhz if m else None for m in fast)]
    )
    rows.append(["Gb/s, ECP5-85k-8", None, None, *(m.gbps if m else None for m in fast)])
    return {
        "title": "Section 4: statistics",
        "columns": [
            "",
            "paper, 16",
            "paper, 48",
            "ours, 16",
            "ours, 48",
            "ours, 48 with SRL",
            "ours, des-fast",
        ],
        "rows": rows,
        "notes": [
            (
                "I/O leaves the clock out, as the paper does. Virtex clocks are not measured here: there "
                "is no "
                "open place and route for it."
            )
        ],
    }


def _io(core: Any) -> int:
    """Port bits without clock and reset."""
    if core.ports.ascending:
        return 64 + 64 + 56 + 3
    return sum(p.width for p in core.design.top.ports if p.name not in ("clk", "rst_i"))
