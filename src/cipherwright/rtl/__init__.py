"""Hardware: modules and registers from schedules, and the Verilog printer."""

from .asynchronous import asynchronous_design, asynchronous_reset, asynchronous_text
from .block import clocked_module, graph_modules, sub_modules
from .component import AnyModule, Component, Rate, WrittenModule, count_flip_flops, module_pins
from .connect import Part, Placed, connect
from .count import count_graph, counter
from .evaluate import DesignModel, from_lanes, to_lanes
from .expressions import bits_reversed, concatenated, each_byte, field_places
from .keywords import KEYWORDS, SYSTEMVERILOG_2017
from .lower import LowerOptions, lower, most_levels
from .module import Assign, DelayLine, Design, Instance, Module, Port, Register
from .ports import Bus, ClockReset, Group, Handshake, Held, Memory, Order, Pin, Stream, described
from .repeats import folded, round_module
from .resets import check_resets, control_bits
from .stages import main_round
from .testbench import Bench, print_bench
from .text import modules_in, named_twice, words
from .verilog import print_any, print_box, print_design, print_module, print_wrapper
from .wrapper import (
    Box,
    Cell,
    Clocked,
    Drive,
    Let,
    Note,
    Reg,
    Step,
    Store,
    Wire,
    Wrapper,
    WrapperItem,
    declared_first,
    through,
)

__all__ = [
    "KEYWORDS",
    "SYSTEMVERILOG_2017",
    "AnyModule",
    "Assign",
    "Bench",
    "Box",
    "Bus",
    "Cell",
    "ClockReset",
    "Clocked",
    "Component",
    "DelayLine",
    "Design",
    "DesignModel",
    "Drive",
    "Group",
    "Handshake",
    "Held",
    "Instance",
    "Let",
    "LowerOptions",
    "Memory",
    "Module",
    "Note",
    "Order",
    "Part",
    "Pin",
    "Placed",
    "Port",
    "Rate",
    "Reg",
    "Register",
    "Step",
    "Store",
    "Stream",
    "Wire",
    "Wrapper",
    "WrapperItem",
    "WrittenModule",
    "asynchronous_design",
    "asynchronous_reset",
    "asynchronous_text",
    "bits_reversed",
    "check_resets",
    "clocked_module",
    "concatenated",
    "connect",
    "control_bits",
    "count_flip_flops",
    "count_graph",
    "counter",
    "declared_first",
    "described",
    "each_byte",
    "field_places",
    "folded",
    "from_lanes",
    "graph_modules",
    "lower",
    "main_round",
    "module_pins",
    "modules_in",
    "most_levels",
    "named_twice",
    "print_any",
    "print_bench",
    "print_box",
    "print_design",
    "print_module",
    "print_wrapper",
    "round_module",
    "sub_modules",
    "through",
    "to_lanes",
    "words",
]
