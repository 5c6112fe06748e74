"""The MARS engine of Satoh et al.: generated mixer, core and key step around hand-written control
(sv/cipherwright_mars*.sv), with its memories beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ...cipher.mars import MARS
from ...cipher.mars_tables import S0, S1
from ...graph import Graph, Node, Table
from ...rewrite import CellDelays, Product, product_circuit, realise_adders, realise_multipliers
from ...rtl import Design, Module, graph_modules, print_design, sub_modules
from ...shell import (
    PREFIX,
    BuiltEngine,
    PortSet,
    core_files,
    hand_written,
    header_lines,
    module_name,
    port_list,
    port_table,
    spec_parameters,
)
from ...spec import Engine as EngineSpec
from ...target import Target, cell_delays, load_target
from ...verify import confirm_rewrite
from ..base import planned_period
from .datapath import core_graph, mixer_graph, step_graph
from .interface import ADDRESS, MarsOptions
from .keys import EXPANSION_FLIP_FLOPS, KEYS_FILE, step_wrapper
from .testbench import mars_testbench

__all__ = ["build_engine", "products"]

CONTROL_FILE, MEMORY_FILE = "cipherwright_mars.sv", "cipherwright_mars_memory.sv"

_MEANINGS = {
    "clk": "clock: everything happens at its rising edge",
    "rst_i": "reset, synchronous, active high: one cycle is enough",
    "select_i": "the word at address_i is accessed; held until ready_o is 1",
    "write_i": "the access is a write (0: a read)",
    "ready_o": "the access ends in this cycle",
    "done_o": "a result can be read",
    "address_i": (
        f"of a word: key {ADDRESS['keys']:03x}, block {ADDRESS['message']:03x}, result "
        f"{ADDRESS['result']:03x}, command {ADDRESS['command']:03x}, status "
        f"{ADDRESS['status']:03x} (hexadecimal)"
    ),
    "data_i": "word to write; byte 0 of a block or key in bits 7:0 of its first word (MARS is little-endian)",
    "data_o": "word that is read; bytes as above",
}

_MEMORY_BITS = {"s": 2 * 256 * 32, "keys": 64 * 32}

# States 2 + 2, count 5, round 4, four blocks of 128, five flags, words of the message 4, eight key words, the
# key's length 4, places of
# blocks in the key storage 2 + 2, reading them 3.
_CONTROL_FLIP_FLOPS = 2 + 2 + 5 + 4 + 4 * 128 + 5 + 4 + 8 * 32 + 4 + 2 + 2 + 3


def _rom_text(name: str) -> tuple[list[Module], str]:
    """S0 and S1 as logic, with the ports of the memory that has one read of each."""
    made: list[Module] = []
    for table in (Table("S0", 32, S0), Table("S1", 32, S1)):
        made += sub_modules(Node("lookup", 32, (0,), table), name)
    s0, s1 = (m.name for m in made)
    return (
        made,
        f"""\
// The S-box as logic: one read of S0 and of S1 in a cycle, by the mixer or by the core.
module {name} (
    input  wire        mixing_i,
    input  wire [7:0]  s0_address_i,
    input  wire [7:0]  s1_address_i,
    input  wire [8:0]  s_address_i,
    output wire [31:0] s0_o,
    output wire [31:0] s1_o,
    output wire [31:0] s_o
);
    {s0} u_s0 (.a(mixing_i ? s0_address_i : s_address_i[7:0]), .y(s0_o));
    {s1} u_s1 (.a(mixing_i ? s1_address_i : s_address_i[7:0]), .y(s1_o));
    assign s_o = s_address_i[8] ? s1_o : s0_o;
