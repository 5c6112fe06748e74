"""Hardware: modules and registers from schedules, iterative cores, and the Verilog printer."""

from .block import graph_modules
from .count import count_graph, counter
from .expand import Expansion, KeyParts, expansion
from .fold import Loop, fold
from .lower import LowerOptions, lower
from .module import Design, Instance, Module, Port, Register
from .verilog import print_design, print_module

__all__ = [
    "Design", "Expansion", "Instance", "KeyParts", "Loop", "LowerOptions", "Module", "Port", "Register", "count_graph", "counter", "expansion", "fold", "graph_modules", "lower",
    "print_design", "print_module",
]  # fmt: skip
