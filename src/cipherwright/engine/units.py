"""Key-expansion units: the loop that is derived from a cipher, or the cipher's own form of the unit."""

from __future__ import annotations

from dataclasses import replace

from .. import arch
from ..arch import KeyParts, Scheduled, Timing
from ..shell import BuiltUnit, loop_unit, module_name
from ..spec import Datapath
from .base import KeyStore
from .mars import MARS_KEY_STORE

__all__ = ["KEY_STORES", "key_parts", "unit_for"]

KEY_STORES: dict[str, KeyStore] = {store.cipher: store for store in (MARS_KEY_STORE,)}
"""Key-expansion units over a store of words, by the name of their cipher."""


def key_parts(spec: Datapath) -> KeyParts | None:
    """What a key-expansion unit divides the cipher of `spec` into (`arch.key_parts`), with the proof of a
    unit of its own form; None where the spec has no unit.
    """
    parts = arch.key_parts(spec)
    store = KEY_STORES.get(spec.cipher)
    return replace(parts, proof=store.prove) if parts and store else parts


def unit_for(spec: Datapath, datapath: Scheduled, timing: Timing) -> BuiltUnit:
    """The unit that makes the round keys of `datapath`, which is scheduled for `spec`, as fast as its stages
    where the unit's logic allows that. timing: the delays of the target. Of the cipher's own form where
    `KEY_STORES` has one.
    """
    store = KEY_STORES.get(spec.cipher)
    if store is None:
        return loop_unit(spec, datapath, timing)
    name, back = f"{module_name(spec.name)}_keys", spec.cipher_direction == "decrypt"
    ram, period = spec.sbox == "block_ram", datapath.schedule.period
    return BuiltUnit(store.build(name, spec.key_bits, back, ram, timing.model, period))
