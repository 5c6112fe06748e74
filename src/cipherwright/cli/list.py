"""cipherwright list"""

from __future__ import annotations

from dataclasses import dataclass

from .console import Json, out, print_json

__all__ = ["list_"]


@dataclass(frozen=True)
class ListLine:
    """The command line of list."""

    as_json: Json = False


def list_(line: ListLine) -> None:
    """Ciphers, architectures, modes, targets, presets."""
    from ..registry import known_ciphers
    from ..report import print_rows
    from ..spec import ARCHITECTURES, INTERFACES, MODES, load, preset_names
    from ..target import load_target, target_names

    ciphers = known_ciphers().values()
    specs = [load(n) for n in preset_names()]
    targets = [load_target(n) for n in target_names()]
    if line.as_json:
        print_json(
            {
                "ciphers": [
                    {
                        "name": c.name,
                        "title": c.title,
                        "standard": c.standard,
                        "block_bits": c.block_bits,
                        "block_sizes": list(c.block_sizes or (c.block_bits,)),
                        "key_bits": list(c.key_sizes),
                    }
                    for c in ciphers
                ],
                "architectures": list(ARCHITECTURES),
                "modes": list(MODES),
                "interfaces": list(INTERFACES),
                "targets": [{"name": t.name, "title": t.title, "kind": t.kind} for t in targets],
                "presets": [
                    {"name": s.name, "title": s.title, "cipher": s.cipher, "source": s.source} for s in specs
                ],
            }
        )
        return
    print_rows(
        out,
        "Ciphers",
        ("name", "standard", "block", "keys"),
        (
            (
                c.name,
                c.standard,
                ", ".join(map(str, c.block_sizes or (c.block_bits,))),
                ", ".join(map(str, c.key_sizes)),
            )
            for c in ciphers
        ),
    )
    print_rows(
        out,
        "Presets",
        ("name", "what"),
        ((s.name, s.title + (f" ({s.source})" if s.source else "")) for s in specs),
    )
    print_rows(out, "Targets", ("name", "what", "kind"), ((t.name, t.title, t.kind) for t in targets))
    out.print(
        f"Architectures: {', '.join(ARCHITECTURES)}. Modes: {', '.join(MODES)}. Interfaces: "
        f"{', '.join(INTERFACES)}."
    )