endmodule
""",
    )


def _logic(name: str, options: MarsOptions) -> str:
    """Everything but the memories, with their ports (the ROM's logic stands inside)."""
    values = ", ".join(f".{k}({v})" for k, v in options.control.items())
    ports = port_list(CONTROL_FILE, __package__)
    inner = [p for p in ports if options.rom and re.match(r"s[01]?_|mixing", p.name)]
    outer = [p for p in ports if p not in inner]
    declared = ",\n".join(f"    {p.direction:6} wire {p.range:7}{p.name}" for p in outer)
    wires = "".join(f"    wire {p.range:7}{p.name};\n" for p in inner)
    pins = ",\n        ".join(f".{p.name}({p.name})" for p in ports)
    table = (
        f"""\
    {name}_sbox u_sbox (
        .mixing_i(mixing_o), .s0_address_i(s0_first_address_o), .s1_address_i(s1_first_address_o), .s_address_i(s_address_o),
        .s0_o(s0_first_i), .s1_o(s1_first_i), .s_o(s_i)
    );
    assign s0_second_i = s0_first_i;
    assign s1_second_i = s1_first_i;
    // Lint: a table in logic is not written, and has one read of S0 and of S1.
    // verilator lint_off UNUSEDSIGNAL
    wire unused = &{{1'b0, s_write_o, s_write_address_o, s_write_data_o, s0_second_address_o, s1_second_address_o}};
    // verilator lint_on UNUSEDSIGNAL
"""
        if options.rom
        else ""
    )
    return (
        f"module {name} (\n{declared}\n);\n{wires}    cipherwright_mars #({values}) u_engine (\n        "
        f"{pins}\n    );\n{table}endmodule\n"
    )


def _top(top: str, options: MarsOptions) -> str:
    ports = port_list(CONTROL_FILE, __package__)
    bus = [
        p
        for p in ports
        if p.name
        in ("clk", "rst_i", "select_i", "write_i", "ready_o", "done_o", "address_i", "data_i", "data_o")
    ]
    others = [p for p in ports if p not in bus and not (options.rom and re.match(r"s[01]?_|mixing", p.name))]
    declared = ",\n".join(f"    {p.direction:6} wire {p.range:7}{p.name}" for p in bus)
    wires = "".join(f"    wire {p.range:7}{p.name};\n" for p in others)
    pins = ",\n        ".join(f".{p.name}({p.name})" for p in (*bus, *others))
    sbox = (
        ""
        if options.rom
        else f"""\
    cipherwright_mars_sbox #(.READS({options.reads})) u_sbox (
        .clk(clk), .mixing_i(mixing_o), .s0_first_address_i(s0_first_address_o), .s0_first_o(s0_first_i),
        .s0_second_address_i(s0_second_address_o), .s0_second_o(s0_second_i), .s1_first_address_i(s1_first_address_o), .s1_first_o(s1_first_i),
        .s1_second_address_i(s1_second_address_o), .s1_second_o(s1_second_i), .s_address_i(s_address_o), .s_o(s_i),
        .write_i(s_write_o), .write_address_i(s_write_address_o), .write_data_i(s_write_data_o)
    );
"""
    )
    return f"""\
module {top} (
{declared}
);
{wires}    {top}_logic u_logic (
        {pins}
    );
{sbox}    cipherwright_mars_store #(.BANKS({int(options.banks)})) u_store (
        .clk(clk), .a_address_i(a_address_o), .a_data_o(a_data_i), .b_address_i(b_address_o), .b_data_o(b_data_i),
        .write_i(key_write_o), .write_address_i(key_write_address_o), .write_data_i(key_write_data_o)
    );
endmodule
"""


def _cells(options: MarsOptions, target: Target) -> CellDelays | None:
    """Delays from which a multiplier's tree is grown."""
    grown = target.kind == "cells" and options.multiplier == "tree"
    return cell_delays(Path(target.liberty)) if grown else None


def products(options: MarsOptions, target: Target) -> dict[int, Product]:
    """The multipliers of an engine by width, for its proof."""
    made = product_circuit(options.multiplier, 32, _cells(options, target), options.final_adder)
    return {32: made} if made else {}


def _arithmetic(options: MarsOptions, target: Target) -> Callable[[Graph], Graph]:
    """graph -> graph: the adders and the multiplier of the options."""
    cells = _cells(options, target)

    def realised(graph: Graph) -> Graph:
        multiplied = realise_multipliers(graph, options.multiplier, cells, True, options.final_adder)
        made = realise_adders(multiplied, options.adder, True)
        confirm_rewrite(MARS.title, graph, made)
        return made

    return realised


def build_engine(spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
    """The engine of a spec. `given`: the preset and the changes as the user wrote them."""
    options, target = MarsOptions.of(spec.options()), load_target(spec.target)
    top, realised = module_name(spec.name), _arithmetic(options, target)
    modules: list[Module] = []
    for graph in (mixer_graph(options.halves), core_graph(), step_graph()):
        modules += [m for m in graph_modules(realised(graph), PREFIX) if m not in modules]
    timing = options.timing
    flip_flops = _CONTROL_FLIP_FLOPS + EXPANSION_FLIP_FLOPS + 32 * options.banks + options.readable_keys
    registers = (
        f"{flip_flops} flip-flops predicted, and {sum(_MEMORY_BITS.values())} bits of memory beside the logic"
    )
    words = (
        f"{timing.latency} cycles from a block to its result, {timing.interval} from block to block; "
        f"{timing.expansion} for a key"
    )
    tables, rom_text = _rom_text(f"{top}_logic_sbox") if options.rom else ([], "")
    text = "\n".join(
        (
            print_design(Design((*modules, *tables))),
            rom_text,
            step_wrapper(0),
            _logic(f"{top}_logic", options),
            _top(top, options),
        )
    )
    files = {n: hand_written(n, __package__) for n in (CONTROL_FILE, KEYS_FILE, MEMORY_FILE)}
    header = header_lines(spec, given, words, registers, port_table(text, top, _MEANINGS))
    bench = mars_testbench(top, options.rom)
    files = core_files(
        spec.name, header, text, bench, files, spec.target, planned_period(target), PortSet().clk
    )
    memory = {"s": 0 if options.rom else _MEMORY_BITS["s"], "keys": _MEMORY_BITS["keys"]}
    return BuiltEngine(
        top,
        spec_parameters(spec),
        files,
        flip_flops,
        timing.latency,
        timing.interval,
        f"{top}_logic",
        memory,
        given,
    )
