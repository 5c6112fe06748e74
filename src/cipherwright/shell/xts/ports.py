"""Ports of a word and of a unit number, of results, and of a whole core of XTS."""

from __future__ import annotations

from dataclasses import dataclass

from ...rtl import ClockReset, Group, Handshake, Held, Order, Pin, Stream
from ..core import PortSet
from ..slot_control import SLOT_PORTS, loaded_by_slot
from .timing import KEEP

__all__ = [
    "COUNTED_PORTS",
    "MORE",
    "NUMBER",
    "OFFERED",
    "PENDING",
    "RESULTS",
    "UNIT_PORTS",
    "UNIT_SLOT",
    "XtsOptions",
    "key_group",
    "number_group",
    "port_groups",
    "unit_ports",
    "word_pins",
    "xts_ports",
]


@dataclass(frozen=True)
class XtsOptions:
    """What a core of XTS can do.

    key_bits: of both halves of the key; both: the core decrypts as well; distinct: no unit is taken under a
    key whose halves are equal; counted: the core counts the numbers of a run of units; slots: resident keys,
    0 where a key comes with every unit number.
    """

    key_bits: int
    both: bool
    distinct: bool = False
    counted: bool = False
    slots: int = 1

    @property
    def travels(self) -> bool:
        """Whether a key comes with every unit number, or with every run of them."""
        return self.slots == 0

    @property
    def half(self) -> int:
        """Bits of K1, and of K2."""
        return self.key_bits // 2


_KEPT = f"bit {KEEP - 1} is 1 where byte 0 of the word is there, bit 0 for its last byte"

_DECRYPT = Pin("decrypt_i", with_block=True, meaning="the unit is decrypted (0: encrypted)")

NUMBER = Pin(
    "unit_i", 128, order=Order.BYTES, meaning="number of a unit, the 16 bytes of SP 800-38E's tweak input"
)

MORE = Pin("unit_more_i", 32, meaning="how many units follow with the next numbers (0: this one alone)")
"""What a core that counts is announced with the first number of a run of units."""

UNIT_SLOT = Pin(
    SLOT_PORTS["key_slot"], meaning="the slot of the unit's key, read in the cycle before the number is taken"
)
"""What goes with a number besides, where two keys are resident."""

OFFERED = Pin("offered_i", meaning="a key is offered: no other unit is announced")
"""What the mode is told beside the key that is taken."""

PENDING = Pin("pending_o", out=True, meaning="a unit was announced whose last word was not taken")
"""What it tells beside its results."""

RESULTS = (
    Pin("keep_o", KEEP, True, meaning=f"bytes of the result; the others are 0: {_KEPT}"),
    Pin("last_o", out=True, meaning="a result of the unit's last word"),
    Pin(
        "late_o",
        out=True,
        meaning="a result of the last whole word of a unit with a short one, whose other results are out",
    ),
)
"""What leaves with a word."""

UNIT_PORTS = {
    "keep_in": "keep_i",
    "last_in": "last_i",
    "unit_valid": "unit_valid_i",
    "unit": "unit_i",
    "unit_ready": "unit_ready_o",
    "keep_out": "keep_o",
    "last_out": "last_o",
    "late": "late_o",
}
"""What a port of a unit is for -> its name, beside those of the core."""


COUNTED_PORTS = {**UNIT_PORTS, "unit_more": MORE.name}
"""The same of a core that counts the numbers of a run of units."""


def unit_ports(options: XtsOptions) -> dict[str, str]:
    """What a port of a unit is for -> its name, in a core with `options`."""
    return COUNTED_PORTS if options.counted else UNIT_PORTS | (SLOT_PORTS if options.slots > 1 else {})


def number_group(options: XtsOptions) -> Group:
    """What is announced: a unit's number, or that of the first unit of a run, as `options` say, with its key
    or its slot.
    """
    n, r = UNIT_PORTS["unit_valid"], UNIT_PORTS["unit_ready"]
    if options.travels:
        more = (MORE,) if options.counted else ()
        what = "a run of units and its key" if options.counted else "a unit number and its key"
        return Stream(n, (NUMBER, *more, _key_pin(options)), r, what=what)
    if options.counted:
        return Stream(n, (NUMBER, MORE), r, what="a run of units")
    if options.slots > 1:
        return Stream(n, (NUMBER, UNIT_SLOT), r, what="a unit number")
    return Handshake(n, NUMBER, r, what="a unit number")


def key_group(options: XtsOptions, what: str = "") -> tuple[Group, ...]:
    """The ports of a key that is held, which are for `what`: none where keys come with unit numbers, as
    `options` say.
    """
    if options.travels:
        return ()
    key, beside = _key_pin(options), loaded_by_slot(options.slots)
    return (Handshake("key_valid_i", key, "key_ready_o", what=what, beside=beside),)


def word_pins(both: bool) -> tuple[Pin, ...]:
    """What goes with a word that is offered. both: the core decrypts as well."""
    return (
        Pin("keep_i", KEEP, with_block=True, meaning=f"bytes of the word, from the left: {_KEPT}"),
        Pin("last_i", with_block=True, meaning="the unit ends with this word"),
        *((_DECRYPT,) if both else ()),
    )


def _key_pin(options: XtsOptions) -> Pin:
    """The port of a key."""
    meaning = "key: K1 of the data, then K2 of the unit numbers"
    return Pin("key_i", options.key_bits, order=Order.BYTES, meaning=meaning)


def xts_ports(options: XtsOptions) -> PortSet:
    """Names of the ports, by meaning, of a core with `options`."""
    return PortSet(
        ready_out="ready_o",
        decrypt=_DECRYPT.name if options.both else "",
        key_valid="" if options.travels else "key_valid_i",
        key_ready="" if options.travels else "key_ready_o",
        busy="busy_o",
        zeroise="zeroise_i",
    )


def port_groups(options: XtsOptions, more: tuple[Pin, ...] = ()) -> tuple[Group, ...]:
    """All ports of a core with `options`, in groups. more: outputs of its control beside them."""
    both, n = options.both, xts_ports(options)
    expands = "" if options.travels else "a key is expanded, "
    busy = f"a unit was announced or is in flight, {expands}or everything is being cleared"
    block = Pin(n.block_in, 128, order=Order.BYTES, meaning="word of a unit")
    result = Pin(n.block_out, 128, True, order=Order.BYTES, meaning="word of the result")
    return (
        ClockReset(n.clk, n.reset),
        *key_group(options, "a key"),
        number_group(options),
        Stream(n.valid_in, (*word_pins(both), block), n.ready_out, what="a word"),
        Stream(n.valid_out, (result, *RESULTS), out=True, what="a word of the result"),
        Held(
            (
                Pin(n.zeroise, meaning="one cycle clears keys, unit numbers, units and tweaks"),
                Pin(n.busy, out=True, meaning=busy),
                *more,
            )
        ),
    )
