"""Simulation in bulk: the emitted netlist, bit-sliced."""

from .bench import Bulk

__all__ = ["Bulk"]
