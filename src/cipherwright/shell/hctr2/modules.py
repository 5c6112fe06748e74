"""The modules of a core of HCTR2 around a loop."""

from __future__ import annotations

from dataclasses import dataclass

from ...cipher.hctr2 import POLYNOMIALS
from ...rtl import (
    Cell,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Part,
    Pin,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
)
from ...spec import Loop
from ..control import Control, Controlled, ControlTimes, core_control
from ..keys import KeyUnit, keyed_top
from ..message_core import ZEROISING, inner_name
from .ports import RUNNING, port_groups, result_pins, word_pins
from .timing import WideTiming

__all__ = ["WIDE_FILE", "WideModules", "field_parameters", "told", "wide_modules"]

WIDE_FILE = "cipherwright_loop_hctr2.sv"

_BITS = 30
"""Flip-flops of the hand-written module that have one bit whatever its parameters are."""

_BLOCKS = 7
"""Its registers of a whole block, beside the row of the multiplier and what is behind the memory."""

_DEEP_FROM = 5
"""log2 of the words of a text from which on the memory is block RAM, which has the register behind it
inside.
"""

_IN_FLIGHT = 4
"""Cycles from a packet's end to a control at rest, at least: the mode tells how long a packet is inside."""

_ENDS = 4
"""Cycles of zeroising beside those in which every place of the memory is written anew."""


@dataclass(frozen=True)
class WideModules:
    """What is around the loop `TOP_core`, in the order of use: the loop with its key unit (`keyed`), the
    `mode`, the `control` of keys and the `top`; the hand-written module of the mode (`written`). `timing`:
    its cycles.
    """

    timing: WideTiming
    keyed: Wrapper
    mode: Wrapper
    written: WrittenModule
    control: Control
    top: Wrapper


def field_parameters(block_bits: int) -> dict[str, int | str]:
    """What the hand-written module is told of the field for blocks of `block_bits` (128 or 256): whether
    coefficients are those of reflected words, and the exponents of the polynomial between the highest and 0.
    """
    exponents = POLYNOMIALS[block_bits][:-1]
    reflected = max(exponents) > block_bits // 2
    taps = sorted((block_bits - k for k in exponents) if reflected else exponents)
    return {"REFLECTED": int(reflected), **{f"TAP_{n}": tap for n, tap in enumerate(reversed(taps), 1)}}


def wide_modules(top: str, loop: Part, unit: KeyUnit, spec: Loop) -> WideModules:
    """The modules that make a loop, with its key unit, a core of HCTR2 with the name `top`, as `spec` asks
    for it.

    loop: of blocks of 128 or 256 bits in both directions, with its rate; unit: its key unit.
    """
    assert loop.rate is not None
    block_bits, key_bits = loop.pins["block_i"].width, spec.key_bits
    timing = WideTiming.of(block_bits, loop.rate.latency, loop.rate.slots, spec.digit_bits)
    log2 = (8 * spec.message_bytes // block_bits).bit_length() - 1
    key = (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True))
    control = core_control(
        f"{top}_control",
        Controlled(
            f"{top}_hctr2",
            (*key, *word_pins(block_bits), Pin("ready_i"), *result_pins(block_bits), RUNNING),
            block_bits,
        ),
        ControlTimes(
            _IN_FLIGHT,
            max(unit.flush, timing.cipher + timing.product + 4),
            unit.cycles + timing.setup + 1,
            (2 << log2) + _ENDS,
        ),
    )
    return WideModules(
        timing,
        keyed_top(f"{top}_ecb", loop, unit),
        _mode(top, key_bits, timing, log2),
        WrittenModule(WIDE_FILE.removesuffix(".sv"), (), _flip_flops(timing, log2)),
        control,
        _top((top, inner_name(spec)), key_bits, block_bits, told(spec)),
    )


