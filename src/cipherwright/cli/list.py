"""cipherwright list"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from .console import Json, out, print_json

if TYPE_CHECKING:
    from ..spec import Stated

__all__ = ["list_"]


@dataclass(frozen=True)
class ListLine:
    """The command line of list."""

    options: Annotated[
        bool,
        typer.Option("--options", help="Show the options of a core, with their values and what they mean."),
    ] = False
    as_json: Json = False


def list_(line: ListLine) -> None:
    """List ciphers, architectures, modes, targets, presets, boards and papers; or the options of a core."""
    from ..board import board_names, load_board
    from ..registry import known_ciphers
    from ..report import PAPERS, print_rows
    from ..spec import ARCHITECTURES, INTERFACES, MODES, load, preset_names, stated
    from ..target import load_target, target_names

    if line.options and not line.as_json:
        _print_options(stated())
        return
    ciphers = known_ciphers().values()
    specs = [load(n) for n in preset_names()]
    targets = [load_target(n) for n in target_names()]
    boards = [load_board(n) for n in board_names()]
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
                "options": [asdict(option) for option in stated()],
                "targets": [{"name": t.name, "title": t.title, "kind": t.kind} for t in targets],
                "presets": [
                    {"name": s.name, "title": s.title, "cipher": s.cipher, "source": s.source} for s in specs
                ],
                "boards": [{"name": b.name, "title": b.title, "target": b.target} for b in boards],
                "papers": list(PAPERS),
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
    print_rows(out, "Boards", ("name", "what", "target"), ((b.name, b.title, b.target) for b in boards))
    out.print(
        f"Architectures: {', '.join(ARCHITECTURES)}. Modes: {', '.join(MODES)}. Interfaces: "
        f"{', '.join(INTERFACES)}. Papers: {', '.join(PAPERS)}."
    )


def _print_options(options: Sequence[Stated]) -> None:
    """A table of the options of each section."""
    from ..report import print_rows

    for title in dict.fromkeys(o.section for o in options):
        rows = (
            (o.name, o.values, "must be given" if o.required else o.default, o.meaning.replace("`", ""))
            for o in options
            if o.section == title
        )
        print_rows(out, title.replace("`", ""), ("option", "values", "default", "what it is"), rows)
    out.print(
        "--set OPTION=VALUE changes one. `cipherwright list --json` has what each costs and needs, too."
    )
