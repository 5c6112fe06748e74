"""The keys of units, where they come with unit numbers: each goes where its unit's tweak goes."""

from __future__ import annotations

from ...rtl import Clocked, Let, Note, Reg, Step, Store, Wire, WrapperItem, concatenated
from ..copies import copies, loads, spread
from .ports import XtsOptions
from .timing import TWEAKS
from .turns import ADDRESS

__all__ = ["KEY_WAITS", "PIECE", "keys_of_units"]

PIECE = 32
"""Bits of a tweak or a key that one memory holds."""

KEY_WAITS = {"key_i": "key_wait", "key_late_o": "key_late_0"}
"""What waits beside the cipher, where keys come with unit numbers."""


def keys_of_units(options: XtsOptions) -> tuple[WrapperItem, ...]:
    """The keys of units, where they come with their numbers; options: what the core can do. A number goes
    through the cipher under K2, and K1 waits beside it; when its tweak is there, K1 goes where the tweak
    goes. A block goes under the K1 of its unit, which waits beside it again, for a stolen block.
    """
    bits, half = options.key_bits, options.half
    first, second = f"key_number[{bits - 1}:{half}]", f"key_number[{half - 1}:0]"
    return (
        Note("Keys as they come with unit numbers; K1 of the next unit and of the current one."),
        Reg(("key_1", "key_2", "key_number"), bits),
        Reg(("key_after", "key_now", "key_wait", "key_own", "key_late", "key_again", "key_again_1"), half),
        Reg(("key_q",), half),
        Wire(("key_late_0",), half),
        *(_key_of_a_run(bits) if options.counted else ()),
        *copies("take_key", "announced", bits),
        *_key_memory(half),
        *copies("next_key", "next_0", half),
        *copies("load_key", "load_0", half),
        Note("A block's K1 or a number's K2, and what waits: K1 of both."),
        *copies("key_data_2", "data_0", half),
        *copies("key_data_2w", "data_0", half),
        *copies("key_again_3", "again_2", half),
        *copies("key_cap", "stolen_0", half),
        Clocked(
            (
                Step("key_1", "key_run" if options.counted else "key_i"),
                Step("key_2", "key_1"),
                *loads("key_number", "key_2", "take_key", bits),
                *loads("key_after", "key_stored", "next_key", half),
                *loads("key_now", "key_after", "load_key", half),
                Step("key_own", _chosen("key_data_2", "key_now", second, half)),
                Step("key_wait", _chosen("key_data_2w", "key_now", first, half)),
                Step("key_late", "key_late_0"),
                *loads("key_again", "key_late", "key_cap", half),
                Step("key_again_1", "key_again"),
                Step("key_q", _chosen("key_again_3", "key_again_1", "key_own", half)),
            )
        ),
    )


def _chosen(which: str, one: str, other: str, bits: int) -> str:
    """A choice between two words, by copies of a bit."""
    chosen = spread(which, bits)
    return f"({chosen} & {one}) | (~{chosen} & {other})"


def _key_of_a_run(bits: int) -> tuple[WrapperItem, ...]:
    """The key of a run of units stays as long as the run."""
    return (
        Reg(("key_0", "key_run"), bits),
        *copies("take_run", "start | drop_i", bits),
        Clocked((Step("key_0", "key_i"), *loads("key_run", "key_0", "take_run", bits))),
    )


def _key_memory(half: int) -> tuple[WrapperItem, ...]:
    """K1 of the units whose tweaks wait in the memories, at the same addresses and times."""
    cut = [(low, min(low + PIECE, half) - 1) for low in range(0, half, PIECE)]
    count = len(cut)
    copied = 16 * count
    wires = [w for bit in range(ADDRESS) for w in copies(f"read_key_{bit}", f"read_at[{bit}]", copied)]
    at = [concatenated(f"read_key_{b}[{k}]" for b in range(ADDRESS)) for k in range(count)]
    return (
        *(Store(f"keys_{k}", high - low + 1, TWEAKS, "distributed") for k, (low, high) in enumerate(cut)),
        *wires,
        *(Let(f"at_key_{k}", where, ADDRESS) for k, where in enumerate(at)),
        *(Reg((f"put_{k}",), ADDRESS) for k in range(count)),
        *copies("push_key", "push_0 & ~rst_i", copied),
        Let("key_stored", concatenated(f"keys_{k}[at_key_{k}]" for k in range(count)), half),
        Clocked(
            tuple(
                Step(f"keys_{k}[put_{k}]", f"key_late[{high}:{low}]", f"push_key[{k}]")
                for k, (low, high) in enumerate(cut)
            )
        ),
        *(
            Clocked(
                (Step(f"put_{k}", f"put_{k} + {ADDRESS}'d1", f"push_key[{k}]"),),
                ((f"put_{k}", f"{ADDRESS}'d0"),),
            )
            for k in range(count)
        ),
    )
