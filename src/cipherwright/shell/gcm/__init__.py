"""Galois/Counter Mode (SP 800-38D) around a pipeline whose key is held."""

from .core import assemble_gcm
from .modules import GcmModules, gcm_modules, gcm_top, packet_fifos
from .ports import (
    ANY_IV,
    GCM_PORTS,
    IV_BITS,
    IV_WORD_PORTS,
    PACKET_PORTS,
    RESULTS,
    packet_pins,
    packet_ports,
    port_groups,
)
from .testbench import KnownPacket, Times, testbench
from .timing import GcmTiming

__all__ = [
    "ANY_IV",
    "GCM_PORTS",
    "IV_BITS",
    "IV_WORD_PORTS",
    "PACKET_PORTS",
    "RESULTS",
    "GcmModules",
    "GcmTiming",
    "KnownPacket",
    "Times",
    "assemble_gcm",
    "gcm_modules",
    "gcm_top",
    "packet_fifos",
    "packet_pins",
    "packet_ports",
    "port_groups",
    "testbench",
]
