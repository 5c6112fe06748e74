"""Satoh, Ooba, Takano and D'Avignon: High-Speed MARS Hardware (2000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...engine.mars import MarsBench
from ...flow import generate
from ...progress import Tell, named
from ...shell import BuiltEngine, save
from ...spec import load
from ...target import Build, cell_delays, load_target
from ...tools import scratch
from .cell_pieces import CELLS, SLOW_CORNER, part
from .mars_units import between_registers, profile, tree, units
from .measuring import implemented

__all__ = ["KEYS", "PRESETS", "expansions", "performance", "reproduce_mars_ibm", "setup_table", "totals"]

PRESETS = ("mars-ibm-4port", "mars-ibm-3port", "mars-ibm-1port", "mars-ibm-1port-key2", "mars-ibm-rom")
_PAPER = {
    "mars-ibm-4port": (34, 18, 677, 1280, 459, 867),
    "mars-ibm-3port": (34, 34, 677, 677, 459, 459),
    "mars-ibm-1port": (50, 50, 460, 460, 312, 312),
    "mars-ibm-1port-key2": (51, 51, 451, 451, 306, 306),
    "mars-ibm-rom": (51, 51, 263, 263, 263, 263),
}
"""Table 3: cycles of CBC encryption and of the other modes, Mb/s of both, nominal and in the worst case."""

_KEY_GATES = {"ram3": 6800, "ram2": 4800}
_SBOX_GATES = {"ram4": 46_200, "ram3": 30_800, "ram1": 15_400, "rom": 6300}
"""Table 2: gates of the paper's memories, by the options of ours that ask for them."""

_TOTALS = {
    "mars-ibm-4port": 66_800,
    "mars-ibm-3port": 51_400,
    "mars-ibm-1port": 36_000,
    "mars-ibm-1port-key2": 34_000,
    "mars-ibm-rom": 24_900,
}
"""Table 3: gates of logic and memories."""

_LOGIC = 13_800
"""Table 1: gates of logic."""


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


