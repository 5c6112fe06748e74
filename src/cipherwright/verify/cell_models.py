"""What the cells of mapped netlists compute, in a table of our own: lookup tables, wide multiplexers,
carries, flip-flops, distributed RAM.

A test compares every entry with the models that Yosys has of the same cells. A cell that is not here is
refused by the proofs, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..errors import CheckFailed
from .aig import FALSE, Aig

__all__ = [
    "BOXES",
    "NO_MODELS",
    "Cell",
    "Column",
    "Flop",
    "Gate",
    "Make",
    "Models",
    "Output",
    "Pin",
    "Unknown",
    "block",
    "columns",
    "flop",
    "outputs",
]


class Unknown(CheckFailed):
    """The netlist has something whose meaning is not in the table: nothing is said about it."""


Pin = tuple[str, int]
Cell = Mapping[str, Any]
Make = Callable[[Aig, Sequence[int]], int]


@dataclass(frozen=True)
class Output:
    """One output bit of a cell without memory: `pin`, that it is at; `reads`, the pins that it depends on;
    `make`, its literal from theirs, in this order; `high`: pins that are 1 where nothing is connected (others
    may have any value then).
    """

    pin: Pin
    reads: tuple[Pin, ...]
    make: Make
    high: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Flop:
    """A flip-flop: its `clock` pin, whether the `rising` edge counts, its output pin `q`; `make`: the next
    value from the literals of `reads` and, last, of the present value. `idle`: pins that must be constant,
    with the value, where the cell would act without the clock.
    """

    clock: Pin
    rising: bool
    q: Pin
    reads: tuple[Pin, ...]
    make: Make
    idle: tuple[tuple[Pin, str], ...] = ()


@dataclass(frozen=True)
class Gate:
    """A clock-gating cell with a latch: registers behind `gated` take their data at a rising edge of `clock`
    at which one of `enables` is 1.
    """

    clock: Pin
    enables: tuple[Pin, ...]
    gated: Pin


@dataclass(frozen=True)
class Models:
    """Cells of a library, by name: the `outputs` of logic, `flops`, and clock-gating cells (`gates`)."""

    outputs: Mapping[str, Sequence[Output]]
    flops: Mapping[str, Flop]
    gates: Mapping[str, Gate]


NO_MODELS = Models({}, {}, {})
"""No library: the cells of devices are known without one."""


@dataclass(frozen=True)
class Column:
    """One bit of a RAM of 16 words that is written at the clock and read at once: its `clock` pin, whether
    the `rising` edge counts, the pin that it shows (`out`), its `data` pin, the `enable` of writing (None:
    always) and whether that is `inverted`, and the pins of the addresses for `write` and `read`, the least
    significant first.
    """

    clock: Pin
    rising: bool
    out: Pin
    data: Pin
    enable: Pin | None
    inverted: bool
    write: tuple[Pin, ...]
    read: tuple[Pin, ...]


BOXES = frozenset({"DP16KD", "MULT18X18D", "ALU54B"})
"""Cells that a proof takes for the same where they have the same parameters and inputs."""


def _pins(*names: str) -> tuple[Pin, ...]:
    return tuple((n, 0) for n in names)


def _text(cell: Cell, name: str, default: str) -> str:
    return str(cell["parameters"].get(name, default)).strip()


def _bits(cell: Cell, name: str, width: int) -> int:
    """A parameter that is a table, as an integer; 0 where it is not given. Raises Unknown where a bit is
    not defined.
    """
    text = str(cell["parameters"].get(name, "0"))
    if not set(text) <= {"0", "1"}:
        raise Unknown(f"the table {name} of a {cell['type']} has bits that are not defined: {text}")
    return int(text, 2) & (1 << width) - 1


def _lut(cell: Cell, parameter: str, pins: Sequence[str], out: str) -> list[Output]:
    init = _bits(cell, parameter, 1 << len(pins))
    return [Output((out, 0), _pins(*pins), lambda g, a: g.table(init, a))]


def _lut_of(inputs: int, cell: Cell) -> list[Output]:
    """A lookup table of Xilinx or Gowin devices, whose pins are I0 and so on."""
    out = "F" if "F" in cell["connections"] else "O"
    return _lut(cell, "INIT", [f"I{k}" for k in range(inputs)], out)


def _mux(out: str, select: str, one: str, zero: str) -> Output:
    return Output((out, 0), _pins(select, one, zero), lambda g, a: g.mux(a[0], a[1], a[2]))


def _half(g: Aig, init: int, inject: bool, a: Sequence[int], carry: int) -> tuple[int, int]:
    """Sum and carry of one half of an ECP5 carry cell, of its inputs A, B, C, D."""
    four, two = g.table(init, a), g.table(init & 15, a[:2])
    total = four if inject else g.xor(four, carry)
    return total, g.or_(g.and_(four ^ 1, FALSE if inject else two), g.and_(four, carry))


def _ccu2c(cell: Cell) -> list[Output]:
    inits = [_bits(cell, f"INIT{k}", 16) for k in (0, 1)]
    inject = [_text(cell, f"INJECT1_{k}", "YES") == "YES" for k in (0, 1)]
    low, high = _pins("A0", "B0", "C0", "D0", "CIN"), _pins("A1", "B1", "C1", "D1")

    def first(g: Aig, a: Sequence[int]) -> tuple[int, int]:
        return _half(g, inits[0], inject[0], a[:4], a[4])

    def second(g: Aig, a: Sequence[int]) -> tuple[int, int]:
        return _half(g, inits[1], inject[1], a[5:], first(g, a)[1])

    return [
        Output(("S0", 0), low, lambda g, a: first(g, a)[0]),
        Output(("S1", 0), low + high, lambda g, a: second(g, a)[0]),
        Output(("COUT", 0), low + high, lambda g, a: second(g, a)[1]),
    ]


_HIGH = frozenset("ABCD")


def _comb(cell: Cell) -> list[Output]:
    """A logic cell of an ECP5 after packing: a lookup table or half a carry cell, and a wide multiplexer.
    (RAM: `columns`.) The device holds inputs of lookup tables at 1 that nothing is connected to, and
    nextpnr uses that.
    """
    mode, init = _text(cell, "MODE", "LOGIC"), _bits(cell, "INITVAL", 16)
    wired = {p for p, bits in cell["connections"].items() if bits}
    if "F1" in wired and wired & {"FXA", "FXB"}:
        raise Unknown("a TRELLIS_COMB has both wide multiplexers of a slice")
    wide = _mux("OFX", "M", "FXB", "FXA") if wired & {"FXA", "FXB"} else _mux("OFX", "M", "F1", "F")
    four = _pins("A", "B", "C", "D")
    if mode in ("DPRAM", "RAMW_BLOCK"):  # the latter keeps a place free beside what writes a RAM
        return []
    if mode == "LOGIC":
        return [Output(("F", 0), four, lambda g, a: g.table(init, a), _HIGH), wide]
    if mode != "CCU2":
        raise Unknown(f"a TRELLIS_COMB has the mode {mode}, which the proof does not know")
    inject = _text(cell, "CCU2_INJECT1", "NO") == "YES"
    reads = (*four, ("FCI", 0))
    return [
        Output(("F", 0), reads, lambda g, a: _half(g, init, inject, a[:4], a[4])[0], _HIGH),
        Output(("FCO", 0), reads, lambda g, a: _half(g, init, inject, a[:4], a[4])[1], _HIGH),
        wide,
    ]


def _carry4(cell: Cell) -> list[Output]:
    """A Virtex carry chain of four multiplexers and XOR gates."""
    out = []
    for k in range(4):
        reads = (("CI", 0), ("CYINIT", 0), *((p, i) for i in range(k + 1) for p in ("S", "DI")))

        def carry(g: Aig, a: Sequence[int], n: int) -> int:
            c = g.or_(a[0], a[1])
            for i in range(n):
                c = g.mux(a[2 + 2 * i], c, a[3 + 2 * i])
            return c

        out.append(
            Output(("O", k), reads, partial(lambda k, f, g, a: g.xor(a[2 + 2 * k], f(g, a, k)), k, carry))
        )
        out.append(Output(("CO", k), reads, partial(lambda k, f, g, a: f(g, a, k + 1), k, carry)))
    return out


def _gate(pins: str, make: Make) -> Callable[[Cell], list[Output]]:
    return lambda cell: [Output(("Y", 0), _pins(*pins), make)]


def _one(out: str, pins: Sequence[str], make: Make) -> Callable[[Cell], list[Output]]:
    return lambda cell: [Output((out, 0), _pins(*pins), make)]


def _lut4(cell: Cell) -> list[Output]:
    """Lattice's LUT4, or that of Xilinx or Gowin."""
    if "Z" not in cell["connections"]:
        return _lut_of(4, cell)
    init = str(cell["parameters"].get("INIT", "0"))
    if init.startswith("0x"):  # Nexus
        cell = {**cell, "parameters": {"INIT": f"{int(init, 16):016b}"}}
    return _lut(cell, "INIT", "ABCD", "Z")


