"""Galois/Counter Mode (SP 800-38D) around a pipeline whose key is held."""

from .core import assemble_gcm
from .modules import GcmModules, gcm_modules, gcm_top
from .ports import GCM_PORTS, IV_BITS, PACKET, PACKET_PORTS, RESULTS, port_groups
from .testbench import Times, testbench
from .timing import GcmTiming

__all__ = [
    "GCM_PORTS",
    "IV_BITS",
    "PACKET",
    "PACKET_PORTS",
    "RESULTS",
    "GcmModules",
    "GcmTiming",
    "Times",
    "assemble_gcm",
    "gcm_modules",
    "gcm_top",
    "port_groups",
    "testbench",
]
