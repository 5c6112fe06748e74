"""Trimberger, Pang, Singh: A 12 Gbps DES Encryptor/Decryptor Core in an FPGA (2000), step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...progress import Tell
from .measuring import Measured, measure

__all__ = ["STEPS", "Statistics", "Step", "physical", "reproduce_des_xilinx", "statistics"]

XCVE, ECP5, CELLS = "xcve", "ecp5-85k-8", "osu018"

_XCV300_LUTS = 6144
"""Lookup tables of the paper's devices, XCV300 and XCV300E: 32 x 48 blocks of four."""


@dataclass(frozen=True)
class Step:
    """A step of the paper: its `section`, what it does, the paper's word on it (clocks are estimates of
    synthesis for Virtex), and the preset with the changes `sets` that is the same.
    """

    section: str
    what: str
    paper: str
    preset: str
    sets: tuple[str, ...]


_STEPPED = ("key_schedule=stepped", "early_keys=0")
_PLAIN = ("interface=plain",)
STEPS: tuple[Step, ...] = (
    Step("3", "one round, iterated", "the original design", "des-small", ("sbox=gates", "merge=0")),
    Step(
        "3.1",
        "16 rounds unrolled, one stage each; S-boxes as two-input gates; round numbers as signals",
        "< 25 MHz",
        "des-xilinx-16",
        (*_STEPPED, *_PLAIN, "sbox=gates", "merge=0", "round_numbers=signals", "key_lead=0"),
    ),
    Step(
        "3.2",
        "S-boxes as 64x4 tables",
        "11 levels",
        "des-xilinx-16",
        (*_STEPPED, *_PLAIN, "sbox=table", "merge=0", "round_numbers=signals", "key_lead=0"),
    ),
    Step(
        "3.2",
        "S-boxes as LUT4s with F5, the last level merged with the XOR",
        "5 levels, 50 MHz",
        "des-xilinx-16",
        (*_STEPPED, *_PLAIN, "sbox=lut4_f5", "round_numbers=signals", "key_lead=0"),
    ),
    Step(
        "3.3",
        "round numbers as constants",
        "2-input key choice",
        "des-xilinx-16",
        (*_STEPPED, *_PLAIN, "key_lead=0"),
    ),
    Step("3.4", "key one cycle before its data", "70 MHz", "des-xilinx-16", _STEPPED),
    Step(
        "3.4*", "ours: round keys as taps of the key, key choice and XOR in one LUT4", "", "des-xilinx-16", ()
    ),
    Step(
        "3.6",
        "48 stages, the paper's key schedule",
        "10.1 and 12 Gb/s (table of 3.5)",
        "des-xilinx-48",
        ("key_schedule=stepped", "delay_lines=ff"),
    ),
    Step("3.6*", "ours: 48 stages, round keys as taps", "", "des-xilinx-48", ("delay_lines=ff",)),
    Step("3.6*", "ours: the same with shift-register LUTs", "", "des-xilinx-48", ()),
)


def reproduce_des_xilinx(tell: Tell) -> dict[str, Any]:
    """The paper's section 3 step by step, its physical design and the statistics of section 4, each on
    Virtex-E mapping and placed on ECP5. `tell` is called with what is measured.
    """
    steps = []
    for step in STEPS:
        v = measure(step.preset, list(step.sets), XCVE, 1, tell)
        # Shift-register LUTs exist on the Xilinx fabric only.
        e = (
            measure(step.preset, list(step.sets), ECP5, 1, tell)
            if step.preset != "des-xilinx-48" or "delay_lines=ff" in step.sets
            else None
        )
        steps.append(
            [
                step.section,
                step.what,
                step.paper,
                v.build.mapped.luts,
                v.build.mapped.ffs,
                v.build.mapped.srls,
                v.build.mapped.levels,
                e.build.mapped.luts if e else None,
                e.build.fmax_mhz if e else None,
                e.gbps if e else None,
            ]
        )
    made = Statistics.measured(tell)
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
                        "The paper's clocks are synthesis estimates for Virtex, speed grade -6; its 4,216 "
                        "LUTs are 16 x (56 + 48 + 160) - 8."
                    ),
                ],
            },
            physical(made),
            statistics(made),
        ],
    }


@dataclass(frozen=True)
class Statistics:
    """Cores by column of the paper's table (`16`, `48`, `48 SRL`, `des-fast`): on Virtex-E mapping
    (`virtex`), placed on ECP5 (`ecp5`), and on standard cells (`cells`).
    """

    virtex: dict[str, Measured]
    ecp5: dict[str, Measured]
    cells: dict[str, Measured]

    @staticmethod
    def measured(tell: Tell) -> Statistics:
        """Build and measure all of them; `tell` is called with what is measured."""
        registers = ["delay_lines=ff"]
        return Statistics(
            {
                "16": measure("des-xilinx-16", [], XCVE, 1, tell),
                "48": measure("des-xilinx-48", registers, XCVE, 1, tell),
                "48 SRL": measure("des-xilinx-48", [], XCVE, 1, tell),
            },
            {
                "16": measure("des-xilinx-16", [], ECP5, 3, tell),
                "48": measure("des-xilinx-48", [], ECP5, 3, tell),
                "des-fast": measure("des-fast", [], ECP5, 3, tell),
            },
            {
                "16": measure("des-xilinx-16", [], CELLS, 1, tell),
                "48": measure("des-xilinx-48", registers, CELLS, 1, tell),
                "des-fast": measure("des-fast", [], CELLS, 1, tell),
            },
        )


