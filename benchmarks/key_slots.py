"""What a second resident key costs: predicted flip-flops and mapped cells of cores with one and with two.

Usage: python benchmarks/key_slots.py [PRESET [CHANGE ...]]

The presets of `PRESETS` if none is named, on ECP5-85k-8. Some minutes for each of the two.
"""

from __future__ import annotations

import sys

from building import core_of

from cipherwright.report import mapped_top
from cipherwright.target import load_target, synthesise

TARGET = "ecp5-85k-8"
PRESETS = ("aes128-gcm", "aes128-xts")


def row(preset: str, changes: list[str], slots: int) -> str:
    """A line of the table."""
    target = load_target(TARGET)
    with core_of(preset, TARGET, [*changes, f"key_slots={slots}"]) as (made, core, out):
        top, mapping = mapped_top(core.record, target.kind), made.parameters["mapping"]
        m = synthesise(core.sources, top, target, out, mapping)
        name, cycles = " ".join([preset, *changes]), core.record["key_cycles"]
        return (
            f"| `{name}` | {slots} | {made.flip_flops:,} | {m.ffs:,} | {m.luts:,} | {m.brams} | {cycles:,} |"
        )


def main() -> None:
    preset, changes = (sys.argv[1:2], sys.argv[2:])
    print("| core | keys | flip-flops, predicted | and mapped | LUT4 | block RAM | cycles of a key |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in preset or PRESETS:
        for slots in (1, 2):
            print(row(name, changes, slots), flush=True)


if __name__ == "__main__":
    main()
