"""Interchangeable realisations of graph operations, each proven equal to what it replaces."""

from .adders import ADDERS, realise_adders
from .block_ram import boxes_in_block_ram, first_boxes
from .compressor import UNIT_CELLS, CellDelays, TimedBit
from .fuse import fuse_linear
from .hold import HeldWords, held_words, with_raw_words
from .linear import linear_networks, realise_linear, sum_inputs
from .merge import merge_bitwise
from .multipliers import MULTIPLIERS, Product, product_circuit, realise_multipliers
from .narrow import narrow
from .profile import PROFILE_ADDERS, profile_add
from .same import same_up_to_linear_maps
from .sbox import REALISATIONS, circuit, prove, realise, unfit
from .share import share_boxes
from .spread import add_hops, replicate
from .tower import SHARED_BASES
from .trees import Made, low_product, prove_product
from .xor import Network, network

__all__ = [
    "ADDERS",
    "MULTIPLIERS",
    "PROFILE_ADDERS",
    "REALISATIONS",
    "SHARED_BASES",
    "UNIT_CELLS",
    "CellDelays",
    "HeldWords",
    "Made",
    "Network",
    "Product",
    "TimedBit",
    "add_hops",
    "boxes_in_block_ram",
    "circuit",
    "first_boxes",
    "fuse_linear",
    "held_words",
    "linear_networks",
    "low_product",
    "merge_bitwise",
    "narrow",
    "network",
    "product_circuit",
    "profile_add",
    "prove",
    "prove_product",
    "realise",
    "realise_adders",
    "realise_linear",
    "realise_multipliers",
    "replicate",
    "same_up_to_linear_maps",
    "share_boxes",
    "sum_inputs",
    "unfit",
    "with_raw_words",
]
