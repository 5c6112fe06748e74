"""Modes of operation around a core: chaining around a loop, the block before beside a pipeline, a counter
in front of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..cipher.modes import CHAIN_MODES
from ..errors import UserError
from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Held,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    WrittenModule,
    through,
)
from .counter import (
    COUNTER_BLOCK,
    COUNTER_FILE,
    COUNTER_RANKS,
    LANE_COUNTER_FILE,
    LANE_LOAD_FLIP_FLOPS,
    counter_flip_flops,
    lane_counter_flip_flops,
    lane_ranks,
    lane_relay_flip_flops,
)
from .written import written_module

__all__ = ["CHAIN_FILE", "Around", "Layer", "chain_layer", "counter_layer", "previous_layer"]

CHAIN_FILE = "cipherwright_chain.sv"
_FORGETS = (Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"))
"""While drop_i is 1 everything from before is being forgotten; with wipe_i a key of zeros is taken, with
fill_i every slot of a loop takes what is presented.
"""

_OPEN = Pin("open_i")
"""The control takes blocks: where this, valid_i and ready_o are 1."""

_DIRECTIONS = ("encrypt", "decrypt", "both")


@dataclass(frozen=True)
class Around:
    """Where a mode goes: into the module `name` around `inner`, which has the pins `pins` beside its
    blocks of `block_bits`. held: the key is expanded and held inside, and everything is forgotten with
    drop_i, wipe_i and, in a loop, fill_i.
    """

    name: str
    inner: str
    pins: tuple[Pin, ...]
    block_bits: int
    held: bool


@dataclass(frozen=True)
class Layer:
    """A module around another, its pins in place of the inner ones, the hand-written file that it needs ("":
    none), and the flip-flops of that file's modules in it (`written_flip_flops`); `slot_bits` of the number
    of the active stream (0: there is only one).
    """

    module: Wrapper
    pins: tuple[Pin, ...]
    file: str
    written_flip_flops: int
    slot_bits: int = 0
    declared: tuple[WrittenModule, ...] = ()
    """The hand-written modules as they are declared. Of several, synthesis takes some of the flip-flops
    away.
    """

    @property
    def written(self) -> tuple[WrittenModule, ...]:
        """The hand-written modules in it."""
        return self.declared

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the module and of the hand-written ones in it."""
        return self.module.flip_flops + self.written_flip_flops


def _ports(pins: Sequence[Pin], block_bits: int, ready: bool) -> tuple[Group, ...]:
    return (
        ClockReset(),
        Held(tuple(pins)),
        Stream("valid_i", (Pin("block_i", block_bits),), "ready_o" if ready else ""),
        Stream("valid_o", (Pin("block_o", block_bits, True),), out=True),
    )


def _through(inside: Sequence[Pin]) -> dict[str, str]:
    """Links of an inner module whose pins are handed through, with clock and reset."""
    return through(inside) | {"clk": "clk", "rst_i": "rst_i"}


