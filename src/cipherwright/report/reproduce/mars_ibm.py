"""Satoh, Ooba, Takano and D'Avignon: High-Speed MARS Hardware (2000)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...graph import Graph, GraphBuilder
from ...graph.rewrite import ADDERS, PROFILE_ADDERS, CellDelays, Made, product_circuit, realise_adders
from ...pipeline import generate
from ...progress import Tell, named
from ...rtl import Design, graph_modules, print_design
from ...spec import load
from ...target import CELL_MAPPINGS, Build, cell_delays, implement, load_target, nand2_area, synthesise
from ...tools import scratch
from ...wrap import Engine
from ._measure import implemented

__all__ = ["reproduce_mars_ibm"]

CELLS = "osu018"

PRESETS = ("mars-ibm-4port", "mars-ibm-3port", "mars-ibm-1port", "mars-ibm-1port-key2", "mars-ibm-rom")
_PAPER = {
    "mars-ibm-4port": (34, 18, 677, 1280),
    "mars-ibm-3port": (34, 34, 677, 677),
    "mars-ibm-1port": (50, 50, 460, 460),
    "mars-ibm-1port-key2": (51, 51, 451, 451),
    "mars-ibm-rom": (51, 51, 263, 263),
}
"""Table 3, nominal: cycles of CBC encryption and of the other modes, Mb/s of both."""

_FLIP_FLOP_GATES = 4.0
"""Gates of a flip-flop of the library: NAND2s of its area."""


def between_registers(name: str, inner: str, inputs: dict[str, int], outputs: dict[str, int]) -> str:
    """A module around `inner` with a register at every pin."""
    ports = "".join(f", input wire [{w - 1}:0] {n}_i" for n, w in inputs.items()) + "".join(
        f", output reg [{w - 1}:0] {n}_o" for n, w in outputs.items()
    )
    regs = "".join(f"    reg [{w - 1}:0] {n}_q;\n" for n, w in inputs.items()) + "".join(
        f"    wire [{w - 1}:0] {n};\n" for n, w in outputs.items()
    )
    moves = "".join(f"        {n}_q <= {n}_i;\n" for n in inputs) + "".join(
        f"        {n}_o <= {n};\n" for n in outputs
    )
    pins = ", ".join([*(f".{n}({n}_q)" for n in inputs), *(f".{n}({n})" for n in outputs)])
    return (
        f"module {name} (input wire clk{ports});\n{regs}    always @(posedge clk) begin\n{moves}    "
        f"end\n    {inner} u_inner ({pins});\nendmodule\n"
    )


_MIXER_PORTS = (
    {
        "state": 128,
        "keys": 128,
        "operation": 4,
        "half": 1,
        "s0_first": 32,
        "s0_second": 32,
        "s1_first": 32,
        "s1_second": 32,
    },
    {
        "next": 128,
        "s0_first_address": 8,
        "s0_second_address": 8,
        "s1_first_address": 8,
        "s1_second_address": 8,
    },
)
_CORE_PORTS = (
    {"state": 128, "k_add": 32, "k_mul": 32, "second_half": 1, "decrypt": 1, "word": 32},
    {"address": 9, "next": 128},
)


def _arithmetic(op: str, width: int = 32, whole: bool = False) -> Graph:
    b = GraphBuilder("arithmetic")
    x, y = b.input("x", width), b.input("y", width)
    if whole:
        x, y = (b.cat(b.const(width, 0), w) for w in (x, y))
    b.output("p", b.mul(x, y) if op == "mul" else b.add(x, y))
    return b.build()


def _alone(graph: Graph, mapping: str, tell: Tell) -> Build:
    """A graph x, y -> p (factors of 32 bits) between registers, on the library."""
    modules, out = graph_modules(graph, "alone"), graph.nodes[dict(graph.outputs)["p"]].width
    text = print_design(Design(tuple(modules))) + between_registers(
        "bench", modules[-1].name, {"x": 32, "y": 32}, {"p": out}
    )
    with scratch() as folder:
        path = folder / "alone.v"
        path.write_text(text)
        return implement([path], "bench", load_target(CELLS), (1,), tell, mapping=mapping)


def tree(cells: CellDelays, final: str = "hybrid") -> tuple[Graph, Made]:
    """The 32-bit multiplier grown from a library's delays, with an adder by its name behind the tree."""
    product = product_circuit("tree", 32, cells, final)
    assert product is not None
    assert product.tree is not None
    return product.graph, product.tree


