"""A logic-only pipelined AES on Virtex-5 with 1, 2, 4 and 8 stages a round (the table and both plots of
its section III).
"""

from __future__ import annotations

from typing import Any

from ...progress import Tell
from ...rewrite import ADDERS
from ...rtl import counter, print_design
from ...shell import COUNTER_FILE, counter_latency, hand_written
from ...target import load_target, place, synthesise
from ...tools import scratch
from ...wording import counted
from .measuring import PACKING, Measured, measure, slices_at_best, slices_packed

__all__ = ["PAPER", "reproduce_aes_gmu", "stages_options"]

XC5V, ECP5 = "xc5v", "ecp5-85k-8"
PRESET = "aes128-fast"
_PLACER_WEIGHT = 1400

PAPER = {1: (20.0, 8_800, 6.25), 2: (27.0, 9_086, 4.67), 4: (48.0, 10_561, 2.777), 8: (67.0, 13_649, 1.905)}
"""Stages a round: Gb/s, slices, and what the paper calls latency: the clock's period in ns."""

_LUTS_IN_SLICE = 4  # of Virtex-5, and as many flip-flops


def stages_options(stages: int) -> list[str]:
    """Changes of the preset for `stages` stages a round."""
    return ["stages=none", f"stages_per_round={stages}"]


def _slices(m: Measured) -> int:
    return slices_at_best(m.build.mapped.luts, m.build.mapped.ffs, _LUTS_IN_SLICE)


def _counters(tell: Tell) -> dict[str, Any]:
    """Counters by every adder: the clock at which a count leaves every cycle."""
    device = load_target(ECP5)
    rows: list[list[Any]] = []

    def placed(what: str, text: str, top: str, width: int, stages: int) -> None:
        tell(f"counter {what}, {width} bits, {counted(stages, 'stage')}")
        with scratch() as folder:
            (folder / "counter.sv").write_text(text)
            out = folder / "mapped"
            out.mkdir()
            mapped = synthesise([folder / "counter.sv"], top, device, out)
            clocks = [place(out, device, seed, _PLACER_WEIGHT).fmax_mhz for seed in (1, 2, 3)]
        rows.append([what, width, stages, max(clocks), mapped.luts, mapped.ffs, mapped.levels])

    for width, ranks in ((32, (1, 4)), (128, (1, 4, 8, 12))):
        for kind in ADDERS:
            for stages in ranks[: 1 if kind == "carry_chain" else None]:
                design, _ = counter("counter", width, kind, stages, device.delay)
                placed(kind, print_design(design), "counter", width, stages)
        placed(
            "in parts, ours",
            hand_written(COUNTER_FILE).replace("COUNT = 128", f"COUNT = {width}"),
            "cipherwright_counter",
            width,
            counter_latency(),
        )
    return {
        "title": "The paper's open point: counters against the clock (ECP5, best of seeds 1 to 3)",
        "columns": ["counter", "bits", "stages", "MHz", "LUT4", "FF", "LUT levels"],
        "rows": rows,
        "notes": [
            (
                "By an adder in several stages: as many counts in flight, each going up by that number "
                "(rtl/count.py)."
            ),
            (
                "In parts: shell/sv/cipherwright_counter.sv, which counter mode uses; it takes any step "
                "pattern "
                "and one load."
            ),
        ],
    }


def reproduce_aes_gmu(tell: Tell) -> dict[str, Any]:
    """The table of stages a round of the paper's section III beside Virtex-5 mapping and ECP5, what is beyond
    the paper, and its two figures. `tell` is called with what is measured.
    """
    rows: list[list[Any]] = []
    gbps: dict[str, list[list[float]]] = {"paper, Virtex-5": [], "ours, ECP5": []}
    area: dict[str, list[list[float]]] = {
        "paper, slices": [],
        "ours, Virtex-5 slices packed": [],
        "ours, Virtex-5 slices at best": [],
        "ours, ECP5 LUT4": [],
        "ours, ECP5 flip-flops": [],
    }
    for stages, (paper_gbps, paper_slices, paper_ns) in PAPER.items():
        sets = stages_options(stages)
        v, e = measure(PRESET, sets, XC5V, 1, tell), measure(PRESET, sets, ECP5, 1, tell)
        packed = slices_packed(v.build.mapped, _LUTS_IN_SLICE)
        rate, period = e.gbps or 0.0, round(1000 / (e.build.fmax_mhz or 1), 2)
        rows.append(
            [
                stages,
                paper_gbps,
                rate,
                paper_ns,
                period,
                paper_slices,
                _slices(v),
                v.build.mapped.luts,
                v.build.mapped.ffs,
                e.build.mapped.luts,
                e.build.mapped.ffs,
                e.build.mapped.brams,
                e.core.latency,
                packed,
            ]
        )
        gbps["paper, Virtex-5"].append([stages, paper_gbps])
        gbps["ours, ECP5"].append([stages, rate])
        counts = (paper_slices, packed, _slices(v), e.build.mapped.luts, e.build.mapped.ffs)
        for name, value in zip(area, counts, strict=True):
            area[name].append([stages, value])
    best = measure(PRESET, [], ECP5, 3, tell)
    counting = measure("aes128-fast-ctr", [], ECP5, 3, tell)
    return {
        "paper": "aes-gmu",
        "title": "Logic-only pipelined AES on Virtex-5 at 20 to 67 Gb/s, by stages a round",
        "tables": [
            {
                "title": "Section III: stages a round",
                "columns": [
                    "stages a round",
                    "Gb/s, paper",
                    "Gb/s, ECP5",
                    "period, paper, ns",
                    "period, ECP5",
                    "slices, paper",
                    "slices at best, xc5v",
                    "LUT6, xc5v",
                    "FF, xc5v",
                    "LUT4, ECP5",
                    "FF, ECP5",
                    "block RAM",
                    "latency, cycles",
                    "slices packed, xc5v",
                ],
                "rows": rows,
                "notes": [
                    (
                        "Ours: the whole core, its key-expansion unit included (the paper leaves the key "
                        "schedule out); cuts at equal delay over the whole pipeline."
                    ),
                    "xc5v: Yosys mapping, no clock of its own. ECP5: placed and routed, seed 1.",
                    PACKING + " The paper's slices at best are not known: it tells no LUTs and registers.",
                ],
            },
            {
                "title": "Beyond the paper",
                "columns": ["core", "stages", "ECP5 MHz", "Gb/s", "LUT4", "FF", "block RAM"],
                "rows": [
                    [
                        m.core.parameters["name"],
                        m.core.schedule.stages,
                        m.build.fmax_mhz,
                        m.gbps,
                        m.build.mapped.luts,
                        m.build.mapped.ffs,
                        m.build.mapped.brams,
                    ]
                    for m in (best, counting)
                ],
                "notes": [
                    (
                        "Counter mode is where the paper stopped: its increment was slower than its rounds. "
                        "Best of seeds 1 to 3."
                    )
                ],
            },
            _counters(tell),
        ],
        "plots": [
            {
                "title": "Throughput against stages a round",
                "x": "pipeline stages a round",
                "y": "Gb/s",
                "series": gbps,
            },
            {
                "title": "Area against stages a round",
                "x": "pipeline stages a round",
                "y": "slices, LUTs, flip-flops",
                "series": area,
            },
        ],
    }
