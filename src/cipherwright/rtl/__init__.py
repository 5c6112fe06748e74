"""Hardware: modules and registers from schedules, iterative cores, and the Verilog printer."""

from .fold import Loop, fold
from .lower import LowerOptions, lower
from .module import Design, Instance, Module, Port, Register
from .verilog import print_design, print_module

__all__ = [
    "Design", "Instance", "Loop", "LowerOptions", "Module", "Port", "Register", "fold", "lower", "print_design", "print_module",
]  # fmt: skip
