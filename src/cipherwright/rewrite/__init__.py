"""Interchangeable realisations of graph operations, each proven equal to what it replaces."""

from .arith.adders import ADDERS, realise_adders
from .arith.bilinear import UNKNOWN, Form, Forms, bilinear_forms, product_forms, prove_field_product
from .arith.compressor import UNIT_CELLS, CellDelays, TimedBit
from .arith.field import KARATSUBA_LEVELS, field_product_graph
from .arith.multipliers import MULTIPLIERS, Product, product_circuit, realise_multipliers
from .arith.profile import PROFILE_ADDERS, profile_add
from .arith.trees import Made, low_product, prove_product
from .linear.common import common_words
from .linear.fuse import fuse_linear
from .linear.layers import linear_networks, realise_linear, same_networks, sum_inputs
from .linear.same import same_up_to_linear_maps
from .linear.xor import Network, network
from .map.hold import HeldWords, held_words, with_raw_words
from .map.merge import Merged, merge_bitwise, merged
from .map.narrow import narrow
from .map.second import SECOND, second_bits, with_second_words
from .map.spread import add_hops, copy_busy, replicate, without_moves
from .map.unread import without_unread
from .sbox.block_ram import boxes_in_block_ram, first_boxes
from .sbox.names import BOTH_BOXES
from .sbox.realise import REALISATIONS, changes, circuit, prove, realise, unfit
from .sbox.share import share_boxes
from .sbox.split import split_tables
from .sbox.tower import SHARED_BASES, WORD_BASES

__all__ = [
    "ADDERS",
    "BOTH_BOXES",
    "KARATSUBA_LEVELS",
    "MULTIPLIERS",
    "PROFILE_ADDERS",
    "REALISATIONS",
    "SECOND",
    "SHARED_BASES",
    "UNIT_CELLS",
    "UNKNOWN",
    "WORD_BASES",
    "CellDelays",
    "Form",
    "Forms",
    "HeldWords",
    "Made",
    "Merged",
    "Network",
    "Product",
    "TimedBit",
    "add_hops",
    "bilinear_forms",
    "boxes_in_block_ram",
    "changes",
    "circuit",
    "common_words",
    "copy_busy",
    "field_product_graph",
    "first_boxes",
    "fuse_linear",
    "held_words",
    "linear_networks",
    "low_product",
    "merge_bitwise",
    "merged",
    "narrow",
    "network",
    "product_circuit",
    "product_forms",
    "profile_add",
    "prove",
    "prove_field_product",
    "prove_product",
    "realise",
    "realise_adders",
    "realise_linear",
    "realise_multipliers",
    "replicate",
    "same_networks",
    "same_up_to_linear_maps",
    "second_bits",
    "share_boxes",
    "split_tables",
    "sum_inputs",
    "unfit",
    "with_raw_words",
    "with_second_words",
    "without_moves",
    "without_unread",
]
