"""What a measured record says of what was measured (benchmarks/measure.py)."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cipherwright.target import Recipe, load_target

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from measure import SAME, best_of_both, placed_by

DEVICE = load_target("ecp5-85k-8")


def test_the_digest_of_what_places_is_of_the_placer_and_of_the_device() -> None:
    """Where one of them is another, so is the digest."""
    wires = DEVICE.options | {"wires": DEVICE.options["wires"] | {"carry": 0.1}}
    digests = [
        placed_by(DEVICE, Recipe()),
        placed_by(DEVICE, Recipe(placer="rerouted")),
        placed_by(DEVICE, Recipe(placer_weight=1400)),
        placed_by(load_target("ice40-hx8k"), Recipe()),
        placed_by(replace(DEVICE, options=wires), Recipe()),
    ]
    assert len(set(digests)) == len(digests)
    assert placed_by(DEVICE, Recipe(seeds=(4,))) == digests[0]


def test_seeds_of_another_placement_are_not_put_into_a_record() -> None:
    """A record has the best of all its seeds, which must have been placed by the same code: one that does
    not say what placed it has no other seeds added.
    """
    record: dict[str, Any] = dict.fromkeys(SAME, "a")
    old = record | {"fmax_mhz": 400.0, "fmax_by_seed": {"1": 400.0}}
    new = record | {"fmax_mhz": 410.0, "fmax_by_seed": {"2": 410.0}}
    assert best_of_both(old, new) == new | {"fmax_by_seed": {"1": 400.0, "2": 410.0}}
    for other in ({**old, "placed_by": "b"}, {k: v for k, v in old.items() if k != "placed_by"}):
        with pytest.raises(SystemExit, match="placed_by"):
            best_of_both(other, new)
