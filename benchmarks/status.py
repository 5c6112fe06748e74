"""Write docs/status.md, all presets, the README's rows, and the figures that READMEs of cores show, from the
catalogue and the committed records.

Usage: python benchmarks/status.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cipherwright.spec import load, preset_names

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "src" / "cipherwright" / "data" / "figures.json"
SAID = (
    *("preset", "target", "seed", "luts", "ffs", "srls", "brams", "dsps"),
    *("gate_equivalents", "fmax_mhz", "throughput_gbps", "tool_versions"),
)
"""Keys of a record that a core's README tells."""
SHOWN = (
    "aes-gcm-small",
    "aes-small",
    "aes-tiny",
    "aes128-fast",
    "aes128-fast-agile",
    "aes128-fast-ctr",
    "aes128-gcm",
    "aes128-xts",
    "aes256-fast",
    "des-fast",
    "khazad-fast",
    "mars-fast",
    "mars-ibm-4port",
    "misty1-fast",
    "rijndael-ucla",
    "tdes-fast",
)
"""Presets in the README."""


_MARKS = "†‡§¶"
"""Of records that are of an earlier netlist, one mark a reason."""


def _clock(record: dict[str, Any]) -> str:
    """MHz of the best seed, and in brackets of the worst one where several were placed."""
    best, seeds = f"{record['fmax_mhz']:.0f}", record.get("fmax_by_seed") or {}
    return f"{best} ({min(seeds.values()):.0f})" if len(seeds) > 1 else best


def table(presets: Iterable[str]) -> str:
    """Markdown, one row a preset; the measured columns are of the record on ecp5-85k-8, else of another
    target that is named.
    """
    stale = {
        (b["preset"], b["target"]): b["stale"]
        for b in tomllib.loads((ROOT / "benchmarks" / "budgets.toml").read_text())["budget"]
        if "stale" in b
    }
    reasons: dict[str, None] = {}
    lines = [
        "| preset | what | latency | ECP5 LUT4 | FF | MHz | Gb/s | Mb/s per LUT |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name in presets:
        path = ROOT / "benchmarks" / "records" / f"{name}@ecp5-85k-8.json"
        title = load(name).title
        if path.is_file():
            r = json.loads(path.read_text())
            cells = [
                f"{r['latency_cycles']}",
                f"{r['luts']:,}",
                f"{r['ffs']:,}",
                _clock(r),
                f"{r['throughput_gbps']:.2f}",
                f"{r['mbps_per_lut']:.2f}",
            ]
        elif mapped := sorted((ROOT / "benchmarks" / "records").glob(f"{name}@*.json")):
            r = json.loads(mapped[0].read_text())
            if gates := r["gate_equivalents"]:
                cells = [
                    f"{r['latency_cycles']}",
                    f"{r['target']}: {gates:,.0f} gates",
                    f"{r['ffs']:,}",
                    _clock(r),
                    f"{r['throughput_gbps']:.2f}",
                    "",
                ]
            else:
                cells = [
                    f"{r['latency_cycles']}",
                    f"{r['target']}: {r['luts']:,}",
                    f"{r['ffs']:,}",
                    "",
                    "",
                    "",
                ]
        else:
            r, cells = {}, ["", "not measured", "", "", "", ""]
        if why := stale.get((name, r.get("target"))):
            reasons.setdefault(why)
            title += f" {_MARKS[list(reasons).index(why)]}"
        lines.append(f"| `{name}` | {title} | {' | '.join(cells)} |")
    notes = [
        f"{_MARKS[k]} The figures are of the core before this change: {why}. They will be measured again."
        for k, why in enumerate(reasons)
    ]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def pages() -> dict[Path, str]:
    """The pages as they should be."""
    readme = (ROOT / "README.md").read_text()
    rows = re.sub(
        r"(<!-- status:.*?-->\n).*?(\n<!-- end of status -->)",
        lambda m: m[1] + table(SHOWN) + m[2],
        readme,
        flags=re.DOTALL,
    )
    head = (
        "# All presets\n\nMade by `benchmarks/status.py` from the catalogue and the records in "
        "`benchmarks/records`; the target is ECP5 where no other is named. "
        "MHz: of the best seed, and in brackets of the worst one where several were placed.\n\n"
    )
    status = head + table(preset_names()) + "\n"
    return {ROOT / "README.md": rows, ROOT / "docs" / "status.md": status, FIGURES: figures()}


def figures() -> str:
    """Digest of a core's text -> what its record says, of all committed records but those of layouts; where
    targets share a text, that of the first by name.
    """
    paths = sorted((ROOT / "benchmarks" / "records").glob("*@*.json"), reverse=True)
    records = [json.loads(p.read_text()) for p in paths if not p.name.startswith("layout-")]
    said = {r["rtl_digest"]: {key: r[key] for key in SAID} for r in records if "rtl_digest" in r}
    return json.dumps(said, indent=1, sort_keys=True) + "\n"


def write_pages() -> None:
    """Write all pages, and the figures."""
    for path, text in pages().items():
        path.write_text(text)


def main() -> int:
    if "--check" in sys.argv:
        return int(any(not path.is_file() or path.read_text() != text for path, text in pages().items()))
    write_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main())
