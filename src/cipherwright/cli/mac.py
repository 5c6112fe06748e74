"""cipherwright mac"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from .console import CipherFile, Key, KeyFile, Made, Sets, progress, register_file, warn

__all__ = ["mac"]


@dataclass(frozen=True)
class MacLine:
    """The command line of mac."""

    what: Made
    source: Annotated[Path, typer.Argument(metavar="IN", help="The file that is read.")]
    key: Key = ""
    key_file: KeyFile = None
    sets: Sets = field(default_factory=list)
    cipher: CipherFile = None


def mac(line: MacLine) -> None:
    """Print the tag of a file, made by the simulated hardware, in hexadecimal."""
    from ..actions import check_makes_tags, message_tag, opened_or_built, spec_of
    from ..files import read_whole
    from ..key_input import read_key
    from ..spec import load
    from ..target import short_tags
    from ..verify import CoreFolder

    register_file(line.cipher)
    built = Path(line.what).is_dir()
    spec = spec_of(CoreFolder.open(Path(line.what))) if built else load(line.what, line.sets)
    check_makes_tags(spec, f"the core in {line.what}" if built else line.what)
    secret = read_key(line.key, line.key_file, spec.key_bits)
    message = read_whole(line.source)
    warn(list(short_tags(spec)))
    with progress("simulating the core") as tell, opened_or_built(line.what, line.sets) as core:
        tag = message_tag(core, secret, message, tell)
    typer.echo(tag.hex())
