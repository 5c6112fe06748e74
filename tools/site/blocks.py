"""Block diagrams of cores as SVG: a core as a box, its ports as arrows with their names and widths."""

from __future__ import annotations

from html import escape

from cipherwright.rtl import ClockReset, Component, Group, Pin, Stream

__all__ = ["block_diagram"]

ROW, CHAR, BOX = 18, 7.0, 190
HEAD = 14


def _label(pin: Pin) -> str:
    return pin.name if pin.width == 1 else f"{pin.name}[{pin.width - 1}:0]"


def _side(group: Group) -> bool:
    """Whether a group stands at the right: what leaves the core."""
    if isinstance(group, Stream):
        return group.out
    return all(pin.out for pin in group.pins)


def _what(group: Group) -> str:
    if isinstance(group, ClockReset):
        return "clock and reset"
    return str(getattr(group, "what", "")) or type(group).__name__.lower()


def _rows(groups: list[Group]) -> list[tuple[str, Pin | None]]:
    """A title for each group, then its pins."""
    return [row for g in groups for row in [(_what(g), None), *((_label(p), p) for p in g.pins)]]


def block_diagram(component: Component) -> str:
    """The ports of a component. Arrows have the direction of each port; the title of a group says what its
    handshake offers.
    """
    sides = [[g for g in component.ports if _side(g) == right] for right in (False, True)]
    rows = [_rows(groups) for groups in sides]
    wide = [max((len(text) for text, _ in side), default=4) * CHAR + 60 for side in rows]
    height = ROW * max(len(side) for side in rows) + 2 * HEAD + 16
    width = wide[0] + BOX + wide[1]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="monospace" font-size="11">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<rect x="{wide[0]:.0f}" y="{HEAD}" width="{BOX}" height="{height - 2 * HEAD}" rx="4" '
        f'fill="#eef3f8" stroke="#4c78a8"/>',
        f'<text x="{wide[0] + BOX / 2:.0f}" y="{height / 2:.0f}" text-anchor="middle" font-size="13" '
        f'fill="#1f3550">{escape(component.name)}</text>',
    ]
    for right, side in enumerate(rows):
        for n, (text, pin) in enumerate(side):
            out += _drawn(text, pin, bool(right), wide[0], HEAD + 16 + n * ROW)
    return "\n".join([*out, "</svg>", ""])


def _drawn(text: str, pin: Pin | None, right: bool, edge: float, y: float) -> list[str]:
    """A row at height `y`: the title of a group, or a port with its arrow. edge: the left side of the box."""
    at = edge + BOX if right else edge
    away = 1 if right else -1
    anchor = "start" if right else "end"
    if pin is None:
        return [
            f'<text x="{at + away * 8:.0f}" y="{y + 4:.0f}" text-anchor="{anchor}" fill="#b25d00" '
            f'font-style="italic">{escape(text)}</text>'
        ]
    near, far = at + away * 2, at + away * 34
    tip, back = (far, near) if pin.out else (near, far)
    turn = 1 if tip > back else -1
    return [
        f'<path d="M{back:.0f} {y:.0f} H{tip:.0f} m{-6 * turn} -4 l{6 * turn} 4 l{-6 * turn} 4" fill="none" '
        f'stroke="#4c78a8" stroke-width="{1 if pin.width == 1 else 2.2}"/>',
        f'<text x="{at + away * 42:.0f}" y="{y + 4:.0f}" text-anchor="{anchor}" fill="#222222">'
        f"{escape(text)}</text>",
    ]
