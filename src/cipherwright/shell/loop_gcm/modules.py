"""The modules of a core of GCM around a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...rtl import (
    Cell,
    ClockReset,
    Design,
    Handshake,
    Held,
    Part,
    Pin,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
    module_pins,
)
from ...spec import Loop
from ..control import Control, Controlled, ControlTimes, core_control
from ..gcm import ANY_IV, RESULTS, gcm_top, packet_fifos, packet_pins
from ..keys import KeyUnit, keyed_top
from ..message_core import places_kept, zeroising
from ..release import Release, Released, hold_items, release_top, within
from ..stream import Fifo
from ..waits import Waits
from .timing import LoopGcmTiming

__all__ = ["CONTROL_OUTPUTS", "GCM_FILE", "LoopGcmModules", "loop_gcm_modules"]

GCM_FILE = "cipherwright_loop_gcm.sv"

CONTROL_OUTPUTS = ("shows_late", "last_late")
"""Outputs of the delays that tell when something happens."""

_BITS = 1543
"""Flip-flops of the hand-written module whatever its parameters are."""

_ANY_IV_BITS = 32 + 3
"""Those for IVs of any length: the number in J0, and what is going on."""


@dataclass(frozen=True)
class LoopGcmModules:
    """What is around the loop `TOP_core`, in the order of use: the loop with its key unit (`keyed`), delays
    (`beside`), the `mode`, the `control` of keys and the `top`; the hand-written module of the mode
    (`written`); `fifos` of a bus, by name; what is around the top where words wait for a verdict
    (`released`). `timing`: its cycles.
    """

    timing: LoopGcmTiming
    keyed: Wrapper
    beside: Design
    mode: Wrapper
    written: WrittenModule
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]
    released: Released


def loop_gcm_modules(top: str, loop: Part, unit: KeyUnit, spec: Loop, waits: Waits) -> LoopGcmModules:
    """The modules that make a loop, with its key unit, a core of GCM with the name `top`, as `spec` asks for
    it.

    loop: of blocks of 128 bits, with its rate; unit: its key unit; waits: what a word waits in while the loop
    works. Raises UserError where a FIFO is too small.
    """
    key_bits, tag_bits, any_iv = spec.key_bits, spec.tag_bits, spec.iv_bits == ANY_IV
    assert loop.rate is not None
    timing = LoopGcmTiming.of(loop.rate.latency, loop.rate.slots, spec.digit_bits)
    key = (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True))
    fifos = packet_fifos(spec, timing.longest, timing.longest_tag, (timing.interval, timing.tag_latency))
    release = Release.of(spec)
    control = core_control(
        f"{top}_control",
        Controlled(f"{top}_gcm", (*key, *packet_pins(any_iv), *RESULTS, *release.held), 128),
        ControlTimes(
            timing.longest_tag + 1 + release.settle,
            max(unit.flush, timing.cipher + timing.interval + 9),
            unit.cycles + timing.hash_key + 1,
            release.flush + places_kept(fifos),
        ),
    )
    beside = waits.module(f"{top}_beside", {n: (width, timing.cipher) for n, width in _WAITING.items()})
    return LoopGcmModules(
        timing,
        keyed_top(f"{top}_ecb", loop, unit),
        beside,
        _mode(
            top, key_bits, tag_bits, timing, [p.name for p in module_pins(beside.top)], any_iv, release.held
        ),
        WrittenModule(GCM_FILE.removesuffix(".sv"), (), _flip_flops(timing, tag_bits, any_iv)),
        control,
        gcm_top(top, within(spec, top), key_bits, packet_pins(any_iv), release.told or zeroising(fifos)),
        fifos,
        release_top(spec, top, release, (packet_pins(any_iv), RESULTS), waits),
    )


_WAITING = {"word": 128 + 16, "shows": 1, "last": 1}
"""What waits beside the loop, and its bits: a word with the bytes that are there; whether it has a result,
and whether it is the last one.
"""


def _flip_flops(timing: LoopGcmTiming, tag_bits: int, any_iv: bool) -> int:
    """Flip-flops of the hand-written module: whether each place of the loop is free, a row of registers for
    each coefficient, which the accumulator has above a block as well, the tag twice and what is left of
    comparing its bytes, and two counters of steps. Without those of a factor's last digit that only the bits
    behind a short tag would read: an IV of any length reads all.
    """
    counters = 2 * timing.steps.bit_length()
    last_digit = 128 - timing.digit * (timing.steps - 1)
    unread = 0 if any_iv else min(last_digit, 128 - tag_bits)
    fixed = _BITS + _ANY_IV_BITS * any_iv + timing.stages - unread
    return fixed + 130 * timing.digit + 2 * tag_bits + tag_bits // 8 + counters


def _mode(
    top: str,
    key_bits: int,
    tag_bits: int,
    timing: LoopGcmTiming,
    clocks: Sequence[str],
    any_iv: bool,
    held: tuple[Pin, ...],
) -> Wrapper:
    """The loop with its key unit, what waits beside it, and the mode. A key is complete when its hash key is
    there. clocks: the delays' ports, of which some have no reset; any_iv: IVs of any length are taken;
    held: what tells of a word of the result that it waits for a verdict, where words do.
    """
    word = packet_pins(any_iv)
    loop = {n: n for n in ("clk", "rst_i", "key_valid_i", "key_i", "fill_i", "wipe_i")}
    loop |= {"key_ready_o": "expanded", "valid_i": "asks", "block_i": "asked", "ready_o": "core_ready"}
    loop |= {"valid_o": "done", "block_o": "result"}
    beside = {n: n for n in ("clk", "rst_i") if n in clocks}
    beside |= {f"{n}_i": f"{n}_waits" for n in _WAITING} | {f"{n}_late_o": f"{n}_late" for n in _WAITING}
    mode = {n: n for n in ("clk", "rst_i", "drop_i", "open_i", "valid_i", "block_i", "ready_o", "inside_o")}
    mode |= {p.name: p.name for p in (*word, *RESULTS)} | {"valid_o": "valid_o", "block_o": "block_o"}
    mode |= {"renew_i": "key_valid_i | wipe_i", "expanded_i": "expanded", "complete_o": "key_ready_o"}
    mode |= {"core_valid_o": "asks", "core_block_o": "asked", "core_ready_i": "core_ready"}
    mode |= {"core_fill_i": "fill_i"}
    mode |= {"core_valid_i": "done", "core_block_i": "result"}
    if not any_iv:
        mode["iv_word_i"] = "1'b0"
    mode |= {f"wait_{n}_o": f"{n}_waits" for n in _WAITING} | {f"late_{n}_i": f"{n}_late" for n in _WAITING}
    parameters: dict[str, int | str] = {"DIGIT": timing.digit, "STEPS": timing.steps, "PLACES": timing.stages}
    parameters |= {"TAG_BITS": tag_bits} | ({"ANY_IV": 1} if any_iv else {})
    return Wrapper(
        f"{top}_gcm",
        (
            "Galois/Counter Mode around a loop: one packet after the other.",
            "A packet's first word brings its IV, its last the expected tag.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), Pin("inside_o", out=True))),
            Stream("valid_i", (*word, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((*RESULTS, *held)),
        ),
        (
            Wire(("expanded", "asks", "core_ready", "done")),
            Wire(("asked", "result"), 128),
            *(Wire((f"{n}_waits", f"{n}_late"), width) for n, width in _WAITING.items()),
            *(hold_items() if held else ()),
            Cell(f"{top}_ecb", "u_core", loop),
            Cell(f"{top}_beside", "u_beside", beside),
            Cell(GCM_FILE.removesuffix(".sv"), "u_mode", mode, parameters),
        ),
    )
