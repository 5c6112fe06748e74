"""XTS (IEEE 1619, SP 800-38E) around a pipeline whose keys are held."""

from .core import assemble_xts
from .layer import COMPARED, key_seen
from .modules import XtsModules, XtsOptions, xts_modules, xts_top
from .numbers import PACE
from .ports import (
    COUNTED_PORTS,
    NUMBER,
    OFFERED,
    PENDING,
    RESULTS,
    UNIT_PORTS,
    number_group,
    port_groups,
    word_pins,
    xts_ports,
)
from .testbench import testbench
from .timing import TWEAKS, XtsTiming

__all__ = [
    "COMPARED",
    "COUNTED_PORTS",
    "NUMBER",
    "OFFERED",
    "PACE",
    "PENDING",
    "RESULTS",
    "TWEAKS",
    "UNIT_PORTS",
    "XtsModules",
    "XtsOptions",
    "XtsTiming",
    "assemble_xts",
    "key_seen",
    "number_group",
    "port_groups",
    "testbench",
    "word_pins",
    "xts_modules",
    "xts_ports",
    "xts_top",
]
