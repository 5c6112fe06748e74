"""What a search found, as a folder: a page with a picture, a TOML file of each core, and one record."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

from ..report import scatter
from ..spec import load
from ..target import load_target
from .explore import Exploration, Point
from .space import described

__all__ = ["COLUMNS", "row_of", "write_exploration"]

COLUMNS = ("core", "Gb/s", "MHz", "stages", "LUTs", "FFs", "block RAMs", "multipliers", "ns", "figures")
"""Columns of a table of cores: `ns` from a block to its result, `figures` whether they are planned, mapped or
placed.
"""


def row_of(number: int, point: Point) -> tuple[Any, ...]:
    """A row of a table with `COLUMNS`: the `number` of the core `point`, and its figures."""
    f = point.figures
    how = "placed" if point.placed else "mapped" if point.mapped else "planned"
    area = f.luts if f.area_um2 is None else f"{f.area_um2:,.0f} um2"
    return (number, f.gbps, f.mhz, f.stages, area, f.ffs, f.brams, f.dsps, f.latency_ns, point.failed or how)


def write_exploration(found: Exploration, folder: Path) -> None:
    """Write what was `found` into a `folder`: `N.toml`, a core each, which `cipherwright build` takes (none
    where the cipher is in a Python file); `explore.json`, all of it; `cores.svg`, the picture; `index.html`,
    a page with picture and table that needs nothing else.
    """
    fixed = found.question.fixed
    files = not found.question.source.endswith(".py")  # a TOML file can't name a cipher's file
    for n, point in enumerate(found.points if files else (), 1):
        (folder / f"{n}.toml").write_text(_toml(found.question.source, n, point), encoding="utf-8")
    (folder / "explore.json").write_text(json.dumps(found.record(), indent=2) + "\n", encoding="utf-8")
    title = _title(found)
    picture = scatter(_figure(found, title))
    (folder / "cores.svg").write_bytes(picture)
    from jinja2 import Environment, StrictUndefined  # imported here: most commands fill nothing

    text = (resources.files(__package__) / "templates" / "index.html.j2").read_text(encoding="utf-8")
    page = Environment(undefined=StrictUndefined, autoescape=True).from_string(text)
    rows = [
        (n, described(p.options, fixed), [_shown(v) for v in row_of(n, p)[1:]])
        for n, p in enumerate(found.points, 1)
    ]
    html = page.render(
        title=title,
        fixed=described(fixed, {}),
        columns=COLUMNS[1:],
        source=found.question.source,
        files=files,
        rows=rows,
        tried=found.tried,
        refused=found.refused,
        picture=picture.decode(),
        measured=any(p.mapped or p.placed for p in found.points),
    )
    (folder / "index.html").write_text(html, encoding="utf-8")


def _title(found: Exploration) -> str:
    first = load(found.question.source, {"name": "core", **found.points[0].options})
    return f"Cores of {first.described.title} on {load_target(first.target).title}"


def _figure(found: Exploration, title: str) -> dict[str, Any]:
    """The picture under its `title`: rate over area, a colour for each architecture and way to hold a key."""
    series: dict[str, list[tuple[float, float, str]]] = {}
    for n, p in enumerate(found.points, 1):
        shape = p.options.get("architecture", found.question.fixed.get("architecture", "pipelined"))
        held = p.options.get("key", found.question.fixed.get("key", "agile"))
        name = f"{shape}, {'held key' if held == 'static' else 'a key with every block'}"
        if not p.failed:
            series.setdefault(name, []).append((max(p.figures.area, 1), p.figures.gbps, str(n)))
    cells = any(p.figures.area_um2 is not None for p in found.points)
    area = "area, um2" if cells else "logic cells: lookup tables or flip-flops, what there is more of"
    return {"title": title, "x": area, "y": "Gb/s", "series": series}


def _toml(source: str, number: int, point: Point) -> str:
    """A core as a file that `cipherwright build` takes."""
    spec = load(source, {"name": "core", **point.options})
    name = point.options.get("name", f"{spec.cipher.replace('_', '-')}-{number}")
    said = {"name": name, "cipher": spec.cipher, "key_bits": spec.key_bits}
    said |= {k: v for k, v in point.options.items() if k not in said and v is not None}
    return "".join(f"{k} = {_value(v)}\n" for k, v in said.items())


def _value(value: Any) -> str:
    """A value as TOML has it; JSON's texts, numbers, truths and lists are TOML's."""
    return json.dumps(value if not isinstance(value, tuple) else list(value))


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