def _flip_flops(timing: WideTiming, log2: int) -> int:
    """Flip-flops of the hand-written module, whose memory has 2^log2 words of a text."""
    size = timing.block_bits
    bytes_log2 = (size // 8).bit_length() - 1
    places = 2 * (log2 + 1) + 2 * log2 + log2 + 1 + bytes_log2
    counts = timing.steps.bit_length() + (timing.interval - 1).bit_length()
    behind = size * (log2 < _DEEP_FROM)
    return _BITS + size // 8 + _BLOCKS * size + size + timing.digit - 1 + places + counts + behind


def _mode(top: str, key_bits: int, timing: WideTiming, log2: int) -> Wrapper:
    """The loop with its key unit, and the mode. A key is complete when h and L are there."""
    size = timing.block_bits
    words, results = word_pins(size), result_pins(size)
    loop = {n: n for n in ("clk", "rst_i", "key_valid_i", "key_i", "fill_i", "wipe_i")}
    loop |= {"key_ready_o": "expanded", "valid_i": "asks", "block_i": "asked", "ready_o": "core_ready"}
    loop |= {"decrypt_i": "backwards", "valid_o": "done", "block_o": "result"}
    mode = {n: n for n in ("clk", "rst_i", "drop_i", "open_i", "valid_i", "block_i", "ready_o")}
    mode |= {p.name: p.name for p in (*words, *results)}
    mode |= {n: n for n in ("valid_o", "block_o", "ready_i")} | {"inside_o": RUNNING.name}
    mode |= {"renew_i": "key_valid_i | wipe_i", "expanded_i": "expanded", "complete_o": "key_ready_o"}
    mode |= {"core_valid_o": "asks", "core_block_o": "asked", "core_ready_i": "core_ready"}
    mode |= {"core_decrypt_o": "backwards", "core_valid_i": "done", "core_block_i": "result"}
    parameters: dict[str, int | str] = {
        "WIDTH": size,
        "BYTES": size // 8,
        "BYTES_LOG2": (size // 8).bit_length() - 1,
        "DEPTH_LOG2": log2,
        "DIGIT": timing.digit,
        "STEPS": timing.steps,
        "INTERVAL": timing.interval,
        **field_parameters(size),
    }
    return Wrapper(
        f"{top}_hctr2",
        (
            "HCTR2 around a loop: one packet after the other, a tweak and a text.",
            "A word is taken when valid_i, open_i and ready_o are 1.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("open_i"), Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"), Pin("inside_o", out=True))),
            Stream("valid_i", (*words, Pin("block_i", size)), "ready_o"),
            Stream("valid_o", (Pin("block_o", size, True), *results), "ready_i", out=True),
            Held((RUNNING,)),
        ),
        (
            Wire(("expanded", "asks", "core_ready", "backwards", "done")),
            Wire(("asked", "result"), size),
            # A key that waits is told in a packet's last cycle, or the next packet would begin before it.
            Drive("inside_o", f"{RUNNING.name} & ~(valid_o & ready_i & last_o)"),
            Cell(f"{top}_ecb", "u_core", loop),
            Cell(WIDE_FILE.removesuffix(".sv"), "u_mode", mode, parameters),
        ),
    )


def told(spec: Loop) -> tuple[Pin, ...]:
    """The port that tells AXI-Stream around the core of `spec` to forget; none where there is none."""
    return (ZEROISING,) if spec.streams else ()


def _top(names: tuple[str, str], key_bits: int, block_bits: int, tells: tuple[Pin, ...]) -> Wrapper:
    """The core under the names of its ports. names: of the core and of this module; tells: the port that
    tells what is around it to forget, where something is.
    """
    (top, name), groups = names, port_groups(key_bits, block_bits, tells)
    pins = {pin.name: pin.name for group in groups for pin in group.pins}
    inner = {"busy_o": "moving", RUNNING.name: "running"} | ({} if tells else {"zeroising_o": "clearing"})
    clearing = Wire(("clearing",), lint="the mode clears its memory itself.")
    return Wrapper(
        name,
        ("A key that is offered within a packet is taken when its last word has left.",),
        groups,
        (
            Wire(("running", "moving")),
            *(() if tells else (clearing,)),
            Drive("busy_o", "moving | running"),
            Cell(f"{top}_control", "u_core", pins | inner),
        ),
    )