def _areas(engines: dict[str, tuple[BuiltEngine, Build]], tell: Tell) -> dict[str, Any]:
    paper = ["paper", 2200, 6100, 4500, 1000, 13_800]
    rows: list[list[Any]] = [paper]
    for preset, (engine, whole) in engines.items():
        tell(f"{preset}: its parts")
        keys, mixer, core = (part(engine, f"mars_{name}").gates for name in ("keys", "mixer", "core"))
        total = whole.gate_equivalents or 0
        rows.append(
            [
                preset,
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


def _memories(rom: BuiltEngine, tell: Tell) -> dict[str, Any]:
    tell("S-box in logic")
    table = part(rom, "logic_sbox").gates
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


def performance(engines: dict[str, tuple[BuiltEngine, Build]]) -> dict[str, Any]:
    """Table 3: cycles, throughput in Mb/s and clock of each engine. engines: by preset, each with its
    implementation on standard cells.
    """
    rows: list[list[Any]] = []
    for name, (engine, build) in engines.items():
        cbc, other, *mbps = _PAPER[name]
        clock = build.fmax_mhz or 0
        rows.append(
            [
                name,
                engine.parameters["sbox_memory"],
                engine.parameters["key_memory"],
                f"{cbc}, {other}",
                f"{engine.latency}, {engine.interval}",
                f"{mbps[0]}, {mbps[1]}",
                f"{128 * clock / engine.latency:.0f}, {128 * clock / engine.interval:.0f}",
                build.critical_path_ns,
                round(clock, 1),
                round(build.gate_equivalents or 0),
                f"{mbps[2]}, {mbps[3]}",
                SLOW_CORNER,
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
            "worst case in the paper, Mb/s",
            "worst case, ours",
        ],
        "rows": rows,
        "notes": [
            (
                "The path is of the logic from register to register. A path through a memory takes the "
                "memory's own time as well, which is not known here, but for the ROM: there it is in the "
                "path."
            ),
            "osu018 comes with its typical corner alone, so there is no worst case of ours.",
        ],
    }


def totals(engines: Mapping[str, tuple[BuiltEngine, Build]]) -> dict[str, Any]:
    """Table 3's gates of logic and memories: the paper's memories beside either logic. engines: by preset,
    each with its implementation on standard cells.
    """
    rows: list[list[Any]] = []
    for name, (engine, build) in engines.items():
        sbox, keys = str(engine.parameters["sbox_memory"]), str(engine.parameters["key_memory"])
        logic = round(build.gate_equivalents or 0)
        # Our logic has the S-box of the ROM variant in it.
        boxes = 0 if sbox == "rom" else _SBOX_GATES[sbox]
        rows.append(
            [name, "paper", _LOGIC, _KEY_GATES[keys], _SBOX_GATES[sbox], _TOTALS[name]],
        )
        rows.append([name, "ours", logic, _KEY_GATES[keys], boxes, logic + _KEY_GATES[keys] + boxes])
    return {
        "title": "Table 3: gates with the paper's memories",
        "columns": ["preset", "", "logic", "key storage (paper)", "S-box (paper)", "total"],
        "rows": rows,
        "notes": [
            "The memories are the paper's (Table 2) in both: no open library of this technology has any. Of "
            "the ROM variant our logic has the S-box in it, as a table in gates."
        ],
    }


def expansions(engine: BuiltEngine, keys: Sequence[bytes]) -> list[int]:
    """Cycles of the expansion of each of `keys`, in their order, counted in the simulated `engine` from its
    command to the bit of its status that the key is there, which comes a cycle behind.
    """
    with scratch() as folder:
        save(engine, folder / "core")
        names = [n for n in engine.files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")]
        bench = MarsBench.compile([folder / "core" / n for n in names], engine.record())
        session = bench.session()
        took = [session.expand(key, False, False) - 1 for key in keys]
        session.close()
    return took


KEYS = (bytes(16), bytes(range(16)), b"\xff" * 32, bytes(range(56)))
"""Keys of several lengths: with the paper's method the number of cycles would depend on them."""


def setup_table(engines: Mapping[str, BuiltEngine], tell: Tell) -> dict[str, Any]:
    """Section 2.3: the fewest and the most cycles of a key's expansion, of `engines`, by preset, with `KEYS`.
    `tell` is called with each name.
    """
    rows: list[list[Any]] = [["paper", "three ports", None, 752, 848]]
    for name, engine in engines.items():
        tell(f"{name}: cycles of a key's expansion")
        took = expansions(engine, KEYS)
        ports = {"ram3": "three ports", "ram2": "two ports, two banks"}[str(engine.parameters["key_memory"])]
        rows.append([name, ports, len(KEYS), min(took), max(took)])
    return {
        "title": "Section 2.3: key set-up, cycles",
        "columns": ["", "key storage", "keys", "fewest", "most"],
        "rows": rows,
        "notes": [
            "The paper's number depends on the key, and so tells of it. Ours is counted by simulation, for "
            "keys of 128, 256 and 448 bits, and is the same for all."
        ],
    }


def _paths(engine: BuiltEngine, tell: Tell) -> dict[str, Any]:
    lost = "the figure is lost; the text says less than the core"
    rows: list[list[Any]] = [
        ["mixer", f"paper, nominal: {lost}", None, None],
        ["mixer", f"paper, worst case: {lost}", None, None],
        ["cryptographic core", "paper, nominal", 5.57, 180],
        ["cryptographic core", "paper, worst case (its 122 MHz)", 8.2, 122],
    ]
    for what, name, ports in (("mixer", "mixer", _MIXER_PORTS), ("cryptographic core", "core", _CORE_PORTS)):
        bench = f"{name}_alone"
        text = between_registers(bench, f"{engine.top}_mars_{name}", *ports)
        build = implemented(engine, CELLS, 1, named(tell, what), bench, text)
        rows.append(
            [
                what,
                "ours, between registers, the S-box's words at registers too",
                build.critical_path_ns,
                build.fmax_mhz,
            ]
        )
        rows.append([what, f"ours, worst case: {SLOW_CORNER}", None, None])
    return {
        "title": "Figure 16: critical paths, ns",
        "columns": ["circuit", "", "ns", "MHz"],
        "rows": rows,
        "notes": [
            "The paper's mixer has its S-box in the path, a memory whose delay is not told; ours has its "
            "words at registers. The clock of both circuits is the core's: the longer delay, says the paper."
        ],
    }


def reproduce_mars_ibm(tell: Tell) -> dict[str, Any]:
    """Tables 1 to 3, the multiplier and adder of section 3, and Figures 15 and 16 beside ours. `tell` is
    called with what is measured.
    """
    engines: dict[str, tuple[BuiltEngine, Build]] = {}
    for preset in PRESETS:
        engine = generate(load(preset), {"preset": preset})
        assert isinstance(engine, BuiltEngine)
        engines[preset] = engine, implemented(engine, CELLS, 1, named(tell, preset), engine.logic_top)
    cells = cell_delays(Path(load_target(CELLS).liberty))
    assert cells is not None, "osu018 has adder cells"
    return {
        "paper": "mars-ibm",
        "title": "Satoh, Ooba, Takano, D'Avignon: High-Speed MARS Hardware (2000)",
        "tables": [
            _areas(engines, tell),
            _memories(engines["mars-ibm-rom"][0], tell),
            performance(engines),
            totals(engines),
            units(cells, tell),
            _paths(engines["mars-ibm-4port"][0], tell),
            setup_table({p: engines[p][0] for p in ("mars-ibm-4port", "mars-ibm-1port-key2")}, tell),
        ],
        "plots": [profile(tree(cells)[1])],
    }
