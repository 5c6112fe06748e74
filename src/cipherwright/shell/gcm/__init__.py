"""Galois/Counter Mode (SP 800-38D) around a pipeline whose key is held."""

from .core import assemble_gcm
from .modules import GcmModules, gcm_modules
from .ports import GCM_PORTS, IV_BITS, PACKET_PORTS
from .timing import GcmTiming

__all__ = [
    "GCM_PORTS",
    "IV_BITS",
    "PACKET_PORTS",
    "GcmModules",
    "GcmTiming",
    "assemble_gcm",
    "gcm_modules",
]
