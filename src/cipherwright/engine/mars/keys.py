"""The key-expansion unit of a MARS core: the expansion by memory (sv/cipherwright_mars_keys.sv) over a
small store, and forty registers that catch the expanded key's words as they are written.
"""

from __future__ import annotations

from ...arch.own.mars import key_numbers
from ...cipher.mars import MARS, WORDS
from ...cipher.mars_tables import S
from ...graph import Node, Table
from ...rewrite import merge_bitwise
from ...rtl import (
    Assign,
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Instance,
    Let,
    Module,
    Note,
    Pin,
    Port,
    Reg,
    Register,
    Step,
    Store,
    Wire,
    Wrapper,
    WrapperItem,
    WrittenModule,
    clocked_module,
    lower,
    sub_modules,
    through,
)
from ...schedule import DelayModel, Io, schedule, shortest_period
from ...shell import KeyUnit, hand_written
from .datapath import STEP_INPUTS, step_graph

__all__ = [
    "EXPANSION_FLIP_FLOPS",
    "KEYS_FILE",
    "expansion_cycles",
    "step_wrapper",
    "word_store",
]

KEYS_FILE = "cipherwright_mars_keys.sv"
_STEP = "cipherwright_mars_key_step"

EXPANSION_FLIP_FLOPS = 3 + 2 + 2 + 4 + 4 + 4 + 6 + 4 + 1 + 2 * 32
"""Of the hand-written expansion: phase, round, pass, i, i - 7, 4 i, k, cycle of a step, done, two words."""

_READ, _LOOKUP = 2, 3
"""Cycles from an address to its data, in the unit's store and in the S-box, whose address is registered on
its way.
"""


def step_wrapper(ranks: int) -> Wrapper:
    """The module of a step of the key expansion that the hand-written control instantiates: around logic
    (`ranks` 0), or around a pipeline of `ranks` stages behind a register for the operands.
    """
    operands = tuple(Pin(name, width) for name, width in STEP_INPUTS)
    lint = "" if ranks else "this step has no registers."
    ports = (Held((Pin("clk", lint=lint), *operands, Pin("y", 32, True))),)
    if not ranks:
        logic = Cell(f"{_STEP}_logic", "u_logic", through(operands) | {"y": "y"})
        return Wrapper(_STEP, (), ports, (logic,))
    links = {"clk": "clk"} | {f"{p.name}_i": f"{p.name}_q" for p in operands} | {"y_o": "y"}
    return Wrapper(
        _STEP,
        (f"Operands are registered before the step's {ranks} stages.",),
        ports,
        (
            *(Reg((f"{p.name}_q",), p.width) for p in operands),
            Clocked(tuple(Step(f"{p.name}_q", p.name) for p in operands)),
            Cell(f"{_STEP}_logic", "u_logic", links),
        ),
    )


def _step_pipeline(model: DelayModel, period: float) -> tuple[tuple[Module, ...], int]:
    """Logic of a step with as many registers in a row as the period in ns asks for, and how many."""
    merged = merge_bitwise(step_graph(), 4)
    s = schedule(merged, model, None, max(period, shortest_period(merged, model, 64, Io())))
    return lower(s, f"{_STEP}_logic").modules, s.stages


def expansion_cycles(read: int, lookup: int, step: int) -> int:
    """Cycles of the expansion from its first step to its last write; they do not depend on the key. read,
    lookup: cycles from an address to its data in the store of words and in the S-box; step: cycles of a
    step's logic, 0 where it has no registers.
    """
    short, middle, long = read + step + 1, max(read, lookup) + step + 1, read + lookup + step + 1
    return (15 + 4 * 15 + WORDS) * short + 4 * 4 * 15 * middle + 16 * long


