"""What a second resident key costs, and a key with every packet of GCM: predicted flip-flops and mapped cells
of cores with one key, with two, and with keys that are announced.

Usage: python benchmarks/key_slots.py [PRESET [CHANGE ...]]

The presets of `PRESETS` if none is named, on ECP5-85k-8. Some minutes for each of the two.
"""

from __future__ import annotations

import sys

from building import core_of

from cipherwright.report import mapped_top
from cipherwright.spec import load
from cipherwright.target import load_target, synthesise

TARGET = "ecp5-85k-8"
PRESETS = ("aes128-gcm", "aes128-xts")


FORMS = {
    "1": ("key_slots=1",),
    "2": ("key_slots=2",),
    "2, announced": ("key_slots=2", "packet_keys=announced"),
}
"""Keys -> what has them."""


def row(preset: str, changes: list[str], keys: str) -> str:
    """A line of the table."""
    target = load_target(TARGET)
    with core_of(preset, TARGET, [*changes, *FORMS[keys]]) as (made, core, out):
        top, mapping = mapped_top(core.record, target.kind), made.parameters["mapping"]
        m = synthesise(core.sources, top, target, out, mapping)
        name, cycles = " ".join([preset, *changes]), core.record["key_cycles"]
        return (
            f"| `{name}` | {keys} | {made.flip_flops:,} | {m.ffs:,} | {m.luts:,} | {m.brams} | {cycles:,} |"
        )


def main() -> None:
    preset, changes = (sys.argv[1:2], sys.argv[2:])
    print("| core | keys | flip-flops, predicted | and mapped | LUT4 | block RAM | cycles of a key |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name in preset or PRESETS:
        gcm = load(name, changes).mode == "gcm"
        for keys in FORMS if gcm else [*FORMS][:2]:
            print(row(name, changes, keys), flush=True)


if __name__ == "__main__":
    main()
