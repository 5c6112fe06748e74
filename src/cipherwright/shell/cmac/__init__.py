"""CMAC (SP 800-38B) around a loop whose key is held."""

from .core import assemble_cmac
from .ports import MAC_PORT_NAMES, MAC_PORTS

__all__ = ["MAC_PORTS", "MAC_PORT_NAMES", "assemble_cmac"]
