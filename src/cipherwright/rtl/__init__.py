"""Hardware: modules and registers from schedules, and the Verilog printer."""

from .block import clocked_module, graph_modules, sub_modules
from .count import count_graph, counter
from .evaluate import DesignModel, from_lanes, to_lanes
from .keywords import KEYWORDS, SYSTEMVERILOG_2017
from .lower import LowerOptions, lower
from .module import Assign, DelayLine, Design, Instance, Module, Port, Register
from .resets import check_resets, control_bits
from .text import modules_in, words
from .verilog import print_design, print_module, print_wrapper
from .wrapper import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    through,
)

__all__ = [
    "KEYWORDS",
    "SYSTEMVERILOG_2017",
    "Assign",
    "Cell",
    "ClockReset",
    "Clocked",
    "DelayLine",
    "Design",
    "DesignModel",
    "Drive",
    "Handshake",
    "Held",
    "Instance",
    "Let",
    "LowerOptions",
    "Module",
    "Note",
    "Pin",
    "Port",
    "Reg",
    "Register",
    "Step",
    "Stream",
    "Wire",
    "Wrapper",
    "WrapperItem",
    "check_resets",
    "clocked_module",
    "control_bits",
    "count_graph",
    "counter",
    "from_lanes",
    "graph_modules",
    "lower",
    "modules_in",
    "print_design",
    "print_module",
    "print_wrapper",
    "sub_modules",
    "through",
    "to_lanes",
    "words",
]
