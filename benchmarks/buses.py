"""What a core's buses cost: lookup tables, flip-flops and clock beside the bare core; benchmarks/buses.json.

Usage: python benchmarks/buses.py [--place] [PRESET [INTERFACE...]]

PRESET: of those in CORES if none is named. INTERFACE: of those in INTERFACES, all that CORES has for the
preset if none is named; the bare core is always measured. With --place each is placed and routed as well,
with seeds 1 to 3, a fast pipeline with seed 1 (up to half an hour each), where the record has no clocks of
the same netlist. Each row has the digests of the core's text and of its netlist. The table of
docs/guide/buses.md is written from the record.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from building import core_of

from cipherwright.report import clock_port, implementation_record, mapped_top
from cipherwright.shell import rtl_digest
from cipherwright.target import Recipe, implement, load_target, synthesise

HERE = Path(__file__).resolve().parent
RECORD = HERE / "buses.json"
PAGE = HERE.parent / "docs" / "guide" / "buses.md"
TARGET = "ecp5-85k-8"
BUSES = ("axi-lite", "apb", "wishbone")
INTERFACES = {
    "bare": (),
    "axi-stream": ("interface=axi-stream",),
    "axi-stream, mapping = collapse-all": ("interface=axi-stream", "mapping=collapse-all"),
    **{f"axi-stream, {bits} bits": ("interface=axi-stream", f"tdata_bits={bits}") for bits in (32, 256)},
    **{f"axi-stream, {bus}": ("interface=axi-stream", f"control={bus}") for bus in BUSES},
    **{f"registers, {bus}": ("interface=registers", f"control={bus}") for bus in BUSES},
}
"""Name of what is around a core -> the options for it."""

PIPELINES = ("aes128-fast-ctr",)
"""Cores whose control is measured with lookup tables in a row made one."""

SEEDS = (1, 2, 3)
"""Those of place and route around a loop; a pipeline takes half an hour for one."""

STREAMS = ("bare", "axi-stream", *(f"axi-stream, {bus}" for bus in BUSES))
LOOP = (*STREAMS, *(f"registers, {bus}" for bus in BUSES))
CORES = {
    "aes128-fast-ctr": ("bare", "axi-stream, mapping = collapse-all", "axi-stream"),
    "aes-small": STREAMS,
    "des-small": LOOP,
    "aes-tiny": LOOP,
    "aes128-ccm-small": LOOP,
    "aes128-cmac-small": LOOP,
    "aes-gcm-small": (*STREAMS[:3], "axi-stream, 32 bits", "axi-stream, 256 bits"),
    "aes128-xts-small": STREAMS[:3],
}
"""Preset -> what is measured around it, of INTERFACES."""

HEAD = (
    "| core | around it | LUT4 | more than bare | flip-flops | block RAM "
    "| clock, best and worst seed | of the bare clock |",
    "|---|---|---|---|---|---|---|---|",
)


def tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}" if fraction is None else f"  {fraction:4.0%} {text}", file=sys.stderr, flush=True)


def measured(preset: str, interface: str, place: bool, before: dict[str, Any]) -> dict[str, Any]:
    """The figures of one core with one interface, mapped, and placed where `place`; a clock of the same
    netlist in those of `before` stays.
    """
    target = load_target(TARGET)
    with core_of(preset, TARGET, INTERFACES[interface]) as (made, core, out):
        top, mapping = mapped_top(core.record, target.kind), made.parameters["mapping"]
        text = {"rtl_digest": rtl_digest(made.files)}
        seeds = SEEDS[:1] if preset in PIPELINES else SEEDS
        if not place or len(before.get("fmax_by_seed", ())) >= len(seeds):
            m = synthesise(core.sources, top, target, out, mapping)
            figures = {"luts": m.luts, "ffs": m.ffs, "brams": m.brams, "netlist": m.digest} | text
            if before.get("netlist") == m.digest:
                return before | figures
            if not place:
                return figures
        recipe = replace(Recipe.of(made.parameters), seeds=seeds, clock=clock_port(core.record), prove=False)
        build = implement(core.sources, top, target, recipe, tell)
        found = implementation_record(core.record, build)
        kept = {k: found[k] for k in ("luts", "ffs", "brams", "fmax_mhz", "fmax_by_seed")}
        path = found.get("critical_path")
        return {**kept, "netlist": build.mapped.digest, **text, "critical_path": path}


def rows(record: dict[str, dict[str, dict[str, Any]]]) -> list[str]:
    """The table. A core without figures for its bare form has no comparison."""
    lines = list(HEAD)
    for preset, found in record.items():
        bare = found["bare"]
        for interface, f in found.items():
            more = f"{f['luts'] - bare['luts']:+,}" if f is not bare else "–"
            clock = clocks(f.get("fmax_by_seed", {}))
            both = f.get("fmax_mhz") and bare.get("fmax_mhz") and f is not bare
            part = f"{f['fmax_mhz'] / bare['fmax_mhz']:.1%}" if both else "–"
            counts = f"{f['luts']:,} | {more} | {f['ffs']:,} | {f['brams']}"
            lines.append(f"| `{preset}` | {interface} | {counts} | {clock} | {part} |")
    return lines


def clocks(by_seed: dict[str, float]) -> str:
    """The clocks of the best and of the worst seed, in words."""
    if not by_seed:
        return "not placed"
    best, worst = max(by_seed.values()), min(by_seed.values())
    return f"{best:.1f} MHz" if best == worst else f"{best:.1f}, {worst:.1f} MHz"


def write_page(record: dict[str, dict[str, dict[str, Any]]]) -> None:
    """Put the table into the page in place of the one that is there."""
    text = PAGE.read_text().splitlines()
    start = text.index(HEAD[0])
    end = next(k for k in range(start, len(text) + 1) if k == len(text) or not text[k].startswith("|"))
    PAGE.write_text("\n".join([*text[:start], *rows(record), *text[end:]]) + "\n")


def main() -> None:
    words = [w for w in sys.argv[1:] if w != "--place"]
    place = "--place" in sys.argv
    record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
    for preset in words[:1] or CORES:
        for interface in CORES[preset]:
            if words[1:] and interface not in ("bare", *words[1:]):
                continue
            before = record.setdefault(preset, {}).get(interface, {})
            figures = measured(preset, interface, place, before)
            record[preset][interface] = figures
            print(preset, interface, {k: v for k, v in figures.items() if k != "critical_path"}, flush=True)
            RECORD.write_text(json.dumps(record, indent=2) + "\n")
    write_page(record)


if __name__ == "__main__":
    main()