def _units(cells: CellDelays, tell: Tell) -> dict[str, Any]:
    rows: list[list[Any]] = [["multiplier", "paper, nominal, without registers", "", 3200, 2.32]]
    grown, made = tree(cells)
    for what, graph, kind in (
        ("multiplier", _arithmetic("mul"), "Yosys and ABC of x * y"),
        ("multiplier", grown, f"tree ({made.tree.full} full, {made.tree.half} half adders)"),
    ):
        for mapping in CELL_MAPPINGS:
            build = _alone(graph, mapping, named(tell, kind))
            rows.append([what, kind, mapping, round(build.gate_equivalents or 0), build.critical_path_ns])
    product = product_circuit("tree", 32, cells, whole=True)
    assert product is not None
    for kind, graph in (
        ("Yosys and ABC of x * y, 64 bits", _arithmetic("mul", whole=True)),
        ("tree, 64 bits", product.graph),
    ):
        build = _alone(graph, "structure", named(tell, kind))
        rows.append(
            [
                "multiplier, whole",
                kind,
                "structure",
                round(build.gate_equivalents or 0),
                build.critical_path_ns,
            ]
        )
    for final in PROFILE_ADDERS:
        build = _alone(tree(cells, final)[0], "structure", named(tell, f"tree and {final} adder"))
        rows.append(
            [
                "multiplier",
                f"tree, final adder {final} for its arrivals",
                "structure",
                round(build.gate_equivalents or 0),
                build.critical_path_ns,
            ]
        )
    for kind in ADDERS:
        for mapping in CELL_MAPPINGS:
            build = _alone(realise_adders(_arithmetic("add"), kind), mapping, named(tell, kind))
            rows.append(
                [
                    "adder",
                    "Yosys and ABC of x + y" if kind == "carry_chain" else kind,
                    mapping,
                    round(build.gate_equivalents or 0),
                    build.critical_path_ns,
                ]
            )
    return {
        "title": "Section 3: 32-bit multiplier (low half) and adder, each between registers",
        "columns": ["unit", "how", "mapping", "gates", "ns"],
        "rows": rows,
        "notes": [
            (
                f"With their 96 flip-flops (whole products: 128) of {_FLIP_FLOP_GATES:.0f} gates each, "
                f"register to register: osu018, typical corner, without wires."
            )
        ],
    }


