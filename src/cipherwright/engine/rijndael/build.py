"""The Rijndael processor of Kuo and Verbauwhede: generated round and key schedule, hand-written control
(sv/cipherwright_rijndael*.sv).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...cipher.rijndael import RIJNDAEL
from ...graph import Graph, GraphBuilder
from ...rewrite import narrow, realise, realise_linear
from ...rtl import (
    Cell,
    Component,
    Design,
    Held,
    Module,
    Rate,
    Wrapper,
    WrittenModule,
    graph_modules,
    print_bench,
    print_design,
    through,
)
from ...shell import (
    PREFIX,
    BuiltEngine,
    core_files,
    hand_written,
    header_lines,
    module_name,
    port_table,
    reset_modules,
    reset_ports,
    spec_parameters,
    written_module,
    written_texts,
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
from .diagrams import diagrams
from .interface import PORTS, RijndaelOptions, processor_rounds
from .notes import notes
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
    with decryption; `buffer`: for a buffer of round keys, otherwise for round keys on the fly.
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


def _top(name: str, control: WrittenModule, both: bool) -> Wrapper:
    """The processor with the ports of its control, in their order."""
    cell = Cell(control.name, "u_processor", through(control.pins), {"DECRYPT": int(both)})
    return Wrapper(name, (), (Held(control.pins),), (cell,))


_SUM_INPUTS = 2
"""Bits that one gate of the linear layers adds up."""


def _realised(options: RijndaelOptions, graph: Graph) -> Graph:
    """graph -> graph: the S-boxes and XOR networks of the options."""
    made = realise_linear(narrow(realise(graph, options.sbox)), _SUM_INPUTS, options.linear_depth)
    confirm_rewrite(RIJNDAEL.title, graph, made)
    return made


def build_processor(spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
    """The processor of `spec`. `given`: the preset and the changes as the user wrote them."""
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
    ports = reset_ports(spec, PORTS)
    written = written_module(CONTROL_FILE, ports, flip_flops, __package__)
    around = _top(top, written, both)
    text = print_design(*reset_modules(spec, Design(tuple(modules)), [around]))
    component = Component((*modules, written, around), ports, Rate(latency, rounds, stalls=True))
    sources = {CONTROL_FILE: CONTROL_FILE, KEYS_FILE: _SOURCES[options.key_expansion]}
    files = {name: hand_written(source, __package__) for name, source in sources.items()}
    bench = print_bench(processor_testbench(component, both))
    header = header_lines(
        spec, given, timing, f"{flip_flops} flip-flops predicted", port_table(component.pins)
    )
    files = core_files(spec.name, header, text, bench, written_texts(spec, files))
    said = notes(options, planned_period(load_target(spec.target)))
    return BuiltEngine(
        top,
        spec_parameters(spec),
        files,
        component,
        said,
        flip_flops,
        latency,
        rounds,
        given=given,
        diagrams=diagrams(),
    )
