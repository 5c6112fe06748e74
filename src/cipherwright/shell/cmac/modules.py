"""The modules of a core of CMAC, and its timing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...cipher.cmac import R_B
from ...rtl import (
    Cell,
    ClockReset,
    Handshake,
    Held,
    Part,
    Pin,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
)
from ...spec import Datapath
from ..control import Control, Controlled, ControlTimes, core_control
from ..keys import KeyUnit, keyed_top
from ..message_core import inner_name, message_fifo, places_kept, zeroising
from ..stream import Fifo
from .ports import MAC_PORTS, port_groups, word_pins

__all__ = ["MAC_FILE", "CmacModules", "CmacTiming", "cmac_modules"]

MAC_FILE = "cipherwright_mac.sv"

_BITS = 9
"""Flip-flops of the hand-written module beside its two words."""


@dataclass(frozen=True)
class CmacTiming:
    """Cycles of a core. cipher: from a block to its result.

    >>> CmacTiming(11).latency, CmacTiming(11).interval, CmacTiming(11).longest
    (12, 12, 22)
    """

    cipher: int

    @property
    def latency(self) -> int:
        """From accepting a message's last word, where nothing is in the loop, to its tag."""
        return self.cipher + 1

    @property
    def interval(self) -> int:
        """From one block to the next."""
        return self.cipher + 1

    @property
    def longest(self) -> int:
        """From accepting a word to the result of its block, at most: the word before has just begun."""
        return 2 * self.cipher

    @property
    def subkeys(self) -> int:
        """In which the subkeys are made, after a key is expanded."""
        return self.cipher + 1


@dataclass(frozen=True)
class CmacModules:
    """What is around the loop `TOP_core`, in the order of use: the loop with its key unit (`keyed`), the
    `mode`, the `control` of keys and the `top`; the hand-written module of the mode (`written`); the FIFO of
    a bus around the core, by name (`fifos`). `timing`: its cycles.
    """

    timing: CmacTiming
    keyed: Wrapper
    mode: Wrapper
    written: WrittenModule
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]


def cmac_modules(top: str, loop: Part, unit: KeyUnit, spec: Datapath, tag_bits: int) -> CmacModules:
    """The modules that make a loop, with its key unit, a core of CMAC with the name `top`, as `spec` asks for
    it.

    loop: of blocks of 64 or 128 bits, with its rate; unit: its key unit; tag_bits: of the tag that are shown.
    Raises UserError where a FIFO is too small.
    """
    assert loop.rate is not None
    timing, block_bits, key_bits = CmacTiming(loop.rate.latency), loop.pins["block_i"].width, spec.key_bits
    fifos = {"tag": message_fifo(spec, timing.longest, timing.interval)} if spec.streams else {}
    key = (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True))
    control = core_control(
        f"{top}_control",
        Controlled(f"{top}_cmac", (*key, *word_pins(block_bits)), block_bits),
        ControlTimes(
            timing.longest + 1,
            max(unit.flush, timing.longest + 2),
            unit.cycles + timing.subkeys + 1,
            places_kept(fifos),
        ),
    )
    return CmacModules(
        timing,
        keyed_top(f"{top}_ecb", loop, unit),
        _mode(top, key_bits, block_bits, tag_bits),
        WrittenModule(MAC_FILE.removesuffix(".sv"), (), 2 * block_bits + _BITS),
        control,
        _top((top, inner_name(spec)), key_bits, block_bits, tag_bits, zeroising(fifos)),
        fifos,
    )


def _mode(top: str, key_bits: int, block_bits: int, tag_bits: int) -> Wrapper:
    """The loop with its key unit, and the chain around it. A key is complete when its subkeys are there."""
    words = word_pins(block_bits)
    loop = {n: n for n in ("clk", "rst_i", "key_valid_i", "key_i", "fill_i", "wipe_i")}
    loop |= {"key_ready_o": "expanded", "valid_i": "asks", "block_i": "asked", "ready_o": "core_ready"}
    loop |= {"valid_o": "done", "block_o": "result"}
    chain = {n: n for n in ("clk", "rst_i", "drop_i", "open_i", "valid_i", "block_i", "ready_o", "inside_o")}
    chain |= {p.name: p.name for p in words}
    chain |= {"renew_i": "key_valid_i | wipe_i", "expanded_i": "expanded", "complete_o": "key_ready_o"}
    chain |= {"tag_valid_o": "valid_o", "tag_o": "block_o"}
    chain |= {"core_valid_o": "asks", "core_block_o": "asked", "core_ready_i": "core_ready"}
    chain |= {"core_valid_i": "done", "core_block_i": "result"}
    parameters: dict[str, int | str] = {"WIDTH": block_bits, "BYTES": block_bits // 8}
    parameters |= {"RB": R_B[block_bits], "TAG_BITS": tag_bits}
    return Wrapper(
        f"{top}_cmac",
        (
            "CMAC around a loop: the tag of one message after the other.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), Pin("inside_o", out=True))),
            Stream("valid_i", (*words, Pin("block_i", block_bits)), "ready_o"),
            Stream("valid_o", (Pin("block_o", block_bits, True),), out=True),
        ),
        (
            Wire(("expanded", "asks", "core_ready", "done")),
            Wire(("asked", "result"), block_bits),
            Cell(f"{top}_ecb", "u_core", loop),
            Cell(MAC_FILE.removesuffix(".sv"), "u_chain", chain, parameters),
        ),
    )


def _top(
    names: tuple[str, str], key_bits: int, block_bits: int, tag_bits: int, more: tuple[Pin, ...]
) -> Wrapper:
    """The core under the names of its ports. names: of the core and of this module; more: outputs of its
    control.
    """
    (top, name), groups = names, port_groups(key_bits, block_bits, tag_bits, more)
    n = MAC_PORTS
    inner = {n.valid_out: "valid_o", n.block_out: "block_o"}
    pins = [pin.name for group in groups for pin in group.pins]
    return Wrapper(
        name,
        ("A key that is offered within a message is taken after the message's end.",),
        groups,
        (Cell(f"{top}_control", "u_core", {inner.get(pin, pin): pin for pin in pins}),),
    )
