"""The modules of the MARS engine around its hand-written control, and their typed ports."""

from __future__ import annotations

from collections.abc import Sequence

from ...cipher.mars_tables import S0, S1
from ...graph import Node, Table
from ...rtl import (
    Bus,
    Cell,
    ClockReset,
    Drive,
    Group,
    Held,
    Let,
    Memory,
    Module,
    Order,
    Pin,
    Wire,
    Wrapper,
    WrapperItem,
    WrittenModule,
    sub_modules,
    through,
)
from ...shell import written_module
from .interface import ADDRESS, MarsOptions

__all__ = [
    "CONTROL_FILE",
    "MEMORY_FILE",
    "PORTS",
    "control_module",
    "logic_module",
    "rom_modules",
    "top_module",
]

CONTROL_FILE, MEMORY_FILE = "cipherwright_mars.sv", "cipherwright_mars_memory.sv"

_WORD = Order.PIECE_LITTLE

PORTS: tuple[Group, ...] = (
    ClockReset(),
    Bus(
        Pin("select_i", meaning="the word at address_i is accessed; held until ready_o is 1"),
        Pin("write_i", meaning="the access is a write (0: a read)"),
        Pin("ready_o", out=True, meaning="the access ends in this cycle"),
        Pin(
            "address_i",
            10,
            meaning=(
                f"of a word: key {ADDRESS['keys']:03x}, block {ADDRESS['message']:03x}, result "
                f"{ADDRESS['result']:03x}, command {ADDRESS['command']:03x}, status "
                f"{ADDRESS['status']:03x} (hexadecimal)"
            ),
        ),
        Pin("data_i", 32, order=_WORD, meaning="word to write; of a block or key the first word first"),
        Pin("data_o", 32, True, order=_WORD, meaning="word that is read; of a result the first word first"),
        (Pin("done_o", out=True, meaning="a result can be read"),),
    ),
)
"""Ports of the engine. MARS is little-endian."""


def _read(address: str, bits: int, data: str, what: str) -> tuple[Pin, Pin]:
    return (
        Pin(address, bits, True, meaning=f"address of {what}"),
        Pin(data, 32, meaning=f"the word of {what}"),
    )


def _write(name: str, bits: int, what: str) -> tuple[Pin, Pin, Pin]:
    return (
        Pin(f"{name}_write_o", out=True, meaning=f"a word is written to the {what}"),
        Pin(f"{name}_write_address_o", bits, True, meaning=f"address of the word that the {what} takes"),
        Pin(f"{name}_write_data_o", 32, True, meaning=f"the word that the {what} takes"),
    )


_SBOX: tuple[Group, ...] = (
    Memory(
        tuple(
            _read(f"s{box}_{place}_address_o", 8, f"s{box}_{place}_i", f"the mixer's {place} read of S{box}")
            for box in (0, 1)
            for place in ("first", "second")
        )
    ),
    Held((Pin("mixing_o", out=True, meaning="the mixer reads the S-box in this cycle"),)),
    Memory((_read("s_address_o", 9, "s_i", "the core's read of the S-box"),), _write("s", 9, "S-box")),
)
"""Ports to the S-box."""

_KEYS: tuple[Group, ...] = (
    Memory(
        tuple(_read(f"{p}_address_o", 6, f"{p}_data_i", f"read {p} of the key storage") for p in "ab"),
        _write("key", 6, "key storage"),
        1,
    ),
)
"""Ports to the storage of round keys."""


def _pins(groups: Sequence[Group]) -> tuple[Pin, ...]:
    return tuple(pin for group in groups for pin in group.pins)


def control_module(flip_flops: int) -> WrittenModule:
    """The hand-written control; flip_flops: those that it and the modules in its files have with the options
    of the engine.
    """
    return written_module(CONTROL_FILE, (*PORTS, *_SBOX, *_KEYS), flip_flops, __package__)


def _wires(pins: Sequence[Pin]) -> list[Wire]:
    return [Wire((p.name,), p.width) for p in pins]


