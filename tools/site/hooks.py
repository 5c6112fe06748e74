"""Pages of the documentation site that are made from the catalogue, and links that leave `docs/`.

mkdocs calls the functions named on_…. Set CIPHERWRIGHT_SITE_PRESETS to names of presets, separated by blanks,
to make the pages of these alone.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from cipherwright.flow import generate
from cipherwright.report.picture import draw
from cipherwright.shell import BuiltEngine, Core
from cipherwright.shell.folder import diagrams, svg, worked_block
from cipherwright.sources import shown_value
from cipherwright.spec import Spec, load, preset_names
from cipherwright.target import load_target, target_names

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from blocks import block_diagram  # noqa: E402 - found by the path above

ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
}
"""Pages at the root of the repository -> their place in the site."""

SHELLS = {
    "A pipeline": ("des-fast", []),
    "A pipeline that holds its key": ("aes128-fast", []),
    "Counter mode in a pipeline": ("aes128-fast-ctr", []),
    "A loop": ("aes-small", []),
    "A loop in a chaining mode": ("aes-small", ["mode=cbc"]),
    "A core with its own stream ports": ("des-small", ["interface=stream"]),
    "AXI-Stream": ("des-small", ["interface=axi-stream"]),
    "AXI-Stream with registers on AXI4-Lite": ("des-small", ["interface=axi-stream", "control=axi-lite"]),
    "AXI-Stream with registers on APB": ("des-small", ["interface=axi-stream", "control=apb"]),
    "AXI-Stream with registers on Wishbone": ("des-small", ["interface=axi-stream", "control=wishbone"]),
    "Registers alone on APB": ("des-small", ["interface=registers", "control=apb"]),
    "Packets of GCM around a loop": ("aes-gcm-small", []),
    "Units of XTS around a loop": ("aes128-xts-small", []),
    "Tags of CMAC": ("aes128-cmac-small", []),
    "The ports of a paper": ("des-xilinx-16", []),
    "An engine": ("mars-ibm-4port", []),
}
"""What the page of ports shows: a title, a preset, its changes."""


@cache
def built(preset: str, changes: tuple[str, ...] = ()) -> tuple[Spec, Core | BuiltEngine]:
    """A core of a preset."""
    spec = load(preset, list(changes))
    return spec, generate(spec)


def presets() -> list[str]:
    """The presets that have a page."""
    asked = os.environ.get("CIPHERWRIGHT_SITE_PRESETS", "").split()
    return asked or preset_names()


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the root and the generated ones."""

    def add(place: str, content: str | bytes) -> None:
        files.append(File.generated(config, place, content=content))

    for source, place in ROOT_PAGES.items():
        add(place, (ROOT / source).read_text())
    add("reference/targets.md", targets_page())
    add("reference/ports.md", ports_page(add))
    add("reference/presets.md", presets_page())
    for name in presets():
        add(f"reference/presets/{name}.md", preset_page(name, add))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave the site, and links to folders, become what the site has of them."""
    own = page.file.src_uri
    source = next((s for s, place in ROOT_PAGES.items() if place == own), f"docs/{own}")
    folder, here = posixpath.dirname(source), posixpath.dirname(own)

    def moved(found: re.Match[str]) -> str:
        mark, text, link, anchor = found[1], found[2], found[3], found[4] or ""
        if "://" in link or link.startswith("#") or own.startswith("reference/"):
            return found[0]
        target = posixpath.normpath(posixpath.join(folder, link))
        if (ROOT / target).is_dir() and (ROOT / target / "README.md").exists():
            target += "/README.md"
        if target in ROOT_PAGES:
            place = ROOT_PAGES[target]
        elif target.startswith("docs/"):
            place = target.removeprefix("docs/")
        else:
            return f"{text} (`{target}`)"
        return f"{mark}[{text}]({posixpath.relpath(place, here or '.')}{anchor})"

    return re.sub(r"(!?)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)", moved, markdown)


def _port_rows(core: Core | BuiltEngine) -> Iterator[str]:
    yield "| port | direction | bits | meaning |"
    yield "|---|---|--:|---|"
    for pin in core.component.pins:
        yield f"| `{pin.name}` | {'output' if pin.out else 'input'} | {pin.width} | {pin.text} |"


def _timing(spec: Spec, core: Core | BuiltEngine, name: str, add: Any) -> Iterator[str]:
    """The timing diagrams of a core, those of its folder."""
    drawn = core.diagrams if isinstance(core, BuiltEngine) else diagrams(core, worked_block(spec))
    for diagram in drawn:
        file = f"{name}-{diagram.name}.svg"
        add(f"reference/ports/{file}", svg(diagram))
        yield from (f"{diagram.title}", "", f"![{core.top}: {diagram.title}](ports/{file})", "")


def _registers(core: Core | BuiltEngine) -> Iterator[str]:
    """The register map of a core behind a bus, as its folder has it, below the headings of the page."""
    text = core.files.get(f"{core.top}_registers.md", "")
    yield from (f"##{line}" if line.startswith("#") else line for line in text.splitlines())
    yield ""


def ports_page(add: Any) -> str:
    """Block diagram, table of ports, timing diagrams and register map of each kind of core."""
    out = [
        "# Ports",
        "",
        "Each kind of core with its ports, as the generator describes them. The words of a group are what "
        "its handshake offers. A thick arrow is more than one bit. [The protocol](../guide/protocol.md) "
        "says when values count. Timing diagrams are those of the core's folder, which a test compares with "
        "a simulation.",
        "",
    ]
    for title, (preset, changes) in SHELLS.items():
        spec, core = built(preset, tuple(changes))
        name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        add(f"reference/ports/{name}.svg", block_diagram(core.component))
        asked = " ".join(f"--set {c}" for c in changes)
        out += [f"## {title}", "", f"`cipherwright build {preset}{' ' * bool(asked)}{asked}`", ""]
        out += [f"![The ports of {core.top}](ports/{name}.svg)", "", *_port_rows(core), ""]
        out += [*_timing(spec, core, name, add), *_registers(core)]
    return "\n".join(out)


def targets_page() -> str:
    """What cores are made for."""
    out = [
        "# Targets",
        "",
        "`--set target=NAME` with `build`, `--target NAME` with `implement`. `cipherwright list` shows "
        "the same names.",
        "",
    ]
    out += ["| target | what | how it is measured | look-up tables | flip-flops |", "|---|---|---|--:|--:|"]
    kinds = {
        "place-and-route": "synthesis, place and route",
        "cells": "synthesis and timing analysis of cells",
        "mapping": "synthesis and a count of lookup tables",
    }
    for name in target_names():
        t = load_target(name)
        capacity = t.capacity
        size = [f"{capacity[k]:,}" if k in capacity else "" for k in ("luts", "ffs")]
        out.append(f"| `{name}` | {t.title} | {kinds.get(t.kind, t.kind)} | {size[0]} | {size[1]} |")
    refused = "`cipherwright build` refuses a core that has more flip-flops than its device."
    found = "`cipherwright implement` fails where the mapped core takes more of anything than the device has."
    out += ["", f"{refused} {found}", ""]
    return "\n".join(out)


def presets_page() -> str:
    """The list of presets with links."""
    rows = [f"| [`{name}`](presets/{name}.md) | {load(name).title} |" for name in presets()]
    return "\n".join(
        [
            "# Every preset",
            "",
            "A page each: its options, its ports, its pipeline and its figures.",
            "",
            "| preset | what |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def preset_page(name: str, add: Any) -> str:
    """One preset."""
    spec, core = built(name)
    out = [f"# {name}", "", f"{spec.title}.", ""]
    if spec.source:
        out += [f"After {spec.source}.", ""]
    out += ["```console", f"cipherwright build {name} -o core", "```", ""]
    out += ["## Figures", "", *_figures(name, core), ""]
    if isinstance(core, Core) and spec.architecture == "pipelined":
        add(f"reference/presets/{name}.svg", draw(core.schedule, core.top, "svg"))
        out += ["## Pipeline", "", f"![The stages of {core.top}]({name}.svg)", ""]
    out += ["## Options", "", "| option | value |", "|---|---|"]
    out += [f"| [`{o}`](../../guide/options.md) | `{shown_value(v)}` |" for o, v in _told(spec).items()]
    out += ["", "## Ports", "", *_port_rows(core), ""]
    return "\n".join(out)


def _told(spec: Spec) -> dict[str, Any]:
    """Options that are not at their defaults."""
    fields = type(spec).model_fields
    return {
        o: v
        for o, v in spec.options().items()
        if o in fields
        and o not in ("name", "title", "source")
        and v != fields[o].default
        and v not in ((), None)
    }


def _figures(name: str, core: Core | BuiltEngine) -> list[str]:
    """What the committed records say of the preset."""
    found = []
    for path in sorted((ROOT / "benchmarks/records").glob(f"{name}@*.json")):
        r = json.loads(path.read_text())
        rows = [
            ("target", f"`{path.stem.partition('@')[2]}`"),
            ("look-up tables", r.get("luts")),
            ("gates (NAND2)", r.get("gate_equivalents")),
            ("flip-flops", r.get("ffs")),
            ("block RAMs", r.get("brams") or None),
            ("multipliers", r.get("dsps") or None),
            ("clock, MHz: best seed", r.get("fmax_mhz")),
            (
                "clock, MHz, by seed",
                ", ".join(f"{k}: {v}" for k, v in (r.get("fmax_by_seed") or {}).items()) or None,
            ),
            ("throughput, Gb/s", r.get("throughput_gbps")),
            ("latency, cycles", r.get("latency_cycles")),
            ("critical path", r.get("critical_path")),
            ("mapped netlist", r.get("netlist_proof")),
        ]
        found += ["| | |", "|---|---|"]
        found += [
            f"| {k} | {v:,} |" if isinstance(v, int) else f"| {k} | {v} |" for k, v in rows if v is not None
        ]
        found += [""]
    return found or [
        f"Not measured yet. {core.flip_flops:,} flip-flops are predicted for `{load(name).target}`."
    ]
