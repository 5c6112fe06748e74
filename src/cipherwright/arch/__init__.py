"""Architectures: how a cipher's rounds become a datapath, and its key schedule a unit of its own."""

from .form import Form
from .forms import form_of, held_form_of
from .ghash import FieldMultiplier, field_multiplier
from .graphs import (
    KeyChoice,
    Unscheduled,
    choosing,
    constant_inputs,
    key_choices,
    key_prefixes,
    maps_of,
    rows_of,
    second_apart,
    unscheduled,
)
from .key_memory import KeyMemory
from .key_unit import Expansion, KeyParts, expansion
from .loop import Loop, fold, fold_held, fold_narrow, fold_read
from .rewrites import Rewritten, rewritten, widest_table
from .stages import KeyWords, Scheduled, Timing, lowered, placed, unplaced, waiting
from .unrolled import describe, key_parts, never_second

__all__ = [
    "Expansion",
    "FieldMultiplier",
    "Form",
    "KeyChoice",
    "KeyMemory",
    "KeyParts",
    "KeyWords",
    "Loop",
    "Rewritten",
    "Scheduled",
    "Timing",
    "Unscheduled",
    "choosing",
    "constant_inputs",
    "describe",
    "expansion",
    "field_multiplier",
    "fold",
    "fold_held",
    "fold_narrow",
    "fold_read",
    "form_of",
    "held_form_of",
    "key_choices",
    "key_parts",
    "key_prefixes",
    "lowered",
    "maps_of",
    "never_second",
    "placed",
    "rewritten",
    "rows_of",
    "second_apart",
    "unplaced",
    "unscheduled",
    "waiting",
    "widest_table",
]
