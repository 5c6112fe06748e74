"""XTS (IEEE 1619, SP 800-38E) around a pipeline whose keys are held."""

from .core import assemble_xts
from .modules import XtsModules, XtsOptions, xts_modules
from .numbers import PACE
from .ports import COUNTED_PORTS, UNIT_PORTS, xts_ports
from .timing import TWEAKS, XtsTiming

__all__ = [
    "COUNTED_PORTS",
    "PACE",
    "TWEAKS",
    "UNIT_PORTS",
    "XtsModules",
    "XtsOptions",
    "XtsTiming",
    "assemble_xts",
    "xts_modules",
    "xts_ports",
]
