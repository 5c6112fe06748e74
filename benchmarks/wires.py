"""Measure what wires take after routing: the table `[wires]` of an ECP5 target, for `placer = rerouted`.

Usage: python benchmarks/wires.py PRESET [K=V ...]

Places and routes a core by nextpnr alone (seed 1, the preset's weight), and prints for each distance, columns
and rows together, how many wires end at a flip-flop and at a lookup table, and the delay in ns within which
half, three quarters and 95 of 100 of them are.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from building import core_of

from cipherwright.report import mapped_top
from cipherwright.target import load_target
from cipherwright.target.place import place_with_delays
from cipherwright.target.placed import Wires, routed_wires
from cipherwright.target.synth import synthesise

AT_LEAST = 10
"""Wires of a distance, where it is printed."""


def main() -> None:
    preset, *changes = sys.argv[1:]
    target = load_target("ecp5-85k-8")
    with core_of(preset, target.name, changes) as (made, core, folder):
        synthesise(core.sources, mapped_top(core.record, target.kind), target, folder)
        routed, delays = place_with_delays(folder, target, 1, made.parameters["placer_weight"])
        wires = routed_wires(routed, delays, Wires(**target.options["wires"]))
    by = defaultdict[tuple[bool, int], list[float]](list)
    for w in wires:
        by[w.register, w.tiles].append(w.ns)
    for register in (True, False):
        print("to a flip-flop" if register else "to a lookup table")
        print(f"{'tiles':>6} {'wires':>7}   half    75%    95%")
        for (kind, tiles), ns in sorted(by.items()):
            if kind == register and len(ns) >= AT_LEAST:
                shown = " ".join(f"{q:6.2f}" for q in np.quantile(ns, (0.5, 0.75, 0.95)))
                print(f"{tiles:>6} {len(ns):>7} {shown}")


if __name__ == "__main__":
    main()