def _gates(engine: Engine, top: str) -> float:
    """Area of one of the engine's modules by itself, in NAND2s."""
    target = load_target(CELLS)
    with scratch() as folder:
        (folder / "mapped").mkdir()
        sources = [folder / n for n in engine.files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")]
        for path in sources:
            path.write_text(engine.files[path.name])
        mapped = synthesise(sources, top, target, folder / "mapped", str(engine.parameters["mapping"]))
    return (mapped.area_um2 or 0.0) / nand2_area(Path(target.liberty))


def _areas(engines: dict[str, tuple[Engine, Build]], tell: Tell) -> dict[str, Any]:
    paper = ["paper", 2200, 6100, 4500, 1000, 13_800]
    rows: list[list[Any]] = [paper]
    for name, (engine, whole) in engines.items():
        tell(f"{name}: its parts")
        keys, mixer, core = (
            _gates(engine, f"{engine.top}_mars_{part}") for part in ("keys", "mixer", "core")
        )
        total = whole.gate_equivalents or 0
        rows.append(
            [
                name,
                round(keys),
                round(mixer + core),
                round(total - keys - mixer - core),
                "in the column before",
                round(total),
            ]
        )
    return {
        "title": "Table 1: logic area in gates, without memories",
        "columns": ["", "key expansion", "data path", "registers and control", "interface", "total"],
        "rows": rows,
        "notes": [
            (
                "Ours by parts: each module mapped by itself, the rest by difference. The ROM variant has "
                "its "
                "S-box in the total."
            )
        ],
    }


def _memories(rom: Engine, tell: Tell) -> dict[str, Any]:
    tell("S-box in logic")
    table = _gates(rom, f"{rom.top}_logic_sbox")
    return {
        "title": "Table 2: memories",
        "columns": ["function", "type", "gates in the paper", "bits"],
        "rows": [
            ["key storage", "3-port SRAM", 6800, 64 * 32],
            ["key storage", "2-port SRAM (ours: two banks)", 4800, 64 * 32],
            ["S-box", "4-port SRAM", 46_200, 512 * 32],
            ["S-box", "3-port SRAM", 30_800, 512 * 32],
            ["S-box", "1-port SRAM", 15_400, 512 * 32],
            ["S-box", "ROM", 6300, 512 * 32],
            ["S-box", "ours: as logic", round(table), 0],
        ],
        "notes": [
            (
                "osu018 has no memories: bits are what the engine's ports ask for, and no area of ours "
                "stands "
                "for them."
            )
        ],
    }


def _performance(engines: dict[str, tuple[Engine, Build]]) -> dict[str, Any]:
    rows: list[list[Any]] = []
    for name, (engine, build) in engines.items():
        cbc, other, cbc_mbps, other_mbps = _PAPER[name]
        clock = build.fmax_mhz or 0
        rows.append(
            [
                name,
                engine.parameters["sbox_memory"],
                engine.parameters["key_memory"],
                f"{cbc}, {other}",
                f"{engine.latency}, {engine.interval}",
                f"{cbc_mbps}, {other_mbps}",
                f"{128 * clock / engine.latency:.0f}, {128 * clock / engine.interval:.0f}",
                build.critical_path_ns,
                round(clock, 1),
                round(build.gate_equivalents or 0),
            ]
        )
    return {
        "title": "Table 3: each implementation (CBC encryption, other modes)",
        "columns": [
            "preset",
            "S-box",
            "keys",
            "cycles in the paper",
            "cycles",
            "Mb/s in the paper",
            "Mb/s",
            "path, ns",
            "MHz",
            "gates",
        ],
        "rows": rows,
        "notes": [
            (
                "The path is of the logic from register to register. A path through a memory takes the "
                "memory's own time as well, which is not known here, but for the ROM: there it is in the "
                "path."
            )
        ],
    }


def _paths(engine: Engine, tell: Tell) -> dict[str, Any]:
    rows: list[list[Any]] = [
        ["mixer", "paper, nominal", None],
        ["cryptographic core", "paper, nominal", 5.57],
    ]
    for what, part, ports in (("mixer", "mixer", _MIXER_PORTS), ("cryptographic core", "core", _CORE_PORTS)):
        name = f"{part}_alone"
        text = between_registers(name, f"{engine.top}_mars_{part}", *ports)
        build = implemented(engine, CELLS, 1, named(tell, what), name, text)
        rows.append(
            [what, "ours, between registers, the S-box's words at registers too", build.critical_path_ns]
        )
    return {
        "title": "Figure 16: critical paths, ns",
        "columns": ["circuit", "", "ns"],
        "rows": rows,
        "notes": ["The figure's values but the core's are lost in the paper's text."],
    }


def profile(made: Made) -> dict[str, Any]:
    """The paper's Figure 15 for a multiplier: when each column's rows arrive, the carry along the final
    adder, and its blocks.
    """
    tree_at = [max(t.arrival for t in c) for c in made.tree.columns]
    edges = [(b.high, b.carry) for b in made.plan.blocks]
    return {
        "title": (
            "Delays in the 32-bit multiplier: tree, and carry of the final adder block by block (Figure 15)"
        ),
        "x": "bit",
        "y": "ns",
        "series": {
            "tree's outputs": [[k, round(t, 4)] for k, t in enumerate(tree_at)],
            "carry out of a block": [[k, round(t, 4)] for k, t in edges if t != float("-inf")],
        },
    }


def reproduce_mars_ibm(tell: Tell) -> dict[str, Any]:
    """Tables 1 to 3, the multiplier and adder of section 3, and Figures 15 and 16 beside ours."""
    engines: dict[str, tuple[Engine, Build]] = {}
    for preset in PRESETS:
        engine = generate(load(preset), {"preset": preset})
        assert isinstance(engine, Engine)
        engines[preset] = engine, implemented(engine, CELLS, 1, named(tell, preset), engine.logic_top)
    cells = cell_delays(Path(load_target(CELLS).liberty))
    assert cells is not None, "osu018 has adder cells"
    return {
        "paper": "mars-ibm",
        "title": "Satoh, Ooba, Takano, D'Avignon: High-Speed MARS Hardware (2000)",
        "tables": [
            _areas(engines, tell),
            _memories(engines["mars-ibm-rom"][0], tell),
            _performance(engines),
            _units(cells, tell),
            _paths(engines["mars-ibm-4port"][0], tell),
        ],
        "plots": [profile(tree(cells)[1])],
    }
