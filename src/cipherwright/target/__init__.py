"""Devices and cell libraries: facts as data, flows behind one function."""

from .cell_options import ALL_CELLS, CellOptions
from .corners import Corner, check_cell_options
from .facts import Target, load_target, target_names
from .implement import USUAL, Build, Recipe, implement
from .liberty import cell_delays, nand2_area
from .packing import paired_flip_flops
from .place import Placed, place
from .power import measured_power
from .replay import replay_bench
from .requirements import delay_lines_from, experimental, require, require_room, short_tags, warnings
from .sta import Constraints, through
from .synth import CELL_MAPPINGS, REGISTERS, Mapped, synthesise

__all__ = [
    "ALL_CELLS",
    "CELL_MAPPINGS",
    "REGISTERS",
    "USUAL",
    "Build",
    "CellOptions",
    "Constraints",
    "Corner",
    "Mapped",
    "Placed",
    "Recipe",
    "Target",
    "cell_delays",
    "check_cell_options",
    "delay_lines_from",
    "experimental",
    "implement",
    "load_target",
    "measured_power",
    "nand2_area",
    "paired_flip_flops",
    "place",
    "replay_bench",
    "require",
    "require_room",
    "short_tags",
    "synthesise",
    "target_names",
    "through",
    "warnings",
]