def _widefn9(cell: Cell) -> list[Output]:
    """A LUT5 of a Nexus slice: two lookup tables and the multiplexer behind them."""
    inits = []
    for k in (0, 1):
        text = _text(cell, f"INIT{k}", "0x0000")
        if not text.startswith("0x"):
            raise Unknown(f"the table INIT{k} of a WIDEFN9 is no number: {text}")
        inits.append(int(text, 16))
    pins = _pins("A0", "B0", "C0", "D0", "A1", "B1", "C1", "D1", "SEL")
    return [
        Output(("Z", 0), pins, lambda g, a: g.mux(a[8], g.table(inits[1], a[4:8]), g.table(inits[0], a[:4])))
    ]


def _alu(cell: Cell) -> list[Output]:
    """A Gowin carry cell: a sum, a difference, or one of them by I3."""
    mode = _bits(cell, "ALU_MODE", 32)
    if mode > 2:
        raise Unknown(f"an ALU has the mode {mode}, which the proof does not know")

    def same(g: Aig, a: Sequence[int]) -> int:
        return (g.xor(a[0], a[1]), g.xor(a[0], a[1]) ^ 1, g.xor(g.xor(a[0], a[1]), a[2] ^ 1))[mode]

    reads = _pins("I0", "I1", "I3", "CIN")
    return [
        Output(("SUM", 0), reads, lambda g, a: g.xor(same(g, a), a[3])),
        Output(("COUT", 0), reads, lambda g, a: g.mux(same(g, a), a[3], a[0])),
    ]


