"""The key-expansion unit of a loop: the key schedule, one round key an iteration, and the memories from which
the loop reads round keys by address.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arch import Expansion, KeyMemory
from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Let,
    Pin,
    Reg,
    Step,
    Store,
    Wire,
    Wrapper,
)
from .keys import DRAIN, KeyUnit

__all__ = ["memory_unit"]

_THERE = 3
"""Cycles from the last word of the schedule to key_ready_o: the word is registered, written, and read."""

_COMMENT = (
    "Round keys, made once for a key that is taken when key_valid_i and key_ready_o are both 1, and written "
    "to memories, one for each word that the loop reads in a cycle. key_ready_o tells that all are there. "
    "While zeroise_i is 1, in at least as many cycles as the schedule has stages, a key of zeros is taken in "
    "all of them; then it is expanded, over all that the memories hold.",
)


def memory_unit(name: str, loop: str, e: Expansion, memory: KeyMemory, stages: int, key_bits: int) -> KeyUnit:
    """The module `name` around the loop `loop` of `stages` stages, the key schedule, which makes every round
    key as it is. e: that loop as it was described; memory: which round key is at which address, and which are
    in registers; key_bits: of the key.
    """
    bits, tag_bits = memory.address_bits, e.tag_bits
    fixed = tuple(Pin(f"{memory.user(n)}_o", memory.width, True, register=True) for n in memory.fixed)
    reads = [
        pin
        for i in range(memory.reads)
        for pin in (Pin(f"address{i}_i", bits), Pin(f"word{i}_o", memory.width, True))
    ]
    loads = [
        Step(f"{memory.user(n)}_o", "data", f"write & place == {bits}'d{memory.address(n)}")
        for n in memory.fixed
    ]
    wrapper = Wrapper(
        name,
        _COMMENT,
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("zeroise_i"), *reads, *fixed)),
        ),
        (
            Reg(("idle", "wipe", "write")),
            Reg(("done",), _THERE - 1),
            Let("take", "(key_valid_i & idle) | wipe"),
            Wire(("last",)),
            Wire(("tag",), tag_bits),
            Wire(("word",), memory.width),
            Cell(loop, "u_schedule", _schedule_links()),
            Reg(("place",), bits),
            Reg(("data",), memory.width),
            Clocked((*_moves(tag_bits, bits), *loads)),
            *_memories(name, memory),
            Drive("key_ready_o", "idle"),
        ),
    )
    return KeyUnit(
        (_memory(name, memory), wrapper),
        e.iterations * stages + _THERE,
        {memory.user(n): memory.width for n in memory.fixed},
        flush=stages + _THERE + 1 + DRAIN,
        memory=memory,
    )


def _memory(name: str, memory: KeyMemory) -> Wrapper:
    """One of the memories of the unit `name`."""
    bits, width = memory.address_bits, memory.width
    writes = (Pin("write_i"), Pin("place_i", bits), Pin("data_i", width))
    word = Pin("word_o", width, out=True, register=memory.late > 0)
    write = Step("words[place_i]", "data_i", "write_i")
    read = "words[address_i]"
    when = "one clock edge after it" if memory.late else "in its cycle"
    return Wrapper(
        f"{name}_memory",
        (f"Round keys of a loop: an address, and its word {when}.",),
        (ClockReset(reset=""), Held((*writes, Pin("address_i", bits), word))),
        (
            Store("words", width, 1 << bits, "distributed"),
            Clocked((write, Step("word_o", read)) if memory.late else (write,)),
            *([] if memory.late else [Drive("word_o", read)]),
        ),
    )


def _schedule_links() -> dict[str, str]:
    links = {"clk": "clk", "rst_i": "rst_i", "valid_i": "take", "key_i": "key_i", "zeroise_i": "wipe"}
    return links | {"tag_o": "tag", "last_o": "last", "word_o": "word"}


def _moves(tag_bits: int, bits: int) -> Sequence[Step]:
    """Control, and a word on its way to the memories."""
    return (
        Step("wipe", "zeroise_i & ~rst_i"),
        Step("done", f"rst_i ? {_THERE - 1}'d0 : {{done[{_THERE - 3}:0], last}}"),
        Step("idle", f"rst_i | (~zeroise_i & (done[{_THERE - 2}] | (idle & ~key_valid_i)))"),
        Step("write", f"~rst_i & tag != {tag_bits}'d0"),
        Step("place", f"tag[{bits - 1}:0]"),
        Step("data", "word"),
    )


def _memories(name: str, memory: KeyMemory) -> Sequence[Cell]:
    given = {"clk": "clk", "write_i": "write", "place_i": "place", "data_i": "data"}
    return [
        Cell(
            f"{name}_memory",
            f"u_memory{i}",
            given | {"address_i": f"address{i}_i", "word_o": f"word{i}_o"},
        )
        for i in range(memory.reads)
    ]
