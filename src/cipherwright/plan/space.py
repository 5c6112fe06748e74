"""The cores that a search looks at: families, the options that are tried in each, and clocks.

A family is an architecture with a way to hold the key. Nothing here knows a cipher: what a cipher can't have
is refused by the spec or by the generator, and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ..arch import describe
from ..rewrite import ADDERS, REALISATIONS
from ..spec import Datapath, Loop
from ..target import Target

__all__ = ["Options", "axes", "clocks", "families"]

Options: TypeAlias = Mapping[str, Any]
"""Values of options by name."""

_LEVELS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 36, 64, 128, 256)
"""Levels of lookup tables in a stage, for each of which there is a clock."""

_KEYS: tuple[Options, ...] = ({"key": "agile"}, {"key": "static", "key_expansion": "unit"})
_ROUNDS = (1, 2, 3, 4, 5, 6, 8)
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
    keys = ({},) if {"key", "key_expansion"} & fixed.keys() else _KEYS
    shapes: list[dict[str, Any]] = [{"architecture": "pipelined"}]
    shapes += [{"architecture": "iterative", "rounds_per_cycle": n} for n in _ROUNDS]
    shapes += [{"architecture": "iterative", "datapath_bits": n} for n in datapaths]
    seen = list[dict[str, Any]]()
    for shape in shapes:
        if any(fixed.get(name, value) != value for name, value in shape.items()):
            continue
        for key in keys:
            family = {**shape, **key}
            if family not in seen:
                seen.append(family)
                yield family


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
        free = tuple(v for v in values if not v.keys() & fixed.keys())
        if applies and len(free) > 1:
            yield free


def clocks(target: Target) -> tuple[float, ...]:
    """Clocks in MHz, the fastest first: those at which a stage has time for one level of lookup tables, or
    for several, by the delay model of `target`.
    """
    level = target.delay.table_delay(target.lut_inputs or 4)
    return tuple(int(10_000 / (target.delay.register + n * level)) / 10 for n in _LEVELS)