def _pieces(block_bits: int, count: int, iterations: int) -> int:
    """In how many pieces a counter block is counted within a block's iterations."""
    pieces = 8
    while pieces > iterations - 1:
        pieces //= 2
    if pieces < 2 or block_bits % pieces or count % (block_bits // pieces):
        raise UserError(
            f"a loop of {iterations} iterations is too short for a counter of {count} bits; take fewer "
            f"rounds_per_cycle"
        )
    return pieces


def chain_layer(around: Around, mode: str, direction: str, slots: int, iterations: int, count: int) -> Layer:
    """`mode` around a loop that has `slots` blocks in flight, each of `iterations` cycles of all slots: as
    many streams of blocks. around: where the mode goes; direction: encrypt, decrypt or both; count: bits of a
    counter block that count, in mode ctr.
    """
    block_bits, inside, held = around.block_bits, around.pins, around.held
    both = direction == "both"
    counting = mode == "ctr"
    count = min(count, block_bits)
    pieces = _pieces(block_bits, count, iterations) if counting else 1
    slot_bits, left = (slots - 1).bit_length(), pieces.bit_length()
    others = [p for p in inside if p.name != "decrypt_i"]
    way = [Pin("decrypt_i", with_block=True)] if both else []
    pins = [*others, *way, Pin("first_i", with_block=True), Pin("iv_i", block_bits, with_block=True)]
    shown = [Pin("slot_o", slot_bits, True)] if slot_bits else []
    links = _through([*inside, *(_FORGETS[1:] if held else ())])
    links |= {
        "valid_i": "valid_i",
        "block_i": "core_block",
        "ready_o": "ready_o",
        "valid_o": "valid_o",
        "block_o": "result",
    }
    parameters = {
        "WIDTH": block_bits,
        "SLOTS": slots,
        "SLOT_BITS": max(1, slot_bits),
        "MODE": CHAIN_MODES.index(mode),
        "DIRECTION": _DIRECTIONS.index(direction),
        "COUNT": count,
        "PIECES": pieces,
        "LEFT_BITS": left,
    }
    chain = {
        "clk": "clk",
        "rst_i": "rst_i",
        "zeroise_i": "drop_i" if held else "1'b0",
        "valid_i": "valid_i & ready_o",
        "first_i": "first_i",
        "decrypt_i": "decrypt_i" if both else "1'b0",
        "iv_i": "iv_i",
        "block_i": "block_i",
        "slot_o": "slot_o" if slot_bits else "slot",
        "block_o": "block_o",
        "core_block_o": "core_block",
        "core_valid_i": "valid_o",
        "core_block_i": "result",
    }
    streams = (
        (
            f"{slots} streams, interleaved: slot_o is the number of the stream that may offer a block and "
            f"whose result leaves."
        )
        if slots > 1
        else "One stream of blocks."
    )
    begins = "whose counter block is iv_i." if counting else "which is chained to iv_i."
    comment = (
        f"{mode.upper()} around a loop. {streams}",
        f"first_i goes with the first block of a message, {begins}",
    )
    alone = () if slot_bits else (Wire(("slot",), lint="with one stream its number is of no use."),)
    module = Wrapper(
        around.name,
        comment,
        _ports([*(_FORGETS if held else ()), *pins, *shown], block_bits, True),
        (
            Wire(("core_block", "result"), block_bits),
            *alone,
            Cell(around.inner, "u_core", links),
            Cell("cipherwright_chain", "u_chain", chain, parameters),
        ),
    )
    words = block_bits * (2 if counting or (mode == "cbc" and direction != "encrypt") else 1)
    control = both and mode in ("cbc", "cfb")
    flip_flops = slots * (words + control + (left + 1 if counting else 0)) + slot_bits
    written = written_module(CHAIN_FILE, _chain_ports(block_bits, max(1, slot_bits)), flip_flops)
    return Layer(module, (*pins, *shown), CHAIN_FILE, flip_flops, slot_bits, (written,))


def _chain_ports(block_bits: int, slot_bits: int) -> tuple[Group, ...]:
    """Ports of the hand-written chaining of blocks; the number of a slot has `slot_bits`."""
    block = Pin("block_i", block_bits)
    return (
        ClockReset(),
        Held((Pin("zeroise_i"), Pin("slot_o", slot_bits, True), Pin("block_o", block_bits, True))),
        Stream("valid_i", (Pin("first_i"), Pin("decrypt_i"), Pin("iv_i", block_bits), block)),
        Held((Pin("core_block_o", block_bits, True),)),
        Stream("core_valid_i", (Pin("core_block_i", block_bits),)),
    )


def previous_layer(around: Around, mode: str) -> Layer:
    """CBC or CFB decryption (`mode`) by a pipeline: a block a cycle, since what is chained to is what came in
    before (SP 800-38A, sections 6.2 and 6.3). around: where the mode goes.
    """
    block_bits, inside, held = around.block_bits, around.pins, around.held
    pins = (*inside, Pin("first_i", with_block=True), Pin("iv_i", block_bits, with_block=True))
    links = _through([*inside, *(_FORGETS[1:2] if held else ())])
    links |= {
        "valid_i": "valid_i",
        "block_i": "block_i",
        "chain_i": "first_i ? iv_i : last_q",
        "valid_o": "valid_o",
        "block_o": "block_o",
    }
    first = "first_i goes with the first block of a message, which is chained to iv_i."
    module = Wrapper(
        around.name,
        (f"{mode.upper()} decryption. {first}",),
        _ports([*(_FORGETS[:2] if held else ()), *pins], block_bits, False),
        (
            Reg(("last_q",), block_bits),
            Clocked((Step("last_q", "block_i", "valid_i | drop_i" if held else "valid_i"),)),
            Cell(around.inner, "u_core", links),
        ),
    )
    return Layer(module, pins, "", 0)


@dataclass(frozen=True)
class _CounterBlock:
    """How a counter block of `bits` is linked to the counter's 128: what the counter takes and shows, and
    what is beside it. Of a shorter block the counter's upper bits are constant. Of a longer block the upper
    bits do not count; they wait in registers until the counter shows the rest. `held`: the key is held, and
    everything can be forgotten.
    """

    bits: int
    held: bool

    @property
    def taken(self) -> str:
        if self.bits < COUNTER_BLOCK:
            return f"{{{COUNTER_BLOCK - self.bits}'d0, iv_i}}"
        return "iv_i" if self.bits == COUNTER_BLOCK else f"iv_i[{COUNTER_BLOCK - 1}:0]"

    def shown(self, lane: int, lanes: int) -> str:
        if self.bits < COUNTER_BLOCK:
            return "whole"
        low = self.bits * (lanes - 1 - lane)
        return f"count[{low + COUNTER_BLOCK - 1}:{low}]"

    @property
    def items(self) -> tuple[WrapperItem, ...]:
        """What stands beside the counter in its module."""
        if self.bits < COUNTER_BLOCK:
            return (
                Wire(("whole",), COUNTER_BLOCK, "a block has fewer bits than the counter."),
                Drive("count", f"whole[{self.bits - 1}:0]"),
            )
        above = self.bits - COUNTER_BLOCK
        if not above:
            return ()
        ranks = range(COUNTER_RANKS)
        taken = f"iv_valid_i & iv_ready_o{' | wiped' if self.held else ''}"
        return (
            Note(f"Bits {self.bits - 1} to {COUNTER_BLOCK} of a counter block stay what they are."),
            *([Reg(("wiped",))] if self.held else []),
            Reg(tuple(f"above_{k}" for k in ranks), above),
            Clocked(
                (
                    *([Step("wiped", "wipe_i")] if self.held else []),
                    Step("above_0", f"iv_i[{self.bits - 1}:{COUNTER_BLOCK}]", taken),
                    *(Step(f"above_{k}", f"above_{k - 1}") for k in ranks[1:]),
                )
            ),
            Drive(f"count[{self.bits - 1}:{COUNTER_BLOCK}]", f"above_{COUNTER_RANKS - 1}"),
        )


def _lane_counters(block: _CounterBlock, count: int, held: bool, lanes: int) -> tuple[WrapperItem, ...]:
    """The counters of several lanes, `iv_ready_o` and `ready_o`. What the front takes goes from rank to
    rank.
    """
    clocked = {"clk": "clk", "rst_i": "rst_i"}
    wipe = "wipe_i" if held else "1'b0"
    ranks = lane_ranks(lanes)
    front = {"zeroise_i": wipe, "iv_valid_i": "iv_valid_i", "iv_ready_o": "iv_ready_o", "loaded_o": "ready_o"}
    front |= {"taken_o": "begun", "load_o": "begins"}
    items: list[WrapperItem] = [
        Note("The front says when a counter block or a block is taken. The lanes hear of it rank by rank."),
        Wire(("begun",), lint="the lanes load at times of their own."),
        Wire(("begins",), 8, "the lanes load at times of their own."),
        Wire(("pass_take", "pass_wipe", "pass_step"), lanes, "the last lane passes nothing on."),
        Wire(("take", "wipe", "step"), lanes),
        Cell("cipherwright_lane_load", "u_front", clocked | front),
        Reg(("iv_q",), COUNTER_BLOCK),
        Clocked((Step("iv_q", block.taken),)),
    ]
    for lane, rank in enumerate(ranks):
        before = ranks.index(rank - 1) if rank else None
        given = {"take_i": "iv_valid_i & iv_ready_o", "wipe_i": wipe, "step_i": "valid_i", "iv_i": "iv_q"}
        if before is not None:
            given = {f"{what}_i": f"pass_{what}[{before}]" for what in ("take", "wipe", "step")}
            given["iv_i"] = f"iv_{before}"
        given |= {f"{what}_o": f"pass_{what}[{lane}]" for what in ("take", "wipe", "step")}
        given |= {"iv_o": f"iv_{lane}", "taken_o": f"take[{lane}]", "wiped_o": f"wipe[{lane}]"}
        given |= {"stepped_o": f"step[{lane}]"}
        counter = {"zeroise_i": f"wipe[{lane}]", "lanes_i": f"16'd{lanes}", "lane_i": f"16'd{lane}"}
        counter |= {"iv_valid_i": f"take[{lane}]", "iv_ready_o": f"ready[{lane}]", "iv_i": f"iv_{lane}"}
        counter |= {"loaded_o": f"loaded[{lane}]", "step_i": f"step[{lane}]", "valid_o": f"counted[{lane}]"}
        counter |= {"count_o": block.shown(lane, lanes)}
        items += [
            Wire((f"iv_{lane}",), COUNTER_BLOCK),
            Cell("cipherwright_lane_relay", f"u_relay{lane}", clocked | given, {"DELAY": ranks[-1] - rank}),
            Cell("cipherwright_lane_counter", f"u_counter{lane}", clocked | counter, {"COUNT": count}),
        ]
    return tuple(items)


def _lane_modules(count: int, lanes: int) -> tuple[WrittenModule, ...]:
    """The hand-written modules of several lanes, with the flip-flops that each declares."""
    relays = {delay: lane_relay_flip_flops(delay) for delay in range(lane_ranks(lanes)[-1] + 1)}
    first = lane_counter_flip_flops(count, 0, lanes) - relays[max(relays)]
    return (
        WrittenModule("cipherwright_lane_load", (), LANE_LOAD_FLIP_FLOPS),
        *(
            WrittenModule("cipherwright_lane_relay", (), n, parameters={"DELAY": delay})
            for delay, n in relays.items()
        ),
        WrittenModule("cipherwright_lane_counter", (), first),
    )


_COUNTER_PORTS: tuple[Group, ...] = (
    ClockReset(),
    Held(tuple(map(Pin, ("drop_i", "zeroise_i", "open_i", "step_i")))),
    Stream("iv_valid_i", (Pin("iv_i", COUNTER_BLOCK),), "iv_ready_o"),
    Held((Pin("loaded_o", out=True),)),
    Stream("valid_o", (Pin("count_o", COUNTER_BLOCK, True),), out=True),
)
"""Ports of the hand-written counter."""


def counter_layer(around: Around, count: int, lanes: int = 1) -> Layer:
    """Counter mode by a pipeline (SP 800-38A, section 6.5), which adds the block to the cipher's value of the
    counter block, of whose bits the lowest `count` count; or by `lanes` of them, which take as many blocks a
    cycle. around: where the mode goes. ready_o: a counter block is there.
    """
    block_bits, inside, held = around.block_bits, around.pins, around.held
    block = _CounterBlock(block_bits, held)
    pins = (*inside, Pin("iv_valid_i"), Pin("iv_i", block_bits), Pin("iv_ready_o", out=True))
    forgets = () if not held else (*_FORGETS[:2], _OPEN) if lanes == 1 else _FORGETS[1:2]
    links = _through([*inside, *(_FORGETS[1:2] if held else ())])
    links |= {
        "valid_i": "counted[0]",
        "block_i": "block_i",
        "chain_i": "count",
        "valid_o": "valid_o",
        "block_o": "block_o",
    }
    comment = (
        "Counter mode: a block is added to the cipher's value of a counter that goes up with every block, so "
        "the same core decrypts.",
        "iv_i is the counter block of the first block; it is taken when iv_valid_i and iv_ready_o are "
        "both 1. "
        "No block is taken before one is there.",
        *([f"A word is {lanes} blocks, the first of them at the top."] if lanes > 1 else []),
    )
    counters: tuple[WrapperItem, ...]
    if lanes > 1:
        counters = _lane_counters(block, count, held, lanes)
    else:
        ports = {
            "clk": "clk",
            "rst_i": "rst_i",
            "zeroise_i": "wipe_i" if held else "1'b0",
            "iv_valid_i": "iv_valid_i",
            "iv_ready_o": "ready[0]",
            "iv_i": block.taken,
            "step_i": "valid_i",
            "loaded_o": "loaded[0]",
            "valid_o": "counted[0]",
            "count_o": block.shown(0, 1),
            **({"drop_i": "drop_i", "open_i": "open_i"} if held else {"drop_i": "1'b0", "open_i": "1'b1"}),
        }
        counters = (Cell("cipherwright_counter", "u_counter", ports, {"COUNT": count}),)
    spare = "all counters do the same at the same time, so one says when." if lanes > 1 else ""
    module = Wrapper(
        around.name,
        comment,
        _ports([*forgets, *pins], block_bits * lanes, True),
        (
            Wire(("counted", "ready", "loaded"), lanes, spare, True),
            Wire(("count",), block_bits * lanes),
            *([Drive("iv_ready_o", "ready[0]"), Drive("ready_o", "loaded[0]")] if lanes == 1 else []),
            *block.items,
            *counters,
            Cell(around.inner, "u_cipher", links),
        ),
    )
    if lanes == 1:
        flip_flops = counter_flip_flops(count, min(block_bits, COUNTER_BLOCK))
        written = written_module(COUNTER_FILE, _COUNTER_PORTS, flip_flops)
        return Layer(module, pins, COUNTER_FILE, flip_flops, declared=(written,))
    lane_flip_flops = [lane_counter_flip_flops(count, lane, lanes) for lane in range(lanes)]
    return Layer(
        module,
        pins,
        LANE_COUNTER_FILE,
        LANE_LOAD_FLIP_FLOPS + sum(lane_flip_flops),
        declared=_lane_modules(count, lanes),
    )
