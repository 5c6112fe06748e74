"""Write the tables of docs/guide/options.md from the options as `cipherwright.spec` states them.

Usage: python benchmarks/options.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from cipherwright.sources import shown_value
from cipherwright.spec import Datapath, Engine, Loop, Pipeline, Spec, option_names
from cipherwright.spec.core import LISTED
from cipherwright.spec.option import Needs

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "options.md"
BEGIN, END = "<!-- tables: written by benchmarks/options.py -->\n", "<!-- end of the tables -->\n"
SECTIONS = {
    "Every core": Spec,
    "Pipelines and loops": Datapath,
    "Pipelines (`architecture = pipelined`)": Pipeline,
    "Loops (`architecture = iterative`)": Loop,
    "Engines (`architecture = engine`)": Engine,
}


def code(value: object) -> str:
    """A value as a user writes it."""
    return "" if value == () else "`none`" if value is None else f"`{shown_value(value)}`"


def values(name: str, field: FieldInfo) -> str:
    """What an option may be: its kind, or all values, or its bounds."""
    if name in LISTED:
        return "by `cipherwright list`" if name == "cipher" else ", ".join(map(code, LISTED[name][1]))
    if get_origin(field.annotation) in (Union, UnionType) and not _optional(field.annotation):
        named = [x for part in get_args(field.annotation) for x in get_args(part)]
        return ", ".join(["`true`, `false`", *map(code, named)])  # a switch with more values
    kinds = get_args(field.annotation) if _optional(field.annotation) else (field.annotation,)
    kind = kinds[0]
    if get_origin(kind) is Literal:
        return ", ".join(map(code, get_args(kind)))
    words = {bool: "`true`, `false`", str: "text", int: "whole number", float: "number"}
    return words.get(kind, "list of names") + bounds(field)


def _optional(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType) and type(None) in get_args(annotation)


def bounds(field: FieldInfo) -> str:
    """The bounds of a number, as text."""
    low = next((m.ge for m in field.metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in field.metadata if isinstance(m, Gt)), None)
    high = next((m.le for m in field.metadata if isinstance(m, Le)), None)
    if low is not None and high is not None:
        return f", {low} to {high}"
    return f", at least {low}" if low is not None else f", above {above}" if above is not None else ""


def default(field: FieldInfo) -> str:
    """The default as a user writes it; empty where the user has to give a value."""
    extra: Any = field.json_schema_extra
    if field.is_required():
        return "must be given"
    return str(extra["default_is"]) or (code(field.default) if field.default != "" else "")


def need(wanted: Needs) -> str:
    """What an option needs, as text."""
    others = ", ".join(f"`{n} = {' or '.join(map(shown_value, vs))}`" for n, vs in wanted.others.items())
    return f"{' or '.join(map(code, wanted.when))}{' n' if wanted.when else 'N'}eeds {others}."


def row(name: str, field: FieldInfo) -> str:
    """A line of a table."""
    extra: Any = field.json_schema_extra
    cost = " ".join([extra["cost"], *(need(m) for m in field.metadata if isinstance(m, Needs))]).strip()
    cells = (f"`{name}`", values(name, field), default(field), extra["unit"], field.description, cost)
    return f"| {' | '.join(map(str, cells))} |"


def tables() -> str:
    """All tables, a section each for what every core has, what two architectures have, and each of them."""
    out = []
    for title, kind in SECTIONS.items():
        own = [n for n in option_names() if n in kind.__annotations__ and kind.model_fields[n].description]
        out += [
            f"## {title}\n",
            "| option | values | default | unit | what it is | what it costs, and what it needs |",
            "|---|---|---|---|---|---|",
            *(row(n, kind.model_fields[n]) for n in own),
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
