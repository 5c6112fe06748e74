"""Interchangeable realisations of graph operations, each proven equal to what it replaces."""

from .linear import linear_networks, realise_linear
from .merge import merge_bitwise
from .narrow import narrow
from .sbox import REALISATIONS, circuit, prove, realise, unfit
from .spread import add_hops, replicate
from .xor import Network, network

__all__ = ["REALISATIONS", "Network", "add_hops", "circuit", "linear_networks", "merge_bitwise", "narrow", "network", "prove", "realise", "realise_linear", "replicate", "unfit"]
