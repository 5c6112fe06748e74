"""Kuo and Verbauwhede: Architectural Optimization for a 1.82 Gbits/sec VLSI Implementation of the AES
Rijndael Algorithm (2001).
"""

from __future__ import annotations

from typing import Any

from ...engine.rijndael import processor_rounds
from ...flow import generate
from ...progress import Tell, named
from ...rtl import Cell, Clocked, ClockReset, Held, Pin, Reg, Step, Wire, Wrapper, print_wrapper
from ...shell import BuiltEngine
from ...spec import load
from ...target import Build
from .cell_pieces import CELLS, FLIP_FLOP_GATES
from .measuring import implemented
from .rijndael_parts import paths, setup_table, tables

__all__ = ["reproduce_rijndael_ucla"]

VARIANTS = [
    (preset, direction)
    for preset in ("rijndael-ucla", "rijndael-ucla-keybuffer")
    for direction in ("encrypt", "both")
]


def _round_alone(top: str) -> str:
    """The round by itself: its state goes round in a register, as in the processor."""
    links = {"state": "state_q", "round_key": "key_q", "mix": "mode_q[0]", "block": "mode_q[3:1]"}
    steps = (Step("key_q", "key"), Step("mode_q", "mode"), Step("state_q", "next"))
    return print_wrapper(
        Wrapper(
            "round_alone",
            ("The round by itself: its state goes round in a register, as in the processor.",),
            (
                ClockReset(reset=""),
                Held((Pin("key", 256), Pin("mode", 5), Pin("state_q", 256, True, register=True))),
            ),
            (
                Reg(("key_q",), 256),
                Reg(("mode_q",), 5),
                Wire(("next",), 256),
                Clocked(steps),
                Cell(f"{top}_rijndael_round", "u_round", links | {"decrypt": "mode_q[4]", "next": "next"}),
            ),
        )
    )


def _gbps(build: Build, block_bits: int, key_bits: int) -> float:
    return round(block_bits / processor_rounds(block_bits, key_bits) / (build.critical_path_ns or 1), 2)


def _millimetres(build: Build) -> float:
    return round((build.mapped.area_um2 or 0) / 1e6, 2)


def _name(preset: str, direction: str) -> str:
    return f"{preset}, direction = {direction}"


def _whole(modules: dict[str, Any]) -> dict[str, float | None]:
    """The paths of Table 3 that encryption alone has: of both key schedules, and of the round."""
    at = {(row[0], row[1]): row[-1] for row in modules["rows"]}
    fly, buffer = (_name(p, "encrypt") for p in ("rijndael-ucla", "rijndael-ucla-keybuffer"))
    return {
        "keys, fly": at[fly, "key scheduling"],
        "keys, buffer": at[buffer, "key scheduling"],
        "round": at[fly, "encryption"],
    }


def _synthesis(made: dict[tuple[str, str], tuple[BuiltEngine, Build]]) -> dict[str, Any]:
    rows: list[list[Any]] = [
        ["paper, worst case", 21.0, 48, 4.23, 184_000, None, 0.87, 0.435],
        ["paper, typical", 10.0, 100, 3.96, 173_000, None, 1.82, 0.91],
        ["paper's estimate with key buffer (section 5)", 6.0, None, 3.6, None, None, None, None],
    ]
    for (preset, direction), (engine, b) in made.items():
        rows.append(
            [
                _name(preset, direction),
                b.critical_path_ns,
                b.fmax_mhz,
                _millimetres(b),
                round(b.gate_equivalents or 0),
                engine.flip_flops,
                _gbps(b, 256, 128),
                _gbps(b, 128, 256),
            ]
        )
    return {
        "title": "Table 2: synthesis",
        "columns": [
            "",
            "critical path, ns",
            "MHz",
            "area, mm2",
            "gates",
            "flip-flops",
            "256-bit data, 128-bit key, Gb/s",
            "128-bit data, 256-bit key, Gb/s",
        ],
        "rows": rows,
        "notes": [
            (
                "Ours: osu018, typical corner (0.18 um, 1.8 V, 25 C), static timing of the mapped cells with "
                "ideal clock and without wires; gates are areas of NAND2X1. The library has no worst-case "
                "corner: none of ours stands beside that row of the paper."
            ),
            (
                "A round takes a cycle. The paper leaves decryption out; direction = both has it with keys "
                "on "
                "the fly in both ways."
            ),
        ],
    }