# Section 3.5, and for 48 stages 3.6: stages, device and how it was run; period in ns, MHz, Gb/s.
_RUNS: tuple[tuple[int, str, float | None, float | None, float | None], ...] = (
    (16, "XCV300-6, no constraint", None, 80.0, None),
    (16, "XCV300-6, 10 ns asked for, high effort, four hours", 10.0, 100.0, 6.4),
    (16, "XCV300E-8, 7.5 ns asked for", None, 132.0, 8.4),
    (48, "XCV300-6, tighter step by step", 6.3, None, 10.1),
    (48, "XCV300E-8, tighter step by step", 5.3, None, 12.0),
)
_PAPER_LUTS, _PAPER_FILL = 4216, 69


def physical(made: Statistics) -> dict[str, Any]:
    """Section 3.5: the clocks after place and route, and beside them those of the cores `made`."""
    rows: list[list[Any]] = [
        [stages, f"paper, {how}", _PAPER_LUTS, _PAPER_FILL if stages == 16 else None, None, ns, mhz, gbps]
        for stages, how, ns, mhz, gbps in _RUNS
    ]
    for stages in (16, 48):
        v, e = made.virtex[str(stages)].build, made.ecp5[str(stages)]
        fill = round(100 * v.mapped.luts / _XCV300_LUTS)
        why = "no clock: no open place and route or delays of Virtex"
        rows.append(
            [stages, f"ours, Virtex-E: {why}", v.mapped.luts, fill, v.mapped.levels, None, None, None]
        )
        runs = {"seed 1": e.build.seeds[1], f"best of {len(e.build.seeds)} seeds": e.build.fmax_mhz}
        for how, mhz in runs.items():
            assert mhz is not None
            rows.append(
                [
                    stages,
                    f"ours, ECP5-85k-8, {how}",
                    e.build.mapped.luts,
                    None,
                    e.build.mapped.levels,
                    round(1000 / mhz, 2),
                    mhz,
                    round(mhz * e.core.bits_per_cycle / 1000, 2),
                ]
            )
    return {
        "title": "Section 3.5: physical design (48 stages: 3.6)",
        "columns": ["stages", "run", "LUT4", "% of an XCV300", "LUT levels", "ns", "MHz", "Gb/s"],
        "rows": rows,
        "notes": [
            f"An XCV300 has {_XCV300_LUTS:,} lookup tables. ECP5 is another, much younger device: its "
            "clocks do not stand for a Virtex.",
            "Ours on Virtex-E with delay lines of flip-flops, like the paper's. 7.5 ns were asked for and "
            "132 MHz reached, says the paper; that is 7.58 ns.",
        ],
    }


def statistics(made: Statistics) -> dict[str, Any]:
    """Section 4: the paper's counts beside those of the cores `made`."""
    names = ("16", "48", "48 SRL", "des-fast")
    virtex, ecp5, cells = made.virtex, made.ecp5, made.cells
    text = {**ecp5, "48 SRL": virtex["48 SRL"]}

    def row(
        name: str, paper: tuple[Any, Any], found: Mapping[str, Measured], figure: Callable[[Measured], Any]
    ) -> list[Any]:
        return [name, *paper, *(figure(found[n]) if n in found else None for n in names)]

    none: dict[str, Measured] = {}
    rows = [
        row("Verilog code size (lines)", (1106, 1156), text, lambda m: m.lines),
        row("I/O", (187, 187), text, lambda m: _io(m.core)),
        row("LUTs, Virtex-E", (4216, 4216), virtex, lambda m: m.build.mapped.luts),
        row("FFs, Virtex-E", (1943, 5573), virtex, lambda m: m.build.mapped.ffs),
        row("Gb/s, XCV300-6", (6.4, 10.1), none, lambda m: None),
        row("Gb/s, XCV300E-8", (8.4, 12.0), none, lambda m: None),
        row("LUT4, ECP5", (None, None), ecp5, lambda m: m.build.mapped.luts),
        row("FFs, ECP5", (None, None), ecp5, lambda m: m.build.mapped.ffs),
        row("MHz, ECP5-85k-8 (best of seeds 1-3)", (None, None), ecp5, lambda m: m.build.fmax_mhz),
        row("Gb/s, ECP5-85k-8", (None, None), ecp5, lambda m: m.gbps),
        row(
            "Gates by Xilinx's mapper (ours: a closed tool whose counting rule is not public)",
            (52_936, 72_952),
            none,
            lambda m: None,
        ),
        row(
            "Gates as NAND2 areas of osu018",
            (None, None),
            cells,
            lambda m: round(m.build.gate_equivalents or 0),
        ),
    ]
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
                "is no open place and route for it."
            ),
            (
                "The two counts of gates are of different things: the mapper's is of lookup tables, "
                "multiplexers and flip-flops of the device, ours of standard cells for the same core with "
                "its delay lines in flip-flops."
            ),
        ],
    }


def _io(core: Any) -> int:
    """Port bits without clock and reset."""
    if core.ports.ascending:
        return 64 + 64 + 56 + 3
    return sum(p.width for p in core.design.top.ports if p.name not in ("clk", "rst_i"))
