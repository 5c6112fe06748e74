"""Typed ports of a core: what each is for, which protocol it follows, where its bytes are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..rtl import ClockReset, Group, Handshake, Held, Order, Pin, Stream
from .core import PortSet

__all__ = ["CorePorts", "inner_groups", "pins_of"]


def pins_of(key_bits: int, agile: bool, loaded: bool, both: bool, turning: bool) -> tuple[Pin, ...]:
    """Pins of a core with its key of `key_bits` bits: `loaded` by a handshake, or with the block (`agile`),
    or held. `both`: it has both directions, one of which comes with the block (`turning`) or is held.
    """
    direction = (Pin("decrypt_i", with_block=turning),) if both else ()
    if loaded:
        return (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True), *direction)
    return (Pin("key_i", key_bits, with_block=agile), *direction)


def inner_groups(pins: Sequence[Pin], with_block: Iterable[str] = ()) -> tuple[Group, ...]:
    """The ports `pins` of a module inside a core, in groups by their names. with_block: names of inputs that
    belong to the block; all that have no protocol are held.
    """
    by_name = {pin.name: pin for pin in pins}
    payload = [by_name[n] for n in (*with_block, "block_i", "chain_i") if n in by_name]
    results = [by_name[n] for n in ("block_o", "slot_o") if n in by_name]
    groups: list[Group] = [
        ClockReset("clk", "rst_i" if "rst_i" in by_name else ""),
        Stream("valid_i", tuple(payload), "ready_o" if "ready_o" in by_name else ""),
        Stream("valid_o", tuple(results), out=True),
    ]
    for value in ("key", "iv"):
        if f"{value}_valid_i" in by_name:
            groups.append(Handshake(f"{value}_valid_i", by_name[f"{value}_i"], f"{value}_ready_o"))
    grouped = {pin.name for group in groups for pin in group.pins}
    held = tuple(pin for pin in pins if pin.name not in grouped)
    return (*groups, *([Held(held)] if held else []))


_EARLY = "a block that is offered in the next cycle is accepted"


@dataclass(frozen=True)
class CorePorts:
    """The ports of a core by what they are for.

    names: of each port; key_bits, block_bits; slot_bits: of the number of a stream; lanes: blocks in a word;
    with_block: names of ports that belong to the block that is offered in the same cycle; key_lead: cycles
    that a key with the block comes before it.
    """

    names: PortSet
    key_bits: int
    block_bits: int
    lanes: int = 1
    slot_bits: int = 0
    with_block: frozenset[str] = frozenset()
    key_lead: int = 0
    beside_bits: int = 0
    """Bits that go round the core with a block."""
    mode: str = "ecb"
    """Mode of operation, which says what an initial value is."""

    @property
    def groups(self) -> tuple[Group, ...]:
        """All ports, in groups."""
        n = self.names
        held = Held((*self._controls(), *self._states()))
        block = Stream(n.valid_in, self._offered(), n.ready_out, what="a block")
        result = Stream(n.valid_out, self._result(), n.ready_in, True, "a result")
        return (
            ClockReset(n.clk, n.reset),
            *([Handshake(n.key_valid, self._key(), n.key_ready, "a key")] if n.key_valid else []),
            *([Handshake(n.iv_valid, self._iv(), n.iv_ready, "a counter block")] if n.iv_valid else []),
            block,
            result,
            *([held] if held.pins else []),
        )

    @property
    def _order(self) -> Order:
        return Order.LEFT_TO_RIGHT if self.names.ascending else Order.BYTES

    def _key(self) -> Pin:
        bits, meaning = self.key_bits, "key"
        if self.names.ascending:
            bits, meaning = bits // 8 * 7, "key without its parity bits"
        if self.key_lead:
            meaning += ", a cycle before its block"
        return Pin(self.names.key, bits, order=self._order, meaning=meaning)

    def _iv(self) -> Pin:
        first = "initial value: what the first block of a message is chained to"
        meaning = "first counter block of a message" if self.mode == "ctr" else first
        meaning = "first counter block" if self.names.iv_valid else meaning
        return Pin(self.names.iv, self.block_bits, order=Order.BYTES, meaning=meaning)

    def _beside(self) -> Iterable[Pin]:
        """Inputs that are either with the block or held."""
        n = self.names
        if n.decrypt:
            yield Pin(n.decrypt, meaning="the block is decrypted (0: encrypted)")
        if n.key and not n.key_valid:
            yield self._key()
        if n.first:
            yield Pin(n.first, meaning="the block is the first of its message")
        if n.iv and not n.iv_valid:
            yield self._iv()

    def _offered(self) -> tuple[Pin, ...]:
        what = f"{self.lanes} blocks, the first at the top" if self.lanes > 1 else "block"
        block = Pin(self.names.block_in, self.block_bits * self.lanes, order=self._order, meaning=what)
        beside = (p for p in self._beside() if p.name in self.with_block)
        return (
            *beside,
            block,
            *self._around(self.names.beside_in, False, "comes back with the block's result"),
        )

    def _result(self) -> tuple[Pin, ...]:
        n = self.names
        what = "results" if self.lanes > 1 else "result"
        block = Pin(n.block_out, self.block_bits * self.lanes, True, order=self._order, meaning=what)
        turn = "" if n.ready_in else ", and that may offer a block"
        slot = f"number of the stream whose result is offered{turn}"
        return (
            block,
            *([Pin(n.slot, self.slot_bits, True, meaning=slot)] if n.slot else []),
            *self._around(n.beside_out, True, "came with the block"),
        )

    def _around(self, name: str, out: bool, meaning: str) -> Iterable[Pin]:
        """The port of what goes round the core, if it has this name."""
        if name:
            yield Pin(name, self.beside_bits, out, meaning=meaning)

    def _controls(self) -> Iterable[Pin]:
        yield from (p for p in self._beside() if p.name not in self.with_block)
        if self.names.zeroise:
            yield Pin(self.names.zeroise, meaning="one cycle clears keys, counter blocks and blocks")

    def _states(self) -> Sequence[Pin]:
        n = self.names
        busy = "a block is in flight, a key is expanded, or everything is being cleared"
        turn = "number of the stream that may offer a block"
        return (
            *([Pin(n.busy, out=True, meaning=busy)] if n.busy else []),
            *([Pin(n.early, out=True, meaning=_EARLY)] if n.early else []),
            *([Pin("slot_o", self.slot_bits, True, meaning=turn)] if n.slot and n.ready_in else []),
        )
