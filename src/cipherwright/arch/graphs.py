"""What is to be scheduled: the cipher unrolled, its rounds over held round keys, or a loop around its
rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..graph import Graph
from ..rewrite import boxes_in_block_ram, held_words, share_boxes, with_second_words
from ..schedule import Io
from ..spec import Datapath, Loop, Pipeline
from .forms import form_of, held_form_of
from .key_memory import KeyMemory
from .key_unit import KeyParts
from .loop import Loop as RoundLoop
from .loop import fold, fold_held, fold_narrow, fold_read
from .rewrites import realised
from .unrolled import describe

__all__ = ["SECOND_KEY", "SECOND_LEAD", "Unscheduled", "constant_inputs", "key_variants", "unscheduled"]


SECOND_KEY = "second"
"""Input of a pipeline over the round keys of two keys: the block is encrypted under the second."""

SECOND_LEAD = 2
"""Cycles by which that input comes before its block: one for its registered copies, one to reach them."""


@dataclass(frozen=True)
class Unscheduled:
    """A datapath without registers. io: when its inputs arrive and its outputs leave; the others are as in
    `stages.Scheduled`.
    """

    graph: Graph
    io: Io
    loops: tuple[tuple[str, str], ...] = ()
    iterations: int | None = None
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    memory: KeyMemory | None = None


def key_variants(spec: Datapath) -> tuple[str, ...]:
    """Ways to make late round keys that are to be tried."""
    wanted = spec.key_words if isinstance(spec, Pipeline) else "kept"
    return spec.described.key_variants if wanted == "priced" else (wanted,)


def constant_inputs(spec: Datapath) -> dict[str, int]:
    """Inputs of the datapath that the core gives a constant: the round numbers, where they are signals."""
    if isinstance(spec, Pipeline) and spec.round_numbers == "signals":
        return {"controls": form_of(spec.described, spec.key_bits).all_controls()}
    return {}


def unscheduled(
    spec: Datapath, plain: Graph, parts: KeyParts | None, io: Io, variant: str = "kept"
) -> Unscheduled:
    """The datapath of a spec without its registers, with its S-boxes and arithmetic realised.

    plain: the cipher as described; parts: what a key-expansion unit divides it into; io: when the inputs of
    a pipeline arrive; variant: how late round keys are made.
    """
    if isinstance(spec, Loop):
        loop = _loop(spec, parts is not None)
        boxes = boxes_in_block_ram(loop.graph, spec.block_ram_boxes)
        return Unscheduled(realised(spec, boxes), loop.io, loop.loops, loop.iterations, memory=loop.memory)
    assert isinstance(spec, Pipeline)
    if parts is not None:
        return _over_held_keys(spec, parts.rounds, io)
    signals = spec.round_numbers == "signals"
    graph = describe(spec, signals, variant) if signals or variant != "kept" else plain
    return Unscheduled(realised(spec, graph), io)


def _over_held_keys(spec: Pipeline, rounds: Graph, io: Io) -> Unscheduled:
    """A pipeline over round keys that are held, in the form in which its rounds read them."""
    if spec.sbox == "tower" and spec.cipher_direction == "both":
        boxes = share_boxes(rounds)
    else:
        boxes = boxes_in_block_ram(rounds, spec.block_ram_boxes)
    held = held_words(realised(spec, boxes))
    if not spec.two_keys:
        return Unscheduled(held.graph, io, rows=held.rows)
    early = Io((*io.arrive, (SECOND_KEY, -SECOND_LEAD)), io.leave)
    return Unscheduled(with_second_words(held.graph, SECOND_KEY), early, rows=held.rows)


def _loop(spec: Loop, held: bool) -> RoundLoop:
    form = (held_form_of if held else form_of)(spec.described, spec.key_bits)
    if held and spec.described.key_unit == "store":
        return fold_held(form, spec.cipher_direction)
    if held:
        return fold_read(form, spec.rounds_per_cycle, spec.cipher_direction, spec.least_stages)
    if spec.datapath_bits:
        return fold_narrow(form, spec.datapath_bits)
    return fold(form, spec.rounds_per_cycle, spec.cipher_direction)