_OUTPUTS: dict[str, Callable[[Cell], list[Output]]] = {
    "$_AND_": _gate("AB", lambda g, a: g.and_(a[0], a[1])),
    "$_OR_": _gate("AB", lambda g, a: g.or_(a[0], a[1])),
    "$_XOR_": _gate("AB", lambda g, a: g.xor(a[0], a[1])),
    "$_XNOR_": _gate("AB", lambda g, a: g.xor(a[0], a[1]) ^ 1),
    "$_NAND_": _gate("AB", lambda g, a: g.and_(a[0], a[1]) ^ 1),
    "$_NOR_": _gate("AB", lambda g, a: g.or_(a[0], a[1]) ^ 1),
    "$_ANDNOT_": _gate("AB", lambda g, a: g.and_(a[0], a[1] ^ 1)),
    "$_ORNOT_": _gate("AB", lambda g, a: g.or_(a[0], a[1] ^ 1)),
    "$_NOT_": _gate("A", lambda g, a: a[0] ^ 1),
    "$_BUF_": _gate("A", lambda g, a: a[0]),
    "$_MUX_": _gate("SBA", lambda g, a: g.mux(a[0], a[1], a[2])),
    "LUT4": _lut4,
    "SB_LUT4": lambda c: _lut(c, "LUT_INIT", ("I0", "I1", "I2", "I3"), "O"),
    **{f"LUT{n}": partial(_lut_of, n) for n in (1, 2, 3, 5, 6)},
    "PFUMX": lambda c: [_mux("Z", "C0", "ALUT", "BLUT")],
    "L6MUX21": lambda c: [_mux("Z", "SD", "D1", "D0")],
    "CCU2C": _ccu2c,
    "TRELLIS_COMB": _comb,
    # The wires of a slice to the RAM of its neighbours.
    "TRELLIS_RAMW": lambda c: [
        Output((out, 0), _pins(pin), lambda g, a: a[0])
        for out, pin in zip(
            ("WADO0", "WADO1", "WADO2", "WADO3", "WDO0", "WDO1", "WDO2", "WDO3"),
            ("D0", "B0", "C0", "A0", "C1", "A1", "D1", "B1"),
            strict=True,
        )
    ],
    "SB_CARRY": _one(
        "CO", ("I0", "I1", "CI"), lambda g, a: g.or_(g.and_(a[0], a[1]), g.and_(a[2], g.or_(a[0], a[1])))
    ),
    **{f"MUXF{n}": (lambda c: [_mux("O", "S", "I1", "I0")]) for n in (5, 6, 7, 8, 9)},
    "MUXCY": lambda c: [_mux("O", "S", "CI", "DI")],
    "XORCY": _one("O", ("CI", "LI"), lambda g, a: g.xor(a[0], a[1])),
    "CARRY4": _carry4,
    "INV": lambda c: [
        Output(
            ("O" if "O" in c["connections"] else "Z", 0),
            _pins("I" if "I" in c["connections"] else "A"),
            lambda g, a: a[0] ^ 1,
        )
    ],
    "VCC": lambda c: [Output(("P" if "P" in c["connections"] else "V", 0), (), lambda g, a: 1)],
    "GND": _one("G", (), lambda g, a: 0),
    "VHI": _one("Z", (), lambda g, a: 1),
    "VLO": _one("Z", (), lambda g, a: 0),
    "WIDEFN9": _widefn9,
    "ALU": _alu,
}


