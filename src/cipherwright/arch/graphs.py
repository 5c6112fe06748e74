"""What is to be scheduled: the cipher unrolled, its rounds over held round keys, or a loop around its
rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..graph import Graph
from ..rewrite import SECOND, boxes_in_block_ram, held_words, second_bits, share_boxes, with_second_words
from ..schedule import Io
from ..spec import Datapath, Loop, Pipeline
from .forms import form_of, held_form_of
from .key_memory import KeyMemory
from .key_unit import KeyParts, Rows
from .loop import Loop as RoundLoop
from .loop import fold, fold_held, fold_narrow, fold_read
from .rewrites import realised
from .unrolled import describe

__all__ = [
    "KeyChoice",
    "Unscheduled",
    "choosing",
    "constant_inputs",
    "key_choices",
    "key_prefixes",
    "key_variants",
    "maps_of",
    "rows_of",
    "second_apart",
    "unscheduled",
]


@dataclass(frozen=True)
class KeyChoice:
    """A choice between two sets of round keys that every block makes.

    select: the input that chooses the second set; prefix: what the names of its words begin with; lead:
    cycles by which the input comes before its block: one for its registered copies, one to reach them, and
    one for each choice behind it.
    """

    select: str
    prefix: str
    lead: int


_LEAD = 2
"""Cycles by which the input of the last choice comes before its block."""

_CHOICES = (("second", SECOND), ("slot", "other_"))
"""Selects and prefixes: of the one choice or the first of two, and of the last of two."""


def key_choices(keys: int) -> tuple[KeyChoice, ...]:
    """The choices of a pipeline that reads so many `keys` (1, 2 or 4), the first one first.

    >>> [(c.select, c.lead) for c in key_choices(4)]
    [('second', 3), ('slot', 2)]
    """
    count = keys.bit_length() - 1
    return tuple(KeyChoice(*names, _LEAD + count - 1 - k) for k, names in enumerate(_CHOICES[:count]))


def key_prefixes(keys: int) -> tuple[str, ...]:
    """What the names of the words of each of so many `keys` (1, 2 or 4) begin with. The key's number has the
    bit of the first choice lowest.

    >>> key_prefixes(4)
    ('', 'second_', 'other_', 'second_other_')
    """
    found: tuple[str, ...] = ("",)
    for choice in reversed(key_choices(keys)):
        found = tuple(f"{p}{before}" for before in found for p in ("", choice.prefix))
    return found


def choosing(graph: Graph, keys: int, never: str = "") -> Graph:
    """`graph`, rounds over the held words of one key -> the same over those of so many `keys`, one of which
    every block chooses. never: an input with which the first choice is always the first set, as in
    `with_second_words`.
    """
    choices = key_choices(keys)
    for k, choice in reversed(list(enumerate(choices))):
        graph = with_second_words(graph, choice.select, choice.prefix, "" if k else never)
    return graph


def rows_of(graph: Graph, rows: Mapping[str, Rows], never: str) -> dict[str, Rows]:
    """The linear maps in which held words are stored: `rows`, those of the words of `graph`, and those of the
    second set, by its names, where it has fewer bits. never: as in `choosing`.
    """
    kept = second_bits(graph, never)
    fewer = {
        f"{SECOND}{name}": tuple(word[-1 - k] for k in reversed(kept[name]))
        for name, word in rows.items()
        if len(kept[name]) < len(word)
    }
    return {**rows, **fewer}


def second_apart(rows: Mapping[str, Rows]) -> bool:
    """Whether words of the second set are stored in linear maps of their own, so that a key-expansion unit of
    its own makes them. rows: as from `rows_of`.

    >>> second_apart({"rk0": (1, 2)}), second_apart({"rk0": (1, 2), "second_rk0": (2,)})
    (False, True)
    """
    return any(name.startswith(SECOND) for name in rows)


def maps_of(rows: Mapping[str, Rows], prefix: str) -> dict[str, Rows]:
    """Of `rows`, as from `rows_of`, those in which the words of one key are stored, by the names of the first
    set. prefix: what the names of the key's words begin with (`key_prefixes`).

    >>> maps_of({"rk0": (1, 2), "rk1": (1, 2), "second_rk1": (2,)}, "second_")
    {'rk0': (1, 2), 'rk1': (2,)}
    """
    first = SECOND if prefix.startswith(SECOND) else ""
    return {n: rows.get(f"{first}{n}", row) for n, row in rows.items() if not n.startswith(SECOND)}


@dataclass(frozen=True)
class Unscheduled:
    """A datapath without registers: `graph`. io: when its inputs arrive and its outputs leave; `loops`,
    `iterations`, `rows`, `memory` and `idle` are as in `stages.Scheduled`.
    """

    graph: Graph
    io: Io
    loops: tuple[tuple[str, str], ...] = ()
    iterations: int | None = None
    rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    memory: KeyMemory | None = None
    idle: frozenset[str] = frozenset()


def key_variants(spec: Datapath) -> tuple[str, ...]:
    """Ways to make late round keys that are to be tried for `spec`: the one that it asks for, or with
    `key_words = priced` all of the cipher.
    """
    wanted = spec.key_words if isinstance(spec, Pipeline) else "kept"
    return spec.described.key_variants if wanted == "priced" else (wanted,)


def constant_inputs(spec: Datapath) -> dict[str, int]:
    """Inputs of the datapath of `spec` that the core gives a constant, with their values: the round numbers,
    where they are signals.
    """
    if isinstance(spec, Pipeline) and spec.round_numbers == "signals":
        return {"controls": form_of(spec.described, spec.key_bits).all_controls()}
    return {}


def unscheduled(
    spec: Datapath, plain: Graph, parts: KeyParts | None, io: Io, variant: str = "kept"
) -> Unscheduled:
    """The datapath of `spec` without its registers, with its S-boxes and arithmetic realised.

    plain: the cipher as described; parts: what a key-expansion unit divides it into; io: when the inputs of a
    pipeline arrive; variant: how late round keys are made. Raises UserError where the spec's options do not
    suit the cipher.
    """
    if isinstance(spec, Loop):
        loop = _loop(spec, parts is not None)
        boxes = boxes_in_block_ram(loop.graph, spec.block_ram_boxes)
        made = realised(spec, boxes)
        times = (loop.io, loop.loops, loop.iterations)
        return Unscheduled(made.graph, *times, memory=loop.memory, idle=made.idle)
    assert isinstance(spec, Pipeline)
    if parts is not None:
        return _over_held_keys(spec, parts, io)
    signals = spec.round_numbers == "signals"
    graph = describe(spec, signals, variant) if signals or variant != "kept" else plain
    made = realised(spec, graph)
    return Unscheduled(made.graph, io, idle=made.idle)


def _over_held_keys(spec: Pipeline, parts: KeyParts, io: Io) -> Unscheduled:
    """A pipeline over round keys that are held, in the form in which its rounds read them."""
    two = spec.cipher_direction == "both" and not held_form_of(spec.described, spec.key_bits).one_network
    if spec.sbox == "tower" and two:
        boxes = share_boxes(parts.rounds)
    else:
        boxes = boxes_in_block_ram(parts.rounds, spec.block_ram_boxes)
    made = realised(spec, boxes)
    held = held_words(made.graph)
    early = tuple((c.select, -c.lead) for c in key_choices(spec.keys_read))
    return Unscheduled(
        choosing(held.graph, spec.keys_read, parts.never),
        Io((*io.arrive, *early), io.leave),
        rows=rows_of(held.graph, held.rows, parts.never),
        idle=made.idle,
    )


def _loop(spec: Loop, held: bool) -> RoundLoop:
    form = (held_form_of if held else form_of)(spec.described, spec.key_bits)
    if held and spec.described.key_unit == "store":
        return fold_held(form, spec.rounds_per_cycle, spec.cipher_direction)
    if held:
        return fold_read(form, spec.rounds_per_cycle, spec.cipher_direction, spec.least_stages)
    if spec.datapath_bits:
        return fold_narrow(form, spec.datapath_bits)
    return fold(form, spec.rounds_per_cycle, spec.cipher_direction)
