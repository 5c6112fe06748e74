"""What the paper of Kuo and Verbauwhede says of single parts: tables in logic, controllers, the paths of
Figures 11 and 12, and the cycles that a buffer of round keys takes to fill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from ...cipher.rijndael import SHIFTS, SIZES, kind_of_word, mix_columns
from ...cipher.word import over, under
from ...engine.rijndael import ProcessorBench, processor_rounds
from ...graph import Graph, GraphBuilder
from ...progress import Tell
from ...rewrite import narrow, realise_linear
from ...rtl import Box, Pin, print_box
from ...shell import BuiltEngine, save
from ...tools import scratch
from .cell_pieces import FLIP_FLOP_GATES, Piece, drawn, mapped_alone, part

__all__ = [
    "boxes",
    "control",
    "lookup",
    "paths",
    "round_constants",
    "setup_cycles",
    "setup_table",
    "shift_amounts",
    "tables",
]

_WORDS = 8
_DATA_BITS = 32 * _WORDS


def _boxes(top: str) -> str:
    """Round and key schedule as boxes without contents: what is mapped is the control around them."""
    round_pins = (Pin("state", 256), Pin("round_key", 256), Pin("mix"), Pin("block", 3), Pin("decrypt"))
    widths = {"block_i": 3, "key_i": 3, "rounds_i": 4, "half_word_i": 16}
    inputs = "clk restart_i block_i key_i rounds_i shift_i half_word_i decrypt_i prepare_i step_i chain_i"
    key_pins = tuple(Pin(name, widths.get(name, 1)) for name in inputs.split())
    made = (Pin("ready_o", out=True), Pin("first_key_o", 256, True), Pin("round_key_o", 256, True))
    return print_box(Box(f"{top}_rijndael_round", (*round_pins, Pin("next", 256, True)))) + print_box(
        Box(f"{top}_rijndael_keys", (*key_pins, *made), {"DECRYPT": 1})
    )


def control(engine: BuiltEngine) -> Piece:
    """`engine`, the processor, mapped without its round and its key schedule: the data register, both
    channels and all control.
    """
    texts = {n: t for n, t in engine.files.items() if n in (f"{engine.top}.v", f"{engine.top}_rijndael.sv")}
    top = engine.top
    generated = texts[f"{top}.v"]
    shell = generated[generated.index(f"module {top} (") :]
    return mapped_alone(
        {
            "shell.v": shell,
            "control.sv": texts[f"{top}_rijndael.sv"],
            "boxes.v": _boxes(top),
        },
        top,
        str(engine.parameters["mapping"]),
    )


def boxes(engine: BuiltEngine) -> dict[str, int]:
    """Copies of each S-box module in the emitted round and key schedule of `engine`, by module."""
    text = engine.files[f"{engine.top}.v"]
    found = re.findall(rf"^\s+({engine.top}_sbox\w*)\s+\w+\s*\(", text, re.M)
    return {name: found.count(name) for name in sorted(set(found))}


def shift_amounts() -> tuple[int, ...]:
    """The paper's table of 24 entries: columns by which ShiftRows moves a row; address: size of the block
    (two bits), decryption, row (two bits). Decryption moves by what is left of the block.
    """
    out = []
    for columns in (*SHIFTS, None):
        for back in (False, True):
            for row in range(4):
                by = SHIFTS[columns][row] if columns else 0
                out.append((columns - by) % columns if columns and back else by)
    return tuple(out)


def round_constants() -> tuple[int, ...]:
    """The paper's table of 30 entries, the round constants by number, as far as they are defined."""
    return (*(kind_of_word(4 * i, 4)[0] for i in range(1, 31)), 0, 0)


def lookup(name: str, table: Sequence[int], width: int) -> Graph:
    """The table `table`, of which word k has `width` bits, as logic: address -> y. `name`: what the standard
    calls it.
    """
    b = GraphBuilder("table")
    b.output("y", b.lookup(name, table, width, b.input("address", (len(table) - 1).bit_length())))
    return b.build()


def _percent(gates: float, whole: float | None) -> float:
    return round(100 * gates / (whole or 1), 1)


def _row(who: str, what: str, copies: int | None, p: Piece, share: float | None = None) -> list[Any]:
    return [who, what, copies, round(p.gates), round(p.area_um2), p.ns, share]