def outputs(cell: Cell) -> list[Output] | None:
    """The outputs of a `cell` (as in Yosys JSON) without memory; None for another cell, or one that is not
    known. Raises Unknown where its table has bits that are not defined.
    """
    made = _OUTPUTS.get(cell["type"])
    return None if made is None else made(cell)


def _held(take: int | None, clear: int | None, value: int, keep: bool = True) -> Make:
    """Next value from literals (data, then those of `take` and `clear` by place, the present value last)."""

    def make(g: Aig, a: Sequence[int]) -> int:
        d = a[0] if take is None else g.mux(a[take], a[0], a[-1])
        if clear is None:
            return d
        cleared = g.mux(a[clear], value, d)
        # Without priority the clear acts only when the cell takes its data.
        return cleared if keep or take is None else g.mux(a[take], g.mux(a[clear], value, a[0]), a[-1])

    return make


def _inverted(make: Make, at: set[int]) -> Make:
    return lambda g, a: make(g, [x ^ (i in at) for i, x in enumerate(a)])


def _trellis_ff(cell: Cell) -> Flop:
    enable, clear = _text(cell, "CEMUX", "1"), _text(cell, "LSRMUX", "LSR")
    if (
        _text(cell, "LSRMODE", "LSR") != "LSR"
        or enable not in ("1", "0", "CE", "INV")
        or clear not in ("LSR", "INV")
    ):
        raise Unknown(
            f"a TRELLIS_FF has CEMUX {enable}, LSRMUX {clear} or a preload, which the proof does not know"
        )
    data = "M" if _text(cell, "SD", "1") == "0" else "DI"
    value = int(_text(cell, "REGSET", "RESET") == "SET")
    reads, invert = [data], set[int]()
    take = clearing = None
    idle: tuple[tuple[Pin, str], ...] = ()
    if enable in ("CE", "INV"):
        take = len(reads)
        invert |= {take} if enable == "INV" else set()
        reads.append("CE")
    if cell["connections"].get("LSR"):  # not connected: never active
        if _text(cell, "SRMODE", "LSR_OVER_CE") == "ASYNC":
            idle = ((("LSR", 0), "1" if clear == "INV" else "0"),)
        clearing = len(reads)
        invert |= {clearing} if clear == "INV" else set()
        reads.append("LSR")
    make = _inverted(
        _held(take, clearing, value, _text(cell, "SRMODE", "LSR_OVER_CE") != "CE_OVER_LSR"), invert
    )
    if enable == "0":
        raise Unknown("a TRELLIS_FF never takes its data")
    return Flop(("CLK", 0), _text(cell, "CLKMUX", "CLK") != "INV", ("Q", 0), _pins(*reads), make, idle)


