"""Ports of a module that layers around a datapath hand through, and the text of a module that only
connects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Pin", "instance", "module_head", "pins_of", "vector"]


@dataclass(frozen=True)
class Pin:
    """A port besides clock, reset, and the block with its valid and ready. `with_block`: it belongs to the
    block that is offered in the same cycle; otherwise it is held, or has a handshake of its own.
    """

    name: str
    width: int = 1
    out: bool = False
    with_block: bool = False


def vector(width: int) -> str:
    """A range, with a space behind it; empty for one bit."""
    return f"[{width - 1}:0] " if width > 1 else ""


def pins_of(key_bits: int, agile: bool, unit: bool, both: bool) -> tuple[Pin, ...]:
    """Pins of a core with its key: loaded into a key-expansion unit, or with the block (`agile`), or held."""
    direction = (Pin("decrypt_i", with_block=agile or unit),) if both else ()
    if unit:
        return (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True), *direction)
    return (Pin("key_i", key_bits, with_block=agile), *direction)


def module_head(name: str, comment: Sequence[str], pins: Sequence[Pin]) -> str:
    """The lines up to the body."""
    ports = [f"    {'output' if p.out else 'input '} wire {vector(p.width)}{p.name}" for p in pins]
    lines = "".join(f"// {line}\n" for line in comment)
    return f"{lines}module {name} (\n" + ",\n".join(ports) + "\n);\n"


def instance(
    module: str, name: str, links: Mapping[str, str], parameters: Mapping[str, int] | None = None
) -> str:
    """An instance, a few links a line."""
    pieces = [f".{port}({signal})" for port, signal in links.items()]
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + len(piece) < 116:
            lines[-1] += f" {piece},"
        else:
            lines.append(f"        {piece},")
    given = ", ".join(f".{k}({v})" for k, v in (parameters or {}).items())
    return f"    {module} {f'#({given}) ' if given else ''}{name} (\n" + "\n".join(lines)[:-1] + "\n    );\n"
