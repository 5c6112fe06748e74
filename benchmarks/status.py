"""Write the README's status table from the catalogue and the committed records.

Usage: python benchmarks/status.py [--check]
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from cipherwright.spec import load, preset_names

ROOT = Path(__file__).resolve().parents[1]


def table() -> str:
    """Markdown, one row a preset; the measured columns are of the record on ecp5-85k-8, else of another target that is named."""
    lines = ["| preset | what | latency | ECP5 LUT4 | FF | MHz | Gb/s | Mb/s per LUT |", "|---|---|--:|--:|--:|--:|--:|--:|"]
    for name in preset_names():
        path = ROOT / "benchmarks" / "records" / f"{name}@ecp5-85k-8.json"
        title = load(name).title
        if path.is_file():
            r = json.loads(path.read_text())
            cells = [f"{r['latency_cycles']}", f"{r['luts']:,}", f"{r['ffs']:,}", f"{r['fmax_mhz']:.0f}", f"{r['throughput_gbps']:.2f}", f"{r['mbps_per_lut']:.2f}"]
        elif mapped := sorted((ROOT / "benchmarks" / "records").glob(f"{name}@*.json")):
            r = json.loads(mapped[0].read_text())
            cells = [f"{r['latency_cycles']}", f"{r['target']}: {r['luts']:,}", f"{r['ffs']:,}", "", "", ""]
        else:
            cells = ["", "not measured", "", "", "", ""]
        lines.append(f"| `{name}` | {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    path = ROOT / "README.md"
    old = path.read_text()
    new = re.sub(r"(<!-- status:.*?-->\n).*?(\n<!-- end of status -->)", lambda m: m[1] + table() + m[2], old, flags=re.DOTALL)
    if "--check" in sys.argv:
        return int(old != new)
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
