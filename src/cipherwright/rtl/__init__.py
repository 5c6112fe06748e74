"""Hardware: modules and registers from schedules, iterative cores, and the Verilog printer."""

from .block import clocked_module, graph_modules, sub_modules
from .count import count_graph, counter
from .evaluate import DesignModel, from_lanes, to_lanes
from .expand import Expansion, KeyParts, expansion
from .fold import fold, fold_held
from .fold_base import Loop
from .fold_trips import fold_trips
from .keywords import KEYWORDS, SYSTEMVERILOG_2017
from .lower import LowerOptions, lower
from .module import Assign, DelayLine, Design, Instance, Module, Port, Register
from .resets import check_resets, control_bits
from .verilog import print_design, print_module

__all__ = [
    "KEYWORDS",
    "SYSTEMVERILOG_2017",
    "Assign",
    "DelayLine",
    "Design",
    "DesignModel",
    "Expansion",
    "Instance",
    "KeyParts",
    "Loop",
    "LowerOptions",
    "Module",
    "Port",
    "Register",
    "check_resets",
    "clocked_module",
    "control_bits",
    "count_graph",
    "counter",
    "expansion",
    "fold",
    "fold_held",
    "fold_trips",
    "from_lanes",
    "graph_modules",
    "lower",
    "print_design",
    "print_module",
    "sub_modules",
    "to_lanes",
]
