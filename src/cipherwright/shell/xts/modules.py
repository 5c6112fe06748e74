"""The modules of a core of XTS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...errors import UserError
from ...rtl import (
    Cell,
    ClockReset,
    Design,
    Drive,
    Group,
    Handshake,
    Held,
    Pin,
    Stream,
    Wire,
    Wrapper,
)
from ...spec import Pipeline
from ..control import Control, Controlled, ControlTimes, core_control
from ..keys import KeyUnit, SeveralKeys, keyed_by_choice
from ..message_core import inner_name, message_fifo, places_kept, zeroising
from ..slot_control import loaded_by_slot, slot_control
from ..stream import Fifo
from ..waits import Waits
from .forget import forgetting_control
from .layer import xts_layer
from .numbers import numbers
from .ports import OFFERED, PENDING, RESULTS, XtsOptions, key_group, number_group, word_pins
from .timing import KEEP, SETUP, XtsTiming
from .turns import turns

__all__ = ["XtsModules", "XtsOptions", "xts_modules", "xts_top"]

_FEWEST = 4
"""Stages of a pipeline, at least: the registers beside it are some fewer."""


@dataclass(frozen=True)
class XtsModules:
    """What is around the pipeline `TOP_core`, in the order of use: its two key units, where keys are held
    (`keyed`), the `mode` with its control (`turns`), the `control` of keys and the `top`. `timing`: its
    cycles; `options`: what the core can do.

    numbers: what counts the numbers of units, where something does; beside: what waits while the cipher
    works; fifos: those of a bus around the core, by name.
    """

    timing: XtsTiming
    keyed: tuple[Wrapper, ...]
    turns: Wrapper
    numbers: tuple[Wrapper, ...]
    mode: Wrapper
    beside: Design
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]
    options: XtsOptions

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """What connects and controls, used ones first."""
        return (*self.keyed, self.turns, *self.numbers, self.mode, *self.control.modules, self.top)


def xts_modules(top: str, unit: KeyUnit | None, spec: Pipeline, stages: int, waits: Waits) -> XtsModules:
    """The modules that make a pipeline of `stages`, with two of the key units `unit`, a core of XTS with the
    name `top`, as `spec` asks for it. Without a unit every block brings its key into the pipeline. waits:
    what waits while the cipher works. Raises UserError where the pipeline is too short.
    """
    if stages < _FEWEST:
        raise UserError(f"mode = xts needs a pipeline of at least {_FEWEST} stages, not {stages}")
    options = XtsOptions(
        spec.given_key_bits,
        spec.direction == "both",
        spec.distinct_halves,
        spec.unit_numbers == "counted",
        spec.key_slots if unit else 0,
    )
    timing, both, slots = XtsTiming(stages), options.both, options.slots
    offered = (OFFERED,) if slots == 1 else ()
    fifos = _fifos(spec, timing)
    flush = max(timing.flush, unit.all_flush + 2) if unit else timing.flush
    setup = unit.all_cycles + SETUP if unit else 0
    control = (forgetting_control, core_control, slot_control)[slots](
        f"{top}_control",
        Controlled(
            f"{top}_xts",
            (*_key(options), *offered, *number_group(options).pins, *word_pins(both), *RESULTS, PENDING),
            128,
        ),
        ControlTimes(timing.late_latency + 1, flush, setup, places_kept(fifos)),
    )
    return XtsModules(
        timing,
        (_keyed(f"{top}_ecb", f"{top}_core", unit, options),) if unit else (),
        turns(f"{top}_xts_turns", timing, pairs=slots),
        (numbers(f"{top}_xts_numbers"),) if options.counted else (),
        xts_layer(f"{top}_xts", (f"{top}_{'ecb' if unit else 'core'}", f"{top}_beside"), options),
        waits.module(f"{top}_beside", _waiting(timing, options)),
        control,
        xts_top(top, inner_name(spec), options, zeroising(fifos)),
        fifos,
        options,
    )


def _key(options: XtsOptions) -> tuple[Pin, ...]:
    """The ports of a key that is held."""
    if options.travels:
        return ()
    beside = loaded_by_slot(options.slots)
    return (Pin("key_valid_i"), Pin("key_i", options.key_bits), *beside, Pin("key_ready_o", out=True))


def _fifos(spec: Pipeline, timing: XtsTiming) -> dict[str, Fifo]:
    """FIFOs of results and of late ones of a bus around the core, where `spec` asks for one. A short word's
    result waits for the late one of its unit.
    """
    if not spec.streams:
        return {}
    fifo = message_fifo(spec, timing.late_latency + 2, 1)
    return {"data": fifo, "late": fifo}


def _waiting(timing: XtsTiming, options: XtsOptions) -> dict[str, tuple[int, int]]:
    """What waits beside the cipher, its bits and cycles: a block's tweak or a short word, a short word's
    bytes, a direction, and the key of a unit that brings it. All but the direction pass a register more,
    behind their memory.
    """
    ways = {"way": (1, timing.cipher + 2)} if options.both else {}
    keys = {"key": (options.half, timing.cipher + 1)} if options.travels else {}
    return {"beside": (128, timing.cipher - 2), "keep": (KEEP, timing.cipher + 2)} | ways | keys


def _keyed(name: str, core: str, unit: KeyUnit, options: XtsOptions) -> Wrapper:
    """The module `name`: the pipeline, and a key-expansion unit for each half of every resident key."""
    key_bits = options.key_bits
    half = key_bits // 2
    halves = (f"key_i[{key_bits - 1}:{half}]", f"key_i[{half - 1}:0]")
    if options.slots == 1:
        load: Group = Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o")
        valid, more, leads = ["key_valid_i"], "", "two cycles"
    else:
        load = Held(
            (
                Pin("key_valid_i", options.slots),
                Pin("key_i", key_bits),
                Pin("key_ready_o", out=True),
            )
        )
        valid = [f"key_valid_i[{slot}]" for slot in range(options.slots)]
        more = "; slot_i chooses the key and comes two cycles before its block"
        leads = "three cycles"
    return keyed_by_choice(
        name,
        (
            f"A pipeline with the round keys of the two halves of {'a key' if not more else 'each key'}. "
            f"second_i chooses those of the second half and comes {leads} before its block{more}.",
            "wipe_i: keys of zeros are taken, a cycle later. The control around this module keeps blocks and "
            "keys apart.",
        ),
        core,
        unit,
        SeveralKeys((load,), tuple((v, key) for v in valid for key in halves), apart=True),
        (Pin("decrypt_i"),) if options.both else (),
    )


def xts_top(top: str, name: str, options: XtsOptions, more: tuple[Pin, ...]) -> Wrapper:
    """The module `name` of the core `top`, with the outputs `more` of its control beside the others: a key
    that is offered waits for the end of all units that were announced. options: what the core can do.
    """
    both, number, beside = options.both, number_group(options), loaded_by_slot(options.slots)
    key = () if options.travels else (*beside, Pin("key_i"), Pin("key_ready_o"))
    pins = (*word_pins(both), *RESULTS, *more, *number.pins[1:-1], *key, Pin("zeroise_i"))
    links = {p.name: p.name for p in pins}
    for n in ("clk", "rst_i", "valid_i", "block_i", "ready_o", "valid_o", "block_o"):
        links[n] = n
    links |= {} if options.travels else {"key_valid_i": "key_valid_i"}
    links |= {"busy_o": "busy", "pending_o": "pending"}
    links |= {"unit_valid_i": "unit_valid_i", "unit_ready_o": "unit_ready_o"}
    said = (
        "A key that is offered is taken after the last unit that was announced; no other unit is taken then."
    )
    if options.travels:
        said = "A key comes with every unit number, or with every run of them."
    elif options.slots == 1:
        links |= {OFFERED.name: "key_valid_i"}
    else:
        said = (
            "A key that is offered is taken after the last unit that was announced under its slot; units "
            "under the other slot go on."
        )
    return Wrapper(
        name,
        (said,),
        (
            ClockReset(),
            *key_group(options),
            number,
            Stream("valid_i", (*word_pins(both), Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((Pin("zeroise_i"), *RESULTS, Pin("busy_o", out=True), *more)),
        ),
        (
            Wire(("pending", "busy")),
            Drive("busy_o", "busy | pending"),
            Cell(f"{top}_control", "u_core", links),
        ),
    )
