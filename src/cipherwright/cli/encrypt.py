"""cipherwright encrypt"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import Aad, AadFile, CipherFile, Iv, Key, KeyFile, Made, Sets, UnitBytes
from .crypt import Request, crypt_file

__all__ = ["encrypt"]


def encrypt(
    what: Made,
    source: Annotated[Path, typer.Argument(metavar="IN")],
    out: Annotated[Path, typer.Argument(metavar="OUT")],
    key: Key = "",
    key_file: KeyFile = None,
    iv: Iv = "",
    aad: Aad = "",
    aad_file: AadFile = None,
    sets: Sets = [],  # noqa: B006
    cipher: CipherFile = None,
    unit_bytes: UnitBytes = 0,
) -> None:
    """Encrypt a file through the simulated hardware."""
    crypt_file(False, Request(what, source, out, key, key_file, iv, aad, aad_file, sets, cipher, unit_bytes))
