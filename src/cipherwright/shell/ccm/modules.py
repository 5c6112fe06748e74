"""The modules of a core of CCM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...cipher.ccm import largest_data
from ...rtl import Cell, ClockReset, Handshake, Held, Part, Pin, Stream, Wire, Wrapper, WrittenModule
from ...spec import Loop
from ..control import Control, Controlled, ControlTimes, core_control
from ..gcm import RESULTS, gcm_top, packet_fifos
from ..keys import KeyUnit, keyed_top
from ..message_core import places_kept, zeroising
from ..release import Release, Released, hold_items, release_top, within
from ..stream import Fifo
from ..waits import Waits
from .ports import ccm_pins
from .timing import CcmTiming

__all__ = ["CCM_FILE", "COMPLETE", "CcmModules", "ccm_modules"]

CCM_FILE = "cipherwright_loop_ccm.sv"

COMPLETE = 1
"""Cycles after a key is expanded in which the mode can use it."""

_BITS = 588
"""Flip-flops of the hand-written module beside the expected tag and what is left of comparing its bytes."""


@dataclass(frozen=True)
class CcmModules:
    """What is around the loop `TOP_core`, in the order of use: the loop with its key unit (`keyed`), the
    `mode`, the `control` of keys and the `top`; and the hand-written module of the mode (`written`); `fifos`
    of a bus, by name; what is around the top where words wait for a verdict (`released`). `timing`: its
    cycles.
    """

    timing: CcmTiming
    keyed: Wrapper
    mode: Wrapper
    written: WrittenModule
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]
    released: Released


def ccm_modules(top: str, loop: Part, unit: KeyUnit, spec: Loop, waits: Waits) -> CcmModules:
    """The modules that make a loop, with its key unit, a core of CCM with the name `top`, as `spec` asks for
    it.

    loop: of blocks of 128 bits, with its rate; unit: its key unit; waits: what a word can wait in. Raises
    UserError where a FIFO is too small.
    """
    assert loop.rate is not None
    timing, pins = CcmTiming(loop.rate.latency, loop.rate.slots), ccm_pins(spec.nonce_bytes)
    key = (Pin("key_valid_i"), Pin("key_i", spec.key_bits), Pin("key_ready_o", out=True))
    release = Release.of(spec)
    fifos = packet_fifos(spec, timing.longest, timing.longest_tag, (timing.interval, timing.least_tag))
    control = core_control(
        f"{top}_control",
        Controlled(f"{top}_ccm", (*key, *pins, *RESULTS, *release.held), 128),
        ControlTimes(
            timing.longest_tag + 1 + release.settle,
            max(unit.flush, timing.longest_tag + 2),
            unit.cycles + COMPLETE + 1,
            release.flush + places_kept(fifos),
        ),
    )
    written = WrittenModule(CCM_FILE.removesuffix(".sv"), (), _BITS + spec.tag_bits + spec.tag_bits // 8)
    return CcmModules(
        timing,
        keyed_top(f"{top}_ecb", loop, unit),
        _mode(top, spec, pins, release.held),
        written,
        control,
        gcm_top(top, within(spec, top), spec.key_bits, pins, release.told or zeroising(fifos)),
        fifos,
        release_top(spec, top, release, (pins, RESULTS), waits),
    )


def _mode(top: str, spec: Loop, word: tuple[Pin, ...], held: tuple[Pin, ...]) -> Wrapper:
    """The loop with its key unit, and the mode. word: what goes with a word; held: what tells of a word of
    the result that it waits for a verdict, where words do.
    """
    loop = {n: n for n in ("clk", "rst_i", "key_valid_i", "key_i", "fill_i", "wipe_i")}
    loop |= {"key_ready_o": "expanded", "valid_i": "asks", "block_i": "asked", "ready_o": "core_ready"}
    loop |= {"valid_o": "done", "block_o": "result"}
    mode = {n: n for n in ("clk", "rst_i", "drop_i", "open_i", "valid_i", "block_i", "ready_o", "inside_o")}
    mode |= {p.name: p.name for p in (*word, *RESULTS)} | {"valid_o": "valid_o", "block_o": "block_o"}
    mode |= {"renew_i": "key_valid_i | wipe_i", "expanded_i": "expanded", "complete_o": "key_ready_o"}
    mode |= {"core_valid_o": "asks", "core_block_o": "asked", "core_ready_i": "core_ready"}
    mode |= {"core_valid_i": "done", "core_block_i": "result"}
    parameters: dict[str, int | str] = {"NONCE": spec.nonce_bytes, "TAG_BITS": spec.tag_bits}
    parameters |= {"LENGTH": largest_data(spec.nonce_bytes).bit_length()}
    return Wrapper(
        f"{top}_ccm",
        (
            "CCM around a loop: one packet after the other.",
            "A packet's first word brings its nonce and its lengths, its last the expected tag.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", spec.key_bits), "key_ready_o"),
            Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), Pin("inside_o", out=True))),
            Stream("valid_i", (*word, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((*RESULTS, *held)),
        ),
        (
            Wire(("expanded", "asks", "core_ready", "done")),
            Wire(("asked", "result"), 128),
            *(hold_items() if held else ()),
            Cell(f"{top}_ecb", "u_core", loop),
            Cell(CCM_FILE.removesuffix(".sv"), "u_mode", mode, parameters),
        ),
    )