def rom_modules(name: str) -> tuple[list[Module], Wrapper]:
    """S0 and S1 as logic, and the module `name` around them, with the ports of the memory that has one read
    of each.
    """
    made: list[Module] = []
    for table in (Table("S0", 32, S0), Table("S1", 32, S1)):
        made += sub_modules(Node("lookup", 32, (0,), table), name)
    addresses = (Pin("mixing_i"), Pin("s0_address_i", 8), Pin("s1_address_i", 8), Pin("s_address_i", 9))
    words = tuple(Pin(f"{s}_o", 32, True) for s in ("s0", "s1", "s"))
    cells = (
        Cell(m.name, f"u_s{k}", {"a": f"mixing_i ? s{k}_address_i : s_address_i[7:0]", "y": f"s{k}_o"})
        for k, m in enumerate(made)
    )
    comment = "The S-box as logic: one read of S0 and of S1 in a cycle, by the mixer or by the core."
    return made, Wrapper(
        name,
        (comment,),
        (Held((*addresses, *words)),),
        (*cells, Drive("s_o", "s_address_i[8] ? s1_o : s0_o")),
    )


def _rom_items(box: str) -> tuple[WrapperItem, ...]:
    """The S-box as logic behind the control."""
    links = {
        "mixing_i": "mixing_o",
        "s0_address_i": "s0_first_address_o",
        "s1_address_i": "s1_first_address_o",
    }
    links |= {"s_address_i": "s_address_o", "s0_o": "s0_first_i", "s1_o": "s1_first_i", "s_o": "s_i"}
    unread = "s_write_o, s_write_address_o, s_write_data_o, s0_second_address_o, s1_second_address_o"
    reason = "a table in logic is not written, and has one read of S0 and of S1."
    return (
        Cell(box, "u_sbox", links),
        Drive("s0_second_i", "s0_first_i"),
        Drive("s1_second_i", "s1_first_i"),
        Let("unused", f"&{{1'b0, {unread}}}", lint=reason),
    )


def logic_module(name: str, options: MarsOptions, ports: Sequence[Group]) -> Wrapper:
    """The module `name`: everything but the memories, with their ports and the engine's `ports`, for
    `options`; an S-box in logic is inside, as the module NAME_sbox.
    """
    inner = _pins(_SBOX) if options.rom else ()
    box = () if options.rom else _SBOX
    pins = (*_pins(PORTS), *_pins(_SBOX), *_pins(_KEYS))
    return Wrapper(
        name,
        (),
        (*ports, *box, *_KEYS),
        (
            *_wires(inner),
            Cell("cipherwright_mars", "u_engine", through(pins), options.control),
            *(_rom_items(f"{name}_sbox") if options.rom else ()),
        ),
    )


def top_module(top: str, options: MarsOptions, ports: Sequence[Group]) -> Wrapper:
    """The module `top` with the `ports`: the engine of `options` with its memories around the module
    TOP_logic.
    """
    memory = (*(() if options.rom else _pins(_SBOX)), *_pins(_KEYS))
    store = {"clk": "clk"}
    store |= {
        f"{p}_{w}": f"{p}_{x}" for p in "ab" for w, x in (("address_i", "address_o"), ("data_o", "data_i"))
    }
    store |= {f"write{part}_i": f"key_write{part}_o" for part in ("", "_address", "_data")}
    return Wrapper(
        top,
        (),
        tuple(ports),
        (
            *_wires(memory),
            Cell(f"{top}_logic", "u_logic", through((*_pins(PORTS), *memory))),
            *([] if options.rom else [_sbox_cell(options)]),
            Cell("cipherwright_mars_store", "u_store", store, {"BANKS": int(options.banks)}),
        ),
    )


def _sbox_cell(options: MarsOptions) -> Cell:
    links = {"clk": "clk", "mixing_i": "mixing_o"}
    for box in (0, 1):
        for place in ("first", "second"):
            links |= {f"s{box}_{place}_address_i": f"s{box}_{place}_address_o"}
            links |= {f"s{box}_{place}_o": f"s{box}_{place}_i"}
    links |= {"s_address_i": "s_address_o", "s_o": "s_i"}
    links |= {f"write{part}_i": f"s_write{part}_o" for part in ("", "_address", "_data")}
    return Cell("cipherwright_mars_sbox", "u_sbox", links, {"READS": options.reads})
