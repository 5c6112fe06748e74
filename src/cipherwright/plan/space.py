"""The cores that a search looks at: families, the options that are tried in each, and clocks.

A family is an architecture with a way to hold the key. Nothing here knows a cipher: what a cipher can't have
is refused by the spec or by the generator, and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ..arch import describe
from ..rewrite import ADDERS, REALISATIONS
from ..sources import shown_value
from ..spec import Datapath, Loop
from ..target import Target

__all__ = ["Options", "axes", "clocks", "described", "families", "option_text", "target_name"]

Options: TypeAlias = Mapping[str, Any]
"""Values of options by name."""

_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 36, 64, 128, 256)
"""Levels of lookup tables in a stage, for each of which there is a clock."""

_KEYS: tuple[Options, ...] = ({"key": "agile"}, {"key": "static", "key_expansion": "unit"})
_HELD: Options = {"key": "static", "key_expansion": "logic"}
"""A key that the design around the core holds."""

_ROUNDS = range(1, 9)
"""Rounds in a loop."""

_ONE_TABLE = 4
"""Address bits of an S-box that is a lookup table for each bit, however it is made."""

_BOXES: tuple[Options, ...] = (
    *({"sbox": name} for name in REALISATIONS),
    {"sbox": "tower", "fuse_linear": True},
    {"sbox": "tower", "common_basis": True},
)
_DEPTHS: tuple[Options, ...] = tuple({"linear_depth": n} for n in (0, 2, 3, 4))
_ADDERS: tuple[Options, ...] = tuple({"adder": name} for name in ADDERS)
_SCHEDULES: tuple[Options, ...] = ({"key_schedule": "direct"}, {"key_schedule": "stepped"})


def families(fixed: Options, datapaths: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """The options of each family, without those that are `fixed`. datapaths: bits of the narrower datapaths
    that the cipher has.
    """
    ways = (*_KEYS, _HELD) if fixed.get("key") == "static" else _KEYS
    keys = [way for way in ways if _agrees(way, fixed)] or [{}]
    rounds = (fixed["rounds_per_cycle"],) if "rounds_per_cycle" in fixed else _ROUNDS
    shapes: list[dict[str, Any]] = [{"architecture": "pipelined"}]
    shapes += [{"architecture": "iterative", "rounds_per_cycle": n} for n in rounds]
    shapes += [{"architecture": "iterative", "datapath_bits": n} for n in datapaths]
    for shape in shapes:
        if _agrees(shape, fixed):
            yield from ({**shape, **key} for key in keys)


def _agrees(options: Options, fixed: Options) -> bool:
    """Whether options say nothing else than what is fixed."""
    return all(fixed.get(name, value) == value for name, value in options.items())


def target_name(fixed: Options) -> str:
    """The name of the device or cell library that is `fixed`, or the default."""
    return str(fixed.get("target", Datapath.model_fields["target"].default))


def described(options: Options, fixed: Options) -> str:
    """The `options` of a core that are not `fixed`, as `--set` takes them, with commas between them."""
    return ", ".join(f"{k}={option_text(v)}" for k, v in options.items() if k not in fixed)


def option_text(value: Any) -> str:
    """The `value` of an option as `--set` takes it.

    >>> option_text(True), option_text(4), option_text(None)
    ('true', '4', 'none')
    """
    return "none" if value is None else shown_value(value)


def axes(spec: Datapath, target: Target, fixed: Options) -> Iterator[tuple[Options, ...]]:
    """What is tried one after the other for a core like `spec` on `target`: on each axis, the values of
    options of which the better ones stay. Options that are `fixed` are on none. The first value of an axis is
    the default, so that of two that are alike it stays.
    """
    nodes = describe(spec).nodes
    operations = {n.op for n in nodes}
    wide = any(n.op == "lookup" and n.attr.address_bits > _ONE_TABLE for n in nodes)
    wanted: list[tuple[bool, tuple[Options, ...]]] = [
        (wide, _BOXES),
        (bool({"add", "sub"} & operations), _ADDERS),
        ("mul" in operations, ({}, {"multiplier": "dsp"})),
        (not isinstance(spec, Loop) and spec.key == "agile", _SCHEDULES),
        (True, _DEPTHS),
        (target.lut_inputs > 4, ({"merge": 4}, {"merge": 5}, {"merge": 6})),
    ]
    for applies, values in wanted:
        free = tuple(v for v in values if _agrees(v, fixed))
        if applies and len(free) > 1:
            yield free


def clocks(target: Target) -> tuple[float, ...]:
    """Clocks in MHz, the fastest first: those at which a stage has time for one level of lookup tables, or
    for several, by the delay model of `target`.
    """
    level = target.delay.table_delay(target.lut_inputs or 4)
    return tuple(int(10_000 / (target.delay.register + n * level)) / 10 for n in _LEVELS)
