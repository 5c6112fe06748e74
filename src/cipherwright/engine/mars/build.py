"""The MARS engine of Satoh et al.: generated mixer, core and key step around hand-written control
(sv/cipherwright_mars*.sv), with its memories beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ...cipher.mars import MARS
from ...graph import Graph
from ...rewrite import CellDelays, Product, product_circuit, realise_adders, realise_multipliers
from ...rtl import Component, Design, Module, Rate, graph_modules, print_bench, print_design
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
    written_texts,
)
from ...shell.folder import worked_block
from ...spec import Engine as EngineSpec
from ...target import Target, cell_delays, load_target
from ...verify import confirm_rewrite
from ..base import planned_period
from .datapath import core_graph, mixer_graph, step_graph
from .diagrams import diagrams
from .interface import MarsOptions
from .keys import EXPANSION_FLIP_FLOPS, KEYS_FILE, step_wrapper
from .modules import CONTROL_FILE, MEMORY_FILE, PORTS, control_module, logic_module, rom_modules, top_module
from .notes import notes
from .testbench import mars_testbench

__all__ = ["build_engine", "products"]

_MEMORY_BITS = {"s": 2 * 256 * 32, "keys": 64 * 32}

# States 2 + 2, count 5, round 4, four blocks of 128, five flags, words of the message 4, eight key words, the
# key's length 4, places of
# blocks in the key storage 2 + 2, reading them 3.
_CONTROL_FLIP_FLOPS = 2 + 2 + 5 + 4 + 4 * 128 + 5 + 4 + 8 * 32 + 4 + 2 + 2 + 3


def _cells(options: MarsOptions, target: Target) -> CellDelays | None:
    """Delays from which a multiplier's tree is grown."""
    grown = target.kind == "cells" and options.multiplier == "tree"
    return cell_delays(Path(target.liberty)) if grown else None


def products(options: MarsOptions, target: Target) -> dict[int, Product]:
    """The multipliers of an engine with `options` on `target`, by width, for its proof. Empty for the
    operator *, which is left to synthesis.
    """
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
    """The engine of `spec`. `given`: the preset and the changes as the user wrote them."""
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
    tables, around = rom_modules(f"{top}_logic_sbox") if options.rom else ([], None)
    ports = reset_ports(spec, PORTS)
    step = step_wrapper(0)
    wrappers = (
        *([around] if around else []),
        logic_module(f"{top}_logic", options, ports),
        top_module(top, options, ports),
    )
    text = print_design(*reset_modules(spec, Design((*modules, *tables)), (step, *wrappers)))
    component = Component(
        (*modules, *tables, step, control_module(flip_flops), *wrappers),
        ports,
        Rate(timing.latency, timing.interval, stalls=True),
    )
    files = {n: hand_written(n, __package__) for n in (CONTROL_FILE, KEYS_FILE, MEMORY_FILE)}
    header = header_lines(spec, given, words, registers, port_table(component.pins))
    bench = print_bench(mars_testbench(component, options.rom))
    files = core_files(spec.name, header, text, bench, written_texts(spec, files))
    memory = {"s": 0 if options.rom else _MEMORY_BITS["s"], "keys": _MEMORY_BITS["keys"]}
    return BuiltEngine(
        top,
        spec_parameters(spec),
        files,
        component,
        notes(options, planned_period(target)),
        flip_flops,
        timing.latency,
        timing.interval,
        f"{top}_logic",
        memory,
        given,
        diagrams=diagrams(options, worked_block(spec)),
    )
