"""Interchangeable realisations of graph operations, each proven equal to what it replaces."""

from .adders import ADDERS, realise_adders
from .fuse import fuse_linear
from .hold import HeldWords, held_words, with_raw_words
from .linear import linear_networks, realise_linear, sum_inputs
from .merge import merge_bitwise
from .narrow import narrow
from .same import same_up_to_linear_maps
from .sbox import REALISATIONS, circuit, prove, realise, unfit
from .spread import add_hops, replicate
from .tower import tower
from .xor import Network, network

__all__ = [
    "ADDERS", "REALISATIONS", "HeldWords", "Network", "add_hops", "circuit", "fuse_linear", "held_words", "linear_networks", "merge_bitwise",
    "narrow", "network", "prove", "realise", "realise_adders", "realise_linear", "replicate", "same_up_to_linear_maps", "sum_inputs", "tower",
    "unfit", "with_raw_words",
]  # fmt: skip
