"""The Rijndael processor of Kuo and Verbauwhede: generated round and key schedule, hand-written control
(sv/cipherwright_rijndael*.sv).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...cipher.rijndael import RIJNDAEL
from ...graph import Graph, GraphBuilder
from ...rewrite import narrow, realise, realise_linear
from ...rtl import Design, Module, graph_modules, print_design
from ...shell import (
    PREFIX,
    BuiltEngine,
    PortSet,
    core_files,
    hand_written,
    header_lines,
    module_name,
    port_table,
    spec_parameters,
)
from ...spec import Engine as EngineSpec
from ...target import load_target
from ...verify import confirm_rewrite
from ..base import planned_period
from .datapath import (
    BUFFER_ADDRESS_BITS,
    CONTROL_BITS,
    KEY_ADDRESS_BITS,
    UNIT_BITS,
    buffer_control_table,
    control_table,
    four_words,
    key_step,
    round_of_any_size,
)
from .interface import INSTRUCTIONS, RijndaelOptions, processor_rounds
from .testbench import processor_testbench

__all__ = ["build_processor", "processor_graphs"]

WIDTH = 256
CONTROL_FILE = "cipherwright_rijndael.sv"
KEYS_FILE = "cipherwright_rijndael_keys.sv"
_SOURCES = {"logic": KEYS_FILE, "buffer": "cipherwright_rijndael_keybuffer.sv"}

_CONTROL_FLIP_FLOPS = 3 + 3 + 3 + WIDTH + 4 + 10 + 1 + 1
# The schedule on the fly: window, its start, first and present round key; control, index, four flags.
_SCHEDULE_FLIP_FLOPS = 4 * WIDTH + CONTROL_BITS + 4 + 4
# The buffer: window, first, present and next round key, 15 rows; control, index, places, four flags, the
# fetches' count.
_BUFFER_FLIP_FLOPS = (4 + 15) * WIDTH + UNIT_BITS + 5 + 4 + 2 + 4 + 4 + 2


def processor_graphs(both: bool, buffer: bool) -> list[Graph]:
    """The generated modules' graphs: round, key step (or four words), and last the control words. `both`:
    with decryption.
    """
    made = []

    def graph(name: str) -> GraphBuilder:
        return GraphBuilder(f"rijndael_{name}")

    b = graph("round")
    state, key, mix, block = (
        b.input("state", WIDTH),
        b.input("round_key", WIDTH),
        b.input("mix", 1),
        b.input("block", 3),
    )
    decrypt = b.input("decrypt", 1)
    b.output("next", round_of_any_size(b, state, key, mix, block, decrypt if both else None))
    made.append(b.build())
    b = graph("four_words" if buffer else "key_step")
    window = b.input("window", WIDTH)
    if buffer:
        words, after = four_words(b, window, b.input("control", UNIT_BITS), b.input("key", 3))
        b.output("words", words)
    else:
        control, sizes = b.input("control", CONTROL_BITS), (b.input("block", 3), b.input("key", 3))
        back = b.input("back", 1)
        round_key, after = key_step(b, window, control, *sizes, back if both else None)
        b.output("round_key", round_key)
    b.output("next", after)
    made.append(b.build())
    b = graph("buffer_control" if buffer else "key_control")
    address = b.input("address", BUFFER_ADDRESS_BITS if buffer else KEY_ADDRESS_BITS)
    if buffer:
        b.output("control", b.lookup("BufferControl", buffer_control_table(), UNIT_BITS, address))
    else:
        b.output("control", b.lookup("KeyControl", control_table(), CONTROL_BITS, address))
    made.append(b.build())
    return made


def _meanings() -> dict[str, str]:
    """Port -> its meaning."""
    codes = ", ".join(
        f"{code:x} {name.replace('_', ' ')}"
        for name, code in INSTRUCTIONS.items()
        if not name.startswith(("block", "key"))
    )
    return {
        "clk": "clock: everything happens at its rising edge",
        "rst_i": "reset, synchronous, active high: one cycle is enough",
        "instruction_valid_i": (
            "an instruction is offered; it is taken in a cycle in which this and ready_o are 1"
        ),
        "instruction_i": f"block length a, b, c and key length 2, 3, 4 (128, 192, 256 bits); {codes}",
        "ready_o": "an instruction can be taken in this cycle",
        "in_valid_i": "a half-word is offered; it is taken in a cycle in which this and in_ready_o are 1",
        "in_ready_o": "a half-word can be taken in this cycle",
        "in_data_i": "half-word of a block or key, the first one first; byte 0 in bits 15:8",
        "out_valid_o": "a half-word of a result is offered",
        "out_ready_i": "it can be taken in this cycle",
        "out_data_o": "half-word of a result, the first one first; byte 0 in bits 15:8",
    }


def _top(name: str, both: bool) -> str:
    return f"""\
