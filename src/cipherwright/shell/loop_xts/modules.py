"""The modules of a core of XTS around a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Design,
    Drive,
    Handshake,
    Held,
    Part,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
    module_pins,
)
from ...spec import Loop
from ..control import Control, Controlled, ControlTimes, core_control
from ..keys import KeyUnit, keyed_by_half
from ..message_core import inner_name, message_fifo, places_kept, zeroising
from ..stream import Fifo
from ..waits import Waits
from ..xts import (
    COMPARED,
    NUMBER,
    OFFERED,
    PENDING,
    RESULTS,
    XtsOptions,
    key_seen,
    number_group,
    word_pins,
    xts_top,
)
from .timing import LoopXtsTiming

__all__ = ["XTS_FILE", "LoopXtsModules", "loop_xts_modules"]

XTS_FILE = "cipherwright_loop_xts.sv"

_BITS = 10 + 3 * 128 + 16 + 3 + 128 + 16
"""Flip-flops of the hand-written module: its state; a number or the next tweak, a tweak, a word and its
bytes; a result. Besides, it has `_KINDS` for each place of the loop, and one for a direction.
"""

_KINDS = 4

_SETUP = 2
"""Cycles from an expanded key to the first unit number, where its halves are not compared."""

_WAITING = "tweak"
"""What waits beside the loop: the tweak of the place that comes by."""


@dataclass(frozen=True)
class LoopXtsModules:
    """What is around the loop `TOP_core`, in the order of use: the loop with the register of its keys
    (`keyed`), delays (`beside`), the `mode`, the `control` of keys and the `top`; the hand-written module of
    the mode (`written`); `fifos` of a bus, by name; `setup` cycles from an expanded key to the first unit
    number. `timing`: its cycles; `options`: what the core can do.
    """

    timing: LoopXtsTiming
    options: XtsOptions
    keyed: Wrapper
    beside: Design
    mode: Wrapper
    written: WrittenModule
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]
    setup: int


def loop_xts_modules(top: str, loop: Part, unit: KeyUnit, spec: Loop, waits: Waits) -> LoopXtsModules:
    """The modules that make a loop, with the register of its keys, a core of XTS with the name `top`, as
    `spec` asks for it.

    loop: of blocks of 128 bits, which takes a key with each, with its rate; unit: holds both halves; waits:
    what a tweak waits in while the loop works.
    """
    assert loop.rate is not None
    timing = LoopXtsTiming(loop.rate.latency, loop.rate.slots)
    options = XtsOptions(spec.given_key_bits, spec.direction == "both", spec.distinct_halves)
    setup = _SETUP + COMPARED * options.distinct
    key = (Pin("key_valid_i"), Pin("key_i", options.key_bits), Pin("key_ready_o", out=True))
    fifos = _fifos(spec, timing)
    numbers = number_group(options).pins
    control = core_control(
        f"{top}_control",
        Controlled(f"{top}_xts", (*key, OFFERED, *numbers, *word_pins(options.both), *RESULTS, PENDING), 128),
        ControlTimes(
            max(timing.late_latency, timing.longest) + 1,
            max(unit.flush, timing.late_latency + timing.stages + 4),
            unit.cycles + setup + 1,
            places_kept(fifos),
        ),
    )
    beside = waits.module(f"{top}_beside", {_WAITING: (128, timing.stages)})
    return LoopXtsModules(
        timing,
        options,
        keyed_by_half(f"{top}_ecb", loop, unit),
        beside,
        _mode(top, options, timing.stages, [p.name for p in module_pins(beside.top)]),
        WrittenModule(XTS_FILE.removesuffix(".sv"), (), _BITS + options.both + _KINDS * timing.stages),
        control,
        xts_top(top, inner_name(spec), options, zeroising(fifos)),
        fifos,
        setup,
    )


def _fifos(spec: Loop, timing: LoopXtsTiming) -> dict[str, Fifo]:
    """FIFOs of results and of late ones of a bus around the core, where `spec` asks for one. A short word's
    result waits for the late one of its unit.
    """
    if not spec.streams:
        return {}
    fifo = message_fifo(spec, timing.longest + timing.late_latency, timing.interval)
    return {"data": fifo, "late": fifo}


def _mode(top: str, options: XtsOptions, places: int, clocks: Sequence[str]) -> Wrapper:
    """The loop of `places` with its keys, what waits beside it, and the mode. clocks: the delays' ports, of
    which some have no reset.
    """
    words, both = word_pins(options.both), options.both
    loop = {n: n for n in ("clk", "rst_i", "key_valid_i", "key_i", "fill_i", "wipe_i")}
    loop |= {"key_ready_o": "expanded", "valid_i": "asks", "block_i": "asked", "ready_o": "core_ready"}
    loop |= {"second_i": "second", "valid_o": "done", "block_o": "result"}
    loop |= {"decrypt_i": "backwards"} if both else {}
    beside = {n: n for n in ("clk", "rst_i") if n in clocks}
    beside |= {f"{_WAITING}_i": "waits", f"{_WAITING}_late_o": "late"}
    mode = {n: n for n in ("clk", "rst_i", "drop_i", "open_i", "valid_i", "block_i", "ready_o")}
    mode |= {p.name: p.name for p in (*words, *RESULTS)} | {"valid_o": "valid_o", "block_o": "block_o"}
    mode |= {n: n for n in ("unit_valid_i", NUMBER.name, "unit_ready_o")} | {"may_i": "may_q"}
    known = "expanded & ~(|compare)" if options.distinct else "expanded"
    mode |= {"renew_i": "key_valid_i | wipe_i", "expanded_i": known, "complete_o": "key_ready_o"}
    mode |= {"core_valid_o": "asks", "core_block_o": "asked", "core_ready_i": "core_ready"}
    mode |= {"core_second_o": "second", "core_decrypt_o": "backwards"}
    mode |= {"core_valid_i": "done", "core_block_i": "result", "pending_o": PENDING.name}
    if not both:
        mode["decrypt_i"] = "1'b0"
    mode |= {f"wait_{_WAITING}_o": "waits", f"late_{_WAITING}_i": "late"}
    return Wrapper(
        f"{top}_xts",
        (
            "XTS around a loop: one data unit after the other.",
            "unit_i: the numbers of units, each before its unit's first word.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", options.key_bits), "key_ready_o"),
            Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), Pin("inside_o", out=True))),
            Held((OFFERED,)),
            number_group(options),
            Stream("valid_i", (*words, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((*RESULTS, PENDING)),
        ),
        (
            *key_seen(options.key_bits, options.distinct, 1),
            Reg(("may_q",), note="The key is complete, and no other is offered."),
            Clocked(
                (Step("may_q", f"keyed & key_ready_o & ~{OFFERED.name} & ~wipe_i & ~drop_i"),),
                (("may_q", "1'b0"),),
            ),
            Wire(("expanded", "asks", "second", "core_ready", "done")),
            Wire(("backwards",), lint="" if both else "units are encrypted."),
            Wire(("asked", "result", "waits", "late"), 128),
            Drive("inside_o", PENDING.name),
            Cell(f"{top}_ecb", "u_core", loop),
            Cell(f"{top}_beside", "u_beside", beside),
            Cell(XTS_FILE.removesuffix(".sv"), "u_mode", mode, {"BOTH": int(both), "PLACES": places}),
        ),
    )
