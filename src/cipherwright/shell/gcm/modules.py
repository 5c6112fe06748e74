"""The modules of a core of GCM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from ...arch import FieldMultiplier, field_multiplier
from ...cipher.gcm import TAG_BITS
from ...errors import UserError
from ...rtl import (
    Cell,
    ClockReset,
    Design,
    Handshake,
    Held,
    Pin,
    Stream,
    Wrapper,
)
from ...spec import Datapath, Pipeline
from ..control import Control, Controlled, ControlTimes, core_control
from ..ghash import GhashTiming, ghash_unit
from ..keys import KeyUnit, SeveralKeys, keyed_by_choice, keyed_top, pipeline_part
from ..message_core import message_fifo, places_kept, zeroising
from ..release import Release, Released, release_top, within
from ..slot_control import loaded_by_slot, slot_control
from ..stream import Fifo, choose_fifo, fifo_log2
from ..waits import Waits
from .announced import announced_keys
from .layer import gcm_layer
from .ports import ANY_IV, packet_pins, result_pins
from .powers import power_maker
from .timing import SETTLE, GcmTiming, meanings

__all__ = ["GcmModules", "control_outputs", "gcm_modules", "gcm_top", "packet_fifos"]


def control_outputs(any_iv: bool, key_slots: int = 1) -> tuple[str, ...]:
    """Outputs of the delays that tell when something happens; any_iv: IVs of any length are taken;
    key_slots: resident keys.
    """
    return tuple(f"{n}_late" for n in meanings(any_iv, key_slots)[1])


@dataclass(frozen=True)
class GcmModules:
    """What is around the pipeline `TOP_core`, in the order of use: its key unit's control, delays, GHASH with
    its `multiplier`, the `mode`, the `control` of keys and the `top`. `timing`: its cycles.

    keyed: the pipeline with its key unit, or two of them; powers: what makes powers where two keys are
    resident; beside: the delays; ghash: the unit; fifos: those of a bus around the core, by name; announced:
    what is around the top where every packet has a key; released: what is where words wait for a verdict.
    """

    timing: GcmTiming
    keyed: Wrapper
    multiplier: FieldMultiplier
    beside: Design
    ghash: Wrapper
    mode: Wrapper
    control: Control
    top: Wrapper
    fifos: Mapping[str, Fifo]
    powers: tuple[Wrapper, ...] = ()
    released: Released = field(default_factory=Released)
    announced: tuple[Wrapper, ...] = ()

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        """What connects and controls, used ones first."""
        inside = (self.keyed, self.ghash, *self.powers, self.mode, *self.control.modules, self.top)
        return (*inside, *self.announced)

    @property
    def designs(self) -> Design:
        """Modules with scheduled registers: the multiplier and the delays."""
        return Design((*self.multiplier.design.modules, *self.beside.modules))


def gcm_modules(top: str, unit: KeyUnit, spec: Pipeline, stages: int, waits: Waits) -> GcmModules:
    """The modules that make a pipeline of `stages`, with its key unit, a core of GCM with the name `top`, as
    `spec` asks for it. unit: the key unit; waits: what a word waits in while the cipher works. Raises
    UserError where the pipeline is too short, or there are no tags of so many bits.
    """
    key_bits, tag_bits, any_iv = spec.key_bits, spec.tag_bits, spec.iv_bits == ANY_IV
    slots, lanes = spec.key_slots, spec.lanes
    multiplier = field_multiplier(f"{top}_multiplier", waits.model, period=_period(spec), hops=spec.hops)
    timing = GcmTiming(stages, GhashTiming(multiplier.stages, slots, lanes))
    if timing.beside <= timing.early:
        least = timing.early - timing.beside + stages + 1
        raise UserError(f"mode = gcm needs a pipeline of at least {least} stages, not {stages}")
    if tag_bits not in TAG_BITS:
        raise UserError(f"GCM has tags of {', '.join(map(str, TAG_BITS))} bits, not of {tag_bits}")
    names = tuple(f"{top}_{part}" for part in ("ecb", "beside", "ghash", "powers"))
    key = (Pin("key_valid_i"), Pin("key_i", key_bits), *loaded_by_slot(slots), Pin("key_ready_o", out=True))
    word, shown = packet_pins(any_iv, slots, lanes), result_pins(lanes)
    release = Release.of(spec, timing.tag_latency - timing.latency - 1)
    fifos = packet_fifos(spec, timing.latency + release.delay, timing.tag_latency, (1, 2))
    announced = spec.packet_keys == "announced"
    by_slot = partial(slot_control, private=announced)
    control = (core_control if slots == 1 else by_slot)(
        f"{top}_control",
        Controlled(f"{top}_gcm", (*key, *word, *shown, *release.held), 128 * lanes, shallow=slots == 1),
        ControlTimes(
            timing.tag_latency + 1 + release.settle,
            max(
                unit.flush + lanes,
                timing.tag_latency + SETTLE * any_iv,
                timing.powers_end - unit.cycles,
            ),
            unit.cycles + timing.power_cycles + lanes,
            release.flush + places_kept(fifos),
        ),
    )
    released = release_top(spec, top, release, (word, shown), waits)
    own = within(spec, top)
    core = f"{top}_resident" if announced else own
    return GcmModules(
        timing,
        _keyed(names[0], f"{top}_core", unit, slots, lanes),
        multiplier,
        waits.module(names[1], waits_beside(timing, any_iv)),
        ghash_unit(names[2], f"{top}_multiplier", timing.ghash, 128 if any_iv else tag_bits),
        gcm_layer(f"{top}_gcm", names, key_bits, timing, tag_bits, any_iv, release.held),
        control,
        gcm_top(
            top,
            core,
            key_bits,
            word,
            release.told or zeroising(fifos),
            loaded_by_slot(slots),
            lanes,
        ),
        fifos,
        (power_maker(names[3], timing.ghash),) if slots > 1 else (),
        released,
        (announced_keys(own, core, key_bits, zeroising(fifos)),) if announced else (),
    )


def _period(spec: Pipeline) -> float | None:
    """The period in ns for which the multipliers are made: that of the clock that is asked for, where there
    is one for each block of a word; none: the shortest.
    """
    return 1e3 / spec.clock_mhz if spec.lanes > 1 and spec.clock_mhz else None


def _keyed(name: str, core: str, unit: KeyUnit, key_slots: int, lanes: int) -> Wrapper:
    """The module `name`: the pipeline `core` with its key unit, or with one for each resident key; or a
    pipeline for each block of a word.
    """
    if key_slots == 1:
        return keyed_top(name, pipeline_part(core, unit, 128), unit, lanes)
    width = unit.part.pins["key_i"].width
    return keyed_by_choice(
        name,
        (
            "A pipeline with the round keys of two resident keys. second_i chooses those of slot 1 and comes "
            "two cycles before its block; key_valid_i has a bit for each slot.",
            "wipe_i: keys of zeros are taken. The control around this module keeps blocks and keys apart.",
        ),
        core,
        unit,
        SeveralKeys(
            (Held((Pin("key_valid_i", 2), Pin("key_i", width), Pin("key_ready_o", out=True))),),
            (("key_valid_i[0]", "key_i"), ("key_valid_i[1]", "key_i")),
        ),
    )


def packet_fifos(
    spec: Datapath, latency: int, tag_latency: int, intervals: tuple[int, int]
) -> dict[str, Fifo]:
    """FIFOs of results and of tags, by name, of a bus around a core that shows a result `latency` cycles
    after a word and a tag `tag_latency` cycles after a packet's last word, both at most, where `spec` asks
    for a bus; at most one of them comes in each of `intervals`, which are of results and of tags. Where words
    wait for a verdict, their buffer is the FIFO of results, and a FIFO has TID until they are there. Raises
    UserError where a FIFO or that buffer is too small.
    """
    if not spec.streams:
        return {}
    tags = choose_fifo(tag_latency, intervals[1], 1, 0)
    if spec.release == "at-once":
        return {"data": message_fifo(spec, latency, intervals[0]), "tag": tags}
    least = 1 << fifo_log2(latency + _RESERVED, intervals[0], 1, 0)
    if spec.release_words < least:
        raise UserError(
            f"release_words = {spec.release_words} is too small: behind AXI-Stream a place is reserved for "
            f"every word in the core, which needs {least} words"
        )
    ids = {"id": Fifo(fifo_log2(latency + Fifo(0).latency, intervals[0], 1, 0))} if spec.tid_bits else {}
    return {**ids, "tag": tags}


_RESERVED = 24
"""Cycles by which the place of a word that waits for nothing is reserved longer than the word is in the
core: it passes the buffer in eight, is told in five, and four places stay free; some more are spare.
"""


def gcm_top(
    top: str,
    name: str,
    key_bits: int,
    word: tuple[Pin, ...],
    more: tuple[Pin, ...] = (),
    beside: tuple[Pin, ...] = (),
    lanes: int = 1,
) -> Wrapper:
    """The module `name` of the core `top`: a key, of `key_bits` bits, that is offered within a packet waits
    for the packet's end. word: what goes with a word; more: outputs of its control beside the others; beside:
    what is taken with a key; lanes: blocks of a word.
    """
    held = (Pin("busy_o", out=True), *result_pins(lanes), *more)
    links = {
        p.name: p.name for p in (*word, *held, *beside, Pin("key_i"), Pin("key_ready_o"), Pin("zeroise_i"))
    }
    for n in ("clk", "rst_i", "valid_i", "block_i", "ready_o", "valid_o", "block_o"):
        links[n] = n
    return Wrapper(
        name,
        ("A key that is offered within a packet is taken after the packet's end.",),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o", beside=beside),
            Stream("valid_i", (*word, Pin("block_i", 128 * lanes)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128 * lanes, True),), out=True),
            Held((Pin("zeroise_i"), *held)),
        ),
        (Cell(f"{top}_control", "u_core", {**links, "key_valid_i": "key_valid_i"}),),
    )


def waits_beside(timing: GcmTiming, any_iv: bool) -> dict[str, tuple[int, int]]:
    """A slot's word and its meaning, which wait while the cipher works: name -> bits and cycles. timing: of
    the core; any_iv: it takes IVs of any length. A word passes a register more, behind its memory.
    """
    soon = timing.beside - timing.early
    return {
        "block": (128 * timing.lanes, timing.beside - 1),
        "keep": (timing.word_bytes, soon),
    } | dict.fromkeys(meanings(any_iv, timing.key_slots)[0], (1, soon))
