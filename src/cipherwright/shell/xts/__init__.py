"""XTS (IEEE 1619, SP 800-38E) around a pipeline whose keys are held."""

from .core import assemble_xts
from .modules import XtsModules, xts_modules
from .ports import UNIT_PORTS, xts_ports
from .timing import TWEAKS, XtsTiming

__all__ = ["TWEAKS", "UNIT_PORTS", "XtsModules", "XtsTiming", "assemble_xts", "xts_modules", "xts_ports"]
