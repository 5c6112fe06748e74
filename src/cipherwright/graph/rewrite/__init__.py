"""Interchangeable realisations of graph operations, each proven equal to what it replaces."""

from .merge import merge_bitwise
from .narrow import narrow
from .sbox import REALISATIONS, prove, realise
from .spread import add_hops, replicate

__all__ = ["REALISATIONS", "add_hops", "merge_bitwise", "narrow", "prove", "realise", "replicate"]
