"""Write the tables of docs/guide/options.md from the options as `cipherwright.spec` states them.

Usage: python benchmarks/options.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cipherwright.spec import SECTIONS, Stated, stated

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "options.md"
BEGIN, END = "<!-- tables: written by benchmarks/options.py -->\n", "<!-- end of the tables -->\n"


def row(option: Stated) -> str:
    """A line of a table."""
    default = "must be given" if option.required else option.default
    cost = " ".join([option.cost, *option.needs]).strip()
    cells = (f"`{option.name}`", option.values, default, option.unit, option.meaning, cost)
    return f"| {' | '.join(cells)} |"


def tables() -> str:
    """All tables, a section each for what every core has, what two architectures have, and each of them."""
    options, out = stated(lambda text: f"`{text}`"), []
    for title in SECTIONS:
        out += [
            f"## {title}\n",
            "| option | values | default | unit | what it is | what it costs, and what it needs |",
            "|---|---|---|---|---|---|",
            *(row(option) for option in options if option.section == title),
            "",
        ]
    return "\n".join(out)


def page(text: str) -> str:
    """The page with its tables as they are now."""
    between = f"{BEGIN}\n{tables()}\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: between, text, flags=re.S)


def main() -> None:
    """Write the page, or with --check tell that it is not of now."""
    before = PAGE.read_text(encoding="utf-8")
    after = page(before)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if before == after else "docs/guide/options.md differs: run python benchmarks/options.py")
    PAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