def tables(made: Mapping[str, tuple[BuiltEngine, float]], tell: Tell) -> dict[str, Any]:
    """Section 3.3's tables in logic and section 4's shares of the chip; made: name -> engine and the gates of
    all of it. `tell` is called once.
    """
    tell("tables in logic and controllers")
    none = None
    rows: list[list[Any]] = [
        ["paper", "S-box", 48, 2200, 51_000, 1.89, none],
        ["paper", "shift amounts, 24 entries", 4, 55, 1000, none, none],
        ["paper", "round constants, 30 entries", 1, 70, 1300, none, none],
        ["paper", "all tables (2.5 mm2)", none, none, none, none, 63],
        ["paper", "registers", none, none, 13_200, none, 8],
        ["paper", "input controller", 1, none, none, none, 1.6],
        ["paper", "output controller", 1, none, none, none, 1.6],
        ["paper", "top-level controller", 1, none, none, none, 3.9],
        _row("the paper's, mapped here", "shift amounts", none, drawn(lookup("Shift", shift_amounts(), 3))),
        _row(
            "the paper's, mapped here", "round constants", none, drawn(lookup("Rcon", round_constants(), 8))
        ),
    ]
    known: dict[str, Piece] = {}

    def once(name: str, engine: BuiltEngine) -> Piece:
        if name not in known:
            known[name] = part(engine, name, True)
        return known[name]

    for who, (engine, whole) in made.items():
        total = 0.0
        for module, copies in boxes(engine).items():
            name = module.removeprefix(f"{engine.top}_")
            box = once(name, engine)
            total += copies * box.gates
            what = "S-box of both directions" if name == "sboxboth" else "S-box"
            rows.append(_row(who, what, copies, box))
        words = "key" if f"{engine.top}_keycontrol" in engine.files[f"{engine.top}.v"] else "buffer"
        constants = once(f"rijndael_{words}_control", engine)
        total += constants.gates
        rows.append(_row(who, "control words of the key schedule, the round constants in them", 1, constants))
        rows.append([who, "all tables", none, round(total), none, none, _percent(total, whole)])
        stored = FLIP_FLOP_GATES * engine.flip_flops
        rows.append([who, "registers", engine.flip_flops, round(stored), none, none, _percent(stored, whole)])
        rest = control(engine)
        data = FLIP_FLOP_GATES * _DATA_BITS
        rows.append(
            _row(who, "all control, channels and data register", 1, rest, _percent(rest.gates, whole))
        )
        rows.append(
            [
                who,
                "the same without the data register's flip-flops",
                1,
                round(rest.gates - data),
                none,
                none,
                _percent(rest.gates - data, whole),
            ]
        )
    return {
        "title": "Sections 3.3 and 4: tables in logic, registers and controllers",
        "columns": ["", "part", "copies", "gates", "um2", "ns", "% of the chip"],
        "rows": rows,
        "notes": [
            "Ours has no table of shift amounts (ShiftRows chooses among three wirings by the block's size) "
            "and one control for both channels, instruction and rounds: the paper's three controllers can't "
            "be told apart in it.",
            "Gates and um2 are of one copy. Each part is mapped by itself, ns from input to output; the "
            "control with round and key schedule as boxes without contents.",
            "The paper says 51,000 um2 of an S-box in section 3.3 and 5,100 in section 4; its 13,200 um2 of "
            "registers are no 8 % of its chip either.",
        ],
    }


def _realised(b: GraphBuilder) -> Graph:
    return realise_linear(narrow(b.build()), 2)


def _steps() -> dict[str, Graph]:
    """The steps of a round of encryption behind the S-boxes, each by itself on 256 bits; of ShiftRows the
    bytes that depend on the block's size.
    """
    out = {}
    b = GraphBuilder("shift_rows")
    state, block = b.input("state", _DATA_BITS), b.input("block", 2)

    def place(columns: int, c: int, r: int) -> int:
        """Number of the byte that goes to column c of row r."""
        return 4 * ((c + SHIFTS[columns][r]) % columns if c < columns else c) + r

    places = [[place(columns, c, r) for columns in SHIFTS] for c in range(_WORDS) for r in range(4)]
    chosen = [p for p in places if len(set(p)) > 1]
    moved = [
        b.cat(*(b.select(state, range(_DATA_BITS - 1 - 8 * k, _DATA_BITS - 9 - 8 * k, -1)) for k in bytes_))
        for bytes_ in zip(*chosen, strict=True)
    ]
    wide, middle = b.select(block, (1,)), b.select(block, (0,))
    b.output("next", b.mux(wide, moved[2], b.mux(middle, moved[1], moved[0])))
    out["ShiftRows"] = _realised(b)
    b = GraphBuilder("mix_columns")
    state, mix = b.input("state", _DATA_BITS), b.input("mix", 1)
    b.output("next", b.mux(mix, under(b, mix_columns(over(b, state))), state))
    out["MixColumns"] = _realised(b)
    b = GraphBuilder("add_round_key")
    b.output("next", b.xor(b.input("state", _DATA_BITS), b.input("round_key", _DATA_BITS)))
    out["AddRoundKey"] = _realised(b)
    return out