def _store(name: str) -> Wrapper:
    writes = (Pin("write_i"), Pin("write_address_i", 6), Pin("write_data_i", 32))
    reads = (
        pin
        for p in "ab"
        for pin in (Pin(f"{p}_address_i", 6), Pin(f"{p}_data_o", 32, out=True, register=True))
    )
    return Wrapper(
        name,
        (
            f"64 words with one port that writes and two that read: an address, and its word {_READ} cycles "
            f"later.",
        ),
        (ClockReset(reset=""), Held((*writes, *reads))),
        (
            Store("words", 32, 64, "distributed"),
            Reg(("a_address", "b_address"), 6),
            Clocked(
                (
                    Step("words[write_address_i]", "write_data_i", "write_i"),
                    *(Step(f"{p}_address", f"{p}_address_i") for p in "ab"),
                    *(Step(f"{p}_data_o", f"words[{p}_address]") for p in "ab"),
                )
            ),
        ),
    )


def sbox_modules(name: str, block_ram: bool) -> list[Module]:
    """The S-box (clk, a, y; the last module of the list), whose word comes two cycles after its address: a
    block RAM where `block_ram` is true, otherwise logic with two registers. All modules' names begin with
    `name`.
    """
    table = Table("sbox", 32, S)
    if block_ram:
        return [clocked_module(Node("rom", 32, (0,), table), [9], name)]
    logic = sub_modules(Node("lookup", 32, (0,), table), name)[-1]

    def bits(signal: str, n: int = 32) -> tuple[tuple[str, int], ...]:
        return tuple((signal, k) for k in range(n))

    items = (
        Instance(logic.name, "u_table", (("a", bits("a", 9)),), (("y", "word", 32),)),
        Register("word_q", 1, bits("word")),
        Register("word_q2", 2, bits("word_q")),
        Assign("y", 32, "wire", (bits("word_q2"),)),
    )
    return [
        logic,
        Module(
            f"{name}_sbox_q", (Port("input", "clk", 1), Port("input", "a", 9), Port("output", "y", 32)), items
        ),
    ]


_UNIT_COMMENT = (
    "Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1. Its words go "
    "to a store, over which the expansion works; the registers word_* catch the expanded key's words as they "
    "are written, two cycles later.",
)


def word_store(
    name: str,
    key_bits: int,
    decrypt: bool,
    block_ram: bool,
    model: DelayModel,
    period: float,
    zeroise: bool = False,
) -> KeyUnit:
    """The module `name`: a key of `key_bits` bits in, the 18 round keys rk0 … rk17 in the order of use out;
    decrypt: the direction. `block_ram`: the S-box is a block of the device; `period` in ns is met by as many
    registers in a step as it takes, by the delays of `model`. One cycle of reset ends an expansion and shows
    key_ready_o.

    `zeroise`: with a port zeroise_i, at which a key of zeros is expanded instead; when key_ready_o is 1
    again, after `cycles` and one more, no word of an earlier key is in any register or in the store.
    """
    step, ranks = _step_pipeline(model, period)
    boxes, n = sbox_modules(name, block_ram), key_bits // 32
    users = {f"rk{i}": key_numbers(i, decrypt) for i in range(MARS.rounds(key_bits))}
    outputs = tuple(Pin(f"{user}_o", 32 * len(w), True) for user, w in users.items())
    unit = Wrapper(
        name,
        _UNIT_COMMENT,
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((*([Pin("zeroise_i")] if zeroise else []), *outputs)),
        ),
        (
            *_loading(key_bits, zeroise),
            *_expansion(name, n, ranks + 1, boxes[-1].name, key_bits),
            *_catching(),
            *(Drive(f"{user}_o", f"{{{', '.join(f'word_{k}' for k in w)}}}") for user, w in users.items()),
        ),
    )
    control = WrittenModule("cipherwright_mars_keys", (), EXPANSION_FLIP_FLOPS, (_STEP,))
    around = step_wrapper(ranks)
    return KeyUnit(
        (*step, *boxes, around, control, _store(f"{name}_store"), unit),
        n + 1 + expansion_cycles(_READ, _LOOKUP, ranks + 1) + 4,
        {user: 32 * len(w) for user, w in users.items()},
        {KEYS_FILE: hand_written(KEYS_FILE, __package__)},
    )


