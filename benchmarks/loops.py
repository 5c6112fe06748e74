"""Loops and pipelines of one cipher in several ways, after synthesis: as the preset has them, derived from
the standard alone, and (loops) over round keys that a key-expansion unit holds.

Usage: python benchmarks/loops.py [PRESET ...]     (all presets of the decision where none is named)
docs/decisions/0021-loops-of-their-own.md has the figures. ECP5; a row takes 10 to 30 seconds for a loop,
and minutes for a pipeline.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from building import core_of

from cipherwright.arch import forms
from cipherwright.errors import UserError
from cipherwright.shell import Core
from cipherwright.target import load_target, synthesise

LOOPS = (
    *("aes-small", "khazad-small", "misty1-small", "tdes-small"),
    *("sm4-small", "camellia-small", "des-small"),
)
PIPELINES = ("aes128-fast", "khazad-fast", "misty1-fast", "tdes-fast")
HELD = ["key=static", "key_expansion=unit", "hops=[]"]
TARGET = "ecp5-85k-8"


@contextmanager
def derived_forms() -> Iterator[None]:
    """Every cipher's form is derived from its standard: no form of `FORMS` is taken."""
    own, forms.FORMS = forms.FORMS, {}
    try:
        yield
    finally:
        forms.FORMS = own


def measured(preset: str, changes: list[str]) -> str:
    """LUT4, flip-flops, cycles of a block, planned period, throughput at it; or why there is no such core."""
    target = load_target(TARGET)
    try:
        with core_of(preset, TARGET, changes) as (made, core, out):
            mapped = synthesise(core.sources, made.top, target, out, made.parameters["mapping"])
    except UserError as e:
        return f"refused: {e}"
    assert isinstance(made, Core)
    rate = made.bits_per_cycle / made.period
    return (
        f"{mapped.luts:6,} LUT4 {mapped.ffs:6,} FF, {made.slots} blocks in {made.interval} cycles, "
        f"{made.period:.2f} ns planned, {rate:.2f} Gb/s"
    )


def main() -> None:
    for preset in sys.argv[1:] or (*LOOPS, *PIPELINES):
        print(f"{preset:15} as the preset has it  {measured(preset, [])}", flush=True)
        with derived_forms():
            print(f"{preset:15} derived form          {measured(preset, [])}", flush=True)
        if preset not in PIPELINES:
            print(f"{preset:15} round keys held       {measured(preset, HELD)}", flush=True)


if __name__ == "__main__":
    main()