def paths(
    fly: BuiltEngine, buffer: BuiltEngine, whole: Mapping[str, float | None], tell: Tell
) -> dict[str, Any]:
    """Figures 11 and 12: the paths of the key schedule and of the round, by parts, in ns. fly, buffer:
    processors that encrypt, the first with round keys on the fly, the second with a buffer of them; whole:
    the paths between registers of `keys, fly`, `keys, buffer` and `round`, None where not known. `tell` is
    called once.
    """
    tell("paths by parts")
    box = part(fly, "sbox", True).ns
    keys, data = "11, key schedule", "12, encryption"
    rows: list[list[Any]] = [
        [keys, "S-box", 1.89, box],
        [
            keys,
            "one step: S-box, round constant, XORs, S-box (ours: four words, for the buffer)",
            4.5,
            part(buffer, "rijndael_four_words", True).ns,
        ],
        [
            keys,
            "two steps (ours: up to eight words, on the fly)",
            9.0,
            part(fly, "rijndael_key_step", True).ns,
        ],
        [keys, "choice among three sub-keys (ours: none, a round key is the window's beginning)", 3.0, None],
        [keys, "whole, on the fly, between registers", 10.0, whole["keys, fly"]],
        [keys, "whole, with buffer, between registers (the paper: at most)", 5.0, whole["keys, buffer"]],
        [data, "S-box", 1.89, box],
        *(
            [data, f"{name} (the paper: in the lost figure alone)", None, drawn(graph).ns]
            for name, graph in _steps().items()
        ),
        [data, "whole, between registers", 6.0, whole["round"]],
    ]
    return {
        "title": "Figures 11 and 12: critical paths by parts, ns",
        "columns": ["figure", "part", "paper", "ours"],
        "rows": rows,
        "notes": [
            "The figures are lost in the paper's text; these are the delays that its words tell. Its 9 ns "
            "and 3 ns do not add up to its 10 ns.",
            "Ours: encryption alone, each part mapped by itself, from input to output; the whole is mapped "
            "as one, so parts need not add up to it.",
        ],
    }


def setup_cycles(engine: BuiltEngine) -> dict[tuple[int, int], int]:
    """Cycles that the first block after a key waits for round keys, by the bits of block and key, counted in
    the simulated processor `engine`: its first encryption less the second one under the same key.
    """
    out = {}
    with scratch() as folder:
        save(engine, Path(folder) / "core")
        names = [n for n in engine.files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")]
        bench = ProcessorBench.compile([folder / "core" / n for n in names], engine.record())
        session = bench.session()
        for block_bits, key_bits in product(SIZES, SIZES):
            session.sizes(block_bits, key_bits)
            session.load_key(bytes(range(key_bits // 8)))
            took = []
            for _ in range(2):
                session.instruct("encrypt")
                took.append(session.wait())
            out[block_bits, key_bits] = took[0] - took[1]
        session.close()
    return out


def setup_table(fly: BuiltEngine, buffer: BuiltEngine, tell: Tell) -> dict[str, Any]:
    """Section 5: cycles before the first block under a key, with round keys on the fly (`fly`) and with a
    buffer of them (`buffer`). `tell` is called once.
    """
    tell("cycles of a key's set-up")
    on_the_fly, filled = setup_cycles(fly), setup_cycles(buffer)
    worst = (256, 128)
    return {
        "title": "Section 5: cycles from a key to the first block",
        "columns": [
            "block, bits",
            "key, bits",
            "rounds",
            "buffer, paper",
            "buffer, ours",
            "on the fly, ours",
        ],
        "rows": [
            [*size, processor_rounds(*size), 28 if size == worst else None, filled[size], on_the_fly[size]]
            for size in filled
        ],
        "notes": [
            "The paper tells its worst case alone, and there is no buffer in its chip. Ours is counted by "
            "simulation, from the instruction to encrypt; it is four words a cycle, and a few cycles around "
            "them for the first two round keys."
        ],
    }