def _loading(key_bits: int, zeroise: bool) -> tuple[WrapperItem, ...]:
    """What takes a key and gives its words, one a cycle."""
    last = key_bits // 32 - 1
    taken = f"take ? key_i : {{key_q[{key_bits - 33}:0], 32'd0}}"
    ends = "last_q[2] | (idle & ~key_valid_i)"
    idle, load, stop = f"rst_i | {ends}", "take | (load & ~last_word)", "rst_i"
    if zeroise:
        idle, load, stop = f"rst_i | (~zeroise_i & ({ends}))", f"zeroise_i | {load}", "rst_i | zeroise_i"
        taken = f"zeroise_i ? {key_bits}'d0 : {taken}"
    return (
        Reg(("idle", "load", "start")),
        Reg(("place",), 4),
        Reg(("key_q",), key_bits),
        Reg(("last_q",), 3),
        Let("take", "key_valid_i & idle"),
        Note("An expansion under way ends."),
        Let("stop", stop),
        Wire(("busy", "last", "write")),
        Wire(("a_address", "b_address", "write_address"), 6),
        Wire(("a_data", "b_data", "write_data", "s_data"), 32),
        Wire(("s_address",), 9),
        Let("last_word", f"place == 4'd{last}"),
        Clocked(
            (
                Step("idle", idle),
                Step("load", f"~rst_i & ({load})"),
                Step("start", "load & last_word & ~stop"),
                Step("place", "load & ~stop ? place + 4'd1 : 4'd0"),
                Step("key_q", taken),
                Step("last_q", "stop ? 3'd0 : {last_q[1:0], last}"),
            )
        ),
        Drive("key_ready_o", "idle"),
    )


def _expansion(name: str, n: int, latency: int, box: str, key_bits: int) -> tuple[WrapperItem, ...]:
    """The expansion of `n` words, the store with the key's words in it, and the S-box."""
    links = {"clk": "clk", "restart_i": "stop", "start_i": "start", "words_i": f"4'd{n}"}
    links |= {"busy_o": "busy", "last_o": "last"}
    for p in "ab":
        links |= {f"{p}_address_o": f"{p}_address", f"{p}_data_i": f"{p}_data"}
    links |= {f"write{part}_o": f"write{part}" for part in ("", "_address", "_data")}
    links |= {"s_address_o": "s_address", "s_data_i": "s_data"}
    store = {"clk": "clk", "write_i": "store_write"}
    store |= {f"write_{part}_i": f"store_{part}" for part in ("address", "data")}
    for p in "ab":
        store |= {f"{p}_address_i": f"{p}_address", f"{p}_data_o": f"{p}_data"}
    word = ", ".join(f"key_q[{key_bits - 32 + 8 * j + 7}:{key_bits - 32 + 8 * j}]" for j in range(4))
    parameters = {"READ": _READ, "LOOKUP": _LOOKUP, "STEP": latency}
    return (
        Cell("cipherwright_mars_keys", "u_expansion", links, parameters),
        Reg(("store_write",)),
        Reg(("store_address",), 6),
        Reg(("store_data",), 32),
        Clocked(
            (
                Step("store_write", "busy ? write : load"),
                Step("store_address", "busy ? write_address : 6'd40 + {2'd0, place}"),
                Step("store_data", f"busy ? write_data : {{{word}}}"),
            )
        ),
        Cell(f"{name}_store", "u_store", store),
        Reg(("s_address_q",), 9),
        Clocked((Step("s_address_q", "s_address"),)),
        Cell(box, "u_s", {"clk": "clk", "a": "s_address_q", "y": "s_data"}),
    )


def _catching() -> tuple[WrapperItem, ...]:
    """The registers that catch the expanded key's words as they are written."""
    places = range(WORDS)
    return (
        Reg(("catch_q",), WORDS),
        Reg(("data_q",), 32),
        Reg(tuple(f"word_{k}" for k in places), 32),
        Clocked(
            (
                *(Step(f"catch_q[{k}]", f"store_write & store_address == 6'd{k}") for k in places),
                Step("data_q", "store_data"),
                *(Step(f"word_{k}", "data_q", f"catch_q[{k}]") for k in places),
            )
        ),
    )