def _modules(made: dict[tuple[str, str], tuple[BuiltEngine, Build]], tell: Tell) -> dict[str, Any]:
    rows: list[list[Any]] = [
        ["paper", "encryption", 2.28, 99_300, 57.5, 6.0],
        ["paper", "key scheduling", 1.39, 60_100, 35.0, 10.0],
    ]
    for (preset, direction), (engine, whole) in made.items():
        name = _name(preset, direction)
        alone = implemented(
            engine,
            CELLS,
            1,
            named(tell, f"{name}, round"),
            "round_alone",
            _round_alone(engine.top),
        )
        keys = implemented(engine, CELLS, 1, named(tell, f"{name}, keys"), f"{engine.top}_rijndael_keys")
        # The registers around the round are the processor's data register, the key schedule's, and of the
        # bench alone.
        round_gates = (alone.gate_equivalents or 0) - FLIP_FLOP_GATES * 261
        for what, gates, build in (
            ("encryption", round_gates, alone),
            ("key scheduling", keys.gate_equivalents or 0, keys),
        ):
            share = round(100 * gates / (whole.gate_equivalents or 1), 1)
            rows.append([name, what, round(gates * 24 / 1e6, 2), round(gates), share, build.critical_path_ns])
    return {
        "title": "Table 3: encryption and key scheduling",
        "columns": ["", "module", "area, mm2", "gates", "% of the chip", "critical path, ns"],
        "rows": rows,
        "notes": [
            (
                "Each module synthesised by itself, between registers, so shares are of a chip that shares "
                "gates and need not add up; the rest is data register, channels and control."
            )
        ],
    }


def _comparison(made: dict[tuple[str, str], tuple[BuiltEngine, Build]]) -> dict[str, Any]:
    rows: list[list[Any]] = [
        ["NSA, 0.5 um", 46.0, 1_000_000, 447, 320],
        ["the paper, 0.18 um", 3.96, 173_000, 1820, 910],
    ]
    for (preset, direction), (_, b) in made.items():
        rows.append(
            [
                _name(preset, direction),
                _millimetres(b),
                round(b.gate_equivalents or 0),
                round(1000 * _gbps(b, 256, 128)),
                round(1000 * _gbps(b, 128, 256)),
            ]
        )
    return {
        "title": "Table 4: comparison",
        "columns": ["design", "area, mm2", "gates", "most Mb/s", "least Mb/s"],
        "rows": rows,
        "notes": [],
    }


def reproduce_rijndael_ucla(tell: Tell) -> dict[str, Any]:
    """Tables 2 to 4, Figures 11 and 12 and the parts of sections 3.3 and 5 beside ours, with and without key
    buffer, with and without decryption. `tell` is called with what is measured.
    """
    made: dict[tuple[str, str], tuple[BuiltEngine, Build]] = {}
    for preset, direction in VARIANTS:
        engine = generate(load(preset, [f"direction={direction}"]), {"preset": preset})
        assert isinstance(engine, BuiltEngine)
        made[preset, direction] = engine, implemented(engine, CELLS, 1, named(tell, f"{preset}, {direction}"))
    modules = _modules(made, tell)
    fly, buffer = (made[preset, "encrypt"][0] for preset in ("rijndael-ucla", "rijndael-ucla-keybuffer"))
    return {
        "paper": "rijndael-ucla",
        "title": (
            "Kuo, Verbauwhede: Architectural Optimization for a 1.82Gbits/sec VLSI Implementation of "
            "the AES Rijndael Algorithm (CHES 2001)"
        ),
        "tables": [
            _synthesis(made),
            modules,
            _comparison(made),
            tables({_name(*k): (e, b.gate_equivalents or 1.0) for k, (e, b) in made.items()}, tell),
            paths(fly, buffer, _whole(modules), tell),
            setup_table(fly, buffer, tell),
        ],
    }
