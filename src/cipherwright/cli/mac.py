"""cipherwright mac"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import CipherFile, Key, KeyFile, Made, Sets, progress, register_file

__all__ = ["mac"]


def mac(
    what: Made,
    source: Annotated[Path, typer.Argument(metavar="IN")],
    key: Key = "",
    key_file: KeyFile = None,
    sets: Sets = [],  # noqa: B006
    cipher: CipherFile = None,
) -> None:
    """Print the tag of a file, made by the simulated hardware, in hexadecimal."""
    from ..actions import check_makes_tags, message_tag, opened_or_built, spec_of
    from ..files import read_whole
    from ..key_input import read_key
    from ..spec import load
    from ..verify import CoreFolder

    register_file(cipher)
    built = Path(what).is_dir()
    spec = spec_of(CoreFolder.open(Path(what))) if built else load(what, sets)
    check_makes_tags(spec, f"the core in {what}" if built else what)
    secret = read_key(key, key_file, spec.key_bits)
    message = read_whole(source)
    with progress("simulating the core") as tell, opened_or_built(what, sets) as core:
        tag = message_tag(core, secret, message, tell)
    typer.echo(tag.hex())