_SB = re.compile(r"^SB_DFF(N?)(E?)(SR|SS|R|S)?$")
_FD = re.compile(r"^FD(RE|SE|CE|PE|RSE)$")


def _sb_ff(found: re.Match[str]) -> Flop:
    falling, enable, clear = found[1], found[2], found[3] or ""
    reads = ["D", *(["E"] if enable else []), *(["R" if "R" in clear else "S"] if clear else [])]
    asynchronous = len(clear) == 1
    take, clearing = (1 if enable else None), (len(reads) - 1 if clear else None)
    # The synchronous set or reset of an iCE40 flip-flop acts only when it is enabled.
    value = int(clear in ("SS", "S"))
    idle = (((reads[-1], 0), "0"),) if asynchronous else ()
    return Flop(
        ("C", 0), not falling, ("Q", 0), _pins(*reads), _held(take, clearing, value, not enable), idle
    )


def _fd(cell: Cell, kind: str) -> Flop:
    pin = {"RE": "R", "SE": "S", "CE": "CLR", "PE": "PRE"}[kind]
    turned = {p for p in ("D", pin) if _bits(cell, f"IS_{p}_INVERTED", 1)}
    make = _inverted(
        _held(1, 2, int(kind in ("SE", "PE"))), {i for i, p in enumerate(("D", "CE", pin)) if p in turned}
    )
    idle = (((pin, 0), "1" if pin in turned else "0"),) if kind in ("CE", "PE") else ()
    return Flop(("C", 0), not _bits(cell, "IS_C_INVERTED", 1), ("Q", 0), _pins("D", "CE", pin), make, idle)


_DFF = re.compile(r"^DFF([SR]?)(E?)$")


def _gowin_ff(found: re.Match[str]) -> Flop:
    """A Gowin flip-flop; its synchronous set or reset acts whether it is enabled or not."""
    clear, enable = found[1], found[2]
    reads = ["D", *(["CE"] if enable else []), *([{"S": "SET", "R": "RESET"}[clear]] if clear else [])]
    take, clearing = (1 if enable else None), (len(reads) - 1 if clear else None)
    return Flop(("CLK", 0), True, ("Q", 0), _pins(*reads), _held(take, clearing, int(clear == "S")))


def _nexus_ff(cell: Cell, kind: str) -> Flop:
    """FD1P3IX and FD1P3JX: enable SP, synchronous reset CD or set PD."""
    pin = {"IX": "CD", "JX": "PD"}[kind]
    return Flop(("CK", 0), True, ("Q", 0), _pins("D", "SP", pin), _held(1, 2, int(kind == "JX")))


def flop(cell: Cell) -> Flop | None:
    """The behaviour of a `cell` (as in Yosys JSON) that is a flip-flop; None for another cell. Raises Unknown
    for a mode that is not known.
    """
    kind = cell["type"]
    if kind == "$_DFF_P_":
        return Flop(("C", 0), True, ("Q", 0), _pins("D"), lambda g, a: a[0])
    if kind == "TRELLIS_FF":
        return _trellis_ff(cell)
    if found := _SB.match(kind):
        return _sb_ff(found)
    if found := _DFF.match(kind):
        return _gowin_ff(found)
    if kind in ("FD1P3IX", "FD1P3JX"):
        return _nexus_ff(cell, kind[5:])
    if (found := _FD.match(kind)) and found[1] != "RSE":
        return _fd(cell, found[1])
    return None


