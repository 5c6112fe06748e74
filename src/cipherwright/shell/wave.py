"""Timing diagrams: what the ports of a core show, cycle by cycle, as values that a simulation can check."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["ANY", "Diagram", "Moment", "handshake", "svg"]

ANY = "x"
"""The value of a port that the diagram does not speak of."""

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


@dataclass(frozen=True)
class Moment:
    """One cycle of a diagram.

    inputs: ports that change at its beginning, and the values that they then keep; shows: outputs in this
    cycle, all others are ANY. after: cycles since the moment before. until: the cycle is the first one, at
    `after` or later, in which this output is 1 (empty: at `after` exactly). unseen: the cycle is checked and
    not drawn.
    A value is "0", "1", ANY (an input is then 0), or a name of `Diagram.words`.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    shows: Mapping[str, str] = field(default_factory=dict)
    after: int = 1
    until: str = ""
    unseen: bool = False


def handshake(
    valid: str, ready: str, values: Mapping[str, str], then: Mapping[str, str] | None = None
) -> tuple[Moment, Moment]:
    """The cycle in which `values`, by port, are taken, which are offered with the port `valid` until `ready`
    is 1, and the cycle behind it, in which they are withdrawn and outputs show `then` (None: anything).

    >>> handshake("key_valid_i", "key_ready_o", {"key_i": "K"})[1].inputs
    {'key_valid_i': '0', 'key_i': 'x'}
    """
    taken = Moment({valid: "1", **values}, {ready: "1"}, until=ready)
    return taken, Moment({valid: "0", **dict.fromkeys(values, ANY)}, then or {})


@dataclass(frozen=True)
class Diagram:
    """A timing diagram. name: what its file's name ends with; title: one sentence; clock: the clock's port;
    ports: rows in order; moments: cycles in order; words: value -> number, for ports wider than a bit. Raises
    ValueError where a moment has another port or value.
    """

    name: str
    title: str
    clock: str
    ports: tuple[str, ...]
    moments: tuple[Moment, ...]
    words: Mapping[str, int]

    def __post_init__(self) -> None:
        for moment in self.moments:
            named = {**moment.inputs, **moment.shows}
            if unknown := ({*named, *filter(None, [moment.until])} - {*self.ports}):
                raise ValueError(f"diagram {self.name} has no row {', '.join(sorted(unknown))}")
            if unknown := ({*named.values()} - {"0", "1", ANY, *self.words}):
                raise ValueError(f"diagram {self.name} has no value {', '.join(sorted(unknown))}")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Ports that the diagram drives."""
        driven = {port for moment in self.moments for port in moment.inputs}
        return tuple(port for port in self.ports if port in driven)

    def row(self, port: str) -> list[str]:
        """Values of `port` at the moments; a port that the diagram drives keeps its value until it
        changes.
        """
        found, now = [], ANY
        driven = port in self.inputs
        for moment in self.moments:
            if driven:
                now = moment.inputs.get(port, now)
            found.append(now if driven else moment.shows.get(port, ANY))
        return found

    @property
    def drawn(self) -> list[int]:
        """The moments that are drawn."""
        return [k for k, moment in enumerate(self.moments) if not moment.unseen]

    @property
    def gaps(self) -> list[str]:
        """Columns of cycles that are left out before each moment that is drawn, as the clock has them: a
        broken one, and one before it where an output was just shown, of which nothing is said after that.
        """
        drawn = [self.moments[k] for k in self.drawn]
        shown = [
            any(moment.shows.get(port, ANY) != ANY for port in self.ports if port not in self.inputs)
            for moment in drawn
        ]
        behind = [k > 0 and self.moments[k - 1].unseen for k in self.drawn]
        left_out = [m.after > 1 or bool(m.until) or b for m, b in zip(drawn, behind, strict=True)]
        before = [False, *shown[:-1]]
        return [
            ("." if said else "") + "|" if out else "" for said, out in zip(before, left_out, strict=True)
        ]


def _wave(values: list[str], gaps: list[str], driven: bool) -> dict[str, object]:
    """A row as WaveDrom has it: a sign a cycle, `gaps` before it for cycles that are left out, words apart.
    driven: the value stays in cycles that are left out.
    """
    signs, data, last = "", [], ""
    for value, gap in zip(values, gaps, strict=True):
        if gap.startswith(".") and not driven and last != ANY:
            gap, last = f"{ANY}|", ANY
        signs += gap
        word = value not in ("0", "1", ANY)
        signs += "." if value == last else "=" if word else value
        data += [value] if word and value != last else []
        last = value
    return {"wave": signs, "data": data}


def svg(diagram: Diagram) -> str:
    """`diagram` as SVG. The same diagram gives the same text."""
    gaps, driven = diagram.gaps, diagram.inputs
    clock = "p" + "".join(f"{gap}." for gap in gaps[1:])
    rows: list[dict[str, object]] = [{"name": diagram.clock, "wave": clock}]
    for port in diagram.ports:
        row = diagram.row(port)
        rows += [{"name": port, **_wave([row[k] for k in diagram.drawn], gaps, port in driven)}]
    return _drawn(json.dumps({"signal": rows}))


@lru_cache(maxsize=256)
def _drawn(waves: str) -> str:
    """What WaveDrom makes of its JSON. Cores of one kind have the same diagrams, and a drawing takes as long
    as a small core.
    """
    import wavedrom  # imported here: most commands draw nothing

    return _only_used(wavedrom.render(waves).tostring())


def _only_used(drawn: str) -> str:
    """An SVG without the shapes that nothing in it uses: WaveDrom puts its whole skin into each."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _LINK)
    root = ET.fromstring(drawn)
    used = {
        element.get(f"{{{_LINK}}}href", element.get("href", "")).removeprefix("#")
        for element in root.iter(f"{{{_SVG}}}use")
    }
    for defs in root.iter(f"{{{_SVG}}}defs"):
        for shape in [s for s in defs if s.tag == f"{{{_SVG}}}g" and s.get("id") not in used]:
            defs.remove(shape)
    return ET.tostring(root, encoding="unicode") + "\n"