module {name} (
    input  wire        clk,
    input  wire        rst_i,
    input  wire        instruction_valid_i,
    input  wire [3:0]  instruction_i,
    output wire        ready_o,
    input  wire        in_valid_i,
    output wire        in_ready_o,
    input  wire [15:0] in_data_i,
    output wire        out_valid_o,
    input  wire        out_ready_i,
    output wire [15:0] out_data_o
);
    cipherwright_rijndael #(.DECRYPT({int(both)})) u_processor (
        .clk(clk), .rst_i(rst_i), .instruction_valid_i(instruction_valid_i), .instruction_i(instruction_i), .ready_o(ready_o),
        .in_valid_i(in_valid_i), .in_ready_o(in_ready_o), .in_data_i(in_data_i), .out_valid_o(out_valid_o), .out_ready_i(out_ready_i),
        .out_data_o(out_data_o)
    );
endmodule
"""


_SUM_INPUTS = 2
"""Bits that one gate of the linear layers adds up."""


def _realised(options: RijndaelOptions, graph: Graph) -> Graph:
    """graph -> graph: the S-boxes and XOR networks of the options."""
    made = realise_linear(narrow(realise(graph, options.sbox)), _SUM_INPUTS, options.linear_depth)
    confirm_rewrite(RIJNDAEL.title, graph, made)
    return made


def build_processor(spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
    """The processor of a spec. `given`: the preset and the changes as the user wrote them."""
    options = RijndaelOptions.of(spec.options())
    top, both, buffer = module_name(spec.name), options.both, options.buffer
    modules: list[Module] = []
    *datapath, control = processor_graphs(both, buffer)
    for graph in (*(_realised(options, g) for g in datapath), control):
        modules += [m for m in graph_modules(graph, PREFIX) if m not in modules]
    rounds = processor_rounds(options.block_bits, options.key_bits)
    latency = rounds + 2
    flip_flops = _CONTROL_FLIP_FLOPS + (_BUFFER_FLIP_FLOPS if buffer else _SCHEDULE_FLIP_FLOPS)
    flip_flops -= (2 if buffer else 3) * (
        not both
    )  # what only decryption needs: its two flags, and the way back
    timing = (
        f"{latency} cycles from the instruction to a result, {rounds} from block to block in a feedback mode"
    )
    text = print_design(Design(tuple(modules))) + "\n" + _top(top, both)
    sources = {CONTROL_FILE: CONTROL_FILE, KEYS_FILE: _SOURCES[options.key_expansion]}
    files = {name: hand_written(source, __package__) for name, source in sources.items()}
    bench = processor_testbench(top, both)
    header = header_lines(
        spec, given, timing, f"{flip_flops} flip-flops predicted", port_table(text, top, _meanings())
    )
    period = planned_period(load_target(spec.target))
    files = core_files(spec.name, header, text, bench, files, spec.target, period, PortSet().clk)
    return BuiltEngine(top, spec_parameters(spec), files, flip_flops, latency, rounds, given=given)