def columns(cell: Cell) -> list[Column] | None:
    """The columns of a `cell` (as in Yosys JSON) that is a distributed RAM; None for another cell. Raises
    Unknown where it is written always or never.
    """
    if cell["type"] == "TRELLIS_DPR16X4":
        if _text(cell, "WREMUX", "WRE") not in ("WRE", "INV"):
            raise Unknown("a TRELLIS_DPR16X4 is written always or never, which the proof does not know")
        write, read = (tuple((p, i) for i in range(4)) for p in ("WAD", "RAD"))
        return [
            Column(
                ("WCK", 0),
                _text(cell, "WCKMUX", "WCK") != "INV",
                ("DO", i),
                ("DI", i),
                ("WRE", 0),
                _text(cell, "WREMUX", "WRE") == "INV",
                write,
                read,
            )
            for i in range(4)
            if i < len(cell["connections"]["DO"])
        ]
    if cell["type"] == "TRELLIS_COMB" and _text(cell, "MODE", "LOGIC") == "DPRAM":
        mode = _text(cell, "WREMUX", "WRE")
        if mode not in ("WRE", "INV"):
            raise Unknown("a RAM cell is written always or never, which the proof does not know")
        write = _pins("WAD0", "WAD1", "WAD2", "WAD3")
        return [
            Column(
                ("WCK", 0),
                _text(cell, "WCKMUX", "WCK") != "INV",
                ("F", 0),
                ("WD", 0),
                ("WRE", 0),
                mode == "INV",
                write,
                _pins("D", "B", "C", "A"),
            )
        ]
    return None


@dataclass(frozen=True)
class Block:
    """A block of the device as stages of logic or registers: in each, output pin -> the pins (or outputs
    of the stage before) that it is of, and how;
    `clocked` says of each stage whether it is of registers.
    """

    clocks: tuple[str, ...]
    stages: tuple[dict[str, tuple[tuple[str, ...], Make]], ...]
    clocked: tuple[bool, ...]


def block(cell: Cell) -> Block | None:
    """A table in block RAM (DP16KD) or a multiplier (MULT18X18D), for a `cell` as in Yosys JSON; None where
    it is of another type or used in another way.
    """
    return (
        _table(cell) if cell["type"] == "DP16KD" else _product(cell) if cell["type"] == "MULT18X18D" else None
    )


def _is(cell: Cell, pins: Sequence[str], value: str) -> bool:
    """Whether all pins have a constant (or are not connected, for 0)."""
    return all(cell["connections"].get(p, ["0"]) == [value] for p in pins)


def _wired_outputs(cell: Cell, prefix: str) -> list[str]:
    return [p for p, b in cell["connections"].items() if re.fullmatch(prefix + r"\d+", p) and b]


def _plain(g: Aig, a: Sequence[int]) -> int:
    return a[0]


def _table(cell: Cell) -> Block | None:
    """A block RAM that is never written, read at the clock by both ports."""
    whole = _ram_width(cell, "B") == 36
    ports = [x for x in "AB" if whole or _is(cell, (f"CE{x}",), "1")]
    widths = {x: 36 if whole else _ram_width(cell, x) for x in ports}
    registered = [x for x in ports if _text(cell, f"REGMODE_{x}", "NOREG") == "OUTREG"]
    known = (
        _only_read(cell)
        and (not whole or _is(cell, ("CEB",), "1"))
        and registered in ([], ports)
        and all(_is(cell, (f"OCE{x}",), "1") for x in registered)
        and set(widths.values()) <= set(_UNUSED)
    )
    if not known:
        return None
    words = [_bits(cell, f"INITVAL_{k:02X}", 320) for k in range(64)]
    unit = [words[u >> 4] >> 20 * (u & 15) & 0x3FFFF for u in range(1024)]
    stage: dict[str, tuple[tuple[str, ...], Make]] = {}
    for x in ports:
        address = "ADB" if whole else f"AD{x}"
        pins = [f"{address}{k}" for k in range(_UNUSED[widths[x]], 14)]
        stage |= _ram_outputs(cell, x, pins, widths[x], unit)
    behind: dict[str, tuple[tuple[str, ...], Make]] = {out: ((out,), _plain) for out in stage}
    clocks = tuple(f"CLK{x}" for x in ports)
    return Block(clocks, (stage, behind) if registered else (stage,), (True, True) if registered else (True,))


_UNUSED = {9: 3, 18: 4, 36: 5}
"""Address pins below the word's address, by the width of a word."""


def _ram_width(cell: Cell, port: str) -> int:
    return int(_text(cell, f"DATA_WIDTH_{port}", "10010"), 2)


def _only_read(cell: Cell) -> bool:
    """Whether a block RAM is never written or reset, and always chosen."""
    quiet = all(_is(cell, (f"WE{x}",), "0") or _is(cell, (f"CE{x}",), "0") for x in "AB")
    chosen = _is(cell, [f"CS{x}{k}" for x in "AB" for k in range(3)], "0")
    modes = all(
        _text(cell, f"REGMODE_{x}", "NOREG") in ("NOREG", "OUTREG")
        and _text(cell, f"CSDECODE_{x}", "0b000") == "0b000"
        for x in "AB"
    )
    return quiet and chosen and modes and _is(cell, ("RSTA", "RSTB"), "0")


def _ram_outputs(
    cell: Cell, port: str, pins: Sequence[str], width: int, unit: Sequence[int]
) -> dict[str, tuple[tuple[str, ...], Make]]:
    """The output pins of a port that are read: the address pins (of `pins`) that each depends on, and its
    function of these. A word of 36 bits is in two units of 18, the upper one at port B; one of 9 bits is half
    a unit.
    """
    used = [k for k, p in enumerate(pins) if cell["connections"].get(p, ["0"]) not in (["0"], ["x"])]
    found: dict[str, tuple[tuple[str, ...], Make]] = {}
    for out in _wired_outputs(cell, f"DO{port}"):
        bit = int(out[3:])
        if width == 9 and bit > 8:
            continue
        truth = 0
        for n in range(1 << len(used)):
            at = sum((n >> i & 1) << k for i, k in enumerate(used))
            truth |= (_ram_word(unit, width, at, port) >> bit & 1) << n
        found[out] = tuple(pins[k] for k in used), _reading(truth)
    return found


def _ram_word(unit: Sequence[int], width: int, at: int, port: str) -> int:
    """What a port reads at an address; bits above its word have no meaning."""
    if width == 9:
        return unit[at >> 1] >> 9 * (at & 1)
    return unit[at] if width == 18 else unit[2 * at + (port == "B")]


def _reading(truth: int) -> Make:
    """The function of a register behind a table: of the address, and of what it holds."""
    return lambda g, a: g.table(truth, a[:-1])


def _product(cell: Cell) -> Block | None:
    """An unsigned product of 18 by 18 bits, with or without registers before and behind."""
    if (
        not _is(cell, ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0"), "0")
        or _text(cell, "MULT_BYPASS", "DISABLED") != "DISABLED"
    ):
        return None
    registers = [_text(cell, f"REG_{x}_CLK", "NONE") for x in ("INPUTA", "INPUTB", "OUTPUT", "PIPELINE")]
    if (
        not set(registers) <= {"CLK0", "NONE"}
        or registers[0] != registers[1]
        or registers[3] != "NONE"
        or ("CLK0" in registers and not _is(cell, ("CE0",), "1"))
    ):
        return None
    sides = {x: [f"{x}{k}" for k in range(18)] for x in "AB"}
    reads = (*sides["A"], *sides["B"])
    if any(p not in cell["connections"] for p in reads):
        return None

    def product(k: int) -> Make:
        def make(g: Aig, a: Sequence[int]) -> int:
            key = tuple(a[:36])
            known = products.setdefault(id(g), {})
            if key not in known:
                total = [FALSE] * 36
                for i in range(18):
                    total = g.add(
                        total, ([FALSE] * i + [g.and_(a[i], b) for b in a[18:36]] + [FALSE] * 36)[:36], FALSE
                    )
                known[key] = total
            return known[key][k]

        return make

    products: dict[int, dict[tuple[int, ...], list[int]]] = {}
    stages: list[dict[str, tuple[tuple[str, ...], Make]]] = []
    if registers[0] == "CLK0":
        stages.append({p: ((p,), _plain) for p in reads if cell["connections"][p][0] not in ("0", "1", "x")})
    out = {p: (reads, product(int(p[1:]))) for p in _wired_outputs(cell, "P")}
    stages.append(out)
    clocked = [*([True] if registers[0] == "CLK0" else []), registers[2] == "CLK0"]
    return Block(("CLK0",) if any(clocked) else (), tuple(stages), tuple(clocked))
